#include "libcuda/image/debug_line.h"

#include "base/vec.h"
#include "libcuda/image/bytes.h"

#include <string.h>

enum {
	MIN_VERSION = 2, MAX_VERSION = 4,
	COPY = 1, ADVANCE_PC, ADVANCE_LINE, SET_FILE, SET_COLUMN, NEGATE_STATEMENT, BASIC_BLOCK, CONST_ADD_PC, FIXED_ADVANCE_PC,
	END_SEQUENCE = 1, SET_ADDRESS = 2, // extended
};

// One table with its program. Reading past the end gives 0 and sets `cut`.
struct table {
	const struct debug_line *r;
	size_t at, end;
	bool cut;
	uint8_t inst_bytes, line_range, opcode_base;
	int8_t line_base;
	uint8_t args[256]; // of standard opcodes
	VEC(const char *) dir;
	VEC(const char *) file;
};

static uint8_t byte(struct table *t)
{
	if (t->at < t->end)
		return t->r->data[t->at++];
	t->cut = true;
	return 0;
}

static uint64_t unsigned_number(struct table *t)
{
	uint64_t v = 0;
	for (unsigned shift = 0;; shift += 7) {
		uint8_t b = byte(t);
		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return v;
	}
}

static int64_t signed_number(struct table *t)
{
	uint64_t v = 0;
	for (unsigned shift = 0;; shift += 7) {
		uint8_t b = byte(t);
		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		if (b & 0x80)
			continue;
		return (int64_t)(b & 0x40 && shift + 7 < 64 ? v | ~(uint64_t)0 << (shift + 7) : v);
	}
}

// A string that ends before the table does, else "" and `cut`.
static const char *string(struct table *t)
{
	const char *s = (const char *)t->r->data + t->at, *end = t->at < t->end ? memchr(s, 0, t->end - t->at) : NULL;
	if (!end) {
		t->cut = true;
		return "";
	}
	t->at += (size_t)(end - s) + 1;
	return s;
}

static void read_names(struct table *t)
{
	for (const char *s; *(s = string(t));)
		VEC_PUSH(&t->dir, s);
	for (const char *s; *(s = string(t));) {
		uint64_t dir = unsigned_number(t);
		unsigned_number(t); // time
		unsigned_number(t); // size
		if (dir && dir <= t->dir.n && *s != '/')
			s = arena_printf(t->r->names, "%s/%s", t->dir.at[dir - 1], s);
		else
			s = arena_strdup(t->r->names, s);
		VEC_PUSH(&t->file, s);
	}
}

static bool read_header(struct table *t)
{
	if (t->end - t->at < 6)
		return false;
	unsigned version = get16(t->r->data + t->at);
	uint32_t header = get32(t->r->data + t->at + 2);
	t->at += 6;
	if (version < MIN_VERSION || version > MAX_VERSION || header > t->end - t->at)
		return false;
	size_t program = t->at + header;
	t->inst_bytes = byte(t);
	if (version >= 4)
		byte(t); // operations of an instruction
	byte(t);     // whether rows begin as statements
	t->line_base = (int8_t)byte(t);
	t->line_range = byte(t);
	t->opcode_base = byte(t);
	for (unsigned i = 1; i < t->opcode_base; i++)
		t->args[i] = byte(t);
	read_names(t);
	if (t->cut || !t->line_range || !t->opcode_base || t->at > program)
		return false;
	t->at = program;
	return true;
}

struct row {
	uint64_t address, file, line;
};

static void put(struct table *t, const struct row *row)
{
	const char *file = row->file && row->file <= t->file.n ? t->file.at[row->file - 1] : "?";
	t->r->row(t->r->ctx, row->address, file, row->line <= UINT32_MAX ? (uint32_t)row->line : 0);
}

static void extended(struct table *t, struct row *row)
{
	uint64_t len = unsigned_number(t);
	if (!len || len > t->end - t->at) {
		t->cut = true;
		return;
	}
	size_t next = t->at + (size_t)len;
	uint8_t op = byte(t);
	if (op == END_SEQUENCE) {
		t->r->row(t->r->ctx, row->address, NULL, 0);
		*row = (struct row){.file = 1, .line = 1};
	} else if (op == SET_ADDRESS && len == 9) {
		row->address = get64(t->r->data + t->at);
		t->r->start(t->r->ctx, t->at, row->address);
	}
	t->at = next;
}

static void standard(struct table *t, uint8_t op, struct row *row)
{
	switch (op) {
	case COPY: put(t, row); return;
	case ADVANCE_PC: row->address += unsigned_number(t) * t->inst_bytes; return;
	case ADVANCE_LINE: row->line += (uint64_t)signed_number(t); return;
	case SET_FILE: row->file = unsigned_number(t); return;
	case CONST_ADD_PC: row->address += (uint64_t)((255 - t->opcode_base) / t->line_range) * t->inst_bytes; return;
	case FIXED_ADVANCE_PC:
		row->address += byte(t);
		row->address += (uint64_t)byte(t) << 8;
		return;
	default:
		for (unsigned i = 0; i < t->args[op]; i++)
			unsigned_number(t);
	}
}

static bool run(struct table *t)
{
	struct row row = {.file = 1, .line = 1};
	while (t->at < t->end && !t->cut) {
		uint8_t op = byte(t);
		if (!op) {
			extended(t, &row);
		} else if (op < t->opcode_base) {
			standard(t, op, &row);
		} else {
			unsigned special = op - t->opcode_base;
			row.address += (uint64_t)(special / t->line_range) * t->inst_bytes;
			row.line += (uint64_t)(int64_t)(t->line_base + (int)(special % t->line_range));
			put(t, &row);
		}
	}
	return !t->cut;
}

bool debug_line_read(const struct debug_line *r)
{
	bool ok = true;
	for (size_t at = 0; ok && r->size - at >= 4;) {
		uint32_t len = get32(r->data + at);
		if (len > r->size - at - 4) // 64-bit tables, which begin with all bits set, among them
			return false;
		struct table t = {.r = r, .at = at + 4, .end = at + 4 + len};
		ok = read_header(&t) && run(&t);
		VEC_FREE(&t.dir);
		VEC_FREE(&t.file);
		at += 4 + (size_t)len;
	}
	return ok;
}
