// What the tools of a check share: allocations, reports, and what is kept of a resident CTA.
#ifndef CUDA_SIM_CHECK_PARTS_H
#define CUDA_SIM_CHECK_PARTS_H

#include "base/vec.h"
#include "cuda-sim/check/check.h"
#include "cuda-sim/exec/checker.h"

struct shadow;
struct products_cta;
struct proxy_cta;
struct race_cta;
struct sync_cta;

// What a tool is told. All members may be NULL.
struct check_tool {
	unsigned bit;
	void (*cta_new)(struct exec_cta *c);
	void (*cta_free)(struct exec_cta *c);
	void (*cta_start)(struct exec_cta *c);
	void (*cta_end)(struct exec_cta *c);
	void (*touch)(struct warp *w, const struct uop *u, const struct exec_touch *t);
	void (*exited)(struct warp *w, const struct exec_trail *t);
	void (*warpsync)(struct warp *w, uint32_t mask, const uint32_t *members);
	void (*arrive)(struct warp *w, uint32_t mask, uint32_t id, bool waits, bool aligned);
	void (*open)(struct exec_cta *c, uint32_t id);
	void (*fence)(struct warp *w, uint32_t mask, bool proxy);
	void (*proxied)(struct warp *w, unsigned lane, uint32_t at, uint32_t bytes, bool write);
	void (*signalled)(struct warp *w, uint32_t mask, const uint32_t *at);
	void (*awaited)(struct warp *w, uint32_t mask, const uint32_t *at);
	void (*group)(struct warp *w, enum exec_group_op op, uint32_t keep);
	void (*registers)(struct warp *w, uint32_t mask, const struct exec_registers *r);
};
extern const struct check_tool check_memory, check_races, check_proxy, check_products, check_init, check_sync;

// What is kept of a CTA; begins with what exec/checker.h knows.
struct check_cta {
	struct exec_checked head;
	struct check *check;
	struct exec_touch_note {
		uint8_t space, bytes;
		bool write, atomic;
	} touched[WARP];               // by warp: its last access
	struct {
		uint64_t lo, hi;       // a live allocation, as asked for
		bool constant;
	} hit[16];                     // by instruction
	struct race_cta *race;
	struct sync_cta *sync;
	struct proxy_cta *proxy;
	struct products_cta *products;
};

static inline struct check_cta *check_cta_of(const struct exec_cta *c) { return (struct check_cta *)c->check; }

// --- allocations (blocks.c)

struct check_block {
	uint64_t base, size;
	uint8_t kind; // enum devmem_kind
	uint32_t made, freed; // numbers of stacks, 0: not known
};

struct check_blocks {
	VEC(struct check_stack) stack; // each once
	struct {
		uint64_t base;         // 0: free
		uint32_t made;
	} *live;                       // open addressing by base, a power of two
	size_t n_live, cap_live;
	VEC(struct check_block) dead;  // in the order of freeing, from `oldest` on round
	size_t oldest;
};

void blocks_add(struct check_blocks *b, const struct devmem_range *r, const struct check_stack *where);
void blocks_end(struct check_blocks *b, const struct devmem_range *r, const struct check_stack *where);
// Where a live block was made; NULL: not known.
const struct check_stack *blocks_made(const struct check_blocks *b, uint64_t base);
const struct check_stack *blocks_stack(const struct check_blocks *b, uint32_t number);
// The one freed last that held addr; NULL.
const struct check_block *blocks_dead_at(const struct check_blocks *b, uint64_t addr);
void blocks_free(struct check_blocks *b);

// --- reports (report.c)

struct report {
	char *key;               // tells it from others
	char *signature;         // what suppressions are compared with
	char *text;              // lines without what counts
	bool suppressed, put, race, race_error;
	uint64_t times, told;    // so often in all, and when it was put
	uint64_t lanes;          // threads, or bytes of a race
};

struct suppression {
	char *pattern;
};

struct check_launch_info {
	const struct kernel_launch *launch;
	struct check_stack where;
};

struct check {
	struct exec_checker as;  // first
	struct check_setup setup;
	const struct check_tool *tool[6];
	unsigned n_tool;
	struct check_blocks blocks;
	struct shadow *shadow;   // initcheck's
	VEC(struct report) report;
	size_t last_report;      // found last
	VEC(struct suppression) suppression;
	VEC(struct check_launch_info) launch;
	uint64_t refused;        // the pointer that the heap did not take back last; 0: none
	const struct kernel_launch *told; // the fault that ends this one has been reported; NULL: none has
};

// Numbers with commas between thousands. Four results live at a time.
const char *check_number(uint64_t n);

// "kernel(int *)+0x90 in file.cu:12".
void check_place(struct check *c, const struct kernel_launch *l, const struct isa_inst *inst, bool offset, char *buf, size_t len);
// If the line is one of an inlined function: `head` and "file.cu:12", where that is called; else "".
void check_caller(const struct kernel_launch *l, const struct isa_inst *inst, const char *head, char *buf, size_t len);
// An instruction as reports of two name it.
struct check_where {
	char at[600], name[600]; // as check_place writes it, with the offset and without
	char call[200];          // ", called at file.cu:12", or ""
};
void check_where(struct check *c, const struct kernel_launch *l, const struct isa_inst *inst, struct check_where *out);
void check_thread(const struct exec_cta *x, unsigned warp, unsigned lane, uint32_t out[3]);

// A finding at an instruction of a warp's lane; `also` are further lines. True if it is told, that is not suppressed.
struct finding {
	const char *tool, *title;
	const struct warp *warp;
	const struct isa_inst *inst;
	unsigned lane;
	uint64_t lanes;     // threads that it is true of
	const char *also;   // lines after thread and block
};
bool check_found(struct check *c, const struct finding *f);

// One that is known by key and signature alone. NULL if it is new: then report_add.
struct report *report_find(struct check *c, const char *key);
struct report *report_add(struct check *c, const char *key, const char *signature, const char *text);
void report_again(struct check *c, struct report *r, uint64_t lanes);
void reports_put(struct check *c);

// A stack as lines, "    Host Frame: main [0x8f0d] in a.out".
void check_stack_lines(struct check *c, const struct check_stack *s, char *buf, size_t len);
// Names one place of it, for suppressions: the innermost frame.
void check_stack_name(struct check *c, const struct check_stack *s, char *buf, size_t len);

// The first line of an access that is refused: "Invalid __global__ write of size 4 bytes".
void check_access_title(unsigned space, bool write, bool atomic, unsigned bytes, char *buf, size_t len);

// Bytes of text: the host frames of one stack (16 of up to 350), and what a finding says beside its title, with two stacks at most.
enum { CHECK_STACK = 6000, CHECK_ALSO = 2 * CHECK_STACK + 500 };

// What is to be said of a global address: nearest allocation, where it came from, or where it was freed.
void check_about(struct check *c, uint64_t addr, uint32_t bytes, char *buf, size_t len);

#endif
