// The modern core's memory pipeline alone: instructions are issued into it by hand, the register files, the network and L1 I/C
// around it are simple. Tables and figures are those of Huerta et al. (arXiv 2503.20481, MICRO 2025), for Ampere.
#include "tests/unit/kernel_text.h"
#include "tests/unit/timing_harness.h"

#include "gpgpu-sim/modern/mem_pipe_state.h"

enum { MOST = 4096, NET = 1 << 14, NET_LATENCY = 200, CONST_LATENCY = 79 };

// One instruction of a program, and when things happened to it.
struct op {
	uint8_t memory, address, bytes, space;
	uint16_t passes;
	bool result, generic, bypass, matrix4, off, scattered, fence;
	uint64_t addr;
	uint8_t sub;
	uint64_t not_before;         // cycle
	uint64_t issued, read, written, done, copied; // 0: not yet; read, written: first cycle in which it is seen
};

struct rig {
	struct options opt;
	struct core_config core;
	struct core_ops ops;         // the classic core's, with instructions of the modern one
	struct modern_config cfg;
	struct diag diag;
	struct sm sm;
	struct modern modern;
	struct sm_world world;
	struct mem_pool *pool;
	struct kernel_run run;
	struct op op[MOST];
	unsigned n, n_done;
	struct isa_inst st[MOST];
	struct isa_sass sass[MOST];
	struct modern_inst inst[MOST];
	struct { struct mem_req *r; uint64_t due; } net[NET];
	unsigned net_head, net_n;
	bool net_stops;              // the network takes a packet in one of five cycles only
	struct { uint64_t addr, due; } want[64];
	unsigned n_want;
	uint64_t refused_writes;     // the register file refuses in cycles that are multiples of this; 0: never
	uint64_t bad_order;
};

static struct rig *rig_of(const struct sm *m) { return m->world->ctx; }

static bool net_full(void *ctx, unsigned cluster, unsigned bytes)
{
	struct rig *r = ctx;
	return r->net_n == NET || (r->net_stops && r->sm.now % 5);
}

static void net_push(void *ctx, struct mem_req *q)
{
	struct rig *r = ctx;
	if (q->type == L1_WRBK_ACC) { // nobody waits for an answer
		mem_req_free(r->pool, q);
		return;
	}
	unsigned i = (r->net_head + r->net_n++) % NET;
	r->net[i].r = q;
	r->net[i].due = r->sm.now + NET_LATENCY;
}

static void sources_read(struct sm *m, struct winst *w)
{
	struct op *o = &rig_of(m)->op[w->line];
	rig_of(m)->bad_order += o->read != 0 || o->written != 0;
	o->read = m->now + 1;
}

static bool write_back(struct sm *m, struct winst *w)
{
	struct rig *r = rig_of(m);
	struct op *o = &r->op[w->line];
	if (r->refused_writes && m->now % r->refused_writes == 0)
		return false;
	r->bad_order += !o->read || o->written;
	o->written = m->now + 1;
	return true;
}

static void done(struct sm *m, struct winst *w)
{
	struct op *o = &rig_of(m)->op[w->line];
	rig_of(m)->bad_order += !o->written || o->done || w->refs || w->access;
	o->done = m->now;
	rig_of(m)->n_done++;
	w->in_pipe = false;
	sm_inst_free(m, w);
}

static bool request_constant(struct sm *m, uint64_t addr, uint16_t stream)
{
	struct rig *r = rig_of(m);
	if (r->n_want == 4)
		return false;
	r->want[r->n_want].addr = addr;
	r->want[r->n_want++].due = m->now + CONST_LATENCY;
	return true;
}

static bool constant_back(struct sm *m, uint64_t *addr)
{
	struct rig *r = rig_of(m);
	if (!r->n_want || r->want[0].due > m->now)
		return false;
	*addr = r->want[0].addr;
	memmove(&r->want[0], &r->want[1], --r->n_want * sizeof r->want[0]);
	return true;
}

static const struct mmem_core fake_core = {sources_read, write_back, done, request_constant, constant_back};

#define AMPERE TIMED_BASE "-gpgpu_coalesce_arch 86\n-gpgpu_perfect_inst_const_cache 0\n-gpgpu_cache:dl1 S:4:128:256,L:T:m:L:L,A:384:48,32:0,32\n"

