// What a node of a graph does: its parameters as they were given, checked, and what is needed to make an operation of them.
#ifndef LIBCUDA_GRAPH_PAYLOAD_H
#define LIBCUDA_GRAPH_PAYLOAD_H

#include "libcuda/graph/params.h"
#include "libcuda/work/op.h"

#include <stdbool.h>

struct conditional;
struct graph_memory;
struct kernel;
struct mem_op_params;

enum { KERNEL_ATTRIBUTES = 17 }; // cudaLaunchAttributeID

struct payload {
	enum node_type type;
	union {
		struct {
			const void *handle; // as given
			struct kernel *k;
			struct dim3 grid, block;
			unsigned shared;
			size_t size;        // bytes of arguments
			unsigned n;         // how many there are
			uint8_t *args;      // as the kernel sees them
			void **pointers;    // to each of them, and NULL
			struct cudaLaunchAttribute *attribute; // KERNEL_ATTRIBUTES of them, NULL: none is set
			uint32_t attributes; // which are set
		} kernel;
		struct {
			struct cudaMemcpy3DParms given;
			struct box_copy box; // given in this form, if is_box
			bool is_box;
			struct copy_op op;
		} copy;
		struct {
			struct fill_node_params given;
			struct fill_op op;
		} fill;
		struct host_node_params host;
		struct {
			struct graph *graph;
			int ownership;
		} child;
		cudaEvent_t event;
		struct {
			struct alloc_node_params given;
			struct graph_memory *memory;
		} alloc;
		struct graph_memory *freed;
		struct {
			struct mem_ops_node_params given;
			struct mem_op_params *ops;
		} mem_ops;
		struct {
			struct conditional *c;
			int kind;
			unsigned size;
			struct graph **body;
		} conditional;
	} u;
};

// Checks parameters and makes a payload of them. Writes back what a node makes. Not for nodes with graphs inside and nodes that free
// memory, which need to know the graph: graph_make.
cudaError_t payload_make(struct payload *out, struct node_params *p);
// The parameters of it; arrays belong to the payload.
void payload_params(const struct payload *p, struct node_params *out);
// Turns parameters of a copy into the driver's form, and the runtime's.
void params_as_box(struct node_params *p);
void params_as_parms(struct node_params *p);

// A copy; graphs inside and conditions are the caller's matter, here and in payload_free.
void payload_copy(struct payload *to, const struct payload *from);
void payload_free(struct payload *p);

// Of operations that were captured; takes them over.
void payload_of_op(struct payload *out, struct op *op);

// The operations that carry it out, `*n` of at most `room`; none for nodes that only order others, or hold graphs.
enum { PAYLOAD_OPS = 256 };
cudaError_t payload_ops(const struct payload *p, struct op **out, unsigned *n);

bool payload_cooperative(const struct payload *p); // of a kernel
cudaError_t payload_set_attribute(struct payload *p, int id, const void *value);
cudaError_t payload_get_attribute(const struct payload *p, int id, void *value);
cudaError_t payload_copy_attributes(struct payload *to, const struct payload *from);

#endif
