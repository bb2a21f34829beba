// The reader of SASS traces: every version, address form and layout says the same; damaged files are errors that name
// place and expectation; registers span what the operands span.
#include "tests/unit/trace_text.h"

#include "base/kernel_select.h"
#include "cuda-sim/trace/kernelslist.h"
#include "tests/unit/ptx_harness.h"

// One warp of one CTA with these lines, of code for sm_`binary`.
static char *read_code(unsigned binary, unsigned version, bool line_info, bool accelsim, unsigned n, const char *lines)
{
	struct trace_maker *m = maker_new();
	maker_header(m, version, binary, 1, 32, line_info, 0);
	maker_put(m, "#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = %u\n%s\n\n#END_TB\n", n, lines);
	char *out = read_all(m->text, m->len, accelsim);
	maker_free(m);
	return out;
}

static char *read_lines(unsigned version, bool line_info, bool accelsim, unsigned n, const char *lines)
{
	return read_code(86, version, line_info, accelsim, n, lines);
}

static void same(char *a, char *b)
{
	ck_assert_str_eq(a, b);
	ck_assert_ptr_null(strstr(a, "error"));
	free(a);
	free(b);
}

START_TEST(the_three_forms_of_addresses_say_the_same)
{
	same(read_lines(3, false, false, 1, "0000 0000000f 1 R1 LDG.E 1 R2 4 0 0x1000 0x1004 0x1008 0x100c"),
	     read_lines(3, false, false, 1, "0000 0000000f 1 R1 LDG.E 1 R2 4 1 0x1000 4"));
	same(read_lines(4, false, false, 1, "0000 0000000f 1 R1 LDG.E 1 R2 4 2 0x1000 4 4 4"),
	     read_lines(4, false, false, 1, "0000 0000000f 1 R1 LDG.E 1 R2 4 1 0x1000 4"));
	// Lanes that are switched off have no address; differences may be large and negative.
	same(read_lines(5, false, false, 1, "0000 80000101 1 R1 LDG.E 1 R2 4 0 0x7f0000001000 0x10 0x7fffffffffff"),
	     read_lines(5, false, false, 1,
	                "0000 80000101 1 R1 LDG.E 1 R2 4 2 0x7f0000001000 -139637976731632 140737488355311"));
	// A single lane has no difference at all.
	same(read_lines(5, false, false, 1, "0000 00000100 1 R1 LDG.E 1 R2 4 2 0x1230 0"),
	     read_lines(5, false, false, 1, "0000 00000100 1 R1 LDG.E 1 R2 4 0 0x1230 0"));
}
END_TEST

START_TEST(line_numbers_and_immediates_are_read_in_every_version)
{
	for (unsigned v = TRACE_MIN_VERSION; v <= TRACE_MAX_VERSION; v++) {
		same(read_lines(v, false, false, 2, "0000 ffffffff 1 R1 MOV 0 0\n0010 ffffffff 0 EXIT 0 0"),
		     read_lines(v, false, false, 2, "0000 ffffffff 1 R1 MOV 0 0 0 \n0010 ffffffff 0 EXIT 0 0 0 "));
		char *with = read_lines(v, true, false, 1, "77 0000 ffffffff 0 EXIT 0 0 0 ");
		ck_assert_ptr_nonnull(strstr(with, "line 77"));
		free(with);
		char *two = read_lines(v, false, false, 2, "0000 ffffffff 0 DEPBAR.LE 0 0 1\n0000 ffffffff 0 DEPBAR.LE 0 0 0");
		ck_assert_ptr_nonnull(strstr(two, "async 3/1"));
		ck_assert_ptr_nonnull(strstr(two, "async 3/0"));
		free(two);
	}
}
END_TEST

