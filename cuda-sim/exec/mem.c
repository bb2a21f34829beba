// Loads and stores. A body resolves the addresses of its space (mem_access.h), then one of a few data movers copies
// between memory and rows; movers do not know the space, except that local memory has its own layout.
#include "cuda-sim/exec/mem_access.h"

// Fills acc->adr with the addresses of the lanes in `mask`; lanes outside get the address of the first lane inside, so
// that what follows may look at all 32.
static inline uint64_t fetch_addr(const uint8_t *fp, const struct uop *u, uint32_t mask, uint64_t *restrict adr)
{
	uint64_t imm = (uint64_t)u->imm;

	if (u->flags & UOP_ADDR64) {
		const uint64_t *a = ROW(const uint64_t, u->a);
		uint64_t first = a[__builtin_ctz(mask)] + imm;

		if (mask == FULL_MASK) {
			for (unsigned i = 0; i < WARP; i++)
				adr[i] = a[i] + imm;
		} else {
			for (unsigned i = 0; i < WARP; i++)
				adr[i] = mask >> i & 1 ? a[i] + imm : first;
		}
		return first;
	}
	const uint32_t *a = ROW(const uint32_t, u->a);
	uint64_t first = a[__builtin_ctz(mask)] + imm;

	for (unsigned i = 0; i < WARP; i++)
		adr[i] = mask >> i & 1 ? a[i] + imm : first;
	return first;
}

// Checks global addresses fetched by fetch_addr and finds their pattern.
static inline bool check_global(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w, unsigned shift,
                                bool write, struct access *acc, uint64_t first)
{
	const uint64_t *adr = acc->adr;
	struct devmem_hit *hit = &w->cta->hit;
	unsigned fl = (unsigned)__builtin_ctz(mask), ll = 31u - (unsigned)__builtin_clz(mask);
	uint64_t lane0 = first - ((uint64_t)fl << shift);
	uint64_t same = 0, unit = 0, bits = 0, lo, hi;

	if (mask == FULL_MASK) {
		for (unsigned i = 0; i < WARP; i++) {
			same |= adr[i] ^ first;
			unit |= adr[i] ^ (lane0 + ((uint64_t)i << shift));
			bits |= adr[i];
		}
	} else {
		for (unsigned i = 0; i < WARP; i++) {
			same |= adr[i] ^ first;
			unit |= mask >> i & 1 ? adr[i] ^ (lane0 + ((uint64_t)i << shift)) : 0;
			bits |= adr[i];
		}
	}
	acc->mask = mask;
	acc->local = acc->shared = false;
	acc->stride = 1u << shift;
	if (!unit) {
		acc->shape = ACCESS_UNIT;
		acc->base = (uint8_t *)lane0;
		lo = first;
		hi = first + ((uint64_t)(ll - fl) << shift);
	} else if (!same) {
		acc->shape = ACCESS_UNIFORM;
		acc->base = (uint8_t *)first;
		lo = hi = first;
	} else {
		acc->shape = ACCESS_SCATTER;
		lo = hi = first;
		for (unsigned i = 0; i < WARP; i++) {
			lo = adr[i] < lo ? adr[i] : lo;
			hi = adr[i] > hi ? adr[i] : hi;
		}
	}
	// hi + bytes may wrap to a small number: then lo > hi, which devmem_holds refuses.
	if (!(bits & ((1u << shift) - 1)) && devmem_holds(w->cta->launch->mem, hit, lo, hi + (1u << shift)) &&
	    !(write && hit->kind == DEVMEM_CONST))
		return true;
	return exec_check_global(w, fp, u, mask, 1u << shift, write);
}

bool access_global(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w, unsigned shift, bool write,
                   struct access *acc)
{
	return check_global(fp, u, mask, w, shift, write, acc, fetch_addr(fp, u, mask, acc->adr));
}

