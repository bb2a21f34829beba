#include "cuda-sim/exec/straight.h"

static bool is_plain(const struct uop *u, const struct uop *end)
{
	bool plain = true;
	for (; u != end; u++)
		plain &= !u->ctl && !(u->flags & (UOP_POLL | UOP_GATHER));
	return plain;
}

static void mark_runs(struct uop *code, uint32_t n)
{
	for (uint32_t end = n, begin; end; end = begin) {
		begin = end - 1;
		while (begin && code[begin].flags & UOP_EXTRA)
			begin--;
		const bool goes_on = end < n && !(code[end].flags & (UOP_MEETS | UOP_SHARES));
		const uint32_t run = end - begin + (goes_on ? code[end].straight : 0);
		if (is_plain(&code[begin], &code[end]))
			code[begin].straight = (uint8_t)(run < UINT8_MAX ? run : UINT8_MAX);
	}
}

void exec_straight_mark(struct uop *code, uint32_t n)
{
	mark_runs(code, n);
	for (uint32_t i = 0, hit = 0; i < n; i++) {
		const bool touches = code[i].cls == ISA_LOAD || code[i].cls == ISA_STORE || code[i].cls == ISA_ATOMIC ||
		                     code[i].cls == ISA_TEXTURE;
		hit += touches && !(code[i].flags & UOP_EXTRA);
		code[i].hit = touches ? hit % EXEC_HITS : 0;
	}
}

const struct uop *exec_straight(uint8_t *fp, const struct uop *u, uint32_t active, struct warp *w, uint64_t *left,
                                uint64_t *threads)
{
	struct kernel_counts *const counts = w->cta->counts;
	const struct uop *const begin = u, *end = u + (u->straight < *left ? u->straight : *left);
	const unsigned all = fe_lanes(active);
	uint64_t extra = 0, missing = 0; // micro-ops that begin no instruction, lanes for which guards do not hold
	uint32_t mask = active;
	while (end->flags & UOP_EXTRA)
		end++;
	do {
		if (__builtin_expect(!(u->flags & UOP_EXTRA), 1)) {
			unsigned lanes = all;
			mask = active;
			if (__builtin_expect(u->guard, 0)) {
				mask &= exec_guard(fp, u);
				lanes = fe_lanes(mask);
				missing += all - lanes;
			}
			counts->cls[u->cls]++;
			counts->cls_thread[u->cls] += lanes;
		} else {
			extra++;
		}
		if (__builtin_expect(mask != 0, 1))
			u->fn(fp, u, mask, w);
		u++;
	} while (u != end && !w->fault);
	const uint64_t n = (uint64_t)(u - begin) - extra;
	*left -= n;
	*threads += n * all - missing;
	return u;
}
