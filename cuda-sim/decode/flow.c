// Instructions that change the flow of control or wait: branches, calls, barriers.
#include "cuda-sim/decode/decoder.h"
#include "cuda-sim/exec/cluster.h"
#include "cuda-sim/exec/dependents.h"
#include "cuda-sim/exec/group.h"

static struct call_value call_value(struct decoder *x, const struct ptx_opnd *o, bool dest)
{
	struct call_value v = {0};
	switch (o->kind) {
	case PTX_O_VAR:
		v.bytes = (uint32_t)o->var->size;
		v.caller = (int32_t)o->var->addr;
		if (ptx_is_entry_param(x->f, o->var))
			decode_complain(x, "kernel parameter '%s' can't be passed on by name", o->var->name);
		break;
	case PTX_O_REG:
		v.caller_is_row = true;
		v.bytes = decode_type_bytes(x->f->reg[o->index].type);
		v.caller = (int32_t)x->c->row_of_reg[o->index];
		break;
	default:
		v.caller_is_row = true;
		v.bytes = 8;
		v.caller = dest ? SCRATCH_ROW : decode_source_row(x, o, PTX_T_B64);
		break;
	}
	return v;
}

static void decode_call(struct decoder *x)
{
	const struct ptx_inst *i = x->i;
	struct call_site *s = ARENA_NEW(x->keep, struct call_site);
	const struct ptx_opnd *target = NULL;
	for (unsigned k = 0; k < i->n_opnd; k++) {
		const struct ptx_opnd *o = &i->opnd[k];
		if (o->kind == PTX_O_TABLE)
			continue;
		if (o->kind != PTX_O_LIST) {
			target = o;
			continue;
		}
		struct call_value *v = ARENA_ARRAY(x->keep, struct call_value, o->n + 1);
		for (unsigned e = 0; e < o->n; e++)
			v[e] = call_value(x, &o->elem[e], !target);
		if (target)
			s->arg = v, s->n_arg = o->n;
		else
			s->ret = v, s->n_ret = o->n;
	}
	if (!target) {
		decode_complain(x, "call without a target");
		return;
	}
	struct uop *u = decode_emit(x, NULL);
	size_t at = x->out.n - 1;
	u->ctl = CTL_CALL;
	u->imm = (int64_t)(uintptr_t)s;
	if (target->kind == PTX_O_FUNC) {
		struct ptx_func *f = target->func->def;
		if (!f || !f->body) {
			s->builtin = x->c->kernel->program->builtin(target->func->name);
			if (!s->builtin)
				decode_complain(x, "function '%s' is called but not defined, and is none that Heddle provides",
				         target->func->name);
			return;
		}
		s->target = f;
		s->code = kernel_code_find(x->c->kernel, f);
		return;
	}
	x->out.at[at].a = decode_source_row(x, target, PTX_T_B64);
}

// Where the lanes that the instruction parts meet again.
static uint32_t flow_rpc(const struct decoder *x, const struct ptx_inst *i)
{
	int64_t r = cfg_reconvergence(x->g, (uint32_t)(i - x->f->inst));
	return r < 0 ? UOP_NOWHERE : (uint32_t)r;
}

static void decode_bar(struct decoder *x)
{
	const struct ptx_inst *i = x->i;
	int mode = strstr(i->key, ".arrive")   ? UOP_BAR_ARRIVE
	           : strstr(i->key, ".popc")   ? UOP_BAR_POPC
	           : strstr(i->key, ".red.and") ? UOP_BAR_AND
	           : strstr(i->key, ".red.or") ? UOP_BAR_OR
	                                       : UOP_BAR_SYNC;
	const struct ptx_opnd *src[3] = {0};
	unsigned n = 0, first = mode >= UOP_BAR_POPC;
	for (unsigned k = first; k < i->n_opnd && n < 3; k++)
		src[n++] = &i->opnd[k];
	bool neg = false;
	int32_t pred = 0, id = n ? decode_source_row(x, src[0], PTX_T_U32) : decode_const_row(x, 0, false), count = 0;
	if (mode >= UOP_BAR_POPC && n) {
		pred = decode_source_row(x, src[n - 1], PTX_T_PRED);
		neg = src[n - 1]->neg;
		n--;
	}
	if (n > 1)
		count = decode_source_row(x, src[1], PTX_T_U32);
	struct uop *u = decode_emit(x, NULL);
	u->ctl = CTL_BAR;
	u->x[0] = mode;
	u->a = id;
	u->b = count;
	u->c = pred;
	if (is(i, "bar") || strstr(i->key, ".aligned"))
		u->flags |= UOP_ALIGNED;
	if (neg)
		u->flags |= UOP_NEG_C;
	if (first && i->opnd[0].kind == PTX_O_REG)
		u->d = (int32_t)x->c->row_of_reg[i->opnd[0].index];
}