// Offsets into a space of its own: those of the lanes outside `mask` are those of its first lane. False if one does
// not fit 32 bits.
static inline bool fetch_offset(const uint8_t *fp, const struct uop *u, uint32_t mask, uint64_t window,
                                uint32_t *restrict off)
{
	if (!window && !(u->flags & UOP_ADDR64)) {
		const uint32_t *a = ROW(const uint32_t, u->a);
		uint32_t imm = (uint32_t)u->imm;

		if (mask == FULL_MASK) {
			for (unsigned i = 0; i < WARP; i++)
				off[i] = a[i] + imm;
		} else {
			uint32_t first = a[__builtin_ctz(mask)] + imm;

			for (unsigned i = 0; i < WARP; i++)
				off[i] = mask >> i & 1 ? a[i] + imm : first;
		}
		return true;
	}
	_Alignas(64) uint64_t adr[WARP];
	uint64_t over = 0;

	fetch_addr(fp, u, mask, adr);
	for (unsigned i = 0; i < WARP; i++) {
		over |= adr[i] - window;
		off[i] = (uint32_t)(adr[i] - window);
	}
	return !(over >> 32);
}

// What the offsets of a space have in common.
struct offsets {
	uint32_t first, same, unit, max, bits;
};

static inline struct offsets look_at(const uint32_t *off, uint32_t mask, unsigned shift)
{
	unsigned fl = (unsigned)__builtin_ctz(mask);
	uint32_t first = off[fl], lane0 = first - (fl << shift);
	uint32_t same = 0, unit = 0, max = 0, bits = 0;

	for (unsigned i = 0; i < WARP; i++) {
		uint32_t o = off[i];

		same |= o ^ first;
		bits |= o;
		max = o > max ? o : max;
	}
	if (mask == FULL_MASK) {
		for (unsigned i = 0; i < WARP; i++)
			unit |= off[i] ^ (lane0 + (i << shift));
	} else {
		for (unsigned i = 0; i < WARP; i++)
			unit |= mask >> i & 1 ? off[i] ^ (lane0 + (i << shift)) : 0;
	}
	return (struct offsets){first, same, unit, max, bits};
}

// A linear space of `size` bytes at `mem`.
static inline bool access_linear(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w, unsigned shift,
                                 bool write, struct access *acc, enum isa_space space, uint64_t window, uint8_t *mem,
                                 uint32_t size)
{
	_Alignas(64) uint32_t off[WARP];
	uint32_t bytes = 1u << shift;

	if (!fetch_offset(fp, u, mask, window, off))
		return exec_check_window(w, fp, u, mask, bytes, write, space, window, size);

	struct offsets o = look_at(off, mask, shift);

	if ((o.bits & (bytes - 1)) || size < bytes || o.max > size - bytes)
		return exec_check_window(w, fp, u, mask, bytes, write, space, window, size);
	acc->mask = mask;
	acc->local = false;
	acc->shared = space == SPACE_SHARED;
	acc->stride = bytes;
	if (!o.same) {
		acc->shape = ACCESS_UNIFORM;
		acc->base = mem + o.first;
	} else if (!o.unit) {
		acc->shape = ACCESS_UNIT;
		acc->base = mem + o.first - ((uint32_t)__builtin_ctz(mask) << shift);
	} else {
		acc->shape = ACCESS_SCATTER;
		for (unsigned i = 0; i < WARP; i++)
			acc->adr[i] = (uint64_t)mem + off[i];
	}
	return true;
}

static inline bool access_shared_at(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w, unsigned shift,
                                    bool write, struct access *acc, uint64_t window)
{
	return access_linear(fp, u, mask, w, shift, write, acc, SPACE_SHARED, window, w->cta->shared,
	                     w->cta->shared_size);
}

bool access_shared(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w, unsigned shift, bool write,
                   struct access *acc)
{
	return access_shared_at(fp, u, mask, w, shift, write, acc, 0);
}

static bool access_param(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w, unsigned shift, bool write,
                         struct access *acc)
{
	const struct kernel_launch *l = w->cta->launch;

	return access_linear(fp, u, mask, w, shift, write, acc, SPACE_PARAM, 0, (uint8_t *)l->params, l->info->param_bytes);
}

