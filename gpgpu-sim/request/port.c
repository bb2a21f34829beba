#include "gpgpu-sim/request/port.h"

#include "base/mem.h"

#include <stdio.h>

void port_init(struct port *p, const char *name, uint32_t size)
{
	*p = (struct port){.name = name, .size = size ? size : 1};
	p->slot = mem_alloc(p->size * sizeof *p->slot);
}

void port_free(struct port *p)
{
	mem_free(p->slot);
	*p = (struct port){0};
}

int port_describe(const struct port *p, char *buf, unsigned len)
{
	return snprintf(buf, len, "%s %u/%u", p->name, p->n, p->size);
}