// Lines that come again are taken by what they said before; spelled another way each time they are read.
START_TEST(a_line_that_comes_again_says_what_it_says_when_it_is_read)
{
	static const struct { const char *pc, *rest; } line[] = {
		{"10", "ffffffff 1 R1 MOV 0 0"}, {"20", "0000ffff 1 R1 MOV 0 0"}, {"20", "ffffffff 1 R1 MOV 0 0"},
		{"30", "ffffffff 1 R4 LDG.E 1 R2 4 1 0x7f0000001000 4"},
		{"30", "ffffffff 1 R4 LDG.E 1 R2 4 1 0x7f0000002000 8"},
		{"30", "0000000f 1 R4 LDG.E 1 R2 4 2 0x7f0000002000 4 -8 16"}, {"30", "00000000 1 R4 LDG.E 1 R2 4"},
		{"40", "0000000f 0 STS 2 R2 R3 4 0 0x10 0x14 0x10 0x18"},
		{"50", "ffffffff 0 DEPBAR.LE 0 0 1"}, {"50", "ffffffff 0 DEPBAR.LE 0 0 0"},
		{"60", "ffffffff 0 BAR.SYNC 0 0 0"}};
	enum { N = 600, KINDS = sizeof line / sizeof *line };
	struct trace_maker *again = maker_new(), *read = maker_new();
	for (unsigned i = 0, k = 0; i < N; i++) {
		k = (k + 1 + (i * 2654435761u >> 28) / 13) % KINDS; // mostly the next one
		maker_put(again, "%04d %s\n", atoi(line[k].pc), line[k].rest);
		maker_put(read, "%0*d %s%*s\n", (int)(4 + i % 9), atoi(line[k].pc), line[k].rest, (int)(i % 5), "");
	}
	unsigned n = 0;
	for (const char *p = again->text; (p = strchr(p, '\n')); p++)
		n++;
	same(read_lines(5, false, false, n, again->text), read_lines(5, false, false, n, read->text));
	// A mask of fewer digits hides no registers that are not there.
	const char *lines = "0010 ff 1 R12 MOV 0 0\n0010 ff 1 R12 MOV 0 0 \n0010 0000000f MOV 0 0";
	const char *why = "error t:25: 'MOV 0 0': expected the number of destination registers";
	char *short_mask = read_lines(5, false, false, 3, lines);
	ck_assert_msg(strstr(short_mask, why) != NULL, "%s", short_mask);
	free(short_mask);
	// An error in the last line has its number.
	maker_put(again, "0010 ffffffff 1 R1 MOV 0 ?\n");
	char *out = read_lines(5, false, false, n + 1, again->text), expected[40];
	snprintf(expected, sizeof expected, "error t:%u: ", n + 23);
	ck_assert_msg(strstr(out, expected) != NULL, "%s in %s", expected, strstr(out, "error"));
	free(out);
	maker_free(again);
	maker_free(read);
}
END_TEST

START_TEST(version_6_has_all_register_files_values_and_bulk_copies)
{
	char *t = read_lines(6, false, false, 5,
	                     "0000 ffffffff 2 R1 UP2 IMAD 3 R2 UR5 P1 0 0 0 Val 1 5 1 6 1 7\n"
	                     "0000 ffffffff 2 R1 UP2 IMAD 3 R2 UR5 P1 0 0 0 NoVal\n"
	                     "0010 ffffffff 1 R24 HGMMA.64x64x16.F32 2 R24 UR4 1 0 0 0 NoVal\n"
	                     "0020 00000001 0 UTMALDG.2D 2 UR8 UR4 4 7f0000000000 0 4096 0 4 0x1000 3 128 128 0 0 NoVal\n"
	                     "0030 ffffffff 0 EXIT 0 0 0 0 NoVal");
	ck_assert_ptr_null(strstr(t, "error"));
	// R1 is 2, R2 is 3, UR5 262, P1 514, UP2 523.
	ck_assert_ptr_nonnull(strstr(t, "IMAD cls 5 unit 0 space 0 bytes 4 line 0 async 0/0 d 2,523 s 3,262,514"));
	ck_assert_ptr_nonnull(strstr(t, "HGMMA.64x64x16.F32 cls 23 unit 3"));
	ck_assert_ptr_nonnull(strstr(t, "UTMALDG.2D cls 1 unit 4"));
	ck_assert_ptr_nonnull(strstr(t, "EXIT"));
	free(t);
}
END_TEST

// UR0 is 257.
START_TEST(the_zero_of_uniform_registers_is_that_of_the_generation)
{
	static const struct { unsigned binary; const char *sources; } of[] = {{86, " d 2 s 3,262\n"}, {90, " d 2 s 3,262\n"}, {100, " d 2 s 3,320,262\n"}, {120, " d 2 s 3,320,262\n"}};
	for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
		char *t = read_code(of[i].binary, 6, false, false, 1, "0000 ffffffff 1 R1 IADD3 4 R2 UR63 UR5 UR255 0 0 0 NoVal");
		ck_assert_msg(strstr(t, of[i].sources), "sm_%u: %s", of[i].binary, t);
		free(t);
	}
}
END_TEST

