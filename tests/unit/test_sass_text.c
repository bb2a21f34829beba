// SASS: control bits out of encodings, operands and units out of opcodes, and the text form with what it runs.
#include "cuda-sim/sass/control.h"
#include "cuda-sim/sass/inst.h"
#include "cuda-sim/sass/text/text.h"
#include "gpgpu-sim/gpu/functional.h"
#include "tests/unit/trace_text.h"

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct sass_program *parse(const char *text)
{
	struct diag d = {0};
	struct sass_program *p = sass_text_parse("t.sass", text, strlen(text), 0, &d);
	ck_assert_msg(p != NULL, "%s\nin: %s", d.text ? d.text : "?", text);
	diag_free(&d);
	return p;
}

static const struct isa_inst *one(const char *text, struct sass_program **p)
{
	*p = parse(text);
	ck_assert_uint_eq(sass_text_count(*p), 1);
	return sass_text_inst(*p, 0);
}

// --- encodings

static void ck_control(struct isa_control c, const char *want)
{
	char got[64];
	ck_assert(c.present);
	sass_control_print(&c, got, sizeof got);
	ck_assert_str_eq(got, want);
}

// Code of real sm_86 and sm_120 programs.
START_TEST(control_bits_come_out_of_encodings)
{
	ck_control(sass_control_from_encoding(0, 0x000e220000002100), "[B------:R-:W0:-:S01]"); // S2R R6, SR_TID.X
	ck_control(sass_control_from_encoding(0, 0x001fda0003f05270), "[B0-----:R-:W-:Y:S13]"); // ISETP.NE.AND
	ck_control(sass_control_from_encoding(0, 0x040fe2000bf26070), "[B------:R-:W-:-:S01]"); // ISETP with R0.reuse
	ck_control(sass_control_from_encoding(0, 0x000ea2000c1e1900), "[B------:R-:W2:-:S01]"); // LDG.E
	ck_assert_uint_eq(sass_reuse_from_encoding(0, 0x040fe2000bf26070), 1);
	ck_assert_uint_eq(sass_reuse_from_encoding(0, 0x000ea2000c1e1900), 0);
	ck_control(sass_control_from_bits(0x7e0), "[B------:R-:W-:Y:S00]"); // NOP behind the end
	ck_control(sass_control_from_bits(0x711), "[B------:R-:W0:-:S01]");
	for (uint32_t bits = 0; bits < 1u << 17; bits += 7) {
		struct isa_control c = sass_control_from_bits(bits);
		ck_assert_uint_eq(sass_control_bits(&c), bits);
	}
}
END_TEST

START_TEST(a_control_word_holds_three_instructions)
{
	struct isa_control c[3];
	uint8_t reuse[3];
	uint64_t word = 0x711u | (uint64_t)0xfed << 21 | (uint64_t)(0x7e0 | 5u << 17) << 42;
	sass_control_from_word(word, c, reuse);
	ck_control(c[0], "[B------:R-:W0:-:S01]");
	ck_control(c[1], "[B0-----:R-:W-:Y:S13]");
	ck_control(c[2], "[B------:R-:W-:Y:S00]");
	ck_assert_uint_eq(reuse[0], 0);
	ck_assert_uint_eq(reuse[2], 5);
}
END_TEST

