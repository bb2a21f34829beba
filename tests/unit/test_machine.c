// The loader of machine code on cubins of tests/machine, whole and damaged.
#include "cuda-sim/runtime/builtin.h"
#include "cuda-sim/sass/exec/code.h"
#include "cuda-sim/sass/exec/kernel.h"
#include "cuda-sim/sass/machine/encoding.h"
#include "base/mem.h"
#include "base/options.h"
#include "libcuda/image/choice.h"
#include "libcuda/image/machine.h"

#include <check.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	uint8_t *data;
	size_t size;
} file;

static struct arena arena;
static struct cubin cubin;
static struct machine *machine;
static struct diag d;

static uint64_t variable(void *ctx, const struct variable_place *v) { return ((0x700000ull + v->section) << 20) + v->offset; }
static uint64_t kernel(void *ctx, const char *name) { return (uint64_t)1 << 51 | strlen(name); }

static uint32_t texture(void *ctx, const char *name) { return strstr(name, "absent") ? 0 : 0x80000000u | (uint32_t)strlen(name); }

static void drop(void)
{
	machine_free(machine);
	machine = NULL;
	cubin_free(&cubin);
	diag_free(&d);
	arena_free(&arena);
}

static void read_file(const char *name)
{
	char path[600];
	const char *dot = strstr(__FILE__, "unit/");
	snprintf(path, sizeof path, "%.*smachine/%s", (int)(dot - __FILE__), __FILE__, name);
	FILE *f = fopen(path, "rb");
	ck_assert_msg(f != NULL, "%s", path);
	fseek(f, 0, SEEK_END);
	file.size = (size_t)ftell(f);
	rewind(f);
	free(file.data);
	file.data = malloc(file.size);
	ck_assert_uint_eq(fread(file.data, 1, file.size, f), file.size);
	fclose(f);
}

static bool load(void)
{
	static const struct machine_world world = {NULL, variable, kernel, texture, builtin_find, {0}};
	drop();
	if (cubin_read(&cubin, file.data, file.size, &arena, &d))
		machine = machine_new(file.data, file.size, &cubin, "test", &world, &d);
	return machine;
}

static const struct sass_image *image_of(const char *name)
{
	const struct sass_image *i = machine ? machine_image(machine, name, &d) : NULL;
	ck_assert_msg(i != NULL, "%s", d.text);
	return i;
}

// Everything is asked of a file that may be damaged.
static bool load_all(void)
{
	bool ok = load();
	uint8_t *memory = calloc(1, file.size + 1);
	for (size_t i = 0; ok && i < cubin.kernel.n; i++) {
		const struct sass_image *image = machine_image(machine, cubin.kernel.at[i].name, &d);
		struct sass_kernel *k = image ? sass_kernel_new(image, 0, &d) : NULL;
		ck_assert(k || d.text);
		ok = image;
		sass_kernel_free(k);
	}
	for (unsigned s = 0; ok && s < N_VARIABLE_SECTIONS; s++)
		if (machine_initial(machine, s) && cubin.variables.section[s].size <= file.size)
			ok = machine_fill(machine, s, memory, &d);
	free(memory);
	return ok;
}

static struct sass_word word_at(const struct sass_image *i, uint64_t pc)
{
	struct sass_word w;
	memcpy(&w, i->code + pc, sizeof w);
	return w;
}

// How often `text` is in the disassembly of an image's part.
static unsigned count_of(const struct sass_image *image, const struct sass_part *p, const char *text)
{
	struct arena a = {0};
	struct sass_isa *isa = sass_isa_new(&a, (enum sass_generation)sass_generation_of(image->arch));
	unsigned n = 0;
	for (uint64_t pc = p->pc; pc < p->pc + p->size; pc += 16) {
		struct sass_decoded i;
		char why[200], line[300];
		ck_assert_msg(sass_decode(isa, word_at(image, pc), pc, &i, why, sizeof why), "%s", why);
		sass_print(&i, line, sizeof line);
		n += strstr(line, text) != NULL;
	}
	arena_free(&a);
	return n;
}