static const struct {
	const char *line, *full, *accelsim; // destinations and sources, counted from R0 = 1
} wide[] = {
	{"DFMA 3 R4 R6 R8 0", " d 3,4 s 5,7,9,6,8,10", " d 3 s 5,7,9"},
	{"IMAD.WIDE 3 R4 R6 R8 0", " d 3,4 s 5,7,9,10", " d 3 s 5,7,9"},
	{"LDG.E.128.SYS 1 R4 4 1 0x1000 16", " d 3,4,5,6 s 5,6 ", " d 3 s 5 "},
	{"LDS.U.64 1 R4 4 1 0x1000 8", " d 3,4 s 5 ", " d 3 s 5 "},
	{"HMMA.16816.F32 3 R4 R8 R12 0", " d 3,4,5,6 s 5,9,13,6,7,8,10,14,15,16", " d 3 s 5,9,13"},
	{"HMMA.1688.F16 3 R4 R8 R12 0", " d 3,4 s 5,9,13,6,14", " d 3 s 5,9,13"},
	{"F2F.F64.F32 1 R4 0", " d 3,4 s 5", " d 3 s 5"},
	{"F2I.F64.TRUNC 1 R4 0", " d 3 s 5,6", " d 3 s 5"},
	{"LDSM.16.M88.4 1 R4 4 1 0x1000 16", " d 3,4,5,6 s 5 ", " d 3 s 5 "},
	{"IADD3 3 R255 R4 R4 0", " d 3 s 5,5", " d 3 s 256,5,5"},
	{"CS2R 0 0", " d 3,4\n", " d 3\n"},
	{"CS2R.32 0 0", " d 3\n", " d 3\n"},
};

START_TEST(registers_span_what_the_operands_span)
{
	char line[200];
	snprintf(line, sizeof line, "0000 ffffffff 1 R2 %s", wide[_i].line);
	char *full = read_lines(5, false, false, 1, line), *peer = read_lines(5, false, true, 1, line);
	ck_assert_msg(strstr(full, wide[_i].full), "%s: %s", wide[_i].line, full);
	ck_assert_msg(strstr(peer, wide[_i].accelsim), "%s: %s", wide[_i].line, peer);
	free(full);
	free(peer);
}
END_TEST

START_TEST(a_raw_trace_says_the_same_as_a_sorted_one)
{
	static const char *const inst[] = {"0000 ffffffff 1 R1 MOV 0 0 0", "0010 ffffffff 1 R3 LDG.E 1 R2 4 1 0x1000 4 0", "0020 ffffffff 0 EXIT 0 0 0"};
	static const char *const copy[] = {"0008 ffffffff 0 LDGSTS.E 2 R1 R2 4 1 0x7f0000000000 4 0", "0008 ffffffff 0 LDGSTS.E 2 R1 R2 4 1 0x2000 4 0"};
	struct trace_maker *raw = maker_new(), *sorted = maker_new();
	maker_header(raw, 5, 86, 3, 64, false, 0);
	maker_header(sorted, 5, 86, 3, 64, false, 0);
	for (unsigned i = 0; i < 3; i++) // warps take turns
		for (unsigned c = 3; c-- > 0;)
			for (unsigned w = 0; w < 2; w++) {
				maker_put(raw, "%u 0 0 %u %s\n", c, w, inst[i]);
				if (i == 1)
					maker_put(raw, "%u 0 0 %u %s\n%u 0 0 %u %s\n", c, w, copy[0], c, w, copy[1]);
			}
	for (unsigned c = 0; c < 3; c++) {
		maker_put(sorted, "#BEGIN_TB\n\nthread block = %u,0,0\n\n", c);
		for (unsigned w = 0; w < 2; w++)
			maker_put(sorted, "warp = %u\ninsts = 4\n%s\n%s\n%s\n%s\n\n", w, inst[0], inst[1], copy[1], inst[2]);
		maker_put(sorted, "#END_TB\n\n");
	}
	same(read_all(raw->text, raw->len, false), read_all(sorted->text, sorted->len, false));
	maker_free(raw);
	maker_free(sorted);
}
END_TEST

