// From a kernel's name to its decoded code: parse what it can reach, lay out shared memory, decode.
#include "cuda-sim/decode/kernel.h"

#include "cuda-sim/decode/decoded.h"
#include "cuda-sim/exec/apart.h"
#include "cuda-sim/exec/group.h"

#include <string.h>

enum { HIDDEN_REGS = 8, MIN_REGS = 16 }; // what a compiler needs besides live values: addresses, temporaries
enum { CODE_ALIGN = 256 };               // kernels share no line of an instruction cache
enum { MAX_SHARED = 1 << 20 };           // bytes; the launch is checked against the configured GPU

// Kernels are named to be launched: their code is their own.
static void add_func(struct kernel_code *k, struct ptx_func *f)
{
	if (!f || !f->body || (f->entry && k->funcs.n) || kernel_code_find(k, f))
		return;
	struct code *c = ARENA_NEW(&k->arena, struct code);
	c->func = f;
	c->kernel = k;
	VEC_PUSH(&k->funcs, c);
}

static void add_shared(struct kernel_code *k, struct ptx_var *v)
{
	struct ptx_var *def = v->def ? v->def : v;
	for (size_t n = 0; n < k->shared.n; n++)
		if (k->shared.at[n] == def)
			return;
	VEC_PUSH(&k->shared, def);
}

struct reach {
	struct kernel_code *k;
	bool indirect;
};

static void visit_operand(struct reach *r, const struct ptx_opnd *o)
{
	if (o->kind == PTX_O_FUNC)
		add_func(r->k, o->func->def ? o->func->def : o->func);
	if (o->kind == PTX_O_VAR && o->var->space == PTX_S_SHARED)
		add_shared(r->k, o->var);
	if (o->kind == PTX_O_MEM || o->kind == PTX_O_VEC || o->kind == PTX_O_LIST)
		for (unsigned e = 0; e < o->n; e++)
			visit_operand(r, &o->elem[e]);
}

static void visit_func(struct reach *r, const struct ptx_func *f)
{
	for (uint32_t n = 0; n < f->n_inst; n++) {
		const struct ptx_inst *i = &f->inst[n];
		bool call = strcmp(i->op->name, "call") == 0, direct = false;
		for (unsigned k = 0; k < i->n_opnd; k++) {
			visit_operand(r, &i->opnd[k]);
			direct |= i->opnd[k].kind == PTX_O_FUNC;
		}
		r->indirect |= call && !direct;
		r->k->calls |= call;
	}
}

// Functions whose addresses stand in initialised data may be what an indirect call reaches.
static void add_address_taken(struct kernel_code *k)
{
	struct ptx_program *p = k->program;
	for (size_t m = 0; m < p->modules.n; m++) {
		const struct map *vars = &p->modules.at[m]->vars;
		for (size_t n = 0; n < vars->n; n++) {
			const struct ptx_var *v = vars->slot[n].value;
			for (unsigned r = 0; r < v->n_reloc; r++) {
				const char *name = v->reloc[r].name;
				struct ptx_func *f = map_get(&p->modules.at[m]->funcs, name, strlen(name));
				add_func(k, f && f->def ? f->def : f);
			}
		}
	}
}

static bool reach_all(struct kernel_code *k, struct diag *d)
{
	struct reach r = {.k = k};
	bool ok = true, table = false;
	for (size_t n = 0; n < k->funcs.n; n++) {
		struct ptx_func *f = k->funcs.at[n]->func;
		if (!ptx_func_parse(f, d)) {
			ok = false;
			continue;
		}
		visit_func(&r, f);
		if (r.indirect && !table) {
			table = true;
			add_address_taken(k);
		}
	}
	return ok;
}

