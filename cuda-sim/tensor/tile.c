#include "cuda-sim/tensor/tile.h"

#include <string.h>

enum { SLICE = 16 };

static uint32_t ceil_div(uint32_t a, uint32_t b) { return (a + b - 1) / b; }
static uint32_t unit_of(const struct tensor_map *m) { return m->interleave ? (uint32_t)SLICE * m->interleave : tensor_map_element(m); }

// Elements of the box along dimension k.
static uint32_t count(const struct tensor_map *m, unsigned k) { return k || m->interleave ? ceil_div(m->box[k], m->step[k]) : m->box[0]; }

uint64_t tensor_tile_bytes(const struct tensor_map *m)
{
	uint64_t n = unit_of(m);
	if (m->mode != TENSOR_MAP_TILE)
		return n * m->channels * m->pixels;
	for (unsigned k = 0; k < m->rank; k++)
		n *= count(m, k);
	return n;
}

// The part [from, from + n) of a dimension of `size` that exists, as a row.
static struct tensor_row clip(int64_t from, uint32_t n, uint64_t size, uint32_t unit)
{
	int64_t lo = from < 0 ? -from : 0, hi = (int64_t)size - from;
	lo = lo > n ? n : lo;
	hi = hi > n ? n : hi < lo ? lo : hi;
	return (struct tensor_row){.before = (uint32_t)lo * unit, .inside = (uint32_t)(hi - lo) * unit, .after = (uint32_t)(n - hi) * unit};
}

static void outside(struct tensor_row *r)
{
	r->before += r->inside + r->after;
	r->inside = r->after = 0;
}

static bool tile_rows(const struct tensor_map *m, const struct tensor_place *p, bool (*row)(void *, const struct tensor_row *), void *ctx)
{
	const uint32_t unit = unit_of(m), n = count(m, 0), run = m->interleave && m->step[0] > 1 ? 1 : n;
	uint32_t i[TENSOR_MAP_RANK] = {0}, at = 0;
	for (;;) {
		uint64_t base = m->address;
		bool there = true;
		for (unsigned k = 1; k < m->rank; k++) {
			const int64_t c = (int64_t)p->at[k] + (int64_t)i[k] * m->step[k];
			there &= c >= 0 && (uint64_t)c < m->size[k];
			base += (uint64_t)c * m->stride[k - 1];
		}
		for (uint32_t e = 0; e < n; e += run) {
			const int64_t from = (int64_t)p->at[0] + (run == n ? 0 : (int64_t)e * m->step[0]);
			struct tensor_row r = clip(from, run, m->size[0], unit);
			r.at = at;
			r.global = base + (uint64_t)from * unit + r.before;
			if (!there)
				outside(&r);
			at += run * unit;
			if (!row(ctx, &r))
				return false;
		}
		unsigned k = 1;
		while (k < m->rank && ++i[k] == count(m, k))
			i[k++] = 0;
		if (k >= m->rank)
			return true;
	}
}

static bool column_rows(const struct tensor_map *m, const struct tensor_place *p, bool (*row)(void *, const struct tensor_row *), void *ctx)
{
	const uint32_t unit = unit_of(m);
	const unsigned last = m->rank - 1u;
	int64_t c[TENSOR_MAP_RANK];
	for (unsigned k = 0; k < m->rank; k++)
		c[k] = p->at[k];
	for (uint32_t n = 0; n < m->pixels; n++) {
		struct tensor_row r = clip(c[0], m->channels, m->size[0], unit);
		uint64_t base = m->address;
		bool there = true;
		for (unsigned k = 1; k <= last; k++) {
			const int64_t at = c[k] + (k < last ? (int64_t)p->offset[k - 1] : 0);
			there &= at >= 0 && (uint64_t)at < m->size[k];
			base += (uint64_t)at * m->stride[k - 1];
		}
		r.at = n * m->channels * unit;
		r.global = base + (uint64_t)c[0] * unit + r.before;
		if (!there)
			outside(&r);
		if (!row(ctx, &r))
			return false;
		for (unsigned k = 1; k <= last; k++) {
			c[k] += k < last ? m->step[k] : 1;
			if (k == last || c[k] < (int64_t)m->size[k] + m->upper[k - 1])
				break;
			c[k] = m->lower[k - 1];
		}
	}
	return true;
}

bool tensor_tile_rows(const struct tensor_map *m, const struct tensor_place *p, bool (*row)(void *ctx, const struct tensor_row *r), void *ctx)
{
	return m->mode == TENSOR_MAP_TILE ? tile_rows(m, p, row, ctx) : column_rows(m, p, row, ctx);
}

uint32_t tensor_tile_swizzle(const struct tensor_map *m, uint32_t a)
{
	switch (m->swizzle) {
	case TENSOR_MAP_32B: return a ^ (a >> 3 & 0x10);
	case TENSOR_MAP_64B: return a ^ (a >> 3 & 0x30);
	case TENSOR_MAP_128B: break;
	default: return a;
	}
	switch (m->atom) {
	case TENSOR_MAP_ATOM_16B: return a ^ (a >> 3 & 0x70);
	case TENSOR_MAP_ATOM_32B: return a ^ (a >> 3 & 0x60);
	case TENSOR_MAP_ATOM_32B_FLIP: return a ^ (a >> 3 & 0x60) ^ (a >> 4 & 0x08);
	default: return a ^ (a >> 3 & 0x40);
	}
}

static uint32_t convert(uint32_t v, bool ftz, bool tf32)
{
	const uint32_t mantissa = 0x7fffff, infinity = 0x7f800000, low = 0x1fff; // tf32 has 10 of the 23 bits
	if (ftz && !(v & infinity))
		v &= 0x80000000;
	if (!tf32)
		return v;
	if ((v & infinity) == infinity)
		return v & mantissa ? v | 0x400000 : v; // NaNs stay NaNs
	return (v + (low >> 1) + (v >> 13 & 1)) & ~low;
}

void tensor_tile_convert(const struct tensor_map *m, uint8_t *at, uint32_t bytes)
{
	const bool ftz = m->type == TENSOR_MAP_F32_FTZ || m->type == TENSOR_MAP_TF32_FTZ;
	const bool tf32 = m->type == TENSOR_MAP_TF32 || m->type == TENSOR_MAP_TF32_FTZ;
	for (uint32_t k = 0; (ftz || tf32) && k < bytes; k += 4) {
		uint32_t v;
		memcpy(&v, at + k, sizeof v);
		v = convert(v, ftz, tf32);
		memcpy(at + k, &v, sizeof v);
	}
}

void tensor_tile_fill(const struct tensor_map *m, uint8_t *at, uint32_t bytes)
{
	const uint16_t outside = TENSOR_OUTSIDE;
	memset(at, 0, bytes);
	for (uint32_t k = 0; m->nan && k + sizeof outside <= bytes; k += sizeof outside)
		memcpy(at + k, &outside, sizeof outside);
}
