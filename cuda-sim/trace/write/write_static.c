// The static part of an extended trace, as the tracer writes it (names of keys and all).
#include "cuda-sim/trace/write/write_pb.h"

#include "base/mem.h"
#include "cuda-sim/sass/control.h"
#include "cuda-sim/sass/exec/live.h"
#include "cuda-sim/trace/write/machine_line.h"
#include "cuda-sim/trace/variant.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RZ = 255, URZ = 63 };

static void key(yajl_gen g, const char *name) { yajl_gen_string(g, (const unsigned char *)name, strlen(name)); }

static void put_text(yajl_gen g, const char *name, const char *text)
{
	key(g, name);
	key(g, text);
}

static void put_flag(yajl_gen g, const char *name, bool v)
{
	key(g, name);
	yajl_gen_bool(g, v);
}

static void put_whole(yajl_gen g, const char *name, long long v)
{
	key(g, name);
	yajl_gen_integer(g, v);
}

// --- operands

// The register of an address or of an offset among constants: the last that is named.
static int last_register(const char *text)
{
	int r = OPERAND_NO_REGISTER;
	for (const char *p = text; (p = strpbrk(p, "[+"));) {
		bool uniform = *++p == 'U';
		const char *name = p + uniform;
		if (*name++ == 'R')
			r = *name == 'Z' ? uniform ? URZ : RZ : atoi(name);
	}
	return r;
}

static int register_of(const struct operand_text *o)
{
	switch (o->kind) {
	case OPERAND_MREF: case OPERAND_CBANK: return last_register(o->text);
	case OPERAND_DESC: return OPERAND_NO_REGISTER;
	default: return o->reg;
	}
}

// A minus before a number is the number's.
static bool is_negative(const struct operand_text *o)
{
	return (*o->text == '-' && o->kind != OPERAND_IMM && o->kind != OPERAND_DOUBLE) || *o->text == '!';
}

// Numbers of an operand as the tracer has them: of a constant its bank and byte, of an address what is added.
static void put_numbers(yajl_gen g, const struct operand_text *o)
{
	const char *p = o->text;
	yajl_gen_array_open(g);
	if (o->kind == OPERAND_IMM) {
		yajl_gen_double(g, (double)o->imm);
	} else if (o->kind == OPERAND_DOUBLE) {
		double v = strtod(p, NULL);
		if (v - v == 0 && !strstr(p, "QNAN")) // JSON has no infinity
			yajl_gen_double(g, v);
	} else if (o->kind == OPERAND_CBANK || o->kind == OPERAND_MREF) {
		while ((p = strstr(p, "0x"))) {
			bool minus = p != o->text && p[-1] == '-';
			double v = (double)strtoull(p, (char **)&p, 16);
			yajl_gen_double(g, minus ? -v : v);
		}
	}
	yajl_gen_array_close(g);
}

// What stands behind dots: "reuse", "64", "X".
static bool put_modifiers(yajl_gen g, const struct operand_text *o)
{
	bool reuse = false;
	bool number = o->kind == OPERAND_DOUBLE;
	yajl_gen_array_open(g);
	for (const char *p = strchr(o->text, '.'); p && !number; p = strchr(p, '.')) {
		size_t n = strcspn(++p, ".]+- |,");
		yajl_gen_string(g, (const unsigned char *)p, n);
		reuse |= n == 5 && !memcmp(p, "reuse", 5);
	}
	yajl_gen_array_close(g);
	return reuse;
}

static void put_operand(yajl_gen g, const struct operand_text *o)
{
	int reg = register_of(o);
	bool has = reg >= 0;
	yajl_gen_map_open(g);
	put_text(g, "operand_string", o->text);
	put_text(g, "operand_type", operand_kind_name[o->kind]);
	put_flag(g, "has_reg", has);
	put_flag(g, "is_negative_reg", is_negative(o));
	put_flag(g, "is_absolute_reg", strchr(o->text, '|') != NULL);
	put_whole(g, "operand_reg_number", has ? reg : 0);
	put_flag(g, "has_inmediate", o->kind == OPERAND_IMM || o->kind == OPERAND_DOUBLE || o->kind == OPERAND_CBANK ||
	                                     (o->kind == OPERAND_MREF && strstr(o->text, "0x")));
	key(g, "operand_inmmediates");
	put_numbers(g, o);
	key(g, "operand_modifiers");
	put_flag(g, "is_reuse_bit_set", put_modifiers(g, o));
	yajl_gen_map_close(g);
}

// --- instructions

