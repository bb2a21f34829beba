// Any bytes as a thread block of an extended trace, and as its static code: nothing crashes, nothing hangs, and what is
// read without an error can be walked from its first instruction to its last.
//
// The first byte chooses: even, the rest is JSON, of which a thread block that is known to be good is read; odd, a
// thread block of a kernel with all kinds of instructions.
#include "cuda-sim/trace/pb.h"
#include "tests/fuzz/walk_trace.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define I(pc, op, operands) "{\"pc_num_dec\":" #pc ",\"op_code\":\"" op "\",\"num_destination_registers\":1,\"operands\":[" operands "]}"
#define O(type, text) "{\"operand_string\":\"" text "\",\"operand_type\":\"" type "\"}"

static const char json[] =
	"{\"kernels\":[{\"unique_function_id\":1,\"is_captured_from_binary\":true,\"instructions\":["
	I(0, "FADD", O("REG", "R1") "," O("REG", "R2.reuse") "," O("IMM_DOUBLE", "1.5")) ","
	I(16, "LDG.E.64", O("REG", "R4") "," O("DESC", "desc[UR4][R2.64]")) ","
	I(32, "LDGSTS.E", O("MREF", "[R4]") "," O("MREF", "[R2.64]")) ","
	I(48, "LDC", O("REG", "R4") "," O("CBANK", "c[0x3][R2+0x10]")) ","
	I(64, "BAR.SYNC", O("IMM_UINT64", "0x0")) ","
	I(80, "LD.E", O("REG", "R4") "," O("MREF", "[R2.64]")) ","
	I(96, "EXIT", "") "]},{\"unique_function_id\":2,\"instructions\":[" I(0, "RET", "") "]}]}";

// One warp, which executes EXIT.
static const uint8_t good[] = {0x12, 0x10, 0x12, 0x0e, 0x12, 0x0c, 0x08, 0x60, 0x10,
                               0xff, 0x01, 0x18, 0xff, 0x01, 0x20, 0x01, 0x28, 0x00};

static void read_block(struct trace_static *code, const uint8_t *bytes, size_t size)
{
	char why[1200];
	struct trace_set set = {.file = "set", .binary_version = 86, .version = 4, .code = code};
	struct set_kernel kernel = {
		.id = 1, .grid = {2, 1, 1}, .block = {40, 1, 1}, .name = "k", .folder = ".", .function = &code->function.at[0]};
	struct trace_code *c = mem_alloc(sizeof *c);
	struct trace_cta *cta = mem_alloc(sizeof *cta);
	VEC_PUSH(&set.kernel, kernel);
	struct trace_pb *p = trace_pb_new(&set, 0, c, 0, 1, why, sizeof why);
	if (!p)
		abort();
	enum trace_read got = trace_pb_block(p, "block", bytes, size, (uint32_t[3]){0}, cta);
	if (got == TRACE_CTA)
		walk_trace(c, cta, true);
	else if (!*trace_pb_error(p))
		abort();
	trace_pb_feed(p).ops->free(p);
	trace_cta_free(cta);
	trace_code_free(c);
	mem_free(c);
	VEC_FREE(&set.kernel);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char why[1200] = "";
	if (!size)
		return 0;
	bool block = *data & 1;
	const char *text = block ? json : (const char *)data + 1;
	struct trace_static *s = trace_static_parse("f", text, block ? sizeof json - 1 : size - 1, why, sizeof why);
	if (!s && (block || strncmp(why, "f:", 2)))
		abort();
	if (s && s->function.n)
		read_block(s, block ? data + 1 : good, block ? size - 1 : sizeof good);
	trace_static_free(s);
	return 0;
}
