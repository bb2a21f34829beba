#include "gpgpu-sim/sm/remote.h"

#include "gpgpu-sim/sm/sm.h"

uint32_t remote_bytes(const struct fe_access *a)
{
	uint32_t n = 0;
	for (uint32_t left = a->mask; left; left &= left - 1) {
		const unsigned i = (unsigned)__builtin_ctz(left);
		bool again = false;
		for (uint32_t m = left & (left - 1); m && !a->write; m &= m - 1)
			again |= a->addr[__builtin_ctz(m)] == a->addr[i];
		n += !again;
	}
	return n * a->bytes;
}

uint64_t remote_pass(struct sm *m, uint32_t bytes, uint64_t now)
{
	struct sm_remote *r = &m->ldst.remote;
	const uint64_t rate = m->cfg->cluster_bytes, begin = now * rate;
	r->sent = (r->sent > begin ? r->sent : begin) + bytes;
	return (r->sent + rate - 1) / rate + m->cfg->cluster_latency;
}

void remote_send(struct sm *m, struct winst *w, uint64_t now)
{
	struct sm_remote *r = &m->ldst.remote;
	const uint64_t due = remote_pass(m, w->cycles, now);
	RING_PUSH(r, (struct sm_remote_access){.due = due, .w = w->store ? NULL : w, .warp = w->warp});
	if (w->store)
		sm_store_begins(m, w->warp, 1);
}

struct winst *remote_take(struct sm *m, uint64_t now)
{
	struct sm_remote *r = &m->ldst.remote;
	while (r->n && RING_FRONT(r)->due <= now) {
		const struct sm_remote_access a = RING_TAKE(r);
		if (a.w)
			return a.w;
		sm_store_done(m, a.warp);
	}
	return NULL;
}
