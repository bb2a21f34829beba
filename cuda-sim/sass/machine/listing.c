#include "cuda-sim/sass/machine/listing.h"

#include "base/mem.h"
#include "cuda-sim/sass/control.h"
#include "cuda-sim/sass/machine/assemble.h"
#include "cuda-sim/sass/machine/encoding.h"

#include <stdlib.h>
#include <string.h>

enum { WORD = 16, CONTROL_AT = 105 - 64, CONTROL_BITS = 17, RETURN_ADDRESS_WITHIN = 24, OWN_PLACE_WITHIN = 12 };

static struct sass_word word_at(const struct sass_function *f, size_t i)
{
	struct sass_word w;
	memcpy(&w.lo, f->code + i * WORD, sizeof w.lo);
	memcpy(&w.hi, f->code + i * WORD + sizeof w.lo, sizeof w.hi);
	return w;
}

static const char *prefix(const struct sass_function *f) { return f->label ? f->label : "L_"; }

void sass_label(const struct sass_function *f, uint64_t pc, char *buf, size_t len)
{
	snprintf(buf, len, "%s%04llx", prefix(f), (unsigned long long)pc);
}

static const char *label(void *ctx, uint64_t pc, char *buf, size_t len)
{
	const struct sass_function *f = ctx;
	if (pc >= f->size || pc % WORD)
		return NULL;
	sass_label(f, pc, buf, len);
	return buf;
}

static bool find_label(void *ctx, const char *name, size_t len, uint64_t *pc)
{
	const struct sass_function *f = ctx;
	size_t n = strlen(prefix(f));
	if (len <= n || memcmp(name, prefix(f), n))
		return false;
	*pc = strtoull(name + n, NULL, 16);
	return true;
}

static bool is_move(const struct sass_decoded *d)
{
	bool moves = !strcmp(d->row->op, "MOV") || !strcmp(d->row->op, "UMOV");
	return moves && sass_slot_of(d, SASS_AT_B) == SASS_SLOT_IMM;
}

// One whose register holds a place from the start of the code, where the target in its bits then is: no place of its own.
static bool is_by_register(const struct sass_decoded *d)
{
	for (unsigned i = d->row->n_mnemonic; i < d->row->n_token; i++)
		if (d->row->token[i].place == SASS_AT_TARGET && d->row->token[i].flags & SASS_APART)
			return true;
	return false;
}

// A call that leaves its return address to the program has it moved into a register shortly before.
static void find_return(const struct sass_isa *isa, const struct sass_function *f, size_t call, uint8_t *target, uint8_t *moves)
{
	uint64_t back = (call + 1) * WORD;
	for (size_t i = call; i-- > 0 && call - i < RETURN_ADDRESS_WITHIN;) {
		struct sass_decoded d;
		char why[200];
		if (!sass_decode(isa, word_at(f, i), i * WORD, &d, why, sizeof why))
			continue;
		if (!strcmp(d.row->op, "CALL"))
			return;
		if (!is_move(&d) || sass_run(d.word, 32, 32) != back || back >= f->size)
			continue;
		moves[i] = target[back / WORD] = 1;
		return;
	}
}

// A program learns where it lies by LEPC, and takes off the place of that instruction, a number beside it.
static void find_own_place(const struct sass_isa *isa, const struct sass_function *f, size_t lepc, uint8_t *target, uint8_t *moves)
{
	size_t n = f->size / WORD, from = lepc > OWN_PLACE_WITHIN ? lepc - OWN_PLACE_WITHIN : 0;
	for (size_t i = from; i < n && i <= lepc + OWN_PLACE_WITHIN; i++) {
		struct sass_decoded d;
		char why[200];
		if (!lepc || !sass_decode(isa, word_at(f, i), i * WORD, &d, why, sizeof why) || !is_move(&d) || sass_run(d.word, 32, 32) != lepc * WORD)
			continue;
		moves[i] = target[lepc] = 1;
	}
}

