#include "gpgpu-sim/sm/bulk.h"

#include "base/mem.h"
#include "gpgpu-sim/sm/remote.h"
#include "gpgpu-sim/sm/sm.h"

// A copy from issue to its completion.
struct copy {
	struct fe_cta *fe;
	struct kernel_run *k;
	struct fe_copy c;
	uint64_t issued;
	uint64_t ready;        // first cycle in which the unit may begin with it; then, when all answers are there, that in which it is complete
	uint32_t piece;        // the next to ask for
	uint32_t at;           // byte in it
	uint32_t waits;        // answers to come
	uint32_t line;         // for counters of source lines
	uint16_t warp;
	uint8_t group;
	bool sent;             // all requests are out
	bool map_asked;
	uint32_t next;         // in the queue, or among those that are complete at some time
};

enum { NONE = UINT32_MAX };

struct queue {
	uint32_t first, last;
};

struct bulk_unit {
	struct copy *copy;
	uint32_t n, free;          // chain of unused ones
	struct queue waiting;      // for the unit; the first is at work
	struct queue done;         // by the cycle in which they are complete
	uint64_t begin_at;         // first cycle in which the first one may be looked at; set when it becomes the first
	uint64_t next_copy;        // in which the unit may begin with another copy
	uint64_t next_request;
	uint32_t newest;           // kernel that it has worked for, by uid
	uint32_t outstanding;      // answers to come, of all copies
	uint64_t *map;             // tensor maps that it has, most recent first
	uint32_t n_map;
	struct mem_req *answers;   // of cycle answers_at, last first
	uint64_t answers_at;
};

static struct bulk_unit *unit(struct sm *m)
{
	if (m->bulk)
		return m->bulk;
	struct bulk_unit *u = m->bulk = MEM_NEW(struct bulk_unit);
	u->free = u->waiting.first = u->waiting.last = u->done.first = u->done.last = NONE;
	u->map = mem_alloc((m->cfg->tma_maps ? m->cfg->tma_maps : 1) * sizeof *u->map);
	return u;
}

void bulk_free(struct bulk_unit *u)
{
	if (!u)
		return;
	mem_free(u->copy);
	mem_free(u->map);
	mem_free(u);
}

// --- queues of copies

static void grow(struct bulk_unit *u)
{
	const uint32_t from = u->n;
	u->n = from ? 2 * from : 64;
	u->copy = mem_realloc(u->copy, u->n * sizeof *u->copy);
	for (uint32_t i = from; i < u->n; i++)
		u->copy[i].next = i + 1 < u->n ? i + 1 : NONE;
	u->free = from;
}

static void append(struct bulk_unit *u, struct queue *q, uint32_t i)
{
	u->copy[i].next = NONE;
	*(q->last == NONE ? &q->first : &u->copy[q->last].next) = i;
	q->last = i;
}

static uint32_t take(struct bulk_unit *u, struct queue *q)
{
	const uint32_t i = q->first;
	q->first = u->copy[i].next;
	if (q->first == NONE)
		q->last = NONE;
	return i;
}

// By `ready`; those of one cycle in the order in which they came.
static void insert_done(struct bulk_unit *u, uint32_t i)
{
	uint32_t *at = &u->done.first;
	while (*at != NONE && u->copy[*at].ready <= u->copy[i].ready)
		at = &u->copy[*at].next;
	u->copy[i].next = *at;
	*at = i;
}

// --- copies

static void answered(struct sm *m, struct bulk_unit *u, uint32_t i, uint64_t now)
{
	struct copy *c = &u->copy[i];
	if (!c->sent || c->waits)
		return;
	c->ready = now + m->cfg->tma_write_latency;
	insert_done(u, i);
}

// A copy becomes the first.
static void begin(struct sm *m, struct bulk_unit *u)
{
	const uint64_t ready = u->copy[u->waiting.first].ready;
	u->begin_at = ready > u->next_copy ? ready : u->next_copy;
	u->next_copy = u->begin_at + m->cfg->tma_interval;
}

// From issue to the first request.
static uint64_t start_latency(const struct sm *m, struct bulk_unit *u, const struct copy *c)
{
	const uint32_t kernel = c->k->launch->uid;
	const bool first = kernel > u->newest;
	if (first)
		u->newest = kernel;
	return (uint64_t)m->cfg->tma_latency + (c->c.map ? m->cfg->tma_map_latency : 0) + (first ? m->cfg->tma_first_latency : 0);
}

