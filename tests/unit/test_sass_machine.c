// Machine code out of bits: the table of encodings, and its text, which sass/text reads again.
#include "cuda-sim/sass/machine/assemble.h"
#include "cuda-sim/sass/machine/encoding.h"
#include "cuda-sim/sass/machine/form.h"
#include "cuda-sim/sass/machine/listing.h"
#include "cuda-sim/sass/text/text.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	unsigned arch;
	struct sass_word word;
	const char *text;
} words[] = {
#define WORD(arch, hi, lo, text) {arch, {lo, hi}, text},
#include "tests/unit/sass_words.def"
#undef WORD
};

enum { N_WORDS = sizeof words / sizeof *words };

static struct arena arena;

static const struct sass_isa *isa_of(unsigned arch)
{
	static struct sass_isa *isa[SASS_N_GENERATIONS];
	int g = sass_generation_of(arch);
	ck_assert_int_ge(g, SASS_VOLTA);
	if (!isa[g])
		isa[g] = sass_isa_new(&arena, (enum sass_generation)g);
	return isa[g];
}

static struct sass_word flip(struct sass_word w, unsigned bit)
{
	*(bit < 64 ? &w.lo : &w.hi) ^= (uint64_t)1 << bit % 64;
	return w;
}

START_TEST(words_say_what_they_say)
{
	struct sass_decoded d;
	char why[200], text[300];
	ck_assert_msg(sass_decode(isa_of(words[_i].arch), words[_i].word, 0, &d, why, sizeof why), "%s: %s", words[_i].text, why);
	sass_print(&d, text, sizeof text);
	ck_assert_str_eq(text, words[_i].text);
}
END_TEST

// A bit without a meaning is refused; one with a meaning changes the text, unless it is a control bit, or is refused.
START_TEST(every_bit_counts)
{
	const struct sass_isa *isa = isa_of(words[_i].arch);
	struct sass_decoded d;
	char why[200], text[300];
	ck_assert(sass_decode(isa, words[_i].word, 0, &d, why, sizeof why));
	struct sass_word owned = sass_owned(d.row, d.form, d.uniform_form);
	for (unsigned bit = 12; bit < 128; bit++) {
		struct sass_decoded other;
		bool mine = bit < 64 ? owned.lo >> bit & 1 : owned.hi >> (bit - 64) & 1;
		bool known = sass_decode(isa, flip(words[_i].word, bit), 0, &other, why, sizeof why);
		if (!mine && bit != 91)
			ck_assert_msg(!known || other.row != d.row, "%s: bit %u has no meaning, but is taken", words[_i].text, bit);
		if (!known) {
			ck_assert_uint_gt(strlen(why), 0);
			continue;
		}
		sass_print(&other, text, sizeof text);
		bool control = bit >= 105 && bit < 126;
		ck_assert_msg(control || strcmp(text, words[_i].text), "%s: bit %u changes nothing", words[_i].text, bit);
	}
}
END_TEST

// So that the tests above see all of the table.
START_TEST(every_row_has_a_word)
{
	static const unsigned arch[] = {70, 75, 80, 89, 90, 100, 120};
	static bool seen[2000];
	struct sass_decoded d;
	char why[200];
	for (unsigned i = 0; i < N_WORDS; i++)
		if (sass_decode(isa_of(words[i].arch), words[i].word, 0, &d, why, sizeof why))
			seen[d.row->index] = true;
	// Branches are in no list of words, since the text of a word must not depend on where it stands.
	static const char *const branch[] = {"BRA", "BSSY", "CALL", "RET", "WARPSYNC", "LEPC"};
	unsigned without = 0;
	for (unsigned k = 0; k < sizeof arch / sizeof *arch; k++) {
		const struct sass_row *r;
		for (unsigned i = 0; (r = sass_row(isa_of(arch[k]), i)); i++) {
			bool is_branch = false;
			for (unsigned b = 0; b < sizeof branch / sizeof *branch; b++)
				is_branch |= !strcmp(r->op, branch[b]);
			if (is_branch || seen[r->index])
				continue;
			fprintf(stderr, "row %u of encoding.def, a form of %s, has no word\n", r->index, r->op);
			seen[r->index] = true;
			without++;
		}
	}
	ck_assert_uint_eq(without, 0);
}
END_TEST

// Text gives the bits that it came from, but for control bits, which are not in it.
START_TEST(words_come_back)
{
	struct sass_word w = words[_i].word, back;
	char why[300];
	ck_assert_msg(sass_assemble(isa_of(words[_i].arch), words[_i].text, 0, NULL, &back, why, sizeof why), "%s: %s", words[_i].text, why);
	uint64_t control = ((UINT64_C(1) << 17) - 1) << 41, reuse = UINT64_C(15) << 58;
	// Where reuse is not written it does nothing.
	uint64_t without = control | (strstr(words[_i].text, ".reuse") ? 0 : reuse);
	ck_assert_msg(back.lo == w.lo && !((back.hi ^ w.hi) & ~without), "%s: %016lx%016lx, not %016lx%016lx", words[_i].text,
	              (unsigned long)back.hi, (unsigned long)back.lo, (unsigned long)w.hi, (unsigned long)w.lo);
}
END_TEST

