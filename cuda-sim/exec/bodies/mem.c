// Loads and stores. A body resolves the addresses of its space (access.h), then one of a few data movers copies
// between memory and rows; movers do not know the space, except that local memory has its own layout.
#include "cuda-sim/exec/bodies/access.h"
#include "cuda-sim/exec/bodies/gather.h"
#include "cuda-sim/exec/cluster.h"

// Lane numbers as offsets: what lane i is expected at.
#define LANE_AT(i, shift) ((i) << (shift))

// The mask as 32 lanes of 64 bits.
static inline void expand64(uint64_t *restrict m, uint32_t mask)
{
	for (unsigned i = 0; i < WARP; i++)
		m[i] = (uint64_t)-(int64_t)(mask >> i & 1);
}

// Fills `adr` with the addresses of the lanes in `mask`; lanes outside get the address of the first lane inside, so
// that what follows may look at all 32. Returns that address.
static inline uint64_t fetch_addr(const uint8_t *restrict fp, const struct uop *restrict u, uint32_t mask,
                                  uint64_t *restrict adr)
{
	const uint64_t imm = (uint64_t)u->imm;

	if (u->flags & UOP_ADDR64) {
		const uint64_t *a = ROW(const uint64_t, u->a);

		EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)
			adr[i] = a[i] + imm;
	} else {
		const uint32_t *a = ROW(const uint32_t, u->a);

		EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)
			adr[i] = a[i] + imm;
	}

	const uint64_t first = adr[__builtin_ctz(mask)];

	if (mask != FULL_MASK) {
		_Alignas(64) uint64_t in[WARP];

		expand64(in, mask);
		EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)
			adr[i] = (adr[i] & in[i]) | (first & ~in[i]);
	}
	return first;
}

// Checks global addresses fetched by fetch_addr and finds their pattern.
static inline bool check_global(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w, unsigned shift,
                                bool write, struct access *acc, uint64_t first)
{
	struct devmem_hit *hit = exec_hit(w, u);
	const uint64_t *adr = acc->adr, bytes = (uint64_t)1 << shift;

	acc->mask = mask;
	acc->local = acc->shared = false;
	acc->shape = ACCESS_SCATTER;
	if (!devmem_holds(w->cta->launch->mem, hit, first, first + bytes) || (write && hit->kind == DEVMEM_CONST))
		return exec_check_global(w, fp, u, mask, 1u << shift, write, acc->adr);

	// Lane addresses are in the allocation of the first lane if `at` is in [0, limit]; allocations are smaller than
	// 2^63, so the sign bits of `at` and `limit - at` tell.
	const uint64_t base = hit->base, limit = hit->end - base - bytes;
	uint64_t same = 0, bits = 0, out = 0;

	for (unsigned i = 0; i < WARP; i++) {
		const uint64_t at = adr[i] - base;

		out |= at | (limit - at);
		same |= adr[i] ^ first;
		bits |= adr[i];
	}
	if ((bits & (bytes - 1)) || out >> 63)
		return exec_check_global(w, fp, u, mask, 1u << shift, write, acc->adr);
	if (!same) {
		acc->shape = ACCESS_UNIFORM;
		acc->base = (uint8_t *)first;
	}
	return true;
}

bool access_global(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w, unsigned shift, bool write,
                   struct access *acc)
{
	return check_global(fp, u, mask, w, shift, write, acc, fetch_addr(fp, u, mask, acc->adr));
}

// Offsets into a space of its own: those of the lanes outside `mask` are those of its first lane. False if one does
// not fit 31 bits, the limit of a window's size.
static inline bool fetch_offset(const uint8_t *restrict fp, const struct uop *restrict u, uint32_t mask,
                                uint64_t window, uint32_t *restrict off)
{
	uint32_t over = 0;

	if (!window && !(u->flags & UOP_ADDR64)) {
		const uint32_t *a = ROW(const uint32_t, u->a), imm = (uint32_t)u->imm;

		EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)
			off[i] = a[i] + imm;
	} else {
		_Alignas(64) uint64_t adr[WARP];

		fetch_addr(fp, u, mask, adr);
		EXEC_VECTOR for (unsigned i = 0; i < WARP; i++) {
			const uint64_t at = adr[i] - window;

			over |= (uint32_t)(at >> 32);
			off[i] = (uint32_t)at;
		}
	}
	if (mask != FULL_MASK) {
		const uint32_t first = off[__builtin_ctz(mask)];
		_Alignas(64) uint32_t in[WARP];

		exec_expand(in, mask);
		EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)
			off[i] = (off[i] & in[i]) | (first & ~in[i]);
	}
	return !over;
}

