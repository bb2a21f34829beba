// Matrix products of warp groups. What is multiplied is a struct tensor_wgmma, where the micro-op's imm points. Each warp multiplies
// its 16 rows when it issues the instruction: all warps of its group have come to the fence before, and until they wait for the
// product neither the operands nor the accumulators may be touched (exec/group.h).
#include "cuda-sim/exec/bodies/fp_env.h"
#include "cuda-sim/exec/checker.h"
#include "cuda-sim/exec/group.h"
#include "cuda-sim/tensor/group.h"
#include "cuda-sim/tensor/smem.h"
#include "cuda-sim/tensor/wgmma.h"

enum { PER_COLUMNS = 8, MAX_STORED = 32, MAX_WORDS = 16 }; // elements of a row of A as stored; words of a column of B

// A warp's part of one product.
struct job {
	const struct tensor_wgmma *t;
	const struct uop *u;
	struct warp *w;
	uint8_t *fp;
	unsigned k, stored;
	bool add;               // C counts
	bool a_special;         // infinities or NaNs
	int a_least, a_most;    // exponents, zeroes left out
	struct smem_matrix b;
	_Alignas(64) uint32_t words_a[WGMMA_A_WORDS][GROUP_ROWS];
	float stored_a[MAX_STORED][GROUP_ROWS];
	uint8_t place[MAX_STORED][GROUP_ROWS]; // along k, of a stored element
	struct group_tile tile;
};

static inline const struct tensor_wgmma *product_of(const struct uop *u) { return (const struct tensor_wgmma *)(uintptr_t)u->imm; }

// --- who takes part, and where the operands are

static bool whole_group(const struct uop *u, uint32_t mask, struct warp *w)
{
	if (mask != FULL_MASK) {
		exec_fault(w, u, FAULT_ILLEGAL_INSTRUCTION, mask ? (unsigned)__builtin_ctz(mask) : 0, 0,
		           "a product of a warp group is executed by %d lanes of its warp, not by all 32", __builtin_popcount(mask));
		return false;
	}
	const uint32_t *block = w->cta->block;
	if (!exec_group_whole(w)) {
		exec_fault(w, u, FAULT_ILLEGAL_INSTRUCTION, 0, 0,
		           "a product of a warp group needs four whole warps from a multiple of four on; the block has %u threads",
		           block[0] * block[1] * block[2]);
		return false;
	}
	return true;
}

static bool inside(const struct job *x, uint32_t at, const char *matrix)
{
	struct exec_cta *c = x->w->cta;
	if (at <= c->shared_size && SMEM_UNIT <= c->shared_size - at) {
		if (c->check)
			c->check->by->proxied(x->w, 0, at, SMEM_UNIT, false);
		return true;
	}
	exec_fault(x->w, x->u, FAULT_ILLEGAL_ADDRESS, 0, at, "the descriptor of %s leads to byte %u of the block's shared memory, which has %u bytes",
	           matrix, at, x->w->cta->shared_size);
	return false;
}

static uint64_t descriptor(const uint8_t *fp, const struct tensor_wgmma *t, const int32_t row[2])
{
	if (!t->words)
		return *ROW(const uint64_t, row[0]);
	return *ROW(const uint32_t, row[0]) | (uint64_t)*ROW(const uint32_t, row[1]) << 32;
}

// --- A

static void a_of_registers(struct job *x)
{
	const uint8_t *fp = x->fp;
	for (unsigned r = 0; r < WGMMA_A_REGS; r++) {
		const uint32_t *row = ROW(const uint32_t, x->t->row_a[r]);
		for (unsigned i = 0; i < WARP; i++)
			x->words_a[r / 2 * 4 + i % 4][r % 2 * 8 + i / 4] = row[i];
	}
}

static bool a_of_memory(struct job *x)
{
	const struct smem_matrix m = smem_matrix_of(descriptor(x->fp, x->t, x->t->desc_a));
	const unsigned first = x->w->id % WGMMA_WARPS * GROUP_ROWS;
	for (unsigned i = 0; i < GROUP_ROWS; i++)
		for (unsigned u = 0; u < WGMMA_A_WORDS / 4; u++) {
			const uint32_t at = smem_k_major(&m, first + i, u);
			uint32_t unit[4];
			if (!inside(x, at, "A"))
				return false;
			memcpy(unit, x->w->cta->shared + at, sizeof unit);
			for (unsigned j = 0; j < 4; j++)
				x->words_a[4 * u + j][i] = unit[j];
		}
	return true;
}