// --- what is wrong with a file

static const char good[] =
	"-kernel name = k\n-kernel id = 1\n-grid dim = (2,1,1)\n-block dim = (64,1,1)\n-shmem = 0\n-nregs = 8\n"
	"-binary version = 70\n"
	"-cuda stream id = 0\n-accelsim tracer version = 3\n\n#traces format = x\n"                        // to line 11
	"#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = 1\n0000 ffffffff 0 EXIT 0 0\n\n"            // 12 to 19
	"warp = 1\ninsts = 1\n0000 ffffffff 0 EXIT 0 0\n\n#END_TB\n"                                       // 20 to 24
	"#BEGIN_TB\nthread block = 1,0,0\nwarp = 0\ninsts = 2\n0000 ffffffff 1 R3 LDG.E 1 R2 4 1 0x1000 4\n" // 25 to 29
	"0010 ffffffff 0 EXIT 0 0\nwarp = 1\ninsts = 0\n#END_TB\n";                                        // 30 to 33

static const struct {
	const char *from, *to, *error;
} wrong[] = {
	{"-shmem = 0", "-shmen = 0", "t:5: unknown header field 'shmen'"},
	{"-nregs = 8\n", "", "the header ends without '-nregs"},
	{"version = 70", "version = 71", "binary version 71; expected one of"},
	{"tracer version = 3", "tracer version = 7", "tracer version 7; this reader takes versions 3 to 6"},
	{"(2,1,1)", "(2,1)", "t:3: expected '-grid dim = (x,y,z)'"},
	{"(2,1,1)", "(0,1,1)", "expected no 0"},
	{"(2,1,1)", "(3,1,1)", "the file ends after 2 of 3 thread blocks"},
	{"(2,1,1)", "(1,1,1)", "t:25: more thread blocks than the 1 of the grid"},
	{"(64,1,1)", "(65,1,1)", "t:24: 2 warps in the thread block, expected 3"},
	{"(64,1,1)", "(32,1,1)", "t:20: 'warp = 1': expected warp 1 of 1"},
	{"-kernel id = 1", "-kernel id = 1\n-kernel id = 2", "t:3: '-kernel id' is given twice"},
	{"block = 1,0,0", "block = 2,0,0", "t:26: thread block 2,0,0 is outside the grid"},
	{"block = 1,0,0", "block = 0,0,0", "t:26: thread block 0,0,0 comes for the second time"},
	{"insts = 2", "insts = 3", "t:31: 2 instructions of warp 0, expected 3"},
	{"insts = 2", "insts = 1", "t:30: expected 'warp =' or #END_TB: the warp before has more instructions"},
	{"insts = 0\n#END_TB\n", "insts = 0\n", "t:32: the file ends inside a thread block"},
	{"4 1 0x1000 4", "0", "t:29: LDG.E has no addresses"},
	{"4 1 0x1000 4", "4 1 0x1000", "t:29: the line ends early: expected the stride"},
	{"4 1 0x1000 4", "4 2 0x1000 4", "t:29: the line ends early: expected the difference of the next lane"},
	{"4 1 0x1000 4", "4 0 0x1000 0x1004", "t:29: the line ends early: expected the next lane's address"},
	{"4 1 0x1000 4", "4 3 0x1000 4", "t:29: '3 0x1000 4': expected the form of the addresses"},
	{"4 1 0x1000 4", "4 1 0x1000 4 5 6 7", "expected the end of the line"},
	{"1 R3 LDG", "2 R3 LDG", "t:29: 'LDG.E 1 R2 4 1 0x1000 4': expected a register"},
	{"1 R3 LDG", "99 R3 LDG", "expected the number of destination registers"},
	{"0010 ffffffff", "001g ffffffff", "t:30: 'g ffffffff 0 EXIT 0 0': expected a program counter"},
	{"0010 ffffffff", "0010 1ffffffff", "expected a mask"},
	{"#BEGIN_TB\nthread", "#BEGIN\nthread", "t:25: '#BEGIN': expected #BEGIN_TB"},
};

static char *edited(const char *from, const char *to)
{
	const char *at = strstr(good, from);
	ck_assert_ptr_nonnull(at);
	char *text = NULL;
	ck_assert_int_ge(asprintf(&text, "%.*s%s%s", (int)(at - good), good, to, at + strlen(from)), 0);
	return text;
}