static const struct {
	const char *file;
	unsigned arch, param_base, reserved;
} linked[] = {{"linked.80.cubin", 80, 0x160, 0}, {"linked.90.cubin", 90, 0x210, 1024}, {"linked.100.cubin", 100, 0x380, 1024}};

// Functions have the same place in all images; calls and pointers go there.
START_TEST(functions_are_linked)
{
	read_file(linked[_i].file);
	ck_assert_msg(load(), "%s", d.text);
	const struct sass_image *plain = image_of("plain"), *pointers = image_of("pointers");
	struct sass_kernel *decoded = sass_kernel_new(plain, 0, &d);
	ck_assert_msg(decoded, "%s", d.text);
	sass_kernel_free(decoded);
	ck_assert_uint_eq(plain->arch, linked[_i].arch);
	ck_assert_uint_eq(plain->param_base, linked[_i].param_base);
	ck_assert_uint_eq(plain->shared_reserved, linked[_i].reserved);
	ck_assert_uint_eq(plain->shared, 128);
	ck_assert_uint_eq(pointers->shared, 0);
	ck_assert_uint_eq(plain->bank[0].size, (linked[_i].param_base + 12 + 7) / 8 * 8); // code reads the last ones as 8 bytes
	ck_assert_uint_eq(plain->bank[3].size, 16);
	ck_assert_ptr_eq(plain->bank[3].data, (void *)(uintptr_t)0x70000200000);
	ck_assert(!pointers->local_known);
	ck_assert_uint_eq(plain->n_part, 3);
	ck_assert_uint_eq(pointers->n_part, 4); // deep too
	char text[80];
	for (unsigned i = 1; i < 3; i++) {
		uint64_t pc;
		const struct sass_part *p = &plain->part[i], *q = &pointers->part[1];
		while (q < pointers->part + 3 && strcmp(p->name, q->name))
			q++;
		ck_assert_str_eq(p->name, q->name);
		ck_assert(p->pc == q->pc && p->size == q->size);
		ck_assert(machine_function(machine, p->name, &pc) && pc == p->pc);
		snprintf(text, sizeof text, "CALL.ABS.NOINC 0x%llx", (unsigned long long)p->pc);
		if (!strcmp(p->name, "twice"))
			ck_assert_uint_eq(count_of(plain, &plain->part[1], text) + count_of(plain, &plain->part[2], text), 1);
		// A call returns behind itself, wherever the function lies.
		if (!strcmp(p->name, "weigh")) {
			snprintf(text, sizeof text, ", 0x%llx", (unsigned long long)p->pc + 208);
			ck_assert_uint_ge(count_of(plain, p, text), 1);
		}
	}
	// What is between them stops whoever comes there.
	struct sass_part gap = {"", plain->part[0].size, 16};
	ck_assert(plain->part[1].pc == plain->part[0].size || count_of(plain, &gap, "BPT.TRAP") == 1);
	ck_assert_uint_eq(pointers->n_external, 1);
	ck_assert_str_eq(pointers->external_name[0], "vprintf");
	ck_assert_ptr_eq(pointers->external[0], builtin_find("vprintf"));
	snprintf(text, sizeof text, "CALL.ABS.NOINC 0x%llx", (unsigned long long)sass_external_address(0));
	ck_assert_uint_eq(count_of(pointers, &pointers->part[0], text), 1);
	ck_assert_uint_ge(plain->registers, 24); // what a call may use
	// zeros is the first of .nv.global, counter lies 24 bytes into .nv.global.init.
	ck_assert_uint_ge(count_of(plain, &plain->part[0], "0x700"), 1);
	ck_assert_uint_eq(count_of(plain, &plain->part[1], "0x100018") + count_of(plain, &plain->part[2], "0x100018"), 1);
	ck_assert(load_all());
}
END_TEST