static struct rig *rig_new(const char *more)
{
	struct rig *r = mem_alloc_lines(sizeof *r);
	options_defaults(&r->opt);
	bool ok = options_load_text(&r->opt, "test", AMPERE, strlen(AMPERE), FROM_FILE, &r->diag);
	ok = ok && options_load_text(&r->opt, "test", more, strlen(more), FROM_FILE, &r->diag);
	ok = ok && core_config_from_options(&r->core, &r->opt, &r->diag);
	ok = ok && modern_config_from_options(&r->cfg, &r->core, &r->opt, &r->diag);
	ck_assert_msg(ok, "%s", r->diag.text ? r->diag.text : "?");
	r->pool = mem_pool_new(64);
	r->world = (struct sm_world){.ctx = r, .icnt_full = net_full, .icnt_push = net_push};
	r->ops = core_classic;
	r->ops.inst_bytes = sizeof(struct modern_winst);
	ck_assert(sm_init(&r->sm, &r->ops, &r->core, 0, &r->world, r->pool, &r->diag));
	r->sm.modern = &r->modern;
	r->modern.cfg = &r->cfg;
	r->modern.mem = mmem_new_in(&r->sm, &r->cfg, &fake_core);
	for (unsigned w = 0; w < CORE_MAX_WARPS; w++)
		r->sm.warp[w].k = &r->run;
	return r;
}

static void rig_free(struct rig *r)
{
	ck_assert_uint_eq(r->bad_order, 0);
	ck_assert_msg(mem_pool_live(r->pool) == 0, "%llu requests were lost", (unsigned long long)mem_pool_live(r->pool));
	mmem_free(r->modern.mem);
	r->sm.modern = NULL;
	sm_free(&r->sm);
	mem_pool_free(r->pool);
	options_free(&r->opt);
	diag_free(&r->diag);
	mem_free(r);
}

static struct op *add(struct rig *r, struct op o)
{
	ck_assert_uint_lt(r->n, MOST);
	unsigned i = r->n++;
	bool store = o.memory == MODERN_MEM_STG || o.memory == MODERN_MEM_STS;
	r->op[i] = o;
	r->sass[i] = (struct isa_sass){.generic = o.generic, .address = o.address, .matrices = o.matrix4 ? 4 : 0};
	r->st[i] = (struct isa_inst){.cls = store ? ISA_STORE : o.memory == MODERN_MEM_ATOM ? ISA_ATOMIC : o.fence ? ISA_FENCE : ISA_LOAD,
	                             .space = o.space, .bytes = o.bytes, .n_dst = o.result, .sass = &r->sass[i], .has_access = o.space != 0,
	                             .cache_op = o.bypass ? ISA_CACHE_CG : ISA_CACHE_DEFAULT};
	r->inst[i] = (struct modern_inst){.st = &r->st[i], .memory = o.memory, .fence = o.fence};
	mmem_costs(&r->cfg, &r->inst[i], o.address, o.bytes, o.matrix4 ? 4 : 0);
	return &r->op[i];
}

static void lanes(const struct op *o, struct fe_access *a, uint8_t space)
{
	a->space = space;
	a->bytes = o->bytes;
	a->write = o->memory == MODERN_MEM_STG || o->memory == MODERN_MEM_STS;
	a->mask = UINT32_MAX;
	for (unsigned l = 0; l < 32; l++)
		a->addr[l] = o->addr + (o->scattered ? (uint64_t)l * 256 : space == SPACE_CONST ? 0 : (uint64_t)l * o->bytes);
}

static void issue(struct rig *r, unsigned i)
{
	struct op *o = &r->op[i];
	struct sm *m = &r->sm;
	struct winst *w = sm_inst_new(m);
	struct fe_result *f = &m->result;
	w->st = &r->st[i];
	modern_begin(w, &r->inst[i]);
	w->issued = m->now;
	w->line = i;
	w->warp = (uint8_t)(o->sub + 4);
	w->mask = o->off ? 0 : UINT32_MAX;
	w->store = w->st->cls == ISA_STORE;
	w->atomic = w->st->cls == ISA_ATOMIC;
	w->load = w->st->cls == ISA_LOAD || w->atomic;
	w->cycles = 1;
	w->in_pipe = true;
	f->n_access = 0;
	if (o->space)
		lanes(o, &f->access[f->n_access++], o->space);
	if (o->memory == MODERN_MEM_LDGSTS)
		lanes(o, &f->access[f->n_access++], SPACE_SHARED);
	if (!o->off && o->space)
		coalesce(m, w, f);
	if (o->passes)
		w->cycles = o->passes;
	o->issued = m->now;
	mmem_issue(m, o->sub, w);
}

enum mode { JUMP, STEP };

