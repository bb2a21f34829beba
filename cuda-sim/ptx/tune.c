// Directives behind a function's parameters: .maxntid and what else says how a kernel is launched.
#include "cuda-sim/ptx/parser.h"

#include <string.h>

enum { CLUSTER_TARGET = 90, CLUSTER_ISA = 78, BLOCKS_ARE_CLUSTERS_ISA = 90 };

// What clusters of blocks need, as ptxas has it.
static void needs(struct ptx_parser *p, struct ptx_span at, uint32_t isa)
{
	const char *name = ptx_text(p, at);
	if (p->m->target < CLUSTER_TARGET)
		ptx_error(p, at, "%.*s needs .target sm_%d or later", (int)at.len, name, CLUSTER_TARGET);
	else if (p->m->version < isa)
		ptx_error(p, at, "%.*s needs .version %u.%u or later", (int)at.len, name, isa / 10, isa % 10);
}

// How many numbers stand behind a directive of clusters.
static void counts(struct ptx_parser *p, struct ptx_span at, size_t least, size_t most)
{
	if (p->ints.n < least || p->ints.n > most)
		ptx_error(p, at, "%.*s takes %s, not %zu", (int)at.len, ptx_text(p, at),
		          !most ? "no numbers" : most == 1 ? "one number" : "one to three numbers", p->ints.n);
}

void ptx_func_tune(struct ptx_parser *p, enum ptx_tune t, struct ptx_span at)
{
	struct ptx_func *f = ptx_head(p);
	uint32_t v[3] = {1, 1, 1};
	for (size_t i = 0; i < 3 && i < p->ints.n; i++)
		v[i] = p->ints.at[i] > UINT32_MAX ? UINT32_MAX : (uint32_t)p->ints.at[i];
	switch (t) {
	case PTX_MAXNTID: memcpy(f->maxntid, v, sizeof v); break;
	case PTX_REQNTID: memcpy(f->reqntid, v, sizeof v); break;
	case PTX_MINNCTA: f->minnctapersm = v[0]; break;
	case PTX_MAXNREG: f->maxnreg = v[0]; break;
	case PTX_NORETURN: f->noreturn = true; break;
	case PTX_REQNCTA_CLUSTER:
		needs(p, at, CLUSTER_ISA);
		counts(p, at, 1, 3);
		if (f->maxclusterrank.given)
			ptx_error(p, at, ".reqnctapercluster and .maxclusterrank cannot both be given");
		f->reqncta.given = true;
		memcpy(f->reqncta.n, v, sizeof v);
		if (!v[0]) // no size is required
			memset(f->reqncta.n, 0, sizeof v);
		break;
	case PTX_MAX_CLUSTER_RANK:
		needs(p, at, CLUSTER_ISA);
		counts(p, at, 1, 1);
		if (f->reqncta.given)
			ptx_error(p, at, ".reqnctapercluster and .maxclusterrank cannot both be given");
		f->maxclusterrank.given = true;
		f->maxclusterrank.n = v[0];
		break;
	case PTX_EXPLICIT_CLUSTER:
		needs(p, at, CLUSTER_ISA);
		counts(p, at, 0, 0);
		f->explicitcluster = true;
		break;
	case PTX_BLOCKS_ARE_CLUSTERS:
		needs(p, at, BLOCKS_ARE_CLUSTERS_ISA);
		counts(p, at, 0, 0);
		f->blocksareclusters = true;
		break;
	case PTX_TUNE_OTHER: break;
	}
}

void ptx_func_tuned(struct ptx_parser *p)
{
	const struct ptx_func *f = ptx_head(p);
	struct ptx_span name = {f->src, (uint32_t)strlen(f->name)};
	if (f->blocksareclusters && (!f->reqntid[0] || !f->reqncta.n[0]))
		ptx_error(p, name, ".blocksareclusters of '%s' needs .reqntid and .reqnctapercluster", f->name);
}
