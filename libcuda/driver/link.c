// Linking at run time.
#include "libcuda/code/link.h"
#include "libcuda/driver/driver.h"

#define JIT (&(struct jit_options){n, options, values})
#define CREATE (unsigned n, int *options, void **values, struct link **link)
#define ADD_DATA \
	(struct link * link, int type, void *data, size_t size, const char *name, unsigned n, int *options, void **values)
#define ADD_FILE (struct link * link, int type, const char *path, unsigned n, int *options, void **values)

// The two forms of each differ in their names alone.
DRIVER(cuLinkCreate, CREATE, link_create(link, JIT))
DRIVER(cuLinkCreate_v2, CREATE, link_create(link, JIT))
DRIVER(cuLinkAddData, ADD_DATA, link_add(link, type, data, size, name, JIT))
DRIVER(cuLinkAddData_v2, ADD_DATA, link_add(link, type, data, size, name, JIT))
DRIVER(cuLinkAddFile, ADD_FILE, link_add_file(link, type, path, JIT))
DRIVER(cuLinkAddFile_v2, ADD_FILE, link_add_file(link, type, path, JIT))
DRIVER(cuLinkComplete, (struct link * link, void **image, size_t *size), link_complete(link, image, size))
DRIVER(cuLinkDestroy, (struct link * link), link_destroy(link))
