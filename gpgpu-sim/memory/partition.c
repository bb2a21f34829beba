// The memory side of a GPU as a whole: making it from the options, statistics, reports. What happens in its cycles is in
// partition_l2.c and partition_dram.c.
#include "gpgpu-sim/memory/partition_state.h"

#include "base/lines.h"
#include "base/mem.h"
#include "base/option_forms.h"
#include "gpgpu-sim/memory/dram_sched.h"

#include <stdio.h>
#include <string.h>

// --- Making ---

static bool refuse(struct diag *d, const char *what)
{
	diag_add(d, DIAG_ERROR, "%s", what);
	return false;
}

static bool read_options(struct memory *m, const struct options *o, int64_t queues[4], struct diag *d)
{
	struct form_error err;
	size_t n;
	if (!form_cache(o->gpgpu_cache_dl2, &m->l2_form, &err)) {
		diag_add(d, DIAG_ERROR, "-gpgpu_cache:dl2: %s", err.why);
		return false;
	}
	if (!form_prefetch(o->l2_prefetch, &m->l2_prefetch, &err)) {
		diag_add(d, DIAG_ERROR, "-l2_prefetch: %s", err.why);
		return false;
	}
	if (!form_numbers(o->gpgpu_dram_partition_queues, ':', queues, 4, &n, &err) || n != 4)
		return refuse(d, "-gpgpu_dram_partition_queues: four numbers, icnt->L2:L2->DRAM:DRAM->L2:L2->icnt");
	for (int i = 0; i < 4; i++)
		if (queues[i] < 1 || queues[i] > 65536)
			return refuse(d, "-gpgpu_dram_partition_queues: each queue has 1 to 65536 entries");
	struct cache_config l2 = {.form = m->l2_form, .role = CACHE_L2, .name = "gpu.l2"};
	const char *wrong = m->l2_form.present ? cache_config_wrong(&l2) : NULL;
	if (wrong) {
		diag_add(d, DIAG_ERROR, "-gpgpu_cache:dl2: %s", wrong);
		return false;
	}
	m->n_channels = o->gpgpu_n_mem;
	m->n_inner = o->gpgpu_n_sub_partition_per_mchannel;
	m->log2_inner = 31 - (uint32_t)__builtin_clz(m->n_inner); // a power of two: addr_map_new
	m->n_slices = m->n_channels * m->n_inner;
	// GPGPU-Sim always asks for four entries and stands still with fewer.
	m->room = queues[0] < MEM_LINE_SECTORS ? queues[0] : MEM_LINE_SECTORS;
	m->split = m->l2_form.present && m->l2_form.kind == 'S';
	m->rop_latency = o->gpgpu_l2_rop_latency;
	m->dram_latency = o->dram_latency;
	m->texture_only = o->gpgpu_cache_dl2_texture_only;
	m->ideal = o->l2_ideal;
	m->simple = o->gpgpu_simple_dram_model;
	m->simple_steps = o->gpgpu_simple_dram_clock_multiplier;
	m->host_copies = o->gpgpu_perf_sim_memcpy;
	m->copies_modify = o->memcpy_modifies_l2;
	m->atomic_words = o->l2_atomic_words;
	m->latency_stat = o->gpgpu_memlatency_stat;
	m->halves = o->l2_partitions == 2;
	m->far_latency = o->l2_far_latency;
	const bool for_all = m->l2_form.present && m->l2_form.mshr_entries > 1 && !m->texture_only && !m->ideal;
	if (m->halves && (!for_all || m->n_channels % 2))
		return refuse(d, "-l2_partitions 2: needs an L2 for all data, with two MSHRs, and an even number of channels");
	if (!dram_config_init(&m->dram, o, d))
		return false;
	int64_t shared = (int64_t)o->gpgpu_frfcfs_dram_sched_queue_size + o->gpgpu_dram_return_queue_size - (m->n_inner - 1);
	if (m->dram.write_split)
		shared += m->dram.write_queue;
	if (!o->gpgpu_frfcfs_dram_sched_queue_size || !o->gpgpu_dram_return_queue_size)
		shared = 0;
	m->shared_limit = shared > 0 ? shared : 0;
	return true;
}

struct memory *memory_new(const struct options *o, struct mem_pool *pool, struct diag *d)
{
	int64_t queues[4];
	struct memory *m = MEM_NEW(struct memory);
	m->pool = pool;
	m->map = addr_map_new(o, d);
	if (!m->map || !read_options(m, o, queues, d)) {
		memory_free(m);
		return NULL;
	}
	m->answers = mem_alloc(words(m->n_slices) * sizeof(uint64_t));
	m->slices_awake = mem_alloc(words(m->n_slices) * sizeof(uint64_t));
	m->channels_awake = mem_alloc(words(m->n_channels) * sizeof(uint64_t));
	m->channels_called = mem_alloc(words(m->n_channels) * sizeof(uint64_t));
	m->handed = mem_alloc(m->n_slices * sizeof *m->handed);
	m->slice_wake = mem_alloc(m->n_slices * sizeof(uint64_t));
	m->channel_wake_core = mem_alloc(m->n_channels * sizeof(uint64_t));
	m->channel_wake_tick = mem_alloc(m->n_channels * sizeof(uint64_t));
	m->l2_wake = m->dram_wake_core = m->dram_wake_tick = NEVER;
	m->slice = mem_alloc_dense(m->n_slices * sizeof *m->slice);
	m->channel = mem_alloc_dense(m->n_channels * sizeof *m->channel);
	for (uint32_t i = 0; i < m->n_channels; i++)
		channel_init(&m->channel[i], m, i);
	for (uint32_t i = 0; i < m->n_slices; i++)
		slice_init(&m->slice[i], &m->channel[i / m->n_inner], i, queues);
	memory_count_apart(m, 1);
	return m;
}