// Behind the registers and the values that stand in the code are rows for what an instruction makes on its way. In `plain` that is an
// address of global memory, 8 bytes a lane, and no more than a number beside it; 16 bytes a lane would be four rows.
START_TEST(rows_are_as_wide_as_what_stands_in_them)
{
	read_file(linked[_i].file);
	ck_assert_msg(load(), "%s", d.text);
	struct sass_kernel *k = sass_kernel_new(image_of("plain"), 0, &d);
	ck_assert_msg(k != NULL, "%s", d.text);
	uint32_t bytes = SX_AT_R + (k->n_r + k->n_ur + k->n_b) * SX_ROW;
	for (unsigned g = 0; g < SX_N_INIT; g++)
		for (uint32_t n = 0; n < k->n_init[g]; n++)
			bytes += k->init[g][n].wide ? 2 * SX_ROW : SX_ROW;
	ck_assert_uint_ge(k->frame_bytes, bytes + 2 * SX_ROW);
	ck_assert_uint_lt(k->frame_bytes, bytes + 4 * SX_ROW);
	sass_kernel_free(k);
}
END_TEST

START_TEST(variables_get_addresses)
{
	read_file(linked[_i].file);
	ck_assert_msg(load(), "%s", d.text);
	uint8_t *memory = calloc(1, cubin.variables.section[SECTION_GLOBAL_INIT].size);
	uint64_t at[3], want[3] = {0x70000200008};
	memcpy(memory, machine_initial(machine, SECTION_GLOBAL_INIT), cubin.variables.section[SECTION_GLOBAL_INIT].size);
	ck_assert(machine_fill(machine, SECTION_GLOBAL_INIT, memory, &d));
	ck_assert(machine_function(machine, "twice", &want[1]) && machine_function(machine, "weigh", &want[2]));
	memcpy(at, memory, sizeof at);
	ck_assert_mem_eq(at, want, sizeof at);
	free(memory);
	ck_assert(machine_fill(machine, SECTION_GLOBAL, NULL, &d));
	uint64_t pc;
	ck_assert(!machine_function(machine, "plain", &pc) && !machine_function(machine, "nothing", &pc));
}
END_TEST

START_TEST(banks_are_filled)
{
	static const struct {
		const char *file;
		uint32_t param_base;
	} cases[] = {{"whole.75.cubin", 0x160}, {"whole.90.cubin", 0x210}, {"whole.120.cubin", 0x380}};
	read_file(cases[_i].file);
	ck_assert_msg(load(), "%s", d.text);
	const struct sass_image *i = image_of("whole");
	ck_assert_uint_eq(i->param_base, cases[_i].param_base);
	ck_assert_uint_eq(i->n_part, 1);
	ck_assert_uint_eq(i->size, i->part[0].size);
	ck_assert(i->bank[2].data && i->bank[2].size % 4 == 0);
	uint64_t at[4];
	ck_assert_uint_ge(i->bank[4].size, sizeof at);
	memcpy(at, i->bank[4].data, sizeof at);
	bool external = false, seen = false;
	for (unsigned k = 0; k < 4; k++) {
		external |= at[k] == sass_external_address(0);
		seen |= at[k] == 0x70000000000;
	}
	ck_assert(external && seen);
	// The line of a pc is that of the last row at or before it.
	static const uint32_t lines[] = {11, 13, 14}; // the kernel's name, what it reads first, switch
	ck_assert_uint_gt(i->n_line, 10);
	for (size_t k = 0; k < i->n_line; k++) {
		ck_assert(!k || i->line[k].pc > i->line[k - 1].pc);
		ck_assert_msg(k + 1 < i->n_line ? i->line[k].file != NULL : !i->line[k].file && i->line[k].pc == i->size, "%zu", k);
		if (i->line[k].file && strstr(i->line[k].file, "whole.cu"))
			ck_assert_uint_le(i->line[k].line, 25);
	}
	ck_assert_str_eq(i->line[0].file, "/source/of/a/test/whole.cu");
	ck_assert_uint_eq(i->line[0].pc, 0);
	if (i->arch == 75)
		for (unsigned k = 0; k < 3; k++)
			ck_assert_uint_eq(i->line[k].line, lines[k]);
	ck_assert_uint_eq(i->line[i->n_line - 1].line, 0);
	ck_assert(load_all());
}
END_TEST