// Static variables in order of first use, then one place for all dynamic arrays.
static bool place_shared(struct kernel_code *k, struct diag *d)
{
	uint64_t at = 0;
	uint32_t dynamic_align = 16;
	for (size_t n = 0; n < k->shared.n; n++) {
		const struct ptx_var *v = k->shared.at[n];
		uint32_t align = v->align ? v->align : 1;
		if (v->unsized || !v->size) {
			if (align > dynamic_align)
				dynamic_align = align;
			VEC_PUSH(&k->shared_at, UINT32_MAX);
			continue;
		}
		at = (at + align - 1) / align * align;
		if (v->size > MAX_SHARED || at + v->size > MAX_SHARED) {
			diag_at(d, DIAG_ERROR, &v->module->text, v->src, strlen(v->name),
			        "variable '%s' does not fit the %u bytes of shared memory that any GPU has", v->name, MAX_SHARED);
			return false;
		}
		VEC_PUSH(&k->shared_at, (uint32_t)at);
		at += v->size;
	}
	bool dynamic = false;
	for (size_t n = 0; n < k->shared.n; n++)
		dynamic |= k->shared_at.at[n] == UINT32_MAX;
	if (dynamic)
		at = (at + dynamic_align - 1) / dynamic_align * dynamic_align;
	for (size_t n = 0; n < k->shared.n; n++)
		if (k->shared_at.at[n] == UINT32_MAX)
			k->shared_at.at[n] = (uint32_t)at;
	k->shared_static = (uint32_t)at;
	return true;
}

// Bytes of constant bank 0 before the parameters, read off cubins of ptxas 11.8 and 13.0 for sm_35 to sm_121.
static uint32_t param_base(uint32_t target)
{
	return target >= 100 ? 0x380 : target >= 90 ? 0x210 : target >= 70 ? 0x160 : 0x140;
}

// Any barrier may be meant where its number is in a register.
static uint32_t barriers_of(const struct ptx_func *f)
{
	enum { ALL_BARRIERS = 16 };
	uint32_t n = 0;
	for (uint32_t k = 0; k < f->n_inst; k++) {
		const struct ptx_inst *i = &f->inst[k];
		bool cta = !strcmp(i->op->name, "bar") ? strncmp(i->key, "bar.warp", 8) != 0 :
		           !strcmp(i->op->name, "barrier") && strncmp(i->key, "barrier.cluster", 15) != 0;
		unsigned at = i->op->operands[0] == '='; // behind the result of bar.red
		if (!cta || i->n_opnd <= at)
			continue;
		const struct ptx_opnd *o = &i->opnd[at];
		uint32_t here = o->kind == PTX_O_IMM && o->bits < ALL_BARRIERS ? (uint32_t)o->bits + 1 : ALL_BARRIERS;
		n = here > n ? here : n;
	}
	return n;
}

static void fill_machine(struct kernel_code *k)
{
	struct kernel_info *info = &k->info;
	struct kernel_machine *m = &info->machine;
	m->arch = info->target;
	m->param_base = param_base(info->target);
	m->bank[BANK_PARAMS] = m->param_base + info->param_bytes;
	m->bank[BANK_CONST] = (uint32_t)k->program->layout.section[SECTION_CONST].size;
	m->shared = info->static_shared;
	m->frame = k->entry->local_bytes;
	m->stack = info->local;
	for (size_t n = 0; n < k->funcs.n; n++) {
		uint32_t here = barriers_of(k->funcs.at[n]->func);
		m->barriers = here > m->barriers ? here : m->barriers;
	}
}

enum { REGISTER_FILE = 65536, MAX_REGS = 255 };

