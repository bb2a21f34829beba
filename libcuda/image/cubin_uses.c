#include "libcuda/image/cubin_uses.h"

bool cubin_constant_used(const struct sass_decoded *d, struct cubin_constant *out)
{
	for (unsigned i = d->row->n_mnemonic; i < d->row->n_token; i++) {
		const struct sass_token *t = &d->row->token[i];
		bool source = t->place == SASS_AT_A || t->place == SASS_AT_B || t->place == SASS_AT_C;
		bool constant = t->place == SASS_AT_CONST || (source && sass_source_at(d, t).slot == SASS_SLOT_CONST);
		if (!constant)
			continue;
		*out = (struct cubin_constant){.bank = (unsigned)sass_run(d->word, 54, 5), .offset = (unsigned)sass_run(d->word, 38, 16)};
		if (t->place == SASS_AT_CONST && t->imm != 'd')
			out->indexed = t->imm == 'r' || sass_run(d->word, 24, 8) != 255;
		return true;
	}
	return false;
}
