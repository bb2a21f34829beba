#include "cuda-sim/sass/control.h"

#include "cuda-sim/sass/inst.h"

#include <stdio.h>

enum { CONTROL_AT = 105 - 64, GROUP = 21, REUSE_AT = 17 };

struct isa_control sass_control_from_bits(uint32_t bits)
{
	return (struct isa_control){
		.present = true, .stall = bits & 15, .yield = !(bits >> 4 & 1),
		.write_sb = bits >> 5 & 7, .read_sb = bits >> 8 & 7, .wait = bits >> 11 & 63};
}

uint32_t sass_control_bits(const struct isa_control *c)
{
	return c->stall | (uint32_t)!c->yield << 4 | (uint32_t)c->write_sb << 5 | (uint32_t)c->read_sb << 8 |
	       (uint32_t)c->wait << 11;
}

struct isa_control sass_control_from_encoding(uint64_t lo, uint64_t hi)
{
	(void)lo;
	return sass_control_from_bits((uint32_t)(hi >> CONTROL_AT) & ((1u << GROUP) - 1));
}

unsigned sass_reuse_from_encoding(uint64_t lo, uint64_t hi)
{
	(void)lo;
	return (unsigned)(hi >> (CONTROL_AT + REUSE_AT)) & 15;
}

static unsigned find(const struct isa_sass *s, unsigned from, unsigned reg)
{
	while (from < s->n_src && (s->src[from].file != ISA_FILE_R || s->src[from].reg != reg))
		from++;
	return from;
}

// A, B and C stand in this order in the text; what is encoded in place of a register has no hint.
void sass_reuse_apply(struct isa_sass *s, uint64_t lo, uint64_t hi)
{
	const uint8_t encoded[3] = {(uint8_t)(lo >> 24), (uint8_t)(lo >> 32), (uint8_t)hi};
	unsigned hints = sass_reuse_from_encoding(lo, hi);
	for (unsigned k = 0; k < 3; k++) {
		if (!(hints >> k & 1))
			continue;
		unsigned at = find(s, 0, encoded[k]);
		for (unsigned before = 0; before < k; before++)
			if (encoded[before] == encoded[k] && find(s, at + 1, encoded[k]) < s->n_src)
				at = find(s, at + 1, encoded[k]);
		if (at < s->n_src)
			s->src[at].reuse = true;
	}
}

void sass_control_from_word(uint64_t word, struct isa_control control[3], uint8_t reuse[3])
{
	for (unsigned i = 0; i < 3; i++) {
		uint32_t bits = (uint32_t)(word >> i * GROUP) & ((1u << GROUP) - 1);
		control[i] = sass_control_from_bits(bits);
		reuse[i] = (uint8_t)(bits >> REUSE_AT);
	}
}

void sass_control_print(const struct isa_control *c, char *buf, size_t n)
{
	char wait[ISA_N_SB + 1] = "------", sb[2] = "--";
	for (unsigned i = 0; i < ISA_N_SB; i++)
		if (c->wait >> i & 1)
			wait[i] = (char)('0' + i);
	if (c->read_sb < ISA_N_SB)
		sb[0] = (char)('0' + c->read_sb);
	if (c->write_sb < ISA_N_SB)
		sb[1] = (char)('0' + c->write_sb);
	snprintf(buf, n, "[B%s:R%c:W%c:%c:S%02u]", wait, sb[0], sb[1], c->yield ? 'Y' : '-', c->stall);
}