// The tracer takes the first operand for the result, unless its kind or the opcode speaks against it.
static int results(const struct inst_text *x)
{
	static const char *const none[] = {"BRA", "BRX", "JMP", "CALL", "RET", "EXIT", "WARPSYNC", "YIELD", "BRK"};
	size_t n = strcspn(x->op, ".");
	for (unsigned i = 0; i < sizeof none / sizeof *none; i++)
		if (strlen(none[i]) == n && !memcmp(none[i], x->op, n))
			return 0;
	switch (x->n ? x->operand[0].kind : OPERAND_GENERIC) {
	case OPERAND_REG: case OPERAND_UREG: case OPERAND_PRED: case OPERAND_UPRED: case OPERAND_BREG: return 1;
	default: return 0;
	}
}

static void put_control(yajl_gen g, struct sass_word w)
{
	struct isa_control c = sass_control_from_encoding(w.lo, w.hi);
	yajl_gen_map_open(g);
	put_whole(g, "stall_count", c.stall);
	put_flag(g, "is_yield", c.yield);
	put_flag(g, "is_new_read_barrier", c.read_sb != ISA_NO_SB);
	put_flag(g, "is_new_write_barrier", c.write_sb != ISA_NO_SB);
	put_whole(g, "id_new_read_barrier", c.read_sb);
	put_whole(g, "id_new_write_barrier", c.write_sb);
	put_whole(g, "wait_barrier_bits", c.wait);
	yajl_gen_map_close(g);
}

// Registers in use. The tracer gives no figure of those in use later on: 0.
static void put_usage(yajl_gen g, const struct sx_live *live)
{
	const uint16_t n[] = {live->r, live->ur, live->p, live->up};
	static const char *const of[] = {"num_regular", "num_uniform", "num_regular_predicate", "num_uniform_predicate"};
	char name[64];
	yajl_gen_map_open(g);
	for (unsigned i = 0; i < 4; i++) {
		put_whole(g, of[i], n[i]);
		snprintf(name, sizeof name, "future_max_%s", of[i]);
		put_whole(g, name, 0);
	}
	yajl_gen_map_close(g);
}

static void put_instruction(yajl_gen g, const struct pb_form *f, uint32_t i, const struct sx_live *live)
{
	struct machine_line m;
	struct sass_word w = sx_word(f->kernel, i);
	const struct inst_text *x = &m.text;
	char text[32];
	machine_line_of(&m, f->kernel, i);
	yajl_gen_map_open(g);
	snprintf(text, sizeof text, "%04x", i * SX_INST_BYTES);
	put_text(g, "pc_string_hex", text);
	put_whole(g, "pc_num_dec", i * SX_INST_BYTES);
	put_text(g, "op_code", x->op);
	put_flag(g, "is_predicated", x->guarded);
	put_flag(g, "is_uniform_predicate", x->guard_uniform);
	put_flag(g, "is_predicate_negate", x->guard_negated);
	put_whole(g, "predicate_register", x->guarded ? (long long)x->guard : 0);
	put_whole(g, "num_destination_registers", results(x));
	key(g, "encoded_instruction");
	yajl_gen_array_open(g);
	for (unsigned k = 0; k < 2; k++) {
		snprintf(text, sizeof text, "0x%016llx", (unsigned long long)(k ? w.hi : w.lo));
		key(g, text);
	}
	yajl_gen_array_close(g);
	key(g, "operands");
	yajl_gen_array_open(g);
	for (unsigned k = 0; k < x->n; k++)
		put_operand(g, &x->operand[k]);
	yajl_gen_array_close(g);
	key(g, "control_bits");
	put_control(g, w);
	key(g, "register_usage");
	put_usage(g, live);
	yajl_gen_map_close(g);
}

void write_static(yajl_gen g, const struct pb_form *f, const struct kernel_launch *l)
{
	char name[4096];
	struct sx_live *live = sx_live_of(f->kernel);
	trace_variant_name(name, sizeof name, l->info->name, f->variant);
	yajl_gen_map_open(g);
	put_text(g, "kernel_name", name);
	put_whole(g, "architecture_version", f->kernel->image->arch);
	put_flag(g, "is_captured_from_binary", true);
	put_whole(g, "unique_function_id", f->function);
	put_whole(g, "function_address", (long long)l->info->code_base);
	key(g, "instructions");
	yajl_gen_array_open(g);
	for (uint32_t i = 0; i < f->kernel->n; i++)
		put_instruction(g, f, i, &live[i]);
	mem_free(live);
	yajl_gen_array_close(g);
	yajl_gen_map_close(g);
}