// Fetches offsets and checks them against a window of `size` bytes. *same is 0 if all are equal.
static inline bool check_offset(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w, unsigned shift,
                                bool write, enum isa_space space, uint64_t window, uint32_t size, uint32_t *off,
                                uint32_t *same)
{
	const uint32_t bytes = 1u << shift, limit = size - bytes;
	bool fits = fetch_offset(fp, u, mask, window, off) && size >= bytes && size <= INT32_MAX;
	uint32_t out = 0, bits = 0, differ = 0, first = off[0];

	// As in check_global: 0 <= off <= limit < 2^31 by the sign bits.
	for (unsigned i = 0; i < WARP; i++) {
		out |= off[i] | (limit - off[i]);
		bits |= off[i];
		differ |= off[i] ^ first;
	}
	*same = differ;
	if (fits && !(out >> 31) && !(bits & (bytes - 1)))
		return true;
	return exec_check_window(w, fp, u, mask, bytes, write, space, window, size);
}

// A linear space of `size` bytes at `mem`.
static inline bool access_linear(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w, unsigned shift,
                                 bool write, struct access *acc, enum isa_space space, uint64_t window, uint8_t *mem,
                                 uint32_t size)
{
	_Alignas(64) uint32_t off[WARP];
	uint32_t same;

	if (!check_offset(fp, u, mask, w, shift, write, space, window, size, off, &same))
		return false;
	acc->mask = mask;
	acc->local = false;
	acc->shared = space == SPACE_SHARED;
	if (!same) {
		acc->shape = ACCESS_UNIFORM;
		acc->base = mem + off[0];
		return true;
	}
	acc->shape = ACCESS_SCATTER;
	EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)
		acc->adr[i] = (uint64_t)mem + off[i];
	return true;
}

static inline bool access_shared_at(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w, unsigned shift,
                                    bool write, struct access *acc, uint64_t window)
{
	if (__builtin_expect(w->cta->cluster != NULL, 0)) {
		acc->mask = mask;
		acc->local = false;
		acc->shared = true;
		acc->shape = ACCESS_SCATTER;
		return exec_cluster_access(w, fp, u, mask, 1u << shift, write, acc->adr);
	}
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

static inline uint64_t local_at(uint32_t off)
{
	return (uint64_t)(off >> 2) * (4 * WARP) + (off & 3);
}

static inline bool access_local_at(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w, unsigned shift,
                                   bool write, struct access *acc, uint64_t window)
{
	_Alignas(64) uint32_t off[WARP];
	uint32_t same;

	if (!check_offset(fp, u, mask, w, shift, write, SPACE_LOCAL, window, w->cta->local_size, off, &same))
		return false;
	acc->mask = mask;
	acc->local = true;
	acc->shared = false;
	if (!same) {
		acc->shape = ACCESS_ROW;
		acc->base = w->local + local_at(off[0]);
		return true;
	}
	acc->shape = ACCESS_SCATTER;
	EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)
		acc->adr[i] = (uint64_t)w->local + local_at(off[i]) + 4 * i;
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

// --- memory that other SMs see (isa/effects.h)

// True if the bytes are not all what memory holds, since the SM has stored some in this cycle, or the CTA may not just load them.
static inline bool staged_here(const struct warp *w, const struct devmem_hit *hit, uint64_t at, uint64_t bytes)
{
	const struct effects *s = exec_effects(w);

	return __builtin_expect(s != NULL, 0) && effects_hides_load(s, hit, at, bytes);
}

// Where a store of bytes side by side is to be written.
static inline uint8_t *stage_at(const struct warp *w, uint8_t *at, uint32_t bytes)
{
	struct effects *s = exec_effects(w);

	return __builtin_expect(s != NULL, 0) ? effects_store(s, (uint64_t)at, bytes) : at;
}

// Points resolved lanes at the stage: those of a store at where they are to write, those of a load, if the SM has stored
// there in this cycle, at what they see.
static void stage_access(struct warp *w, const struct uop *u, struct access *acc, unsigned shift, bool write)
{
	struct effects *s = exec_effects(w);

	if (__builtin_expect(!s, 1) || acc->local || acc->shared)
		return;
	if (s->claims) {
		uint8_t **base = acc->shape == ACCESS_SCATTER ? NULL : &acc->base;

		effects_ask(s, exec_hit(w, u), base, acc->adr, acc->mask, 1u << shift, write);
	} else if (acc->shape == ACCESS_UNIFORM && write) {
		acc->base = effects_store(s, (uint64_t)acc->base, 1u << shift);
	} else if (write) {
		uint8_t *to = effects_lanes(s, acc->adr, acc->mask, 1u << shift);

		EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)
			acc->adr[i] = (uint64_t)(to + (i << shift));
	} else if (acc->shape == ACCESS_SCATTER) {
		effects_view(s, acc->adr, acc->mask, 1u << shift);
	} else if (effects_hides(s, (uint64_t)acc->base, 1u << shift)) {
		for (unsigned i = 0; i < WARP; i++)
			acc->adr[i] = (uint64_t)acc->base;
		acc->shape = ACCESS_SCATTER;
		effects_view(s, acc->adr, acc->mask, 1u << shift);
	}
}

