#include "libcuda/memory/virtual.h"

#include "base/mem.h"
#include "libcuda/context/context.h"
#include "libcuda/context/guard.h"
#include "libcuda/memory/alloc.h"
#include "libcuda/work/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(sizeof(struct allocation_prop) == 32, "13.0");

enum { TYPE_PINNED = 1, TYPE_MANAGED, HANDLE_FD = 1, HANDLE_ALL = 15 };
enum { PLACE_DEVICE = 1, PLACE_HOST, PLACE_NUMA, PLACE_NUMA_CURRENT, PLACE_LAST = PLACE_NUMA_CURRENT };
enum { ACCESS_NONE = 0, ACCESS_READ = 1, ACCESS_READ_WRITE = 3 };

// Memory. `file` is the common one unless it may be shared.
struct physical {
	unsigned refs, mappings; // the program's handles, and where it is mapped
	uint64_t id, size;
	uint64_t offset; // in the file
	int file;
	bool imported;   // another process's memory
	struct allocation_prop prop;
};

struct reservation {
	uint64_t base, size;
};

struct mapping {
	uint64_t base, size;
	struct physical *memory;
	int access;      // of the device
	int host_access; // asked for; what the device may use, the program's own instructions reach too
};

static struct handle_pool memories = {.size = sizeof(struct physical)};
static VEC(struct reservation) reservations; // sorted by address, as the others
static VEC(struct mapping) mappings;
static VEC(uint64_t) shown;      // where ranges of adjacent mappings with one access begin
static uint64_t room_base, room_size; // where reservations lie
static int common_file = -1;
static uint64_t common_size, next_id;

static const char shared_name[] = "heddle-shared-memory";

// --- addresses

// As for device memory, a fixed place makes addresses the same in every run. Both are free in an ordinary process. Where address space is
// scarce (ulimit -v) there is less room, in the same places if they are free. The thread sanitizer leaves a program what begins at
// 0x7e8000000000; device memory lies there too.
static bool make_room(void)
{
	static const struct {
		uint64_t at, size;
	} places[] = {
#ifdef __SANITIZE_THREAD__
		{0x7ed000000000, 1ull << 37},
#endif
		{0x7d0000000000, 3ull << 39}, {0x200000000000, 3ull << 39}, {0x7d0000000000, 1ull << 37}, {0x200000000000, 1ull << 37},
		{0x7d0000000000, 1ull << 34}, {0x200000000000, 1ull << 34}, {0, 3ull << 39}, {0, 1ull << 37}, {0, 1ull << 34},
	};
	for (size_t i = 0; i < sizeof places / sizeof *places && !room_size; i++) {
		void *p = mem_reserve((void *)(uintptr_t)places[i].at, places[i].size);
		if (!p)
			continue;
		room_base = (uint64_t)(uintptr_t)p;
		room_size = places[i].size;
	}
	return room_size;
}

static uint64_t up(uint64_t v, uint64_t to) { return (v + to - 1) & ~(to - 1); }

static bool fits(uint64_t addr, uint64_t size, uint64_t align, uint64_t end) { return !(addr & (align - 1)) && addr <= end && end - addr >= size; }

// The place of a new reservation: `wanted`, or the first that is free. *at is where it goes in the table.
static uint64_t find_place(uint64_t size, uint64_t align, uint64_t wanted, size_t *at)
{
	uint64_t from = room_base, found = 0;
	for (size_t i = 0; i <= reservations.n; i++) {
		uint64_t end = i < reservations.n ? reservations.at[i].base : room_base + room_size;
		if (wanted >= from && fits(wanted, size, align, end)) {
			*at = i;
			return wanted;
		}
		if (!found && fits(up(from, align), size, align, end)) {
			*at = i;
			found = up(from, align);
		}
		if (i < reservations.n)
			from = reservations.at[i].base + reservations.at[i].size;
	}
	return found;
}

