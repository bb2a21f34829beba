// What belongs to the program: what it has registered, its memory, structures and texts.
#include "tests/sweep/things.h"

#include "tests/fatbin_pack.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

const char thing_code[CODE_BYTES] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .global .align 4 .b8 counter[256];\n"
	".visible .global .attribute(.managed) .align 4 .u32 shared_value = 11;\n"
	".visible .global .texref image;\n.visible .global .surfref canvas;\n"
	".visible .entry add(.param .u64 p, .param .u32 v)\n{\nret;\n}\n"
	".visible .entry fault()\n{\n.reg .b64 %d;\nmov.b64 %d, 8;\nst.global.b64 [%d], %d;\nret;\n}\n";

static void *library;
bool of_runtime;

void *api_address(const char *name)
{
	void *p = dlsym(library, name);
	if (!p) {
		fprintf(stdout, "sweep: no %s\n", name);
		_exit(99);
	}
	return p;
}

int api(const char *name, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f)
{
	union {
		void *p;
		int (*f)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
	} u = {api_address(name)};
	return u.f(a, b, c, d, e, f, 0, 0);
}

void need(int error, const char *what)
{
	if (!error)
		return;
	fprintf(stdout, "sweep: %s gives %d, where a good one is needed\n", what, error);
	fflush(stdout);
	_exit(99);
}

// --- what a program has registered: a kernel, a variable, a texture and a surface reference

void host_add(void) {}
void on_call(void) {}
char host_counter[256];
uint8_t host_image[256], host_canvas[256];
uint64_t registered;

static struct {
	uint32_t magic, version;
	const void *data, *extra;
} wrapper;

static void register_code(void)
{
	static struct pack pack;
	union {
		void *p;
		void **(*binary)(void *);
		void (*function)(void **, const void *, char *, const char *, int, void *, void *, void *, void *, int *);
		void (*variable)(void **, char *, char *, const char *, int, size_t, int, int);
		void (*texture)(void **, const void *, const void **, const char *, int, int, int);
		void (*surface)(void **, const void *, const void **, const char *, int, int);
		void (*end)(void **);
	} u;
	pack_start(&pack);
	pack_entry(&pack, FATBIN_PTX, 70, 0, NULL, thing_code, CODE_BYTES);
	wrapper.magic = FATBIN_WRAPPER_MAGIC;
	wrapper.version = 1;
	wrapper.data = pack.data;
	u.p = api_address("__cudaRegisterFatBinary");
	void **h = u.binary(&wrapper);
	u.p = api_address("__cudaRegisterFunction");
	u.function(h, (void *)host_add, "add", "add", -1, NULL, NULL, NULL, NULL, NULL);
	u.p = api_address("__cudaRegisterVar");
	u.variable(h, host_counter, "counter", "counter", 0, sizeof host_counter, 0, 0);
	u.p = api_address("__cudaRegisterTexture");
	u.texture(h, host_image, NULL, "image", 2, 0, 0);
	u.p = api_address("__cudaRegisterSurface");
	u.surface(h, host_canvas, NULL, "canvas", 2, 0);
	u.p = api_address("__cudaRegisterFatBinaryEnd");
	u.end(h);
	registered = P(h);
}

void values_start(void *from, bool runtime, bool initialised, bool context)
{
	library = from;
	of_runtime = runtime;
	if (of_runtime)
		register_code();
	if (!initialised)
		return;
	NEED("cuInit", 0, 0, 0, 0, 0, 0);
	if (of_runtime)
		NEED("cudaFree", 0, 0, 0, 0, 0, 0);
	if (!context)
		return;
	uint64_t c;
	NEED("cuDevicePrimaryCtxRetain", P(&c), 0, 0, 0, 0, 0);
	NEED("cuCtxSetCurrent", c, 0, 0, 0, 0, 0);
}

void values_capture(void)
{
	uint64_t s;
	NEED("cuStreamCreate", P(&s), 0, 0, 0, 0, 0);
	NEED("cuStreamBeginCapture_v2", s, 0, 0, 0, 0, 0);
}

