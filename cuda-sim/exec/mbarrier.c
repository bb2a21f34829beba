#include "cuda-sim/exec/mbarrier.h"

#include <stdio.h>

// Fields of the word, see mbarrier.h.
enum { EXPECTED = 1, TX = 21, ARRIVALS = 43, PARITY = 63, COUNT_BITS = 20, TX_BITS = 22 };
#define FIELD(bits) (((uint64_t)1 << (bits)) - 1)

static uint32_t count_at(uint64_t word, unsigned from)
{
	const uint32_t field = (uint32_t)(word >> from & FIELD(COUNT_BITS));
	return field ? (1u << COUNT_BITS) - field : 0;
}

static int32_t tx_of(uint64_t word)
{
	return (int32_t)((uint32_t)(word >> TX & FIELD(TX_BITS)) << (32 - TX_BITS)) >> (32 - TX_BITS);
}

static uint64_t make(bool parity, uint32_t pending, int32_t tx, uint32_t expected)
{
	const bool dropped = !pending && !tx && !expected;
	return dropped | (uint64_t)parity << PARITY | (-(uint64_t)pending & FIELD(COUNT_BITS)) << ARRIVALS |
	       ((uint64_t)(uint32_t)tx & FIELD(TX_BITS)) << TX | (-(uint64_t)expected & FIELD(COUNT_BITS)) << EXPECTED;
}

uint32_t mbarrier_pending(uint64_t state) { return count_at(state, ARRIVALS); }

// A barrier whose threads have all dropped out has no arrivals to wait for; any other waits for some, or for bytes.
static bool is_one(uint64_t word)
{
	const bool waits = count_at(word, EXPECTED) || mbarrier_pending(word) || tx_of(word);
	return waits != (word & 1);
}

enum mbarrier_fault mbarrier_check(uint64_t word) { return is_one(word) ? MBARRIER_FINE : MBARRIER_NOT_ONE; }

enum mbarrier_fault mbarrier_check_init(uint64_t word)
{
	const uint32_t count = count_at(word, EXPECTED);
	return count && word == make(false, count, 0, count) ? MBARRIER_FINE : MBARRIER_COUNT;
}

static void change(uint64_t *word, uint32_t pending, int32_t tx, uint32_t expected)
{
	const bool parity = *word >> PARITY;
	*word = pending || tx ? make(parity, pending, tx, expected) : make(!parity, expected, 0, expected);
}

enum mbarrier_fault mbarrier_init(uint64_t *word, uint32_t count)
{
	if (!count || count > MBARRIER_MAX_COUNT)
		return MBARRIER_COUNT;
	*word = make(false, count, 0, count);
	return MBARRIER_FINE;
}

enum mbarrier_fault mbarrier_arrive(uint64_t *word, uint32_t count, uint32_t tx, bool drop, uint64_t *state)
{
	const uint32_t pending = mbarrier_pending(*word), expected = count_at(*word, EXPECTED);
	const int64_t bytes = (int64_t)tx_of(*word) + tx;
	if (!is_one(*word))
		return MBARRIER_NOT_ONE;
	if (!count || count > MBARRIER_MAX_COUNT)
		return MBARRIER_COUNT;
	if (count > pending || (drop && count > expected))
		return MBARRIER_PENDING;
	if (bytes > MBARRIER_MAX_TX)
		return MBARRIER_TX;
	if (state)
		*state = *word;
	change(word, pending - count, (int32_t)bytes, drop ? expected - count : expected);
	return MBARRIER_FINE;
}

enum mbarrier_fault mbarrier_arrive_only(uint64_t *word, uint32_t count, bool drop, uint64_t *state)
{
	if (is_one(*word) && count && count == mbarrier_pending(*word) && !tx_of(*word))
		return MBARRIER_COMPLETES;
	return mbarrier_arrive(word, count, 0, drop, state);
}

static enum mbarrier_fault move_tx(uint64_t *word, int64_t by)
{
	const int64_t bytes = (int64_t)tx_of(*word) + by;
	if (!is_one(*word))
		return MBARRIER_NOT_ONE;
	if (bytes > MBARRIER_MAX_TX || bytes < -MBARRIER_MAX_TX)
		return MBARRIER_TX;
	change(word, mbarrier_pending(*word), (int32_t)bytes, count_at(*word, EXPECTED));
	return MBARRIER_FINE;
}

enum mbarrier_fault mbarrier_expect_tx(uint64_t *word, uint32_t bytes) { return move_tx(word, bytes); }
enum mbarrier_fault mbarrier_complete_tx(uint64_t *word, uint32_t bytes) { return move_tx(word, -(int64_t)bytes); }

const char *mbarrier_fault_text(enum mbarrier_fault f)
{
	switch (f) {
	case MBARRIER_NOT_ONE: return "there is no mbarrier: it was not initialised, or has been overwritten";
	case MBARRIER_COUNT: return "a count of arrivals is from 1 to 1048575";
	case MBARRIER_PENDING: return "more arrivals than the phase waits for";
	case MBARRIER_TX: return "the bytes that a phase waits for are from -1048575 to 1048575";
	case MBARRIER_COMPLETES: return "arrivals with .noComplete must not be the last ones of a phase";
	default: return "";
	}
}

void mbarrier_describe(uint64_t word, char *buf, size_t len)
{
	const int32_t tx = tx_of(word);
	if (!is_one(word)) {
		snprintf(buf, len, "no mbarrier is there");
		return;
	}
	int n = snprintf(buf, len, "phase parity %u waits for %u of %u arrivals", (unsigned)(word >> PARITY), mbarrier_pending(word),
	                 count_at(word, EXPECTED));
	if (tx > 0 && n > 0 && (size_t)n < len)
		snprintf(buf + n, len - (size_t)n, " and %d bytes", tx);
	else if (tx < 0 && n > 0 && (size_t)n < len)
		snprintf(buf + n, len - (size_t)n, "; %d bytes have come that nobody expected", -tx);
}

uint64_t mbarrier_arrive_ampere(uint64_t *word)
{
	enum { HALF = 1u << 30, COUNT = 0x7fffffff };
	const uint64_t old = *word;
	uint32_t hi = (uint32_t)(old >> 32) + 1;
	if (!(hi & COUNT))
		hi += HALF + (uint32_t)old;
	*word = (uint64_t)hi << 32 | (uint32_t)old;
	return old;
}
