// The cubin reader on ELF files made here, laid out as ptxas does for sm_75 (CUDA 11.8) and sm_90 (CUDA 13).
// With `--write-seed FILE` it writes one for the fuzzer instead.
#include "libcuda/image/cubin.h"

#include <check.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SECTIONS = 24 };

static struct {
	_Alignas(8) uint8_t data[8192];
	size_t size;
	Elf64_Shdr section[MAX_SECTIONS];
	size_t n;
	char names[1024];
	size_t names_len;
} file;

static struct cubin c;
static struct diag d;
static struct arena arena;

static void reset(void)
{
	cubin_free(&c);
	diag_free(&d);
	arena_free(&arena);
	memset(&file, 0, sizeof file);
	file.size = sizeof(Elf64_Ehdr);
	file.n = file.names_len = 1;
}

static size_t section(const char *name, uint32_t type, const void *data, size_t size)
{
	Elf64_Shdr *s = &file.section[file.n];
	*s = (Elf64_Shdr){
	        .sh_name = (uint32_t)file.names_len, .sh_type = type, .sh_offset = file.size, .sh_size = size};
	strcpy(file.names + file.names_len, name);
	file.names_len += strlen(name) + 1;
	if (type != SHT_NOBITS) {
		if (size)
			memcpy(file.data + file.size, data, size);
		file.size = (file.size + size + 7) / 8 * 8;
	}
	return file.n++;
}

static void finish(unsigned osabi, uint32_t flags)
{
	Elf64_Ehdr h = {
	        .e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT, (unsigned char)osabi},
	        .e_machine = EM_CUDA,
	        .e_flags = flags,
	        .e_shentsize = sizeof(Elf64_Shdr),
	};
	size_t names = section(".shstrtab", SHT_STRTAB, NULL, 0);
	file.section[names].sh_offset = file.size;
	file.section[names].sh_size = file.names_len;
	memcpy(file.data + file.size, file.names, file.names_len);
	file.size = (file.size + file.names_len + 7) / 8 * 8;
	h.e_shoff = file.size;
	h.e_shnum = (Elf64_Half)file.n;
	h.e_shstrndx = (Elf64_Half)names;
	memcpy(file.data + file.size, file.section, file.n * sizeof *file.section);
	file.size += file.n * sizeof *file.section;
	memcpy(file.data, &h, sizeof h);
}

// Kernel k(float *, int, char): 32 registers, 40 stack bytes, parameters from 0x210 on.
static const uint32_t info[] = {0x00082f04, 1, 32, 0x00081104, 1, 24, 0x00081204, 1, 40, 0x00081204, 1, 0xffffffff};
static const uint32_t info_k[] = {
        0x00043704, 0x82,
        0x000c1704, 0, 0x000c0002, 0x0005f000,
        0x000c4504, 0, 0x00080001, 0x05000004,
        0x000c1704, 0, 0x00000000, 0x0021f000,
        0x00ff1b03, 0x000d1903,
        0x00080a04, 2, 0x000d0210,
        0x000c3d04, 2, 3, 1, 0x00043f04, 4, 0x00003e01, 0x00005b01, // of clusters, more than one kernel can have
        0x00034c02, // CUDA 13: three barriers; before, five in the flags of the section
};

static void build(unsigned osabi, uint32_t flags, size_t shared)
{
	static const char strings[] = "\0k\0counter\0table\0", bank0[0x21d], bank3[40];
	// The sections of variables are the first two; a symbol that reaches outside its section does not count.
	static const Elf64_Sym symbols[] = {
	        {0}, {.st_name = 1, .st_shndx = 3},
	        {.st_name = 3, .st_info = STT_OBJECT, .st_shndx = 1, .st_value = 8, .st_size = 4},
	        {.st_name = 11, .st_info = 13, .st_shndx = 2, .st_value = 16, .st_size = 24},
	        {.st_name = 11, .st_info = STT_OBJECT, .st_shndx = 2, .st_value = 32, .st_size = 24},
	};
	section(".nv.global", SHT_NOBITS, NULL, 12);
	section(".nv.constant3", SHT_PROGBITS, bank3, sizeof bank3);
	size_t text = section(".text.k", SHT_PROGBITS, "code", 4);
	file.section[text].sh_info = 30u << 24 | 1;
	file.section[text].sh_flags = osabi == 0x33 ? 5u << 20 | 6 : 6;
	size_t names = section(".strtab", SHT_STRTAB, strings, sizeof strings);
	file.section[section(".symtab", SHT_SYMTAB, symbols, sizeof symbols)].sh_link = (Elf64_Word)names;
	section(".nv.info", SHT_LOPROC, info, sizeof info);
	section(".nv.info.k", SHT_LOPROC, info_k, sizeof info_k - (osabi == 0x33) * sizeof *info_k);
	section(".nv.info.device_function", SHT_LOPROC, info_k, sizeof info_k);
	section(".nv.shared.k", SHT_NOBITS, NULL, shared);
	section(".nv.constant0.k", SHT_PROGBITS, bank0, sizeof bank0);
	section(".nv.constant2.k", SHT_PROGBITS, bank0, 8);
	section(".nv.constant2.other", SHT_PROGBITS, bank0, 24);
	section(".nv.constant4", SHT_PROGBITS, bank0, 16);
	finish(osabi, flags);
}

