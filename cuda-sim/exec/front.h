// What the front ends that execute micro-ops do alike, PTX and machine code: members of struct frontend_ops over CTAs whose
// warps an engine keeps (engine.h), and the storage of these CTAs.
#ifndef CUDA_SIM_EXEC_FRONT_H
#define CUDA_SIM_EXEC_FRONT_H

#include "base/vec.h"
#include "cuda-sim/exec/engine.h"

// Storage for the resident CTAs of a launch, made as slots are first used. What all of them begin with stands in `like`: the
// front end sets launch, place, kernel_at, shared_size (what the kernel asks for), local_size and what else is its own.
struct exec_slots {
	struct exec_cta like;
	struct exec_cta **cta;
	uint32_t n;
	VEC(struct exec_cluster *) cluster; // that were ever needed at the same time
	struct exec_cluster *free_cluster;
};

// Rows, aligned as bodies want them and zero. Freed by free.
void *exec_rows_alloc(size_t size);

void exec_slots_init(struct exec_slots *s, const struct exec_engine *engine, struct kernel_launch *launch, uint32_t n);
void exec_slots_free(struct exec_slots *s); // what it points to

// Members of struct frontend_ops. `slots` begins with a struct exec_slots.
struct fe_cta *exec_front_cta_start(void *slots, uint32_t slot, const uint32_t cta[3], const struct fe_sm *sm);
void exec_front_cta_move(struct fe_cta *cta, const struct fe_sm *sm);
void exec_front_cta_end(struct fe_cta *cta);
void exec_front_cluster_join(void *slots, struct fe_cta *const cta[], unsigned n);
unsigned exec_front_cta_warps(const struct fe_cta *cta);
const struct isa_inst *exec_front_peek(struct fe_cta *cta, unsigned warp);
uint32_t exec_front_active(struct fe_cta *cta, unsigned warp);
void exec_front_expect(const struct fe_cta *cta, unsigned warp);
void exec_front_execute(struct fe_cta *cta, unsigned warp, struct fe_result *out);
void exec_front_finish(struct fe_cta *cta, unsigned warp, struct fe_result *out);
enum fe_status exec_front_copy_done(struct fe_cta *cta, uint32_t token);
bool exec_front_unstick(struct fe_cta *cta);
bool exec_front_hopeless(const struct fe_cta *cta);
void exec_front_expire(struct fe_cta *cta);
enum fe_status exec_front_run(struct fe_cta *cta, unsigned warp, uint64_t budget, uint64_t *used);
bool exec_front_ready(const struct fe_cta *cta, unsigned warp);
void exec_front_describe(const struct fe_cta *cta, unsigned warp, char *buf, size_t len);
void exec_front_cta_position(const struct fe_cta *cta, uint32_t out[3]);

#endif