// Runs all ops from `from` on, of each sub-core in order; returns the cycle of the end, 0 if it hangs.
static uint64_t go(struct rig *r, unsigned from, enum mode mode)
{
	struct sm *m = &r->sm;
	unsigned at[MODERN_SUBCORES];
	mmem_step(r->modern.mem, mode == STEP);
	for (unsigned s = 0; s < MODERN_SUBCORES; s++)
		at[s] = from;
	for (uint64_t now = m->now + 1, end = now + 2000000; now < end;) {
		m->now = now;
		uint64_t next = now + 1;
		if (r->net_n && r->net[r->net_head].due <= now && !port_full(&m->ldst.responses)) {
			struct mem_req *q = r->net[r->net_head].r;
			q->reply = true;
			r->net_head = (r->net_head + 1) % NET;
			r->net_n--;
			port_push(&m->ldst.responses, q);
		}
		mmem_tick(m, now);
		bool wants = false;
		for (unsigned s = 0; s < MODERN_SUBCORES; s++) {
			while (at[s] < r->n && r->op[at[s]].sub != s)
				at[s]++;
			if (at[s] < r->n && r->op[at[s]].not_before <= now && mmem_has_place(m, s))
				issue(r, at[s]++);
			wants |= at[s] < r->n && (mmem_has_place(m, s) || r->op[at[s]].not_before > now);
		}
		next = mmem_next(m, now);
		if (next == UINT64_MAX && !r->net_n && !r->n_want && r->n_done == r->n)
			return now;
		if (mode == STEP || wants)
			next = now + 1;
		if (r->net_n && r->net[r->net_head].due < next)
			next = r->net[r->net_head].due;
		if (r->n_want && r->want[0].due < next)
			next = r->want[0].due;
		if (next <= now)
			next = now + 1;
		if (next == UINT64_MAX)
			return 0;
		mmem_skip(m, next - now - 1);
		now = next;
	}
	return 0;
}

static void expect(const char *what, uint64_t got, uint64_t want)
{
	ck_assert_msg(got == want, "%s: %llu, expected %llu", what, (unsigned long long)got, (unsigned long long)want);
}

#define LDG(...) (struct op){.memory = MODERN_MEM_LDG, .space = SPACE_GLOBAL, .address = ISA_ADDRESS_REGULAR, .bytes = 4, .result = true, __VA_ARGS__}
#define STG(...) (struct op){.memory = MODERN_MEM_STG, .space = SPACE_GLOBAL, .address = ISA_ADDRESS_REGULAR, .bytes = 4, __VA_ARGS__}
#define LDS(...) (struct op){.memory = MODERN_MEM_LDS, .space = SPACE_SHARED, .address = ISA_ADDRESS_REGULAR, .bytes = 4, .result = true, __VA_ARGS__}
#define STS(...) (struct op){.memory = MODERN_MEM_STS, .space = SPACE_SHARED, .address = ISA_ADDRESS_REGULAR, .bytes = 4, __VA_ARGS__}
#define LDC(...) (struct op){.memory = MODERN_MEM_LDC, .space = SPACE_CONST, .address = ISA_ADDRESS_REGULAR, .bytes = 4, .result = true, __VA_ARGS__}
#define LDGSTS(...) (struct op){.memory = MODERN_MEM_LDGSTS, .space = SPACE_GLOBAL, .address = ISA_ADDRESS_REGULAR, .bytes = 4, __VA_ARGS__}
#define ATOM(...) (struct op){.memory = MODERN_MEM_ATOM, .space = SPACE_GLOBAL, .address = ISA_ADDRESS_REGULAR, .bytes = 4, __VA_ARGS__}
#define SHFL(...) (struct op){.memory = MODERN_MEM_OTHER, .address = ISA_ADDRESS_REGULAR, .bytes = 4, .result = true, __VA_ARGS__}

// --- Table 2

enum { UNI = ISA_ADDRESS_UNIFORM, REG = ISA_ADDRESS_REGULAR, IMM = ISA_ADDRESS_IMMEDIATE };