static inline bool access_local_at(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w, unsigned shift,
                                   bool write, struct access *acc, uint64_t window)
{
	_Alignas(64) uint32_t off[WARP];
	uint32_t bytes = 1u << shift, size = w->cta->local_size;

	if (!fetch_offset(fp, u, mask, window, off))
		return exec_check_window(w, fp, u, mask, bytes, write, SPACE_LOCAL, window, size);

	struct offsets o = look_at(off, mask, shift);

	if ((o.bits & (bytes - 1)) || size < bytes || o.max > size - bytes)
		return exec_check_window(w, fp, u, mask, bytes, write, SPACE_LOCAL, window, size);
	acc->mask = mask;
	acc->local = true;
	acc->shared = false;
	acc->stride = 4;
	if (!o.same) {
		acc->shape = ACCESS_UNIT;
		acc->base = w->local + (uint64_t)(o.first >> 2) * (4 * WARP) + (o.first & 3);
	} else {
		acc->shape = ACCESS_SCATTER;
		for (unsigned i = 0; i < WARP; i++)
			acc->adr[i] = (uint64_t)w->local + (uint64_t)(off[i] >> 2) * (4 * WARP) + 4 * i + (off[i] & 3);
	}
	return true;
}

static bool access_local(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w, unsigned shift, bool write,
                         struct access *acc)
{
	return access_local_at(fp, u, mask, w, shift, write, acc, 0);
}

// The window an address lies in, by its high bits; what lies above both windows is left to the global check to refuse.
enum { CLASS_SHARED = SHARED_WINDOW >> 48, CLASS_LOCAL = LOCAL_WINDOW >> 48 };

static bool access_class(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w, unsigned shift, bool write,
                         struct access *acc, uint64_t cls)
{
	switch (cls) {
	case CLASS_SHARED:
		return access_shared_at(fp, u, mask, w, shift, write, acc, SHARED_WINDOW);
	case CLASS_LOCAL:
		return access_local_at(fp, u, mask, w, shift, write, acc, LOCAL_WINDOW);
	default:
		return access_global(fp, u, mask, w, shift, write, acc);
	}
}

unsigned access_generic(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w, unsigned shift, bool write,
                        struct access acc[ACCESS_PARTS])
{
	uint64_t first = fetch_addr(fp, u, mask, acc->adr), differ = 0;

	for (unsigned i = 0; i < WARP; i++)
		differ |= acc->adr[i] ^ first;
	if (!(differ >> 48)) {
		if (first >> 48 == 0)
			return check_global(fp, u, mask, w, shift, write, acc, first);
		return access_class(fp, u, mask, w, shift, write, acc, first >> 48);
	}

	uint32_t part[ACCESS_PARTS] = {0};
	unsigned n = 0;

	EACH(i) {
		uint64_t cls = acc->adr[i] >> 48;

		part[cls == CLASS_SHARED || cls == CLASS_LOCAL ? cls : 0] |= 1u << i;
	}
	for (unsigned k = 0; k < ACCESS_PARTS; k++)
		if (part[k] && !access_class(fp, u, part[k], w, shift, write, &acc[n++], k))
			return 0;
	return n;
}

struct b128 {
	uint64_t half[2];
};

// Kinds of elements. X(kind, memory type, row type, log2 of bytes)
#define WORD_KINDS(X)                     \
	X(u8, uint8_t, uint32_t, 0)       \
	X(s8, int8_t, int32_t, 0)         \
	X(u16, uint16_t, uint32_t, 1)     \
	X(s16, int16_t, int32_t, 1)       \
	X(b32, uint32_t, uint32_t, 2)
#define VECTOR_KINDS(X) WORD_KINDS(X) X(b64, uint64_t, uint64_t, 3)
#define KINDS(X)        VECTOR_KINDS(X) X(b128, struct b128, struct b128, 4)

// Element k of an access in local memory, for each kind. Words of one lane are WARP words apart.
#define LOCAL_AT(p, byte) ((p) + ((byte) >> 2) * (4 * WARP) + ((byte) & 3))
#define LOCAL_WORD(p, k)  (*(uint32_t *)LOCAL_AT(p, 4 * (k)))