static const char *const all[] = {"linked.80.cubin", "linked.90.cubin", "whole.75.cubin", "whole.90.cubin", "whole.120.cubin"};

// Cut off anywhere, and with any byte changed: an error, or an image that is as good as it looks.
START_TEST(damage_is_an_error_or_harmless)
{
	read_file(all[_i]);
	size_t whole = file.size;
	uint8_t *kept = file.data;
	for (size_t n = 0; n < whole; n += 97) { // exact copies, so that a sanitizer sees reads behind them
		file.data = malloc(n ? n : 1);
		file.size = n;
		memcpy(file.data, kept, n);
		if (!load_all())
			ck_assert_ptr_nonnull(d.text);
		drop();
		free(file.data);
	}
	file.data = kept;
	file.size = whole;
	for (size_t at = 0; at < file.size; at += 3) {
		uint8_t old = file.data[at];
		file.data[at] ^= at % 2 ? 0xff : 1u << at % 8;
		if (!load_all())
			ck_assert_ptr_nonnull(d.text);
		file.data[at] = old;
	}
	ck_assert_msg(load_all(), "%s", d.text);
}
END_TEST

static Elf64_Shdr *section(const char *name)
{
	Elf64_Ehdr *h = (Elf64_Ehdr *)file.data;
	Elf64_Shdr *s = (Elf64_Shdr *)(file.data + h->e_shoff);
	const char *names = (const char *)file.data + s[h->e_shstrndx].sh_offset;
	for (unsigned i = 0; i < h->e_shnum; i++)
		if (!strcmp(names + s[i].sh_name, name))
			return &s[i];
	ck_abort_msg("%s", name);
}

static uint32_t *info(const char *name, unsigned attribute)
{
	Elf64_Shdr *s = section(name);
	for (uint64_t at = 0; at + 4 <= s->sh_size;) {
		uint8_t *p = file.data + s->sh_offset + at;
		if (p[1] == attribute)
			return (uint32_t *)p;
		at += p[0] == 4 ? 4 + (uint64_t)(p[2] | p[3] << 8) : 4;
	}
	ck_abort_msg("%s %x", name, attribute);
}

static void is_object(void) { ((Elf64_Ehdr *)file.data)->e_type = ET_REL; }
static void is_old(void) { ((Elf64_Ehdr *)file.data)->e_flags = 0x6003c04; }
static void is_next(void) { ((Elf64_Ehdr *)file.data)->e_flags = 0x6006404; }
static void odd_code(void) { section(".text.plain")->sh_size -= 8; }
static void code_outside(void) { section(".text.weigh")->sh_offset = file.size; }
static void odd_relocation(void) { ((uint32_t *)(file.data + section(".rel.text.plain")->sh_offset))[2] = 6; }
static void data_relocation(void) { ((uint32_t *)(file.data + section(".rel.text.plain")->sh_offset))[2] = 2; }
static void far_relocation(void) { *(uint64_t *)(file.data + section(".rel.text.plain")->sh_offset) = 1 << 20; }
static void no_symbol(void) { ((uint32_t *)(file.data + section(".rel.text.plain")->sh_offset))[3] = 5000; }
static void no_section(void) { section(".rel.text.plain")->sh_info = 5000; }
static void far_exit(void) { info(".nv.info.plain", 0x1c)[1] = 0x10000; }
static void odd_exit(void) { info(".nv.info.plain", 0x1c)[1] += 8; }
static void far_params(void) { info(".nv.info.plain", 0x0a)[2] = 0xc0180; }
static void near_params(void) { info(".nv.info.plain", 0x0a)[2] = 0xc0100; }
static void more_params(void) { ((uint16_t *)info(".nv.info.plain", 0x19))[1] = 400; }
static void wide_param(void) { info(".nv.info.plain", 0x17)[3] = 64 << 18; }
static void odd_format(void) { *(uint8_t *)info(".nv.info.plain", 0x1c) = 9; }
static void few_registers(void)
{
	Elf64_Shdr *s = section(".nv.info");
	for (uint32_t *p = (uint32_t *)(file.data + s->sh_offset); (uint8_t *)p < file.data + s->sh_offset + s->sh_size;)
		if ((*p & 0xffff) == 0x2f04)
			p[2] = 6, p += 3;
		else
			p += (*p & 0xff) == 4 ? 1 + (*p >> 16) / 4 : 1;
	section(".text.plain")->sh_info &= 0xffffff;
	section(".text.twice")->sh_info &= 0xffffff;
	section(".text.weigh")->sh_info &= 0xffffff;
}
static void has_reference(void)
{
	Elf64_Ehdr *h = (Elf64_Ehdr *)file.data;
	section(".rel.text.plain")->sh_info = (uint32_t)(section(".nv.constant0.plain") - (Elf64_Shdr *)(file.data + h->e_shoff));
}
static void odd_code_word(void) { file.data[section(".text.weigh")->sh_offset] = 0xff; }

