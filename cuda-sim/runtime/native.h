// How machine code calls functions that the simulator answers itself.
//
// The convention is what ptxas of CUDA 11.8, 12.9 and 13.0 does for sm_75, sm_80 and sm_90, found by calling functions of all
// signatures: an argument takes the first free registers of R4 to R15 that it fits in, one for up to 32 bits, an even one and the
// next for 64 bits, three in a row for a dim3. Holes are filled by what comes later. What fits nowhere goes to the caller's
// stack, where R1 points, one after the other, at multiples of 8 bytes if it has 64 bits and of 4 bytes else. The result is in
// R4, or R4 and R5. The caller goes on at the address in R20 and R21.
#ifndef CUDA_SIM_RUNTIME_NATIVE_H
#define CUDA_SIM_RUNTIME_NATIVE_H

#include "cuda-sim/exec/builtin.h"

enum { NATIVE_ROW = 4 * WARP }; // bytes of a register of a warp: 32 bits for each lane

// What becomes of the lanes of a call: they return, wait for the grids that their block launched before they return, or call again.
enum native_end { NATIVE_RETURNS, NATIVE_WAITS, NATIVE_AGAIN };

// Runs `b` for the lanes of `mask` with arguments and result in registers, of which r0 is the first row. Lanes outside the mask
// keep theirs. w->fault tells of a fault.
enum native_end native_call(const struct builtin *b, struct warp *w, const struct uop *u, uint32_t mask, uint8_t *r0);

#endif