// Elements of 16 bits that stand side by side along m.
static bool mn_major_a(struct job *x, uint32_t (*out)[GROUP_ROWS])
{
	const struct smem_matrix m = smem_matrix_of(descriptor(x->fp, x->t, x->t->desc_a));
	const unsigned first = x->w->id % WGMMA_WARPS * GROUP_ROWS / 8;
	for (unsigned k = 0; k < x->stored; k++)
		for (unsigned c = 0; c < GROUP_ROWS / 8; c++) {
			const uint32_t at = smem_mn_major(&m, first + c, k);
			uint16_t unit[8];
			if (!inside(x, at, "A"))
				return false;
			memcpy(unit, x->w->cta->shared + at, sizeof unit);
			for (unsigned j = 0; j < 8; j++)
				out[k][8 * c + j] = unit[j];
		}
	return true;
}

static inline uint32_t field_of(unsigned bits) { return bits == 32 ? ~0u : (1u << bits) - 1; }

// The elements of A as they are stored, by their place along k.
static bool elements_of_a(struct job *x, uint32_t (*out)[GROUP_ROWS])
{
	const unsigned bits = tensor_type_bits[x->t->a];
	if (x->t->a_shared && x->t->mn_a)
		return mn_major_a(x, out);
	if (!x->t->a_shared)
		a_of_registers(x);
	else if (!a_of_memory(x))
		return false;
	for (unsigned k = 0, word = 0; k < x->stored; word++)
		for (unsigned shift = 0; shift < 32; shift += bits, k++)
			for (unsigned i = 0; i < GROUP_ROWS; i++)
				out[k][i] = x->words_a[word][i] >> shift & field_of(bits);
	return true;
}

static void places_of_a(struct job *x)
{
	uint8_t *fp = x->fp;
	for (unsigned e = 0; e < x->stored; e++)
		for (unsigned i = 0; i < GROUP_ROWS; i++)
			x->place[e][i] = x->t->sparse ? (uint8_t)wgmma_place(x->t, ROW(const uint32_t, x->t->row_meta), i % 8, i / 8, e) : (uint8_t)e;
}

static inline void spread_f32(float *to, float v) { GROUP_PUT(to, ((__attribute__((vector_size(16))) float){v, v, v, v})); }
static inline void spread_s16(int16_t *to, int16_t v) { GROUP_PUT(to, ((__attribute__((vector_size(8))) int16_t){v, v, v, v})); }

// Stored rows, four times side by side, where they belong along k; elements that are not stored are 0.
static void tile_a(struct job *x, const int32_t (*e)[GROUP_ROWS])
{
	if (x->t->sparse)
		for (unsigned k = 0; k < x->k; k++)
			for (unsigned p = 0; p < GROUP_PLACES; p++)
				x->tile.a[k][p] = 0, x->tile.ae[k][p] = GROUP_ZERO;
	for (unsigned k = 0; k < x->stored; k++)
		for (unsigned i = 0; i < GROUP_ROWS; i++) {
			const unsigned at = x->t->sparse ? x->place[k][i] : k;
			spread_f32(&x->tile.a[at][i * GROUP_HALF], x->stored_a[k][i]);
			spread_s16(&x->tile.ae[at][i * GROUP_HALF], (int16_t)e[k][i]);
		}
}

GROUP_INLINE void note_range(tensor_ints e, tensor_ints *least, tensor_ints *most)
{
	*most = tensor_pick(*most < e, e, *most);
	e = tensor_pick(e == GROUP_ZERO, (tensor_ints){0} + 4096, e);
	*least = tensor_pick(e < *least, e, *least);
}

GROUP_INLINE void ends(tensor_ints least, tensor_ints most, int *l, int *m)
{
	*l = least[0], *m = most[0];
	for (unsigned i = 1; i < TENSOR_WIDE; i++) {
		*l = least[i] < *l ? least[i] : *l;
		*m = most[i] > *m ? most[i] : *m;
	}
}

GROUP_INLINE bool special_value(tensor_ints v) { return tensor_any((v & INT32_MAX) >= (int32_t)0x7f800000); }

// Factors as f32.
GROUP_INLINE void float_a(struct job *x, enum tensor_type type, uint32_t (*raw)[GROUP_ROWS])
{
	int32_t e[MAX_STORED][GROUP_ROWS];
	tensor_ints least = (tensor_ints){0} + 4096, most = (tensor_ints){0} + GROUP_ZERO;
	const tensor_ints sign = (tensor_ints){0} + (x->t->negative ? INT32_MIN : 0);
	for (unsigned k = 0; k < x->stored; k++)
		for (unsigned i = 0; i < GROUP_ROWS; i += TENSOR_WIDE) {
			const tensor_ints v = group_value(type, GROUP_LOAD(tensor_words, &raw[k][i])) ^ sign, of = group_exponent(v, group_least(type));
			x->a_special |= special_value(v);
			note_range(of, &least, &most);
			GROUP_PUT(&x->stored_a[k][i], v);
			GROUP_PUT(&e[k][i], of);
		}
	ends(least, most, &x->a_least, &x->a_most);
	places_of_a(x);
	tile_a(x, (const int32_t (*)[GROUP_ROWS])e);
}

