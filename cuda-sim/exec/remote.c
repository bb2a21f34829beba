#include "cuda-sim/exec/remote.h"

#include <string.h>

enum { MOST = 32 };

static void values(const uint8_t *fp, const struct exec_remote *r, unsigned lane, uint8_t out[MOST])
{
	for (unsigned k = 0; k < r->n; k++) {
		const uint8_t *row = fp + r->value[k];
		if (r->each == 8 && r->pairs) {
			memcpy(out + 8 * k, row + 4 * lane, 4);
			memcpy(out + 8 * k + 4, row + 4 * (WARP + lane), 4);
		} else {
			memcpy(out + r->each * k, row + r->each * lane, r->each);
		}
	}
}

void exec_remote_start(struct warp *w, const uint8_t *fp, const struct uop *u, uint32_t mask, const struct exec_remote *r)
{
	const uint32_t bytes = (uint32_t)r->n * r->each;
	for (uint32_t m = mask; m && !w->fault; m &= m - 1) {
		const unsigned lane = (unsigned)__builtin_ctz(m);
		struct exec_place to, bar;
		uint8_t data[MOST];
		if (!exec_shared_place(w, u, lane, exec_bulk_value(fp, &r->dst, lane), bytes, bytes, true, EXEC_CLUSTER, &to) ||
		    !exec_shared_place(w, u, lane, exec_bulk_value(fp, &r->mbarrier, lane), 8, 8, true, EXEC_CLUSTER, &bar))
			return;
		if (to.cta != bar.cta) {
			exec_fault(w, u, FAULT_LAUNCH, lane, to.offset, "it writes to the shared memory of CTA %u of the cluster, its mbarrier is in that of CTA %u",
			           to.cta->rank, bar.cta->rank);
			return;
		}
		values(fp, r, lane, data);
		if (r->op == EXEC_BULK_COPY)
			memcpy(to.at, data, bytes);
		else
			exec_bulk_reduce((enum exec_bulk_op)r->op, (enum uop_type)r->type, to.at, data, bytes);
		exec_copy_start(w, u, lane, &(struct exec_copy){.kind = EXEC_COPY_REMOTE, .bytes = bytes, .shared = to.offset,
		                                                .ctas = (uint16_t)(1u << to.cta->rank), .mbarrier = bar.offset});
	}
}
