#include "gpgpu-sim/modern/front.h"

#include "base/lines.h"
#include "gpgpu-sim/modern/l0_cache.h"
#include "gpgpu-sim/modern/modern.h"
#include "gpgpu-sim/modern/stream_buffer.h"
#include "gpgpu-sim/sm/observer.h"

// Timing address of code: above what the address maps of small GPUs give to data. GPGPU-Sim's PROGRAM_MEM_START.
#define CODE_BASE ((uint64_t)0xF0000000)

enum {
	MACHINE_BYTES = 16, // an instruction of the GPU, whatever the front end's take
	MAX_IBUFFER = 64,   // its valid entries are bits
	LDC_LINES = 64,     // lines under way for constant loads
	HIT_CYCLES = 2,     // from the look-up, or the fill, to decode
};

// Who uses the ways to and from L1: in each kind, a sub-core by number.
enum { CLIENT_INST = 0, CLIENT_CONST = MODERN_SUBCORES, CLIENT_LDC = 2 * MODERN_SUBCORES, CLIENT_PREFETCH, CLIENT_N = CLIENT_LDC + 1,
       CLIENT_PRELOAD = CLIENT_PREFETCH + MODERN_SUBCORES };

// A warp's buffer holds instructions `head` up to `next` (not included) of those since it was sent where it runs; bit i of
// `valid` is set if instruction head + i has been decoded, the others are on their way.
struct front_warp {
	uint64_t pc, addr;  // of the next one to be fetched: in its code, for timing
	uint64_t valid;
	uint32_t head, next;
	uint32_t epoch;     // how often it was sent elsewhere: what it asked for before is dropped
	uint32_t hint;      // place in L0 of the line fetched last
	uint32_t step;      // of its pc, per instruction
	const struct frontend_ops *ends; // tells where `code` ends; NULL: the front end does not know
	const void *code;
	uint16_t stream;
	bool active;
};

// An instruction on its way from L0 to decode.
struct front_answer {
	uint64_t ready;
	uint32_t epoch, seq;
	uint8_t warp;
};

struct front_sub {
	struct l0_cache l0i, l0fl;
	struct stream_buffer stream;
	RING(struct front_answer) answer; // in the order in which they are decoded
};

struct modern_front {
	_Alignas(64) struct front_sets set;
	uint32_t sending;   // clients whose queue holds something
	uint32_t streaming; // sub-cores whose stream buffer would ask for a line
	uint32_t const_refused; // clients that have asked for a constant without a place for it
	uint64_t const_retry; // cycle in which one of them would be taken
	const struct modern_config *cfg;
	uint64_t new_ready; // cycle in which the last one to come is first seen by issue
	uint32_t ibuffer;
	bool perfect_inst, perfect_const;
	struct front_sub sub[MODERN_SUBCORES];
	struct front_warp warp[CORE_MAX_WARPS];

	// Between the L0s and L1
	struct line_ring *queue[CLIENT_N]; // misses of each client
	uint8_t turn, prefetch_turn; // client and sub-core that is asked first
	struct line_ring to, from;   // the ways
	struct line_req hit;         // of L1 in the last cycle, while has_hit
	bool has_hit;
	bool blocked;       // L1 refused the first request while its version was blocked_at
	uint64_t blocked_at;
	struct line_ring ldc_queue, ldc_back;
	uint32_t ldc_out;   // in either or between

	// Lines of a kernel that L1 asks for by itself
	struct preload {
		uint64_t of;                 // code_base of the last kernel since instruction caches were invalidated, plus one
		uint32_t left;               // lines
		uint64_t pc, addr;           // of the next one: in its code, for timing
		const struct frontend_ops *ends; // and the rest: as of a warp
		const void *code;
		uint32_t step;
		uint16_t stream;
		bool blocked;                // L1 refused it while its version was blocked_at
		uint64_t blocked_at;
	} preload;

	struct front_stats stats;
};

// ---- Construction

// The warp slots of a sub-core.
static uint64_t warps_of(unsigned s) { return UINT64_MAX / ((1u << MODERN_SUBCORES) - 1) << s; }

