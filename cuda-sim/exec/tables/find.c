// Finds instruction bodies by key. Each CPU level has one index over the tables of all families: a hash of the exact
// keys, then the patterns in table order. A pattern without a body keeps what it matches from the patterns after it.
// An index is made on first use and never changes.
#include "cuda-sim/exec/tables/find.h"

#include "base/mem.h"
#include "cuda-sim/exec/lanes.h"

#include <pthread.h>
#include <string.h>

// The family tables, each ended by a row with key NULL. A new file in bodies/ is added to this list.
#define EXEC_FAMILIES(X) X(int) X(logic) X(float) X(half) X(cmp) X(cvt) X(mov) X(warp) X(mem) X(atom) X(tex) X(surf) X(video) X(tensor) X(tensor_sparse) X(tensor_quarters) X(wgmma) X(matrix) X(copy) X(mbarrier) X(machine)

// One level in builds for which the levels do not differ (LEVELS in the Makefile).
#ifdef EXEC_PLAIN_ONLY
enum { N_LEVELS = 1 };
#define DECLARE(family) extern const struct exec_body exec_table_##family##_plain[];
#define TABLES(family) {exec_table_##family##_plain},
#else
enum { N_LEVELS = 3 };
#define DECLARE(family)                                                                                       \
	extern const struct exec_body exec_table_##family##_plain[], exec_table_##family##_avx2[], \
		exec_table_##family##_avx512[];
#define TABLES(family) {exec_table_##family##_plain, exec_table_##family##_avx2, exec_table_##family##_avx512},
#endif

EXEC_FAMILIES(DECLARE)
static const struct exec_body *const tables[][N_LEVELS] = {EXEC_FAMILIES(TABLES)};

enum { N_FAMILIES = sizeof(tables) / sizeof(tables[0]) };

static struct index {
	const struct exec_body **slot; // open addressing, n_slots is a power of two
	size_t n_slots;
	const struct exec_body **pattern;
	size_t n_patterns;
} indexes[N_LEVELS];

static uint32_t hash(const char *s)
{
	uint32_t h = 2166136261u; // FNV-1a
	for (; *s; s++)
		h = (h ^ (uint8_t)*s) * 16777619u;
	return h;
}

static void index_build(struct index *x, enum exec_level level)
{
	size_t exact = 0, patterns = 0;
	for (unsigned f = 0; f < N_FAMILIES; f++) {
		for (const struct exec_body *b = tables[f][level]; b->key; b++) {
			if (strchr(b->key, '*'))
				patterns++;
			else
				exact++;
		}
	}
	for (x->n_slots = 64; x->n_slots < 2 * exact; x->n_slots *= 2)
		;
	x->slot = mem_alloc(x->n_slots * sizeof(*x->slot));
	x->pattern = mem_alloc((patterns + 1) * sizeof(*x->pattern));
	for (unsigned f = 0; f < N_FAMILIES; f++) {
		for (const struct exec_body *b = tables[f][level]; b->key; b++) {
			if (strchr(b->key, '*')) {
				x->pattern[x->n_patterns++] = b;
				continue;
			}
			size_t s = hash(b->key) & (x->n_slots - 1);
			while (x->slot[s] && strcmp(x->slot[s]->key, b->key))
				s = (s + 1) & (x->n_slots - 1);
			if (!x->slot[s]) // the first of two equal keys wins
				x->slot[s] = b;
		}
	}
}

static void index_all(void)
{
	for (unsigned level = 0; level < N_LEVELS; level++)
		index_build(&indexes[level], (enum exec_level)level);
}

// '*' stands for any run of characters, the empty one too.
static bool matches(const char *pattern, const char *key)
{
	const char *star = NULL, *retry = NULL;
	while (*key) {
		if (*pattern == '*') {
			star = ++pattern;
			retry = key;
		} else if (*pattern == *key) {
			pattern++;
			key++;
		} else if (star) {
			pattern = star;
			key = ++retry;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

exec_fn *exec_find_at(enum exec_level level, const char *key)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, index_all);
	const struct index *x = &indexes[level];
	for (size_t s = hash(key) & (x->n_slots - 1); x->slot[s]; s = (s + 1) & (x->n_slots - 1))
		if (!strcmp(x->slot[s]->key, key))
			return x->slot[s]->fn;
	for (size_t i = 0; i < x->n_patterns; i++)
		if (matches(x->pattern[i]->key, key))
			return x->pattern[i]->fn;
	return NULL;
}

enum exec_level exec_best_level(void)
{
	__builtin_cpu_init();
	// Every CPU with these has f16c too, which clang 14 cannot ask for.
	bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
	bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	              __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
	return N_LEVELS == 1 ? EXEC_PLAIN : avx2 && avx512 ? EXEC_AVX512 : avx2 ? EXEC_AVX2 : EXEC_PLAIN;
}

exec_fn *exec_find(const char *key)
{
	return exec_find_at(exec_best_level(), key);
}
