// surface_reference.cu as machine code: tests/machine/surface_reference.90.cubin is what ptxas 13.0 made of its PTX, with .version 7.8
// and .target sm_90.
// needs: clang
// env: PTX_SIM_KERNELFILE=../../../../../tests/machine/surface_reference.90.cubin
// options: -gpgpu_execute sass
// skip: timed
#include "surface_reference.cu"