#define X(kind, M, R, shift) \
	static inline R local_get_##kind(const uint8_t *p, unsigned k) { return (R) * (const M *)LOCAL_AT(p, k << (shift)); } \
	static inline void local_put_##kind(uint8_t *p, unsigned k, R v) { *(M *)LOCAL_AT(p, k << (shift)) = (M)v; }
WORD_KINDS(X)
#undef X

static inline uint64_t local_get_b64(const uint8_t *p, unsigned k)
{
	return LOCAL_WORD(p, 2 * k) | (uint64_t)LOCAL_WORD(p, 2 * k + 1) << 32;
}

static inline void local_put_b64(uint8_t *p, unsigned k, uint64_t v)
{
	LOCAL_WORD(p, 2 * k) = (uint32_t)v;
	LOCAL_WORD(p, 2 * k + 1) = (uint32_t)(v >> 32);
}

static inline struct b128 local_get_b128(const uint8_t *p, unsigned k)
{
	return (struct b128){{local_get_b64(p, 2 * k), local_get_b64(p, 2 * k + 1)}};
}

static inline void local_put_b128(uint8_t *p, unsigned k, struct b128 v)
{
	local_put_b64(p, 2 * k, v.half[0]);
	local_put_b64(p, 2 * k + 1, v.half[1]);
}

// The data movers: get_KIND_N and put_KIND_N for linear memory, lget_ and lput_ for local memory; N elements a lane.
#define MOVER(name) static void name(uint8_t *restrict fp, const struct uop *restrict u, const struct access *restrict acc)
#define DEST(R, n)  R *row[n]; for (unsigned k = 0; k < (n); k++) row[k] = ROW(R, (n) == 1 ? u->d : u->x[k])
#define SRC(R, n)   const R *row[n]; for (unsigned k = 0; k < (n); k++) row[k] = ROW(const R, (n) == 1 ? u->b : u->x[k])