static const struct {
	const char *name;
	uint8_t memory, space, address, bytes;
	unsigned war, raw; // raw 0: no result
} table2[] = {
	{"LDG.32 uniform", MODERN_MEM_LDG, SPACE_GLOBAL, UNI, 4, 9, 29},    {"LDG.64 uniform", MODERN_MEM_LDG, SPACE_GLOBAL, UNI, 8, 9, 31},
	{"LDG.128 uniform", MODERN_MEM_LDG, SPACE_GLOBAL, UNI, 16, 9, 35},  {"LDG.32 regular", MODERN_MEM_LDG, SPACE_GLOBAL, REG, 4, 11, 32},
	{"LDG.64 regular", MODERN_MEM_LDG, SPACE_GLOBAL, REG, 8, 11, 34},   {"LDG.128 regular", MODERN_MEM_LDG, SPACE_GLOBAL, REG, 16, 11, 38},
	{"STG.32 uniform", MODERN_MEM_STG, SPACE_GLOBAL, UNI, 4, 10, 0},    {"STG.64 uniform", MODERN_MEM_STG, SPACE_GLOBAL, UNI, 8, 12, 0},
	{"STG.128 uniform", MODERN_MEM_STG, SPACE_GLOBAL, UNI, 16, 16, 0},  {"STG.32 regular", MODERN_MEM_STG, SPACE_GLOBAL, REG, 4, 14, 0},
	{"STG.64 regular", MODERN_MEM_STG, SPACE_GLOBAL, REG, 8, 16, 0},    {"STG.128 regular", MODERN_MEM_STG, SPACE_GLOBAL, REG, 16, 20, 0},
	{"LDS.32 uniform", MODERN_MEM_LDS, SPACE_SHARED, UNI, 4, 9, 23},    {"LDS.64 uniform", MODERN_MEM_LDS, SPACE_SHARED, UNI, 8, 9, 23},
	{"LDS.128 uniform", MODERN_MEM_LDS, SPACE_SHARED, UNI, 16, 9, 25},  {"LDS.32 regular", MODERN_MEM_LDS, SPACE_SHARED, REG, 4, 9, 24},
	{"LDS.64 regular", MODERN_MEM_LDS, SPACE_SHARED, REG, 8, 9, 24},    {"LDS.128 regular", MODERN_MEM_LDS, SPACE_SHARED, REG, 16, 9, 26},
	{"STS.32 uniform", MODERN_MEM_STS, SPACE_SHARED, UNI, 4, 10, 0},    {"STS.64 uniform", MODERN_MEM_STS, SPACE_SHARED, UNI, 8, 12, 0},
	{"STS.128 uniform", MODERN_MEM_STS, SPACE_SHARED, UNI, 16, 16, 0},  {"STS.32 regular", MODERN_MEM_STS, SPACE_SHARED, REG, 4, 12, 0},
	{"STS.64 regular", MODERN_MEM_STS, SPACE_SHARED, REG, 8, 14, 0},    {"STS.128 regular", MODERN_MEM_STS, SPACE_SHARED, REG, 16, 18, 0},
	{"LDC.32 immediate", MODERN_MEM_LDC, SPACE_CONST, IMM, 4, 10, 26},  {"LDC.32 regular", MODERN_MEM_LDC, SPACE_CONST, REG, 4, 29, 29},
	{"LDC.64 regular", MODERN_MEM_LDC, SPACE_CONST, REG, 8, 29, 29},    {"LDGSTS.32", MODERN_MEM_LDGSTS, SPACE_GLOBAL, REG, 4, 13, 39},
	{"LDGSTS.64", MODERN_MEM_LDGSTS, SPACE_GLOBAL, REG, 8, 13, 39},     {"LDGSTS.128", MODERN_MEM_LDGSTS, SPACE_GLOBAL, REG, 16, 13, 39},
};
enum { TABLE2 = sizeof table2 / sizeof *table2 };

// Lanes of shared memory at one address, or side by side, which takes more passes: it makes no difference.
START_TEST(each_row_of_table_2_takes_its_cycles)
{
	unsigned row = (unsigned)_i % TABLE2;
	struct rig *r = rig_new("");
	struct op o = {.memory = table2[row].memory, .space = table2[row].space, .address = table2[row].address, .bytes = table2[row].bytes,
	               .result = table2[row].raw != 0 && table2[row].memory != MODERN_MEM_LDGSTS, .addr = 0x10000};
	if (_i < TABLE2)
		o.passes = 1;
	// The lines that it touches, by a load.
	add(r, (struct op){.memory = o.memory == MODERN_MEM_LDC ? MODERN_MEM_LDC : MODERN_MEM_LDG, .space = o.space, .address = REG, .bytes = 16,
	                   .result = true, .addr = o.addr});
	ck_assert_uint_ne(go(r, 0, JUMP), 0);
	struct op *x = add(r, o);
	ck_assert_uint_ne(go(r, 1, _i >= TABLE2 ? STEP : JUMP), 0);
	expect("WAR", x->read - x->issued, table2[row].war);
	expect("WAR that costs tell", r->inst[1].war, table2[row].war);
	if (table2[row].raw) {
		expect("RAW", x->written - x->issued, table2[row].raw);
		expect("RAW that costs tell", mmem_raw(&r->cfg, &r->inst[1]), table2[row].raw);
	}
	rig_free(r);
}
END_TEST

// The slowest unit that can be configured: longer than the ring in which releases wait.
START_TEST(sources_are_held_for_as_long_as_a_slow_unit_needs_them)
{
	struct rig *r = rig_new("-offset_latency_firts_stage_memory_subcore 64\n-memory_num_scalar_units_per_subcore 1\n"
	                        "-memory_subcore_link_to_sm_byte_size 4\n");
	struct op *x = add(r, (struct op){.memory = MODERN_MEM_STG, .space = SPACE_GLOBAL, .address = REG, .bytes = 16, .addr = 0x10000});
	ck_assert_uint_gt(r->inst[0].war, MMEM_WAR_RING);
	ck_assert_uint_ne(go(r, 0, _i ? STEP : JUMP), 0);
	expect("WAR", x->read - x->issued, r->inst[0].war);
	rig_free(r);
}
END_TEST

// --- Table 1

