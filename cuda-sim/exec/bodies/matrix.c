// Matrices between shared memory and a warp's registers: ldmatrix, stmatrix, movmatrix.
//
// In memory a row is 16 bytes, at the address that a lane gives. Rows whose lane is not here are read as 0. Lane 4 g + t has, of
//   8 x 8 elements of 16 bits   columns 2 t and 2 t + 1 of row g, in one register; transposed, rows 2 t and 2 t + 1 of column g
//   16 x 16 bytes, transposed   of columns g and g + 8 rows 4 t and 4 t + 1 in one register, rows 4 t + 2 and 4 t + 3 in another
//   8 x 16 bytes                columns 4 t to 4 t + 3 of row g
//   8 x 16 bytes, transposed    of columns g and g + 8 rows 2 t and 2 t + 1
// Rows of 6 or 4 bits an element, the first in the lowest bits, become bytes with zeros above. The manual shows layouts of bytes in
// figures; these are as CuTe describes them (Copy_Traits of SM100's LDSM and STSM).
#include "cuda-sim/exec/bodies/access.h"
#include "cuda-sim/exec/matrix.h"

enum { SIDE = 8, ROW_SHIFT = 4 };

// The lanes that give addresses.
static inline uint32_t address_lanes(unsigned n) { return n * SIDE == WARP ? FULL_MASK : (1u << (n * SIDE)) - 1; }

// Where the rows lie; NULL for those whose lane is not here. False if one faults.
static bool rows_at(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w, bool shared, bool write, uint8_t *row[WARP])
{
	struct access acc[ACCESS_PARTS];
	unsigned parts = 0;
	memset(row, 0, WARP * sizeof *row);
	if (!mask)
		return true;
	parts = shared ? access_shared(fp, u, mask, w, ROW_SHIFT, write, &acc[0]) : access_generic(fp, u, mask, w, ROW_SHIFT, write, acc);
	for (unsigned k = 0; k < parts; k++)
		if (!acc[k].shared && !acc[k].local && exec_refuses(w))
			return false;
	for (unsigned k = 0; k < parts; k++)
		for (uint32_t m = acc[k].mask; m; m &= m - 1)
			row[__builtin_ctz(m)] = access_lane(&acc[k], (unsigned)__builtin_ctz(m));
	return parts;
}

static inline void load(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w, unsigned n, bool trans, bool shared)
{
	uint8_t *row[WARP];
	if (!rows_at(fp, u, mask & address_lanes(n), w, shared, false, row))
		return;
	for (unsigned q = 0; q < n; q++) {
		// Row g is the registers of lanes 4 g to 4 g + 3.
		_Alignas(64) uint16_t m[SIDE][SIDE] = {0}, crosswise[SIDE][SIDE];
		_Alignas(64) uint32_t to[WARP];
		uint32_t *rd = ROW(uint32_t, q ? u->x[q] : u->d);
		for (unsigned r = 0; r < SIDE; r++)
			if (row[q * SIDE + r])
				memcpy(m[r], row[q * SIDE + r], sizeof m[r]);
		for (unsigned g = 0; trans && g < SIDE; g++)
			for (unsigned r = 0; r < SIDE; r++)
				crosswise[g][r] = m[r][g];
		memcpy(to, trans ? crosswise : m, sizeof to);
		LANES(uint32_t, rd, to[i]);
	}
}

static inline void store(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w, unsigned n, bool trans, bool shared)
{
	uint8_t *row[WARP];
	if (!rows_at(fp, u, mask & address_lanes(n), w, shared, true, row))
		return;
	for (unsigned q = 0; q < n; q++) {
		uint16_t m[SIDE][SIDE];
		const uint32_t *rs = ROW(const uint32_t, n > 1 ? u->x[q] : u->b);
		for (unsigned i = 0; i < WARP; i++) {
			const unsigned g = i / 4, t = i % 4 * 2;
			*(trans ? &m[t][g] : &m[g][t]) = (uint16_t)rs[i];
			*(trans ? &m[t + 1][g] : &m[g][t + 1]) = (uint16_t)(rs[i] >> 16);
		}
		for (unsigned r = 0; r < SIDE; r++)
			if (row[q * SIDE + r])
				memcpy(row[q * SIDE + r], m[r], sizeof m[r]);
	}
}