#define MOVERS(kind, M, R, n)                                                                          \
	MOVER(get_##kind##_##n)                                                                        \
	{                                                                                              \
		const uint32_t mask = acc->mask;                                                       \
		DEST(R, n);                                                                            \
		if (mask != FULL_MASK) {                                                               \
			EACH(i) {                                                                      \
				const M *p = (const M *)access_lane(acc, i);                           \
				for (unsigned k = 0; k < (n); k++)                                     \
					row[k][i] = (R)p[k];                                           \
			}                                                                              \
		} else if (acc->shape == ACCESS_UNIT) {                                                \
			const M *p = (const M *)acc->base;                                             \
			EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)                                \
				for (unsigned k = 0; k < (n); k++)                                     \
					row[k][i] = (R)p[i * (n) + k];                                 \
		} else if (acc->shape == ACCESS_UNIFORM) {                                             \
			for (unsigned k = 0; k < (n); k++) {                                           \
				R v = (R)((const M *)acc->base)[k], *r = row[k];                       \
				EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)                        \
					r[i] = v;                                                      \
			}                                                                              \
		} else {                                                                               \
			for (unsigned i = 0; i < WARP; i++) {                                          \
				const M *p = (const M *)acc->adr[i];                                   \
				for (unsigned k = 0; k < (n); k++)                                     \
					row[k][i] = (R)p[k];                                           \
			}                                                                              \
		}                                                                                      \
	}                                                                                              \
	MOVER(put_##kind##_##n)                                                                        \
	{                                                                                              \
		const uint32_t mask = acc->mask;                                                       \
		SRC(R, n);                                                                             \
		if (acc->shape == ACCESS_UNIFORM) { /* the last lane wins */                           \
			unsigned i = 31u - (unsigned)__builtin_clz(mask);                              \
			for (unsigned k = 0; k < (n); k++)                                             \
				((M *)acc->base)[k] = (M)row[k][i];                                    \
		} else if (mask != FULL_MASK) {                                                        \
			EACH(i) {                                                                      \
				M *p = (M *)access_lane(acc, i);                                       \
				for (unsigned k = 0; k < (n); k++)                                     \
					p[k] = (M)row[k][i];                                           \
			}                                                                              \
		} else if (acc->shape == ACCESS_UNIT) {                                                \
			M *p = (M *)acc->base;                                                         \
			EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)                                \
				for (unsigned k = 0; k < (n); k++)                                     \
					p[i * (n) + k] = (M)row[k][i];                                 \
		} else {                                                                               \
			for (unsigned i = 0; i < WARP; i++) {                                          \
				M *p = (M *)acc->adr[i];                                               \
				for (unsigned k = 0; k < (n); k++)                                     \
					p[k] = (M)row[k][i];                                           \
			}                                                                              \
		}                                                                                      \
	}                                                                                              \
	MOVER(lget_##kind##_##n)                                                                       \
	{                                                                                              \
		const uint32_t mask = acc->mask;                                                       \
		DEST(R, n);                                                                            \
		if (mask == FULL_MASK && acc->shape == ACCESS_UNIT) {                                  \
			EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)                                \
				for (unsigned k = 0; k < (n); k++)                                     \
					row[k][i] = local_get_##kind(acc->base + 4 * i, k);            \
		} else {                                                                               \
			EACH(i) {                                                                      \
				const uint8_t *p = access_lane(acc, i);                                \
				for (unsigned k = 0; k < (n); k++)                                     \
					row[k][i] = local_get_##kind(p, k);                            \
			}                                                                              \
		}                                                                                      \
	}                                                                                              \
	MOVER(lput_##kind##_##n)                                                                       \
	{                                                                                              \
		const uint32_t mask = acc->mask;                                                       \
		SRC(R, n);                                                                             \
		if (mask == FULL_MASK && acc->shape == ACCESS_UNIT) {                                  \
			EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)                                \
				for (unsigned k = 0; k < (n); k++)                                     \
					local_put_##kind(acc->base + 4 * i, k, row[k][i]);             \
		} else {                                                                               \
			EACH(i) {                                                                      \
				uint8_t *p = access_lane(acc, i);                                      \
				for (unsigned k = 0; k < (n); k++)                                     \
					local_put_##kind(p, k, row[k][i]);                             \
			}                                                                              \
		}                                                                                      \
	}