cudaError_t virtual_reserve(uint64_t *out, size_t size, size_t align, uint64_t wanted, unsigned long long flags)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	size_t at = 0;
	if (!GUARD_OUT(out) || !size || size % page || wanted % page || align & (align - 1) || flags)
		return cudaErrorInvalidValue;
	if (!make_room() || size > room_size || align > room_size)
		return cudaErrorMemoryAllocation;
	uint64_t base = find_place(size, align > VIRTUAL_GRANULARITY ? align : VIRTUAL_GRANULARITY, wanted, &at);
	if (!base)
		return cudaErrorMemoryAllocation;
	VEC_PUSH(&reservations, (struct reservation){0});
	memmove(&reservations.at[at + 1], &reservations.at[at], (reservations.n - 1 - at) * sizeof *reservations.at);
	reservations.at[at] = (struct reservation){base, size};
	*out = base;
	return cudaSuccess;
}

// The number of mappings that begin below addr.
static size_t below(uint64_t addr)
{
	size_t i = 0;
	while (i < mappings.n && mappings.at[i].base < addr)
		i++;
	return i;
}

static bool overlaps(uint64_t addr, uint64_t size)
{
	size_t i = below(addr + size);
	return i && mappings.at[i - 1].base + mappings.at[i - 1].size > addr;
}

cudaError_t virtual_free(uint64_t addr, size_t size)
{
	size_t i = 0;
	while (i < reservations.n && reservations.at[i].base != addr)
		i++;
	if (i == reservations.n || reservations.at[i].size != size)
		return cudaErrorInvalidValue;
	if (overlaps(addr, size)) {
		cu_complain("memory is still mapped there");
		return cudaErrorInvalidValue;
	}
	memmove(&reservations.at[i], &reservations.at[i + 1], (reservations.n - i - 1) * sizeof *reservations.at);
	reservations.n--;
	return cudaSuccess;
}

// --- memory

static struct physical *memory_find(virtual_handle h) { return h && handle_valid(&memories, h) && h->refs ? h : NULL; }

static cudaError_t check_prop(struct allocation_prop *out, const struct allocation_prop *given)
{
	if (!given || !guard_read(out, given, sizeof *out) || out->type < TYPE_PINNED || out->type > TYPE_MANAGED ||
	    out->location.type < PLACE_DEVICE || out->location.type > PLACE_LAST || out->handle_types & ~HANDLE_ALL || out->win32)
		return cudaErrorInvalidValue;
	if (out->location.type == PLACE_NUMA_CURRENT || (out->location.type == PLACE_HOST && out->handle_types) ||
	    (out->location.type == PLACE_NUMA && out->location.id)) // there is one node
		return cudaErrorInvalidValue;
	if (out->type == TYPE_MANAGED || out->handle_types & ~HANDLE_FD)
		return cudaErrorNotSupported;
	return out->location.type == PLACE_DEVICE && out->location.id ? cudaErrorInvalidDevice : cudaSuccess;
}

static bool on_host(const struct physical *m) { return m->prop.location.type != PLACE_DEVICE; }

// What of the device's memory it takes.
static uint64_t device_bytes(const struct physical *m) { return m->imported || on_host(m) ? 0 : m->size; }

static int new_file(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);
	if (fd < 0)
		cu_complain("cannot make a file in memory: %s", strerror(errno));
	return fd;
}

// Bytes of a file for new memory, which read zero.
static bool take_bytes(struct physical *m, bool shared)
{
	if (shared) {
		m->file = new_file(shared_name);
		return m->file >= 0 && !ftruncate(m->file, (off_t)m->size);
	}
	if (common_file < 0)
		common_file = new_file("heddle-memory");
	m->file = common_file;
	m->offset = common_size;
	if (common_file < 0 || ftruncate(common_file, (off_t)(common_size + m->size)))
		return false;
	common_size += m->size; // the place is not used again, but its pages are given back
	return true;
}