static const struct {
	void (*damage)(void);
	const char *says;
} damages[] = {
	{is_object, "an object that is to be linked"},
	{is_old, "it is machine code for sm_60; Heddle runs sm_70 and later"},
	{is_next, "where code for sm_100 has its launch's figures"},
	{odd_code, "section .text.plain of"},
	{code_outside, "section .text.weigh of"},
	{odd_relocation, "section .rel.text.plain has a relocation of type 6, which Heddle cannot carry out there"},
	{data_relocation, "type 2 (R_CUDA_64), which Heddle cannot carry out there"},
	{far_relocation, "section .rel.text.plain relocates byte 0x100000 of"},
	{no_symbol, "a relocation is about symbol 5000, and there are"},
	{no_section, "section .rel.text.plain is about section 5000, and there are"},
	{far_exit, "section .nv.info.plain has an EXIT at 0x10000, outside the code"},
	{odd_exit, "outside the code"},
	{far_params, "kernel plain has 12 bytes of parameters at 0x180 of constant bank 0, which has 364"},
	{near_params, "kernel plain has its parameters at 0x100 of constant bank 0, where code for sm_80 has its launch's figures"},
	{more_params, "kernel plain has 400 bytes of parameters at 0x160 of constant bank 0, which has 364"},
	{wide_param, "of kernel plain has 64 bytes at"},
	{odd_format, "damaged"},
	{few_registers, "kernel plain"},
	{has_reference, "kernel plain uses weigh in a way that is not known to this version"},
	{odd_code_word, "kernel plain"},
};

// Code for compute_80 that was compiled for sm_90, as cudaFuncGetAttributes tells programs.
START_TEST(the_target_is_the_compilers)
{
	read_file("linked.90.cubin");
	ck_assert_msg(load(), "%s", d.text);
	ck_assert_uint_eq(cubin.target, 90);
	Elf64_Shdr *s = section(".note.nv.cuinfo");
	file.data[s->sh_offset + s->sh_size - 6] = 80;
	ck_assert_msg(load(), "%s", d.text);
	ck_assert_uint_eq(cubin.target, 80);
	ck_assert_uint_eq(cubin.arch, 90);
	s->sh_size = 8;
	ck_assert_msg(load(), "%s", d.text);
	ck_assert_uint_eq(cubin.target, 90);
}
END_TEST

START_TEST(errors_say_what_is_wrong)
{
	read_file("linked.80.cubin");
	damages[_i].damage();
	bool ok = load();
	const struct sass_image *image = ok ? machine_image(machine, "plain", &d) : NULL;
	struct sass_kernel *k = image ? sass_kernel_new(image, 0, &d) : NULL;
	ck_assert_ptr_null(k);
	ck_assert_msg(d.text && strstr(d.text, damages[_i].says), "says: %s\nwanted: %s", d.text ? d.text : "nothing", damages[_i].says);
}
END_TEST