// --- bytes

enum { ROW_BYTES = 16 };

// The elements of a row of 16 with `bits` each.
static inline void widen(uint8_t to[ROW_BYTES], const uint8_t *from, unsigned bits)
{
	uint64_t low, high;
	memcpy(&low, from, sizeof low);
	memcpy(&high, from + sizeof low, sizeof high);
	for (unsigned c = 0; c < ROW_BYTES; c++) {
		const unsigned at = c * bits, word = at / 64, shift = at % 64;
		const uint64_t upper = shift + bits > 64 ? high << (64 - shift) : 0;
		to[c] = (uint8_t)(((word ? high : low) >> shift | upper) & ((1u << bits) - 1));
	}
}

static inline uint32_t four(uint8_t a, uint8_t b, uint8_t c, uint8_t d) { return a | (uint32_t)b << 8 | (uint32_t)c << 16 | (uint32_t)d << 24; }

// n matrices of `rows` rows: 16, transposed, or 8.
static inline void load_bytes(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w, unsigned n, unsigned rows, unsigned bits)
{
	uint8_t *row[WARP];
	if (!rows_at(fp, u, mask & address_lanes(n * rows / SIDE), w, true, false, row))
		return;
	for (unsigned q = 0; q < n; q++) {
		uint8_t m[2 * SIDE][ROW_BYTES] = {0};
		for (unsigned r = 0; r < rows; r++)
			if (row[q * rows + r])
				widen(m[r], row[q * rows + r], bits);
		for (unsigned v = 0; v < rows / SIDE; v++) {
			const unsigned number = q * rows / SIDE + v;
			uint32_t *rd = ROW(uint32_t, number ? u->x[number] : u->d);
			EACH(i) {
				const unsigned g = i / 4, t = i % 4 * 4, r = t + 2 * v;
				rd[i] = rows == SIDE ? four(m[g][t], m[g][t + 1], m[g][t + 2], m[g][t + 3])
				                     : four(m[r][g], m[r + 1][g], m[r][g + SIDE], m[r + 1][g + SIDE]);
			}
		}
	}
}

static inline void store_bytes(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w, unsigned n)
{
	uint8_t *row[WARP];
	if (!rows_at(fp, u, mask & address_lanes(n), w, true, true, row))
		return;
	for (unsigned q = 0; q < n; q++) {
		uint8_t m[SIDE][ROW_BYTES];
		const uint32_t *rs = ROW(const uint32_t, n > 1 ? u->x[q] : u->b);
		for (unsigned i = 0; i < WARP; i++)
			for (unsigned k = 0; k < 4; k++)
				m[i % 4 * 2 + k % 2][i / 4 + k / 2 * SIDE] = (uint8_t)(rs[i] >> 8 * k);
		for (unsigned r = 0; r < SIDE; r++)
			if (row[q * SIDE + r])
				memcpy(row[q * SIDE + r], m[r], sizeof m[r]);
	}
}

#define LOAD_BYTES(n, rows, bits) BODY(load_##rows##_x##n##_b##bits) { load_bytes(fp, u, mask, w, n, rows, bits); }
#define LOADS_BYTES(n, rows) LOAD_BYTES(n, rows, 6) LOAD_BYTES(n, rows, 4)
LOAD_BYTES(1, 16, 8) LOAD_BYTES(2, 16, 8)
LOADS_BYTES(1, 16) LOADS_BYTES(2, 16)
LOADS_BYTES(1, 8) LOADS_BYTES(2, 8) LOADS_BYTES(4, 8)
BODY(store_bytes_x1) { store_bytes(fp, u, mask, w, 1); }
BODY(store_bytes_x2) { store_bytes(fp, u, mask, w, 2); }
BODY(store_bytes_x4) { store_bytes(fp, u, mask, w, 4); }

