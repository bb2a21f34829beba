#include "gpgpu-sim/memory/addr_hash.h"

#include "base/assert.h"

#define B(n) (1u << (n))

// Row i: the bits of `high` whose parity flips bit i of the index.
static const uint32_t ipoly16[] = {
	B(11) | B(10) | B(9) | B(8) | B(6) | B(4) | B(3) | B(0),
	B(12) | B(8) | B(7) | B(6) | B(5) | B(3) | B(1) | B(0),
	B(9) | B(8) | B(7) | B(6) | B(4) | B(2) | B(1),
	B(10) | B(9) | B(8) | B(7) | B(5) | B(3) | B(2),
};
static const uint32_t ipoly32[] = {
	B(13) | B(12) | B(11) | B(10) | B(9) | B(6) | B(5) | B(3) | B(0),
	B(14) | B(13) | B(12) | B(11) | B(10) | B(7) | B(6) | B(4) | B(1),
	B(14) | B(10) | B(9) | B(8) | B(7) | B(6) | B(3) | B(2) | B(0),
	B(11) | B(10) | B(9) | B(8) | B(7) | B(4) | B(3) | B(1),
	B(12) | B(11) | B(10) | B(9) | B(8) | B(5) | B(4) | B(2),
};
static const uint32_t ipoly64[] = {
	B(18) | B(17) | B(16) | B(15) | B(12) | B(10) | B(6) | B(5) | B(0),
	B(15) | B(13) | B(12) | B(11) | B(10) | B(7) | B(5) | B(1) | B(0),
	B(16) | B(14) | B(13) | B(12) | B(11) | B(8) | B(6) | B(2) | B(1),
	B(17) | B(15) | B(14) | B(13) | B(12) | B(9) | B(7) | B(3) | B(2),
	B(18) | B(16) | B(15) | B(14) | B(13) | B(10) | B(8) | B(4) | B(3),
	B(17) | B(16) | B(15) | B(14) | B(11) | B(9) | B(5) | B(4),
};
static const uint32_t ipoly128[] = {
	B(21) | B(20) | B(19) | B(18) | B(14) | B(12) | B(7) | B(6) | B(0),
	B(18) | B(15) | B(14) | B(13) | B(12) | B(8) | B(6) | B(1) | B(0),
	B(19) | B(16) | B(15) | B(14) | B(13) | B(9) | B(7) | B(2) | B(1),
	B(20) | B(17) | B(16) | B(15) | B(14) | B(10) | B(8) | B(3) | B(2),
	B(21) | B(18) | B(17) | B(16) | B(15) | B(11) | B(9) | B(4) | B(3),
	B(19) | B(18) | B(17) | B(16) | B(12) | B(10) | B(5) | B(4),
	B(20) | B(19) | B(18) | B(17) | B(13) | B(11) | B(6) | B(5),
};

// The same for PAE, and the bits of the index itself that make each new bit.
static const uint32_t pae_high[] = {
	B(13) | B(10) | B(9) | B(5) | B(0),
	B(12) | B(11) | B(6) | B(1),
	B(14) | B(9) | B(8) | B(7) | B(2),
	B(11) | B(10) | B(8) | B(3),
	B(12) | B(9) | B(8) | B(5) | B(4),
};
static const uint32_t pae_index[] = {B(3), B(3) | B(2), B(2) | B(1), B(2), B(4) | B(1) | B(0)};

static uint32_t parities(const uint32_t *rows, unsigned n, uint64_t v)
{
	uint32_t out = 0;
	for (unsigned i = 0; i < n; i++)
		out |= (uint32_t)__builtin_parityll(v & rows[i]) << i;
	return out;
}

bool addr_hash_has_ipoly(uint32_t n) { return n == 16 || n == 32 || n == 64 || n == 128; }

uint32_t addr_hash_ipoly(uint64_t high, uint32_t index, uint32_t n)
{
	HEDDLE_ASSERT(addr_hash_has_ipoly(n));
	index &= n - 1;
	switch (n) {
	case 16: return index ^ parities(ipoly16, 4, high);
	case 32: return index ^ parities(ipoly32, 5, high);
	case 64: return index ^ parities(ipoly64, 6, high);
	default: return index ^ parities(ipoly128, 7, high);
	}
}

uint32_t addr_hash_pae(uint64_t high, uint32_t index)
{
	return parities(pae_high, 5, high) ^ parities(pae_index, 5, index);
}