static const uint16_t table1[4][4][8] = {
	{{2, 3, 4, 5, 6, 13, 17, 21}},
	{{2, 3, 4, 5, 6, 13, 17, 21}, {2, 3, 4, 5, 6, 15, 19, 23}},
	{{2, 3, 4, 5, 6, 13, 19, 25}, {2, 3, 4, 5, 6, 15, 21, 27}, {2, 3, 4, 5, 6, 17, 23, 29}},
	{{2, 3, 4, 5, 6, 13, 21, 29}, {2, 3, 4, 5, 6, 15, 23, 31}, {2, 3, 4, 5, 6, 17, 25, 33}, {2, 3, 4, 5, 6, 19, 27, 35}},
};

START_TEST(consecutive_loads_issue_in_the_cycles_of_table_1)
{
	static const unsigned step[] = {4, 4, 6, 8};
	enum { EACH = 24 };
	unsigned active = (unsigned)_i % 4 + 1;
	struct rig *r = rig_new("");
	add(r, LDG(.addr = 0x4000, .sub = 3)); // then it is sub-core 0's turn
	ck_assert_uint_ne(go(r, 0, JUMP), 0);
	uint64_t begin = r->sm.now - 1;
	for (unsigned k = 0; k < EACH; k++)
		for (unsigned s = 0; s < active; s++)
			add(r, LDG(.addr = 0x4000, .sub = (uint8_t)s, .not_before = begin + 2));
	ck_assert_uint_ne(go(r, 1, _i < 4 ? JUMP : STEP), 0);
	for (unsigned k = 0; k < EACH; k++)
		for (unsigned s = 0; s < active; s++) {
			uint64_t want = k < 8 ? table1[active - 1][s][k] : table1[active - 1][s][7] + (k - 7) * step[active - 1];
			char what[64];
			snprintf(what, sizeof what, "%u active, sub-core %u, instruction %u", active, s, k + 1);
			expect(what, r->op[1 + k * active + s].issued - begin, want);
		}
	rig_free(r);
}
END_TEST

// --- Figure 2: three generic loads, issued in cycles 1, 2 and 3

START_TEST(the_loads_of_figure_2_read_and_write_in_its_cycles)
{
	struct rig *r = rig_new("");
	for (unsigned k = 0; k < 3; k++)
		add(r, LDG(.generic = true, .addr = 0x100000 + k * 128));
	ck_assert_uint_ne(go(r, 0, JUMP), 0);
	uint64_t begin = r->sm.now;
	for (unsigned k = 0; k < 3; k++)
		add(r, LDG(.generic = true, .addr = 0x100000 + k * 128, .not_before = begin + 1 + k));
	ck_assert_uint_ne(go(r, 3, JUMP), 0);
	static const unsigned read[] = {11, 15, 19}, written[] = {32, 36, 40};
	for (unsigned k = 0; k < 3; k++) {
		expect("issued", r->op[3 + k].issued - begin, 1 + k);
		expect("source counter seen", r->op[3 + k].read - begin, read[k]);
		expect("result counter seen", r->op[3 + k].written - begin, written[k]);
	}
	rig_free(r);
}
END_TEST

// --- shared memory

START_TEST(bank_conflicts_take_a_pass_each)
{
	struct rig *r = rig_new("");
	struct op *o = add(r, LDS(.passes = (uint16_t)(_i + 1)));
	ck_assert_uint_ne(go(r, 0, JUMP), 0);
	expect("RAW", o->written - o->issued, 24 + (unsigned)_i);
	expect("conflicts", r->sm.stats.shared_conflicts, (unsigned)_i);
	rig_free(r);
}
END_TEST

START_TEST(shared_memory_makes_one_pass_a_cycle_for_all_sub_cores)
{
	enum { EACH = 16, PASSES = 8 };
	struct rig *r = rig_new("");
	for (unsigned k = 0; k < EACH; k++)
		for (unsigned s = 0; s < 4; s++)
			add(r, LDS(.passes = PASSES, .sub = (uint8_t)s));
	ck_assert_uint_ne(go(r, 0, JUMP), 0);
	uint64_t first = UINT64_MAX, last = 0;
	for (unsigned i = 0; i < r->n; i++) {
		first = r->op[i].written < first ? r->op[i].written : first;
		last = r->op[i].written > last ? r->op[i].written : last;
	}
	expect("cycles between the first and the last", last - first, (4 * EACH - 1) * PASSES);
	rig_free(r);
}
END_TEST