START_TEST(reuse_hints_find_the_operands_encoded_there)
{
	static const struct { const char *text; uint64_t lo, hi; const char *want; } cases[] = {
		{"ISETP.GE.U32.AND P1, PT, R0, UR4, PT", 0x00ULL << 24 | 4ULL << 32, (uint64_t)1 << 58, "1000"},
		{"FFMA R0, R1, R2, R3", 1ULL << 24 | 2ULL << 32, (uint64_t)2 << 58 | 3, "010"},
		{"FFMA R0, R1, R2, R3", 1ULL << 24 | 2ULL << 32, (uint64_t)5 << 58 | 3, "101"},
		{"FFMA R0, R1, R1, R3", 1ULL << 24 | 1ULL << 32, (uint64_t)2 << 58 | 3, "010"},
		{"FFMA R0, R1, 0x2, R2", 1ULL << 24 | 2ULL << 32, (uint64_t)4 << 58 | 2, "001"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct sass_program *p;
		struct isa_sass s = *one(cases[i].text, &p)->sass;
		sass_reuse_apply(&s, cases[i].lo, cases[i].hi);
		for (size_t k = 0; cases[i].want[k] && k < s.n_src; k++)
			ck_assert_msg(s.src[k].reuse == (cases[i].want[k] == '1'), "%s, source %zu", cases[i].text, k);
		sass_text_free(p);
	}
}
END_TEST

// --- operands

static void put_operand(FILE *f, const struct isa_operand *o)
{
	static const char *const files[] = {"-", "R", "UR", "P", "UP", "B", "c", "imm", "special"};
	fprintf(f, " %s", files[o->file]);
	if (o->file == ISA_FILE_CONST)
		fprintf(f, "%u[0x%x]", o->reg, o->offset);
	else if (o->file < ISA_FILE_CONST && o->file)
		fprintf(f, "%u*%u", o->reg, o->count);
	fprintf(f, "%s%s", o->reuse ? "r" : "", o->address ? "a" : "");
}

// "unit: destinations <- sources".
static void describe(const struct isa_inst *i, char *buf, size_t n)
{
	static const char *const units[] = {
#define X(name, text) text,
		ISA_UNITS(X)
#undef X
	};
	FILE *f = fmemopen(buf, n, "w");
	const struct isa_sass *s = i->sass;
	fprintf(f, "%s:", units[s->unit]);
	for (unsigned k = 0; k < s->n_dst; k++)
		put_operand(f, &s->dst[k]);
	fputs(" <-", f);
	for (unsigned k = 0; k < s->n_src; k++)
		put_operand(f, &s->src[k]);
	fclose(f);
}

static const struct { const char *text, *want; } operands[] = {
	{"FFMA R0, R1.reuse, -R2, |R3|", "sp: R0*1 <- R1*1r R2*1 R3*1"},
	{"FADD R1, RZ, 1", "sp: R1*1 <- R255*0 imm"},
	{"@!P3 FADD.FTZ R1, R2, 1.5e-3", "sp: R1*1 <- R2*1 imm P3*1"},
	{"@PT MOV R1, c[0x0][0x28]", "int: R1*1 <- c0[0x28]"},
	{"IMAD.WIDE R2, R4, 0x4, R6", "sp: R2*2 <- R4*1 imm R6*2"},
	{"IMAD.WIDE.U32 R2, P0, R4, R5, R6", "sp: R2*2 P0*1 <- R4*1 R5*1 R6*2"},
	{"IMAD R2, R4, c[0x3][0x10], RZ", "sp: R2*1 <- R4*1 c3[0x10] R255*0"},
	{"IADD3 R0, P1, R1, R2, R3", "int: R0*1 P1*1 <- R1*1 R2*1 R3*1"},
	{"IADD3.X R0, R1, R2, R3, P1, !PT", "int: R0*1 <- R1*1 R2*1 R3*1 P1*1 P7*0"},
	{"ISETP.NE.AND P0, PT, R0, UR4, PT", "int: P0*1 P7*0 <- R0*1 UR4*1 P7*0"},
	{"LOP3.LUT P0, R1, R2, R3, R4, 0x80, !PT", "int: P0*1 R1*1 <- R2*1 R3*1 R4*1 imm P7*0"},
	{"PLOP3.LUT P0, PT, P1, P2, PT, 0x80, 0x0", "predicate: P0*1 P7*0 <- P1*1 P2*1 P7*0 imm imm"},
	{"P2R R0, PR, RZ, 0x7f", "predicate: R0*1 <- P0*7 R255*0 imm"},
	{"R2P PR, R0, 0x7f", "predicate: P0*7 <- R0*1 imm"},
	{"DFMA R0, R2, R4, R6", "dp: R0*2 <- R2*2 R4*2 R6*2"},
	{"DSETP.MAX.AND P0, P1, R2, R4, PT", "dp: P0*1 P1*1 <- R2*2 R4*2 P7*0"},
	{"F2F.F64.F32 R2, R4", "dp: R2*2 <- R4*1"},
	{"I2F.F64 R2, R4", "sfu: R2*2 <- R4*1"},
	{"MUFU.RCP R0, R1", "sfu: R0*1 <- R1*1"},
	{"POPC R0, R1", "int: R0*1 <- R1*1"},
	{"HFMA2 R0, R1.H0_H0, R2, R3.H1_H1", "half: R0*1 <- R1*1 R2*1 R3*1"},
	{"HMMA.16816.F32 R0, R4.reuse, R8, R12", "tensor: R0*4 <- R4*4r R8*2 R12*4"},
	{"HMMA.16816.F16 R0, R4, R8, RZ", "tensor: R0*2 <- R4*4 R8*2 R255*0"},
	{"HMMA.SP.16816.F16 R0, R4, R8, R12, R16, 0x1", "tensor: R0*2 <- R4*2 R8*2 R12*2 R16*1 imm"},
	{"HMMA.SP.16816.F32.TF32 R0, R4, R8, R12, R16, 0x1", "tensor: R0*4 <- R4*4 R8*4 R12*4 R16*1 imm"},
	{"IMMA.SP.16864.U8.S8 R0, R4.ROW, R8.COL, R12, R16, 0x0", "tensor: R0*4 <- R4*4 R8*4 R12*4 R16*1 imm"},
	{"IMMA.SP.16864.U4.S4 R0, R4.ROW, R8.COL, R12, R16, 0x0", "tensor: R0*4 <- R4*2 R8*2 R12*4 R16*1 imm"},
	{"IMMA.16832.S8.S8 R0, R4, R8, R12", "tensor: R0*4 <- R4*4 R8*2 R12*4"},
	{"DMMA.884 R0, R4, R6, R8", "dp: R0*4 <- R4*2 R6*2 R8*4"},
	{"UIADD3 UR4, UP0, UR5, 0x10, URZ", "uniform: UR4*1 UP0*1 <- UR5*1 imm UR255*0"},
	{"ULDC.64 UR4, c[0x0][0x118]", "uniform: UR4*2 <- c0[0x118]"},
	{"R2UR UR4, R2", "int: UR4*1 <- R2*1"},
	{"S2R R0, SR_TID.X", "memory: R0*1 <- special"},
	{"S2UR UR4, SR_CTAID.X", "misc queue: UR4*1 <- special"},
	{"CS2R R0, SR_CLOCKLO", "int: R0*2 <- special"},
	{"CS2R.32 R0, SR_CLOCKLO", "int: R0*1 <- special"},
	{"LDG.E R0, [R2.64]", "memory: R0*1 <- R2*2a"},
	{"LDG.E.128.CONSTANT R0, [R2]", "memory: R0*4 <- R2*2a"},
	{"LDG.E.64 R0, [R2.64+UR4+-0x10]", "memory: R0*2 <- R2*2a UR4*2a"},
	{"LDG.E R0, [R2.U32+UR4]", "memory: R0*1 <- R2*1a UR4*2a"},
	{"LDG.E R0, [UR4]", "memory: R0*1 <- UR4*2a"},
	{"LDG.E R0, desc[UR4][R2.64+0x8]", "memory: R0*1 <- UR4*2a R2*2a"},
	{"STG.E.64 [R2.64], R4", "memory: <- R2*2a R4*2"},
	{"@P0 STG.E.128 desc[UR4][R2.64], R4", "memory: <- UR4*2a R2*2a R4*4 P0*1"},
	{"LDS.64 R0, [R2+0x40]", "memory: R0*2 <- R2*1a"},
	{"LDS R0, [UR4]", "memory: R0*1 <- UR4*1a"},
	{"STS.128 [R2], R4", "memory: <- R2*1a R4*4"},
	{"LDSM.16.M88.4 R0, [R4]", "memory: R0*4 <- R4*1a"},
	{"LDGSTS.E.BYPASS.128 [R1+0x10], [R2.64]", "memory: <- R1*1a R2*2a"},
	{"LDC R0, c[0x3][R2+0x10]", "memory: R0*1 <- c3[0x10] R2*1a"},
	{"LDC.64 R0, c[0x0][0x10]", "memory: R0*2 <- c0[0x10]"},
	{"ATOMG.E.ADD.STRONG.GPU PT, R0, [R2.64], R4", "memory: P7*0 R0*1 <- R2*2a R4*1"},
	{"RED.E.ADD.F32.FTZ.RN.STRONG.GPU [R2.64], R4", "memory: <- R2*2a R4*1"},
	{"SHFL.BFLY PT, R0, R1, 0x10, 0x1f", "memory: P7*0 R0*1 <- R1*1 imm imm"},
	{"VOTE.ANY R0, PT, P1", "misc: R0*1 P7*0 <- P1*1"},
	{"VOTE.ALL P0, P1", "misc: P0*1 <- P1*1"},
	{"BSYNC B0", "branch: <- B0*1"},
	{"BMOV.32.CLEAR R0, B6", "branch: R0*1 <- B6*1"},
	{"BAR.SYNC.DEFER_BLOCKING 0x0", "misc: <- imm"},
	{"ERRBAR", "misc queue: <-"},
	{"MEMBAR.SC.GPU", "memory: <-"},
	{"TEX.LL RZ, R0, R2, R4, 0x0, 2D", "tex: R255*0 <- R0*1 R2*1 R4*1 imm special"},
};

START_TEST(operands_have_files_counts_and_roles)
{
	for (size_t i = 0; i < sizeof operands / sizeof *operands; i++) {
		struct sass_program *p;
		char got[256];
		describe(one(operands[i].text, &p), got, sizeof got);
		ck_assert_msg(!strcmp(got, operands[i].want), "%s\n gives  %s\n wanted %s", operands[i].text, got,
		              operands[i].want);
		sass_text_free(p);
	}
}
END_TEST

START_TEST(opcodes_tell_shapes_fences_and_addresses)
{
	struct sass_program *p;
	const struct isa_sass *s = one("HMMA.SP.16816.F32.BF16 R0, R4, R8, R12", &p)->sass;
	ck_assert(s->matrix_sparse && s->matrix_m == 16 && s->matrix_n == 8 && s->matrix_k == 16 && s->matrix_bits == 32);
	sass_text_free(p);
	s = one("IMMA.8816.S8.S8 R0, R4, R8, R12", &p)->sass;
	ck_assert(!s->matrix_sparse && s->matrix_m == 8 && s->matrix_n == 8 && s->matrix_k == 16 && s->matrix_bits == 8);
	sass_text_free(p);
	s = one("BMMA.168256.XOR.POPC R0, R4, R8, R12", &p)->sass;
	ck_assert(s->matrix_m == 16 && s->matrix_k == 256 && s->matrix_bits == 1);
	sass_text_free(p);
	s = one("HMMA.884.F16.F16 R0, R4, R8, R12", &p)->sass;
	ck_assert(s->matrix_m == 8 && s->matrix_k == 4 && s->matrix_bits == 16);
	sass_text_free(p);
	static const struct {
		const char *text;
		int fence;
	} fences[] = {{"MEMBAR.SC.CTA", 1}, {"MEMBAR.ALL.GPU", 2}, {"MEMBAR.SC.SYS", 3}, {"NOP", 0}};
	for (unsigned i = 0; i < 4; i++) {
		ck_assert_int_eq(one(fences[i].text, &p)->sass->fence, fences[i].fence);
		sass_text_free(p);
	}
	static const struct { const char *text; int kind; } addresses[] = {
		{"LDG.E R0, [R2.64]", ISA_ADDRESS_REGULAR}, {"LDG.E R0, desc[UR4][R2.64]", ISA_ADDRESS_REGULAR},
		{"LDG.E R0, [UR4]", ISA_ADDRESS_UNIFORM},
		{"LDS R0, [RZ+UR4]", ISA_ADDRESS_UNIFORM}, {"LDS R0, [0x10]", ISA_ADDRESS_IMMEDIATE},
		{"LDC R0, c[0x0][0x10]", ISA_ADDRESS_IMMEDIATE},
		{"LDC R0, c[0x0][R4]", ISA_ADDRESS_REGULAR}, {"S2R R0, SR_TID.X", ISA_ADDRESS_NONE},
		{"FADD R0, R1, c[0x0][0x10]", ISA_ADDRESS_NONE},
	};
	for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
		ck_assert_msg(one(addresses[i].text, &p)->sass->address == addresses[i].kind, "%s", addresses[i].text);
		sass_text_free(p);
	}
	ck_assert(one("IMAD.MOV.U32 R1, RZ, RZ, R2", &p)->sass->imad);
	sass_text_free(p);
	ck_assert(one("LDC R0, c[0x0][0x10]", &p)->sass->constant_load);
	sass_text_free(p);
	ck_assert_uint_eq(one("LDSM.16.MT88.2 R0, [R4]", &p)->sass->matrices, 2);
	sass_text_free(p);
	ck_assert(one("LD.E R0, [R2.64]", &p)->sass->generic);
	sass_text_free(p);
	s = one("DEPBAR.LE SB0, 0x1, {4,3}", &p)->sass;
	ck_assert(s->depbar_sb == 0 && s->depbar_max == 1 && s->depbar_zero == 0x18);
	sass_text_free(p);
	s = one("DEPBAR {2,1}", &p)->sass;
	ck_assert(s->depbar_sb == 1 && s->depbar_max == 0 && s->depbar_zero == 6);
	sass_text_free(p);
	ck_assert_uint_eq(one("NOP", &p)->sass->depbar_sb, ISA_NO_SB);
	sass_text_free(p);
}
END_TEST

