// Where the loader finds cuBLAS: an auditing library (LD_AUDIT), which `heddle run` names. Python packages bring NVIDIA's library along and
// load it from their own folder, whatever LD_LIBRARY_PATH says. Asked for a file of the names below, in whatever folder, the loader looks
// for that name, and takes it from the folder of this library alone, which LD_LIBRARY_PATH has. All other names, and processes that ask for
// none of these, are left alone.
//
// Calls of CUPTI, which profilers use, end here too: it wants parts of the driver that are not documented, and where they are not there it
// calls itself until the stack ends. Each function returns that CUPTI is not initialised instead.
//
// The loader starts this library in a name space of its own, before there is a C library: so it calls none.
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#define EXPORT __attribute__((visibility("default")))
EXPORT unsigned la_version(unsigned version);
EXPORT char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag);

EXPORT unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie);
EXPORT uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned index, uintptr_t *from, uintptr_t *to, unsigned *flags, const char *name);

static const char own_name[] = "libheddle-find.so";
static const char *const served[] = {"libcublas.so.12", "libcublas.so.13", "libcublasLt.so.12", "libcublasLt.so.13"};

// The folder of this library with the slash behind it, in the environment's text. Without one nothing is changed.
static const char *folder;
static size_t folder_length;

// Whether the first n characters of both, neither of which ends before, are the same.
static bool starts(const char *a, const char *b, size_t n)
{
	for (; n; n--)
		if (!*a || *a++ != *b++)
			return false;
	return true;
}

// The environment comes as with main().
__attribute__((constructor)) static void find_folder(int argc, char **argv, char **environment)
{
	(void)argc;
	(void)argv;
	for (; *environment; environment++) {
		if (!starts(*environment, "LD_AUDIT=", 9))
			continue;
		const char *entry = *environment + 9, *file = entry;
		for (const char *p = entry;; p++) {
			if (*p == '/') {
				file = p + 1;
			} else if (*p == ':' || !*p) {
				bool own = (size_t)(p - file) == sizeof own_name - 1 && starts(file, own_name, sizeof own_name - 1);
				if (own && file > entry) {
					folder = entry;
					folder_length = (size_t)(file - entry);
					return;
				}
				if (!*p)
					break;
				entry = file = p + 1;
			}
		}
	}
}

EXPORT unsigned la_version(unsigned version)
{
	return version < LAV_CURRENT ? version : LAV_CURRENT;
}

// Comes first with a name as it was asked for, then with each path that is tried for it; NULL passes over one.
EXPORT char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag)
{
	const char *file = name;
	(void)cookie;
	if (!folder)
		return (char *)name;
	for (const char *p = name; *p; p++)
		if (*p == '/')
			file = p + 1;
	for (size_t i = 0; i < sizeof served / sizeof *served; i++) {
		size_t n = 0;
		while (served[i][n])
			n++;
		if (!starts(file, served[i], n) || file[n])
			continue;
		if (flag == LA_SER_ORIG)
			return (char *)file;
		bool ours = (size_t)(file - name) == folder_length && starts(name, folder, folder_length);
		return ours ? (char *)name : NULL;
	}
	return (char *)name;
}

// --- CUPTI

enum { CUPTI_SUCCESS = 0, CUPTI_NOT_INITIALIZED = 15, CUPTI_VERSION = 130000 };

static void tell(void)
{
	static const char text[] = "heddle: CUPTI cannot run here: it wants parts of the driver that are not documented; profilers see nothing of the GPU\n";
	static bool told;
	long n = SYS_write;
	if (!told)
		__asm__ volatile("syscall" : "+a"(n) : "D"(2), "S"(text), "d"(sizeof text - 1) : "rcx", "r11", "memory");
	told = true;
}

static int refuse(void)
{
	tell();
	return CUPTI_NOT_INITIALIZED;
}

// These two work without a GPU in the real one.
static int version(uint32_t *out)
{
	*out = CUPTI_VERSION;
	return CUPTI_SUCCESS;
}

static int result_string(int result, const char **out)
{
	*out = result == CUPTI_SUCCESS ? "CUPTI_SUCCESS" : result == CUPTI_NOT_INITIALIZED ? "CUPTI_ERROR_NOT_INITIALIZED" : "CUPTI_ERROR_UNKNOWN";
	return CUPTI_SUCCESS;
}

static bool same(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

// The loader asks la_symbind64 about names that one of these objects uses and that CUPTI defines.
EXPORT unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
	const char *file = map->l_name;
	(void)space;
	(void)cookie;
	for (const char *p = file; p && *p; p++)
		if (*p == '/')
			file = p + 1;
	return LA_FLG_BINDFROM | (folder && file && starts(file, "libcupti.so.", 12) ? LA_FLG_BINDTO : 0);
}

EXPORT uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned index, uintptr_t *from, uintptr_t *to, unsigned *flags, const char *name)
{
	(void)index;
	(void)from;
	(void)to;
	(void)flags;
	if (!starts(name, "cupti", 5))
		return symbol->st_value;
	return same(name, "cuptiGetVersion")        ? (uintptr_t)version
	       : same(name, "cuptiGetResultString") ? (uintptr_t)result_string
	                                            : (uintptr_t)refuse;
}