// 64 bytes a cycle: a pass takes two. The first comes as soon as ever, so a load without conflicts does not wait.
START_TEST(passes_through_shared_memory_can_take_two_cycles)
{
	enum { N = 16, PASSES = 8 };
	struct rig *r = rig_new("-memory_shared_pass_cycles 2\n");
	struct op *o = add(r, LDS(.passes = 1));
	ck_assert_uint_ne(go(r, 0, JUMP), 0);
	expect("RAW of one pass", o->written - o->issued, 24);
	rig_free(r);
	r = rig_new("-memory_shared_pass_cycles 2\n");
	for (unsigned k = 0; k < N; k++)
		add(r, LDS(.passes = PASSES, .sub = (uint8_t)(k % 4)));
	ck_assert_uint_ne(go(r, 0, JUMP), 0);
	uint64_t first = UINT64_MAX, last = 0;
	for (unsigned i = 0; i < r->n; i++) {
		first = r->op[i].written < first ? r->op[i].written : first;
		last = r->op[i].written > last ? r->op[i].written : last;
	}
	expect("cycles between the first and the last", last - first, (N - 1) * PASSES * 2);
	expect("cycles lost to conflicts", r->sm.stats.shared_conflicts, N * (PASSES - 1) * 2);
	rig_free(r);
}
END_TEST

START_TEST(a_load_of_several_matrices_takes_two_cycles_more)
{
	struct rig *r = rig_new("");
	struct op *o = add(r, LDS(.matrix4 = true, .passes = 1));
	ck_assert_uint_ne(go(r, 0, JUMP), 0);
	expect("RAW", o->written - o->issued, 26 + 2);
	rig_free(r);
}
END_TEST

// --- others

START_TEST(what_executes_for_no_lane_goes_through_without_an_access)
{
	struct rig *r = rig_new("");
	add(r, LDG(.off = true));
	add(r, STG(.off = true));
	add(r, LDS(.off = true));
	add(r, STS(.off = true));
	add(r, LDC(.off = true));
	add(r, LDGSTS(.off = true));
	add(r, ATOM(.off = true));
	add(r, SHFL(.off = true));
	ck_assert_uint_ne(go(r, 0, JUMP), 0);
	ck_assert_uint_eq(r->sm.stats.mem_read[0] + r->sm.stats.mem_write[0], 0);
	rig_free(r);
}
END_TEST

START_TEST(a_constant_miss_is_asked_of_l1)
{
	struct rig *r = rig_new("");
	struct op *o = add(r, LDC(.addr = 0x700000));
	ck_assert_uint_ne(go(r, 0, JUMP), 0);
	// Asked in the cycle after the look-up, filled when it is back, taken by the load in the next cycle.
	expect("RAW", o->written - o->issued, 29 + 1 + 1 + CONST_LATENCY + 1);
	expect("packets", r->sm.stats.mem_const, 0);
	rig_free(r);
}
END_TEST

START_TEST(strong_loads_and_atomics_go_to_l2)
{
	struct rig *r = rig_new("");
	for (unsigned k = 0; k < 2; k++) {
		add(r, LDG(.bypass = true, .addr = 0x9000));
		add(r, ATOM(.addr = 0x9000, .result = true));
		add(r, ATOM(.addr = 0x9000));
	}
	ck_assert_uint_ne(go(r, 0, JUMP), 0);
	for (unsigned i = 0; i < r->n; i++)
		ck_assert_uint_gt(r->op[i].written - r->op[i].issued, NET_LATENCY);
	ck_assert_uint_eq(r->sm.stats.mem_read[0], 6 * 4);
	rig_free(r);
}
END_TEST

// A counter of several then tells how many of them are done, though a query needs no memory.
START_TEST(textures_answer_in_order)
{
	struct rig *r = rig_new("");
	for (unsigned k = 0; k < 3; k++) {
		add(r, (struct op){.memory = MODERN_MEM_TEX, .space = SPACE_TEX, .bytes = 4, .result = true, .addr = 0x9000, .scattered = k == 1});
		add(r, (struct op){.memory = MODERN_MEM_TEX, .result = true, .off = k == 2});
	}
	ck_assert_uint_ne(go(r, 0, JUMP), 0);
	for (unsigned i = 1; i < r->n; i++)
		ck_assert_msg(r->op[i].written > r->op[i - 1].written, "%u comes before the one before it", i);
	rig_free(r);
}
END_TEST

// Cycles from the first of four textures, each of one line that the cache has, to the last.
static uint64_t textures_take(const char *options)
{
	struct rig *r = rig_new(options);
	for (unsigned k = 0; k < 5; k++)
		add(r, (struct op){.memory = MODERN_MEM_TEX, .space = SPACE_TEX, .bytes = 4, .result = true, .addr = 0x9000, .sub = k % 4,
		                   .not_before = k ? 2000 : 0});
	ck_assert_uint_ne(go(r, 0, JUMP), 0);
	uint64_t first = UINT64_MAX, last = 0;
	for (unsigned k = 1; k < 5; k++) {
		first = r->op[k].written < first ? r->op[k].written : first;
		last = r->op[k].written > last ? r->op[k].written : last;
	}
	rig_free(r);
	return last - first;
}