static uint32_t at_least_one(uint32_t n) { return n ? n : 1; }

static void init_sub(struct modern_front *f, unsigned s, const struct modern_config *cfg)
{
	struct front_sub *u = &f->sub[s];
	if (!f->perfect_inst) {
		l0_init(&u->l0i, &cfg->l0i, true);
		stream_init(&u->stream, cfg->prefetch ? cfg->stream_lines : 0, cfg->stream_associative);
	}
	if (!f->perfect_const)
		l0_init(&u->l0fl, &cfg->l0fl, false);
	// All waiters at once, and what hits before the first of them is decoded: from then on as many leave as come.
	RING_INIT(&u->answer, u->l0i.n_waiter + 16);
	f->queue[CLIENT_INST + s] = &u->l0i.queue;
	f->queue[CLIENT_CONST + s] = &u->l0fl.queue;
}

struct modern_front *front_new(struct sm *m, const struct modern_config *cfg)
{
	struct modern_front *f = mem_alloc_dense(sizeof *f);
	f->cfg = cfg;
	f->ibuffer = at_least_one(cfg->ibuffer < MAX_IBUFFER ? cfg->ibuffer : MAX_IBUFFER);
	f->perfect_inst = cfg->perfect_inst || m->cfg->perfect_inst_const || !cfg->l0i.present;
	f->perfect_const = cfg->perfect_const || m->cfg->perfect_inst_const || !cfg->l0fl.present;
	for (unsigned s = 0; s < MODERN_SUBCORES; s++)
		init_sub(f, s, cfg);
	RING_INIT(&f->to, at_least_one(cfg->to_l1) * at_least_one(cfg->l1_requests));
	RING_INIT(&f->from, at_least_one(cfg->from_l1) * at_least_one(cfg->l1_replies));
	RING_INIT(&f->ldc_queue, LDC_LINES);
	RING_INIT(&f->ldc_back, LDC_LINES);
	f->queue[CLIENT_LDC] = &f->ldc_queue;
	return f;
}

void front_free(struct modern_front *f)
{
	if (!f)
		return;
	for (unsigned s = 0; s < MODERN_SUBCORES; s++) {
		struct front_sub *u = &f->sub[s];
		l0_free(&u->l0i);
		l0_free(&u->l0fl);
		stream_free(&u->stream);
		RING_FREE(&u->answer);
	}
	RING_FREE(&f->to);
	RING_FREE(&f->from);
	RING_FREE(&f->ldc_queue);
	RING_FREE(&f->ldc_back);
	mem_free_dense(f, sizeof *f);
}

const struct front_stats *front_counts(const struct modern_front *f) { return &f->stats; }

// ---- Instruction buffers

static uint64_t bit(unsigned n) { return (uint64_t)1 << n; }

static void set_bit(uint64_t *set, unsigned n, bool on) { *set = on ? *set | bit(n) : *set & ~bit(n); }

static void update_want(struct modern_front *f, unsigned warp)
{
	const struct front_warp *x = &f->warp[warp];
	set_bit(&f->set.want, warp, x->active && x->next - x->head < f->ibuffer && (!x->ends || x->ends->inst_at(x->code, x->pc)));
}

static void empty(struct modern_front *f, unsigned warp)
{
	struct front_warp *x = &f->warp[warp];
	f->stats.dropped += x->next - x->head - (unsigned)__builtin_popcountll(x->valid);
	x->epoch++;
	x->head = x->next = 0;
	x->valid = 0;
	set_bit(&f->set.ready, warp, false);
	set_bit(&f->set.want, warp, false);
	set_bit(&f->set.refused, warp, false);
}