START_TEST(registers_are_listed_for_scoreboards_with_the_guard_last_of_what_is_named)
{
	struct sass_program *p;
	const struct isa_inst *i = one("@P2 HMMA.16816.F32 R0, R4, R8, RZ", &p);
	static const uint16_t dst[] = {SASS_R + 0, SASS_R + 1, SASS_R + 2, SASS_R + 3};
	static const uint16_t src[] = {SASS_R + 4, SASS_R + 8, SASS_P + 2, SASS_R + 5, SASS_R + 6, SASS_R + 7, SASS_R + 9};
	ck_assert_uint_eq(i->n_dst, 4);
	ck_assert_mem_eq(i->dst, dst, sizeof dst);
	ck_assert_uint_eq(i->n_src, 7);
	ck_assert_uint_eq(i->n_read, 2);
	ck_assert_mem_eq(i->src, src, sizeof src);
	ck_assert_uint_eq(i->src_bank[0], SASS_R + 4);
	ck_assert_uint_eq(i->src_bank[2], ISA_NO_BANK);
	sass_text_free(p);
}
END_TEST

// Lines of Accel-Sim's tracer name first registers and nothing else.
static const struct { const char *line, *want; int address; } traced[] = {
	{"1 R4 LDG.E.64 1 R2 8 1 0x1000 8", "memory: R4*2 <- R2*2a", ISA_ADDRESS_REGULAR},
	{"1 R4 LDG.E 2 R2 UR4 4 1 0x1000 4", "memory: R4*1 <- R2*2a UR4*1a", ISA_ADDRESS_REGULAR},
	{"0 STS.128 2 R2 R4 16 1 0x0 16", "memory: <- R2*1a R4*4", ISA_ADDRESS_REGULAR},
	{"0 STG.E 2 R255 R4 4 1 0x1000 4", "memory: <- R255*0a R4*1", ISA_ADDRESS_IMMEDIATE},
	{"1 R0 HMMA.16816.F32 3 R4 R8 R255 0", "tensor: R0*4 <- R4*4 R8*2 R255*0", ISA_ADDRESS_NONE},
	{"1 R0 IMAD.WIDE 3 R4 R8 R10 0", "sp: R0*2 <- R4*1 R8*1 R10*2", ISA_ADDRESS_NONE},
	{"1 R0 LDC 0 0", "memory: R0*1 <-", ISA_ADDRESS_IMMEDIATE},
	{"1 R0 FADD 2 R1 R2 0", "sp: R0*1 <- R1*1 R2*1", ISA_ADDRESS_NONE},
};