void bulk_start(struct sm *m, const struct winst *w, const struct fe_result *r)
{
	struct bulk_unit *u = unit(m);
	const struct sm_warp *warp = &m->warp[w->warp];
	for (uint32_t k = 0; k < r->n_copy; k++) {
		if (u->free == NONE)
			grow(u);
		const uint32_t i = u->free;
		struct copy *c = &u->copy[i];
		u->free = c->next;
		*c = (struct copy){.fe = warp->fe, .k = warp->k, .c = r->copy[k], .warp = w->warp, .line = w->line, .issued = m->now};
		m->warp[w->warp].async++;
		m->stats.bulk_copies++;
		m->stats.bulk_bytes += c->c.bytes;
		if (c->c.grouped) {
			c->group = sm_group_join(m, w->warp, SM_BULK);
			sm_group_join(m, w->warp, SM_BULK_READS);
		}
		if (c->c.kind == FE_COPY_REMOTE) {
			c->sent = true;
			c->ready = remote_pass(m, c->c.bytes, m->now);
			insert_done(u, i);
			continue;
		}
		c->ready = m->now + start_latency(m, u, c);
		append(u, &u->waiting, i);
		if (u->waiting.first == i)
			begin(m, u);
	}
}

static void group_leaves(struct sm *m, const struct copy *c, enum sm_group_kind kind)
{
	if (sm_group_leave(m, c->warp, kind, c->group))
		m->core->refresh(m, c->warp);
}

// All requests of the first copy are out.
static void sent(struct sm *m, struct bulk_unit *u, uint64_t now)
{
	const uint32_t i = take(u, &u->waiting);
	struct copy *c = &u->copy[i];
	c->sent = true;
	m->stats.bulk_busy += now - c->issued;
	if (c->c.grouped)
		group_leaves(m, c, SM_BULK_READS);
	if (u->waiting.first != NONE)
		begin(m, u);
	answered(m, u, i, now);
}

static void complete(struct sm *m, struct bulk_unit *u, uint32_t i)
{
	struct copy *c = &u->copy[i];
	struct kernel_run *k = c->k;
	const unsigned cta = m->warp[c->warp].cta;
	if (c->c.elsewhere)
		sm_copy_elsewhere(m, cta, c->c.token);
	else if (k->launch->fe->copy_done(c->fe, c->c.token) == FE_FAULT)
		sm_failed(m, k);
	else
		sm_cta_warps_moved(m, cta);
	if (c->c.grouped)
		group_leaves(m, c, SM_BULK);
	sm_async_ended(m, c->warp);
	c->next = u->free;
	u->free = i;
}

// --- requests

static struct mem_req *request(struct sm *m, const struct copy *c, uint32_t index, uint64_t addr, uint32_t bytes, bool write)
{
	struct mem_req *r = mem_req_new(m->pool);
	const uint64_t from = addr & ~(uint64_t)(MEM_SECTOR - 1), to = (addr + bytes + MEM_SECTOR - 1) & ~(uint64_t)(MEM_SECTOR - 1);
	const unsigned first = from % MEM_MAX_LINE / MEM_SECTOR, n = (unsigned)((to - from) / MEM_SECTOR);
	r->addr = from;
	r->bytes = (uint32_t)(to - from);
	r->type = write ? GLOBAL_ACC_W : GLOBAL_ACC_R;
	r->cache_op = ISA_CACHE_CG;
	r->write = write;
	r->bulk = true;
	r->sm = (uint16_t)m->id;
	r->warp = c->warp;
	r->inst = index;
	r->lanes = 1;
	r->sectors = (uint8_t)(((1u << n) - 1) << first);
	for (unsigned b = addr % MEM_MAX_LINE; write && b < addr % MEM_MAX_LINE + bytes; b++)
		r->mask.w[b / 64] |= (uint64_t)1 << b % 64;
	r->stream = c->k->stream;
	r->pc_line = c->line;
	r->created = m->now;
	return r;
}

static bool full(struct sm *m, uint32_t bytes) { return m->world->icnt_full(m->world->ctx, m->cluster, bytes); }

static uint32_t answers_of(const struct sm *m, const struct mem_req *r) { return r->write ? ldst_acks_of(m, r) : 1; }

static void send(struct sm *m, struct bulk_unit *u, struct copy *c, struct mem_req *r)
{
	const uint32_t n = answers_of(m, r);
	m->stats.bulk_requests++;
	c->waits += n;
	u->outstanding += n;
	ldst_send(m, r);
}

// The answer that a copy waits for is its map before it has asked for anything else.
static bool waits_for_map(const struct copy *c) { return c->map_asked && c->waits && !c->piece && !c->at; }

// The unit has the map; else it asks for it.
static bool has_map(struct sm *m, struct bulk_unit *u, uint32_t index)
{
	struct copy *c = &u->copy[index];
	uint32_t i = 0;
	if (!c->c.map || !m->cfg->tma_maps)
		return true;
	if (c->map_asked)
		return !waits_for_map(c);
	while (i < u->n_map && u->map[i] != c->c.map)
		i++;
	const bool have = i < u->n_map;
	if (!have && full(m, MEM_CONTROL))
		return false;
	if (!have)
		i = u->n_map < m->cfg->tma_maps ? u->n_map++ : u->n_map - 1;
	for (; i; i--)
		u->map[i] = u->map[i - 1];
	u->map[0] = c->c.map;
	c->map_asked = true;
	m->stats.bulk_maps += !have;
	if (!have)
		send(m, u, c, request(m, c, index, c->c.map, MEM_MAX_LINE, false));
	return have;
}