// By the space of a body: shared and local memory is its SM's own.
#define AT_global(w, at, bytes)  stage_at(w, at, bytes)
#define AT_generic(w, at, bytes) stage_at(w, at, bytes)
#define AT_shared(w, at, bytes)  (at)

// The quick way, inlined into bodies: for the full mask and the patterns nearly all accesses have, the place of lane 0
// once everything is checked; NULL sends the body the long way. *shape tells the pattern.
static inline uint32_t pattern32(const uint32_t *a, unsigned shift, enum access_shape *shape)
{
	const uint32_t first = a[0];
	uint32_t same = 0, unit = 0;

	for (unsigned i = 0; i < WARP; i++) {
		same |= a[i] ^ first;
		unit |= a[i] ^ (first + LANE_AT(i, shift));
	}
	*shape = !unit ? ACCESS_UNIT : !same ? ACCESS_UNIFORM : ACCESS_SCATTER;
	return first;
}

static inline uint64_t pattern64(const uint64_t *a, unsigned shift, enum access_shape *shape)
{
	const uint64_t first = a[0];
	uint64_t differ = 0;

	if (a[1] == first) {
		for (unsigned i = 0; i < WARP; i++)
			differ |= a[i] ^ first;
		*shape = differ ? ACCESS_SCATTER : ACCESS_UNIFORM;
	} else {
		for (unsigned i = 0; i < WARP; i++)
			differ |= a[i] ^ (first + LANE_AT((uint64_t)i, shift));
		*shape = differ ? ACCESS_SCATTER : ACCESS_UNIT;
	}
	return first;
}

FOLDED uint8_t *quick_global(const uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w,
                                    unsigned shift, bool write, enum access_shape *shape)
{
	struct devmem_hit *hit = exec_hit(w, u);

	if (mask != FULL_MASK || !(u->flags & UOP_ADDR64))
		return NULL;

	const uint64_t at = pattern64(ROW(const uint64_t, u->a), shift, shape) + (uint64_t)u->imm;
	const uint64_t span = (uint64_t)(*shape == ACCESS_UNIT ? WARP : 1) << shift;

	if (*shape == ACCESS_SCATTER || (at & ((1u << shift) - 1)) ||
	    !devmem_holds(w->cta->launch->mem, hit, at, at + span) || (write && hit->kind == DEVMEM_CONST))
		return NULL;
	if (!write && staged_here(w, hit, at, span))
		return (uint8_t *)effects_load(exec_effects(w), hit, at, (uint32_t)span);
	return (uint8_t *)at;
}

FOLDED uint8_t *quick_generic(const uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w,
                                     unsigned shift, bool write, enum access_shape *shape)
{
	if (!(u->flags & UOP_ADDR64) || (ROW(const uint64_t, u->a)[0] + (uint64_t)u->imm) >> 48)
		return NULL;
	return quick_global(fp, u, mask, w, shift, write, shape);
}

// The offset of lane 0, or -1.
static inline int64_t quick_offset(const uint8_t *fp, const struct uop *u, uint32_t mask, unsigned shift,
                                   enum access_shape *shape, uint32_t size)
{
	if (mask != FULL_MASK)
		return -1;

	const uint64_t at = u->flags & UOP_ADDR64 ? pattern64(ROW(const uint64_t, u->a), shift, shape) + (uint64_t)u->imm
	                                          : pattern32(ROW(const uint32_t, u->a), shift, shape) + (uint32_t)u->imm;
	const uint32_t span = (*shape == ACCESS_UNIT ? WARP : 1u) << shift;