START_TEST(traces_fill_the_same_form_without_control_bits)
{
	for (size_t i = 0; i < sizeof traced / sizeof *traced; i++) {
		struct trace_maker *m = maker_new();
		maker_header(m, 4, 86, 1, 32, false, 0);
		maker_put(m, "#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = 2\n0000 ffffffff %s\n"
		             "0010 ffffffff 0 EXIT 0 0\n\n#END_TB\n", traced[i].line);
		char why[300], got[256];
		struct trace_code *code = mem_alloc(sizeof *code);
		struct trace_reader *r = text_reader(code, m->text, m->len, why, sizeof why);
		ck_assert_msg(r != NULL, "%s", why);
		struct trace_cta *c = mem_alloc(sizeof *c);
		ck_assert_msg(trace_reader_next(r, c) == TRACE_CTA, "%s: %s", traced[i].line, trace_reader_error(r));
		const struct isa_inst *t = &trace_inst_at(code, 0)->isa;
		describe(t, got, sizeof got);
		ck_assert_msg(!strcmp(got, traced[i].want), "%s\n gives  %s\n wanted %s", traced[i].line, got, traced[i].want);
		ck_assert_msg(t->sass->address == traced[i].address, "%s", traced[i].line);
		ck_assert(!t->sass->control.present);
		trace_cta_free(c);
		trace_reader_free(r);
		trace_code_free(code);
		mem_free(code);
		maker_free(m);
	}
}
END_TEST