void memory_free(struct memory *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; m->slice && i < m->n_slices; i++)
		slice_free(&m->slice[i]);
	for (uint32_t i = 0; m->channel && i < m->n_channels; i++)
		channel_free(&m->channel[i]);
	mem_free_dense(m->slice, m->n_slices * sizeof *m->slice);
	mem_free_dense(m->channel, m->n_channels * sizeof *m->channel);
	mem_free(m->answers);
	mem_free(m->slice_wake);
	mem_free(m->channel_wake_core);
	mem_free(m->channel_wake_tick);
	mem_free(m->slices_awake);
	mem_free(m->channels_awake);
	mem_free(m->channels_called);
	mem_free(m->handed);
	tallies_free(m);
	addr_map_free(m->map);
	mem_free(m);
}

const struct addr_map *memory_map(const struct memory *m) { return m->map; }
unsigned memory_n_sub(const struct memory *m) { return m->n_slices; }
unsigned memory_n_channels(const struct memory *m) { return m->n_channels; }
const uint64_t *memory_answers(const struct memory *m) { return m->answers; }
bool memory_busy(const struct memory *m)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < m->n_channels; i++)
		n += m->channel[i].awaited;
	return n;
}

bool memory_drained(const struct memory *m)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < m->n_channels; i++)
		n += m->channel[i].inside;
	return !n;
}

void memory_tick_all(struct memory *m, bool on) { m->all = on; }

void memory_reserve_streams(struct memory *m, unsigned n)
{
	for (uint32_t i = 0; i < m->n_slices; i++)
		if (m->slice[i].l2)
			cache_reserve_streams(m->slice[i].l2, n);
}

void memory_retire_stream(struct memory *m, unsigned stream, struct cache_counts *to)
{
	for (uint32_t i = 0; i < m->n_slices; i++) {
		slice_settle(&m->slice[i]);
		if (m->slice[i].l2)
			cache_retire_stream(m->slice[i].l2, stream, to);
	}
}

// --- Statistics ---

const struct dram_stats *memory_dram_stats(struct memory *m, unsigned channel)
{
	struct dram *d = &m->channel[channel].dram;
	if (!m->simple) {
		dram_catch_up(d, m->dram_ticks);
		dram_settle(d);
	}
	tallies_take(m, channel);
	return &d->stats;
}

void memory_dram_facts(const struct memory *m, struct dram_facts *out)
{
	const struct dram_config *c = &m->dram;
	*out = (struct dram_facts){
		.n_banks = c->form.nbk, .bus_bytes = c->bus_bytes, .burst_length = c->burst_length, .CL = c->form.CL,
		.RRD = c->form.RRD, .CCD = c->form.CCD, .RCD = c->form.RCD, .RAS = c->form.RAS, .RP = c->form.RP, .RC = c->form.RC,
		.frfcfs = c->sched == &dram_frfcfs,
	};
}

void memory_restart_max_mrqs(struct memory *m, unsigned channel) { m->channel[channel].dram.stats.max_mrqs_temp = 0; }
bool memory_has_l2(const struct memory *m) { return m->l2_form.present; }
bool memory_l2_prefetcher(const struct memory *m) { return m->l2_form.present && m->l2_prefetch.policy; }

static struct cache *present_l2(struct memory *m, unsigned sub)
{
	slice_settle(&m->slice[sub]);
	return m->slice[sub].l2;
}

const struct cache_counts *memory_l2_counts(struct memory *m, unsigned sub, unsigned stream)
{
	struct cache *c = present_l2(m, sub);
	return c ? cache_counts(c, stream) : NULL;
}

void memory_l2_sums(struct memory *m, unsigned sub, struct cache_sums *out)
{
	struct cache *c = present_l2(m, sub);
	*out = (struct cache_sums){0};
	if (c)
		cache_sums(c, out);
}

void memory_l2_prefetches(struct memory *m, unsigned sub, struct prefetch_counts *out)
{
	struct cache *c = present_l2(m, sub);
	*out = (struct prefetch_counts){0};
	if (c)
		cache_prefetches(c, out);
}

void memory_l2_sums_since(struct memory *m, unsigned sub, struct cache_sums *out, uint64_t rw[4])
{
	struct cache *c = present_l2(m, sub);
	*out = (struct cache_sums){0};
	rw[0] = rw[1] = rw[2] = rw[3] = 0;
	if (c)
		cache_sums_since(c, out, rw);
}