static void start_preload(struct sm *m, struct modern_front *f, unsigned warp)
{
	const struct front_warp *x = &f->warp[warp];
	const struct kernel_run *k = m->warp[warp].k;
	if (!f->cfg->preload_lines || f->perfect_inst || !m->l1i.cache || f->preload.of == k->code_base + 1)
		return;
	const uint64_t line = (uint64_t)1 << f->sub[0].l0i.shift, before = x->addr & (line - 1);
	f->preload = (struct preload){.of = k->code_base + 1, .left = f->cfg->preload_lines, .pc = x->pc - before / MACHINE_BYTES * x->step,
	                              .addr = x->addr - before, .ends = x->ends, .code = x->code, .step = x->step, .stream = x->stream};
}

void front_redirect(struct sm *m, unsigned warp, uint64_t pc)
{
	struct modern_front *f = m->modern->front;
	struct front_warp *x = &f->warp[warp];
	const struct kernel_run *k = m->warp[warp].k;
	const struct frontend_ops *fe = k->launch->fe;
	const bool starts = !x->active;
	empty(f, warp);
	x->active = true;
	x->pc = pc;
	x->step = fe->inst_bytes;
	x->addr = CODE_BASE + (k->code_base + pc) * MACHINE_BYTES / fe->inst_bytes;
	x->ends = fe->inst_at ? fe : NULL; // where the code is not known, all that lies beside the path counts as code
	x->code = k->launch->code;
	x->stream = k->stream;
	update_want(f, warp);
	if (starts)
		start_preload(m, f, warp);
}

// The code may go when the last warp that runs it has.
static void stop_preload(struct modern_front *f)
{
	for (unsigned i = 0; i < CORE_MAX_WARPS; i++)
		if (f->warp[i].active && f->warp[i].code == f->preload.code)
			return;
	f->preload = (struct preload){0};
}

void front_stop(struct sm *m, unsigned warp)
{
	struct modern_front *f = m->modern->front;
	empty(f, warp);
	f->warp[warp].active = false;
	if (f->preload.left)
		stop_preload(f);
}

unsigned front_buffered(const struct sm *m, unsigned warp) { return (unsigned)__builtin_popcountll(m->modern->front->warp[warp].valid); }

const struct front_sets *front_sets(const struct modern_front *f) { return &f->set; }

void front_consume(struct sm *m, unsigned warp)
{
	struct modern_front *f = m->modern->front;
	struct front_warp *x = &f->warp[warp];
	HEDDLE_ASSERT(x->valid & 1);
	x->valid >>= 1;
	x->head++;
	set_bit(&f->set.ready, warp, x->valid & 1);
	update_want(f, warp);
}

// ---- From L0 to decode

static bool stale(const struct modern_front *f, const struct front_answer *a) { return f->warp[a->warp].epoch != a->epoch; }

// The warp that issued last goes first here too, so that a line that others waited for does not make it stumble: in Figure
// 4a of Huerta et al. W2 runs from 16 to 48 while the line that W3 waited for comes.
static void put_first(struct front_sub *u, unsigned greedy, uint64_t now)
{
	uint32_t i = 0;
	while (i < u->answer.n && RING_AT(&u->answer, i)->warp != greedy && RING_AT(&u->answer, i)->ready <= now)
		i++;
	if (i == u->answer.n || RING_AT(&u->answer, i)->warp != greedy || RING_AT(&u->answer, i)->ready > now)
		return;
	struct front_answer a = *RING_AT(&u->answer, i);
	for (; i; i--)
		*RING_AT(&u->answer, i) = *RING_AT(&u->answer, i - 1);
	*RING_FRONT(&u->answer) = a;
}

static void await_decode(struct modern_front *f, unsigned subcore, struct front_answer a)
{
	RING_PUSH(&f->sub[subcore].answer, a);
	f->set.decoding |= 1u << subcore;
}

