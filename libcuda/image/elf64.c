#include "libcuda/image/elf64.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool inside(const struct elf64 *e, uint64_t offset, uint64_t len)
{
	return offset <= e->size && len <= e->size - offset;
}

static bool read_header(const struct elf64 *e, size_t index, Elf64_Shdr *h)
{
	if (index >= e->n_sections)
		return false;
	memcpy(h, e->data + e->shoff + index * sizeof *h, sizeof *h);
	return true;
}

const char *elf64_open(struct elf64 *e, const void *data, size_t size)
{
	Elf64_Ehdr h;
	*e = (struct elf64){.data = data, .size = size};
	if (size < EI_NIDENT || memcmp(data, ELFMAG, SELFMAG))
		return "not an ELF file";
	if (e->data[EI_CLASS] != ELFCLASS64)
		return "a 32-bit ELF file";
	if (e->data[EI_DATA] != ELFDATA2LSB)
		return "a big-endian ELF file";
	if (size < sizeof h)
		return "a truncated ELF file";
	memcpy(&h, data, sizeof h);
	e->type = h.e_type;
	e->machine = h.e_machine;
	e->osabi = h.e_ident[EI_OSABI];
	e->flags = h.e_flags;
	if (h.e_phnum && h.e_phentsize == sizeof(Elf64_Phdr) &&
	    inside(e, h.e_phoff, (uint64_t)h.e_phnum * sizeof(Elf64_Phdr))) {
		e->phoff = h.e_phoff;
		e->n_segments = h.e_phnum;
	}
	if (!h.e_shoff)
		return NULL;
	if (h.e_shentsize != sizeof(Elf64_Shdr) || !inside(e, h.e_shoff, sizeof(Elf64_Shdr)))
		return "an ELF file whose section table lies outside the file";
	// Large files keep the number of sections and of the name table in section 0.
	Elf64_Shdr first;
	memcpy(&first, e->data + h.e_shoff, sizeof first);
	uint64_t n = h.e_shnum ? h.e_shnum : first.sh_size;
	if (n > size / sizeof first || !inside(e, h.e_shoff, n * sizeof first))
		return "an ELF file whose section table lies outside the file";
	e->shoff = h.e_shoff;
	e->n_sections = n;
	e->names = h.e_shstrndx == SHN_XINDEX ? first.sh_link : h.e_shstrndx;
	return NULL;
}

// The string at `offset` of string section `index`; "" if there is none.
static const char *string_at(const struct elf64 *e, size_t index, uint64_t offset)
{
	Elf64_Shdr h;
	if (!read_header(e, index, &h) || h.sh_type == SHT_NOBITS || !inside(e, h.sh_offset, h.sh_size) ||
	    offset >= h.sh_size)
		return "";
	const char *table = (const char *)e->data + h.sh_offset;
	// A terminated table ends every string in it, so one byte decides.
	return table[h.sh_size - 1] ? "" : table + offset;
}

bool elf64_section(const struct elf64 *e, size_t index, struct elf64_section *out)
{
	Elf64_Shdr h;
	if (!read_header(e, index, &h))
		return false;
	*out = (struct elf64_section){
	        .index = index,
	        .name = string_at(e, e->names, h.sh_name),
	        .type = h.sh_type,
	        .link = h.sh_link,
	        .info = h.sh_info,
	        .flags = h.sh_flags,
	        .addr = h.sh_addr,
	        .size = h.sh_size,
	};
	if (h.sh_type != SHT_NOBITS && inside(e, h.sh_offset, h.sh_size))
		out->data = e->data + h.sh_offset;
	return true;
}

bool elf64_find(const struct elf64 *e, const char *name, struct elf64_section *out)
{
	for (size_t i = 1; elf64_section(e, i, out); i++)
		if (!strcmp(out->name, name))
			return true;
	return false;
}

bool elf64_find_type(const struct elf64 *e, uint32_t type, struct elf64_section *out)
{
	for (size_t i = 1; elf64_section(e, i, out); i++)
		if (out->type == type)
			return true;
	return false;
}

bool elf64_symbol(const struct elf64 *e, const struct elf64_section *table, size_t index, struct elf64_symbol *out)
{
	Elf64_Sym s;
	if (!table->data || index >= table->size / sizeof s)
		return false;
	memcpy(&s, table->data + index * sizeof s, sizeof s);
	*out = (struct elf64_symbol){
	        .name = string_at(e, table->link, s.st_name),
	        .type = ELF64_ST_TYPE(s.st_info),
	        .bind = ELF64_ST_BIND(s.st_info),
	        .section = s.st_shndx,
	        .value = s.st_value,
	        .size = s.st_size,
	};
	return true;
}

bool elf64_dynamic(const struct elf64 *e, const struct elf64_section *dynamic, size_t index, int64_t *tag,
                   uint64_t *value, const char **text)
{
	Elf64_Dyn d;
	if (!dynamic->data || index >= dynamic->size / sizeof d)
		return false;
	memcpy(&d, dynamic->data + index * sizeof d, sizeof d);
	if (d.d_tag == DT_NULL)
		return false;
	*tag = d.d_tag;
	*value = d.d_un.d_val;
	bool names = d.d_tag == DT_NEEDED || d.d_tag == DT_SONAME || d.d_tag == DT_RPATH || d.d_tag == DT_RUNPATH;
	*text = names ? string_at(e, dynamic->link, d.d_un.d_val) : NULL;
	return true;
}

const char *elf64_version_name(const struct elf64 *e, unsigned number)
{
	struct elf64_section s;
	if (!elf64_find_type(e, SHT_GNU_verdef, &s) || !s.data)
		return "";
	Elf64_Verdef v;
	Elf64_Verdaux aux;
	for (uint64_t at = 0; at <= s.size && s.size - at >= sizeof v; at += v.vd_next) {
		memcpy(&v, s.data + at, sizeof v);
		if (v.vd_ndx == number) {
			if (v.vd_aux > s.size - at || s.size - at - v.vd_aux < sizeof aux)
				return "";
			memcpy(&aux, s.data + at + v.vd_aux, sizeof aux);
			return string_at(e, s.link, aux.vda_name);
		}
		if (!v.vd_next)
			break;
	}
	return "";
}

const char *elf64_interpreter(const struct elf64 *e)
{
	for (size_t i = 0; i < e->n_segments; i++) {
		Elf64_Phdr p;
		memcpy(&p, e->data + e->phoff + i * sizeof p, sizeof p);
		if (p.p_type != PT_INTERP)
			continue;
		const char *path = (const char *)e->data + p.p_offset;
		return p.p_filesz && inside(e, p.p_offset, p.p_filesz) && !path[p.p_filesz - 1] ? path : "";
	}
	return NULL;
}

bool elf64_map_file(struct elf64_file *f, const char *path)
{
	struct stat st;
	*f = (struct elf64_file){0};
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	void *p = MAP_FAILED;
	if (fstat(fd, &st) == 0) {
		errno = EISDIR;
		if (S_ISREG(st.st_mode)) {
			errno = ENODATA; // mmap refuses empty files
			if (st.st_size)
				p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		}
	}
	int why = errno;
	close(fd);
	errno = why;
	if (p == MAP_FAILED)
		return false;
	*f = (struct elf64_file){.data = p, .size = (size_t)st.st_size};
	return true;
}

void elf64_unmap_file(struct elf64_file *f)
{
	if (f->data)
		munmap((void *)f->data, f->size);
	*f = (struct elf64_file){0};
}