// The bit that keeps an operand for reuse tells its slot of the register file: 122 is slot 0.
START_TEST(cores_know_an_operands_slot)
{
	struct sass_decoded d;
	char why[200];
	for (unsigned bit = 122; bit < 125; bit++) {
		struct isa_inst i = {0};
		struct isa_sass s = {0};
		struct sass_word w = words[_i].word;
		w.hi = (w.hi & ~(UINT64_C(15) << 58)) | UINT64_C(1) << (bit - 64);
		if (!sass_decode(isa_of(words[_i].arch), w, 0, &d, why, sizeof why) || sass_form(&i, &s, &d, 0))
			continue;
		for (unsigned k = 0; k < s.n_src; k++)
			ck_assert_msg(!s.src[k].reuse || s.src[k].slot == bit - 122, "%s: register %u is read in slot %u, not %u", words[_i].text, s.src[k].reg, s.src[k].slot, bit - 122);
	}
}
END_TEST

static bool find_place(void *ctx, const char *name, size_t len, uint64_t *pc)
{
	*pc = 0x100;
	return len == strlen((const char *)ctx) && !memcmp(name, ctx, len);
}

START_TEST(mistakes_in_text_are_told)
{
	static const struct { const char *text, *why; } bad[] = {
		{"FMAD R1, R2, R3", "unknown opcode 'FMAD'"},
		{"FADD.SAT.FTZ R1, R2, R3", "'.FTZ R1, R2, R3': no form of FADD is written so"}, // .FTZ comes first
		{"FADD R1, R2", "'FADD R1, R2' ends where FADD has more"},
		{"FADD R1, R2, R3, R4", "', R4': no form of FADD is written so"},
		{"FADD R1, R2, R300", "'R300': no form of FADD is written so"},
		{"@P9 EXIT", "expected a predicate behind @"},
		{"@UP0 EXIT", "'EXIT': no form of EXIT is written so"},
		{"BRA nowhere", "'nowhere': no form of BRA is written so"},
	};
	static char where[] = "there";
	struct sass_word w;
	char why[200];
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		ck_assert_msg(!sass_assemble(isa_of(80), bad[i].text, 0, NULL, &w, why, sizeof why), "%s", bad[i].text);
		ck_assert_msg(strstr(why, bad[i].why), "%s: %s, not %s", bad[i].text, why, bad[i].why);
	}
	struct sass_places places = {find_place, where};
	ck_assert(!sass_assemble(isa_of(80), "BRA here", 0, &places, &w, why, sizeof why));
	ck_assert_msg(sass_assemble(isa_of(80), "BRA there", 0x20, &places, &w, why, sizeof why), "%s", why);
	struct sass_decoded d;
	uint64_t to;
	ck_assert(sass_decode(isa_of(80), w, 0x20, &d, why, sizeof why) && sass_target(&d, &to));
	ck_assert_uint_eq(to, 0x100);
}
END_TEST

// Branches count in words of 4 bytes, LEPC in bytes; from sm_90 on the lower bits of both lie apart from the others.
START_TEST(places_are_where_nvdisasm_shows_them)
{
	static const struct { struct sass_word w; uint64_t pc, to; } at[] = {
		{{0x000000001014794e, 0x000fce0000000000}, 0x190, 0x1b0}, {{0x000000041014794e, 0x000fce0000000000}, 0x20, 0x440},
		{{0x000000080014794e, 0x000fce0000000000}, 0x40, 0x850}, {{0xfffffffcf014794e, 0x000fce000003ffff}, 0x450, 0x150},
		{{0xfffffffc00fc7947, 0x000fc0000383ffff}, 0x1c0, 0x1c0},
	};
	for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
		struct sass_decoded d;
		char why[200];
		uint64_t to = 0;
		ck_assert_msg(sass_decode(isa_of(90), at[i].w, at[i].pc, &d, why, sizeof why) && sass_target(&d, &to), "%s", why);
		ck_assert_uint_eq(to, at[i].to);
	}
}
END_TEST

START_TEST(unknown_code_is_refused_by_name)
{
	struct sass_decoded d;
	char why[200];
	ck_assert(!sass_decode(isa_of(80), (struct sass_word){0x1ff, 0}, 0, &d, why, sizeof why));
	ck_assert_str_eq(why, "no instruction is known with the opcode 0x1ff");
	struct sass_word fadd = {0x0000000205057221, 0x0000000000010000}; // FADD.FTZ R5, R5, R2
	ck_assert(sass_decode(isa_of(80), fadd, 0, &d, why, sizeof why));
	ck_assert(sass_has(&d, "FTZ") && !sass_has(&d, "SAT"));
	ck_assert(!sass_decode(isa_of(80), flip(fadd, 100), 0, &d, why, sizeof why));
	ck_assert_str_eq(why, "bit 100 is set, which has no known meaning in FADD");
	// VIADD came with Hopper.
	struct sass_word viadd = {0xffffffff0c027836, 0};
	ck_assert(sass_decode(isa_of(90), viadd, 0, &d, why, sizeof why));
	ck_assert(!sass_decode(isa_of(80), viadd, 0, &d, why, sizeof why));
}
END_TEST

