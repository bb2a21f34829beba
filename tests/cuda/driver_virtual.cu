// Virtual memory management: reserved addresses, memory mapped at one and at two places, access, growing in place, memory shared with
// another process, and the errors of each.
// nvcc-flags: -lcuda
// skip: checkpoint (its child takes a GPU of its own, and writes the same file)
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures;
#define EXPECT(condition) \
	((condition) ? (void)0 : (void)(failures++, printf("line %d: %s\n", __LINE__, #condition)))
#define OK(call) EXPECT((call) == CUDA_SUCCESS)
#define INVALID(call) EXPECT((call) == CUDA_ERROR_INVALID_VALUE)

static const size_t unit = 2 << 20;
static CUmemAllocationProp prop;
static CUmemAccessDesc both, reads;

__global__ void fill(unsigned *p, unsigned from, size_t n)
{
	for (size_t i = threadIdx.x; i < n; i += blockDim.x)
		p[i] = from + (unsigned)i;
}

__global__ void sum(const unsigned *p, size_t n, unsigned long long *out)
{
	unsigned long long s = 0;
	for (size_t i = 0; i < n; i++)
		s += p[i];
	*out = s;
}

static void map_and_use()
{
	CUdeviceptr a, b;
	CUmemGenericAllocationHandle h, again;
	size_t size, before, after, total;
	unsigned word = 0;
	OK(cuMemGetAllocationGranularity(&size, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	EXPECT(size == unit);
	OK(cuMemGetInfo(&before, &total));
	OK(cuMemCreate(&h, unit, &prop, 0));
	OK(cuMemGetInfo(&after, &total));
	EXPECT(before - after == unit);
	OK(cuMemAddressReserve(&a, 2 * unit, 0, 0, 0));
	OK(cuMemAddressReserve(&b, unit, 0, 0, 0));
	EXPECT(a % unit == 0 && b % unit == 0 && (b >= a + 2 * unit || a >= b + unit));
	OK(cuMemMap(a, unit, 0, h, 0));
	INVALID(cuMemcpyHtoD(a, &word, 4)); // no access yet
	INVALID(cuMemsetD32(a, 1, 1));
	unsigned long long flags = 9;
	OK(cuMemGetAccess(&flags, &prop.location, a));
	EXPECT(flags == CU_MEM_ACCESS_FLAGS_PROT_NONE);
	OK(cuMemSetAccess(a, unit, &both, 1));
	OK(cuMemGetAccess(&flags, &prop.location, a + 100));
	EXPECT(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	OK(cuMemcpyDtoH(&word, a + unit - 4, 4));
	EXPECT(word == 0);

	// The same memory at another address.
	OK(cuMemMap(b, unit, 0, h, 0));
	OK(cuMemSetAccess(b, unit, &both, 1));
	fill<<<1, 64>>>((unsigned *)a, 5, unit / 4);
	OK(cuMemcpyDtoH(&word, b + 400, 4));
	EXPECT(word == 105);
	OK(cuMemsetD32(b, 77, 4));
	OK(cuMemcpyDtoH(&word, a + 12, 4));
	EXPECT(word == 77);

	// Handles are counted; memory goes with its last handle and mapping.
	OK(cuMemRetainAllocationHandle(&again, (void *)(a + 5)));
	EXPECT(again == h);
	CUmemAllocationProp back;
	OK(cuMemGetAllocationPropertiesFromHandle(&back, h));
	EXPECT(back.type == CU_MEM_ALLOCATION_TYPE_PINNED && back.location.type == CU_MEM_LOCATION_TYPE_DEVICE && back.location.id == 0);
	OK(cuMemRelease(h));
	OK(cuMemRelease(h));
	INVALID(cuMemRelease(h));
	OK(cuMemUnmap(a, unit));
	INVALID(cuMemcpyDtoH(&word, a, 4));
	INVALID(cuMemGetAccess(&flags, &prop.location, a));
	OK(cuMemcpyDtoH(&word, b, 4));
	EXPECT(word == 77);
	OK(cuMemRetainAllocationHandle(&h, (void *)b));
	INVALID(cuMemAddressFree(b, unit)); // still mapped
	INVALID(cuMemFree(b));
	OK(cuMemUnmap(b, unit));
	OK(cuMemRelease(h));
	OK(cuMemGetInfo(&after, &total));
	EXPECT(before == after);
	INVALID(cuMemAddressFree(a, unit)); // not the whole
	OK(cuMemAddressFree(a, 2 * unit));
	INVALID(cuMemAddressFree(a, 2 * unit));
	OK(cuMemAddressFree(b, unit));
}

// A vector that grows in place: kernels and copies go over the border of two pieces of memory.
static void grow()
{
	CUdeviceptr a, next, out;
	CUmemGenericAllocationHandle first, second;
	OK(cuMemAddressReserve(&a, unit, 0, 0, 0));
	OK(cuMemAddressReserve(&next, unit, 0, a + unit, 0));
	EXPECT(next == a + unit);
	OK(cuMemCreate(&first, unit, &prop, 0));
	OK(cuMemCreate(&second, unit, &prop, 0));
	OK(cuMemMap(a, unit, 0, first, 0));
	OK(cuMemSetAccess(a, unit, &both, 1));
	OK(cuMemsetD32(a, 1, unit / 4));
	OK(cuMemMap(next, unit, 0, second, 0));
	OK(cuMemSetAccess(next, unit, &both, 1));
	OK(cuMemsetD32(a + unit - 64, 3, 32));
	unsigned words[32];
	OK(cuMemcpyDtoH(words, a + unit - 64, sizeof words));
	EXPECT(words[0] == 3 && words[16] == 3 && words[31] == 3);
	OK(cuMemAlloc(&out, 8));
	sum<<<1, 1>>>((unsigned *)(a + unit - 128), 64, (unsigned long long *)out);
	unsigned long long s = 0;
	OK(cuMemcpyDtoH(&s, out, 8));
	EXPECT(s == 16 + 3 * 32);
	OK(cuMemSetAccess(a, 2 * unit, &both, 1)); // both at once
	OK(cuMemUnmap(a, 2 * unit));
	OK(cuMemRelease(first));
	OK(cuMemRelease(second));
	OK(cuMemAddressFree(a, unit));
	OK(cuMemAddressFree(next, unit));
	OK(cuMemFree(out));
}

// Memory on the host, which program and kernels use at one address; it takes none of the device's.
static void on_host(CUmemLocationType type)
{
	CUmemAllocationProp p = prop;
	p.location.type = type;
	CUmemAccessDesc desc[2] = {both, both};
	desc[0].location = p.location;
	CUdeviceptr a;
	CUmemGenericAllocationHandle h;
	size_t size, before, after, total;
	unsigned long long flags = 9;
	unsigned kind = 0;
	OK(cuMemGetAllocationGranularity(&size, &p, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
	EXPECT(size == unit);
	OK(cuMemGetInfo(&before, &total));
	OK(cuMemCreate(&h, 2 * unit, &p, 0));
	OK(cuMemGetInfo(&after, &total));
	EXPECT(before == after);
	OK(cuMemAddressReserve(&a, 2 * unit, 0, 0, 0));
	OK(cuMemMap(a, 2 * unit, 0, h, 0));
	OK(cuMemSetAccess(a, 2 * unit, desc, 1));
	OK(cuMemGetAccess(&flags, &p.location, a));
	EXPECT(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	OK(cuMemGetAccess(&flags, &prop.location, a));
	EXPECT(flags == CU_MEM_ACCESS_FLAGS_PROT_NONE);
	unsigned *words = (unsigned *)a;
	words[0] = 17; // the host may, the device not yet
	INVALID(cuMemsetD32(a, 1, 1));
	OK(cuMemSetAccess(a, 2 * unit, desc + 1, 1));
	OK(cuMemGetAccess(&flags, &p.location, a));
	EXPECT(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE); // as before
	OK(cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, a));
	EXPECT(kind == CU_MEMORYTYPE_HOST);
	fill<<<1, 64>>>(words + 1, 5, 1000);
	OK(cuCtxSynchronize());
	EXPECT(words[0] == 17 && words[1] == 5 && words[1000] == 1004 && words[1001] == 0);
	INVALID(cuMemFreeHost((void *)a));
	OK(cuMemUnmap(a, 2 * unit));
	OK(cuMemRelease(h));
	OK(cuMemAddressFree(a, 2 * unit));
	int has = 0;
	const int supported = 141; // CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, which CUDA 12.2 brought
	OK(cuDeviceGetAttribute(&has, (CUdevice_attribute)supported, 0));
	EXPECT(has == 1);
}

static void errors()
{
	CUdeviceptr a;
	CUmemGenericAllocationHandle h;
	CUmemAllocationProp p = prop;
	INVALID(cuMemAddressReserve(NULL, unit, 0, 0, 0));
	INVALID(cuMemAddressReserve(&a, 0, 0, 0, 0));
	INVALID(cuMemAddressReserve(&a, unit + 1, 0, 0, 0));
	INVALID(cuMemAddressReserve(&a, unit, 3, 0, 0));
	INVALID(cuMemAddressReserve(&a, unit, 0, 0, 1));
	EXPECT(cuMemAddressReserve(&a, (size_t)1 << 60, 0, 0, 0) == CUDA_ERROR_OUT_OF_MEMORY);
	OK(cuMemAddressReserve(&a, 2 * unit, 16 * unit, 0, 0));
	EXPECT(a % (16 * unit) == 0);
	INVALID(cuMemCreate(NULL, unit, &prop, 0));
	INVALID(cuMemCreate(&h, unit - 4096, &prop, 0));
	INVALID(cuMemCreate(&h, unit, NULL, 0));
	INVALID(cuMemCreate(&h, unit, (CUmemAllocationProp *)16, 0));
	INVALID(cuMemCreate(&h, unit, &prop, 1));
	EXPECT(cuMemCreate(&h, (size_t)1 << 50, &prop, 0) == CUDA_ERROR_OUT_OF_MEMORY);
	p.location.id = 1;
	EXPECT(cuMemCreate(&h, unit, &p, 0) == CUDA_ERROR_INVALID_DEVICE);
	p = prop;
	p.location.type = CU_MEM_LOCATION_TYPE_HOST_NUMA;
	p.location.id = 9;
	INVALID(cuMemCreate(&h, unit, &p, 0)); // there is one node
	p.location.type = CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT;
	INVALID(cuMemCreate(&h, unit, &p, 0));
	p.location.type = CU_MEM_LOCATION_TYPE_HOST;
	p.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
	INVALID(cuMemCreate(&h, unit, &p, 0));
	p = prop;
	p.requestedHandleTypes = CU_MEM_HANDLE_TYPE_FABRIC;
	EXPECT(cuMemCreate(&h, unit, &p, 0) == CUDA_ERROR_NOT_SUPPORTED);
	p = prop;
	p.type = (CUmemAllocationType)7;
	INVALID(cuMemCreate(&h, unit, &p, 0));
	OK(cuMemCreate(&h, unit, &prop, 0));
	INVALID(cuMemMap(a, unit, 0, h + 8, 0));
	INVALID(cuMemMap(a, unit, 0, 0, 0));
	INVALID(cuMemMap(a, unit, unit, h, 0));
	INVALID(cuMemMap(a, 2 * unit, 0, h, 0));
	INVALID(cuMemMap(a + 4096, unit, 0, h, 0));
	INVALID(cuMemMap(a + 2 * unit, unit, 0, h, 0));
	INVALID(cuMemMap(a, unit, 0, h, 1));
	OK(cuMemMap(a, unit, 0, h, 0));
	INVALID(cuMemMap(a, unit, 0, h, 0));
	INVALID(cuMemSetAccess(a, 2 * unit, &both, 1));
	INVALID(cuMemSetAccess(a, unit, NULL, 1));
	INVALID(cuMemSetAccess(a, unit, &both, 0));
	CUmemAccessDesc d = both;
	d.location.id = 2;
	EXPECT(cuMemSetAccess(a, unit, &d, 1) == CUDA_ERROR_INVALID_DEVICE);
	d = both;
	d.flags = (CUmemAccess_flags)2;
	INVALID(cuMemSetAccess(a, unit, &d, 1));
	d = both;
	d.location.type = CU_MEM_LOCATION_TYPE_HOST_NUMA;
	INVALID(cuMemSetAccess(a, unit, &d, 1)); // device memory
	INVALID(cuMemUnmap(a + unit, unit));
	INVALID(cuMemUnmap(a, 2 * unit));
	INVALID(cuMemGetAllocationPropertiesFromHandle(&p, 0));
	INVALID(cuMemRetainAllocationHandle(&h, (void *)(a + unit)));
	int fd;
	INVALID(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0)); // not made for it
	INVALID(cuMemImportFromShareableHandle(&h, (void *)0, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
	INVALID(cuMemImportFromShareableHandle(&h, (void *)-1L, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
	OK(cuMemUnmap(a, unit));
	OK(cuMemRelease(h));
	OK(cuMemAddressFree(a, 2 * unit));
}

// A child that began before the first CUDA call gets the memory by its descriptor and adds to it.
static void send_fd(int socket, int fd)
{
	char byte = 0, room[CMSG_SPACE(sizeof fd)];
	iovec v = {&byte, 1};
	msghdr m = {};
	memset(room, 0, sizeof room);
	m.msg_iov = &v;
	m.msg_iovlen = 1;
	m.msg_control = room;
	m.msg_controllen = sizeof room;
	cmsghdr *c = CMSG_FIRSTHDR(&m);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof fd);
	memcpy(CMSG_DATA(c), &fd, sizeof fd);
	EXPECT(sendmsg(socket, &m, 0) == 1);
}

static int receive_fd(int socket)
{
	char byte, room[CMSG_SPACE(sizeof(int))];
	iovec v = {&byte, 1};
	msghdr m = {};
	int fd = -1;
	m.msg_iov = &v;
	m.msg_iovlen = 1;
	m.msg_control = room;
	m.msg_controllen = sizeof room;
	if (recvmsg(socket, &m, 0) == 1 && CMSG_FIRSTHDR(&m))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof fd);
	return fd;
}

static void begin()
{
	CUcontext context;
	OK(cuInit(0));
	OK(cuDevicePrimaryCtxRetain(&context, 0));
	OK(cuCtxSetCurrent(context));
	prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
	prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	both.location = reads.location = prop.location;
	both.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	reads.flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
}

static int child(int socket)
{
	CUdeviceptr a;
	CUmemGenericAllocationHandle h;
	unsigned words[2] = {0};
	int fd = receive_fd(socket);
	begin();
	OK(cuMemImportFromShareableHandle(&h, (void *)(long)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
	close(fd);
	OK(cuMemAddressReserve(&a, unit, 0, 0, 0));
	OK(cuMemMap(a, unit, 0, h, 0));
	OK(cuMemSetAccess(a, unit, &both, 1));
	OK(cuMemcpyDtoH(words, a, 8));
	EXPECT(words[0] == 40 && words[1] == 41);
	fill<<<1, 1>>>((unsigned *)a + 1, 90, 1);
	OK(cuCtxSynchronize());
	return failures;
}

static void share(int socket, pid_t other)
{
	CUdeviceptr a;
	CUmemGenericAllocationHandle h;
	CUmemAllocationProp p = prop;
	int fd = -1, status = -1;
	unsigned words[2];
	p.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
	OK(cuMemCreate(&h, unit, &p, 0));
	OK(cuMemAddressReserve(&a, unit, 0, 0, 0));
	OK(cuMemMap(a, unit, 0, h, 0));
	OK(cuMemSetAccess(a, unit, &both, 1));
	fill<<<1, 1>>>((unsigned *)a, 40, 2);
	OK(cuCtxSynchronize());
	INVALID(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_FABRIC, 0));
	OK(cuMemExportToShareableHandle(&fd, h, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	send_fd(socket, fd);
	shutdown(socket, SHUT_WR); // the other process waits for no more, should nothing have been sent
	close(fd);
	EXPECT(waitpid(other, &status, 0) == other && WIFEXITED(status) && !WEXITSTATUS(status));
	OK(cuMemcpyDtoH(words, a, 8));
	EXPECT(words[0] == 40 && words[1] == 90);
	OK(cuMemUnmap(a, unit));
	OK(cuMemRelease(h));
	OK(cuMemAddressFree(a, unit));
}

// Memory that kernels may only read, and the fault of a kernel that writes it: the last thing this process does.
static void read_only()
{
	CUdeviceptr a, out;
	CUmemGenericAllocationHandle h;
	unsigned long long s = 0;
	OK(cuMemCreate(&h, unit, &prop, 0));
	OK(cuMemAddressReserve(&a, unit, 0, 0, 0));
	OK(cuMemMap(a, unit, 0, h, 0));
	OK(cuMemSetAccess(a, unit, &both, 1));
	OK(cuMemsetD32(a, 2, 16));
	OK(cuMemSetAccess(a, unit, &reads, 1));
	OK(cuMemAlloc(&out, 8));
	sum<<<1, 1>>>((unsigned *)a, 16, (unsigned long long *)out);
	OK(cuMemcpyDtoH(&s, out, 8));
	EXPECT(s == 32);
	fill<<<1, 1>>>((unsigned *)a, 0, 1);
	EXPECT(cuCtxSynchronize() == CUDA_ERROR_ILLEGAL_ADDRESS);
}

int main()
{
	int pair[2];
	EXPECT(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	pid_t other = fork();
	if (!other)
		return close(pair[0]), child(pair[1]);
	CUdeviceptr a;
	EXPECT(cuMemAddressReserve(&a, unit, 0, 0, 0) == CUDA_ERROR_NOT_INITIALIZED);
	begin();
	map_and_use();
	grow();
	on_host(CU_MEM_LOCATION_TYPE_HOST);
	on_host(CU_MEM_LOCATION_TYPE_HOST_NUMA);
	errors();
	share(pair[0], other);
	read_only();
	puts(failures ? "FAIL" : "PASS");
	return failures != 0;
}
