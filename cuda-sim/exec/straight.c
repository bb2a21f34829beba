#include "cuda-sim/exec/straight.h"

static bool is_plain(const struct uop *u, const struct uop *end)
{
	bool plain = true;
	for (; u != end; u++)
		plain &= !u->ctl && !(u->flags & (UOP_POLL | UOP_GATHER));
	return plain;
}

void exec_straight_mark(struct uop *code, uint32_t n)
{
	for (uint32_t end = n, begin; end; end = begin) {
		begin = end - 1;
		while (begin && code[begin].flags & UOP_EXTRA)
			begin--;
		const bool goes_on = end < n && !(code[end].flags & (UOP_MEETS | UOP_SHARES));
		const uint32_t run = end - begin + (goes_on ? code[end].straight : 0);
		if (is_plain(&code[begin], &code[end]))
			code[begin].straight = (uint16_t)(run < UINT16_MAX ? run : UINT16_MAX);
	}
}
