// Moves, packing of registers, and conversions between address spaces.
#include "cuda-sim/exec/cluster.h"
#include "cuda-sim/exec/lanes.h"

BODY1(mov_b32, uint32_t, uint32_t, a)
BODY1(mov_b64, uint64_t, uint64_t, a)

BODY(mov_pred)
{
	const uint32_t a = PRED(u->a) ^ (u->flags & UOP_NEG_A ? FULL_MASK : 0);
	PRED(u->d) = (PRED(u->d) & ~mask) | (a & mask);
}

// Elements are in x[0..n-1], element 0 in the lowest bits. X(n and width, n, bits per element, row of the whole)
// Elements of 64-bit wholes are 32 or 16 bits wide: all element rows have 4 bytes a lane.
#define PACKS(X)                                                                                              \
	X(pack2_b16, 2, 8, uint32_t) X(pack2_b32, 2, 16, uint32_t) X(pack4_b32, 4, 8, uint32_t)               \
	X(pack2_b64, 2, 32, uint64_t) X(pack4_b64, 4, 16, uint64_t)
#define X(name, n, bits, R)                                                                                   \
	BODY(mov_##name)                                                                                      \
	{                                                                                                     \
		R *rd = ROW(R, u->d);                                                                         \
		const uint32_t *r0 = ROW(uint32_t, u->x[0]), *r1 = ROW(uint32_t, u->x[1]);                    \
		const uint32_t *r2 = n == 4 ? ROW(uint32_t, u->x[2]) : r0, *r3 = n == 4 ? ROW(uint32_t, u->x[3]) : r0; \
		const uint32_t m = (uint32_t)(((uint64_t)1 << bits) - 1);                                     \
		LANES(R, rd, (R)(r0[i] & m) | (R)(r1[i] & m) << bits |                                        \
		             (n == 4 ? (R)(r2[i] & m) << (2 * bits & 63) | (R)(r3[i] & m) << (3 * bits & 63) : 0)); \
	}                                                                                                     \
	BODY(mov_un##name)                                                                                    \
	{                                                                                                     \
		_Alignas(64) R whole[WARP]; /* a destination may be the source's own row */                   \
		memcpy(whole, ROW(R, u->a), sizeof(whole));                                                   \
		for (unsigned k = 0; k < n; k++) {                                                            \
			uint32_t *rd = ROW(uint32_t, u->x[k]);                                                \
			const uint32_t m = (uint32_t)(((uint64_t)1 << bits) - 1);                             \
			LANES(uint32_t, rd, (uint32_t)(whole[i] >> k * bits) & m);                            \
		}                                                                                             \
	}
PACKS(X)
#undef X

// 128 bits: two halves of 64.
__extension__ typedef unsigned __int128 b128;

BODY1(mov_b128, b128, b128, a)

BODY(mov_pack2_b128)
{
	b128 *rd = ROW(b128, u->d);
	const uint64_t *r0 = ROW(uint64_t, u->x[0]), *r1 = ROW(uint64_t, u->x[1]);
	LANES(b128, rd, r0[i] | (b128)r1[i] << 64);
}

BODY(mov_unpack2_b128)
{
	const b128 *ra = ROW(b128, u->a);
	uint64_t *r0 = ROW(uint64_t, u->x[0]), *r1 = ROW(uint64_t, u->x[1]);
	LANES(uint64_t, r0, ra[i]);
	LANES(uint64_t, r1, ra[i] >> 64);
}

// Shared and local memory are windows of the generic address space; global, const and param addresses are generic
// already.
BODY1(cvta_local, uint64_t, uint64_t, a + LOCAL_WINDOW)
BODY1(cvta_to_local, uint64_t, uint64_t, a - LOCAL_WINDOW < WINDOW_SIZE ? a - LOCAL_WINDOW : a)

// The stack of alloca grows down from the end of local memory to that of the function's own, row c. imm is the alignment.
#define ALLOCA(t, T)                                                                                      \
	BODY(alloca_##t)                                                                                            \
	{                                                                                                     \
		T *rd = ROW(T, u->d);                                                                         \
		const T *ra = ROW(T, u->a);                                                                   \
		const uint64_t *rc = ROW(uint64_t, u->c);                                                     \
		EACH(i) {                                                                                     \
			const uint64_t size = ra[i], left = w->stack[i] > rc[i] ? w->stack[i] - rc[i] : 0;    \
			const uint32_t to = (uint32_t)(w->stack[i] - size) & (uint32_t)-u->imm;               \
			if (size > left || to < rc[i]) {                                                      \
				exec_fault(w, u, FAULT_STACK, i, to,                           \
				           "alloca of %llu bytes: of the %u bytes of local memory a thread has here (cudaLimitStackSize) " \
				           "%llu are left", (unsigned long long)size, w->cta->local_size, (unsigned long long)left); \
				return;                                                                       \
			}                                                                                     \
			w->stack[i] = to;                                                                     \
			rd[i] = to;                                                                           \
		}                                                                                             \
	}                                                                                                     \
	BODY(stacksave_##t)                                                                                \
	{                                                                                                     \
		T *rd = ROW(T, u->d);                                                                         \
		LANES(T, rd, w->stack[i]);                                                                    \
	}                                                                                                     \
	BODY(stackrestore_##t)                                                                             \
	{                                                                                                     \
		const T *ra = ROW(T, u->a);                                                                   \
		EACH(i) {                                                                                     \
			if (ra[i] > w->cta->local_size) {                                                     \
				exec_fault(w, u, FAULT_STACK, i, ra[i],                        \
				           "stackrestore of %llu, which no stacksave gave", (unsigned long long)ra[i]); \
				return;                                                                       \
			}                                                                                     \
			w->stack[i] = (uint32_t)ra[i];                                                        \
		}                                                                                             \
	}
ALLOCA(u32, uint32_t)
ALLOCA(u64, uint64_t)

// In a cluster a generic address names the CTA, so that others can use it; that of the CTA's own memory is an offset.
static inline uint64_t own_rank(const struct warp *w)
{
	return w->cta->cluster ? (uint64_t)(w->cta->rank + 1) << EXEC_RANK_SHIFT : 0;
}

BODY(cvta_shared)
{
	const uint64_t own = own_rank(w), *ra = ROW(uint64_t, u->a);
	uint64_t *rd = ROW(uint64_t, u->d);
	LANES(uint64_t, rd, SHARED_WINDOW + ra[i] + (ra[i] >> EXEC_RANK_SHIFT ? 0 : own));
}

BODY(cvta_to_shared)
{
	const uint64_t own = own_rank(w), *ra = ROW(uint64_t, u->a);
	uint64_t *rd = ROW(uint64_t, u->d);
	LANES(uint64_t, rd, ({
		const uint64_t a = ra[i] - SHARED_WINDOW;
		a >= WINDOW_SIZE ? ra[i] : a - (a >> EXEC_RANK_SHIFT == own >> EXEC_RANK_SHIFT ? own : 0);
	}));
}

// Addresses of a place in another CTA of the cluster: cluster.h. Of a rank that no cluster has, it is that of no place.
static inline uint32_t ranked(uint32_t address, uint32_t rank)
{
	return (address & EXEC_RANK_OFFSET) | ((rank < EXEC_CLUSTER_MAX ? rank : EXEC_CLUSTER_MAX) + 1) << EXEC_RANK_SHIFT;
}

BODY2(mapa_shared_u32, uint32_t, uint32_t, ranked(a, b))

BODY(mapa_shared_u64)
{
	uint64_t *rd = ROW(uint64_t, u->d);
	const uint64_t *ra = ROW(uint64_t, u->a);
	const uint32_t *rb = ROW(uint32_t, u->b);
	LANES(uint64_t, rd, ranked((uint32_t)ra[i], rb[i]));
}

BODY(mapa_u64)
{
	uint64_t *rd = ROW(uint64_t, u->d);
	const uint64_t *ra = ROW(uint64_t, u->a);
	const uint32_t *rb = ROW(uint32_t, u->b);
	LANES(uint64_t, rd, ra[i] - SHARED_WINDOW < WINDOW_SIZE ? SHARED_WINDOW + ranked((uint32_t)ra[i], rb[i]) : ra[i]);
}

static inline uint32_t rank_of(const struct warp *w, uint32_t address)
{
	const int rank = exec_cluster_rank(w->cta, address);
	return rank < 0 ? w->cta->rank : (uint32_t)rank;
}

BODY1(getctarank_u32, uint32_t, uint32_t, rank_of(w, a))

BODY(getctarank_u64)
{
	uint32_t *rd = ROW(uint32_t, u->d);
	const uint64_t *ra = ROW(uint64_t, u->a);
	LANES(uint32_t, rd, rank_of(w, (uint32_t)ra[i]));
}

// In the CTA's own shared memory.
static inline bool is_own(const struct warp *w, uint64_t a)
{
	return a - SHARED_WINDOW < WINDOW_SIZE && (!w->cta->cluster || exec_cluster_rank(w->cta, (uint32_t)a) < 0);
}

static bool is_const(const struct warp *w, uint64_t addr)
{
	const struct devmem_range *r = devmem_find(w->cta->launch->mem, addr);
	return r && r->kind == DEVMEM_CONST;
}

static bool is_param(const struct warp *w, uint64_t addr)
{
	return w->cta->param_addr && addr - w->cta->param_addr < w->cta->launch->info->param_bytes;
}

static bool is_window(uint64_t addr)
{
	return addr - SHARED_WINDOW < WINDOW_SIZE || addr - LOCAL_WINDOW < WINDOW_SIZE;
}

#define ISSPACEP(name, cond)                                                                                  \
	BODY(isspacep_##name)                                                                                 \
	{                                                                                                     \
		const uint32_t *r32 = ROW(uint32_t, u->a);                                                    \
		const uint64_t *r64 = ROW(uint64_t, u->a);                                                    \
		uint32_t t = 0;                                                                               \
		EACH(i) {                                                                                     \
			const uint64_t a = u->flags & UOP_ADDR64 ? r64[i] : r32[i];                           \
			t |= (uint32_t)(cond) << i;                                                           \
		}                                                                                             \
		PRED(u->d) = (PRED(u->d) & ~mask) | t;                                                        \
	}
ISSPACEP(shared, is_own(w, a))
ISSPACEP(cluster, a - SHARED_WINDOW < WINDOW_SIZE)
ISSPACEP(local, a - LOCAL_WINDOW < WINDOW_SIZE)
ISSPACEP(const, !is_window(a) && is_const(w, a) && !is_param(w, a))
ISSPACEP(param, is_param(w, a))
// The window of a kernel's parameters lies within the global one (PTX ISA, isspacep).
ISSPACEP(global, !is_window(a) && (!is_const(w, a) || is_param(w, a)))

#define PLAIN_CVTA(space) \
	{"cvta." space ".u32", mov_b32}, {"cvta.to." space ".u32", mov_b32}, \
	{"cvta." space ".u64", mov_b64}, {"cvta.to." space ".u64", mov_b64}

const struct exec_body EXEC_TABLE(mov)[] = {
	{"mov.b16", mov_b32}, {"mov.u16", mov_b32}, {"mov.s16", mov_b32}, {"mov.f16", mov_b32}, {"mov.bf16", mov_b32},
	{"mov.b32", mov_b32}, {"mov.u32", mov_b32}, {"mov.s32", mov_b32}, {"mov.f32", mov_b32},
	{"mov.f16x2", mov_b32}, {"mov.bf16x2", mov_b32}, {"mov.b8", mov_b32}, {"mov.u8", mov_b32}, {"mov.s8", mov_b32},
	{"mov.b64", mov_b64}, {"mov.u64", mov_b64}, {"mov.s64", mov_b64}, {"mov.f64", mov_b64},
	{"mov.pred", mov_pred},
	{"mov.b128", mov_b128}, {"mov.pack2.b128", mov_pack2_b128}, {"mov.unpack2.b128", mov_unpack2_b128},
	{"mov.pack2.b16", mov_pack2_b16}, {"mov.pack2.b32", mov_pack2_b32}, {"mov.pack4.b32", mov_pack4_b32},
	{"mov.pack2.b64", mov_pack2_b64}, {"mov.pack4.b64", mov_pack4_b64},
	{"mov.unpack2.b16", mov_unpack2_b16}, {"mov.unpack2.b32", mov_unpack2_b32}, {"mov.unpack4.b32", mov_unpack4_b32},
	{"mov.unpack2.b64", mov_unpack2_b64}, {"mov.unpack4.b64", mov_unpack4_b64},
	PLAIN_CVTA("global"), PLAIN_CVTA("const"), PLAIN_CVTA("param"),
	{"cvta.shared.u32", mov_b32}, {"cvta.local.u32", mov_b32},
	{"cvta.to.shared.u32", mov_b32}, {"cvta.to.local.u32", mov_b32},
	{"cvta.shared.u64", cvta_shared}, {"cvta.local.u64", cvta_local},
	{"cvta.to.shared.u64", cvta_to_shared}, {"cvta.to.local.u64", cvta_to_local},
	{"cvta.shared::cta.u64", cvta_shared}, {"cvta.to.shared::cta.u64", cvta_to_shared},
	{"cvta.param::entry.u64", mov_b64}, {"cvta.to.param::entry.u64", mov_b64},
	{"alloca.u32", alloca_u32}, {"alloca.u64", alloca_u64},
	{"stacksave.u32", stacksave_u32}, {"stacksave.u64", stacksave_u64},
	{"stackrestore.u32", stackrestore_u32}, {"stackrestore.u64", stackrestore_u64},
	{"isspacep.shared", isspacep_shared}, {"isspacep.shared::cluster", isspacep_cluster},
	{"mapa.shared.u32", mapa_shared_u32}, {"mapa.shared.u64", mapa_shared_u64}, {"mapa.u32", mapa_shared_u32}, {"mapa.u64", mapa_u64},
	{"getctarank.shared.u32", getctarank_u32}, {"getctarank.shared.u64", getctarank_u64}, {"getctarank.u32", getctarank_u32},
	{"getctarank.u64", getctarank_u64},
	{"isspacep.local", isspacep_local}, {"isspacep.const", isspacep_const},
	{"isspacep.param", isspacep_param}, {"isspacep.param::entry", isspacep_param}, {"isspacep.global", isspacep_global},
	{0},
};