// --- control bits in the text

START_TEST(both_forms_of_control_bits_and_parts_of_them_are_read)
{
	static const struct { const char *text, *want; } cases[] = {
		{"[B0--3-5:R2:W1:Y:S04] NOP", "[B0--3-5:R2:W1:Y:S04]"}, {"[B------:R-:W-:-:S15] NOP", "[B------:R-:W-:-:S15]"},
		{"[S05] NOP", "[B------:R-:W-:-:S05]"},                 {"[B3:W0] NOP", "[B---3--:R-:W0:-:S01]"},
		{"[Y:S2] NOP", "[B------:R-:W-:Y:S02]"},                {"--:-:-:-:1 NOP", "[B------:R-:W-:-:S01]"},
		{"09:-:4:Y:d NOP", "[B0--3--:R-:W4:Y:S13]"},            {"-1:0:-:-:0 NOP", "[B0-----:R0:W-:-:S00]"},
		{"a: 3f:5:5:Y:f NOP", "[B012345:R5:W5:Y:S15]"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct sass_program *p;
		ck_control(one(cases[i].text, &p)->sass->control, cases[i].want);
		sass_text_free(p);
	}
}
END_TEST

START_TEST(lines_without_control_bits_get_none_or_the_plainest)
{
	struct sass_program *p = parse("NOP\nFADD R1, R2, R3\n");
	ck_assert(!sass_text_inst(p, 0)->sass->control.present);
	ck_assert(!sass_text_inst(p, 1)->sass->control.present);
	sass_text_free(p);
	p = parse("NOP\n[S04] FADD R1, R2, R3\n");
	ck_control(sass_text_inst(p, 0)->sass->control, "[B------:R-:W-:-:S01]");
	ck_control(sass_text_inst(p, 1)->sass->control, "[B------:R-:W-:-:S04]");
	sass_text_free(p);
}
END_TEST

// As cuobjdump -sass prints it.
START_TEST(disassemblies_give_control_bits_in_their_comments)
{
	struct sass_program *p = parse(
		"        /*0000*/                   S2R R6, SR_TID.X ;                /* 0x0000000000067919 */\n"
		"                                                                    /* 0x000e220000002100 */\n"
		"        /*0010*/                   ISETP.NE.AND P0, PT, R6, RZ, PT ; /* 0x000000ff0600720c */\n"
		"                                                                    /* 0x001fda0003f05270 */\n"
		"        /*0020*/              @!P0 BRA 0x10 ;\n");
	ck_control(sass_text_inst(p, 0)->sass->control, "[B------:R-:W0:-:S01]");
	ck_control(sass_text_inst(p, 1)->sass->control, "[B0-----:R-:W-:Y:S13]");
	ck_assert_uint_eq(sass_text_count(p), 3);
	sass_text_free(p);
}
END_TEST

// --- what runs

static void put_access(FILE *f, const struct fe_result *r)
{
	const struct fe_access *a = &r->access[0];
	if (!r->n_access)
		return;
	fprintf(f, "(%s", a->space == SPACE_SHARED ? "shared " : a->space == SPACE_LOCAL ? "local " : "");
	fprintf(f, "%llx %llx %llx)", (unsigned long long)a->addr[0], (unsigned long long)a->addr[1],
	        (unsigned long long)a->addr[31]);
}

// Every warp in turn as far as it goes, until nobody can: "w0: 0 1 2 | w1: ...", instructions by number.
static char *walk(struct sass_program *p, unsigned block)
{
	struct kernel_launch l;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	sass_text_launch(p, &l, 0);
	void *slots = l.fe->slots_new(&l, 1);
	struct fe_cta *c = l.fe->cta_start(slots, 0, (uint32_t[3]){block, 0, 0}, &(struct fe_sm){.counts = &l.counts});
	bool moved = true;
	while (moved) {
		moved = false;
		for (unsigned w = 0; w < l.fe->cta_warps(c); w++) {
			if (!l.fe->ready(c, w))
				continue;
			fprintf(f, "%sw%u:", ftell(f) ? " " : "", w);
			for (unsigned n = 0; l.fe->peek(c, w) && n < 100; n++) {
				struct fe_result r;
				const struct isa_inst *next = l.fe->peek(c, w);
				l.fe->execute(c, w, &r);
				ck_assert_ptr_eq(r.inst, next);
				ck_assert_ptr_eq(l.fe->inst_at(l.code, next->pc), next);
				fprintf(f, " %u", (unsigned)(next->pc / 16));
				if (r.mask != r.active)
					fprintf(f, "/%x", r.mask);
				put_access(f, &r);
				moved = true;
			}
		}
	}
	for (unsigned w = 0; w < l.fe->cta_warps(c); w++) {
		char why[300];
		l.fe->describe(c, w, why, sizeof why);
		if (*why)
			fprintf(f, " %s", why);
	}
	l.fe->cta_end(c);
	l.fe->slots_free(slots);
	fclose(f);
	return text;
}

static const struct { const char *text, *want; } runs[] = {
	{"NOP\nEXIT\nNOP", "w0: 0 1"},
	{"NOP\nNOP", "w0: 0 1"},
	{"top: NOP\n@P0 BRA top ; taken=2\nEXIT", "w0: 0 1 0 1 0 1 2"},
	{"top: NOP\n@P0 BRA top\nEXIT", "w0: 0 1 2"},
	{"a: NOP\nb: NOP\n@P0 BRA b ; taken=1\n@P0 BRA a ; taken=1\nEXIT", "w0: 0 1 2 1 2 3 0 1 2 1 2 3 4"},
	{"BRA over\nNOP\nover: EXIT", "w0: 0 2"},
	{"BRA `(.L_1)\nNOP\n.L_1:\nEXIT", "w0: 0 2"},
	{"BRA 0x20\nNOP\nEXIT", "w0: 0 2"},
	{"BRA UP0, 0x20\nNOP\nEXIT", "w0: 0 1 2"},
	{"BRX R2 -0x10 ; to=x\nNOP\nx: EXIT", "w0: 0 2"},
	{"BSSY B0, x\nBSYNC B0\nx: EXIT", "w0: 0 1 2"},
	{"CALL.REL.NOINC f\nEXIT\nf: NOP\nRET.REL.NODEC R2 f", "w0: 0 2 3 1"},
	{"@P0 EXIT\nEXIT", "w0: 0 1"},
	{"@P0 EXIT ; taken=always\nNOP", "w0: 0"},
	{"@P0 EXIT ; mask=0xffff\nNOP", "w0: 0/ffff 1"},
	{"FADD R1, R2, R3 ; mask=0xf0", "w0: 0/f0"},
	{".warps 3\n.warp 0,2\nNOP\n.warp 1\nNOP\n.warp all\nEXIT", "w0: 0 2 w1: 1 2 w2: 0 2"},
	{".warps 2\n.warp 1\nNOP\nEXIT", "w1: 0 1"},
	{".warp 0,2\nNOP", "w0: 0 w2: 0"}, // three warps
	{".rep 2\nNOP\n.rep 2\nFADD R1, R2, R3\n.endr\n.endr\nEXIT", "w0: 0 1 2 3 4 5 6"},
	{".block 40\nNOP", "w0: 0 w1: 0"},
	{"LDG.E R0, [R2.64]", "w0: 0(10000000 10000004 1000007c)"},
	{"LDG.E.64 R0, [R2.64] ; addr=0x1000+8*lane", "w0: 0(1000 1008 10f8)"},
	{"STS [R2], R4 ; addr = lane*4 + 0x10", "w0: 0(shared 10 14 8c)"},
	{"LDL R0, [R2]", "w0: 0(local 0 0 0)"},
	{"LD.E R0, [R2.64] ; space=shared addr=4", "w0: 0(shared 4 4 4)"},
	{"LDG.E R0, [R2.64] ; addr=(0x10,0x20)+0x100", "w0: 0(110 120 120)"},
	{".warps 2\nLDG.E R0, [R2.64] ; addr=0x1000*warp+4*thread", "w0: 0(0 4 7c) w1: 0(1080 1084 10fc)"},
	{"a: LDG.E R0, [R2.64] ; addr=256*turn-lane*0\n@P0 BRA a ; taken=2",
		"w0: 0(0 0 0) 1 0(100 100 100) 1 0(200 200 200) 1"},
	{"@P0 LDG.E R0, [R2.64] ; mask=0", "w0: 0/0"},
	{"LDC R0, c[0x3][R2+0x10] ; addr=4*lane", "w0: 0(eeeef1ee10 eeeef1ee14 eeeef1ee8c)"},
	{".warps 2\nNOP\nBAR.SYNC 0x0\nEXIT", "w0: 0 1 w1: 0 1 2 w0: 2"},
	{".warps 2\n.warp 0\nBAR.SYNC 0x0\n.warp all\nEXIT", "w0: 0 w1: 1 w0: 1"},
	{".warps 2\n.warp 0\nBAR.ARV 0x1, 0x40\nNOP\n.warp 1\nBAR.SYNC 0x1, 0x40\nNOP", "w0: 0 1 w1: 2 3"},
	{".warps 2\n.warp 0\nBAR.SYNC 0x1, 0x40\n.warp all\nEXIT",
	 "w0: 0 w1: 1 thread block 0,0,0 warp 0: waits at barrier 1, where 1 warps have arrived, before t.sass:5: EXIT"},
};

START_TEST(annotations_say_where_warps_and_accesses_go)
{
	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		struct sass_program *p = parse(runs[i].text);
		char *got = walk(p, 0);
		ck_assert_msg(!strcmp(got, runs[i].want), "%s\n gives  %s\n wanted %s", runs[i].text, got, runs[i].want);
		free(got);
		sass_text_free(p);
	}
	struct sass_program *p = parse(".grid 4\nLDG.E R0, [R2.64] ; addr=0x100*block");
	char *got = walk(p, 3);
	ck_assert_str_eq(got, "w0: 0(300 300 300)");
	free(got);
	sass_text_free(p);
}
END_TEST

