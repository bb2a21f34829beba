// Managed memory: one pointer for host and device.
#include "check.h"

struct list {
	int value;
	list *next;
};

__global__ void sum(list *l, int *total)
{
	for (; l; l = l->next) {
		*total += l->value;
		l->value = -l->value;
	}
}

int main()
{
	list *l;
	int *total;
	OK(cudaMallocManaged(&l, 10 * sizeof(list)));
	OK(cudaMallocManaged(&total, sizeof(int), cudaMemAttachGlobal));
	*total = 5;
	for (int i = 0; i < 10; i++) {
		l[i].value = i;
		l[i].next = i < 9 ? &l[i + 1] : 0;
	}
	sum<<<1, 1>>>(l, total);
	LAUNCHED();
	CHECK(*total == 50, "%d", *total);
	for (int i = 0; i < 10; i++)
		CHECK(l[i].value == -i);
	cudaPointerAttributes pa;
	OK(cudaPointerGetAttributes(&pa, l + 3));
	CHECK(pa.type == cudaMemoryTypeManaged && pa.devicePointer == l + 3 && pa.hostPointer == l + 3);
	OK(cudaFree(l));
	OK(cudaFree(total));
	return check_done();
}
