#include "intersim/icnt_ops.h"

struct icnt *noc_new(const char *path, unsigned n_cluster, unsigned n_mem, struct diag *d)
{
	diag_add(d, DIAG_ERROR, "%s: the router network is not built yet", path);
	return NULL;
}