BODY(movmatrix_trans)
{
	const uint32_t *ra = ROW(const uint32_t, u->a);
	uint32_t *rd = ROW(uint32_t, u->d);
	uint16_t m[SIDE][SIDE];
	for (unsigned i = 0; i < WARP; i++) {
		m[i / 4][i % 4 * 2] = (uint16_t)ra[i];
		m[i / 4][i % 4 * 2 + 1] = (uint16_t)(ra[i] >> 16);
	}
	LANES(uint32_t, rd, m[i % 4 * 2][i / 4] | (uint32_t)m[i % 4 * 2 + 1][i / 4] << 16);
}

// 16 x 8 elements of 8 bits, four in the register of each lane, become 8 x 16.
BODY(turn_b8)
{
	enum { LINES = 16 };
	uint8_t from[LINES][SIDE];
	uint32_t *rd = ROW(uint32_t, u->d);
	memcpy(from, ROW(const uint8_t, u->a), sizeof from);
	EACH(i) {
		const unsigned g = i / 4, t = i % 4 * 4;
		rd[i] = from[t][g] | (uint32_t)from[t + 1][g] << 8 | (uint32_t)from[t + 2][g] << 16 | (uint32_t)from[t + 3][g] << 24;
	}
}

// The addresses of one access of a struct exec_matrix.
BODY(matrix_address)
{
	exec_matrix_addresses(fp, (const struct exec_matrix *)(uintptr_t)u->imm, (unsigned)u->x[0], ROW(uint64_t, u->d));
}

#define FORM(op, n, form, trans, space, shared) \
	BODY(op##_x##n##form##space) { op(fp, u, mask, w, n, trans, shared); }
#define FORMS(op, n)                                                                    \
	FORM(op, n, _trans, true, _shared, true) FORM(op, n, , false, _shared, true)    \
	FORM(op, n, _trans, true, , false) FORM(op, n, , false, , false)
FORMS(load, 1)
FORMS(load, 2)
FORMS(load, 4)
FORMS(store, 1)
FORMS(store, 2)
FORMS(store, 4)

#define PADDED_ROWS(shape, n, rows, how)                                                       \
	{"ldmatrix.*" shape ".x" #n how ".shared.b8x16.b6x16_p32", load_##rows##_x##n##_b6},      \
	{"ldmatrix.*" shape ".x" #n how ".shared.b8x16.b4x16_p64", load_##rows##_x##n##_b4}
#define ROWS_OF(op, name, n)                                                                                          \
	{#name ".*x" #n ".trans.shared.b16", op##_x##n##_trans_shared}, {#name ".*x" #n ".shared.b16", op##_x##n##_shared}, \
	{#name ".*x" #n ".trans.b16", op##_x##n##_trans}, {#name ".*x" #n ".b16", op##_x##n}
extern const struct exec_body EXEC_TABLE(matrix)[];
const struct exec_body EXEC_TABLE(matrix)[] = {
	ROWS_OF(load, ldmatrix, 1), ROWS_OF(load, ldmatrix, 2), ROWS_OF(load, ldmatrix, 4),
	ROWS_OF(store, stmatrix, 1), ROWS_OF(store, stmatrix, 2), ROWS_OF(store, stmatrix, 4),
	{"ldmatrix.*m16n16.x1.trans.shared.b8", load_16_x1_b8}, {"ldmatrix.*m16n16.x2.trans.shared.b8", load_16_x2_b8},
	PADDED_ROWS("m16n16", 1, 16, ".trans"), PADDED_ROWS("m16n16", 2, 16, ".trans"),
	PADDED_ROWS("m8n16", 1, 8, ""), PADDED_ROWS("m8n16", 2, 8, ""), PADDED_ROWS("m8n16", 4, 8, ""),
	{"stmatrix.*m16n8.x1.trans.shared.b8", store_bytes_x1}, {"stmatrix.*m16n8.x2.trans.shared.b8", store_bytes_x2},
	{"stmatrix.*m16n8.x4.trans.shared.b8", store_bytes_x4},
	{"movmatrix.*trans.b16", movmatrix_trans},
	{"matrix.turn.b8", turn_b8},
	{"matrix.address", matrix_address},
	{0},
};