START_TEST(figures_are_read)
{
	static const struct {
		unsigned osabi;
		uint32_t flags;
		size_t shared;
		unsigned arch, reserved, barriers;
	} cases[] = {{0x33, 0x4b054b, 512, 75, 0, 5}, {0x41, 0x6005a04, 1024 + 512, 90, 1024, 3}};
	build(cases[_i].osabi, cases[_i].flags, cases[_i].shared);
	ck_assert_msg(cubin_read(&c, file.data, file.size, &arena, &d), "%s", d.text);
	ck_assert_uint_eq(c.arch, cases[_i].arch);
	ck_assert_uint_eq(c.kernel.n, 1);
	const struct cubin_kernel *k = cubin_find(&c, "k");
	ck_assert_ptr_nonnull(k);
	ck_assert_uint_eq(k->registers, 32);
	ck_assert(k->machine.compiled);
	ck_assert_uint_eq(k->machine.arch, cases[_i].arch);
	ck_assert_uint_eq(k->machine.shared, 512);
	ck_assert_uint_eq(k->reserved_shared, cases[_i].reserved);
	ck_assert_uint_eq(k->machine.frame, 24);
	ck_assert_uint_eq(k->machine.stack, 40);
	static const uint32_t bank[KERNEL_BANKS] = {[0] = 0x21d, [2] = 8, [3] = 40, [4] = 16};
	ck_assert_mem_eq(k->machine.bank, bank, sizeof bank);
	ck_assert_uint_eq(k->machine.param_base, 0x210);
	ck_assert_uint_eq(k->machine.barriers, cases[_i].barriers);
	ck_assert_uint_eq(k->param_bytes, 13);
	ck_assert_uint_eq(k->n_params, 3);
	static const struct cubin_param want[] = {{0, 8}, {8, 4}, {12, 1}};
	ck_assert_mem_eq(k->param, want, sizeof want);
	ck_assert(k->cluster[0] == 2 && k->cluster[1] == 3 && k->cluster[2] == 1 && k->max_cluster == 4);
	ck_assert(k->explicit_cluster && k->blocks_are_clusters);
	ck_assert_ptr_null(cubin_find(&c, "device_function"));
}
END_TEST

START_TEST(places_of_variables_are_read)
{
	build(0x41, 0x6005a04, 0);
	ck_assert_msg(cubin_read(&c, file.data, file.size, &arena, &d), "%s", d.text);
	ck_assert_uint_eq(c.variables.section[SECTION_GLOBAL].size, 12);
	ck_assert_uint_eq(c.variables.section[SECTION_GLOBAL_INIT].size, 0);
	ck_assert_uint_eq(c.variables.section[SECTION_CONST].size, 40);
	ck_assert_uint_eq(c.variables.n, 2);
	const struct variable_place *v = c.variables.at;
	ck_assert_str_eq(v[0].name, "counter");
	ck_assert(v[0].section == SECTION_GLOBAL && v[0].offset == 8 && v[0].size == 4);
	ck_assert_str_eq(v[1].name, "table");
	ck_assert(v[1].section == SECTION_CONST && v[1].offset == 16 && v[1].size == 24);
}
END_TEST

START_TEST(damage_is_an_error_or_harmless)
{
	build(0x33, 0x4b054b, 512);
	ck_assert(!cubin_read(&c, "no", 2, &arena, &d));
	cubin_free(&c);
	for (size_t n = 0; n < file.size; n++) { // exact copies, so that a sanitizer sees reads behind them
		uint8_t *copy = malloc(n ? n : 1);
		memcpy(copy, file.data, n);
		ck_assert(!cubin_read(&c, copy, n, &arena, &d));
		cubin_free(&c);
		free(copy);
	}
	for (size_t at = 0; at < file.size; at++) {
		uint8_t old = file.data[at];
		file.data[at] ^= 0xff;
		cubin_read(&c, file.data, file.size, &arena, &d);
		cubin_free(&c);
		file.data[at] = old;
	}
}
END_TEST

START_TEST(other_machines_are_refused)
{
	build(0x33, 0x4b054b, 512);
	((Elf64_Ehdr *)file.data)->e_machine = EM_X86_64;
	ck_assert(!cubin_read(&c, file.data, file.size, &arena, &d));
	ck_assert_ptr_nonnull(strstr(d.text, "another machine"));
}
END_TEST

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--write-seed")) {
		reset();
		build(0x33, 0x4b054b, 512);
		FILE *out = fopen(argv[2], "wb");
		return !out || fwrite(file.data, 1, file.size, out) != file.size || fclose(out);
	}
	TCase *t = tcase_create("cubin");
	tcase_add_checked_fixture(t, reset, reset);
	tcase_add_loop_test(t, figures_are_read, 0, 2);
	tcase_add_test(t, places_of_variables_are_read);
	tcase_add_test(t, damage_is_an_error_or_harmless);
	tcase_add_test(t, other_machines_are_refused);
	Suite *s = suite_create("cubin");
	suite_add_tcase(s, t);
	return check_main(s);
}
