// A memory request: what leaves a coalescer or a cache, crosses the network, is served by a memory partition and comes
// back. A unit that holds the pointer owns the request. Requests come out of pools: the GPU has one, and each
// cluster of SMs and each channel of the memory side has one, so that it makes and frees its own without looking at others.
#ifndef GPGPU_SIM_REQUEST_MEM_REQ_H
#define GPGPU_SIM_REQUEST_MEM_REQ_H

#include "base/assert.h"

#include <stdbool.h>
#include <stdint.h>

// What a request is for. X(name): the text is what statistics print, see docs/statistics.md.
#define MEM_ACCESS_TYPES(X)                                                                            \
	X(GLOBAL_ACC_R) X(LOCAL_ACC_R) X(CONST_ACC_R) X(TEXTURE_ACC_R) X(GLOBAL_ACC_W) X(LOCAL_ACC_W)  \
	X(L1_WRBK_ACC) X(L2_WRBK_ACC) X(INST_ACC_R) X(L1_WR_ALLOC_R) X(L2_WR_ALLOC_R)

enum mem_access_type {
#define X(name) name,
	MEM_ACCESS_TYPES(X)
#undef X
	MEM_N_ACCESS_TYPES
};

extern const char *const mem_access_name[MEM_N_ACCESS_TYPES];

enum {
	MEM_SECTOR = 32,      // bytes of a sector: the unit of transfer from Volta on
	MEM_LINE_SECTORS = 4, // sectors of the largest line (128 bytes)
	MEM_MAX_LINE = 128,
	MEM_CONTROL = 8       // bytes of a packet without data, GPGPU-Sim's READ_PACKET_SIZE and WRITE_PACKET_SIZE
};

// Bytes of a line, bit i for byte i.
struct mem_bytes {
	uint64_t w[2];
};

// (Plain x86-64 has no instruction that counts bits.)
static inline unsigned mem_bytes_count(const struct mem_bytes *b)
{
	unsigned n = 0;
	for (unsigned i = 0; i < 2; i++) {
		uint64_t v = b->w[i];
		v -= v >> 1 & 0x5555555555555555;
		v = (v & 0x3333333333333333) + (v >> 2 & 0x3333333333333333);
		n += (unsigned)(((v + (v >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56);
	}
	return n;
}

// Where an address lies in DRAM.
struct mem_place {
	uint16_t channel, bank;
	uint32_t row, column;
	uint16_t sub;           // global number of the sub-partition: channel * sub-partitions per channel + which
	uint64_t offset;        // address inside the channel, the channel bits taken out: what L2 indexes with
};

enum { MEM_NO_WARP = 0xffff, MEM_NO_INST = 0xffffffffu };

// Where a request was last seen.
enum mem_stage { MEM_IN_SM, MEM_IN_NETWORK, MEM_IN_PARTITION, MEM_AT_DRAM, MEM_ON_WAY_BACK };

// Where a request stands between the halves of L2 (memory/partition_halves.h).
enum l2_way {
	L2_HOME,     // it goes to its home, and no further; all of a GPU whose L2 is one
	L2_FROM_FAR, // the same, from an SM of the other half
	L2_COPY,     // it goes to the partner of its home
	L2_VISIT     // that had no copy: it is at its home for one
};

// Two cache lines of the host, each fetched as a whole; what every station looks at stands in the first.
struct mem_req {
	// A request stands in one chain at a time: of a warp instruction (winst.access), an MSHR entry in which it is not the
	// first (mshr.h), the answers of a unit of bulk copies, or those that go home to their pool. NULL when it stands in none.
	_Alignas(64) struct mem_req *next;
	uint64_t addr;
	uint32_t bytes;         // of data asked for or carried
	uint8_t type;           // enum mem_access_type
	uint8_t cache_op;       // enum isa_cache_op
	uint8_t sectors;        // bit per sector of the 128-byte line
	uint8_t stage;          // enum mem_stage
	bool write : 1, atomic : 1;
	bool l1_allocates : 1;  // false: the answer passes L1 by
	bool bulk : 1;          // of a bulk copy: inst is its number in the SM's unit (sm/bulk.h)
	bool prefetch : 1;      // a cache asks before anybody needs it: the one whose ..._WR_ALLOC_R it is
	bool placed : 1;        // place is that of addr; until it leaves its SM
	bool reply;             // on its way back; a byte of its own: who sent it looks at the others meanwhile
	uint8_t l2_way;         // enum l2_way
	uint8_t incomplete;     // sectors of a write-back of which some bytes are not known
	uint16_t sm, warp;      // who asked; MEM_NO_WARP for write-backs. sm counts over the GPU
	uint16_t stream;        // dense number of the stream, for statistics
	uint16_t pool;          // number of the pool that it goes back to
	uint32_t inst;          // slot of the warp instruction in the SM, MEM_NO_INST if none
	uint32_t lanes;         // threads that take part
	uint32_t serial;        // the n-th request of its pool: with that a stable name for reports; 0: free
	// Of a sector of a read that was split: the request itself, which stays with who sent it until all sectors came. Of
	// the fetch of a write that waits for its line (F): that write. Else NULL.
	struct mem_req *origin;
	uint64_t since;         // core cycle in which it came to its stage; MEM_IN_SM: not kept

	uint64_t created;       // core cycle
	struct mem_place place;
	struct mem_bytes mask;  // bytes touched, for stores and atomics
	uint32_t pc_line;       // for counters of source lines: winst.line of the instruction, 0 none
	uint32_t entry[3];      // of the MSHRs of an L1, an L2 and the L2 that keeps a copy, while it is what they have sent down
};
_Static_assert(sizeof(struct mem_req) == 128, "two cache lines");

static inline void mem_req_moved(struct mem_req *r, enum mem_stage stage, uint64_t now)
{
	r->stage = (uint8_t)stage;
	r->since = now;
}

struct mem_pool;

// A pool of `first` requests; it grows when all are out, which queues of the configuration bound to some dozen times.
struct mem_pool *mem_pool_new(uint32_t first);
// Another pool of the family that `eldest`, a pool made by mem_pool_new, begins.
struct mem_pool *mem_pool_beside(struct mem_pool *eldest, uint32_t first);
void mem_pool_free(struct mem_pool *eldest); // and its family
struct mem_req *mem_req_new(struct mem_pool *p); // all zero but serial, pool, inst and warp (none)
struct mem_req *mem_req_copy(struct mem_pool *p, const struct mem_req *of); // but serial and pool, and in no chain
// Back to the pool that it came from, one of p's family.
void mem_req_free(struct mem_pool *p, struct mem_req *r);
// From now on each pool of the family is used by one thread at a time, and different ones by different threads at the same time: a request
// of another pool that is freed waits with p until mem_pool_home, which is called while no pool is in use.
void mem_pool_apart(struct mem_pool *p, bool on);
void mem_pool_home(struct mem_pool *p);
// Of the whole family, in the order in which its pools were made:
void mem_pool_each(const struct mem_pool *p, void (*f)(void *ctx, const struct mem_req *r), void *ctx); // not yet freed
uint64_t mem_pool_made(const struct mem_pool *p); // requests so far
uint64_t mem_pool_live(const struct mem_pool *p); // requests not yet freed; 0 when the GPU is idle

// Bytes of a packet in the network: control plus data that it carries in this direction.
static inline uint32_t mem_packet_bytes(const struct mem_req *r)
{
	bool data = r->reply ? !r->write : r->write || r->atomic;
	return MEM_CONTROL + (data ? r->bytes : 0);
}

#endif