// A request that lies in the line of the one before it is placed by that.
static void place_behind(const struct memory *m, const struct mem_req *before, struct mem_req *r)
{
	if (before && before->addr / MEM_MAX_LINE == r->addr / MEM_MAX_LINE) {
		r->place = before->place;
		addr_map_in_line(m->map, before->addr, r->addr, &r->place);
	} else {
		addr_map_place(m->map, r->addr, &r->place);
	}
	r->placed = true;
}

unsigned memory_banks_of(const struct memory *m, struct mem_req *list)
{
	uint32_t seen[STAT_POSITIONS];
	unsigned n = 0;
	const struct mem_req *before = NULL;
	for (struct mem_req *r = list; r && n < STAT_POSITIONS - 1; before = r, r = r->next) {
		place_behind(m, before, r);
		seen[n] = (uint32_t)r->place.channel << 16 | r->place.bank;
		unsigned k = 0;
		while (seen[k] != seen[n])
			k++;
		n += k == n;
	}
	return n;
}

void memory_count_lines(struct memory *m, uint32_t n)
{
	for (uint32_t i = 0; i < m->n_channels; i++) {
		uint64_t **bytes = &m->channel[i].line_bytes;
		*bytes = mem_realloc(*bytes, n * sizeof **bytes);
		memset(*bytes + m->n_lines, 0, (n - m->n_lines) * sizeof **bytes);
	}
	m->n_lines = n;
}

uint64_t memory_line_bytes(const struct memory *m, uint32_t line)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < m->n_channels; i++)
		n += m->channel[i].line_bytes[line];
	return n;
}

// --- Reports ---

static void describe_req(char *buf, size_t len, const struct mem_req *r)
{
	if (!r) {
		*buf = 0;
		return;
	}
	snprintf(buf, len, "; first: #%" PRIu32 " %s 0x%" PRIx64 " of SM %u", r->serial, mem_access_name[r->type], r->addr, (unsigned)r->sm);
}

static void describe_port(struct lines *to, const char *owner, const char *name, const struct port *p)
{
	char what[64], first[96];
	if (port_empty(p))
		return;
	port_describe(p, name, what, sizeof what);
	describe_req(first, sizeof first, port_first(p));
	lines_say(to, "%s: %s%s%s", owner, what, port_full(p) ? " full" : "", first);
}

static void describe_slice(struct lines *to, const struct slice *s)
{
	char first[96];
	if (s->rop.n) {
		describe_req(first, sizeof first, delay_first(&s->rop));
		lines_say(to, "%s: ROP delay holds %" PRIu32 "%s", s->name, s->rop.n, first);
	}
	if (s->from_far.n || s->visits.n || s->answered.n)
		lines_say(to, "%s: from the other half of L2 come %" PRIu32 " requests of its SMs, %" PRIu32 " for copies, %" PRIu32 " answers", s->name,
		          s->from_far.n, s->visits.n, s->answered.n);
	describe_port(to, s->name, "icnt-to-L2", &s->from_icnt);
	describe_port(to, s->name, "L2-to-dram", &s->to_dram);
	describe_port(to, s->name, "dram-to-L2", &s->from_dram);
	describe_port(to, s->name, "L2-to-icnt", &s->to_icnt);
	if (s->l2 && !cache_idle(s->l2)) {
		char text[160];
		cache_describe(s->l2, text, sizeof text);
		lines_say(to, "%s: %s", s->name, text);
	}
}

static void describe_channel(struct lines *to, const struct channel *ch)
{
	const struct dram *d = &ch->dram;
	char first[96];
	if (ch->to_dram.n) {
		describe_req(first, sizeof first, delay_first(&ch->to_dram));
		lines_say(to, "%s: latency queue holds %" PRIu32 "%s", ch->name, ch->to_dram.n, first);
	}
	if (dram_empty(d))
		return;
	lines_say(to, "%s: %" PRIu32 " requests wait for banks, %" PRIu32 " bursts on their way, %" PRIu32 " of %" PRIu32 " answers wait, shared credits %" PRIu32 "/%" PRIu32,
	          ch->name, d->cfg->sched->pending(d), d->line.n, d->returns.n, d->returns.size, ch->shared_credits, ch->m->shared_limit);
	for (uint64_t left = d->busy; left; left &= left - 1) {
		unsigned b = __builtin_ctzll(left);
		describe_req(first, sizeof first, d->bank[b].req->r);
		lines_say(to, "%s: bank %u serves row %" PRIu32 "%s", ch->name, b, d->bank[b].req->row, first);
	}
}

int memory_describe(const struct memory *m, void (*put)(void *ctx, const char *line), void *ctx)
{
	struct lines to = {.put = put, .ctx = ctx};
	for (uint32_t i = 0; i < m->n_slices; i++)
		describe_slice(&to, &m->slice[i]);
	for (uint32_t i = 0; i < m->n_channels; i++)
		describe_channel(&to, &m->channel[i]);
	return (int)to.n;
}
