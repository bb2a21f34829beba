#include "libcuda/code/link_image.h"

#include "libcuda/image/bytes.h"

enum { CONTAINER_MAGIC = 0xba55ed50, CONTAINER_HEADER = 16, ENTRY_HEADER = 64, ENTRY_VERSION = 0x101 };

static void put(struct link_image *o, const void *p, size_t n)
{
	VEC_RESERVE(&o->bytes, o->bytes.n + n);
	if (n)
		memcpy(o->bytes.at + o->bytes.n, p, n);
	o->bytes.n += n;
}

static void pad(struct link_image *o)
{
	static const uint8_t zero[8];
	put(o, zero, -o->bytes.n % 8);
}

static void set32(uint8_t *p, uint32_t v) { memcpy(p, &v, sizeof v); }
static void set16(uint8_t *p, unsigned v) { memcpy(p, &(uint16_t){(uint16_t)v}, 2); }
static void set64(uint8_t *p, uint64_t v) { memcpy(p, &v, sizeof v); }

// Its size is known when it ends.
static size_t begin(struct link_image *o, unsigned header)
{
	uint8_t h[LINKED_HEADER] = {0};
	size_t at = o->bytes.n;
	set32(h, (uint32_t)CONTAINER_MAGIC);
	set16(h + 4, 1);
	set16(h + 6, header);
	if (header == LINKED_HEADER)
		memcpy(h + CONTAINER_HEADER, LINKED_MARK, sizeof LINKED_MARK);
	put(o, h, header);
	return at;
}

static void end(struct link_image *o, size_t at, unsigned header) { set64(o->bytes.at + at + 8, o->bytes.n - at - header); }

static void put_part(struct link_image *o, const struct link_part *p)
{
	uint8_t h[ENTRY_HEADER] = {0};
	size_t name = strlen(p->name) + 1, header = (ENTRY_HEADER + name + 7) / 8 * 8, nul = p->kind == FATBIN_PTX;
	set16(h, p->kind);
	set16(h + 2, ENTRY_VERSION);
	set32(h + 4, (uint32_t)header);
	set64(h + 8, (p->size + nul + 7) / 8 * 8);
	set32(h + 28, p->arch);
	set32(h + 32, ENTRY_HEADER);
	set32(h + 36, (uint32_t)name);
	set64(h + 40, FATBIN_64BIT | FATBIN_LINUX);
	put(o, h, sizeof h);
	put(o, p->name, name);
	pad(o);
	put(o, p->bytes, p->size);
	put(o, "", nul);
	pad(o);
}

void link_image_make(struct link_image *out, const struct link_part *part, size_t n)
{
	*out = (struct link_image){0};
	size_t all = begin(out, LINKED_HEADER), machine = begin(out, CONTAINER_HEADER);
	for (size_t i = 0; i < n; i++)
		if (part[i].kind == FATBIN_CUBIN)
			put_part(out, &part[i]);
	end(out, machine, CONTAINER_HEADER);
	for (size_t i = 0; i < n; i++) {
		if (part[i].kind != FATBIN_PTX)
			continue;
		size_t at = begin(out, CONTAINER_HEADER);
		put_part(out, &part[i]);
		end(out, at, CONTAINER_HEADER);
	}
	end(out, all, LINKED_HEADER);
}

void link_image_free(struct link_image *image) { VEC_FREE(&image->bytes); }

bool link_image_is(const uint8_t *p, size_t size)
{
	return size >= LINKED_HEADER && get32(p) == (uint32_t)CONTAINER_MAGIC && get16(p + 6) == LINKED_HEADER &&
	       !memcmp(p + CONTAINER_HEADER, LINKED_MARK, sizeof LINKED_MARK);
}

bool link_image_read(struct fatbin *out, const uint8_t *p, size_t size, struct diag *d)
{
	uint64_t body = get64(p + 8);
	out->linked = true;
	if (body <= size - LINKED_HEADER)
		return fatbin_read_section(out, p + LINKED_HEADER, (size_t)body, d);
	diag_add(d, DIAG_ERROR, "the linked image is cut off");
	return false;
}
