#include "intersim/icnt_ops.h"

#include "base/assert.h"
#include "base/mem.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// DIR/NAME if that can be read, else NULL. The caller frees it.
static char *file_in(const char *dir, size_t dir_len, const char *name)
{
	size_t size = dir_len + strlen(name) + 2;
	char *path = mem_alloc(size);
	if (dir_len)
		snprintf(path, size, "%.*s/%s", (int)dir_len, dir, name);
	else
		snprintf(path, size, "%s", name);
	if (access(path, R_OK) == 0)
		return path;
	mem_free(path);
	return NULL;
}

static char *find_file(const struct options *o, const char *config_dir)
{
	const char *name = o->inter_config_file;
	char *path = file_in(NULL, 0, name);
	if (!path && config_dir && name[0] != '/')
		path = file_in(config_dir, strlen(config_dir), name);
	const struct option_origin *from = &o->origin[OPT_inter_config_file];
	if (!path && from->source == FROM_FILE && from->file && name[0] != '/') {
		const char *slash = strrchr(from->file, '/');
		if (slash)
			path = file_in(from->file, slash - from->file, name);
	}
	return path;
}

struct icnt *icnt_new(const struct options *o, const char *config_dir, unsigned n_cluster, unsigned n_mem,
                      struct diag *d)
{
	if (n_cluster == 0 || n_mem == 0) {
		diag_add(d, DIAG_ERROR, "an interconnect needs at least one cluster and one memory partition, not %u and %u",
		         n_cluster, n_mem);
		return NULL;
	}
	if (o->network_mode == 2)
		return xbar_new(o, n_cluster, n_mem, d);
	char *path = find_file(o, config_dir);
	if (!path) {
		diag_add(d, DIAG_ERROR, "-inter_config_file %s: no such file; -network_mode 2 needs none",
		         o->inter_config_file);
		return NULL;
	}
	struct icnt *n = noc_new(path, n_cluster, n_mem, d);
	mem_free(path);
	return n;
}

void icnt_free(struct icnt *n)
{
	if (!n)
		return;
	for (unsigned i = 0; i < 2; i++) {
		mem_free(n->arrived[i]);
		mem_free(n->drained[i]);
	}
	n->ops->free(n);
}

bool icnt_can_push(struct icnt *n, enum icnt_net net, unsigned src, unsigned bytes)
{
	if (icnt_has_room(n, net, src, bytes))
		return true;
	n->ops->count_refused(n, net, 1);
	return false;
}

bool icnt_has_room(const struct icnt *n, enum icnt_net net, unsigned src, unsigned bytes)
{
	return n->ops->has_room(n, net, src, bytes);
}

unsigned icnt_room(const struct icnt *n, enum icnt_net net, unsigned src, unsigned bytes)
{
	return n->ops->room(n, net, src, bytes);
}

void icnt_count_refused(struct icnt *n, enum icnt_net net, uint64_t times) { n->ops->count_refused(n, net, times); }

uint64_t *icnt_drained(struct icnt *n, enum icnt_net net) { return n->drained[net]; }

void icnt_put(struct icnt *n, enum icnt_net net, unsigned src, unsigned dst, void *packet, unsigned bytes, bool write)
{
	HEDDLE_ASSERT(src < (net == ICNT_REQUEST ? n->n_cluster : n->n_mem));
	HEDDLE_ASSERT(dst < (net == ICNT_REQUEST ? n->n_mem : n->n_cluster));
	HEDDLE_ASSERT(packet && icnt_has_room(n, net, src, bytes));
	n->ops->put(n, net, src, dst, packet, bytes, write);
}

void icnt_enter(struct icnt *n, enum icnt_net net, unsigned src, unsigned keep)
{
	n->total[net].count.pushed += n->ops->enter(n, net, src, keep);
}

void icnt_push(struct icnt *n, enum icnt_net net, unsigned src, unsigned dst, void *packet, unsigned bytes)
{
	icnt_put(n, net, src, dst, packet, bytes, false);
	icnt_enter(n, net, src, 0);
}

static bool has_arrived(const struct icnt *n, enum icnt_net net, unsigned dst)
{
	return n->arrived[net][dst / 64] >> (dst % 64) & 1;
}

void *icnt_peek(const struct icnt *n, enum icnt_net net, unsigned dst)
{
	return has_arrived(n, net, dst) ? n->ops->peek(n, net, dst) : NULL;
}

void *icnt_take(struct icnt *n, enum icnt_net net, unsigned dst)
{
	return has_arrived(n, net, dst) ? n->ops->take(n, net, dst) : NULL;
}

void icnt_leave(struct icnt *n, enum icnt_net net, unsigned dst)
{
	n->total[net].count.popped += n->ops->leave(n, net, dst);
}

void *icnt_pop(struct icnt *n, enum icnt_net net, unsigned dst)
{
	void *p = icnt_take(n, net, dst);
	if (p)
		icnt_leave(n, net, dst);
	return p;
}

unsigned icnt_next_arrived(const struct icnt *n, enum icnt_net net, unsigned from)
{
	unsigned sinks = net == ICNT_REQUEST ? n->n_mem : n->n_cluster;
	while (from < sinks) {
		uint64_t m = n->arrived[net][from / 64] >> (from % 64);
		if (m)
			return from + __builtin_ctzll(m);
		from = (from / 64 + 1) * 64;
	}
	return sinks;
}

const uint64_t *icnt_arrived(const struct icnt *n, enum icnt_net net) { return n->arrived[net]; }

bool icnt_tick(struct icnt *n)
{
	bool moved = n->ops->tick(n, ICNT_REQUEST);
	if (n->apart)
		moved |= n->ops->tick(n, ICNT_REPLY);
	return moved;
}

void icnt_skip(struct icnt *n, uint64_t cycles)
{
	HEDDLE_ASSERT(!icnt_moving(n));
	n->ops->skip(n, ICNT_REQUEST, cycles);
	if (n->apart)
		n->ops->skip(n, ICNT_REPLY, cycles);
}

bool icnt_apart(const struct icnt *n) { return n->apart; }

void icnt_step(struct icnt *n, enum icnt_net net, bool always)
{
	HEDDLE_ASSERT(n->apart);
	if (always || n->ops->moving(n, net))
		n->ops->tick(n, net);
	else
		n->ops->skip(n, net, 1);
}

bool icnt_busy(const struct icnt *n)
{
	const struct icnt_count *request = &n->total[ICNT_REQUEST].count, *reply = &n->total[ICNT_REPLY].count;
	return request->pushed != request->popped || reply->pushed != reply->popped;
}

bool icnt_moving(const struct icnt *n)
{
	return n->ops->moving(n, ICNT_REQUEST) || (n->apart && n->ops->moving(n, ICNT_REPLY));
}

void icnt_begin(struct icnt *n)
{
	n->ops->begin(n);
}

void icnt_print(struct icnt *n, void (*put)(void *, const char *), void *ctx)
{
	n->ops->print(n, put, ctx);
}

void icnt_describe(const struct icnt *n, void (*put)(void *, const char *), void *ctx)
{
	n->ops->describe(n, put, ctx);
}

struct icnt_count icnt_total(const struct icnt *n, enum icnt_net net)
{
	return n->total[net].count;
}
