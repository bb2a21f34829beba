#include "gpgpu-sim/request/port.h"

#include <stdio.h>

void port_init(struct port *p, const char *name, uint32_t size)
{
	p->name = name;
	RING_INIT(p, size);
}

void port_free(struct port *p)
{
	RING_FREE(p);
}

int port_describe(const struct port *p, char *buf, unsigned len)
{
	return snprintf(buf, len, "%s %u/%u", p->name, p->n, p->size);
}