// What the kernel of texture_array.cu has behind its 20 bytes of parameters.
START_TEST(texture_references_have_handles)
{
	static const char *const names[] = {"plane", "line", "volume", "picture"};
	static const char kernel_name[] = "_Z6samplePfPK6float2i", relocations[] = ".rela.nv.constant0._Z6samplePfPK6float2i";
	unsigned seen = 0;
	read_file("texture_array.90.cubin");
	ck_assert(load());
	const struct sass_image *image = machine_image(machine, kernel_name, &d);
	ck_assert_msg(image != NULL, "%s", d.text);
	ck_assert_uint_eq(image->n_texture, 4);
	for (size_t i = 0; i < 4; i++) {
		uint32_t at = image->texture[i].at, length = image->texture[i].handle & 0xff;
		ck_assert(at >= image->param_base + 20 && at % 4 == 0 && at + 4 <= image->bank[BANK_PARAMS].size);
		ck_assert_uint_eq(image->texture[i].handle >> 31, 1);
		for (unsigned k = 0; k < 4; k++)
			seen |= (unsigned)(strlen(names[k]) == length) << k;
	}
	ck_assert_uint_eq(seen, 15);

	// One that the program lacks, one elsewhere in the bank, one that is no texture.
	Elf64_Rela *r = (Elf64_Rela *)(file.data + section(relocations)->sh_offset);
	uint64_t offset = r->r_offset;
	static const uint64_t wrong_offsets[] = {0, 0x210, 0x227, 0x1000, UINT64_MAX - 1};
	for (size_t i = 0; i < sizeof wrong_offsets / sizeof *wrong_offsets; i++) {
		r->r_offset = wrong_offsets[i];
		ck_assert(load());
		ck_assert_ptr_null(machine_image(machine, kernel_name, &d));
		ck_assert_msg(strstr(d.text, "which is not behind the parameters"), "%s", d.text);
	}
	r->r_offset = offset;
	r->r_info += 1;
	ck_assert(load());
	ck_assert_ptr_null(machine_image(machine, kernel_name, &d));
	ck_assert_msg(strstr(d.text, "in a way that is not known"), "%s", d.text);
	r->r_info -= 1;
	char *name = memmem(file.data, file.size, "\0volume", 8);
	ck_assert_ptr_nonnull(name);
	memcpy(name + 1, "absent", 6);
	ck_assert(load());
	ck_assert_ptr_null(machine_image(machine, kernel_name, &d));
	ck_assert_msg(strstr(d.text, "the texture or surface reference absent, which the program does not have"), "%s", d.text);
}
END_TEST

START_TEST(a_gpu_runs_code_of_its_own_major_number)
{
	ck_assert(choice_suits(80, false, 80));
	ck_assert(choice_suits(80, false, 86));
	ck_assert(!choice_suits(86, false, 80));
	ck_assert(!choice_suits(75, false, 80));
	ck_assert(choice_suits(90, true, 90));
	ck_assert(!choice_suits(100, true, 103));
	ck_assert(choice_suits(100, false, 103));
	enum { NONE = 99 };
	struct fatbin f = {0};
	static const struct fatbin_entry entries[] = {
		{.kind = FATBIN_CUBIN, .arch = 75}, {.kind = FATBIN_PTX, .arch = 86}, {.kind = FATBIN_CUBIN, .arch = 80},
		{.kind = FATBIN_CUBIN, .arch = 90}, {.kind = FATBIN_CUBIN, .arch = 90, .flags = FATBIN_ARCH_A}, {.kind = FATBIN_CUBIN, .arch = 86},
		{.kind = FATBIN_CUBIN, .arch = 87, .container = 1}, {.kind = FATBIN_CUBIN, .arch = 120},
		{.kind = FATBIN_CUBIN, .arch = 120, .flags = FATBIN_ARCH_F}, {.kind = FATBIN_CUBIN, .arch = 121, .flags = FATBIN_ARCH_A, .container = 1},
	};
	static const struct {
		unsigned capability, entry; // NONE: none
	} want[] = {{70, NONE}, {75, 0}, {80, 2}, {86, 5}, {87, 5}, {89, 5}, {90, 4}, {100, NONE}, {103, NONE}, {120, 8}, {121, 8}};
	for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
		VEC_PUSH(&f.entry, entries[i]);
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		const struct fatbin_entry *e = choice_cubin(&f, 0, want[i].capability);
		ck_assert_ptr_eq(e, want[i].entry == NONE ? NULL : &f.entry.at[want[i].entry]);
	}
	char list[100], small[8];
	ck_assert_str_eq(choice_list(&f, 0, list, sizeof list), "sm_75, sm_80, sm_90, sm_90a, sm_86, sm_120 and sm_120f");
	ck_assert_str_eq(choice_list(&f, 1, list, sizeof list), "sm_87 and sm_121a");
	ck_assert_ptr_null(choice_list(&f, 2, list, sizeof list));
	ck_assert_uint_lt(strlen(choice_list(&f, 0, small, sizeof small)), sizeof small);
	VEC_FREE(&f.entry);
}
END_TEST

