#include "libcuda/context/op.h"

#include "base/mem.h"
#include "libcuda/context/event.h"

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
	default: break;
	}
	mem_free(op);
}