// One instruction a cycle; those whose warp has gone elsewhere take no time.
static void decode(struct sm *m, struct modern_front *f, unsigned subcore, uint64_t now, unsigned greedy)
{
	struct front_sub *u = &f->sub[subcore];
	if (u->answer.n > 1 && RING_FRONT(&u->answer)->warp != greedy)
		put_first(u, greedy, now);
	while (u->answer.n && stale(f, RING_FRONT(&u->answer)))
		RING_DROP(&u->answer);
	const struct front_answer *a = RING_FRONT(&u->answer);
	if (!u->answer.n)
		f->set.decoding &= ~(1u << subcore);
	if (!u->answer.n || a->ready > now)
		return;
	struct front_warp *x = &f->warp[a->warp];
	x->valid |= bit(a->seq - x->head);
	if (a->seq == x->head) {
		f->set.ready |= bit(a->warp);
		f->new_ready = now + 1;
		modern_look(m->modern, subcore);
	}
	sm_see_fetch(m, a->warp, x->pc - (uint64_t)(x->next - a->seq) * x->step, "is decoded");
	RING_DROP(&u->answer);
}

// ---- Fetch

static void update_streaming(struct modern_front *f, unsigned s)
{
	f->streaming = stream_asks(&f->sub[s].stream) ? f->streaming | 1u << s : f->streaming & ~(1u << s);
}

static void queue_miss(struct modern_front *f, unsigned client, uint64_t addr, uint16_t stream)
{
	RING_PUSH(f->queue[client], (struct line_req){.addr = addr, .stream = stream, .client = (uint8_t)client});
	f->sending |= 1u << client;
}

// An access that missed in the tags: the instruction waits for the line, if there is room.
static bool wait_for(struct modern_front *f, unsigned s, unsigned warp, uint64_t line)
{
	struct front_sub *u = &f->sub[s];
	struct front_warp *x = &f->warp[warp];
	struct l0_cache *c = &u->l0i;
	struct l0_miss *miss = l0_missing(c, line);
	struct stream_line *buffered = stream_line_of(&u->stream, line);
	if (!l0_can_wait(c, miss) || (!miss && (l0_full(c) || (!buffered && RING_FULL(&c->queue)))))
		return false;
	if (!miss) {
		miss = l0_add(c, line);
		if (buffered) {
			buffered->promised = true;
			f->stats.prefetch_hits++;
			f->stats.prefetch_late++;
		} else {
			queue_miss(f, CLIENT_INST + s, line << c->shift, x->stream);
			f->stats.l0_requests++;
		}
	}
	l0_wait(c, miss, (struct l0_waiter){.epoch = x->epoch, .seq = x->next, .warp = (uint8_t)warp});
	if (!buffered) {
		stream_missed(&u->stream, line, x->stream);
		update_streaming(f, s);
	}
	return true;
}

// The line is in the stream buffer, can be used and has come: it moves to L0. That takes no time, as Figures 4b and 4c of
// Huerta et al. show: a warp runs from line to line without a bubble.
static bool take_buffered(struct modern_front *f, unsigned s, uint64_t line)
{
	struct front_sub *u = &f->sub[s];
	struct stream_line *l = stream_line_of(&u->stream, line);
	if (!l || !l->here)
		return false;
	l0_fill(&u->l0i, line);
	f->set.refused &= ~warps_of(s);
	stream_use(&u->stream, l);
	update_streaming(f, s);
	f->stats.prefetch_hits++;
	return true;
}

enum outcome { HITS, BUFFERED, MISSES, REFUSED };

static enum outcome look_up(struct modern_front *f, unsigned s, unsigned warp)
{
	struct front_warp *x = &f->warp[warp];
	struct l0_cache *c = &f->sub[s].l0i;
	uint64_t line = x->addr >> c->shift;
	int place = l0_find(c, line, x->hint);
	if (place >= 0) {
		x->hint = (uint32_t)place;
		l0_use(c, place);
		return HITS;
	}
	if (take_buffered(f, s, line))
		return BUFFERED;
	return wait_for(f, s, warp, line) ? MISSES : REFUSED;
}

// Warps at a barrier come last, else the youngest first behind the one that issued last.
static unsigned choose(const struct sm *m, uint64_t want, unsigned greedy)
{
	if (want & ~m->at_barrier)
		want &= ~m->at_barrier;
	if (greedy < CORE_MAX_WARPS && want & bit(greedy))
		return greedy;
	unsigned best = (unsigned)__builtin_ctzll(want);
	for (want &= want - 1; want; want &= want - 1) {
		unsigned w = (unsigned)__builtin_ctzll(want);
		if (m->age[w] > m->age[best])
			best = w;
	}
	return best;
}