void values_fault(void)
{
	uint64_t m, f;
	union {
		void *p;
		int (*launch)(uint64_t, int, int, int, int, int, int, int, uint64_t, void *, void *);
	} u = {api_address("cuLaunchKernel")};
	NEED("cuModuleLoadData", P(&m), struct_good("code"), 0, 0, 0, 0);
	NEED("cuModuleGetFunction", P(&f), m, P("fault"), 0, 0, 0);
	need(u.launch(f, 1, 1, 1, 1, 1, 1, 0, 0, NULL, NULL), "cuLaunchKernel");
	need(!api("cuCtxSynchronize", 0, 0, 0, 0, 0, 0), "cuCtxSynchronize");
}

// --- memory of the program

char *program_memory(size_t size, int prot)
{
	char *p = mmap(NULL, ROOM + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		_exit(99);
	munmap(p + ROOM, PAGE);
	mprotect(p, ROOM, prot);
	return size ? p + ROOM - size : p;
}

// --- structures, filled by the table of their fields

static const struct layout {
	const char *name;
	size_t size;
	const char *fields;
} layouts[] = {
#define S(name, size, fields) {#name, size, fields},
#include "tests/sweep/structs.def"
#undef S
};

static uint64_t word_of(const char *text)
{
	char kind[32];
	if (*text != '@')
		return strtoull(text, NULL, 0);
	size_t n = strcspn(++text, ": ");
	snprintf(kind, sizeof kind, "%.*s", (int)n, text);
	if (text[n] == ':') {
		char arg[32];
		snprintf(arg, sizeof arg, "%.*s", (int)strcspn(text + n + 1, " "), text + n + 1);
		return !strcmp(kind, "in") ? struct_good(arg) : thing_good(kind, arg);
	}
	return thing_good(kind, "");
}

static const struct layout *layout_of(const char *name)
{
	for (unsigned i = 0; i < sizeof layouts / sizeof *layouts; i++)
		if (!strcmp(layouts[i].name, name))
			return &layouts[i];
	fprintf(stdout, "sweep: structs.def has no %s\n", name);
	_exit(99);
}

size_t struct_size(const char *name)
{
	return !strcmp(name, "code") ? CODE_BYTES : !strcmp(name, "wrapper") ? sizeof wrapper : layout_of(name)->size;
}

uint64_t struct_good(const char *name)
{
	if (!strcmp(name, "wrapper"))
		return P(&wrapper);
	if (!strcmp(name, "code")) {
		char *p = program_memory(CODE_BYTES, PROT_READ | PROT_WRITE);
		memcpy(p, thing_code, CODE_BYTES);
		return P(p);
	}
	const struct layout *l = layout_of(name);
	char *p = program_memory((l->size + 7) / 8 * 8, PROT_READ | PROT_WRITE);
	for (const char *f = l->fields; *f;) {
		char *end;
		unsigned long at = strtoul(f, &end, 10), width = strtoul(end + 1, &end, 10);
		uint64_t v = word_of(end + 1);
		memcpy(p + at, &v, width);
		f = end + 1 + strcspn(end + 1, " ");
		f += *f == ' ';
	}
	return P(p);
}

// --- texts

uint64_t text_good(const char *which)
{
	static const struct {
		const char *name, *text;
	} texts[] = {{"kernel", "add"}, {"global", "counter"}, {"managed", "shared_value"}, {"texref", "image"}, {"surfref", "canvas"},
	             {"proc", "cuMemAlloc"}, {"dot", "/dev/null"}, {"any", "text"}};
	char *p = program_memory(PAGE, PROT_READ | PROT_WRITE);
	for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
		if (!strcmp(texts[i].name, which))
			return P(strcpy(p, texts[i].text));
	if (!strcmp(which, "bus")) {
		NEED("cuDeviceGetPCIBusId", P(p), 64, 0, 0, 0, 0);
	} else if (!strcmp(which, "file")) {
		snprintf(p, PAGE, "/proc/self/fd/%d", memfd_create("code.ptx", 0));
		FILE *f = fopen(p, "w");
		fputs(thing_code, f);
		fclose(f);
	}
	return P(p);
}
