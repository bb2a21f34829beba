// mbarriers: barriers that live in 64 bits of shared memory, of arriving threads and of bytes that copies bring.
//
// The bits are those that machine code of sm_90 computes with; ptxas makes the first value of a barrier, and the number of pending
// arrivals of a state, by arithmetic of its own.
//   63      parity of the phase
//   62..43  2^20 less the arrivals that the phase still waits for, modulo 2^20
//   42..21  bytes that the phase still waits for, in two's complement
//   20..1   2^20 less the arrivals of each phase, modulo 2^20
//   0       1 once all threads have dropped out, which no later arrival changes; else 0
// A phase is complete when it waits for no arrival and no bytes: the parity changes, and the next phase waits for as many arrivals.
// A state that arrive returns is the word before the arrival.
#ifndef CUDA_SIM_EXEC_MBARRIER_H
#define CUDA_SIM_EXEC_MBARRIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MBARRIER_MAX_COUNT = (1 << 20) - 1, MBARRIER_MAX_TX = (1 << 20) - 1 };

// What is wrong with an operation on a word; nothing has been changed then.
enum mbarrier_fault {
	MBARRIER_FINE,
	MBARRIER_NOT_ONE,  // the word can't be a barrier: it was not initialised, or has been overwritten
	MBARRIER_COUNT,    // a count that is 0 or above MBARRIER_MAX_COUNT
	MBARRIER_PENDING,  // more arrivals than the phase waits for
	MBARRIER_TX,       // bytes out of range
	MBARRIER_COMPLETES, // an arrival that must not complete its phase would
};

enum mbarrier_fault mbarrier_init(uint64_t *word, uint32_t count);
// What machine code makes of a count and stores: it must be a fresh barrier.
enum mbarrier_fault mbarrier_check_init(uint64_t word);
// Whether a phase of it can be waited for.
enum mbarrier_fault mbarrier_check(uint64_t word);
// `count` arrivals, after `tx` more bytes have been expected; `drop`: each phase from the next on waits for so many less.
// *state: see above.
enum mbarrier_fault mbarrier_arrive(uint64_t *word, uint32_t count, uint32_t tx, bool drop, uint64_t *state);
// The same of arrivals that must not complete the phase.
enum mbarrier_fault mbarrier_arrive_only(uint64_t *word, uint32_t count, bool drop, uint64_t *state);
enum mbarrier_fault mbarrier_expect_tx(uint64_t *word, uint32_t bytes);
enum mbarrier_fault mbarrier_complete_tx(uint64_t *word, uint32_t bytes);
// True if the phase of a parity, or that of a state, is complete.
static inline bool mbarrier_passed(uint64_t word, bool parity) { return (word >> 63 != 0) != parity; }
uint32_t mbarrier_pending(uint64_t state);
const char *mbarrier_fault_text(enum mbarrier_fault f);
// "phase parity 0 waits for 1 of 2 arrivals and 4096 bytes".
void mbarrier_describe(uint64_t word, char *buf, size_t len);


// The word that machine code of sm_80 to sm_89 computes with, which knows no bytes: an arrival adds 1 to the upper half, of which bit 31
// is the parity and the others are 2^31 less the arrivals that the phase still waits for; the lower half is 2^30 less the arrivals of
// each phase. Returns the word before.
uint64_t mbarrier_arrive_ampere(uint64_t *word);

#endif