START_TEST(a_program_can_be_launched_twice_and_counts_the_same)
{
	struct sass_program *p = parse(".kernel k\n.grid 5\n.block 48\ntop: FADD R1, R2, R3\nLDG.E R0, [R2.64]\n"
	                               "@P0 BRA top ; taken=9\nBAR.SYNC 0x0\nEXIT");
	for (unsigned n = 0; n < 2; n++) {
		struct kernel_launch l;
		uint64_t used;
		sass_text_launch(p, &l, 0);
		ck_assert_str_eq(l.info->name, "k");
		struct functional_run *f = functional_new(&l, 2, NULL);
		while (!functional_step(f, 100, &used))
			;
		functional_free(f);
		ck_assert_int_eq(l.fault.kind, FAULT_NONE);
		ck_assert_uint_eq(l.counts.warp_insts, 5 * 2 * 32);
		ck_assert_uint_eq(l.counts.thread_insts, 5 * 48 * 32);
	}
	sass_text_free(p);
}
END_TEST

START_TEST(calls_without_end_are_a_fault)
{
	struct sass_program *p = parse("f: CALL.REL.NOINC f\n");
	struct kernel_launch l;
	uint64_t used;
	sass_text_launch(p, &l, 0);
	struct functional_run *f = functional_new(&l, 1, NULL);
	while (!functional_step(f, 100, &used))
		;
	functional_free(f);
	ck_assert_int_eq(l.fault.kind, FAULT_STACK);
	ck_assert_msg(strstr(l.fault.text, "t.sass:1: more than 16 calls") != NULL, "%s", l.fault.text);
	sass_text_free(p);
}
END_TEST

