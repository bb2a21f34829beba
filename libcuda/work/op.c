#include "libcuda/work/op.h"

#include "base/mem.h"
#include "libcuda/context/context.h"
#include "libcuda/work/event.h"
#include "libcuda/work/stream.h"

struct op *op_new(enum op_kind kind)
{
	struct op *op = MEM_NEW(struct op);
	op->kind = kind;
	return op;
}

void op_free_launch(struct kernel_launch *launch) { mem_free(launch); }

void op_free(struct op *op)
{
	switch (op->kind) {
	case OP_KERNEL: op_free_launch(op->u.kernel); break;
	case OP_COPY: mem_free(op->u.copy.staged); break;
	case OP_RECORD:
	case OP_WAIT: record_release(op->u.record); break;
	case OP_GRAPH: op->u.run->free(op->u.run); break;
	default: break;
	}
	mem_free(op);
}

void op_watch(const struct op *op, const char *what)
{
	static const char *const kind[] = {"kernel", "copy", "fill", "event record", "event wait", "host function",
	                                   "callback", "free", "value wait", "value write", "graph"};
	const char *name = op->kind == OP_KERNEL ? op->u.kernel->info->name : "";
	dbg_line(&cu.watch.dbg, DBG_STREAM, gpu_cycle(cu.gpu), "stream %llu operation %llu %s%s%s %s",
	         (unsigned long long)op->stream->id, (unsigned long long)op->seq, kind[op->kind], *name ? " " : "", name, what);
}