START_TEST(texture_units_take_so_many_lanes_a_cycle)
{
	ck_assert_uint_lt(textures_take(""), 12);
	ck_assert_uint_eq(textures_take("-texture_lanes_per_cycle 4\n"), 3 * 8);
	ck_assert_uint_eq(textures_take("-texture_lanes_per_cycle 1\n"), 3 * 32);
}
END_TEST

START_TEST(a_fence_waits_for_the_stores_before_it)
{
	struct rig *r = rig_new("");
	add(r, STG(.addr = 0x8000, .scattered = true));
	struct op *f = add(r, (struct op){.memory = MODERN_MEM_OTHER, .fence = true, .address = IMM});
	struct op *x = add(r, SHFL(.sub = 1));
	ck_assert_uint_ne(go(r, 0, JUMP), 0);
	ck_assert_uint_gt(f->written - f->issued, NET_LATENCY + 32);
	ck_assert_uint_lt(x->written - x->issued, 40);
	rig_free(r);
}
END_TEST

START_TEST(a_full_pending_request_table_holds_instructions_in_their_sub_cores)
{
	struct rig *r = rig_new("-memory_sm_prt_size 4\n");
	for (unsigned k = 0; k < 16; k++)
		add(r, LDG(.addr = 0x20000 + k * 4096));
	ck_assert_uint_ne(go(r, 0, JUMP), 0);
	// Four misses at a time: the fifth is accepted when the first is over, and the tenth issues then.
	ck_assert_uint_lt(r->op[8].issued - r->op[0].issued, 60);
	ck_assert_uint_gt(r->op[9].issued, r->op[0].done - 1);
	ck_assert_uint_lt(r->op[9].issued - r->op[0].done, 12);
	rig_free(r);
}
END_TEST

START_TEST(a_result_waits_for_the_register_ports)
{
	struct rig *r = rig_new("");
	struct op *o = add(r, LDS(.passes = 1, .not_before = 100));
	r->refused_writes = 123;
	ck_assert_uint_ne(go(r, 0, JUMP), 0);
	expect("RAW", o->written - o->issued, 25);
	rig_free(r);
}
END_TEST

// --- random mixes

static uint64_t seed_next(uint64_t *s)
{
	*s = *s * 6364136223846793005u + 1442695040888963407u;
	return *s >> 33;
}

static struct op random_op(uint64_t *s)
{
	static const uint8_t width[] = {1, 2, 4, 8, 16};
	uint64_t addr = 0x40000 + seed_next(s) % 64 * 512;
	struct op o;
	switch (seed_next(s) % 10) {
	case 0: case 1: o = LDG(); break;
	case 2: o = STG(); break;
	case 3: o = LDS(); break;
	case 4: o = STS(); break;
	case 5: o = LDC(); break;
	case 6: o = LDGSTS(); break;
	case 7: o = ATOM(.result = seed_next(s) % 2); break;
	case 8: o = SHFL(); break;
	default: o = (struct op){.memory = MODERN_MEM_OTHER, .fence = true, .address = IMM};
	}
	o.addr = addr;
	o.bytes = width[o.memory == MODERN_MEM_LDGSTS || o.memory == MODERN_MEM_ATOM ? 2 + seed_next(s) % 2 : seed_next(s) % 5];
	o.sub = (uint8_t)(seed_next(s) % 4);
	o.address = (uint8_t)(ISA_ADDRESS_IMMEDIATE + seed_next(s) % 3);
	o.bypass = seed_next(s) % 8 == 0;
	o.scattered = seed_next(s) % 6 == 0;
	o.generic = seed_next(s) % 5 == 0;
	o.off = seed_next(s) % 16 == 0;
	if (o.space == SPACE_SHARED || o.memory == MODERN_MEM_LDGSTS)
		o.passes = (uint16_t)(1 + seed_next(s) % 6 * (seed_next(s) % 3));
	return o;
}

static struct rig *random_rig(unsigned seed, const char *options, enum mode mode)
{
	struct rig *r = rig_new(options);
	uint64_t s = seed * 77777u + 5, at = 0;
	r->net_stops = seed % 3 == 1;
	r->refused_writes = seed % 4 ? 2 + seed % 4 : 0;
	for (unsigned i = 0; i < 600; i++) {
		struct op o = random_op(&s);
		if (seed_next(&s) % 12 == 0)
			at += seed_next(&s) % 300;
		o.not_before = at;
		add(r, o);
	}
	ck_assert_msg(go(r, 0, mode) != 0, "it hangs");
	ck_assert_uint_eq(r->n_done, r->n);
	for (unsigned w = 0; w < CORE_MAX_WARPS; w++)
		ck_assert_uint_eq(r->sm.warp[w].stores, 0);
	return r;
}