START_TEST(people_see_lines_labels_and_registers)
{
	struct sass_program *p = parse("\n  [S02] FADD R1, R2, R3 ; // add\nlast: EXIT\n");
	struct kernel_launch l;
	struct fe_place at;
	char reg[16];
	sass_text_launch(p, &l, 0x100);
	l.fe->place(l.code, sass_text_inst(p, 0), &at);
	ck_assert_uint_eq(at.line, 2);
	ck_assert_str_eq(at.text, "[S02] FADD R1, R2, R3");
	ck_assert_uint_eq(sass_text_label(p, "last"), 1);
	ck_assert_uint_eq(sass_text_label(p, "none"), SIZE_MAX);
	ck_assert_uint_eq(l.info->code_base, 0x100);
	l.fe->register_name(l.code, sass_text_inst(p, 0), SASS_UP + 3, reg, sizeof reg);
	ck_assert_str_eq(reg, "UP3");
	ck_assert_ptr_null(l.fe->inst_at(l.code, 8));
	ck_assert_ptr_null(l.fe->inst_at(l.code, 32));
	sass_text_free(p);
}
END_TEST

// --- mistakes

static const struct { const char *text, *want; } mistakes[] = {
	{"", "t.sass: there are no instructions"},
	{"// nothing\n/* at all", "there are no instructions"},
	{"FMAD R1, R2, R3, R4", "t.sass:1:1: error: unknown opcode 'FMAD'; the nearest is IMAD"},
	{"\n  LDG.E R300, [R2.64]", "t.sass:2:9: error: 'R300': expected R0 to R254 or RZ\n      LDG.E R300, [R2.64]\n"
		"            ^~~~"},
	{"FADD R1, UR64, R2", "uniform registers go up to UR62 before sm_100"},
	{"FADD R1, UR256, R2", "'UR256': expected UR0 to UR62, from sm_100 on UR0 to UR254, or URZ"},
	{".target sm_75\nLDGSTS.E [R1], [R2.64]", "t.sass:2:1: error: LDGSTS does not exist in Turing code (sm_75)"},
	{".target sm_71\nNOP", "'sm_71': expected sm_70"},
	{"BRA nowhere", "t.sass:1:5: error: there is no label 'nowhere'"},
	{"BRX R2", "where does it go?"},
	{"BRA 0x8", "a target that is a multiple of 16"},
	{"BRA 0x100", "the target lies behind the end of the kernel"},
	{"a: NOP\na: NOP", "t.sass:2:1: error: label 'a' is defined twice"},
	{".rep 2\na: NOP\n.endr", "label 'a' is defined twice (by .rep)"},
	{".rep 2\nNOP", ".rep without .endr"},
	{".rep 100000\n.rep 100000\n.endr\n.endr", "repeats more than"},
	{".rep 500000\nNOP\n.endr", "expected a number from 1 to 262144"},
	{".rep 200000\nNOP\nNOP\n.endr", "more than"},
	{"NOP\n.endr", ".endr without .rep"},
	{"FADD R1, R2 R3", "expected a comma, ; or the end of the line"},
	{"FADD R1, ", "expected an operand"},
	{"FADD R1, R1O", "'R1O': expected a register"},
	{"FADD R1, [R2", "expected +, - or ]"},
	{"FADD R1, c[0x0]", "expected [ with the offset behind the bank"},
	{"FADD R1, c[99][0x0]", "expected a constant bank from 0 to 0x1f"},
	{"FADD R1, 0xg", "expected a number"},
	{"FADD R1, 1.2.3", "'1.2.3': expected a number"},
	{"FADD R1, 0x11111111111111111", "larger than 64 bits"},
	{"UMOV UR4, UR5.reuse", "only registers R"},
	{"DEPBAR.LE SB6, 0x1", "'SB6': expected SB0 to SB5"},
	{"DEPBAR.LE SB0, 0x1, {6}", "expected a counter from 0 to 5"},
	{"DEPBAR", "expected a counter, SB0 to SB5"},
	{"[B6:S01] NOP", "there are counters 0 to 5"},
	{"[S16] NOP", "expected a stall count from S00 to S15"},
	{"[W7] NOP", "expected - or a counter from 0 to 5"},
	{"[S01 NOP", "expected : or ]"},
	{"[] NOP", "expected one of the control fields"},
	{"ff:-:-:-:1 NOP", "expected -- or a wait mask from 00 to 3f"},
	{"@R0 EXIT", "expected a guard"},
	{"@P9 EXIT", "'P9': expected P0 to P6 or PT"},
	{"BAR.SYNC 0x10", "there are barriers 0 to 15"},
	{"BAR.SYNC 0x1, 0x21", "a multiple of 32"},
	{"LDG.E R0, [R2] ; addr=4*line", "'line': expected a number or lane, thread, warp, block or turn"},
	{"LDG.E R0, [R2] ; adr=4", "'adr': expected addr, taken, mask, space or to"},
	{"LDG.E R0, [R2] ; space=shared", "space= is for LD, ST and ATOM"},
	{"LDG.E R0, [R2] ; addr", "expected addr=, taken="},
	{"LDG.E R0, [R2] ; mask=0x100000000", "expected a mask of 32 lanes"},
	{"NOP ; addr=4", "addr= is for instructions that access memory"},
	{"NOP ; taken=4", "taken= is for branches"},
	{"BRA x ; taken=often", "expected taken=always, taken=never"},
	{".wraps 3\nNOP", "unknown directive '.wraps'; there are .kernel"},
	{".warps 33\nNOP", "expected a number from 1 to 32"},
	{".block 1024,2\nNOP", "at most 1024 threads"},
	{".grid 0\nNOP", "expected a number from 1 to"},
	{".warp 40\nNOP", "expected a number from 0 to 31"},
	{".kernel\nNOP", "expected the kernel's name"},
	{"1234", "unknown opcode '1234'"},
	{"\x01\xff", "expected an opcode"},
	{"PLOP3.LUT P0, PT, P1, P2, P3, P4, P5, P6, P1, P2, P3", "too many operands"},
};