START_TEST(any_bits_have_an_answer)
{
	static const unsigned arch[] = {70, 75, 80, 86, 89, 90, 100, 120};
	uint64_t x = (uint64_t)_i * 0x9e3779b97f4a7c15 + 1;
	for (unsigned n = 0; n < 20000; n++) {
		uint64_t r[2];
		for (unsigned k = 0; k < 2; k++)
			x ^= x << 13, x ^= x >> 7, x ^= x << 17, r[k] = x;
		// Half of them with few bits beyond an opcode that exists.
		struct sass_word w = {r[0], r[1]};
		if (n % 2)
			w = (struct sass_word){words[r[0] % N_WORDS].word.lo ^ (uint64_t)1 << r[1] % 64, words[r[0] % N_WORDS].word.hi ^ (uint64_t)1 << (r[1] >> 8) % 64};
		struct sass_decoded d;
		char why[60], text[40]; // short ones are cut
		if (sass_decode(isa_of(arch[_i]), w, n * 16, &d, why, sizeof why))
			sass_print(&d, text, sizeof text);
	}
}
END_TEST

// What is listed can be read as a kernel of sass/text, with the same number of instructions, and labels where branches go.
START_TEST(a_listing_is_a_kernel)
{
	static const unsigned arch[] = {75, 80, 89, 90, 100, 120};
	struct sass_word code[N_WORDS + 2];
	size_t n = 0, len;
	for (unsigned i = 0; i < N_WORDS; i++)
		if (words[i].arch == arch[_i] && strncmp(words[i].text, "CALL.ABS", 8) && strncmp(words[i].text, "BRX", 3)) // of those the text must say where they go
			code[n++] = words[i].word;
	// A branch to the instruction before it.
	code[n] = (struct sass_word){0xffffffe000007947 | (uint64_t)(arch[_i] >= 90 ? 0xf8 : 0) << 16, 0x000fc0000383ffff};
	if (arch[_i] >= 90)
		code[n].lo = 0xfffffffc00f87947;
	n++;
	char *text;
	FILE *out = open_memstream(&text, &len);
	fprintf(out, ".target sm_%u\n", arch[_i]);
	struct sass_function f = {.name = "k", .code = (const uint8_t *)code, .size = n * sizeof *code};
	ck_assert_uint_eq(sass_list(isa_of(arch[_i]), &f, out), 0);
	fclose(out);
	char label[24];
	snprintf(label, sizeof label, "L_%04zx", (n - 2) * 16);
	ck_assert_msg(strstr(text, label) && strstr(text, " BRA "), "%s", text + (len > 300 ? len - 300 : 0));
	struct diag d = {0};
	struct sass_program *p = sass_text_parse("listing.sass", text, len, 0, &d);
	ck_assert_msg(p != NULL, "%.2000s", d.text ? d.text : "?");
	ck_assert_uint_eq(sass_text_count(p), n);
	ck_assert_uint_eq(sass_text_label(p, label), n - 2);
	sass_text_free(p);
	diag_free(&d);
	free(text);
}
END_TEST

START_TEST(an_unknown_instruction_is_listed_as_bits)
{
	const struct sass_word code[] = {{0x0000000000007918, 0x000fc00000000000}, {0x00000000000071ff, 0}};
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	struct sass_function f = {.name = "k", .code = (const uint8_t *)code, .size = sizeof code};
	ck_assert_uint_eq(sass_list(isa_of(86), &f, out), 1);
	fclose(out);
	ck_assert_msg(strstr(text, ".inst 0x000000000000000000000000000071ff // no instruction is known with the opcode 0x1ff"), "%s", text);
	free(text);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sass machine");
	TCase *t = tcase_create("all");
	tcase_add_loop_test(t, words_say_what_they_say, 0, N_WORDS);
	tcase_add_loop_test(t, every_bit_counts, 0, N_WORDS);
	tcase_add_loop_test(t, words_come_back, 0, N_WORDS);
	tcase_add_loop_test(t, cores_know_an_operands_slot, 0, N_WORDS);
	tcase_add_test(t, every_row_has_a_word);
	tcase_add_test(t, mistakes_in_text_are_told);
	tcase_add_test(t, places_are_where_nvdisasm_shows_them);
	tcase_add_test(t, unknown_code_is_refused_by_name);
	tcase_add_loop_test(t, any_bits_have_an_answer, 0, 8);
	tcase_add_loop_test(t, a_listing_is_a_kernel, 0, 6);
	tcase_add_test(t, an_unknown_instruction_is_listed_as_bits);
	suite_add_tcase(s, t);
	return check_main(s);
}