	if (*shape == ACCESS_SCATTER || (at & ((1u << shift) - 1)) || at > size || size - at < span)
		return -1;
	return (int64_t)at;
}

FOLDED uint8_t *quick_shared(const uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w,
                                    unsigned shift, bool write, enum access_shape *shape)
{
	int64_t at = quick_offset(fp, u, mask, shift, shape, w->cta->shared_size);

	return at < 0 ? NULL : w->cta->shared + at;
}

FOLDED uint8_t *quick_local(const uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w,
                                   unsigned shift, bool write, enum access_shape *shape)
{
	int64_t at = quick_offset(fp, u, mask, shift, shape, w->cta->local_size);

	return at < 0 || *shape != ACCESS_UNIFORM ? NULL : w->local + local_at((uint32_t)at);
}

// The second way, for any pattern within one allocation or window: addresses are used from their row. Lane i is at
// a64[i] + base, or, without a64, at base + the 32-bit sum a32[i] + imm.
struct spread {
	const uint64_t *a64;
	const uint32_t *a32;
	uint64_t base;
	uint32_t imm;
};

static inline bool spread_global(const uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w,
                                 unsigned shift, bool write, struct spread *s)
{
	const struct effects *staged = exec_effects(w);

	if (!(u->flags & UOP_ADDR64) || (__builtin_expect(staged != NULL, 0) && (write || staged->n)))
		return false;

	struct devmem_hit *hit = exec_hit(w, u);
	const uint64_t *a = ROW(const uint64_t, u->a), imm = (uint64_t)u->imm, bytes = (uint64_t)1 << shift;
	const uint64_t first = a[__builtin_ctz(mask)] + imm;

	if (!devmem_holds(w->cta->launch->mem, hit, first, first + bytes) || (write && hit->kind == DEVMEM_CONST))
		return false;
	if (__builtin_expect(staged != NULL, 0) && staged->claims && !claims_open(staged->claims, hit))
		return false;

	const uint64_t base = hit->base - imm, limit = hit->end - hit->base - bytes; // see check_global
	uint64_t bits = 0, out = 0;

	if (mask == FULL_MASK) {
		for (unsigned i = 0; i < WARP; i++) {
			const uint64_t at = a[i] - base;

			out |= at | (limit - at);
			bits |= a[i] + imm;
		}
	} else {
		_Alignas(64) uint64_t in[WARP];

		expand64(in, mask);
		for (unsigned i = 0; i < WARP; i++) {
			const uint64_t at = a[i] - base;

			out |= (at | (limit - at)) & in[i];
			bits |= (a[i] + imm) & in[i];
		}
	}
	*s = (struct spread){.a64 = a, .base = imm};
	return !(bits & (bytes - 1)) && !(out >> 63);
}

static inline bool spread_shared(const uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w,
                                 unsigned shift, bool write, struct spread *s)
{
	const uint32_t *a = ROW(const uint32_t, u->a), imm = (uint32_t)u->imm, bytes = 1u << shift;
	const uint32_t size = w->cta->shared_size, limit = size - bytes;
	uint32_t bits = 0, out = 0;

	if (u->flags & UOP_ADDR64 || size < bytes || size > INT32_MAX)
		return false;
	if (mask == FULL_MASK) {
		for (unsigned i = 0; i < WARP; i++) {
			const uint32_t at = a[i] + imm;

			out |= at | (limit - at);
			bits |= at;
		}
	} else {
		_Alignas(64) uint32_t in[WARP];

		exec_expand(in, mask);
		for (unsigned i = 0; i < WARP; i++) {
			const uint32_t at = a[i] + imm;

			out |= (at | (limit - at)) & in[i];
			bits |= at & in[i];
		}
	}
	*s = (struct spread){.a32 = a, .imm = imm, .base = (uint64_t)w->cta->shared};
	return !(bits & (bytes - 1)) && !(out >> 31);
}

// Moved by one load or store, which the host's threads see whole or not at all: so do all x86-64 with AVX.
typedef uint64_t b128 __attribute__((vector_size(16)));

// Kinds of elements. X(kind, memory type, row type, log2 of bytes)
#define WORD_KINDS(X)                     \
	X(u8, uint8_t, uint32_t, 0)       \
	X(s8, int8_t, int32_t, 0)         \
	X(u16, uint16_t, uint32_t, 1)     \
	X(s16, int16_t, int32_t, 1)       \
	X(b32, uint32_t, uint32_t, 2)
#define VECTOR_KINDS(X) WORD_KINDS(X) X(b64, uint64_t, uint64_t, 3)
#define KINDS(X)        VECTOR_KINDS(X) X(b128, b128, b128, 4)

