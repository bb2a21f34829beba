// First ready, first come first served: each bank serves the requests of its row in service, oldest first; when none is
// left, those of the open row, else the row of its oldest request. With -dram_seperate_write_queue_enable writes wait in
// queues of their own, which are served from the high watermark down to the low one.
#include "gpgpu-sim/memory/dram_sched.h"

#include "base/mem.h"

struct lane { // requests of one bank, one direction
	struct dram_req *oldest, *newest;
	struct dram_req *serve; // oldest request of the row in service; NULL if no row is
};

struct frfcfs {
	uint64_t have[2];                    // banks with requests in such a lane
	uint32_t n[2];
	uint32_t awaited;                    // writes in lane 1 that keep the GPU busy
	bool draining;                       // serves lane 1
	struct lane lane[2][DRAM_MAX_BANKS]; // [1]: writes with a queue of their own
};

static void *make(const struct dram_config *c) { return mem_alloc_dense(sizeof(struct frfcfs)); }
static void end(void *f) { mem_free_dense(f, sizeof(struct frfcfs)); }

static bool full(const struct dram *d, bool write)
{
	const struct frfcfs *f = d->sched;
	if (!d->cfg->queue)
		return false;
	if (d->cfg->write_split && write)
		return f->n[1] >= d->cfg->write_queue;
	return f->n[0] >= d->cfg->queue;
}

static bool is_awaited(const struct dram_req *q) { return q->r->type != L2_WRBK_ACC; }

static void add(struct frfcfs *f, struct dram_req *q, bool split)
{
	bool w = split && q->write;
	struct lane *l = &f->lane[w][q->bank];
	q->next = NULL;
	q->prev = l->newest;
	*(l->newest ? &l->newest->next : &l->oldest) = q;
	l->newest = q;
	f->n[w]++;
	f->awaited += w && is_awaited(q);
	f->have[w] |= 1ull << q->bank;
}

static struct dram_req *of_row(struct dram_req *from, uint32_t row)
{
	while (from && from->row != row)
		from = from->next;
	return from;
}

static void take(struct frfcfs *f, struct lane *l, struct dram_req *q, bool w)
{
	l->serve = of_row(q->next, q->row);
	*(q->prev ? &q->prev->next : &l->oldest) = q->next;
	*(q->next ? &q->next->prev : &l->newest) = q->prev;
	f->n[w]--;
	f->awaited -= w && is_awaited(q);
	if (!l->oldest)
		f->have[w] &= ~(1ull << q->bank);
}

// A new row comes into service.
static void count_row(struct dram_bank_stats *b, uint64_t now)
{
	if (now - b->row_since > b->max_row_service)
		b->max_row_service = now - b->row_since;
	b->row_since = now;
	if (b->row_run > b->max_row_run)
		b->max_row_run = b->row_run;
	b->row_run = 0;
	b->n_activate++;
}

static void count_request(struct dram_stats *s, const struct dram_req *q, bool hit)
{
	s->access_num++;
	s->hits_num += hit;
	*(q->write ? &s->write_num : &s->read_num) += 1;
	*(q->write ? &s->hits_write_num : &s->hits_read_num) += hit;
	s->bank[q->bank].row_run++;
	s->bank[q->bank].row_access++;
}

static void count_wait(struct memory_latency *l, struct dram_req *q, uint64_t now)
{
	uint64_t wait = now - q->since;
	q->since = now;
	l->tot_mrq += wait;
	l->tot_mrq_num++;
	l->mrq_table[latency_bin(wait)]++;
	if (wait > l->max_mrq)
		l->max_mrq = wait;
}

static void count_position(struct memory_latency *l, const struct dram_req *q)
{
	unsigned n = 0;
	for (; q->prev && n < STAT_POSITIONS - 1; q = q->prev)
		n++;
	l->mrq_position[n]++;
}

// Which lane the next free bank is served from; looked at whenever there is one, as GPGPU-Sim does. It leaves writes below
// the high watermark alone for ever, which is right for write-backs of L2 only: when nothing else is left, those that keep
// the GPU busy are served.
static bool drains_next(const struct frfcfs *f, const struct dram *d)
{
	bool stuck = f->awaited && !f->n[0] && !d->busy;
	if (f->draining)
		return f->n[1] >= d->cfg->write_low || stuck;
	return d->cfg->write_split && (f->n[1] >= d->cfg->write_high || stuck);
}

static uint64_t free_banks(const struct dram *d)
{
	unsigned n = d->cfg->timing.banks;
	return ~d->busy & (n == 64 ? UINT64_MAX : (1ull << n) - 1);
}

static bool ready(const struct dram *d)
{
	const struct frfcfs *f = d->sched;
	uint64_t idle = free_banks(d);
	bool drain = drains_next(f, d);
	return d->completed || d->entry.n || (idle & f->have[drain]) || (idle && drain != f->draining);
}

static void hand_out(struct dram *d, struct frfcfs *f, unsigned bank, uint64_t now)
{
	struct lane *l = &f->lane[f->draining][bank];
	struct dram_req *q = l->serve;
	bool hit = true;
	if (!q) {
		q = of_row(l->oldest, d->bank[bank].row);
		if (!q) {
			q = l->oldest;
			count_row(&d->stats.bank[bank], now);
			hit = false;
		}
	}
	count_request(&d->stats, q, hit);
	if (d->cfg->position_stat)
		count_position(d->latency, q);
	take(f, l, q, f->draining);
	if (d->cfg->latency_stat)
		count_wait(d->latency, q, now);
	dram_serve(d, q);
}

static bool tick(struct dram *d, uint64_t now)
{
	struct frfcfs *f = d->sched;
	bool moved = false;
	for (struct dram_req *q; (q = dram_next_completed(d)); moved = true)
		add(f, q, d->cfg->write_split);
	for (; !port_empty(&d->entry); moved = true)
		add(f, port_pop(&d->entry), d->cfg->write_split);
	uint64_t idle = free_banks(d);
	if (!idle)
		return moved;
	f->draining = drains_next(f, d);
	uint64_t ask = idle & f->have[f->draining];
	if (!ask)
		return moved;
	uint64_t from_turn = ask >> d->turn << d->turn;
	unsigned bank = __builtin_ctzll(from_turn ? from_turn : ask);
	d->turn = d->turn + 1 == d->cfg->timing.banks ? 0 : d->turn + 1;
	hand_out(d, f, bank, now);
	return true;
}

static uint32_t waiting(const struct dram *d) { return ((const struct frfcfs *)d->sched)->n[0]; }

static uint32_t pending(const struct dram *d)
{
	const struct frfcfs *f = d->sched;
	return f->n[0] + f->n[1] + d->entry.n;
}

const struct dram_sched_ops dram_frfcfs = {
	.name = "frfcfs", .by_bank = true, .make = make, .free = end, .full = full, .tick = tick, .ready = ready, .waiting = waiting, .pending = pending,
};