static void fetch(struct sm *m, struct modern_front *f, unsigned s, unsigned warp, uint64_t now)
{
	struct front_warp *x = &f->warp[warp];
	enum outcome o = f->perfect_inst ? HITS : look_up(f, s, warp);
	sm_see_fetch(m, warp, x->pc, o == REFUSED ? "is refused" : o == MISSES ? "misses" : "hits");
	if (o == REFUSED) {
		f->set.refused |= bit(warp);
		f->stats.refusals++;
		return;
	}
	if (o != MISSES)
		await_decode(f, s, (struct front_answer){.ready = now + HIT_CYCLES, .epoch = x->epoch, .seq = x->next, .warp = (uint8_t)warp});
	f->stats.fetches++;
	f->stats.fetch_misses += o == MISSES;
	*(o == HITS ? &f->stats.l0_hits : &f->stats.l0_misses) += 1;
	m->stats.fetches++;
	m->stats.fetch_misses += o == MISSES;
	x->next++;
	x->pc += x->step;
	x->addr += MACHINE_BYTES;
	update_want(f, warp);
}

void front_fetch(struct sm *m, unsigned subcore, uint64_t now, unsigned greedy)
{
	struct modern_front *f = m->modern->front;
	if (f->set.decoding >> subcore & 1)
		decode(m, f, subcore, now, greedy);
	uint64_t want = f->set.want & warps_of(subcore) & ~f->set.refused;
	if (want)
		fetch(m, f, subcore, choose(m, want, greedy), now);
}

// ---- Lines that come to an L0

static void line_comes(struct modern_front *f, unsigned s, uint64_t line, uint64_t now)
{
	struct front_sub *u = &f->sub[s];
	struct l0_miss *miss = l0_missing(&u->l0i, line);
	struct l0_waiter w;
	HEDDLE_ASSERT(miss);
	l0_fill(&u->l0i, line);
	f->set.refused &= ~warps_of(s);
	while (l0_take_waiter(&u->l0i, miss, &w)) {
		struct front_answer a = {.ready = now + HIT_CYCLES, .epoch = w.epoch, .seq = w.seq, .warp = w.warp};
		if (!stale(f, &a))
			await_decode(f, s, a);
	}
}

static void prefetch_comes(struct modern_front *f, unsigned s, uint64_t line, uint64_t now)
{
	struct stream_buffer *b = &f->sub[s].stream;
	f->set.refused &= ~warps_of(s);
	if (!stream_arrived(b, line))
		return;
	line_comes(f, s, line, now);
	stream_use(b, stream_line_of(b, line));
	update_streaming(f, s);
}

static void reply_comes(struct sm *m, struct modern_front *f, const struct line_req *q, uint64_t now)
{
	unsigned client = q->client;
	if (client >= CLIENT_PREFETCH) {
		unsigned s = client - CLIENT_PREFETCH;
		prefetch_comes(f, s, q->addr >> f->sub[s].l0i.shift, now);
	} else if (client == CLIENT_LDC) {
		RING_PUSH(&f->ldc_back, *q);
	} else if (client >= CLIENT_CONST) {
		struct l0_cache *c = &f->sub[client - CLIENT_CONST].l0fl;
		uint64_t line = q->addr >> c->shift;
		l0_fill(c, line);
		l0_end(c, l0_missing(c, line));
		modern_constant_comes(m->modern, client - CLIENT_CONST);
	} else {
		line_comes(f, client, q->addr >> f->sub[client].l0i.shift, now);
	}
}

// ---- Constants

