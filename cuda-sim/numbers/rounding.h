// Directions of rounding, as PTX and SASS name them.
#ifndef CUDA_SIM_NUMBERS_ROUNDING_H
#define CUDA_SIM_NUMBERS_ROUNDING_H

enum rounding {
	ROUND_NONE, // none is named
	ROUND_RN,   // to nearest, ties to even
	ROUND_RZ,   // towards zero
	ROUND_RM,   // towards minus infinity
	ROUND_RP,   // towards plus infinity
	ROUND_RNA,  // to nearest, ties away from zero
	ROUND_RS,   // stochastic
	ROUND_RNI, ROUND_RZI, ROUND_RMI, ROUND_RPI, // the same four, to an integral value
};

#endif
