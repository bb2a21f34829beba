// Hash map from strings to pointers. Keys are borrowed: they must outlive the map.
// Iteration is in insertion order, so that nothing depends on hash values.
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stddef.h>

struct map_slot {
	const char *key;
	size_t len;
	void *value;
};

struct map {
	struct map_slot *slot; // in insertion order, n used
	size_t n, cap;
	unsigned *index; // open addressing over slot numbers + 1
	size_t index_size;
};

void *map_get(const struct map *m, const char *key, size_t len); // NULL if absent
void map_put(struct map *m, const char *key, size_t len, void *value); // replaces
void map_free(struct map *m);

#endif