enum front_look front_constant(struct sm *m, unsigned subcore, uint64_t addr, uint16_t stream)
{
	struct modern_front *f = m->modern->front;
	struct l0_cache *c = &f->sub[subcore].l0fl;
	uint64_t line = addr >> c->shift;
	int place = f->perfect_const ? 0 : l0_find_slow(c, line);
	if (place >= 0) {
		if (!f->perfect_const)
			l0_use(c, place);
		f->stats.const_hits++;
		return FRONT_HIT;
	}
	if (l0_missing(c, line))
		return FRONT_COMES;
	if (l0_full(c) || RING_FULL(&c->queue)) {
		f->const_refused |= 1u << (CLIENT_CONST + subcore);
		return FRONT_REFUSED;
	}
	l0_add(c, line);
	queue_miss(f, CLIENT_CONST + subcore, line << c->shift, stream);
	f->stats.const_misses++;
	return FRONT_COMES;
}

bool front_request_constant(struct sm *m, uint64_t addr, uint16_t stream)
{
	struct modern_front *f = m->modern->front;
	if (f->ldc_out >= LDC_LINES)
		return false;
	f->ldc_out++;
	queue_miss(f, CLIENT_LDC, addr, stream);
	return true;
}

bool front_constant_back(struct sm *m, uint64_t *addr)
{
	struct modern_front *f = m->modern->front;
	if (!f->ldc_back.n)
		return false;
	*addr = RING_TAKE(&f->ldc_back).addr;
	f->ldc_out--;
	return true;
}

// ---- The ways and L1

static void send_reply(struct modern_front *f, struct line_req q, uint64_t now)
{
	q.ready = now + f->cfg->from_l1;
	RING_PUSH(&f->from, q);
}

static void take_replies(struct sm *m, struct modern_front *f, uint64_t now)
{
	while (f->from.n && RING_FRONT(&f->from)->ready <= now) {
		struct line_req q = RING_TAKE(&f->from);
		reply_comes(m, f, &q, now);
	}
}

// Answers from L2 go first: there are no more of them than L1 has MSHRs, so hits get their turn.
static void send_replies(struct sm *m, struct modern_front *f, uint64_t now)
{
	uint32_t room = at_least_one(f->cfg->l1_replies);
	for (; room && m->l1i.busy && !RING_FULL(&f->from) && cache_access_ready(m->l1i.cache); room--) {
		struct mem_req *r = cache_next_access(m->l1i.cache);
		if (r->lanes != CLIENT_PRELOAD)
			send_reply(f, (struct line_req){.addr = r->addr, .stream = r->stream, .client = (uint8_t)r->lanes}, now);
		mem_req_free(m->pool, r);
	}
	if (room && f->has_hit && !RING_FULL(&f->from)) {
		send_reply(f, f->hit, now);
		f->has_hit = false;
	}
}

// The client is kept in `lanes`, which nothing on the way looks at.
static struct mem_req *request(struct sm *m, const struct line_req *q, uint64_t now)
{
	struct mem_req *r = mem_req_new(m->pool);
	r->addr = q->addr;
	r->bytes = MACHINE_BYTES;
	r->type = INST_ACC_R;
	r->sm = (uint16_t)m->id;
	r->stream = q->stream;
	r->lanes = q->client;
	r->created = now;
	return r;
}

static bool l1_blocked(const struct sm *m, const struct modern_front *f)
{
	return f->blocked && cache_version(m->l1i.cache) == f->blocked_at;
}

static bool preload_blocked(const struct sm *m, const struct modern_front *f)
{
	return f->preload.blocked && cache_version(m->l1i.cache) == f->preload.blocked_at;
}

static void access_l1(struct sm *m, struct modern_front *f, uint64_t now)
{
	if (f->has_hit || !f->to.n || RING_FRONT(&f->to)->ready > now)
		return;
	enum cache_status status = CACHE_HIT;
	if (m->l1i.cache) {
		if (l1_blocked(m, f))
			return;
		struct mem_req *r = request(m, RING_FRONT(&f->to), now);
		unsigned events;
		lazy_touch(&m->l1i);
		status = cache_access(m->l1i.cache, r, now, &events);
		f->blocked = status == CACHE_RESERVATION_FAIL;
		if (status == CACHE_HIT || f->blocked)
			mem_req_free(m->pool, r);
		if (f->blocked) {
			f->blocked_at = cache_version(m->l1i.cache);
			return;
		}
	}
	struct line_req q = RING_TAKE(&f->to);
	f->stats.l1_accesses++;
	if (status == CACHE_HIT) {
		f->hit = q;
		f->has_hit = true;
	} else {
		f->stats.l1_misses++;
	}
}