// The same of what is multiplied by fma alone, which asks for nothing but the values; all elements are stored.
GROUP_INLINE void plain_a(struct job *x, enum tensor_type type, uint32_t (*raw)[GROUP_ROWS])
{
	const tensor_ints sign = (tensor_ints){0} + (x->t->negative ? INT32_MIN : 0);
	for (unsigned k = 0; k < x->k; k++)
		for (unsigned i = 0; i < GROUP_ROWS; i += TENSOR_WIDE) {
			float row[TENSOR_WIDE];
			const tensor_ints values = group_value(type, GROUP_LOAD(tensor_words, &raw[k][i])) ^ sign;
			GROUP_PUT(row, values);
			for (unsigned j = 0; j < TENSOR_WIDE; j++)
				spread_f32(&x->tile.a[k][(i + j) * GROUP_HALF], row[j]);
		}
}

// --- B

// The addresses of units `u` of the eight columns `group`: smem_k_major of each.
GROUP_INLINE tensor_words units_of_columns(const struct smem_matrix *m, unsigned group, unsigned u)
{
	const tensor_words column = {0, 1, 2, 3, 4, 5, 6, 7};
	const uint32_t w = m->width, first = m->start + m->stride * group + SMEM_UNIT * (u & (w - 1)) + m->leading * (u >> m->shift);
	const tensor_words at = column * (SMEM_UNIT * w) + first;
	return at ^ (((at >> 7) - m->phase) & (w - 1)) << 4;
}

GROUP_INLINE bool all_inside(const struct job *x, const uint32_t at[PER_COLUMNS])
{
	const uint32_t size = x->w->cta->shared_size;
	if (!x->w->cta->check && size >= SMEM_UNIT && !tensor_any((tensor_ints)(GROUP_LOAD(tensor_words, at) > size - SMEM_UNIT)))
		return true;
	for (unsigned j = 0; j < PER_COLUMNS; j++)
		if (!inside(x, at[j], "B"))
			return false;
	return true;
}

// Four columns' units become four rows of a word of each.
static inline void transpose(const uint8_t *shared, uint32_t at0, uint32_t at1, uint32_t at2, uint32_t at3, uint32_t (*out)[GROUP_COLUMNS])
{
	const __m128 a = _mm_loadu_ps((const float *)(shared + at0)), b = _mm_loadu_ps((const float *)(shared + at1));
	const __m128 c = _mm_loadu_ps((const float *)(shared + at2)), d = _mm_loadu_ps((const float *)(shared + at3));
	const __m128 ab = _mm_unpacklo_ps(a, b), cd = _mm_unpacklo_ps(c, d), ef = _mm_unpackhi_ps(a, b), gh = _mm_unpackhi_ps(c, d);
	_mm_store_ps((float *)out[0], _mm_movelh_ps(ab, cd));
	_mm_store_ps((float *)out[1], _mm_movehl_ps(cd, ab));
	_mm_store_ps((float *)out[2], _mm_movelh_ps(ef, gh));
	_mm_store_ps((float *)out[3], _mm_movehl_ps(gh, ef));
}

// Words of 32 bits of the columns' elements, the even columns of each eight before the odd ones.
static bool words_of_b(struct job *x, unsigned from, unsigned columns, uint32_t (*out)[GROUP_COLUMNS])
{
	const unsigned units = x->k * tensor_type_bits[x->t->b] / 8 / SMEM_UNIT;
	const uint8_t *shared = x->w->cta->shared;
	for (unsigned g = 0; g < columns / PER_COLUMNS; g++)
		for (unsigned u = 0; u < units; u++) {
			uint32_t at[PER_COLUMNS];
			const tensor_words addresses = units_of_columns(&x->b, from / PER_COLUMNS + g, u);
			GROUP_PUT(at, addresses);
			if (!all_inside(x, at))
				return false;
			for (unsigned odd = 0; odd < 2; odd++)
				transpose(shared, at[odd], at[2 + odd], at[4 + odd], at[6 + odd],
				          (uint32_t (*)[GROUP_COLUMNS])&out[4 * u][g * PER_COLUMNS + odd * GROUP_HALF]);
		}
	return true;
}

