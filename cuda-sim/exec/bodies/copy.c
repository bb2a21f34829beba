// Copies from global to shared memory that go past registers: cp.async. A lane's bytes move when it is executed; the groups that a
// thread waits for are a matter of timing alone.
//
// a, imm: source; b and x[1]: destination, a row of 4 or (COPY_WIDE) 8 bytes a lane and a constant offset; x[2]: bytes, 4, 8 or 16.
// c: row of the bytes that are read, the rest is filled with zeroes; 0: all. x[0]: mask of the lanes that read nothing; 0: none.
// x[3]: enum copy_form.
#include "cuda-sim/exec/async.h"
#include "cuda-sim/exec/bodies/access.h"
#include "cuda-sim/exec/checker.h"
#include "cuda-sim/exec/remote.h"
#include "cuda-sim/exec/tma.h"

enum { MOST = 16 };

// Bytes that lane i reads, and where from. From machine code: the low bits of the address count the bytes that are left out.
static inline uint32_t source_of(const uint8_t *fp, const struct uop *u, unsigned i, uint64_t *at)
{
	const uint32_t bytes = (uint32_t)u->x[2];
	uint32_t n = u->c ? ROW(const uint32_t, u->c)[i] : bytes;

	*at = exec_lane_addr(fp, u, i);
	if (u->x[0] && ((PRED(u->x[0]) ^ (u->x[3] & COPY_NEGATED ? FULL_MASK : 0)) >> i & 1))
		return 0;
	if (u->x[3] & COPY_BY_ADDRESS) {
		n = bytes - (uint32_t)(*at & (bytes - 1));
		*at &= ~(uint64_t)(bytes - 1);
	}
	return n < bytes ? n : bytes;
}

// A side of the copy for who looks on: `mask` as addr says.
static void tell(struct warp *w, const struct uop *u, bool write, uint32_t mask, const uint64_t *addr)
{
	const uint8_t space = write ? SPACE_SHARED : SPACE_GLOBAL;

	if (!mask)
		return;
	if (w->touched) {
		struct fe_access *a = &w->touched->access[w->touched->n_access++];

		*a = (struct fe_access){.space = space, .bytes = (uint8_t)u->x[2], .write = write, .mask = mask};
		memcpy(a->addr, addr, sizeof a->addr);
	}
	if (w->cta->check) {
		struct exec_touch t = {.inst = w->cta->check->trail[w->id].now, .space = space, .bytes = (uint8_t)u->x[2], .write = write, .mask = mask};

		for (unsigned i = 0; i < WARP; i++)
			t.addr[i] = addr[mask >> i & 1 ? i : (unsigned)__builtin_ctz(mask)];
		w->cta->check->by->touch(w, u, &t);
	}
}

static inline void read(const struct warp *w, uint64_t from, uint8_t *to, uint32_t n)
{
	const struct effects *s = exec_effects(w);

	if (s && effects_hides(s, from, n))
		effects_read(s, from, to, n);
	else
		memcpy(to, (const void *)from, n);
}

BODY(copy)
{
	const uint32_t bytes = (uint32_t)u->x[2];
	_Alignas(64) uint64_t from[WARP] = {0}, to[WARP] = {0};
	uint8_t *place[WARP];
	uint32_t n[WARP], reads = 0, parts = 0;
	struct access acc;

	EACH(i) {
		const uint64_t dst = u->x[3] & COPY_WIDE ? ROW(const uint64_t, u->b)[i] + (uint64_t)(int64_t)u->x[1]
		                                         : ROW(const uint32_t, u->b)[i] + (uint32_t)u->x[1];
		struct exec_place p;

		if (u->c && ROW(const uint32_t, u->c)[i] > bytes) {
			exec_fault(w, u, FAULT_LAUNCH, i, from[i], "a copy of %u bytes is to read %u", bytes, ROW(const uint32_t, u->c)[i]);
			return;
		}
		n[i] = source_of(fp, u, i, &from[i]);
		reads |= (uint32_t)(n[i] != 0) << i;
		parts |= (uint32_t)(n[i] && (n[i] < bytes || u->x[3] & COPY_BY_ADDRESS)) << i;
		if (!exec_shared_place(w, u, i, dst, bytes, bytes, true, EXEC_OWN, &p))
			return;
		place[i] = p.at;
		to[i] = p.offset;
	}
	if (reads & ~parts) {
		if (!access_global(fp, u, reads & ~parts, w, (unsigned)__builtin_ctz(bytes), false, &acc))
			return;
		for (uint32_t m = reads & ~parts; m; m &= m - 1)
			from[__builtin_ctz(m)] = (uint64_t)access_lane(&acc, (unsigned)__builtin_ctz(m));
	}
	for (uint32_t m = parts; m; m &= m - 1) {
		const unsigned i = (unsigned)__builtin_ctz(m);

		if (!exec_aligned(w, u, i, from[i], bytes, "source") || !exec_check_span(w, u, i, from[i], n[i], false))
			return;
	}
	tell(w, u, false, reads, from);
	tell(w, u, true, mask, to);
	if (w->fault)
		return;
	EACH(i) {
		_Alignas(MOST) uint8_t data[MOST] = {0};

		read(w, from[i], data, n[i]);
		memcpy(place[i], data, bytes);
	}
}

BODY(bulk) { exec_bulk_start(w, fp, u, mask, (const struct exec_bulk *)(uintptr_t)u->imm); }
BODY(tensor) { exec_tensor_start(w, fp, u, mask, (const struct exec_tensor *)(uintptr_t)u->imm); }
BODY(map_replace) { exec_map_replace(w, fp, u, mask, (const struct exec_map_change *)(uintptr_t)u->imm); }
BODY(map_publish) { exec_map_publish(w, fp, u, mask, (const struct exec_map_copy *)(uintptr_t)u->imm); }
BODY(remote) { exec_remote_start(w, fp, u, mask, (const struct exec_remote *)(uintptr_t)u->imm); }

// st.bulk: b: row of bytes, 8 a lane.
BODY(fill)
{
	EACH(i) {
		const uint64_t bytes = ROW(const uint64_t, u->b)[i];
		struct exec_place p;

		if (!exec_aligned(w, u, i, bytes, 8, "size") ||
		    !exec_shared_place(w, u, i, exec_lane_addr(fp, u, i), bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX, 8, true, EXEC_OWN, &p))
			return;
		memset(p.at, 0, bytes);
	}
}

BODY(nothing)
{
}

extern const struct exec_body EXEC_TABLE(copy)[];
const struct exec_body EXEC_TABLE(copy)[] = {
	{"async.copy", copy}, {"async.bulk", bulk}, {"async.remote", remote}, {"async.fill", fill},
	{"async.tensor", tensor}, {"async.map_replace", map_replace}, {"async.map_publish", map_publish},
	{"cp.async.bulk.commit_group", nothing}, {"cp.async.bulk.wait_group*", nothing},
	{"cp.async.commit_group", nothing}, {"cp.async.wait_group", nothing}, {"cp.async.wait_all", nothing},
	{0},
};