// In a cycle in which nobody else comes to L1.
static void preload(struct sm *m, struct modern_front *f, uint64_t now)
{
	struct preload *p = &f->preload;
	if ((f->to.n && RING_FRONT(&f->to)->ready <= now) || preload_blocked(m, f))
		return;
	if (p->ends && !p->ends->inst_at(p->code, p->pc)) {
		p->left = 0;
		return;
	}
	struct mem_req *r = request(m, &(struct line_req){.addr = p->addr, .stream = p->stream, .client = CLIENT_PRELOAD}, now);
	unsigned events;
	lazy_touch(&m->l1i);
	const enum cache_status status = cache_access(m->l1i.cache, r, now, &events);
	p->blocked = status == CACHE_RESERVATION_FAIL;
	p->blocked_at = cache_version(m->l1i.cache);
	if (status == CACHE_HIT || p->blocked)
		mem_req_free(m->pool, r);
	if (p->blocked)
		return;
	const uint64_t line = (uint64_t)1 << f->sub[0].l0i.shift;
	p->left--;
	p->addr += line;
	p->pc += line / MACHINE_BYTES * p->step;
}

void front_tick_l1(struct sm *m, uint64_t now)
{
	struct modern_front *f = m->modern->front;
	if (f->from.n)
		take_replies(m, f, now);
	if (f->has_hit | m->l1i.busy)
		send_replies(m, f, now);
	if (f->preload.left)
		preload(m, f, now);
	if (f->to.n)
		access_l1(m, f, now);
	lazy_tick(&m->l1i);
}

// The first of a set of numbers below `n` at or behind `turn`, going round.
static unsigned in_turn(uint32_t set, unsigned turn)
{
	uint32_t behind = set >> turn << turn;
	return (unsigned)__builtin_ctz(behind ? behind : set);
}

static void send(struct modern_front *f, struct line_req q, uint64_t now)
{
	q.ready = now + f->cfg->to_l1;
	RING_PUSH(&f->to, q);
}

static void send_miss(struct modern_front *f, unsigned client, uint64_t now)
{
	send(f, RING_TAKE(f->queue[client]), now);
	if (!f->queue[client]->n)
		f->sending &= ~(1u << client);
	if (client < CLIENT_CONST)
		f->set.refused &= ~warps_of(client);
	else if (f->const_refused >> client & 1)
		f->const_retry = now + 1;
	f->const_refused &= ~(1u << client);
	f->turn = (uint8_t)((client + 1) % CLIENT_N);
}

static bool send_prefetch(struct modern_front *f, unsigned s, uint64_t now)
{
	struct front_sub *u = &f->sub[s];
	struct stream_buffer *b = &u->stream;
	bool asks = true;
	while (asks && (l0_find_slow(&u->l0i, b->next) >= 0 || l0_missing(&u->l0i, b->next)))
		asks = stream_pass(b) && stream_asks(b);
	if (asks) {
		uint16_t stream = b->stream;
		uint64_t line = stream_request(b);
		send(f, (struct line_req){.addr = line << u->l0i.shift, .stream = stream, .client = (uint8_t)(CLIENT_PREFETCH + s)}, now);
		f->stats.prefetches++;
		f->prefetch_turn = (uint8_t)((s + 1) % MODERN_SUBCORES);
	}
	update_streaming(f, s);
	return asks;
}

// An L0 sends one request a cycle; prefetches get what misses leave.
void front_tick_l0(struct sm *m, uint64_t now)
{
	struct modern_front *f = m->modern->front;
	if (!(f->sending | f->streaming))
		return;
	uint32_t room = at_least_one(f->cfg->l1_requests), misses = f->sending, streams = f->streaming & ~f->sending;
	if (room > f->to.size - f->to.n)
		room = f->to.size - f->to.n;
	for (; room && misses; room--) {
		unsigned client = in_turn(misses, f->turn);
		misses &= ~(1u << client);
		send_miss(f, client, now);
	}
	while (room && streams) {
		unsigned s = in_turn(streams, f->prefetch_turn);
		streams &= ~(1u << s);
		room -= send_prefetch(f, s, now);
	}
}