// The bodies of one kind and width: a load and a store for each space. Stores take no signed kind: they narrow.
#define BODY_LD(space, kind, n, log2)                                                  \
	BODY(ld_##space##_##kind##_##n)                                                \
	{                                                                              \
		struct access acc;                                                     \
		if (access_##space(fp, u, mask, w, log2, false, &acc))                 \
			get_##kind##_##n(fp, u, &acc);                                 \
	}
#define BODY_ST(space, kind, n, log2)                                                  \
	BODY(st_##space##_##kind##_##n)                                                \
	{                                                                              \
		struct access acc;                                                     \
		if (access_##space(fp, u, mask, w, log2, true, &acc))                  \
			put_##kind##_##n(fp, u, &acc);                                 \
	}
#define BODIES(kind, n, log2)                                                          \
	BODY_LD(global, kind, n, log2)                                                 \
	BODY_LD(shared, kind, n, log2)                                                 \
	BODY_LD(param, kind, n, log2)                                                  \
	BODY_ST(global, kind, n, log2)                                                 \
	BODY_ST(shared, kind, n, log2)                                                 \
	BODY(ld_local_##kind##_##n)                                                    \
	{                                                                              \
		struct access acc;                                                     \
		if (access_local(fp, u, mask, w, log2, false, &acc))                   \
			lget_##kind##_##n(fp, u, &acc);                                \
	}                                                                              \
	BODY(st_local_##kind##_##n)                                                    \
	{                                                                              \
		struct access acc;                                                     \
		if (access_local(fp, u, mask, w, log2, true, &acc))                    \
			lput_##kind##_##n(fp, u, &acc);                                \
	}                                                                              \
	BODY(ld_generic_##kind##_##n)                                                  \
	{                                                                              \
		struct access acc[ACCESS_PARTS];                                       \
		unsigned parts = access_generic(fp, u, mask, w, log2, false, acc);     \
		for (unsigned k = 0; k < parts; k++)                                   \
			(acc[k].local ? lget_##kind##_##n : get_##kind##_##n)(fp, u, &acc[k]); \
	}                                                                              \
	BODY(st_generic_##kind##_##n)                                                  \
	{                                                                              \
		struct access acc[ACCESS_PARTS];                                       \
		unsigned parts = access_generic(fp, u, mask, w, log2, true, acc);      \
		for (unsigned k = 0; k < parts; k++)                                   \
			(acc[k].local ? lput_##kind##_##n : put_##kind##_##n)(fp, u, &acc[k]); \
	}

#define X(kind, M, R, log2) MOVERS(kind, M, R, 1) BODIES(kind, 1, log2)
KINDS(X)
#undef X
#define X(kind, M, R, log2) MOVERS(kind, M, R, 2) BODIES(kind, 2, (log2) + 1)
VECTOR_KINDS(X)
#undef X
#define X(kind, M, R, log2) MOVERS(kind, M, R, 4) BODIES(kind, 4, (log2) + 2)
VECTOR_KINDS(X)
#undef X

// prefetch, discard and the like only advise the caches.
BODY(nothing)
{
}

// Type suffixes and the kind that moves them.
#define LD_TYPES(X, ...)                                                                           \
	X("u8", u8, __VA_ARGS__) X("s8", s8, __VA_ARGS__) X("b8", u8, __VA_ARGS__)                 \
	X("u16", u16, __VA_ARGS__) X("s16", s16, __VA_ARGS__) X("b16", u16, __VA_ARGS__)           \
	X("f16", u16, __VA_ARGS__) X("bf16", u16, __VA_ARGS__)                                     \
	X("u32", b32, __VA_ARGS__) X("s32", b32, __VA_ARGS__) X("b32", b32, __VA_ARGS__)           \
	X("f32", b32, __VA_ARGS__) X("f16x2", b32, __VA_ARGS__) X("bf16x2", b32, __VA_ARGS__)      \
	X("u64", b64, __VA_ARGS__) X("s64", b64, __VA_ARGS__) X("b64", b64, __VA_ARGS__)           \
	X("f64", b64, __VA_ARGS__)

#define LD_ROW(type, kind, prefix, space, n) {"ld." prefix type, ld_##space##_##kind##_##n},
#define ST_ROW(type, kind, prefix, space, n) {"st." prefix type, st_##space##_##kind##_##n},
#define ALL_WIDTHS(ROW_, prefix, space)         \
	LD_TYPES(ROW_, prefix, space, 1)        \
	LD_TYPES(ROW_, prefix "v2.", space, 2)  \
	LD_TYPES(ROW_, prefix "v4.", space, 4)  \
	ROW_("b128", b128, prefix, space, 1)

const struct exec_body EXEC_TABLE(mem)[] = {
	ALL_WIDTHS(LD_ROW, "global.", global)
	ALL_WIDTHS(LD_ROW, "const.", global)
	ALL_WIDTHS(LD_ROW, "shared.", shared)
	ALL_WIDTHS(LD_ROW, "local.", local)
	ALL_WIDTHS(LD_ROW, "param.", param)
	ALL_WIDTHS(LD_ROW, "", generic)
	ALL_WIDTHS(ST_ROW, "global.", global)
	ALL_WIDTHS(ST_ROW, "shared.", shared)
	ALL_WIDTHS(ST_ROW, "local.", local)
	ALL_WIDTHS(ST_ROW, "", generic)
	{"prefetch*", nothing},
	{"applypriority*", nothing},
	{"discard*", nothing},
	{"membar*", nothing},
	{"fence*", nothing},
	{"griddepcontrol*", nothing},
	{"nanosleep*", nothing},
	{"pmevent*", nothing},
	{0},
};
