// Matrices of 8 x 8 elements of 16 bits between shared memory and a warp's registers: ldmatrix, stmatrix, movmatrix.
//
// In registers lane 4 g + t has columns 2 t and 2 t + 1 of row g. In memory a row is 16 bytes, at the address that lane 8 q + r gives
// for row r of matrix q. Rows whose lane is not here are read as 0.
#include "cuda-sim/exec/bodies/access.h"

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
		uint16_t m[SIDE][SIDE] = {0};
		uint32_t *rd = ROW(uint32_t, q ? u->x[q] : u->d);
		for (unsigned r = 0; r < SIDE; r++)
			if (row[q * SIDE + r])
				memcpy(m[r], row[q * SIDE + r], sizeof m[r]);
		EACH(i) {
			const unsigned g = i / 4, t = i % 4 * 2;
			rd[i] = trans ? m[t][g] | (uint32_t)m[t + 1][g] << 16 : m[g][t] | (uint32_t)m[g][t + 1] << 16;
		}
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

#define ROWS_OF(op, name, n)                                                                                          \
	{#name ".*x" #n ".trans.shared.b16", op##_x##n##_trans_shared}, {#name ".*x" #n ".shared.b16", op##_x##n##_shared}, \
	{#name ".*x" #n ".trans.b16", op##_x##n##_trans}, {#name ".*x" #n ".b16", op##_x##n}
extern const struct exec_body EXEC_TABLE(matrix)[];
const struct exec_body EXEC_TABLE(matrix)[] = {
	ROWS_OF(load, ldmatrix, 1), ROWS_OF(load, ldmatrix, 2), ROWS_OF(load, ldmatrix, 4),
	ROWS_OF(store, stmatrix, 1), ROWS_OF(store, stmatrix, 2), ROWS_OF(store, stmatrix, 4),
	{"movmatrix.*trans.b16", movmatrix_trans},
	{0},
};