void front_accept(struct sm *m, struct mem_req *r, uint64_t now)
{
	lazy_touch(&m->l1i);
	cache_fill(m->l1i.cache, r, now);
}

// ---- From outside

static uint64_t earlier(uint64_t a, uint64_t b) { return a < b ? a : b; }

// When the first instruction that its warp still wants comes to decode.
static uint64_t next_decode(const struct modern_front *f, const struct front_sub *u)
{
	for (uint32_t i = 0; i < u->answer.n; i++) {
		const struct front_answer *a = RING_AT(&u->answer, i);
		if (!stale(f, a))
			return a->ready;
	}
	return UINT64_MAX;
}

static bool may_send(const struct modern_front *f) { return (f->sending | f->streaming) && !RING_FULL(&f->to); }

uint64_t front_next(const struct sm *m, uint64_t now)
{
	const struct modern_front *f = m->modern->front;
	if (f->has_hit || m->l1i.busy || f->ldc_back.n || may_send(f) || f->const_retry > now || f->new_ready > now)
		return now + 1;
	if (f->preload.left && !preload_blocked(m, f))
		return now + 1;
	if (f->set.want & ~f->set.refused)
		return now + 1;
	uint64_t next = UINT64_MAX;
	for (unsigned s = 0; s < MODERN_SUBCORES && f->set.decoding; s++) {
		const struct front_sub *u = &f->sub[s];
		if (f->set.decoding >> s & 1)
			next = earlier(next, next_decode(f, u));
	}
	if (f->to.n && !l1_blocked(m, f))
		next = earlier(next, RING_FRONT(&f->to)->ready);
	if (f->from.n)
		next = earlier(next, RING_FRONT(&f->from)->ready);
	return next <= now ? now + 1 : next;
}

void front_skip(struct sm *m, uint64_t cycles) { m->l1i.skipped += cycles; }

bool front_holds_requests(const struct sm *m)
{
	const struct modern_front *f = m->modern->front;
	return f->to.n || f->from.n || f->has_hit || f->sending || f->streaming || f->ldc_back.n || m->l1i.busy;
}

void front_invalidate(struct sm *m)
{
	struct modern_front *f = m->modern->front;
	f->preload = (struct preload){0};
	for (unsigned s = 0; s < MODERN_SUBCORES; s++) {
		struct front_sub *u = &f->sub[s];
		l0_invalidate(&u->l0i);
		l0_invalidate(&u->l0fl);
		stream_stop(&u->stream);
		update_streaming(f, s);
	}
	if (m->l1i.cache)
		cache_invalidate(m->l1i.cache);
}

void front_describe(const struct sm *m, struct lines *to)
{
	const struct modern_front *f = m->modern->front;
	for (unsigned s = 0; s < MODERN_SUBCORES; s++) {
		const struct front_sub *u = &f->sub[s];
		if (!(u->l0i.n_miss | u->l0fl.n_miss | u->stream.n | u->answer.n))
			continue;
		lines_say(to, "gpu.sm[%u].sub[%u]: L0 instruction misses %u/%u, L0 constant misses %u/%u, stream buffer %u/%u, to be decoded %u\n",
		          m->id, s, u->l0i.n_miss, u->l0i.limit, u->l0fl.n_miss, u->l0fl.limit, u->stream.n, u->stream.size, u->answer.n);
	}
	if (f->to.n | f->from.n | f->ldc_out)
		lines_say(to, "gpu.sm[%u].front: to L1 %u/%u%s, from L1 %u/%u, lines for constant loads %u/%u\n", m->id, f->to.n, f->to.size,
		          f->blocked ? " (refused)" : "", f->from.n, f->from.size, f->ldc_out, LDC_LINES);
}