// Element k of an access in local memory, for each kind. Words of one lane are WARP words apart.
#define LOCAL_AT(p, byte) ((p) + ((byte) >> 2) * (4 * WARP) + ((byte) & 3))
#define LOCAL_WORD(p, k)  (*(uint32_t *)LOCAL_AT(p, 4 * (k)))

#define X(kind, M, R, shift) \
	static inline R local_get_##kind(const uint8_t *p, unsigned k) \
	{ \
		return (R) * (const M *)LOCAL_AT(p, k << (shift)); \
	} \
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

static inline b128 local_get_b128(const uint8_t *p, unsigned k)
{
	return (b128){local_get_b64(p, 2 * k), local_get_b64(p, 2 * k + 1)};
}

static inline void local_put_b128(uint8_t *p, unsigned k, b128 v)
{
	local_put_b64(p, 2 * k, v[0]);
	local_put_b64(p, 2 * k + 1, v[1]);
}

// COPY is EXEC_VECTOR for loops of which some instances cannot be vectors, which clang would warn about.
#ifdef __clang__
#define UNROLL _Pragma("unroll 8")
#define COPY
#else
#define UNROLL _Pragma("GCC unroll 8")
#define COPY EXEC_VECTOR
#endif

// The data movers: get_KIND_N and put_KIND_N for linear memory, lget_ and lput_ for local memory; N elements a lane.
#define MOVER(name) \
	static void name(uint8_t *restrict fp, const struct uop *restrict u, const struct access *restrict acc)
#define DEST(R, n)  R *row[n]; for (unsigned k = 0; k < (n); k++) row[k] = ROW(R, (n) == 1 ? u->d : u->x[k])
#define SRC(R, n)   const R *row[n]; for (unsigned k = 0; k < (n); k++) row[k] = ROW(const R, (n) == 1 ? u->b : u->x[k])

// GCC before 12 knows it by another name.
#if defined(__clang__) || __GNUC__ >= 12
#define SHUFFLE(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
#define SHUFFLE(a, b, i, j, k, l) __builtin_shuffle(a, b, (v4){i, j, k, l})
#endif

// Four words a lane, side by side in memory, into four rows: 4 x 4 transpositions, which compilers do not find.
static inline void transpose4(const uint32_t *p, uint32_t *x, uint32_t *y, uint32_t *z, uint32_t *w)
{
	typedef uint32_t v4 __attribute__((vector_size(16), aligned(4)));

	for (unsigned i = 0; i < WARP; i += 4) {
		const v4 *lane = (const v4 *)(p + 4 * i);
		const v4 a = lane[0], b = lane[1], c = lane[2], d = lane[3];
		const v4 xy_ab = SHUFFLE(a, b, 0, 4, 1, 5), zw_ab = SHUFFLE(a, b, 2, 6, 3, 7);
		const v4 xy_cd = SHUFFLE(c, d, 0, 4, 1, 5), zw_cd = SHUFFLE(c, d, 2, 6, 3, 7);

		*(v4 *)(x + i) = SHUFFLE(xy_ab, xy_cd, 0, 1, 4, 5);
		*(v4 *)(y + i) = SHUFFLE(xy_ab, xy_cd, 2, 3, 6, 7);
		*(v4 *)(z + i) = SHUFFLE(zw_ab, zw_cd, 0, 1, 4, 5);
		*(v4 *)(w + i) = SHUFFLE(zw_ab, zw_cd, 2, 3, 6, 7);
	}
}

