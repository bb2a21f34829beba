// Asynchronous copies and mbarriers become micro-ops.
#include "cuda-sim/decode/decoder.h"
#include "cuda-sim/exec/async.h"
#include "cuda-sim/exec/tries.h"

static bool is_predicate(const struct decoder *x, const struct ptx_opnd *o)
{
	return o->kind == PTX_O_REG && x->f->reg[o->index].type == PTX_T_PRED;
}

// cp.async to shared memory.
static void decode_copy(struct decoder *x)
{
	const struct ptx_inst *i = x->i;
	const uint64_t bytes = i->opnd[2].bits;
	const bool hint = strstr(i->text, ".L2::cache_hint") != NULL;
	const struct ptx_opnd *read = i->n_opnd > (hint ? 4u : 3u) ? &i->opnd[3] : NULL;
	if (bytes != 16 && (i->mods.cache == 2 || (bytes != 4 && bytes != 8))) {
		decode_complain(x, "'%s' can't copy %llu bytes; .ca copies 4, 8 or 16, .cg copies 16", i->text, (unsigned long long)bytes);
		return;
	}
	struct address to = decode_address(x, &i->opnd[0]), from = decode_address(x, &i->opnd[1]);
	int32_t row = read ? decode_source_row(x, read, is_predicate(x, read) ? PTX_T_PRED : PTX_T_B32) : 0;
	struct uop *u = decode_emit_key(x, "async.copy");
	u->a = from.row;
	u->imm = from.imm;
	u->flags |= (from.wide ? UOP_ADDR64 : 0) | UOP_SHARES;
	u->b = to.row;
	u->x[1] = (int32_t)to.imm;
	u->x[2] = (int32_t)bytes;
	u->x[3] = to.wide ? COPY_WIDE : 0;
	if (read && is_predicate(x, read)) {
		u->x[0] = row;
		u->x[3] |= read->neg ? COPY_NEGATED : 0;
	} else {
		u->c = row;
	}
	decode_list_access(x, EXEC_LIST_BODY, from);
}

// Nobody can see what is in a policy.
static void decode_policy(struct decoder *x)
{
	struct dest d = decode_dest_row(x, &x->i->opnd[0], PTX_T_B64);
	int32_t none = decode_const_row(x, 0, true);
	struct uop *u = decode_emit_key(x, "mov.b64");
	u->d = d.row;
	u->a = none;
	decode_finish_dest(x, &d);
}

static bool of_cluster(const struct decoder *x) { return decode_is_cluster(x->i); }

static void set_address(struct uop *u, struct address a)
{
	u->a = a.row;
	u->imm = a.imm;
	u->flags |= a.wide ? UOP_ADDR64 : 0;
}

// test_wait and try_wait.
static void decode_try(struct decoder *x)
{
	const struct ptx_inst *i = x->i;
	const bool parity = decode_has_part(i->key, "parity"), waits = decode_has_part(i->key, "try_wait");
	struct address a = decode_address(x, &i->opnd[1]);
	int32_t want = decode_source_row(x, &i->opnd[2], parity ? PTX_T_B32 : PTX_T_B64);
	int32_t limit = i->n_opnd > 3 ? decode_source_row(x, &i->opnd[3], PTX_T_B32) : 0;
	struct dest d = decode_dest_row(x, &i->opnd[0], PTX_T_PRED);
	struct uop *u = decode_emit(x, NULL);
	u->ctl = CTL_TRY;
	u->flags &= (uint16_t)~UOP_SHARES;
	set_address(u, a);
	u->b = want;
	u->c = limit;
	u->d = d.row;
	u->x[3] = (parity ? TRY_PARITY : 0) | (waits ? TRY_WAITS : 0);
	decode_list_address(x, a);
}

static void decode_pending(struct decoder *x)
{
	int32_t state = decode_source_row(x, &x->i->opnd[1], PTX_T_B64);
	struct dest d = decode_dest_row(x, &x->i->opnd[0], PTX_T_B32);
	struct uop *u = decode_emit_key(x, "async.mbarrier.pending_count");
	u->a = state;
	u->d = d.row;
	decode_finish_dest(x, &d);
}

// What acts on the barrier at operand `at`.
static void decode_act(struct decoder *x, const char *act, unsigned at, int32_t form)
{
	const struct ptx_inst *i = x->i;
	const bool bytes = decode_has_part(i->key, "expect_tx") || decode_has_part(i->key, "complete_tx");
	struct address a = decode_address(x, &i->opnd[at]);
	int32_t n = i->n_opnd > at + 1 ? decode_source_row(x, &i->opnd[at + 1], PTX_T_B32) : 0;
	struct dest d = {0};
	if (at)
		d = decode_dest_row(x, &i->opnd[0], PTX_T_B64);
	struct uop *u = decode_emit_key(x, arena_printf(x->keep, "async.mbarrier.%s", act));
	set_address(u, a);
	*(bytes ? &u->c : &u->b) = n;
	u->d = d.row;
	u->x[3] = form | (of_cluster(x) ? MBARRIER_CLUSTER : 0);
	u->flags |= UOP_SHARES;
	if (!of_cluster(x))
		decode_list_address(x, a);
	if (at)
		decode_finish_dest(x, &d);
}

static bool decode_mbarrier(struct decoder *x)
{
	static const char *const plain[] = {"init", "inval", "expect_tx", "complete_tx"};
	const char *key = x->i->key;
	const bool drop = decode_has_part(key, "arrive_drop");
	if (!strncmp(key, "cp.async.mbarrier.arrive", 24)) {
		decode_act(x, decode_has_part(key, "noinc") ? "arrive" : "look", 0, 0);
		return true;
	}
	if (!is(x->i, "mbarrier"))
		return false;
	if (decode_has_part(key, "test_wait") || decode_has_part(key, "try_wait")) {
		decode_try(x);
	} else if (decode_has_part(key, "pending_count")) {
		decode_pending(x);
	} else if (drop || decode_has_part(key, "arrive")) {
		decode_act(x, "arrive", 1, (drop ? MBARRIER_DROP : 0) | (decode_has_part(key, "noComplete") ? MBARRIER_ONLY : 0));
	} else {
		for (size_t k = 0; k < sizeof plain / sizeof *plain; k++)
			if (decode_has_part(key, plain[k]))
				decode_act(x, plain[k], 0, 0);
	}
	return true;
}

bool decode_async(struct decoder *x)
{
	if (decode_mbarrier(x))
		return true;
	if (is(x->i, "createpolicy")) {
		decode_policy(x);
		return true;
	}
	if (strncmp(x->i->key, "cp.async.shared.global", 22))
		return false;
	decode_copy(x);
	return true;
}