START_TEST(an_error_names_file_and_line_and_what_was_expected)
{
	char *text = edited(wrong[_i].from, wrong[_i].to), *out = read_all(text, strlen(text), false);
	ck_assert_msg(strstr(out, wrong[_i].error), "wanted '%s' in\n%s", wrong[_i].error, out);
	free(text);
	free(out);
}
END_TEST

START_TEST(a_truncated_trace_is_an_error_wherever_it_ends)
{
	char *whole = read_all(good, strlen(good), false);
	ck_assert_ptr_nonnull(strstr(whole, "end\n"));
	free(whole);
	for (size_t n = 0; n < strlen(good) - 1; n++) { // without its last newline it is complete
		char *out = read_all(good, n, false);
		ck_assert_msg(strstr(out, "error t:"), "%zu bytes: %s", n, out);
		free(out);
	}
}
END_TEST

START_TEST(an_unknown_opcode_is_told_once_and_strict_refuses_it)
{
	struct trace_maker *m = maker_new();
	char *strict = NULL;
	size_t n;
	maker_header(m, 4, 80, 1, 32, false, 0);
	maker_put(m, "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 3\n0000 ffffffff 1 R1 FFMAX.FTZ 1 R2 0\n"
	             "0010 ffffffff 1 R1 FFMAX 1 R2 0\n0020 ffffffff 0 EXIT 0 0\n#END_TB\n");
	FILE *f = open_memstream(&strict, &n);
	print_all(m->text, m->len, &(struct trace_rules){.strict = true}, f);
	fclose(f);
	ck_assert_ptr_nonnull(strstr(strict, "unknown opcode 'FFMAX' (-trace_strict); the nearest is FFMA"));
	free(strict);
	char *all = read_all(m->text, m->len, false);
	const char *first = strstr(all, "unknown opcode 'FFMAX' runs as FFMA\n");
	ck_assert_ptr_nonnull(first);
	ck_assert_ptr_null(strstr(first + 1, "unknown opcode"));
	ck_assert_ptr_nonnull(strstr(all, "end\n"));
	free(all);
	maker_free(m);
}
END_TEST

START_TEST(a_range_of_thread_blocks_leaves_the_others_out)
{
	char why[1200];
	struct trace_code *code = calloc(1, sizeof *code);
	struct trace_reader *r = trace_reader_new(trace_source_text(good, strlen(good)), "t", code, 1, 1, why, sizeof why);
	ck_assert_ptr_nonnull(r);
	ck_assert_uint_eq(trace_reader_ctas(r), 1);
	struct trace_cta *c = mem_alloc(sizeof *c);
	ck_assert_int_eq(trace_reader_next(r, c), TRACE_CTA);
	ck_assert_uint_eq(c->id[0], 1);
	ck_assert_int_eq(trace_reader_next(r, c), TRACE_END);
	trace_cta_free(c);
	trace_reader_free(r);
	trace_code_free(code);
	free(code);
}
END_TEST

// --- packing

static uint64_t next_random(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	return *s ^= *s << 17;
}

