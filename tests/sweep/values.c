#include "tests/sweep/things.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const uint64_t LOW = 8, KERNEL = 0xffff888000001000, ODD = 0x8000000000001000, BITS = 0x5a5a5a5a5a5a5a5a;

static uint64_t unmapped(void)
{
	char *p = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(p, PAGE);
	return P(p);
}

// --- the kinds and what can be wrong with each

#define IS(name) (!strcmp(kind, name))
#define CASES(...) ((const char *const[]){__VA_ARGS__, NULL})
#define MEMORY CASES("null", "low", "wild", "kernel", "odd", "readonly")
#define READ CASES("null", "low", "wild", "kernel", "odd", "cut", "ones", "noise")
#define TEXT CASES("null", "low", "wild", "kernel", "unended", "empty", "long", "unknown")
#define HANDLE CASES("null", "low", "wild", "kernel", "odd", "bits", "host", "inside", "foreign", "stale")
#define OPAQUE CASES("null", "low", "wild", "kernel", "odd", "bits", "host", "foreign")
#define SYMBOL CASES("null", "low", "wild", "kernel", "odd", "bits", "host", "foreign")

static const struct kind kinds[] = {
	{"out", MEMORY, "1", "1"},
	{"out?", MEMORY, "0", "1"},
	{"in", READ, "1", "1"},
	{"in?", READ, "0", "1"},
	{"str", TEXT, "1", "1"},
	{"str?", TEXT, "0", "1"},
	{"name", CASES("null", "empty", "long", "unknown"), "doc", "doc"}, // what compiled code registers
	{"host", CASES("null", "low", "wild", "kernel", "odd", "cut"), "1", "1"},
	{"dev", CASES("null", "low", "wild", "kernel", "odd", "bits", "host", "stale", "handle"), "1", "1"},
	{"uva", CASES("null", "low", "wild", "kernel", "odd", "bits", "stale"), "1", "1"}, // memory of either side
	{"stream", HANDLE, "0", "400"},
	{"event", HANDLE, "400 1|400", "400 1|400"},
	{"ctx", HANDLE, "1|201", "201|709?"},
	{"module", HANDLE, "1|400", "400 1|400"},
	{"func", HANDLE, "400 1|98|400", "400 1|98|400"},
	{"kern", HANDLE, "400 1|400", "400 1|400"},
	{"lib", HANDLE, "400 1|400", "400 1|400"},
	{"graph", HANDLE, "1", "1"},
	{"node", HANDLE, "1", "1"},
	{"exec", HANDLE, "1", "1"},
	{"user", HANDLE, "1", "1"},
	{"array", HANDLE, "1|400", "400 1|400"},
	{"mip", HANDLE, "1|400", "400 1|400"},
	{"texref", HANDLE, "1", "1"},
	{"surfref", HANDLE, "1", "1"},
	{"tex", HANDLE, "1", "1"},
	{"surf", HANDLE, "1", "1"},
	{"pool", HANDLE, "1", "1"},
	{"vmem", HANDLE, "1", "1"},
	{"link", HANDLE, "400 1", "400 1"},
	{"callback", HANDLE, "1", "1"}, // that is told what is logged
	{"none", OPAQUE, "400 1|201|709|801", "400 1|201|709|801"},
	{"host_func", SYMBOL, "98", "98"},
	{"symbol", SYMBOL, "13", "13"},
	{"texture_r", SYMBOL, "18 1", "18 1"},
	{"surface_r", SYMBOL, "37 1", "37 1"},
	{"texture_symbol", SYMBOL, "18", "18"},
	{"surface_symbol", SYMBOL, "37", "37"},
	{"code", CASES("null"), "1", "1"},
	{"code?", CASES("null"), "0", "1"},
	{"gpu", CASES("negative", "second", "large"), "101", "101"},
	{"size", CASES("zero", "huge", "all"), "0|1|12?", "1|2|12?"},
	{"n", CASES("zero", "negative", "large"), "doc|0", "doc|0"},
	{"flags", CASES("high", "all"), "1", "1"},
	{"enum", CASES("negative", "large", "bits"), "1", "1"},
	{"kind", CASES("negative", "large", "bits"), "21", "21"},
	{"num", CASES(NULL), "", ""},
	{"result", CASES(NULL), "", ""}, // where the function returns a structure
	{"setup", CASES(NULL), "", ""},  // no parameter: what the call needs to have gone before
	{"fatbin", OPAQUE, "doc", "doc"},
	{"f32", CASES("nan", "infinite"), "doc|0", "doc|0"},
	{"loc", CASES("type", "id"), "1", "101 1"},
	{"dim3", CASES("zero", "all"), "9|1", "9|1"},
	{"extent", CASES("zero", "huge", "all"), "0|1", "1|2"},
	{"pitched", CASES("null", "wild", "huge"), "1", "1"},
	{"bytes", CASES("zero", "ones", "noise"), "doc", "doc"},
};

