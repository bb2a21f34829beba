// Fragments of mma: which element of a matrix which lane has in which register, as the PTX ISA's figures show it; and operands of asm.
#ifndef FRAGMENTS_H
#define FRAGMENTS_H

#include "elements.h"

// A fragment of a warp: 32-bit words, or 64-bit ones of F64, by lane and register.
struct fragment {
	uint64_t word[32][8];
};

struct operands {
	fragment a, b, c, d, e; // e: metadata of a sparse A
	int skipped;
};

typedef void kernel(operands *o);

#define W(of, r) ((uint32_t)o->of.word[threadIdx.x][r])
#define FLOAT(of, r) __uint_as_float(W(of, r))
#define DOUBLE(of, r) __longlong_as_double((long long)o->of.word[threadIdx.x][r])

// Operands of each length, as asm takes them.
#define IN1(x) "r"(W(x, 0))
#define IN2(x) "r"(W(x, 0)), "r"(W(x, 1))
#define IN4(x) "r"(W(x, 0)), "r"(W(x, 1)), "r"(W(x, 2)), "r"(W(x, 3))
#define INF4(x) "f"(FLOAT(x, 0)), "f"(FLOAT(x, 1)), "f"(FLOAT(x, 2)), "f"(FLOAT(x, 3))
#define IND1(x) "d"(DOUBLE(x, 0))
#define IND2(x) "d"(DOUBLE(x, 0)), "d"(DOUBLE(x, 1))
#define IND4(x) "d"(DOUBLE(x, 0)), "d"(DOUBLE(x, 1)), "d"(DOUBLE(x, 2)), "d"(DOUBLE(x, 3))
#define IND8(x) "d"(DOUBLE(x, 0)), "d"(DOUBLE(x, 1)), "d"(DOUBLE(x, 2)), "d"(DOUBLE(x, 3)), \
	"d"(DOUBLE(x, 4)), "d"(DOUBLE(x, 5)), "d"(DOUBLE(x, 6)), "d"(DOUBLE(x, 7))

#define COMMA ,
#define OUT2 "=r"(d[0]) COMMA "=r"(d[1])
#define OUT4 "=r"(d[0]) COMMA "=r"(d[1]) COMMA "=r"(d[2]) COMMA "=r"(d[3])
#define OUTD2 "=d"(d[0]) COMMA "=d"(d[1])
#define OUTD4 "=d"(d[0]) COMMA "=d"(d[1]) COMMA "=d"(d[2]) COMMA "=d"(d[3])

// Puts an element where the figures have it. A: (row, k); B: (column, k) with one register of 8.
static inline void put(fragment *f, type t, int regs8, int row, int k, uint64_t w)
{
	int bits = bits_of[t], in = bits == 64 ? 1 : 32 / bits;
	int reg = k / (4 * in) * regs8 + row / 8, lane = row % 8 * 4 + k / in % 4;
	f->word[lane][reg] |= w << (k % in * bits);
}

// Where C and D have (row, column).
static inline uint64_t *place(fragment *f, type t, int row, int col, int *shift)
{
	*shift = t == F16 ? col % 2 * 16 : 0;
	return &f->word[row % 8 * 4 + col / 2][t == F16 ? row / 8 : row / 8 * 2 + col % 2];
}

#endif