bool decode_control(struct decoder *x)
{
	const struct ptx_inst *i = x->i;
	struct uop *u;
	if (is(i, "bra")) {
		u = decode_emit(x, NULL);
		u->ctl = CTL_BRA;
		u->imm = i->opnd[0].index; // an instruction number until fix_targets
		u->x[0] = (int32_t)flow_rpc(x, i);
	} else if (is(i, "brx")) {
		int32_t index = decode_source_row(x, &i->opnd[0], PTX_T_U32);
		u = decode_emit(x, NULL);
		u->ctl = CTL_BRX;
		u->a = index;
		u->x[0] = (int32_t)flow_rpc(x, i);
		u->x[1] = i->n_opnd > 1 ? (int32_t)i->opnd[1].index : 0;
	} else if (is(i, "ret") && !x->f->entry) {
		// All lanes return together: a branch to the one place that returns.
		u = decode_emit(x, NULL);
		u->ctl = CTL_BRA;
		u->imm = x->f->n_inst;
		u->x[0] = (int32_t)flow_rpc(x, i);
	} else if (is(i, "ret") || is(i, "exit")) {
		u = decode_emit(x, NULL);
		u->ctl = CTL_EXIT;
	} else if (is(i, "call")) {
		decode_call(x);
	} else if (strncmp(i->key, "bar.warp", 8) == 0) {
		int32_t members = i->n_opnd ? decode_source_row(x, &i->opnd[0], PTX_T_U32) : 0;
		u = decode_emit(x, NULL);
		u->ctl = CTL_WARPSYNC;
		u->flags |= UOP_GATHER;
		u->x[3] = members;
	} else if (is(i, "barrier") && !strncmp(i->key, "barrier.cluster", 15)) {
		u = decode_emit(x, NULL);
		u->ctl = CTL_CLUSTER;
		u->x[0] = decode_has_part(i->key, "arrive") ? EXEC_CLUSTER_ARRIVE : EXEC_CLUSTER_WAIT;
	} else if (is(i, "bar") || is(i, "barrier")) {
		decode_bar(x);
	} else if (is(i, "setmaxnreg")) {
		u = decode_emit(x, NULL);
		u->ctl = CTL_GROUP;
		u->imm = (int64_t)i->opnd[0].bits;
		u->x[0] = strstr(i->text, ".inc") ? EXEC_GROUP_MORE : EXEC_GROUP_LESS;
		u->flags |= UOP_GATHER;
	} else if (is(i, "wgmma") && !(i->op->flags & PTX_OP_GROUP)) {
		u = decode_emit(x, NULL);
		u->ctl = CTL_GROUP;
		u->imm = i->n_opnd ? (int64_t)(i->opnd[0].bits < UINT32_MAX ? i->opnd[0].bits : UINT32_MAX) : 0;
		u->x[0] = i->n_opnd ? EXEC_GROUP_WAIT : strstr(i->text, ".commit") ? EXEC_GROUP_COMMIT : EXEC_GROUP_FENCE;
		u->flags |= UOP_GATHER;
	} else if (is(i, "griddepcontrol")) {
		u = decode_emit(x, NULL);
		u->ctl = CTL_DEPENDENTS;
		u->x[0] = decode_has_part(i->key, "wait") ? EXEC_DEPENDENTS_WAIT : EXEC_DEPENDENTS_ALLOW;
	} else if (is(i, "trap") || is(i, "brkpt")) {
		u = decode_emit(x, NULL);
		u->ctl = CTL_TRAP;
	} else {
		return false;
	}
	return true;
}

const struct cfg *code_flow(const struct ptx_func *f, struct arena *a)
{
	// One more instruction than the PTX has: the end, which returns.
	struct cfg_flow *flow = ARENA_ARRAY(a, struct cfg_flow, f->n_inst + 1);
	for (uint32_t n = 0; n < f->n_inst; n++) {
		const struct ptx_inst *i = &f->inst[n];
		struct cfg_flow *w = &flow[n];
		bool guarded = i->guard >= 0;
		// Also of a trap: it ends the kernel, and so the branches around it keep their meeting point.
		w->falls = true;
		if (is(i, "bra")) {
			w->target = &i->opnd[0].index;
			w->n_target = 1;
			w->falls = guarded;
		} else if (is(i, "brx") && i->n_opnd > 1 && i->opnd[1].index < f->n_table) {
			w->target = f->table[i->opnd[1].index].label;
			w->n_target = f->table[i->opnd[1].index].n;
			w->falls = guarded;
		} else if (is(i, "ret") && !f->entry) {
			uint32_t *end = ARENA_NEW(a, uint32_t);
			*end = f->n_inst;
			w->target = end;
			w->n_target = 1;
			w->falls = guarded;
		} else if (is(i, "ret") || is(i, "exit")) {
			w->falls = guarded;
		}
	}
	return cfg_build(a, f->n_inst + 1, flow);
}