// Elements of 16 bits that stand side by side along n, as words of their own.
static bool elements_of_b(struct job *x, unsigned from, unsigned columns, uint32_t (*out)[GROUP_COLUMNS])
{
	typedef uint32_t four_words __attribute__((vector_size(16)));
	for (unsigned k = 0; k < x->k; k++)
		for (unsigned g = 0; g < columns / PER_COLUMNS; g++) {
			const uint32_t at = smem_mn_major(&x->b, from / PER_COLUMNS + g, k);
			if (!inside(x, at, "B"))
				return false;
			const four_words pairs = GROUP_LOAD(four_words, x->w->cta->shared + at); // an even column's and an odd one's
			GROUP_PUT(&out[k][g * PER_COLUMNS], pairs & 0xffff);
			GROUP_PUT(&out[k][g * PER_COLUMNS + GROUP_HALF], pairs >> 16);
		}
	return true;
}

struct range {
	tensor_ints least, most;
	bool special;
};

GROUP_INLINE void put_b(struct job *x, enum tensor_type type, unsigned k, unsigned j, tensor_words w, bool values, struct range *r)
{
	const tensor_ints v = group_value(type, w);
	typedef int16_t eight __attribute__((vector_size(16)));
	GROUP_PUT(&x->tile.b[k][j], v);
	if (values)
		return;
	const tensor_ints e = group_exponent(v, group_least(type));
	r->special |= special_value(v);
	note_range(e, &r->least, &r->most);
	GROUP_PUT(&x->tile.be[k][j], __builtin_convertvector(e, eight));
}

// The factors of `columns` columns from `from` on; `values`: nothing but these. False after a fault.
GROUP_INLINE bool float_b(struct job *x, enum tensor_type type, unsigned from, unsigned columns, bool values, struct range *r)
{
	const unsigned bits = type == TENSOR_TF32 ? 32 : type == TENSOR_F16 || type == TENSOR_BF16 ? 16 : 8, in = 32 / bits;
	*r = (struct range){.least = (tensor_ints){0} + 4096, .most = (tensor_ints){0} + GROUP_ZERO};
	if (x->t->mn_b) {
		_Alignas(64) uint32_t elements[MAX_STORED][GROUP_COLUMNS];
		if (!elements_of_b(x, from, columns, elements))
			return false;
		for (unsigned k = 0; k < x->k; k++)
			for (unsigned j = 0; j < columns; j += TENSOR_WIDE)
				put_b(x, type, k, j, GROUP_LOAD(tensor_words, &elements[k][j]), values, r);
		return true;
	}
	_Alignas(64) uint32_t words[MAX_WORDS][GROUP_COLUMNS];
	if (!words_of_b(x, from, columns, words))
		return false;
	for (unsigned k = 0; k < x->k; k += in)
		for (unsigned j = 0; j < columns; j += TENSOR_WIDE) {
			const tensor_words w = GROUP_LOAD(tensor_words, &words[k / in][j]);
			for (unsigned i = 0; i < in; i++)
				put_b(x, type, k + i, j, bits == 32 ? w : w >> (i * bits) & field_of(bits), values, r);
		}
	return true;
}

// --- C and D. A group of eight columns has, of 32 bits, registers 4 g to 4 g + 3; of f16, 2 g and 2 g + 1.

// A group's values: of the even columns, then of the odd ones.
struct columns {
	_Alignas(64) float of[2][GROUP_PLACES];
};

GROUP_INLINE tensor_ints half_value(tensor_words w) { return group_value(TENSOR_F16, w); }

static void read_c(const struct job *x, unsigned group, bool half, struct columns *c)
{
	uint8_t *fp = x->fp;
	if (!x->add) {
		memset(c, 0, sizeof *c);
		return;
	}
	for (unsigned h = 0; h < 2; h++) {
		if (!half) {
			for (unsigned odd = 0; odd < 2; odd++)
				memcpy(&c->of[odd][h * WARP], ROW(const uint32_t, x->t->row_c[4 * group + 2 * h + odd]), 4 * WARP);
			continue;
		}
		const uint32_t *row = ROW(const uint32_t, x->t->row_c[2 * group + h]);
		for (unsigned i = 0; i < WARP; i += TENSOR_WIDE) {
			const tensor_words w = GROUP_LOAD(tensor_words, row + i);
			GROUP_PUT(&c->of[0][h * WARP + i], half_value(w & 0xffff));
			GROUP_PUT(&c->of[1][h * WARP + i], half_value(w >> 16));
		}
	}
}

