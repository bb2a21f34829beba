// The opcode at the front of an instruction, or what was meant by it.
#include "cuda-sim/sass/text/read.h"

#include <string.h>

static unsigned distance(const char *a, size_t n, const char *b)
{
	unsigned row[32], m = (unsigned)strlen(b);
	if (m > 31)
		return UINT32_MAX;
	for (unsigned j = 0; j <= m; j++)
		row[j] = j;
	for (unsigned i = 1; i <= n; i++) {
		unsigned diagonal = row[0];
		row[0] = i;
		for (unsigned j = 1; j <= m; j++) {
			unsigned best = diagonal + (a[i - 1] != b[j - 1]);
			diagonal = row[j];
			best = row[j] + 1 < best ? row[j] + 1 : best;
			row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
		}
	}
	return row[m];
}

static bool has_generation(const struct sass_op *op, enum sass_generation g)
{
	return strchr(op->generations, "KMPVTALHBB"[g]) != NULL;
}

static const char *nearest(const char *at, size_t n, enum sass_generation g)
{
	size_t n_ops;
	const struct sass_op *t = sass_op_table(&n_ops), *best = t;
	unsigned least = UINT32_MAX;
	for (size_t i = 0; i < n_ops; i++) {
		unsigned d = distance(at, n < 40 ? n : 40, t[i].name);
		if (d < least && has_generation(&t[i], g)) {
			least = d;
			best = &t[i];
		}
	}
	return best->name;
}

const struct sass_op *sass_text_opcode(struct sass_line *s, enum sass_generation g, unsigned target, const char *at, size_t len)
{
	size_t n = 0;
	while (n < len && at[n] != '.')
		n++;
	const struct sass_op *op = sass_op_find(at, n);
	if (op && has_generation(op, g))
		return op;
	if (op)
		sass_bad(s, at, n, "%s does not exist in %s code (sm_%u); .target chooses another", op->name,
		         sass_generation_name(g), target);
	else if (!n)
		sass_bad(s, at, 1, "expected an opcode, a label with a colon or a directive");
	else
		sass_bad(s, at, n, "unknown opcode '%.*s'; the nearest is %s", (int)n, at, nearest(at, n, g));
	return NULL;
}