const struct kind *kind_of(const char *name)
{
	size_t n = strcspn(name, "=");
	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strlen(kinds[i].name) == n && !strncmp(kinds[i].name, name, n))
			return &kinds[i];
	return NULL;
}

static uint64_t noise(uint64_t *state) { return *state = *state * 6364136223846793005u + 1442695040888963407u; }

static void fill(void *p, size_t size, const char *with)
{
	uint64_t state = 12;
	for (size_t i = 0; i < size; i++)
		((uint8_t *)p)[i] = !strcmp(with, "ones") ? 0xff : !strcmp(with, "noise") ? (uint8_t)(noise(&state) >> 56) : 0;
}

static bool is(const char *wrong, const char *name) { return wrong && !strcmp(wrong, name); }

// A bad pointer or handle; false if `wrong` says something else.
static bool bad_word(uint64_t *w, const char *kind, const char *arg, const char *wrong)
{
	if (is(wrong, "null"))
		*w = 0;
	else if (is(wrong, "low"))
		*w = LOW;
	else if (is(wrong, "wild"))
		*w = unmapped();
	else if (is(wrong, "kernel"))
		*w = KERNEL;
	else if (is(wrong, "odd"))
		*w = ODD;
	else if (is(wrong, "bits"))
		*w = BITS;
	else if (is(wrong, "host"))
		*w = P(program_memory(0, PROT_READ | PROT_WRITE));
	else if (is(wrong, "foreign"))
		*w = thing_good(!strcmp(kind, "event") ? "stream" : "event", "");
	else if (is(wrong, "handle"))
		*w = thing_good("event", "");
	else if (is(wrong, "inside"))
		*w = thing_good(kind, arg) + 8;
	else if (is(wrong, "stale"))
		*w = thing_stale(kind, arg);
	else
		return false;
	return true;
}

static uint64_t text_value(const char *arg, const char *wrong)
{
	if (is(wrong, "unended")) {
		char *p = program_memory(64, PROT_READ | PROT_WRITE);
		memset(p, 'x', 64);
		return P(p);
	}
	if (is(wrong, "empty"))
		return P("");
	if (is(wrong, "unknown"))
		return P("/no such/thing");
	if (is(wrong, "long")) {
		enum { LONG = 100000 };
		char *p = malloc(LONG + 1);
		memset(p, 'x', LONG);
		p[LONG] = 0;
		return P(p);
	}
	return text_good(arg);
}

static struct value words(enum passing how, unsigned n, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	return (struct value){how, n, {a, b, c, d}, 0};
}