static void write_d(const struct job *x, unsigned group, bool half, const struct columns *d)
{
	uint8_t *fp = x->fp;
	for (unsigned h = 0; h < 2; h++) {
		if (!half) {
			for (unsigned odd = 0; odd < 2; odd++)
				memcpy(ROW(uint32_t, x->t->row_d[4 * group + 2 * h + odd]), &d->of[odd][h * WARP], 4 * WARP);
			continue;
		}
		uint32_t *row = ROW(uint32_t, x->t->row_d[2 * group + h]);
		for (unsigned i = 0; i < WARP; i += TENSOR_WIDE)
			GROUP_PUT(row + i, group_half_bits(tensor_load(&d->of[0][h * WARP + i])) | group_half_bits(tensor_load(&d->of[1][h * WARP + i])) << 16);
	}
}

// --- floating point

// A value's significand and exponent, as tensor_split gives them.
static void split_value(float v, int least, float *sig, int32_t *exp)
{
	const uint32_t magnitude = softfp_bits_f32(v) & INT32_MAX;
	*sig = v;
	*exp = TENSOR_ZERO;
	if (!magnitude || magnitude >= 0x7f800000)
		return;
	int e = (int)(magnitude >> F32_MANTISSA) - F32_BIAS;
	e = e < least ? least : e;
	*exp = e;
	*sig = (float)((double)v * softfp_f64((uint64_t)(F64_BIAS - e) << F64_MANTISSA));
}

// Eight columns by tensor_block, row by row; `plain`: by fma, of a sparse matrix whose other elements are not to be multiplied.
static __attribute__((noinline)) void carefully(const struct job *x, unsigned at, bool half, const struct columns *c, struct columns *d)
{
	const struct tensor_rule *rule = &x->t->rule;
	const unsigned block = !rule->plain && rule->block < x->stored ? rule->block : x->stored;
	for (unsigned i = 0; i < GROUP_ROWS; i++) {
		float as[MAX_STORED], bs[MAX_STORED][PER_COLUMNS], out[PER_COLUMNS];
		int32_t ae[MAX_STORED], be[MAX_STORED][PER_COLUMNS];
		for (unsigned k = 0; k < x->stored; k++) {
			split_value(x->stored_a[k][i], group_least((enum tensor_type)x->t->a), &as[k], &ae[k]);
			for (unsigned j = 0; j < PER_COLUMNS; j++)
				split_value(x->tile.b[x->place[k][i]][at + j], group_least((enum tensor_type)x->t->b), &bs[k][j], &be[k][j]);
		}
		for (unsigned j = 0; j < PER_COLUMNS; j++)
			out[j] = c->of[j / GROUP_HALF][i * GROUP_HALF + j % GROUP_HALF];
		if (rule->plain) {
			for (unsigned k = 0; k < x->stored; k++)
				for (unsigned j = 0; j < PER_COLUMNS; j++)
					out[j] = tensor_fma(x->stored_a[k][i], x->tile.b[x->place[k][i]][at + j], out[j]);
		} else {
			for (unsigned from = 0; from < x->stored; from += block)
				tensor_block(rule, half, block, as + from, ae + from, bs[from], be[from], PER_COLUMNS, true, out);
		}
		for (unsigned j = 0; j < PER_COLUMNS; j++)
			d->of[j / GROUP_HALF][i * GROUP_HALF + j % GROUP_HALF] = out[j];
	}
}

// A group's eight columns, whose numbers stand from `at` on in the tile. False: not done.
GROUP_INLINE bool by_rule(const struct job *x, unsigned at, bool half, unsigned len, unsigned at_once,
                                                          const struct columns *c, struct columns *d)
{
	const struct tensor_rule *rule = &x->t->rule;
	struct group_sums s;
	for (unsigned odd = 0; odd < 2; odd++)
		for (unsigned p = 0; p < GROUP_PLACES; p += GROUP_BLOCK) {
			const unsigned j = at + odd * GROUP_HALF;
			memcpy(s.c, &c->of[odd][p], sizeof s.c);
			for (unsigned from = 0; from < x->k; from += len) {
				if (!group_add(rule, half, false, len, at_once, (const float (*)[GROUP_PLACES])&x->tile.a[from][p],
				               (const int16_t (*)[GROUP_PLACES])&x->tile.ae[from][p], (const float (*)[GROUP_COLUMNS])&x->tile.b[from][j],
				               (const int16_t (*)[GROUP_COLUMNS])&x->tile.be[from][j], &s))
					return false;
				memcpy(s.c, s.d, sizeof s.c);
			}
			memcpy(&d->of[odd][p], s.c, sizeof s.c);
		}
	return true;
}