START_TEST(mistakes_are_told_with_line_and_column)
{
	for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
		struct diag d = {0};
		struct sass_program *p = sass_text_parse("t.sass", mistakes[i].text, strlen(mistakes[i].text), 0, &d);
		ck_assert_msg(p == NULL && d.errors, "%s was taken", mistakes[i].text);
		ck_assert_msg(strstr(d.text, mistakes[i].want) != NULL, "%s\n gives  %s\n wanted %s", mistakes[i].text, d.text,
		              mistakes[i].want);
		diag_free(&d);
	}
	struct diag d = {0};
	ck_assert_ptr_null(sass_text_open("/nowhere/a.sass", 0, &d));
	ck_assert_uint_eq(d.errors, 1);
	diag_free(&d);
}
END_TEST

START_TEST(all_examples_are_read_and_end)
{
	DIR *dir = opendir("examples/sass");
	ck_assert_ptr_nonnull(dir);
	unsigned n = 0;
	for (struct dirent *e; (e = readdir(dir));) {
		char path[400];
		struct diag d = {0};
		struct kernel_launch l;
		uint64_t used, steps = 0;
		size_t len = strlen(e->d_name);
		if (len < 6 || strcmp(e->d_name + len - 5, ".sass"))
			continue;
		snprintf(path, sizeof path, "examples/sass/%s", e->d_name);
		struct sass_program *p = sass_text_open(path, 0, &d);
		ck_assert_msg(p != NULL, "%s", d.text ? d.text : "?");
		diag_free(&d);
		sass_text_launch(p, &l, 0);
		struct functional_run *f = functional_new(&l, 1, NULL);
		while (!functional_step(f, 1000, &used))
			ck_assert_uint_lt(steps++, 100);
		functional_free(f);
		ck_assert_msg(l.fault.kind == FAULT_NONE, "%s", l.fault.text);
		sass_text_free(p);
		n++;
	}
	closedir(dir);
	ck_assert_uint_ge(n, 10);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sass_text");
	TCase *t = tcase_create("sass_text");
	tcase_set_timeout(t, 30);
	tcase_add_test(t, control_bits_come_out_of_encodings);
	tcase_add_test(t, a_control_word_holds_three_instructions);
	tcase_add_test(t, reuse_hints_find_the_operands_encoded_there);
	tcase_add_test(t, operands_have_files_counts_and_roles);
	tcase_add_test(t, opcodes_tell_shapes_fences_and_addresses);
	tcase_add_test(t, registers_are_listed_for_scoreboards_with_the_guard_last_of_what_is_named);
	tcase_add_test(t, traces_fill_the_same_form_without_control_bits);
	tcase_add_test(t, both_forms_of_control_bits_and_parts_of_them_are_read);
	tcase_add_test(t, lines_without_control_bits_get_none_or_the_plainest);
	tcase_add_test(t, disassemblies_give_control_bits_in_their_comments);
	tcase_add_test(t, annotations_say_where_warps_and_accesses_go);
	tcase_add_test(t, a_program_can_be_launched_twice_and_counts_the_same);
	tcase_add_test(t, calls_without_end_are_a_fault);
	tcase_add_test(t, people_see_lines_labels_and_registers);
	tcase_add_test(t, mistakes_are_told_with_line_and_column);
	tcase_add_test(t, all_examples_are_read_and_end);
	suite_add_tcase(s, t);
	return check_main(s);
}