static void forget(struct physical *m)
{
	if (m->refs || m->mappings)
		return;
	if (m->file != common_file)
		close(m->file);
	else
		fallocate(m->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)m->offset, (off_t)m->size);
	cu.mem->in_use -= device_bytes(m);
	handle_free(&memories, m);
}

static struct physical *memory_new(size_t size, const struct allocation_prop *p)
{
	struct physical *m = handle_new(&memories);
	*m = (struct physical){.refs = 1, .id = ++next_id, .size = size, .prop = *p, .file = -1};
	m->prop.compression = m->prop.rdma = 0; // hints; "query the properties to see what was given"
	return m;
}

cudaError_t virtual_create(virtual_handle *out, size_t size, const struct allocation_prop *prop, unsigned long long flags)
{
	struct allocation_prop p;
	if (!GUARD_OUT(out) || !size || size % VIRTUAL_GRANULARITY || flags)
		return cudaErrorInvalidValue;
	cudaError_t e = check_prop(&p, prop);
	if (e)
		return e;
	if (p.location.type == PLACE_DEVICE && !memory_room(size))
		return cudaErrorMemoryAllocation;
	struct physical *m = memory_new(size, &p);
	if (!take_bytes(m, p.handle_types)) {
		if (m->file >= 0 && m->file != common_file)
			close(m->file);
		handle_free(&memories, m);
		return cudaErrorMemoryAllocation;
	}
	cu.mem->in_use += device_bytes(m);
	*out = m;
	return cudaSuccess;
}

cudaError_t virtual_release(virtual_handle h)
{
	struct physical *m = memory_find(h);
	if (!m)
		return cudaErrorInvalidValue;
	m->refs--;
	forget(m);
	return cudaSuccess;
}

// --- mappings

static enum devmem_kind kind_of(const struct mapping *m)
{
	return on_host(m->memory) ? DEVMEM_HOST : m->access == ACCESS_READ ? DEVMEM_CONST : DEVMEM_DEVICE;
}

// Adjacent mappings with the same access are one range for kernels and copies, as one address range is on a GPU. Memory of the host
// that only the program may use is none.
static void show(void)
{
	for (size_t i = 0; i < shown.n; i++)
		devmem_hide(cu.mem, shown.at[i]);
	shown.n = 0;
	for (size_t i = 0, k; i < mappings.n; i = k) {
		const struct mapping *first = &mappings.at[i];
		uint64_t end = first->base;
		for (k = i; k < mappings.n && mappings.at[k].base == end && mappings.at[k].access == first->access &&
		            kind_of(&mappings.at[k]) == kind_of(first);
		     k++)
			end += mappings.at[k].size;
		if (!first->access)
			continue;
		devmem_show(cu.mem, first->base, end - first->base, kind_of(first), RANGE_MAPPED);
		VEC_PUSH(&shown, first->base);
	}
}

static bool reserved(uint64_t addr, uint64_t size)
{
	for (size_t i = 0; i < reservations.n; i++) {
		const struct reservation *r = &reservations.at[i];
		if (addr >= r->base && addr - r->base < r->size && size <= r->size - (addr - r->base))
			return true;
	}
	return false;
}

// "offset: currently must be zero"
cudaError_t virtual_map(uint64_t addr, size_t size, size_t offset, virtual_handle h, unsigned long long flags)
{
	struct physical *m = memory_find(h);
	if (!m || flags || offset || !size || size % VIRTUAL_GRANULARITY || addr % VIRTUAL_GRANULARITY || size > m->size ||
	    !reserved(addr, size) || overlaps(addr, size))
		return cudaErrorInvalidValue;
	void *at = (void *)(uintptr_t)addr;
	if (mmap(at, size, PROT_NONE, MAP_SHARED | MAP_FIXED, m->file, (off_t)m->offset) == MAP_FAILED) {
		cu_complain("cannot map memory: %s", strerror(errno));
		return cudaErrorMemoryAllocation;
	}
	size_t i = below(addr);
	VEC_PUSH(&mappings, (struct mapping){0});
	memmove(&mappings.at[i + 1], &mappings.at[i], (mappings.n - 1 - i) * sizeof *mappings.at);
	mappings.at[i] = (struct mapping){addr, size, m, ACCESS_NONE, ACCESS_NONE};
	cu.host_visible += on_host(m);
	m->mappings++;
	return cudaSuccess;
}

