#include "gpgpu-sim/request/port.h"

#include <stdio.h>

void port_init(struct port *p, uint32_t size)
{
	RING_INIT(p, size);
}

void port_free(struct port *p)
{
	RING_FREE(p);
}

int port_describe(const struct port *p, const char *name, char *buf, unsigned len)
{
	return snprintf(buf, len, "%s %u/%u", name, p->n, p->size);
}
