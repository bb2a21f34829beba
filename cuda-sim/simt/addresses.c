// Where the lanes of a memory instruction of PTX go.
#include "cuda-sim/simt/simt.h"

void simt_list_addresses(const struct warp *w, const uint8_t *fp, const struct code_access *from, uint64_t *restrict addr)
{
	const uint64_t imm = (uint64_t)from->imm - (from->how == EXEC_LIST_PARAM ? w->cta->param_addr : 0);
	const uint8_t *row = fp + from->row;
	if (from->how == EXEC_LIST_FIXED) {
		for (unsigned i = 0; i < WARP; i++)
			addr[i] = imm;
	} else if (from->wide) {
		const uint64_t *a = (const uint64_t *)row;
		EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)
			addr[i] = a[i] + imm;
	} else if (from->how == EXEC_LIST_OFFSET) {
		const uint32_t *a = (const uint32_t *)row, low = (uint32_t)imm;
		EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)
			addr[i] = a[i] + low;
	} else {
		const uint32_t *a = (const uint32_t *)row;
		EXEC_VECTOR for (unsigned i = 0; i < WARP; i++)
			addr[i] = a[i] + imm;
	}
}