// Marks the instructions that something goes to, and those that hold the address of one.
static void find_targets(const struct sass_isa *isa, const struct sass_function *f, uint8_t *target, uint8_t *moves)
{
	for (size_t i = 0; i < f->size / WORD; i++) {
		struct sass_decoded d;
		char why[200];
		uint64_t to;
		if (f->notes && f->notes->goes_here && f->notes->goes_here(f->notes->ctx, i * WORD))
			target[i] = 1;
		if (!sass_decode(isa, word_at(f, i), i * WORD, &d, why, sizeof why))
			continue;
		if (!is_by_register(&d) && sass_target(&d, &to) && to < f->size && to % WORD == 0)
			target[to / WORD] = 1;
		if (!strcmp(d.row->op, "CALL"))
			find_return(isa, f, i, target, moves);
		if (!strcmp(d.row->op, "LEPC"))
			find_own_place(isa, f, i, target, moves);
	}
}

// Is this the word, but for its control bits?
static bool gives(const struct sass_isa *isa, const struct sass_function *f, const char *text, uint64_t pc, struct sass_word w)
{
	struct sass_word back;
	struct sass_places places = {find_label, (void *)f};
	char why[200];
	uint64_t control = (((uint64_t)1 << CONTROL_BITS) - 1) << CONTROL_AT;
	return sass_assemble(isa, text, pc, &places, &back, why, sizeof why) && back.lo == w.lo && back.hi == (w.hi & ~control);
}

// Puts what is known by name in place of the number at the end.
static void put_name(char *text, size_t len, const char *number, const char *name)
{
	size_t n = strlen(text), k = strlen(number);
	if (n > k && !strcmp(text + n - k, number) && text[n - k - 1] == ' ')
		snprintf(text + n - k, len - (n - k), "%s", name);
}

unsigned sass_list(const struct sass_isa *isa, const struct sass_function *f, FILE *out)
{
	size_t n = f->size / WORD;
	uint8_t *target = mem_alloc(2 * (n + 1)), *moves = target + n + 1;
	unsigned unknown = 0;
	const struct sass_notes *notes = f->notes;
	find_targets(isa, f, target, moves);
	for (size_t i = 0; i < n; i++) {
		struct sass_word w = word_at(f, i);
		struct isa_control control = sass_control_from_encoding(w.lo, w.hi);
		struct sass_decoded d;
		char why[200], text[800], bits[40], name[64] = "", number[24], symbol[400];
		uint64_t pc = i * WORD;
		if (target[i]) {
			sass_label(f, pc, name, sizeof name - 1);
			strcat(name, ":");
		}
		if (notes && notes->before)
			notes->before(notes->ctx, pc, out);
		sass_control_print(&control, bits, sizeof bits);
		bool known = sass_decode(isa, w, pc, &d, why, sizeof why);
		unknown += !known;
		if (known) {
			d.label = is_by_register(&d) ? NULL : label;
			d.label_ctx = (void *)f;
			d.tells_reuse = true;
			sass_print(&d, text, sizeof text);
		}
		if (!known || !gives(isa, f, text, pc, w)) {
			fprintf(out, "%-8s.inst 0x%016llx%016llx // %s\n", name, (unsigned long long)w.hi, (unsigned long long)w.lo, known ? text : why);
			continue;
		}
		if (moves[i]) {
			snprintf(number, sizeof number, "0x%x", (unsigned)sass_run(w, 32, 32));
			sass_label(f, sass_run(w, 32, 32), symbol, sizeof symbol);
			put_name(text, sizeof text, number, symbol);
		}
		const char *held = notes && notes->symbol ? notes->symbol(notes->ctx, pc, symbol, sizeof symbol) : NULL;
		if (held)
			put_name(text, sizeof text, "0x0", held);
		fprintf(out, "%-8s%s %s\n", name, bits, text);
	}
	mem_free(target);
	return unknown;
}