GROUP_INLINE void by_fma(const struct job *x, bool exact_sums, unsigned k, unsigned at, const struct columns *c, struct columns *d)
{
	for (unsigned p = 0; p < GROUP_PLACES; p += GROUP_BLOCK) {
		struct group_sums s[2];
		memcpy(s[0].c, &c->of[0][p], sizeof s[0].c);
		memcpy(s[1].c, &c->of[1][p], sizeof s[1].c);
		group_plain(exact_sums, k, (const float (*)[GROUP_PLACES])&x->tile.a[0][p], (const float (*)[GROUP_COLUMNS])&x->tile.b[0][at], s);
		memcpy(&d->of[0][p], s[0].d, sizeof s[0].d);
		memcpy(&d->of[1][p], s[1].d, sizeof s[1].d);
	}
}

GROUP_INLINE tensor_floats one_by_one(tensor_floats f)
{
	for (unsigned i = 0; i < TENSOR_WIDE; i++)
		f[i] = softfp_f16_to_f32(softfp_f32_to_f16(f[i]));
	return f;
}

// What fma gives as numbers of the result's type, with the one NaN that tensor cores have.
static void settle_values(struct columns *d, bool half)
{
	float *v = d->of[0];
	for (unsigned p = 0; p < 2 * GROUP_PLACES; p += TENSOR_WIDE) {
		const tensor_ints bits = GROUP_LOAD(tensor_ints, v + p), nan = (bits & INT32_MAX) > (int32_t)0x7f800000;
		tensor_floats f = (tensor_floats)tensor_pick(nan, (tensor_ints){0} + (int32_t)SOFTFP_NAN32, bits);
		if (half)
			f = tensor_any(nan) ? one_by_one(f) : group_nearest_f16(f);
		GROUP_PUT(v + p, f);
	}
}

// Whether no product of the tile leaves the range in which f32 has it exactly.
static bool exact(const struct job *x, int least, int most)
{
	return x->a_most + most <= 125 && x->a_least + least >= -126;
}

// Inlined with constants for the type.
GROUP_INLINE void float_product(struct job *x, enum tensor_type a, enum tensor_type b)
{
	const struct tensor_wgmma *t = x->t;
	const bool half = t->d == TENSOR_F16;
	const unsigned block = t->rule.block < x->stored ? t->rule.block : x->stored, len = t->sparse ? 2 * block : block;
	const unsigned at_once = t->rule.fraction > 20 ? t->sparse ? 32 : 16 : GROUP_MAX_K;
	_Alignas(64) uint32_t raw[MAX_STORED][GROUP_ROWS];
	if (!elements_of_a(x, raw))
		return;
	float_a(x, a, raw);
	for (unsigned from = 0; from < t->n; from += GROUP_COLUMNS) {
		const unsigned columns = t->n - from < GROUP_COLUMNS ? t->n - from : GROUP_COLUMNS;
		struct range r;
		int least, most;
		if (!float_b(x, b, from, columns, false, &r))
			return;
		ends(r.least, r.most, &least, &most);
		const bool special = x->a_special || r.special;
		const bool quick = t->rule.plain ? !special || !t->sparse : !special && exact(x, least, most);
		for (unsigned j = 0; j < columns; j += PER_COLUMNS) {
			struct columns c, d;
			const unsigned group = (from + j) / PER_COLUMNS;
			read_c(x, group, half, &c);
			if (quick && t->rule.plain)
				by_fma(x, false, x->k, j, &c, &d);
			else if (!quick || !(half ? by_rule(x, j, true, len, at_once, &c, &d) : by_rule(x, j, false, len, at_once, &c, &d)))
				carefully(x, j, half, &c, &d);
			if (t->rule.plain)
				settle_values(&d, half);
			write_d(x, group, half, &d);
		}
	}
}

#ifdef __FMA__
// By fma alone, of a matrix whose elements are all stored. `n` halves of four columns of 32 bits go from registers to registers.
GROUP_INLINE void plain_columns(const struct job *x, unsigned half, unsigned n, unsigned at)
{
	enum { MOST = 4 };
	uint8_t *fp = x->fp;
	const struct tensor_wgmma *t = x->t;
	for (unsigned p = 0; p < GROUP_PLACES; p += GROUP_BLOCK) {
		group_floats s[MOST][GROUP_VECTORS];
		for (unsigned h = 0; h < n; h++)
			for (unsigned v = 0; v < GROUP_VECTORS; v++) {
				const unsigned place = p + v * GROUP_LANES, of = (half + h) / 2 * 4 + place / WARP * 2 + h % 2;
				const group_floats c = GROUP_LOAD(group_floats, ROW(const float, t->row_c[of]) + place % WARP);
				s[h][v] = x->add ? c : (group_floats){0};
			}
		for (unsigned k = 0; k < x->k; k++)
			for (unsigned v = 0; v < GROUP_VECTORS; v++) {
				const group_floats row = GROUP_LOAD(group_floats, &x->tile.a[k][p + v * GROUP_LANES]);
				for (unsigned h = 0; h < n; h++)
					s[h][v] = group_fma(row, group_columns(&x->tile.b[k][at + h * GROUP_HALF]), s[h][v]);
			}
		for (unsigned h = 0; h < n; h++)
			for (unsigned v = 0; v < GROUP_VECTORS; v++) {
				const unsigned place = p + v * GROUP_LANES, of = (half + h) / 2 * 4 + place / WARP * 2 + h % 2;
				const group_ints nan = s[h][v] != s[h][v];
				GROUP_PUT(ROW(float, t->row_d[of]) + place % WARP, ((group_ints)s[h][v] & ~nan) | (nan & (int32_t)SOFTFP_NAN32));
			}
	}
}