// Registers that each thread of a kernel with setmaxnreg begins with, as ptxas finds it: what it is compiled for, but no more than any
// .inc asks for. 0 if it has none, or if nothing says how many; ptxas then leaves setmaxnreg out.
static uint32_t pool_registers(const struct kernel_code *k, const struct ptx_func *f)
{
	const uint32_t *n = f->reqntid[0] ? f->reqntid : f->maxntid;
	const uint64_t threads = (uint64_t)n[0] * (n[1] ? n[1] : 1) * (n[2] ? n[2] : 1) * f->minnctapersm;
	uint64_t have = f->maxnreg ? f->maxnreg : threads ? REGISTER_FILE / threads : 0;
	bool any = false;
	have = have < MAX_REGS ? have / EXEC_POOL_UNIT * EXEC_POOL_UNIT : MAX_REGS + 1;
	for (size_t c = 0; c < k->funcs.n; c++)
		for (uint32_t at = 0; at < k->funcs.at[c]->func->n_inst; at++) {
			const struct ptx_inst *i = &k->funcs.at[c]->func->inst[at];
			if (strcmp(i->op->name, "setmaxnreg"))
				continue;
			any = true;
			if (strstr(i->text, ".inc") && i->opnd[0].bits < have)
				have = i->opnd[0].bits;
		}
	return any ? (uint32_t)have : 0;
}

static void fill_info(struct kernel_code *k, const struct ptx_func *f)
{
	struct kernel_info *info = &k->info;
	struct kernel_param *param = ARENA_ARRAY(&k->arena, struct kernel_param, f->n_param + 1);
	uint32_t live = 0, local = 0;
	for (size_t n = 0; n < k->funcs.n; n++) {
		if (k->funcs.at[n]->live_regs > live)
			live = k->funcs.at[n]->live_regs;
		local += k->funcs.at[n]->local_bytes;
	}
	for (unsigned n = 0; n < f->n_param; n++) {
		param[n] = (struct kernel_param){(uint32_t)f->param[n]->addr, (uint32_t)f->param[n]->size, f->param[n]->align};
		info->param_bytes = param[n].offset + param[n].size;
	}
	info->name = f->name;
	info->n_params = f->n_param;
	info->param = param;
	info->regs = live + HIDDEN_REGS < MIN_REGS ? MIN_REGS : live + HIDDEN_REGS;
	if (info->regs > 255)
		info->regs = 255;
	if (f->maxnreg && info->regs > f->maxnreg)
		info->regs = f->maxnreg;
	k->pool_registers = pool_registers(k, f);
	if (k->pool_registers)
		info->regs = k->pool_registers < MAX_REGS ? k->pool_registers : MAX_REGS;
	info->static_shared = k->shared_static;
	info->local = local;
	info->max_threads = 1024;
	uint64_t bound = (uint64_t)(f->maxntid[0] ? f->maxntid[0] : 1) * (f->maxntid[1] ? f->maxntid[1] : 1) *
	                 (f->maxntid[2] ? f->maxntid[2] : 1);
	if (f->maxntid[0] && bound < info->max_threads)
		info->max_threads = (uint32_t)bound;
	// The register file holds 65,536 registers: a kernel that was promised n threads is compiled to fit them.
	if (info->regs * info->max_threads > 65536)
		info->regs = 65536 / info->max_threads / 8 * 8;
	for (unsigned n = 0; n < 3; n++) {
		info->reqntid[n] = f->reqntid[n];
		info->cluster[n] = f->reqncta.n[n];
	}
	info->max_cluster = f->maxclusterrank.n;
	info->explicit_cluster = f->explicitcluster;
	info->blocks_are_clusters = f->blocksareclusters;
	info->ptx_version = f->module->version;
	info->target = f->module->target;
	info->variables = &k->program->layout;
	fill_machine(k);
}

// Functions follow each other, the entry first; GPGPU-Sim gives every PTX instruction eight bytes.
static void place_code(struct kernel_code *k)
{
	struct ptx_program *p = k->program;
	for (size_t n = 0; n < k->funcs.n; n++) {
		struct code *c = k->funcs.at[n];
		uint32_t regs = c->func->n_reg < UINT16_MAX ? c->func->n_reg : UINT16_MAX;
		c->first_inst = k->n_isa;
		k->n_isa += c->func->n_inst;
		if (regs + 1 > k->register_count)
			k->register_count = regs + 1;
	}
	k->isa = ARENA_ARRAY(&k->arena, struct isa_inst, k->n_isa + 1);
	for (size_t n = 0; n < k->funcs.n; n++)
		k->funcs.at[n]->isa = k->isa + k->funcs.at[n]->first_inst;
	k->info.code_base = p->code_end;
	p->code_end += ((uint64_t)k->n_isa * INST_BYTES + CODE_ALIGN - 1) / CODE_ALIGN * CODE_ALIGN;
}