// The mappings [*first, *last) that are exactly [addr, addr + size).
static bool covered(uint64_t addr, uint64_t size, size_t *first, size_t *last)
{
	uint64_t at = addr;
	*first = *last = below(addr);
	while (*last < mappings.n && mappings.at[*last].base == at && at - addr < size)
		at += mappings.at[(*last)++].size;
	return size && at - addr == size;
}

cudaError_t virtual_unmap(uint64_t addr, size_t size)
{
	size_t first, last;
	if (!covered(addr, size, &first, &last))
		return cudaErrorInvalidValue;
	cudaError_t e = wait_all();
	if (e || !covered(addr, size, &first, &last)) // another thread was faster
		return e ? e : cudaErrorInvalidValue;
	mmap((void *)(uintptr_t)addr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	for (size_t i = first; i < last; i++) {
		mappings.at[i].memory->mappings--;
		if (on_host(mappings.at[i].memory) && cu.host_visible)
			cu.host_visible--;
		forget(mappings.at[i].memory);
	}
	memmove(&mappings.at[first], &mappings.at[last], (mappings.n - last) * sizeof *mappings.at);
	mappings.n -= last - first;
	show();
	return cudaSuccess;
}

// What is asked for the device and for the host; -1 where nothing is.
struct wanted {
	int device, host;
};

static cudaError_t read_access(struct wanted *w, const struct cudaMemAccessDesc *d, size_t n)
{
	struct cudaMemAccessDesc a;
	*w = (struct wanted){-1, -1};
	if (!d || !n)
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < n; i++) {
		if (!guard_read(&a, &d[i], sizeof a) || (a.flags != ACCESS_NONE && a.flags != ACCESS_READ && a.flags != ACCESS_READ_WRITE) ||
		    a.location.type < PLACE_DEVICE || a.location.type > PLACE_LAST)
			return cudaErrorInvalidValue;
		if (a.location.type == PLACE_DEVICE && a.location.id)
			return cudaErrorInvalidDevice;
		*(a.location.type == PLACE_DEVICE ? &w->device : &w->host) = a.flags;
	}
	return cudaSuccess;
}

static bool host_may(size_t first, size_t last)
{
	while (first < last && on_host(mappings.at[first].memory))
		first++;
	return first == last;
}

cudaError_t virtual_set_access(uint64_t addr, size_t size, const struct cudaMemAccessDesc *d, size_t n)
{
	size_t first, last;
	struct wanted w;
	cudaError_t e = read_access(&w, d, n);
	if (e)
		return e;
	// The host cannot be given memory that is elsewhere.
	if (!covered(addr, size, &first, &last) || (w.host >= 0 && !host_may(first, last)))
		return cudaErrorInvalidValue;
	for (size_t i = first; i < last; i++) {
		struct mapping *m = &mappings.at[i];
		int device = w.device >= 0 ? w.device : m->access, host = w.host >= 0 ? w.host : m->host_access;
		int protection = device || host ? PROT_READ | PROT_WRITE : PROT_NONE; // copies write what kernels may only read
		if (mprotect((void *)(uintptr_t)m->base, m->size, protection))
			return cudaErrorMemoryAllocation;
		m->access = device;
		m->host_access = host;
	}
	show();
	return cudaSuccess;
}

static struct mapping *mapping_at(uint64_t addr)
{
	size_t i = below(addr + 1);
	return i && addr - mappings.at[i - 1].base < mappings.at[i - 1].size ? &mappings.at[i - 1] : NULL;
}