START_TEST(what_is_packed_comes_out_again)
{
	enum { N = 3000, KINDS = 40 };
	static struct { uint32_t index, mask; uint64_t addr[32]; } in[N];
	struct trace_code *code = calloc(1, sizeof *code);
	struct trace_pack p = {0};
	uint64_t seed = 88172645463325252u + (unsigned)_i;
	for (uint32_t i = 0; i < KINDS; i++)
		trace_inst_new(code)->has_address = i % 3 == 0;
	trace_pack_begin(&p);
	uint32_t index = 0, mask = UINT32_MAX;
	for (unsigned k = 0; k < N; k++) {
		uint64_t x = next_random(&seed);
		index = x % 5 ? (index + 1) % KINDS : (uint32_t)(x >> 8) % KINDS;
		mask = x >> 32 & 7 ? mask : (uint32_t)(next_random(&seed) >> 20);
		in[k].index = index;
		in[k].mask = mask;
		trace_pack_inst(&p, trace_inst_at(code, index), mask);
		if (!trace_inst_at(code, index)->has_address || !mask)
			continue;
		bool odd = x >> 40 & 1;
		uint64_t base = next_random(&seed) >> (x >> 48 & 63);
		int64_t offset[32] = {0};
		int32_t small[32] = {0};
		unsigned first = (unsigned)__builtin_ctz(mask);
		for (unsigned l = 0; l < 32; l++) {
			if (!(mask >> l & 1))
				continue;
			offset[l] = l == first ? 0 : odd ? (int64_t)next_random(&seed) : (int64_t)(l - first) * (x >> 41 & 1 ? 4 : -4);
			small[l] = (int32_t)offset[l];
			in[k].addr[l] = base + (uint64_t)offset[l];
		}
		uint32_t pattern = odd ? UINT32_MAX : trace_pattern_intern(code, mask, small);
		trace_pack_addresses(&p, index, base, pattern, mask, offset);
	}
	struct trace_cursor c, too;
	trace_cursor_begin(&c, code, p.ctl.at, p.ctl.n, p.adr.at, p.n);
	trace_cursor_begin(&too, code, p.ctl.at, p.ctl.n, p.adr.at, p.n);
	for (unsigned k = 0; k < N; k++, trace_cursor_next(&c), trace_cursor_next(&too)) {
		uint64_t addr[32], offset[32];
		ck_assert_uint_eq(c.left, N - k);
		ck_assert_uint_eq(c.inst->index, in[k].index);
		ck_assert_uint_eq(c.mask, in[k].mask);
		if (!c.inst->has_address || !c.mask)
			continue;
		trace_cursor_addresses(&c, addr);
		for (unsigned l = 0; l < 32; l++)
			if (c.mask >> l & 1)
				ck_assert_uint_eq(addr[l], in[k].addr[l]);
		// A window that begins among the addresses or near them.
		const uint64_t near = next_random(&seed), window = near >> 60 ? addr[__builtin_ctz(c.mask)] + (near & 255) - 128 : 0;
		trace_cursor_offsets(&too, window, offset);
		for (unsigned l = 0; l < 32; l++)
			if (c.mask >> l & 1)
				ck_assert_uint_eq(offset[l], addr[l] - (addr[l] >= window ? window : 0));
	}
	ck_assert_uint_eq(c.left, 0);
	trace_pack_free(&p);
	trace_code_free(code);
	free(code);
}
END_TEST

// --- lists and tables

// From Accel-Sim 2.0 on raw lines tell of clusters, with or without source lines.
START_TEST(a_raw_trace_of_clusters_says_the_same)
{
	const bool lines = _i;
	struct trace_maker *raw = maker_new(), *sorted = maker_new();
	maker_header(raw, 6, 90, 2, 32, lines, 0);
	maker_header(sorted, 6, 90, 2, 32, lines, 0);
	for (unsigned c = 0; c < 2; c++) {
		const char *line = lines ? "77 " : "";
		maker_put(raw, "%u 0 0 0 0 0 0 %u 0 0 %u %s0000 0000000f 1 R1 MOV 0 0 0 0 NoVal\n", c, c, c, line);
		maker_put(raw, "%u 0 0 0 %s0010 ffffffff 0 EXIT 0 0 0 0 NoVal\n", c, line); // an older tracer's
		maker_put(sorted, "#BEGIN_TB\nthread block = %u,0,0\ncluster id = 0,0,0\ncluster cta = %u,0,0\ncluster rank = %u\n", c, c, c);
		maker_put(sorted, "warp = 0\ninsts = 2\n%s0000 0000000f 1 R1 MOV 0 0 0 0 NoVal\n%s0010 ffffffff 0 EXIT 0 0 0 0 NoVal\n#END_TB\n",
		          line, line);
	}
	same(read_all(raw->text, raw->len, false), read_all(sorted->text, sorted->len, false));
	maker_free(raw);
	maker_free(sorted);
}
END_TEST