struct value value_make(const struct kind *k, const char *arg, const char *wrong)
{
	struct value v = {.passing = PASS_WORD, .n = 1};
	uint64_t *w = v.word;
	const char *kind = k->name;
	const uint64_t huge = (uint64_t)1 << 62, large = 0x7fffffff, all = ~(uint64_t)0;
	if (IS("f32"))
		return (struct value){PASS_FLOAT, 1, {0}, is(wrong, "nan") ? __builtin_nanf("") : is(wrong, "infinite") ? __builtin_inff() : 1};
	if (IS("extent"))
		return is(wrong, "zero")   ? words(PASS_COPY, 3, 0, 0, 0, 0)
		       : is(wrong, "huge") ? words(PASS_COPY, 3, huge, huge, huge, 0)
		       : is(wrong, "all")  ? words(PASS_COPY, 3, all, all, all, 0)
		                           : words(PASS_COPY, 3, 16, 2, 1, 0);
	if (IS("pitched"))
		return words(PASS_COPY, 4, is(wrong, "null") ? 0 : is(wrong, "wild") ? unmapped() : thing_good("dev", ""),
		             is(wrong, "huge") ? huge : 64, 16, 2);
	if (IS("bytes")) {
		v.passing = PASS_COPY;
		v.n = 8;
		fill(w, sizeof v.word, wrong ? wrong : "noise");
		return v;
	}
	if (IS("dim3"))
		return is(wrong, "zero")  ? words(PASS_PAIR, 2, 0, 0, 0, 0)
		       : is(wrong, "all") ? words(PASS_PAIR, 2, all, all, 0, 0)
		                          : words(PASS_PAIR, 2, 1 | (uint64_t)1 << 32, 1, 0, 0);
	if (IS("loc"))
		return words(PASS_WORD, 1, is(wrong, "type") ? 99 : is(wrong, "id") ? 1 | (uint64_t)7 << 32 : 1, 0, 0, 0);
	if (IS("size") || IS("n") || IS("num") || IS("flags") || IS("enum") || IS("kind") || IS("gpu")) {
		*w = is(wrong, "zero")       ? 0
		     : is(wrong, "huge")     ? huge
		     : is(wrong, "all")      ? IS("size") ? all : 0xffffffff
		     : is(wrong, "negative") ? (uint32_t)-1
		     : is(wrong, "large")    ? large
		     : is(wrong, "high")     ? (uint64_t)1 << 30
		     : is(wrong, "second")   ? 1
		     : is(wrong, "bits")     ? 0x5555
		                             : !strcmp(arg, "code") ? CODE_BYTES
		                             : strtoull(arg, NULL, 0);
		return v;
	}
	if (IS("str") || IS("str?") || IS("name")) {
		if (!bad_word(w, kind, arg, wrong))
			*w = text_value(arg, wrong);
		return v;
	}
	if (IS("host")) {
		size_t size = strtoul(arg, NULL, 10);
		if (is(wrong, "cut"))
			*w = P(program_memory(size / 2, PROT_READ | PROT_WRITE));
		else if (!bad_word(w, kind, arg, wrong))
			*w = P(program_memory(0, PROT_READ | PROT_WRITE));
		return v;
	}
	if (IS("out") || IS("out?")) {
		if (is(wrong, "readonly"))
			*w = P(program_memory(0, PROT_READ));
		else if (!bad_word(w, kind, arg, wrong))
			*w = P(program_memory(0, PROT_READ | PROT_WRITE));
		return v;
	}
	if (IS("in") || IS("in?")) {
		size_t size = struct_size(arg);
		if (is(wrong, "cut")) {
			size_t part = !strcmp(arg, "zeros") ? 1 : size / 2; // zeros stand for structures of any size
			char *p = program_memory(part, PROT_READ | PROT_WRITE);
			memcpy(p, (char *)(uintptr_t)struct_good(arg), part);
			*w = P(p);
		} else if (is(wrong, "ones") || is(wrong, "noise")) {
			*w = P(program_memory(0, PROT_READ | PROT_WRITE));
			fill((void *)(uintptr_t)*w, ROOM, wrong);
		} else if (!bad_word(w, kind, arg, wrong)) {
			*w = struct_good(arg);
		}
		return v;
	}
	if (IS("setup")) {
		v.n = 0;
		NEED(*arg == 'c' ? "cudaConfigureCall" : "__cudaPushCallConfiguration", 1 | (uint64_t)1 << 32, 1, 1 | (uint64_t)1 << 32, 1, 0, 0);
		return v;
	}
	if (IS("result")) {
		*w = P(program_memory(0, PROT_READ | PROT_WRITE));
		return v;
	}
	if (IS("code") || IS("code?")) {
		*w = wrong ? 0 : P(on_call);
		return v;
	}
	if (!bad_word(w, kind, arg, wrong))
		*w = thing_good(kind, arg);
	return v;
}
