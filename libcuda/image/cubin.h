// What a cubin says about its kernels and variables: the compiler's own register count, memory sizes, parameter layout and
// where variables lie. Heddle does not run the machine code; it takes the figures, since they decide how many CTAs fit on an
// SM and which variables share a line.
#ifndef LIBCUDA_IMAGE_CUBIN_H
#define LIBCUDA_IMAGE_CUBIN_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/vec.h"
#include "isa/kernel.h"
#include "isa/variables.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cubin_param {
	unsigned offset, size; // bytes, offset from the start of the parameters
};

struct cubin_kernel {
	const char *name; // the PTX entry name
	unsigned registers;       // per thread
	unsigned reserved_shared; // bytes the system takes of each CTA besides: 1024 from sm_90 on
	struct kernel_machine machine; // spills count to the stack; callees do not if they recurse
	bool stack_known; // machine.stack counts all that it calls
	unsigned max_threads, required[3]; // __launch_bounds__, a block's size that was promised; 0: none
	unsigned cluster[3], max_cluster;  // as in kernel_info
	bool explicit_cluster, blocks_are_clusters;
	unsigned param_bytes;
	unsigned n_params;
	struct cubin_param *param;
};

struct cubin {
	unsigned arch; // 90 for sm_90
	unsigned target; // 80 if it was compiled from code for compute_80
	VEC(struct cubin_kernel) kernel;
	struct map by_name; // to the kernel's number + 1
	struct variable_layout variables; // those of the symbol table; all lie inside their sections
	VEC(struct variable_place) places; // variables.at
};

// Reads `size` bytes of a cubin. Names and parameters live in `arena`. False and an error if it is no cubin or damaged;
// figures it does not state are 0. Free `out` in both cases.
bool cubin_read(struct cubin *out, const void *data, size_t size, struct arena *arena, struct diag *d);

// The architecture that a cubin is for, 90 for sm_90; 0 if it is none.
unsigned cubin_arch(const void *data, size_t size);

// Attributes of .nv.info sections, found by comparing the output of ptxas -v with the sections (CUDA 11.8 and 13.0).
enum cubin_attribute {
	ATTR_CTAIDZ_USED = 0x04,
	ATTR_MAX_THREADS = 0x05,  // u32 x, y, z: a block has as many threads as these multiplied, or fewer
	ATTR_PARAM_CBANK = 0x0a,  // symbol, u16 offset, u16 bytes of the parameters in constant bank 0
	ATTR_EXTERNS = 0x0f,      // symbols of functions that it calls and that are elsewhere
	ATTR_REQNTID = 0x10,      // u32 x, y, z of a block, exactly
	ATTR_FRAME_SIZE = 0x11,   // symbol, bytes
	ATTR_MIN_STACK_SIZE = 0x12, // symbol, bytes including the functions it calls; all bits set: functions recurse
	ATTR_KPARAM_INFO = 0x17,  // u32 index, u16 ordinal, u16 offset, u32 whose upper 14 bits are the size
	ATTR_CBANK_PARAM_SIZE = 0x19, // bytes of the parameters
	ATTR_MAXREG_COUNT = 0x1b,
	ATTR_EXIT_OFFSETS = 0x1c, // u32 offset in the code of each EXIT
	ATTR_CRS_STACK_SIZE = 0x1e, // of kernels that call
	ATTR_WMMA_USED = 0x2b,
	ATTR_REGCOUNT = 0x2f,     // symbol, registers
	ATTR_BRANCH_TARGETS = 0x34, // per BRX: u32 its offset, u32 0, u32 n, n offsets of where it may go
	ATTR_AMPERE = 0x35,       // sm_80 to sm_88 have it
	ATTR_API_VERSION = 0x37,
	ATTR_NUM_MBARRIERS = 0x38, ATTR_MBARRIER_OFFSETS = 0x39,
	ATTR_CTA_PER_CLUSTER = 0x3d, // u32 x, y, z: blocks of a cluster
	ATTR_EXPLICIT_CLUSTER = 0x3e, // it is launched with clusters only
	ATTR_MAX_CLUSTER_RANK = 0x3f, // u32 blocks of a cluster at most
	ATTR_BLOCKS_ARE_CLUSTERS = 0x5b,
	ATTR_KPARAM_INFO_V2 = 0x45, // the same as KPARAM_INFO with the size in the lower half; where parameters exceed 4 KB
	ATTR_SYSCALL_OFFSETS = 0x46, // pcs of calls of functions that are elsewhere
	ATTR_NUM_BARRIERS = 0x4c, // the highest barrier + 1
	ATTR_BLACKWELL = 0x4a,    // sm_100 and later have it
	ATTR_HOPPER = 0x50,       // sm_90 and later have it
	ATTR_ISA = 0x5f,
};

// How a record is stored. Only INFO_SIZED has bytes behind its header, whose 16-bit field is else the value.
enum { INFO_NONE = 1, INFO_BYTE = 2, INFO_HALF = 3, INFO_SIZED = 4 };

enum { CUBIN_OSABI = 0x41, CUBIN_ABI_VERSION = 8 }; // of CUDA 13: the architecture is in bits 8 to 15 of the flags

// The records of a section .nv.info or .nv.info.KERNEL one after the other; false at the end, or where it is damaged.
struct cubin_info {
	const uint8_t *data;
	size_t size, at;
	bool damaged;
};
struct cubin_record {
	unsigned attribute, value; // value: of records without data
	const uint8_t *data;
	size_t len;
};
bool cubin_info_next(struct cubin_info *info, struct cubin_record *out);

const struct cubin_kernel *cubin_find(const struct cubin *c, const char *name); // NULL if absent
void cubin_free(struct cubin *c);

#endif