START_TEST(a_list_has_copies_kernels_and_comments)
{
	static const char text[] = "# traced\nMemcpyHtoD,0x7f0010,4096\nkernel-1.traceg\ncudaMalloc,0x1,2\n"
	                           "MemcpyDtoH,0x1,2\n\nkernel-2.traceg.xz\nkernel-3-ctx_0x55.tracez\n";
	struct kernelslist l = {0};
	struct diag d = {0};
	ck_assert(kernelslist_parse(&l, "dir/kernelslist.g", text, strlen(text), &d));
	ck_assert_uint_eq(l.command.n, 4);
	ck_assert_uint_eq(l.command.at[0].addr, 0x7f0010);
	ck_assert_uint_eq(l.command.at[0].bytes, 4096);
	ck_assert_str_eq(l.command.at[1].text, "dir/kernel-1.traceg");
	ck_assert_str_eq(l.command.at[2].text, "dir/kernel-2.traceg.xz");
	ck_assert_str_eq(l.command.at[3].text, "dir/kernel-3-ctx_0x55.tracez");
	kernelslist_free(&l);
	static const char bad[] = "MemcpyHtoD,zz\nnothing\n";
	ck_assert(!kernelslist_parse(&l, "l", bad, strlen(bad), &d));
	ck_assert_ptr_nonnull(strstr(d.text, "l:1: 'MemcpyHtoD,zz': expected MemcpyHtoD,ADDRESS,BYTES"));
	ck_assert_ptr_nonnull(strstr(d.text, "l:2: 'nothing': expected"));
	kernelslist_free(&l);
	diag_free(&d);
}
END_TEST

START_TEST(kernels_are_chosen_by_number_range_and_name)
{
	struct kernel_select s = {0};
	struct form_error d;
	ck_assert(!kernel_select_has(&s, 7, "any"));
	ck_assert(kernel_select_parse(&s, "2,5-7,gemm*,90-", &d));
	ck_assert(kernel_select_has(&s, 2, "a"));
	ck_assert(!kernel_select_has(&s, 3, "a"));
	ck_assert(kernel_select_has(&s, 6, "a"));
	ck_assert(kernel_select_has(&s, 3, "gemm_128"));
	ck_assert(kernel_select_has(&s, 1000, "a"));
	kernel_select_free(&s);
	ck_assert(!kernel_select_parse(&s, "a,7-5", &d));
	ck_assert_uint_eq(d.at, 2);
	kernel_select_free(&s);
	ck_assert(!kernel_select_parse(&s, "1,,2", &d));
	kernel_select_free(&s);
}
END_TEST

START_TEST(every_opcode_has_one_row)
{
	size_t n;
	const struct sass_op *t = sass_op_table(&n);
	for (size_t i = 0; i < n; i++) {
		ck_assert_msg(strspn(t[i].generations, "KMPVTALHB") == strlen(t[i].generations), "%s: %s", t[i].name,
		              t[i].generations);
		ck_assert_ptr_eq(sass_op_find(t[i].name, strlen(t[i].name)), &t[i]);
		ck_assert_uint_le(t[i].unit, 4);
	}
	ck_assert_int_eq(sass_generation_of(75), SASS_TURING);
	ck_assert_int_eq(sass_generation_of(71), -1);
	ck_assert_str_eq(sass_op_nearest("FFMAX", 5)->name, "FFMA");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("trace_reader");
	TCase *t = tcase_create("trace_reader");
	tcase_set_timeout(t, 30);
	tcase_add_test(t, the_three_forms_of_addresses_say_the_same);
	tcase_add_test(t, line_numbers_and_immediates_are_read_in_every_version);
	tcase_add_test(t, a_line_that_comes_again_says_what_it_says_when_it_is_read);
	tcase_add_test(t, version_6_has_all_register_files_values_and_bulk_copies);
	tcase_add_test(t, the_zero_of_uniform_registers_is_that_of_the_generation);
	tcase_add_loop_test(t, registers_span_what_the_operands_span, 0, sizeof wide / sizeof *wide);
	tcase_add_test(t, a_raw_trace_says_the_same_as_a_sorted_one);
	tcase_add_loop_test(t, a_raw_trace_of_clusters_says_the_same, 0, 2);
	tcase_add_loop_test(t, an_error_names_file_and_line_and_what_was_expected, 0, sizeof wrong / sizeof *wrong);
	tcase_add_test(t, a_truncated_trace_is_an_error_wherever_it_ends);
	tcase_add_test(t, an_unknown_opcode_is_told_once_and_strict_refuses_it);
	tcase_add_test(t, a_range_of_thread_blocks_leaves_the_others_out);
	tcase_add_loop_test(t, what_is_packed_comes_out_again, 0, 20);
	tcase_add_test(t, a_list_has_copies_kernels_and_comments);
	tcase_add_test(t, kernels_are_chosen_by_number_range_and_name);
	tcase_add_test(t, every_opcode_has_one_row);
	suite_add_tcase(s, t);
	return check_main(s);
}