#endif

GROUP_INLINE void plain_product(struct job *x, enum tensor_type a, enum tensor_type b)
{
	const bool half = x->t->d == TENSOR_F16;
	_Alignas(64) uint32_t raw[MAX_STORED][GROUP_ROWS];
	struct range unused;
	if (!elements_of_a(x, raw))
		return;
	plain_a(x, a, raw);
	for (unsigned from = 0; from < x->t->n; from += GROUP_COLUMNS) {
		const unsigned columns = x->t->n - from < GROUP_COLUMNS ? x->t->n - from : GROUP_COLUMNS;
		if (!float_b(x, b, from, columns, true, &unused))
			return;
		unsigned j = 0;
#ifdef __FMA__
		if (!half) {
#ifdef __AVX512F__
			for (; j + 2 * PER_COLUMNS <= columns; j += 2 * PER_COLUMNS)
				plain_columns(x, (from + j) / GROUP_HALF, 4, j);
#endif
			for (; j < columns; j += PER_COLUMNS)
				plain_columns(x, (from + j) / GROUP_HALF, 2, j);
		}
#endif
		for (; j < columns; j += PER_COLUMNS) {
			struct columns c, d;
			read_c(x, (from + j) / PER_COLUMNS, half, &c);
			by_fma(x, false, x->k, j, &c, &d);
			settle_values(&d, half);
			write_d(x, (from + j) / PER_COLUMNS, half, &d);
		}
	}
}

// False if there is nothing to do, also after a fault.
static bool begin(struct job *x, uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w)
{
	const struct tensor_wgmma *t = product_of(u);
	if (!whole_group(u, mask, w))
		return false;
	exec_group_product(w, t->closes);
	if (t->nothing)
		return false;
	x->t = t, x->u = u, x->w = w, x->fp = fp;
	x->k = t->k;
	x->stored = wgmma_stored(t);
	x->add = !t->scale || ((PRED(t->scale) & 1) != 0) != t->scale_neg;
	x->a_special = false;
	x->b = smem_matrix_of(descriptor(fp, t, t->desc_b));
	return true;
}

// `product` for the types of A and B, which are constants of each.
#define BY_TYPES(product, x)                                                                        \
	do {                                                                                        \
		const bool e4m3_b = (x)->t->b == TENSOR_E4M3;                                       \
		switch ((x)->t->a) {                                                                \
		case TENSOR_F16: product(x, TENSOR_F16, TENSOR_F16); break;                         \
		case TENSOR_BF16: product(x, TENSOR_BF16, TENSOR_BF16); break;                      \
		case TENSOR_TF32: product(x, TENSOR_TF32, TENSOR_TF32); break;                      \
		case TENSOR_E4M3:                                                                   \
			if (e4m3_b)                                                                 \
				product(x, TENSOR_E4M3, TENSOR_E4M3);                               \
			else                                                                        \
				product(x, TENSOR_E4M3, TENSOR_E5M2);                               \
			break;                                                                      \
		default:                                                                            \
			if (e4m3_b)                                                                 \
				product(x, TENSOR_E5M2, TENSOR_E4M3);                               \
			else                                                                        \
				product(x, TENSOR_E5M2, TENSOR_E5M2);                               \
		}                                                                                   \
	} while (0)

static void plain_products(struct job *x) { BY_TYPES(plain_product, x); }
static void float_products(struct job *x) { BY_TYPES(float_product, x); }

BODY(wgmma_float)
{
	struct job x;
	if (!begin(&x, fp, u, mask, w))
		return;
	if (x.t->rule.plain && !x.t->sparse)
		plain_products(&x);
	else
		float_products(&x);
}

// --- integers

static inline float integer(uint32_t bits, bool is_signed) { return is_signed ? (float)(int8_t)bits : (float)(uint8_t)bits; }

static inline int32_t clamped(int64_t v) { return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (int32_t)v; }