cudaError_t virtual_get_access(unsigned long long *flags, const struct cudaMemLocation *given, uint64_t addr)
{
	struct cudaMemLocation l;
	const struct mapping *m = mapping_at(addr);
	if (!GUARD_OUT(flags) || !GUARD_IN(l, given) || l.type < PLACE_DEVICE || l.type > PLACE_LAST || !m)
		return cudaErrorInvalidValue;
	if (l.type == PLACE_DEVICE && l.id)
		return cudaErrorInvalidDevice;
	*flags = (unsigned long long)(l.type == PLACE_DEVICE ? m->access : m->host_access);
	return cudaSuccess;
}

// --- what is asked about it

cudaError_t virtual_granularity(size_t *out, const struct allocation_prop *prop, int option)
{
	enum { MINIMUM, RECOMMENDED };
	struct allocation_prop p;
	if (!GUARD_OUT(out) || option < MINIMUM || option > RECOMMENDED)
		return cudaErrorInvalidValue;
	cudaError_t e = check_prop(&p, prop);
	if (!e)
		*out = VIRTUAL_GRANULARITY;
	return e;
}

cudaError_t virtual_properties(struct allocation_prop *out, virtual_handle h)
{
	const struct physical *m = memory_find(h);
	if (!GUARD_OUT(out) || !m)
		return cudaErrorInvalidValue;
	*out = m->prop;
	return cudaSuccess;
}

// A handle may be had again of memory whose handles were all released while it is mapped.
cudaError_t virtual_retain(virtual_handle *out, const void *addr)
{
	struct mapping *m = mapping_at((uint64_t)(uintptr_t)addr);
	if (!GUARD_OUT(out) || !m)
		return cudaErrorInvalidValue;
	m->memory->refs++;
	*out = m->memory;
	return cudaSuccess;
}

bool virtual_find(struct virtual_mapping *out, uint64_t addr)
{
	const struct mapping *m = mapping_at(addr);
	if (m)
		*out = (struct virtual_mapping){m->base, m->size, m->memory->id, m->memory->prop.handle_types};
	return m;
}

// --- other processes

cudaError_t virtual_export(void *out, virtual_handle h, int type, unsigned long long flags)
{
	const struct physical *m = memory_find(h);
	if (!out || !m || flags || type != HANDLE_FD || !(m->prop.handle_types & HANDLE_FD))
		return cudaErrorInvalidValue;
	int fd = fcntl(m->file, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return cudaErrorOperatingSystem;
	if (guard_write(out, &fd, sizeof fd))
		return cudaSuccess;
	close(fd);
	return cudaErrorInvalidValue;
}

// Whether a descriptor is one that virtual_export gave, here or in another process.
static bool ours(int fd, uint64_t *size)
{
	char path[64], target[128];
	struct stat s;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	ssize_t n = readlink(path, target, sizeof target - 1);
	if (n < 0 || fstat(fd, &s))
		return false;
	target[n] = 0;
	*size = (uint64_t)s.st_size;
	return !strncmp(target, "/memfd:", 7) && !strncmp(target + 7, shared_name, strlen(shared_name)) && *size &&
	       *size % VIRTUAL_GRANULARITY == 0;
}

cudaError_t virtual_import(virtual_handle *out, void *os_handle, int type)
{
	int given = (int)(intptr_t)os_handle;
	uint64_t size;
	if (!out || type < HANDLE_FD || type > HANDLE_ALL || type & (type - 1))
		return cudaErrorInvalidValue;
	if (type != HANDLE_FD)
		return cudaErrorNotSupported;
	if (!ours(given, &size)) {
		cu_complain("descriptor %d is no exported device memory", given);
		return cudaErrorInvalidValue;
	}
	int fd = fcntl(given, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return cudaErrorOperatingSystem;
	struct allocation_prop p = {.type = TYPE_PINNED, .handle_types = HANDLE_FD, .location = {PLACE_DEVICE, 0}};
	struct physical *m = memory_new(size, &p);
	m->file = fd;
	m->imported = true;
	*out = m;
	return cudaSuccess;
}
