#include "cuda-sim/sass/ops.h"

#include <string.h>

static const struct sass_op table[] = {
#define SASS(name, generations, cls, unit, space, behaviour, core, result) \
	{#name, generations, ISA_##cls, unit, SPACE_##space, behaviour, ISA_UNIT_##core, SASS_TO_##result},
#include "cuda-sim/sass/ops.def"
};

enum { N_OPS = sizeof table / sizeof *table };

// Binary versions by CUDA's list of virtual and real architectures.
static const struct { uint8_t version, generation; } versions[] = {
	{30, SASS_KEPLER},    {32, SASS_KEPLER},    {35, SASS_KEPLER},    {37, SASS_KEPLER},    {50, SASS_MAXWELL},
	{52, SASS_MAXWELL},   {53, SASS_MAXWELL},   {60, SASS_PASCAL},    {61, SASS_PASCAL},    {62, SASS_PASCAL},
	{70, SASS_VOLTA},     {72, SASS_VOLTA},     {75, SASS_TURING},    {80, SASS_AMPERE},    {86, SASS_AMPERE},
	{87, SASS_AMPERE},    {89, SASS_ADA},       {90, SASS_HOPPER},    {100, SASS_BLACKWELL}, {103, SASS_BLACKWELL},
	{110, SASS_BLACKWELL}, {120, SASS_BLACKWELL_120}, {121, SASS_BLACKWELL_120},
};

const struct sass_op *sass_op_find(const char *name, size_t len)
{
	for (size_t i = 0; i < N_OPS; i++)
		if (strlen(table[i].name) == len && !memcmp(table[i].name, name, len))
			return &table[i];
	return NULL;
}

const struct sass_op *sass_op_nearest(const char *name, size_t len)
{
	const struct sass_op *best = sass_op_find("NOP", 3);
	size_t most = 0;
	for (size_t i = 0; i < N_OPS; i++) {
		size_t n = 0;
		while (n < len && table[i].name[n] && table[i].name[n] == name[n])
			n++;
		if (n > most) {
			most = n;
			best = &table[i];
		}
	}
	return best;
}

int sass_generation_of(unsigned binary_version)
{
	for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
		if (versions[i].version == binary_version)
			return versions[i].generation;
	return -1;
}

const char *sass_generation_name(enum sass_generation g)
{
	static const char *const names[SASS_N_GENERATIONS] = {"Kepler", "Maxwell", "Pascal", "Volta",    "Turing",
	                                                      "Ampere", "Ada",     "Hopper", "Blackwell", "Blackwell of sm_120"};
	return names[g];
}

const struct sass_op *sass_op_table(size_t *n)
{
	*n = N_OPS;
	return table;
}