static bool is_param(const struct code *c, int32_t row)
{
	for (unsigned n = 0; n < c->n_param; n++)
		if (c->param[n].is_row && c->param[n].at == row)
			return true;
	return false;
}

// Notes which registers of the function some way reads before it writes them, as compilers let it be for values that do not matter.
// False if it is not the entry and has any.
static bool find_unset(struct kernel_code *k, const struct code *c)
{
	struct arena a = {0};
	const struct ptx_func *f = c->func;
	uint64_t *alive = f->n_inst ? registers_alive(f, code_flow(f, &a), 0, &a) : NULL;
	uint32_t n = 0;
	for (uint32_t r = 0; alive && r < f->n_reg; r++)
		n += alive[r / 64] >> r % 64 & 1 && !is_param(c, (int32_t)c->row_of_reg[r]);
	if (n && c == k->entry) {
		k->unset = ARENA_ARRAY(&k->arena, struct decoded_unset, n);
		for (uint32_t r = 0; r < f->n_reg; r++)
			if (alive[r / 64] >> r % 64 & 1)
				k->unset[k->n_unset++] = (struct decoded_unset){(int32_t)c->row_of_reg[r], rows_bytes(f, r)};
	}
	arena_free(&a);
	return !n || c == k->entry;
}

static bool is_apart(const struct code *c)
{
	for (uint32_t n = 0; n < c->n_uop; n++) {
		const struct uop *u = &c->uop[n];
		if (u->ctl == CTL_CLOCK || u->ctl == CTL_TRY || u->ctl == CTL_CLUSTER || u->ctl == CTL_DEPENDENTS)
			return false;
		if (c->inst_of[n] < c->func->n_inst && !exec_apart(&c->isa[c->inst_of[n]], u->flags))
			return false;
	}
	return true;
}

void *ptx_kernel_code(struct ptx_func *entry, struct diag *d)
{
	if (entry->code)
		return entry->code;
	struct kernel_code *k = MEM_NEW(struct kernel_code);
	k->program = entry->module->program;
	add_func(k, entry);
	bool ok = k->funcs.n && reach_all(k, d);
	if (ok) {
		k->entry = k->funcs.at[0];
		place_code(k);
		ok = place_shared(k, d);
		for (size_t n = 0; ok && n < k->funcs.n; n++)
			ok &= decode_func(k->funcs.at[n], d);
	}
	if (!ok) {
		ptx_kernel_free(k);
		return NULL;
	}
	fill_info(k, entry);
	k->apart = true;
	for (size_t n = 0; k->apart && n < k->funcs.n; n++)
		k->apart = is_apart(k->funcs.at[n]) && find_unset(k, k->funcs.at[n]);
	for (uint32_t i = 0; i < k->n_isa; i++)
		k->launches |= k->isa[i].service == ISA_SERVICE_LAUNCH;
	entry->code = k;
	return k;
}

const struct kernel_info *ptx_kernel_info(struct ptx_func *entry, struct diag *d)
{
	struct kernel_code *k = ptx_kernel_code(entry, d);
	return k ? &k->info : NULL;
}

void ptx_kernel_free(void *code)
{
	struct kernel_code *k = code;
	if (!k)
		return;
	VEC_FREE(&k->funcs);
	VEC_FREE(&k->shared);
	VEC_FREE(&k->shared_at);
	arena_free(&k->arena);
	mem_free(k);
}
