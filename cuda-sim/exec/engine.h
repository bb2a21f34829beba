// What keeps the warps of a CTA that executes micro-ops: an engine, of PTX or of machine code. It knows how lanes part and meet
// and where the code is; front.h makes of it what a core calls.
#ifndef CUDA_SIM_EXEC_ENGINE_H
#define CUDA_SIM_EXEC_ENGINE_H

#include "cuda-sim/exec/inst_log.h"
#include "cuda-sim/exec/warp.h"

struct exec_matrix;
struct texture_operands;

// One value in all lanes of a row, 8 bytes a lane if it is wide.
static inline void exec_row_fill(uint8_t *row, bool wide, uint64_t v)
{
	EXEC_VECTOR for (unsigned i = 0; !wide && i < WARP; i++)
		((uint32_t *)row)[i] = (uint32_t)v;
	EXEC_VECTOR for (unsigned i = 0; wide && i < WARP; i++)
		((uint64_t *)row)[i] = v;
}

struct exec_engine {
	size_t cta_bytes, warp_bytes; // of its own kinds, which begin with a struct exec_cta and a struct warp

	const struct inst_log_ops *log; // what the log of instructions is told

	// The storage of a CTA has been made and what is common filled in: adds what is the engine's, with the rows that stay the
	// same for the whole launch. `slots`: see front.h. cta_free gives it back.
	void (*cta_new)(struct exec_cta *c, void *slots);
	void (*cta_free)(struct exec_cta *c);
	// A block begins: fills the rows that are its own, and puts all lanes that exist at the kernel's first instruction.
	void (*cta_start)(struct exec_cta *c);

	// Does everything that happens between two instructions, so that the next one is certain, and sets w->next. Other warps of
	// the CTA may have to be settled again, see exec_cta.opened.
	void (*settle)(struct warp *w);

	// Of a settled warp with a next instruction: the lanes that are to execute it, those of them for which its guard holds, and
	// where these go (not for NONE, BODY, SURFACE and MATRIX). Points w->fp at its rows.
	enum exec_list (*next)(struct warp *w, uint32_t *active, uint32_t *mask);
	void (*addresses)(const struct warp *w, uint64_t *restrict addr); // 32 of them
	const struct texture_operands *(*surface)(const struct warp *w);  // of SURFACE: its operands
	const struct exec_matrix *(*matrix)(const struct warp *w);        // of MATRIX; NULL: there is no such instruction

	// Executes the next instruction of a settled warp, and settles it. FE_BARRIER if there is none and the warp is not done.
	enum fe_status (*step)(struct warp *w);
	// See frontend_ops.
	enum fe_status (*run)(struct warp *w, uint64_t budget, uint64_t *used);

	// Lanes that wait at a barrier, or at EXEC_CHILDREN, go on; `b` holds what a reduction tells them. The warp is no longer
	// settled if there are any.
	void (*release)(struct warp *w, uint32_t barrier, const struct exec_barrier *b);
	// No warp of the CTA can move: lanes that wait for others of their warp, or for a phase of an mbarrier, are let go. False if there
	// are none.
	bool (*let_go)(struct exec_cta *c);
	// Lanes that wait for phases of mbarriers go on if some of their group need not wait any more. The warp is no longer settled if
	// there are any.
	void (*retry)(struct warp *w);
	// Lanes that have waited for such a phase for long enough go on.
	void (*expire)(struct warp *w);
	// Some lanes of the warp can run, or wait for others of their warp only.
	bool (*can_run)(const struct warp *w);

	void (*describe)(const struct warp *w, char *buf, size_t len); // see frontend_ops
};

#endif
