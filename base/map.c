#include "base/map.h"

#include "base/mem.h"

#include <stdint.h>
#include <string.h>

// FNV-1a; only the speed of look-ups depends on it.
static size_t hash(const char *s, size_t n)
{
	uint64_t h = 0xcbf29ce484222325u;
	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 0x100000001b3u;
	return (size_t)(h ^ h >> 32);
}

// The index cell of the key, or of the free place where it belongs.
static size_t find(const struct map *m, const char *key, size_t len)
{
	size_t mask = m->index_size - 1;
	size_t i = hash(key, len) & mask;
	for (; m->index[i]; i = (i + 1) & mask) {
		const struct map_slot *s = &m->slot[m->index[i] - 1];
		if (s->len == len && memcmp(s->key, key, len) == 0)
			break;
	}
	return i;
}

void *map_get(const struct map *m, const char *key, size_t len)
{
	if (!m->n)
		return NULL;
	unsigned at = m->index[find(m, key, len)];
	return at ? m->slot[at - 1].value : NULL;
}

static void grow(struct map *m)
{
	m->cap = m->cap ? m->cap * 2 : 8;
	m->slot = mem_realloc(m->slot, m->cap * sizeof *m->slot);
	m->index_size = m->cap * 2;
	mem_free(m->index);
	m->index = mem_alloc(m->index_size * sizeof *m->index);
	for (size_t i = 0; i < m->n; i++)
		m->index[find(m, m->slot[i].key, m->slot[i].len)] = (unsigned)(i + 1);
}

void map_put(struct map *m, const char *key, size_t len, void *value)
{
	if (m->n == m->cap)
		grow(m);
	size_t cell = find(m, key, len);
	if (m->index[cell]) {
		m->slot[m->index[cell] - 1].value = value;
		return;
	}
	m->slot[m->n] = (struct map_slot){key, len, value};
	m->index[cell] = (unsigned)++m->n;
}

void map_free(struct map *m)
{
	mem_free(m->slot);
	mem_free(m->index);
	*m = (struct map){0};
}
