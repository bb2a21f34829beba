#include "libcuda/driver/table.h"

#include "libcuda/context/guard.h"
#include "libcuda/driver/driver.h"

#include <string.h>

enum { LONGEST_NAME = 128 }; // no function's is longer

// Only the addresses matter here, so every function is declared as a byte under its symbol.
#define PTSZ(symbol) extern char at_##symbol##_twin[] __asm__(#symbol "_ptsz");
#define PTDS(symbol) extern char at_##symbol##_twin[] __asm__(#symbol "_ptds");
#define NONE(symbol)
#define DONE(symbol, name, since, twin) \
	extern char at_##symbol[] __asm__(#symbol); \
	twin(symbol)
#define NOT_YET(symbol, name, since, twin) DONE(symbol, name, since, twin)
#include "libcuda/driver/driver.def"
#undef PTSZ
#undef PTDS
#undef NONE

#define TWIN_PTSZ(symbol) DRIVER_PTSZ, at_##symbol, at_##symbol##_twin
#define TWIN_PTDS(symbol) DRIVER_PTDS, at_##symbol, at_##symbol##_twin
#define TWIN_NONE(symbol) DRIVER_NONE, at_##symbol, at_##symbol

const struct driver_entry driver_table[] = {
#define GROUP(title) {.group = title},
#define DONE(symbol, name, since, twin) {#symbol, #name, NULL, true, since, TWIN_##twin(symbol)},
#define NOT_YET(symbol, name, since, twin) {#symbol, #name, NULL, false, since, TWIN_##twin(symbol)},
#include "libcuda/driver/driver.def"
};

const size_t driver_table_size = sizeof driver_table / sizeof *driver_table;

void *driver_find(const char *name, int version, bool per_thread, bool *known)
{
	const struct driver_entry *best = NULL;
	bool exists = false;
	for (size_t i = 0; i < driver_table_size; i++) {
		const struct driver_entry *e = &driver_table[i];
		bool form = e->symbol && !strcmp(e->symbol, name);
		if (!e->symbol || (!form && strcmp(e->name, name)))
			continue;
		exists = true;
		// A name that is a symbol too means all forms of it.
		if (form && strcmp(e->name, name)) {
			best = e;
			break;
		}
		if (e->since <= version && (!best || e->since > best->since))
			best = e;
	}
	if (known)
		*known = exists;
	return best ? per_thread ? best->twin_address : best->address : NULL;
}

bool driver_query(void **out, enum driver_query *answer, const char *name, int version, bool per_thread)
{
	char copy[LONGEST_NAME];
	bool known;
	if (!guard_read_text(copy, sizeof copy, name))
		return false;
	*out = driver_find(copy, version, per_thread, &known);
	*answer = *out ? DRIVER_FOUND : known ? DRIVER_VERSION_TOO_LOW : DRIVER_NO_SYMBOL;
	return true;
}

enum { LEGACY_STREAM = 1, PER_THREAD_STREAM = 2 }; // CUdriverProcAddress_flags

static CUresult proc_address(const char *name, void **out, int version, uint64_t flags, int *status)
{
	enum driver_query answer;
	if (!name || !GUARD_OUT(out) || !GUARD_OUT_OR_NULL(status) || flags > PER_THREAD_STREAM || !driver_query(out, &answer, name, version, flags == PER_THREAD_STREAM))
		return CUDA_ERROR_INVALID_VALUE;
	if (status)
		*status = answer;
	return CUDA_SUCCESS;
}

CUDA_EXPORT CUresult cuGetProcAddress(const char *name, void **out, int version, uint64_t flags);
CUresult cuGetProcAddress(const char *name, void **out, int version, uint64_t flags)
{
	CUresult e = proc_address(name, out, version, flags, NULL);
	return e || *out ? e : CUDA_ERROR_NOT_FOUND;
}

// Since CUDA 12 an unknown name is no error: *out is NULL, and the status tells.
CUDA_EXPORT CUresult cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *status);
CUresult cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *status)
{
	return proc_address(name, out, version, flags, status);
}

void driver_write_doc(FILE *to)
{
	size_t done = 0, all = 0;
	for (size_t i = 0; i < driver_table_size; i++) {
		all += driver_table[i].symbol != NULL;
		done += driver_table[i].done;
	}
	fprintf(to,
	        "# The CUDA driver API\n\nMade from `libcuda/driver/driver.def`. Heddle's `libcuda.so.1` exports %zu functions: all that "
	        "the driver of CUDA 13.0 exports, each also in the form for a default stream per thread where there is one. %zu are "
	        "implemented. The others say once on standard error that they are missing and return `CUDA_ERROR_NOT_SUPPORTED`.\n\n"
	        "*Since* is the release of CUDA whose programs mean that form of a function.\n",
	        all, done);
	for (size_t i = 0; i < driver_table_size; i++) {
		const struct driver_entry *e = &driver_table[i];
		if (e->group)
			fprintf(to, "\n## %s\n\n| function | since | |\n| --- | --- | --- |\n", e->group);
		else
			fprintf(to, "| `%s` | %d.%d | %s |\n", e->symbol, e->since / 1000, e->since % 1000 / 10, e->done ? "yes" : "not yet");
	}
}