// Copies of the whole warp. p is where lane 0 goes: unit_ reads lanes side by side, same_ reads one place for all, row_
// reads one offset of local memory; unput_, lastput_ and
// rowput_ write.
#define COPIES(kind, M, R, n)                                                                          \
	static inline void unit_##kind##_##n(uint8_t *restrict fp, const struct uop *restrict u, const uint8_t *at) \
	{                                                                                              \
		const M *p = (const M *)at;                                                            \
		DEST(R, n);                                                                            \
		if (sizeof(M) == 4 && (n) == 4) {                                                      \
			transpose4((const uint32_t *)at, (uint32_t *)row[0], (uint32_t *)row[(n) / 4], \
			           (uint32_t *)row[(n) / 2], (uint32_t *)row[(n) - 1]);                \
			return;                                                                        \
		}                                                                                      \
		COPY for (unsigned i = 0; i < WARP; i++)                                               \
			for (unsigned k = 0; k < (n); k++)                                             \
				row[k][i] = (R)p[i * (n) + k];                                         \
	}                                                                                              \
	static inline void same_##kind##_##n(uint8_t *restrict fp, const struct uop *restrict u, const uint8_t *at) \
	{                                                                                              \
		DEST(R, n);                                                                            \
		for (unsigned k = 0; k < (n); k++) {                                                   \
			R v = (R)((const M *)at)[k], *r = row[k];                                      \
			COPY for (unsigned i = 0; i < WARP; i++)                                \
				r[i] = v;                                                              \
		}                                                                                      \
	}                                                                                              \
	static inline void unput_##kind##_##n(uint8_t *restrict fp, const struct uop *restrict u, uint8_t *at) \
	{                                                                                              \
		M *p = (M *)at;                                                                        \
		SRC(R, n);                                                                             \
		COPY for (unsigned i = 0; i < WARP; i++)                                        \
			for (unsigned k = 0; k < (n); k++)                                             \
				p[i * (n) + k] = (M)row[k][i];                                         \
	}                                                                                              \
	static inline void lastput_##kind##_##n(uint8_t *fp, const struct uop *u, uint8_t *at, unsigned i) \
	{                                                                                              \
		SRC(R, n);                                                                             \
		for (unsigned k = 0; k < (n); k++)                                                     \
			((M *)at)[k] = (M)row[k][i];                                                   \
	}                                                                                              \
	static inline void row_##kind##_##n(uint8_t *restrict fp, const struct uop *restrict u, const uint8_t *at) \
	{                                                                                              \
		DEST(R, n);                                                                            \
		for (unsigned k = 0; k < (n); k++) {                                                   \
			R *r = row[k];                                                                 \
			COPY for (unsigned i = 0; i < WARP; i++)                                \
				r[i] = local_get_##kind(at + 4 * i, k);                                \
		}                                                                                      \
	}                                                                                              \
	static inline void rowput_##kind##_##n(uint8_t *restrict fp, const struct uop *restrict u, uint8_t *at) \
	{                                                                                              \
		SRC(R, n);                                                                             \
		for (unsigned k = 0; k < (n); k++) {                                                   \
			const R *r = row[k];                                                           \
			COPY for (unsigned i = 0; i < WARP; i++)                                \
				local_put_##kind(at + 4 * i, k, r[i]);                                 \
		}                                                                                      \
	}

// Moves element k of lane i, which p points to, for the lanes of `mask`.
#define SPREAD_LANE(M, place, move, n)                                     \
	{                                                                  \
		M *p = (M *)(place);                                       \
		for (unsigned k = 0; k < (n); k++)                         \
			move;                                              \
	}
#define SPREAD_LANES(M, place, move, n)                                    \
	if (mask == FULL_MASK) {                                           \
		UNROLL for (unsigned i = 0; i < WARP; i++)                 \
			SPREAD_LANE(M, place, move, n)                     \
	} else {                                                           \
		EACH(i)                                                    \
			SPREAD_LANE(M, place, move, n)                     \
	}
#define SPREAD(M, move, n)                                                         \
	if (s.a64) {                                                               \
		SPREAD_LANES(M, s.a64[i] + s.base, move, n)                        \
	} else {                                                                   \
		SPREAD_LANES(M, (s.a32[i] + s.imm) + s.base, move, n)              \
	}