static void add_integers(const struct job *x, const struct columns *c, struct columns *d)
{
	for (unsigned odd = 0; odd < 2; odd++)
		for (unsigned p = 0; p < GROUP_PLACES; p++) {
			const int32_t sum = (int32_t)d->of[odd][p], before = (int32_t)softfp_bits_f32(c->of[odd][p]);
			const uint32_t wrapped = (uint32_t)before + (uint32_t)sum;
			d->of[odd][p] = softfp_f32(x->t->satfinite ? (uint32_t)clamped((int64_t)before + sum) : wrapped);
		}
}

static void int_a(struct job *x, uint32_t (*raw)[GROUP_ROWS])
{
	static const int32_t none[MAX_STORED][GROUP_ROWS];
	for (unsigned k = 0; k < x->stored; k++)
		for (unsigned i = 0; i < GROUP_ROWS; i++)
			x->stored_a[k][i] = integer(raw[k][i], x->t->a == TENSOR_S8);
	places_of_a(x);
	tile_a(x, none);
}

static bool int_b(struct job *x, unsigned from, unsigned columns)
{
	_Alignas(64) uint32_t words[MAX_WORDS][GROUP_COLUMNS];
	const bool is_signed = x->t->b == TENSOR_S8;
	if (!words_of_b(x, from, columns, words))
		return false;
	for (unsigned k = 0; k < x->k; k++)
		for (unsigned j = 0; j < columns; j += TENSOR_WIDE) {
			const tensor_words w = GROUP_LOAD(tensor_words, &words[k / 4][j]) << (24 - k % 4 * 8);
			const tensor_ints v = is_signed ? (tensor_ints)w >> 24 : (tensor_ints)(w >> 24);
			GROUP_PUT(&x->tile.b[k][j], __builtin_convertvector(v, tensor_floats));
		}
	return true;
}

// Sums of up to 32 products of 8 bits are exact in f32.
BODY(wgmma_int)
{
	static const struct columns zero;
	struct job x;
	_Alignas(64) uint32_t raw[MAX_STORED][GROUP_ROWS];
	if (!begin(&x, fp, u, mask, w) || !elements_of_a(&x, raw))
		return;
	int_a(&x, raw);
	for (unsigned from = 0; from < x.t->n; from += GROUP_COLUMNS) {
		const unsigned columns = x.t->n - from < GROUP_COLUMNS ? x.t->n - from : GROUP_COLUMNS;
		if (!int_b(&x, from, columns))
			return;
		for (unsigned j = 0; j < columns; j += PER_COLUMNS) {
			struct columns c, d;
			read_c(&x, (from + j) / PER_COLUMNS, false, &c);
			by_fma(&x, true, x.k, j, &zero, &d);
			add_integers(&x, &c, &d);
			write_d(&x, (from + j) / PER_COLUMNS, false, &d);
		}
	}
}

// Single bits, counted where a and b are both 1.
BODY(wgmma_bits)
{
	struct job x;
	_Alignas(64) uint32_t raw[MAX_STORED][GROUP_ROWS];
	if (!begin(&x, fp, u, mask, w))
		return;
	x.stored = 0;
	if (!elements_of_a(&x, raw))
		return;
	for (unsigned from = 0; from < x.t->n; from += GROUP_COLUMNS) {
		const unsigned columns = x.t->n - from < GROUP_COLUMNS ? x.t->n - from : GROUP_COLUMNS;
		_Alignas(64) uint32_t words[MAX_WORDS][GROUP_COLUMNS];
		if (!words_of_b(&x, from, columns, words))
			return;
		for (unsigned j = 0; j < columns; j += PER_COLUMNS) {
			struct columns c, d;
			read_c(&x, (from + j) / PER_COLUMNS, false, &c);
			for (unsigned p = 0; p < 2 * GROUP_PLACES; p++) {
				const unsigned odd = p / GROUP_PLACES, i = p % GROUP_PLACES / GROUP_HALF;
				uint32_t n = 0;
				for (unsigned k = 0; k < WGMMA_A_WORDS; k++)
					n += (uint32_t)__builtin_popcount(x.words_a[k][i] & words[k][j + odd * GROUP_HALF + p % GROUP_HALF]);
				d.of[odd][p % GROUP_PLACES] = softfp_f32(softfp_bits_f32(c.of[odd][p % GROUP_PLACES]) + n);
			}
			write_d(&x, (from + j) / PER_COLUMNS, false, &d);
		}
	}
}

extern const struct exec_body EXEC_TABLE(wgmma)[];
const struct exec_body EXEC_TABLE(wgmma)[] = {
	{"wgmma.float", wgmma_float},
	{"wgmma.int", wgmma_int},
	{"wgmma.bits", wgmma_bits},
	{0},
};
