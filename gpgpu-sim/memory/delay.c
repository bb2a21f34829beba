#include "gpgpu-sim/memory/delay.h"

void delay_free(struct delay *q) { mem_free_dense(q->at, q->size * sizeof *q->at); }

void delay_grow(struct delay *q)
{
	const uint32_t size = q->size ? 2 * q->size : HEDDLE_LIMIT(1, 16);
	struct delay_slot *at = mem_alloc_dense(size * sizeof *at);
	for (uint32_t i = 0; i < q->n; i++)
		at[i] = *RING_AT(q, i);
	delay_free(q);
	q->at = at;
	q->size = size;
	q->head = 0;
}