#define MOVERS(kind, M, R, n)                                                                          \
	COPIES(kind, M, R, n)                                                                          \
	MOVER(get_##kind##_##n)                                                                        \
	{                                                                                              \
		const uint32_t mask = acc->mask;                                                       \
		DEST(R, n);                                                                            \
		if (acc->shape == ACCESS_UNIFORM && mask == FULL_MASK) {                               \
			same_##kind##_##n(fp, u, acc->base);                                           \
		} else if (acc->shape == ACCESS_UNIFORM) {                                             \
			EACH(i)                                                                        \
				for (unsigned k = 0; k < (n); k++)                                     \
					row[k][i] = (R)((const M *)acc->base)[k];                      \
		} else {                                                                               \
			EACH(i) {                                                                      \
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
			lastput_##kind##_##n(fp, u, acc->base, 31u - (unsigned)__builtin_clz(mask));   \
		} else {                                                                               \
			EACH(i) {                                                                      \
				M *p = (M *)acc->adr[i];                                               \
				for (unsigned k = 0; k < (n); k++)                                     \
					p[k] = (M)row[k][i];                                           \
			}                                                                              \
		}                                                                                      \
	}                                                                                              \
	static inline void spread_get_##kind##_##n(uint8_t *restrict fp, const struct uop *restrict u, uint32_t mask, \
	                                           struct spread s)                                    \
	{                                                                                              \
		DEST(R, n);                                                                            \
		SPREAD(const M, row[k][i] = (R)p[k], n)                                                \
	}                                                                                              \
	static inline void spread_put_##kind##_##n(uint8_t *restrict fp, const struct uop *restrict u, uint32_t mask, \
	                                           struct spread s)                                    \
	{                                                                                              \
		SRC(R, n);                                                                             \
		SPREAD(M, p[k] = (M)row[k][i], n)                                                      \
	}                                                                                              \
	MOVER(lget_##kind##_##n)                                                                       \
	{                                                                                              \
		const uint32_t mask = acc->mask;                                                       \
		DEST(R, n);                                                                            \
		EACH(i) {                                                                              \
			const uint8_t *p = access_lane(acc, i);                                        \
			for (unsigned k = 0; k < (n); k++)                                             \
				row[k][i] = local_get_##kind(p, k);                                    \
		}                                                                                      \
	}                                                                                              \
	MOVER(lput_##kind##_##n)                                                                       \
	{                                                                                              \
		const uint32_t mask = acc->mask;                                                       \
		SRC(R, n);                                                                             \
		EACH(i) {                                                                              \
			uint8_t *p = access_lane(acc, i);                                              \
			for (unsigned k = 0; k < (n); k++)                                             \
				local_put_##kind(p, k, row[k][i]);                                     \
		}                                                                                      \
	}

// The bodies of one kind and width: a load and a store for each space. What the quick way cannot do is kept out of
// line, so that the body needs no stack frame.
#define SLOW(name, space, write, log2, mover, spread_mover)                         \
	static __attribute__((noinline)) void name(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w) \
	{                                                                              \
		struct spread s;                                                       \
		struct access acc;                                                     \
		if (spread_##space(fp, u, mask, w, log2, write, &s)) {                 \
			spread_mover(fp, u, mask, s);                                        \
		} else if (access_##space(fp, u, mask, w, log2, write, &acc)) {        \
			stage_access(w, u, &acc, log2, write);                         \
			mover(fp, u, &acc);                                            \
		}                                                                      \
	}
#define SLOW_PLAIN(name, space, write, log2, mover)                                    \
	static __attribute__((noinline)) void name(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w) \
	{                                                                              \
		struct access acc;                                                     \
		if (access_##space(fp, u, mask, w, log2, write, &acc))                 \
			mover(fp, u, &acc);                                            \
	}
#define SLOW_GENERIC(name, write, log2, mover, lmover)                                 \
	static __attribute__((noinline)) void name(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w) \
	{                                                                              \
		struct access acc[ACCESS_PARTS];                                       \
		unsigned parts = access_generic(fp, u, mask, w, log2, write, acc);     \
		for (unsigned k = 0; k < parts; k++) {                                 \
			stage_access(w, u, &acc[k], log2, write);                      \
			(acc[k].local ? lmover : mover)(fp, u, &acc[k]);               \
		}                                                                      \
	}
#define QUICK(space, write, log2) \
	enum access_shape shape; \
	uint8_t *at = quick_##space(fp, u, mask, w, log2, write, &shape);

// What is gathered, and whether that is tried first: in shared memory, patterns that the quick way does not know are
// usual.
#define GATHERED(n, log2) (GATHERS && (n) == 1 && ((log2) == 2 || (log2) == 3))
enum { GATHER_FIRST_global = false, GATHER_FIRST_generic = false, GATHER_FIRST_shared = GATHERS };
#define AFTER_global  inline
#define AFTER_generic inline
#define AFTER_shared  __attribute__((noinline))

#define BODY_LD(space, kind, n, log2)                                                  \
	static __attribute__((noinline)) void apart_ld_##space##_##kind##_##n(uint8_t *fp, const struct uop *u, \
	                                                                      uint32_t mask, struct warp *w) \
	{                                                                              \
		if (!GATHERED(n, log2) || !gather_##space(fp, u, mask, w, log2))       \
			slow_ld_##space##_##kind##_##n(fp, u, mask, w);                \
	}                                                                              \
	static AFTER_##space void near_ld_##space##_##kind##_##n(uint8_t *restrict fp, const struct uop *restrict u, \
	                                                         uint32_t mask, struct warp *restrict w) \
	{                                                                              \
		QUICK(space, false, log2)                                              \
		if (!at) {                                                             \
			apart_ld_##space##_##kind##_##n(fp, u, mask, w);               \
		} else if (shape == ACCESS_UNIT) {                                     \
			unit_##kind##_##n(fp, u, at);                                  \
		} else {                                                               \
			same_##kind##_##n(fp, u, at);                                  \
		}                                                                      \
	}                                                                              \
	BODY(ld_##space##_##kind##_##n)                                                \
	{                                                                              \
		if (!GATHERED(n, log2) || !GATHER_FIRST_##space || !gather_##space(fp, u, mask, w, log2)) \
			near_ld_##space##_##kind##_##n(fp, u, mask, w);                \
	}
#define BODY_ST(space, kind, n, log2)                                                  \
	BODY(st_##space##_##kind##_##n)                                                \
	{                                                                              \
		QUICK(space, true, log2)                                               \
		if (!at) {                                                             \
			slow_st_##space##_##kind##_##n(fp, u, mask, w);                \
		} else if (shape == ACCESS_UNIT) {                                     \
			unput_##kind##_##n(fp, u, AT_##space(w, at, WARP << (log2)));  \
		} else {                                                               \
			lastput_##kind##_##n(fp, u, AT_##space(w, at, 1u << (log2)), WARP - 1); \
		}                                                                      \
	}
#define LINEAR(space, kind, n, log2)                                                                   \
	SLOW(slow_ld_##space##_##kind##_##n, space, false, log2, get_##kind##_##n, spread_get_##kind##_##n) \
	SLOW(slow_st_##space##_##kind##_##n, space, true, log2, put_##kind##_##n, spread_put_##kind##_##n) \
	BODY_LD(space, kind, n, log2)                                                                  \
	BODY_ST(space, kind, n, log2)
#define BODIES(kind, n, log2)                                                                          \
	LINEAR(global, kind, n, log2)                                                                  \
	LINEAR(shared, kind, n, log2)                                                                  \
	SLOW_GENERIC(slow_ld_generic_##kind##_##n, false, log2, get_##kind##_##n, lget_##kind##_##n)   \
	SLOW_GENERIC(slow_st_generic_##kind##_##n, true, log2, put_##kind##_##n, lput_##kind##_##n)    \
	BODY_LD(generic, kind, n, log2)                                                                \
	BODY_ST(generic, kind, n, log2)                                                                \
	SLOW_PLAIN(ld_param_##kind##_##n, param, false, log2, get_##kind##_##n)                              \
	SLOW_PLAIN(slow_ld_local_##kind##_##n, local, false, log2, lget_##kind##_##n)                        \
	SLOW_PLAIN(slow_st_local_##kind##_##n, local, true, log2, lput_##kind##_##n)                         \
	BODY(ld_local_##kind##_##n)                                                                    \
	{                                                                                              \
		QUICK(local, false, log2)                                                              \
		if (at) {                                                                              \
			row_##kind##_##n(fp, u, at);                                                   \
		} else {                                                                               \
			slow_ld_local_##kind##_##n(fp, u, mask, w);                                    \
		}                                                                                      \
	}                                                                                              \
	BODY(st_local_##kind##_##n)                                                                    \
	{                                                                                              \
		QUICK(local, true, log2)                                                               \
		if (at) {                                                                              \
			rowput_##kind##_##n(fp, u, at);                                                \
		} else {                                                                               \
			slow_st_local_##kind##_##n(fp, u, mask, w);                                    \
		}                                                                                      \
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

// Between the warps of the GPU, memory is always in order. Host threads may run on other cores, where a load overtakes a store.
BODY(fence)
{
	if (u->flags & UOP_SYSTEM)
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
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
#define LDU_ROW(type, kind, prefix, space, n) {"ldu." prefix type, ld_##space##_##kind##_##n},
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
	ALL_WIDTHS(LDU_ROW, "global.", global)
	ALL_WIDTHS(LDU_ROW, "", generic)
	ALL_WIDTHS(ST_ROW, "global.", global)
	ALL_WIDTHS(ST_ROW, "shared.", shared)
	ALL_WIDTHS(ST_ROW, "local.", local)
	ALL_WIDTHS(ST_ROW, "", generic)
	{"prefetch*", nothing},
	{"applypriority*", nothing},
	{"discard*", nothing},
	{"membar*", fence},
	{"fence*", fence},
	{"nanosleep*", nothing},
	{"pmevent*", nothing},
	{0},
};
