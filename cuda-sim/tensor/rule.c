// The generations' rules, and the names of types.
#include "cuda-sim/tensor/tensor.h"

const char *const tensor_type_text[TENSOR_N_TYPES] = {
#define X(name, text, bits) text,
	TENSOR_TYPES(X)
#undef X
};

const uint8_t tensor_type_bits[TENSOR_N_TYPES] = {
#define X(name, text, bits) bits,
	TENSOR_TYPES(X)
#undef X
};

enum { F32_FRACTION = 23, FP8_FRACTION = 13 };

// MMA-Sim, section on NVIDIA's generations: the bits, and how many products of each type are one block.
static const struct generation {
	uint8_t sm; // from this capability on
	uint8_t half, tf32, fp8; // block lengths
	uint8_t fraction, fp8_fraction, fp8_kept;
} generations[] = {
	{100, 16, 8, 32, 25, 25, F32_FRACTION},
	{90, 16, 8, 32, 25, FP8_FRACTION, FP8_FRACTION},
	{80, 8, 4, 16, 24, FP8_FRACTION, FP8_FRACTION},
	{75, 8, 4, 16, 24, FP8_FRACTION, FP8_FRACTION},
	{0, 4, 4, 16, 23, FP8_FRACTION, FP8_FRACTION},
};

bool tensor_by_halves(struct tensor_numerics n, enum tensor_type type)
{
	return !n.plain && (type == TENSOR_E4M3 || type == TENSOR_E5M2) && n.sm >= 90 && n.sm < 120;
}

bool tensor_quarters_by_fma(struct tensor_numerics n) { return !n.plain && n.sm >= 80; }

struct tensor_rule tensor_rule(struct tensor_numerics n, enum tensor_type type)
{
	const struct generation *g = generations;
	if (n.plain)
		return (struct tensor_rule){.plain = true};
	while (n.sm < g->sm)
		g++;
	switch (type) {
	case TENSOR_E4M3:
	case TENSOR_E5M2:
		return (struct tensor_rule){.block = g->fp8, .fraction = g->fp8_fraction, .kept = g->fp8_kept};
	case TENSOR_TF32:
		return (struct tensor_rule){.block = g->tf32, .fraction = g->fraction, .kept = F32_FRACTION};
	default:
		return (struct tensor_rule){.block = g->half, .fraction = g->fraction, .kept = F32_FRACTION};
	}
}
