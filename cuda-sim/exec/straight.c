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
		code[i].flags |= code[i].guard ? UOP_GUARDED : 0;
	}
}

// What a run has executed but whole instructions for all lanes.
struct rest {
	uint64_t extra;   // micro-ops that begin no instruction
	uint64_t missing; // lanes for which guards do not hold
};

// A micro-op with a guard, or one that goes on with an instruction for the lanes *mask.
static void execute(uint8_t *fp, const struct uop *u, uint32_t active, struct warp *w, uint32_t *mask,
                    struct rest *rest)
{
	if (u->flags & UOP_EXTRA) {
		rest->extra++;
	} else {
		*mask = active & exec_guard(fp, u);
		const unsigned lanes = fe_lanes(*mask);
		rest->missing += fe_lanes(active) - lanes;
		w->cta->counts->cls[u->cls]++;
		w->cta->counts->cls_thread[u->cls] += lanes;
	}
	if (*mask)
		u->fn(fp, u, *mask, w);
}

const struct uop *exec_straight(uint8_t *fp, const struct uop *u, uint32_t active, struct warp *w, uint64_t *left,
                                uint64_t *threads)
{
	struct kernel_counts *const counts = w->cta->counts;
	const struct uop *const begin = u, *end = u + (u->straight < *left ? u->straight : *left);
	const uint64_t lanes = fe_lanes(active);
	struct rest rest = {0};
	uint32_t mask = active;
	while (end->flags & UOP_EXTRA)
		end++;
	do {
		if (__builtin_expect(u->flags & (UOP_EXTRA | UOP_GUARDED), 0)) {
			execute(fp, u, active, w, &mask, &rest);
		} else {
			const unsigned cls = u->cls;
			counts->cls[cls]++;
			counts->cls_thread[cls] += lanes;
			mask = active;
			u->fn(fp, u, active, w);
		}
		u++;
	} while (u != end && !w->fault);
	const uint64_t n = (uint64_t)(u - begin) - rest.extra;
	*left -= n;
	*threads += n * lanes - rest.missing;
	return u;
}