static const char *const shapes[] = {
	"",
	"-memory_subcore_queue_size 1\n-memory_sm_prt_size 1\n-number_of_coalescers 1\n-memory_l1d_max_lookups_per_cycle_per_bank 1\n"
	"-gpgpu_cache:dl1 S:4:128:2,L:T:m:L:L,A:1:1,1:0,32\n-gpgpu_const_cache:l0vl N:1:64:1,L:R:f:N:L,S:1:1,1\n",
	"-memory_sm_prt_size 3\n-number_of_coalescers 2\n-memory_l1d_minimum_latency 1\n-memory_shared_memory_minimum_latency 1\n"
	"-constant_cache_latency_at_sm_structure 1\n-memory_global_shared_latency_for_ldgsts 1\n-offset_latency_firts_stage_memory_subcore -1\n",
	"-gpgpu_cache:dl1 S:4:128:4,L:L:m:L:L,A:4:2,2:0,32\n-gpgpu_l1_banks 1\n-memory_num_scalar_units_per_subcore 32\n",
};

START_TEST(stepping_and_jumping_give_the_same_cycles)
{
	const char *options = shapes[_i % 4];
	struct rig *a = random_rig((unsigned)_i, options, JUMP), *b = random_rig((unsigned)_i, options, STEP);
	ck_assert_uint_eq(a->sm.now, b->sm.now);
	for (unsigned i = 0; i < a->n; i++) {
		const struct op *x = &a->op[i], *y = &b->op[i];
		ck_assert_msg(x->issued == y->issued && x->read == y->read && x->written == y->written && x->done == y->done,
		              "instruction %u, kind %u", i, x->memory);
	}
	ck_assert_int_eq(memcmp(&a->sm.stats, &b->sm.stats, sizeof a->sm.stats), 0);
	struct cache_sums s[2][2];
	memset(s, 0, sizeof s);
	for (unsigned k = 0; k < 2; k++) {
		struct rig *r = k ? b : a;
		lazy_settle(&r->sm.ldst.l1d);
		lazy_settle(&r->sm.ldst.l1c);
		cache_sums(r->sm.ldst.l1d.cache, &s[k][0]);
		cache_sums(r->sm.ldst.l1c.cache, &s[k][1]);
	}
	ck_assert_int_eq(memcmp(s[0], s[1], sizeof s[0]), 0);
	rig_free(a);
	rig_free(b);
}
END_TEST

START_TEST(instructions_have_room_for_what_their_core_keeps)
{
	struct rig *r = rig_new("");
	struct winst *w[150];
	for (unsigned i = 0; i < 150; i++) {
		w[i] = sm_inst_new(&r->sm);
		ck_assert_ptr_eq(r->sm.inst[w[i]->index], w[i]);
		ck_assert_uint_eq(w[i]->uid, i + 1);
		modern_begin(w[i], &r->inst[i]);
		modern_of(w[i])->event = (uint8_t)i;
	}
	for (unsigned i = 0; i < 150; i++) {
		ck_assert_uint_eq(w[i]->uid, i + 1);
		ck_assert_ptr_eq(modern_inst_of(w[i]), &r->inst[i]);
		ck_assert_uint_eq(modern_of(w[i])->event, i);
		sm_inst_free(&r->sm, w[i]);
	}
	ck_assert_ptr_eq(sm_inst_new(&r->sm), w[149]);
	rig_free(r);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("modern_memory");
	TCase *t = tcase_create("modern_memory");
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, each_row_of_table_2_takes_its_cycles, 0, 2 * TABLE2);
	tcase_add_loop_test(t, sources_are_held_for_as_long_as_a_slow_unit_needs_them, 0, 2);
	tcase_add_loop_test(t, consecutive_loads_issue_in_the_cycles_of_table_1, 0, 8);
	tcase_add_test(t, instructions_have_room_for_what_their_core_keeps);
	tcase_add_test(t, the_loads_of_figure_2_read_and_write_in_its_cycles);
	tcase_add_loop_test(t, bank_conflicts_take_a_pass_each, 0, 32);
	tcase_add_test(t, shared_memory_makes_one_pass_a_cycle_for_all_sub_cores);
	tcase_add_test(t, passes_through_shared_memory_can_take_two_cycles);
	tcase_add_test(t, a_load_of_several_matrices_takes_two_cycles_more);
	tcase_add_test(t, what_executes_for_no_lane_goes_through_without_an_access);
	tcase_add_test(t, a_constant_miss_is_asked_of_l1);
	tcase_add_test(t, strong_loads_and_atomics_go_to_l2);
	tcase_add_test(t, textures_answer_in_order);
	tcase_add_test(t, texture_units_take_so_many_lanes_a_cycle);
	tcase_add_test(t, a_fence_waits_for_the_stores_before_it);
	tcase_add_test(t, a_full_pending_request_table_holds_instructions_in_their_sub_cores);
	tcase_add_test(t, a_result_waits_for_the_register_ports);
	tcase_add_loop_test(t, stepping_and_jumping_give_the_same_cycles, 0, 40);
	suite_add_tcase(suite, t);
	return check_main(suite);
}
