// A kernel as machine code, the way a loader hands it over: its code from pc 0 on, its constant banks with all addresses
// filled in, and the figures that the compiler gives of it.
#ifndef CUDA_SIM_SASS_EXEC_IMAGE_H
#define CUDA_SIM_SASS_EXEC_IMAGE_H

#include "cuda-sim/tensor/tensor.h"
#include "isa/kernel.h"

#include <stddef.h>
#include <stdint.h>

struct builtin;

// Where a function that the program leaves undefined seems to lie: number n, 16 bytes each, above all memory and below the
// windows, so that a call there is known and a read is an error. CALL.ABS has room for 48 bits.
#define SASS_EXTERNAL_BASE ((uint64_t)3 << 46)
static inline uint64_t sass_external_address(uint32_t n) { return SASS_EXTERNAL_BASE + (uint64_t)n * 16; }

// A function in the code: the kernel itself, its local functions, and those of other sections that it calls.
struct sass_part {
	const char *name;
	uint64_t pc, size; // bytes
};

// From this pc on, until the next one, code was made from this line.
struct sass_line_at {
	uint64_t pc;
	const char *file; // NULL: no source is known
	uint32_t line;
};

// A texture reference that the kernel uses: where in constant bank 0 code looks for its handle.
struct sass_texture {
	uint32_t at, handle;
};

// A branch by register, and one of the places where it may go. Pcs.
struct sass_goes {
	uint32_t from, to;
};

// Everything lives as long as the kernels decoded from it.
struct sass_image {
	const char *name;    // of the kernel
	const char *file;    // for messages: "app(embedded sm_80)"
	unsigned arch;       // 80 for sm_80
	struct tensor_numerics tensor;
	const uint8_t *code; // 16 bytes an instruction; the kernel's section begins at pc 0, those of other functions follow
	size_t size;
	const struct sass_part *part;
	size_t n_part;       // by pc
	struct {
		const uint8_t *data; // bank 3: device memory, which the host changes between launches
		uint32_t size;
	} bank[KERNEL_BANKS];        // bank 0: its size only, the launch makes it
	uint32_t param_base;         // where parameters begin in bank 0
	const struct sass_texture *texture; // behind the parameters, within bank 0
	size_t n_texture;
	uint32_t registers;          // of a thread
	uint32_t shared_reserved;    // bytes before the kernel's own in shared memory: 1024 from sm_90 on
	uint32_t shared;             // static, without these
	uint32_t local;              // bytes a thread's stack needs; the limit of stacks is added where it is not known
	bool local_known;            // false: functions recurse or are called by address
	const struct builtin *const *external; // by number, see sass_external_address; NULL: nobody executes it
	const char *const *external_name;
	size_t n_external;
	const struct sass_goes *goes; // as the compiler lists them
	size_t n_goes;
	const struct sass_line_at *line; // by pc
	size_t n_line;
};

#endif