// PTX for later GPUs only, beside machine code for this one, is what a driver could not use.
START_TEST(machine_code_goes_before_ptx_for_later_gpus)
{
	static const struct {
		struct fatbin_entry entry[3];
		unsigned capability;
		enum execute by_default;
	} row[] = {
		{{{.kind = FATBIN_CUBIN, .arch = 80}, {.kind = FATBIN_PTX, .arch = 120}}, 80, EXECUTE_AUTO},
		{{{.kind = FATBIN_CUBIN, .arch = 80}, {.kind = FATBIN_PTX, .arch = 120}}, 86, EXECUTE_AUTO},
		{{{.kind = FATBIN_CUBIN, .arch = 80}, {.kind = FATBIN_PTX, .arch = 120}}, 75, EXECUTE_PTX}, // no code for it
		{{{.kind = FATBIN_CUBIN, .arch = 80}, {.kind = FATBIN_PTX, .arch = 80}}, 80, EXECUTE_PTX},
		{{{.kind = FATBIN_CUBIN, .arch = 80}, {.kind = FATBIN_PTX, .arch = 75}, {.kind = FATBIN_PTX, .arch = 120}}, 80, EXECUTE_PTX},
		{{{.kind = FATBIN_CUBIN, .arch = 80}, {.kind = FATBIN_PTX, .arch = 120}, {.kind = FATBIN_PTX, .arch = 120, .container = 1}}, 80,
	         EXECUTE_PTX}, // none for the second part
		{{{.kind = FATBIN_CUBIN, .arch = 80}}, 80, EXECUTE_PTX}, // kernels without PTX run as machine code anyway
	};
	struct options *o = mem_alloc(sizeof *o);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct fatbin f = {0};
		for (size_t k = 0; k < 3 && row[i].entry[k].kind; k++)
			VEC_PUSH(&f.entry, row[i].entry[k]);
		options_defaults(o);
		ck_assert_msg(choice_for(o, &f, row[i].capability) == row[i].by_default, "row %zu", i);
		char *asked[] = {"-gpgpu_execute", "ptx"};
		ck_assert(options_parse_args(o, 2, asked, &d));
		ck_assert_msg(choice_for(o, &f, row[i].capability) == EXECUTE_PTX, "row %zu", i);
		options_free(o);
		VEC_FREE(&f.entry);
	}
	mem_free(o);
}
END_TEST

static void end(void)
{
	drop();
	free(file.data);
	file.data = NULL;
}

int main(void)
{
	TCase *t = tcase_create("machine");
	tcase_add_checked_fixture(t, NULL, end);
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, functions_are_linked, 0, 3);
	tcase_add_loop_test(t, rows_are_as_wide_as_what_stands_in_them, 0, 3);
	tcase_add_test(t, the_target_is_the_compilers);
	tcase_add_loop_test(t, variables_get_addresses, 0, 3);
	tcase_add_loop_test(t, banks_are_filled, 0, 3);
	tcase_add_loop_test(t, damage_is_an_error_or_harmless, 0, sizeof all / sizeof *all);
	tcase_add_loop_test(t, errors_say_what_is_wrong, 0, sizeof damages / sizeof *damages);
	tcase_add_test(t, texture_references_have_handles);
	tcase_add_test(t, a_gpu_runs_code_of_its_own_major_number);
	tcase_add_test(t, machine_code_goes_before_ptx_for_later_gpus);
	Suite *s = suite_create("machine");
	suite_add_tcase(s, t);
	SRunner *r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	int failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