// Bytes that a copy asks for, or sends, in a cycle.
static uint32_t rate(const struct sm *m, const struct copy *c, bool write)
{
	if (c->c.map)
		return m->cfg->tma_bytes;
	return write ? m->cfg->tma_plain_store_bytes : m->cfg->tma_plain_load_bytes;
}

// One request of the first copy. False: nothing can be sent now.
static bool ask(struct sm *m, struct bulk_unit *u, uint64_t now)
{
	const uint32_t i = u->waiting.first;
	struct copy *c = &u->copy[i];
	const bool write = c->c.kind == FE_COPY_STORE || c->c.kind == FE_COPY_REDUCE;
	if (!has_map(m, u, i))
		return false;
	if (c->piece == c->c.n_piece) {
		sent(m, u, now);
		return true;
	}
	const struct fe_piece *p = &c->c.piece[c->piece];
	const uint64_t addr = p->address + c->at;
	uint32_t bytes = MEM_MAX_LINE - addr % MEM_MAX_LINE;
	if (bytes > p->bytes - c->at)
		bytes = p->bytes - c->at;
	if (u->outstanding >= m->cfg->tma_requests || full(m, MEM_CONTROL + (write ? MEM_MAX_LINE : 0)))
		return false;
	send(m, u, c, request(m, c, i, addr, bytes, write));
	u->next_request = now + (bytes + rate(m, c, write) - 1) / rate(m, c, write);
	c->at += bytes;
	if (c->at == p->bytes)
		c->piece++, c->at = 0;
	if (c->piece == c->c.n_piece)
		sent(m, u, now);
	return true;
}

static void take_answers(struct sm *m, struct bulk_unit *u)
{
	while (u->answers) {
		struct mem_req *part = u->answers, *r;
		u->answers = part->next;
		part->next = NULL;
		r = part->write ? part : ldst_whole_answer(m, part);
		if (!r)
			continue;
		const uint32_t i = r->inst;
		mem_req_free(m->pool, r);
		HEDDLE_ASSERT(u->copy[i].waits && u->outstanding);
		u->copy[i].waits--;
		u->outstanding--;
		answered(m, u, i, u->answers_at);
	}
}

void bulk_accept(struct sm *m, struct mem_req *r, uint64_t now)
{
	struct bulk_unit *u = m->bulk;
	if (u->answers && u->answers_at != now)
		take_answers(m, u);
	u->answers_at = now;
	r->next = u->answers;
	u->answers = r;
}

void bulk_tick(struct sm *m, uint64_t now)
{
	struct bulk_unit *u = m->bulk;
	if (u->answers)
		take_answers(m, u);
	while (u->done.first != NONE && u->copy[u->done.first].ready <= now)
		complete(m, u, take(u, &u->done));
	while (u->waiting.first != NONE && u->begin_at <= now && u->next_request <= now)
		if (!ask(m, u, now))
			break;
}

uint64_t bulk_next(const struct sm *m, uint64_t now)
{
	const struct bulk_unit *u = m->bulk;
	uint64_t next = u->done.first != NONE ? u->copy[u->done.first].ready : UINT64_MAX;
	if (u->waiting.first == NONE || waits_for_map(&u->copy[u->waiting.first]) || u->outstanding >= m->cfg->tma_requests)
		return next;
	uint64_t at = u->begin_at > u->next_request ? u->begin_at : u->next_request;
	if (at <= now)
		at = now + 1;
	return at < next ? at : next;
}

bool bulk_alone(const struct sm *m, uint64_t now)
{
	const struct bulk_unit *u = m->bulk;
	return u->done.first == NONE || u->copy[u->done.first].ready > now;
}

bool bulk_unanswered(struct sm *m, uint64_t now, uint64_t gpu)
{
	const struct bulk_unit *u = m->bulk;
	const uint64_t answer = u->answers ? gpu + 1 : away_next(&m->away[1], gpu + 1);
	const bool asks = u->waiting.first != NONE && u->begin_at <= now && u->next_request <= now;
	if (asks && (u->outstanding >= m->cfg->tma_requests || waits_for_map(&u->copy[u->waiting.first])))
		return now < answer;
	return !u->outstanding || answer == UINT64_MAX || now < answer + m->cfg->tma_write_latency;
}

bool bulk_holds_requests(const struct sm *m) { return m->bulk && (m->bulk->answers || m->bulk->waiting.first != NONE); }
