// ldmatrix and stmatrix of bytes, and of rows of 6 and 4 bits an element, which become bytes.
// flags: -arch=sm_120a
// env: GPGPUSIM_CONFIG=SM120_RTX5070_TI
#include "check.h"

#include <cstdint>

enum { LANES = 32, ROW = 16, MOST = 4, FORMS = 10, STORES = 3 };
// Rows of 16 bytes in shared memory, far from each other and out of order.
enum { PITCH = 48, ROWS = 32 };

static __host__ __device__ unsigned row_at(unsigned row) { return (row * 5 + 3) % ROWS * PITCH; }

#define LOAD1(form) asm volatile("ldmatrix.sync.aligned." form " {%0}, [%1];" : "=r"(d[0]) : "r"(at))
#define LOAD2(form) asm volatile("ldmatrix.sync.aligned." form " {%0, %1}, [%2];" : "=r"(d[0]), "=r"(d[1]) : "r"(at))
#define LOAD4(form) asm volatile("ldmatrix.sync.aligned." form " {%0, %1, %2, %3}, [%4];" : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(at))

template <int FORM> static __device__ void load(uint32_t *d, unsigned at)
{
	switch (FORM) {
	case 0: LOAD2("m16n16.x1.trans.shared.b8"); break;
	case 1: LOAD4("m16n16.x2.trans.shared.b8"); break;
	case 2: LOAD2("m16n16.x1.trans.shared.b8x16.b6x16_p32"); break;
	case 3: LOAD4("m16n16.x2.trans.shared.b8x16.b4x16_p64"); break;
	case 4: LOAD1("m8n16.x1.shared.b8x16.b6x16_p32"); break;
	case 5: LOAD2("m8n16.x2.shared.b8x16.b6x16_p32"); break;
	case 6: LOAD4("m8n16.x4.shared.b8x16.b6x16_p32"); break;
	case 7: LOAD1("m8n16.x1.shared.b8x16.b4x16_p64"); break;
	case 8: LOAD2("m8n16.x2.shared.b8x16.b4x16_p64"); break;
	case 9: LOAD4("m8n16.x4.shared.b8x16.b4x16_p64"); break;
	}
}

// Bits of an element, registers, and whether matrices have 16 rows.
static const struct { int bits, registers; bool tall; } forms[FORMS] = {
	{8, 2, true}, {8, 4, true}, {6, 2, true}, {4, 4, true}, {6, 1, false}, {6, 2, false}, {6, 4, false}, {4, 1, false}, {4, 2, false}, {4, 4, false},
};

struct out {
	uint32_t loaded[FORMS][LANES][MOST];
	uint8_t stored[STORES][ROWS * PITCH];
};

// FORM and those before it.
template <int FORM> static __device__ void loads(out *o, unsigned lane, unsigned at)
{
	uint32_t d[MOST] = {0};
	load<FORM>(d, at);
	for (int k = 0; k < MOST; k++)
		o->loaded[FORM][lane][k] = d[k];
	if (FORM)
		loads<FORM ? FORM - 1 : 0>(o, lane, at);
}

static __host__ __device__ uint8_t datum(unsigned row, unsigned at) { return (uint8_t)(row * 29 + at * 7 + (row ^ at) * 31 + 5); }

static __global__ void run(out *o)
{
	__shared__ __align__(16) uint8_t memory[ROWS * PITCH];
	const unsigned lane = threadIdx.x, at = (unsigned)__cvta_generic_to_shared(memory) + row_at(lane);
	for (unsigned k = 0; k < ROW; k++)
		memory[row_at(lane) + k] = datum(lane, k);
	__syncwarp();
	loads<FORMS - 1>(o, lane, at);
	__syncwarp();
	uint32_t s[MOST];
	for (int k = 0; k < MOST; k++)
		s[k] = datum(lane, 4 * k) | datum(lane, 4 * k + 1) << 8 | datum(lane, 4 * k + 2) << 16 | (uint32_t)datum(lane, 4 * k + 3) << 24;
	for (int form = 0; form < STORES; form++) {
		for (unsigned k = 0; k < ROWS * PITCH / LANES; k++)
			memory[k * LANES + lane] = 0xee;
		__syncwarp();
		if (form == 0)
			asm volatile("stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%0], {%1};" :: "r"(at), "r"(s[0]) : "memory");
		if (form == 1)
			asm volatile("stmatrix.sync.aligned.m16n8.x2.trans.shared.b8 [%0], {%1, %2};" :: "r"(at), "r"(s[0]), "r"(s[1]) : "memory");
		if (form == 2)
			asm volatile("stmatrix.sync.aligned.m16n8.x4.trans.shared.b8 [%0], {%1, %2, %3, %4};" :: "r"(at), "r"(s[0]), "r"(s[1]), "r"(s[2]), "r"(s[3]) : "memory");
		__syncwarp();
		for (unsigned k = 0; k < ROWS * PITCH / LANES; k++)
			o->stored[form][k * LANES + lane] = memory[k * LANES + lane];
		__syncwarp();
	}
}

// Element c of the row that a lane's address names.
static unsigned element(unsigned row, unsigned c, int bits)
{
	unsigned value = 0;
	for (int b = 0; b < bits; b++)
		value |= (datum(row, (c * bits + b) / 8) >> (c * bits + b) % 8 & 1u) << b;
	return value;
}

int main()
{
	out *d = device_alloc<out>(1), *h = new out;
	run<<<1, LANES>>>(d);
	LAUNCHED();
	OK(cudaMemcpy(h, d, sizeof *h, cudaMemcpyDeviceToHost));
	for (int f = 0; f < FORMS; f++)
		for (unsigned lane = 0; lane < LANES; lane++)
			for (int r = 0; r < MOST; r++) {
				const unsigned g = lane / 4, t = lane % 4;
				uint32_t want = 0;
				for (unsigned k = 0; k < 4 && r < forms[f].registers; k++) {
					const unsigned tall_row = r / 2 * 16 + 4 * t + r % 2 * 2 + k % 2, tall_column = g + k / 2 * 8;
					want |= forms[f].tall ? element(tall_row, tall_column, forms[f].bits) << 8 * k
					                      : element(r * 8 + g, 4 * t + k, forms[f].bits) << 8 * k;
				}
				CHECK(h->loaded[f][lane][r] == want, "form %d, lane %u, register %d: %08x, not %08x", f, lane, r, h->loaded[f][lane][r], want);
			}
	for (int f = 0; f < STORES; f++) {
		uint8_t want[ROWS * PITCH];
		memset(want, 0xee, sizeof want);
		for (unsigned q = 0; q < 1u << f; q++)
			for (unsigned lane = 0; lane < LANES; lane++)
				for (unsigned k = 0; k < 4; k++)
					want[row_at(8 * q + lane % 4 * 2 + k % 2) + lane / 4 + k / 2 * 8] = datum(lane, 4 * q + k);
		CHECK(!memcmp(want, h->stored[f], sizeof want), "stmatrix.x%d", 1 << f);
	}
	delete h;
	return check_done();
}
