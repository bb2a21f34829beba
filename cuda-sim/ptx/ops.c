#include "cuda-sim/ptx/ops.h"

#include "cuda-sim/ptx/ptx.h"
#include "cuda-sim/ptx/tensor_ops.h"
#include "cuda-sim/ptx/wgmma_ops.h"
#include "isa/inst.h"

#include <stdio.h>
#include <string.h>

const char *const ptx_type_text[PTX_N_TYPES] = {
	"",
#define X(name, text, bits, kind) text,
	PTX_TYPES(X)
#undef X
};
const uint8_t ptx_type_bits[PTX_N_TYPES] = {
	0,
#define X(name, text, bits, kind) bits,
	PTX_TYPES(X)
#undef X
};
const char ptx_type_kind[PTX_N_TYPES] = {
	' ',
#define X(name, text, bits, kind) kind,
	PTX_TYPES(X)
#undef X
};
const struct ptx_sreg_info ptx_sreg_table[PTX_N_SREGS] = {
#define X(name, text, bits, comps) {text, bits, comps},
	PTX_SREGS(X)
#undef X
};

// The vocabulary of ops.def.
#define T(x)     ((uint64_t)1 << PTX_T_##x)
#define T_INT16  (T(U16) | T(S16))
#define T_INT32  (T(U32) | T(S32))
#define T_INT64  (T(U64) | T(S64))
#define T_INT    (T_INT16 | T_INT32 | T_INT64)
#define T_SINT   (T(S16) | T(S32) | T(S64))
#define T_INTX2  (T(U16X2) | T(S16X2))
#define T_BITS   (T(B16) | T(B32) | T(B64))
#define T_HALF   (T(F16) | T(BF16))
#define T_HALFX2 (T(F16X2) | T(BF16X2))
#define T_FLT    (T(F32) | T(F64) | T_HALF | T_HALFX2)
#define T_FLT8   (T(F32) | T(F64) | T_HALF | T(U8) | T(S8))
#define T_FP8X2  (T(E4M3X2) | T(E5M2X2))
#define T_LDST   (T_INT | T_BITS | T(B8) | T(U8) | T(S8) | T(B128) | T(F32) | T(F64) | T_HALF | T_HALFX2)
#define RND      "rn|rz|rm|rp "
#define CVTRND   "rn|rz|rm|rp|rni|rzi|rmi|rpi|rna "
#define FTZ      "ftz "
#define CMP      "!eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan "
#define BOOL     "and|or|xor "
#define SEM      "weak|relaxed|acquire|release|acq_rel|sc|volatile "
#define SCOPE    "cta|cluster|gpu|sys "
#define SH       "shared|shared::cta|shared::cluster"
#define SHOWN    "shared|shared::cta"
#define SPACE    "global|const|local|param|param::entry|param::func|" SH " "
#define CACHE    "ca|cg|cs|lu|cv|wb|wt "
#define LEVEL    "L1::* L2::* L2::* L2::* "
#define CACHELEVEL "L1|L2|L2::* "
#define VECS      "v2|v4|v8 "
#define GEOM     "!1d|2d|3d|a1d|a2d|cube|acube|2dms|a2dms "
#define COPY     (PTX_OP_MEMORY | PTX_OP_NO_DEST | PTX_OP_EFFECT)
#define WMMA     "!m16n16k16|m32n8k16|m8n32k16|m16n16k8|m8n8k4|m8n8k32|m8n8k128 global|shared|shared::cta " \
	"!f16|bf16|tf32|f32|f64|s8|u8|s4|u4|b1|s32 "
#define PADDED   " !b8x16 !b6x16_p32|b4x16_p64"
#define BULK     "!async !bulk "
#define TENSOR   "!async !bulk !tensor !1d|2d|3d|4d|5d "
#define BYTES    "!mbarrier::complete_tx::bytes"
#define REDUCE   "!add|min|max|inc|dec|and|or|xor"
#define CTL      (PTX_OP_CONTROL | PTX_OP_NO_DEST | PTX_OP_EFFECT)

const struct ptx_op ptx_op_table[] = {
#define OP(name, operands, types, types2, suffixes, cls, flags, semantics) \
	{name, operands, types, types2, suffixes, ISA_##cls, flags, semantics},
#include "cuda-sim/ptx/ops.def"
#undef OP
};
const unsigned ptx_op_count = sizeof ptx_op_table / sizeof *ptx_op_table;

static const struct suffix {
	const char *text;
	uint16_t field; // offset in struct ptx_mods
	uint8_t value;
	const char *key; // NULL: dropped from the key
} suffix_table[] = {
#define K ""
#define D NULL
#define S(text, field, value, key) {text, offsetof(struct ptx_mods, field), value, key},
#include "cuda-sim/ptx/suffixes.def"
#undef S
#undef K
#undef D
};

static bool same(const char *name, const char *s, size_t len) { return strncmp(name, s, len) == 0 && !name[len]; }

const struct ptx_op *ptx_op_find(const char *name, size_t len)
{
	for (unsigned i = 0; i < ptx_op_count; i++)
		if (same(ptx_op_table[i].name, name, len))
			return &ptx_op_table[i];
	return NULL;
}

enum ptx_type ptx_type_find(const char *name, size_t len)
{
	for (unsigned t = 1; t < PTX_N_TYPES; t++)
		if (same(ptx_type_text[t], name, len))
			return t;
	return PTX_T_NONE;
}

int ptx_sreg_find(const char *name, size_t len, uint8_t *comp)
{
	*comp = 0;
	for (int i = 0; i < PTX_N_SREGS; i++)
		if (same(ptx_sreg_table[i].name, name, len))
			return ptx_sreg_table[i].comps > 4 ? -1 : i;
	// %envreg<32>, %pm<8>: the number is the component. %pm0_64 is the same counter, wider.
	for (int i = 0; i < PTX_N_SREGS; i++) {
		size_t n = strlen(ptx_sreg_table[i].name);
		if (ptx_sreg_table[i].comps <= 4 || len <= n || memcmp(name, ptx_sreg_table[i].name, n) != 0)
			continue;
		unsigned v = 0;
		size_t k = n;
		for (; k < len && k < n + 2 && name[k] >= '0' && name[k] <= '9'; k++)
			v = v * 10 + (unsigned)(name[k] - '0');
		if (k == n || v >= ptx_sreg_table[i].comps || (k < len && !same("_64", name + k, len - k)))
			continue;
		*comp = (uint8_t)v;
		return i;
	}
	return -1;
}

enum { EDIT_MAX = 24 };

// Number of inserted, deleted or changed letters between two short words.
static unsigned edits(const char *a, size_t n, const char *b, size_t m)
{
	unsigned row[EDIT_MAX + 1];
	if (n > EDIT_MAX || m > EDIT_MAX)
		return EDIT_MAX;
	for (unsigned j = 0; j <= m; j++)
		row[j] = j;
	for (unsigned i = 1; i <= n; i++) {
		unsigned diag = row[0];
		row[0] = i;
		for (unsigned j = 1; j <= m; j++) {
			unsigned best = diag + (a[i - 1] != b[j - 1]);
			diag = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[m];
}

const char *ptx_op_nearest(const char *name, size_t len)
{
	const char *best = NULL;
	unsigned best_n = len > 4 ? 3 : 2; // further off is no help
	for (unsigned i = 0; i < ptx_op_count; i++) {
		unsigned n = edits(name, len, ptx_op_table[i].name, strlen(ptx_op_table[i].name));
		if (n < best_n)
			best_n = n, best = ptx_op_table[i].name;
	}
	return best;
}

// One suffix of an opcode being read.
struct part {
	const char *s;
	size_t len;
	enum ptx_type type;
};
enum { MAX_PARTS = 40 };

// Whether the alternative list `g` (up to a space) has the suffix.
static bool group_has(const char *g, const struct part *p)
{
	while (*g && *g != ' ') {
		size_t n = strcspn(g, "| ");
		if (n && g[n - 1] == '*' ? p->len >= n - 1 && memcmp(g, p->s, n - 1) == 0
		                         : n == p->len && memcmp(g, p->s, n) == 0)
			return true;
		g += n;
		if (*g == '|')
			g++;
	}
	return false;
}

// How an opcode differs from what a row wants.
struct misfit {
	const struct part *extra;   // a suffix the row does not have
	const struct part *type;    // a type the row does not take
	const char *missing;        // a group that must appear
	bool too_few_types;
};

// Fits the suffixes to a row. Each group takes the first unused suffix it has.
static bool row_fits(const struct ptx_op *op, const struct part *part, unsigned n, struct misfit *m)
{
	*m = (struct misfit){0};
	if (strcmp(op->suffixes, "*") == 0)
		return true;
	bool used[MAX_PARTS] = {0};
	for (const char *g = op->suffixes; *g;) {
		if (*g == ' ') {
			g++;
			continue;
		}
		bool must = *g == '!';
		if (must)
			g++;
		bool found = false;
		for (unsigned i = 0; i < n && !found; i++)
			if (!used[i] && group_has(g, &part[i]))
				used[i] = found = true;
		if (must && !found && !m->missing)
			m->missing = g;
		g += strcspn(g, " ");
	}
	unsigned n_type = 0;
	for (unsigned i = 0; i < n; i++) {
		if (used[i])
			continue;
		if (!part[i].type) {
			if (!m->extra)
				m->extra = &part[i];
			continue;
		}
		uint64_t set = n_type == 0 ? op->types : n_type == 1 ? op->types2 : 0;
		if (!(set >> part[i].type & 1) && !m->type)
			m->type = &part[i];
		n_type++;
	}
	m->too_few_types = n_type < (op->types ? 1u : 0u) + (op->types2 ? 1u : 0u);
	return !m->extra && !m->type && !m->missing && !m->too_few_types;
}

// Puts what the suffix says into its field. Returns what it is in the key, NULL for nothing.
static const char *apply(const struct part *p, struct ptx_mods *m)
{
	if (p->len > 4 && (memcmp(p->s, "L1::", 4) == 0 || memcmp(p->s, "L2::", 4) == 0))
		return NULL;
	for (unsigned i = 0; i < sizeof suffix_table / sizeof *suffix_table; i++) {
		const struct suffix *s = &suffix_table[i];
		if (!same(s->text, p->s, p->len))
			continue;
		if (s->value)
			((uint8_t *)m)[s->field] = s->value;
		if (s->field == offsetof(struct ptx_mods, cmp)) { // .lo and .hi also pick halves of products
			m->lo |= s->value == UOP_LO;
			m->hi |= s->value == UOP_HI;
		}
		return s->key;
	}
	return "";
}

// Suffixes that the general rule drops from the key but that tell instructions apart here.
static bool keeps(const struct ptx_op *op, const struct part *p)
{
	return (strcmp(op->name, "vote") == 0 && same("uni", p->s, p->len)) ||
	       (strcmp(op->name, "barrier") == 0 && same("cluster", p->s, p->len)) ||
	       (strcmp(op->name, "isspacep") == 0 && same("shared::cluster", p->s, p->len));
}

// The shape of the matrices that ldmatrix and stmatrix move is said before or behind their number.
static bool shape_of_16(const struct ptx_op *op, const struct part *p)
{
	return same("m8n8", p->s, p->len) && (strcmp(op->name, "ldmatrix") == 0 || strcmp(op->name, "stmatrix") == 0);
}

// Rounding to nearest is what these do anyway.
static bool default_rnd(const struct ptx_op *op, const struct part *p)
{
	return same("rn", p->s, p->len) && op->types & T(F32) &&
	       (strcmp(op->name, "add") == 0 || strcmp(op->name, "sub") == 0 || strcmp(op->name, "mul") == 0);
}

static void make_key(const struct ptx_op *op, const struct part *part, unsigned n, struct ptx_mods *mods, char *key)
{
	size_t at = strlen(op->name);
	memcpy(key, op->name, at);
	for (unsigned i = 0; i < n; i++) {
		const char *k = apply(&part[i], mods);
		if (op->flags & PTX_OP_LENIENT || keeps(op, &part[i]))
			k = "";
		if (!k || (!(op->flags & PTX_OP_LENIENT) && (default_rnd(op, &part[i]) || shape_of_16(op, &part[i]))))
			continue;
		key[at++] = '.';
		size_t len = *k ? strlen(k) : part[i].len;
		memcpy(key + at, *k ? k : part[i].s, len);
		at += len;
	}
	key[at] = 0;
}

static void explain(const struct ptx_op *op, const struct misfit *m, const char *text, char *why, size_t len)
{
	int name = (int)strlen(op->name);
	if (m->extra)
		snprintf(why, len, "'%.*s' takes no suffix '.%.*s' here", name, text, (int)m->extra->len, m->extra->s);
	else if (m->type)
		snprintf(why, len, "'%.*s' does not take type '.%.*s' here", name, text, (int)m->type->len, m->type->s);
	else if (m->missing)
		snprintf(why, len, "'%s' needs one of the suffixes %.*s", op->name, (int)strcspn(m->missing, " "), m->missing);
	else
		snprintf(why, len, "'%s' needs a type suffix", text);
}

const char *ptx_opcode_read(const char *text, struct ptx_opcode *out, char *key, char *why, size_t why_len)
{
	struct part part[MAX_PARTS];
	unsigned n = 0, n_type = 0;
	size_t total = strlen(text), name = strcspn(text, ".");
	*out = (struct ptx_opcode){.mods.vec = 1};
	if (total >= PTX_OPCODE_MAX) {
		snprintf(why, why_len, "opcode too long");
		return why;
	}
	for (const char *s = text + name; *s; s += part[n++].len) {
		s++;
		if (n == MAX_PARTS) {
			snprintf(why, why_len, "too many suffixes");
			return why;
		}
		part[n].s = s;
		part[n].len = strcspn(s, ".");
		part[n].type = ptx_type_find(s, part[n].len);
		if (part[n].type && n_type < 3)
			out->mods.type[n_type++] = (uint8_t)part[n].type;
	}
	const struct ptx_op *first = ptx_op_find(text, name);
	if (!first) {
		const char *near = ptx_op_nearest(text, name);
		if (near)
			snprintf(why, why_len, "unknown instruction '%s'; did you mean '%s'?", text, near);
		else
			snprintf(why, why_len, "unknown instruction '%s'", text);
		return why;
	}
	// The message is about the row that comes nearest: types count for more than suffixes.
	struct misfit m, best = {0};
	int best_score = -1;
	const struct ptx_op *op, *best_op = first;
	for (op = first; op < ptx_op_table + ptx_op_count && strcmp(op->name, first->name) == 0; op++) {
		if (row_fits(op, part, n, &m)) {
			out->op = op;
			make_key(op, part, n, &out->mods, key);
			return NULL;
		}
		int score = !m.type * 2 + !m.extra * 2 + !m.missing + !m.too_few_types;
		if (score > best_score)
			best_score = score, best = m, best_op = op;
	}
	explain(best_op, &best, text, why, why_len);
	return why;
}

static enum ptx_type doubled(enum ptx_type t)
{
	switch (t) {
	case PTX_T_U16: return PTX_T_U32;
	case PTX_T_S16: return PTX_T_S32;
	case PTX_T_U32: return PTX_T_U64;
	case PTX_T_S32: return PTX_T_S64;
	default:        return t;
	}
}

static void spec_letter(char c, const struct ptx_mods *m, struct ptx_opnd_spec *s)
{
	switch (c) {
	case 't': s->type = m->type[0]; break;
	case 'u': s->type = m->type[1]; break;
	case 'x': s->type = m->type[2]; break;
	case 'W': s->type = m->wide ? (uint8_t)doubled(m->type[0]) : m->type[0]; break;
	case 'h': s->type = PTX_T_B16; break;
	case 'i': s->type = PTX_T_B32; break;
	case 'l': s->type = PTX_T_B64; break;
	case 's': s->type = PTX_T_B32; s->is_part = true; break;
	case 'q': s->type = PTX_T_B32; s->is_vec = true; s->n_elem = m->vec; break;
	case 'Q': s->type = PTX_T_B32; s->is_vec = true; s->n_elem = (uint8_t)(2 * m->vec); break;
	case 'v': s->type = m->type[0]; s->is_vec = m->vec > 1; break;
	case 'o': s->type = m->type[0]; s->form = PTX_F_MOVABLE; s->is_pack = true; break;
	case 'p': s->type = PTX_T_PRED; break;
	case 'r': s->type = PTX_T_B32; s->or_pred = true; break;
	case 'c': s->type = PTX_T_B32; s->form = PTX_F_IMM; break;
	case 'm': s->form = PTX_F_MEM; s->is_addr = true; break;
	case 'a': s->form = PTX_F_ADDRESS; break;
	case 'L': s->form = PTX_F_LABEL; break;
	case 'T': s->form = PTX_F_TABLE; break;
	default:  s->form = PTX_F_ANY; break;
	}
	if (s->type == PTX_T_PRED)
		s->is_pred = true, s->form = s->form == PTX_F_MOVABLE ? PTX_F_MOVABLE : PTX_F_PRED;
}

unsigned ptx_opnd_spec(const struct ptx_inst *i, unsigned n, struct ptx_opnd_spec *out)
{
	if (i->op->flags & PTX_OP_TENSOR)
		return tensor_opnd_spec(i, n, out);
	if (i->op->flags & PTX_OP_GROUP)
		return wgmma_opnd_spec(i, n, out);
	const char *spec = i->op->operands;
	unsigned required = 0, given = i->n_opnd, at = 0;
	for (const char *c = spec; *c; c += strcspn(c, ","), c += *c == ',') {
		bool star = *c == '*' || (c[0] == '[' && c[1] == '*');
		required += *c != '[' && !star;
	}
	if (given < required)
		return 0;
	unsigned extra = given - required;
	for (const char *c = spec; *c; c += strcspn(c, ","), c += *c == ',') {
		const char *k = c;
		bool star = *c == '*' || (c[0] == '[' && c[1] == '*');
		if (*k == '[') {
			k++;
			if (!star && !extra)
				continue;
			extra -= !star;
		}
		for (unsigned times = star ? extra : 1; times--; extra -= star) {
			struct ptx_opnd_spec s = {0};
			bool dest = *k == '=';
			spec_letter(k[dest], &i->mods, &s);
			s.is_dest = dest;
			s.is_src = !dest;
			const char *bar = k + dest + 1;
			if (*bar == '|') {
				s.has_second = true;
				s.second_type = bar[1] == 'p' ? PTX_T_PRED : PTX_T_B32;
			}
			if (s.form == PTX_F_ANY && at == 0 && !(i->op->flags & PTX_OP_NO_DEST) && strcmp(spec, "*") == 0)
				s.is_dest = true, s.is_src = false;
			if (at < n)
				out[at] = s;
			at++;
		}
	}
	if (extra)
		return 0;
	return at < n ? at : n;
}

unsigned ptx_inst_class(const struct ptx_inst *i)
{
	enum ptx_type t = i->mods.type[0], u = i->mods.type[1];
	bool f64 = t == PTX_T_F64 || u == PTX_T_F64, half = T(F16) >> t & 1 || (t && (T_HALF | T_HALFX2) >> t & 1);
	switch (i->op->cls) {
	case ISA_SP_ADD: return f64 ? ISA_DP_ADD : half ? ISA_HP : ISA_SP_ADD;
	case ISA_SP_MAX: return f64 ? ISA_DP_MAX : half ? ISA_HP : ISA_SP_MAX;
	case ISA_SP_MUL: return f64 ? ISA_DP_MUL : half ? ISA_HP : ISA_SP_MUL;
	case ISA_SP_MAD: return f64 ? ISA_DP_MAD : half ? ISA_HP : ISA_SP_MAD;
	case ISA_SP_DIV: return f64 ? ISA_DP_DIV : ISA_SP_DIV;
	default:         return i->op->cls;
	}
}

uint64_t ptx_imm_bits(const struct ptx_opnd *o, enum ptx_type t)
{
	unsigned bits = ptx_type_bits[t];
	uint64_t cut = bits >= 64 || !bits ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1;
	if (!o->is_float)
		return o->bits & cut;
	if (o->is_f32 && t != PTX_T_F64)
		return o->bits & cut;
	double v;
	if (o->is_f32) {
		uint32_t w = (uint32_t)o->bits;
		float f;
		memcpy(&f, &w, sizeof f);
		v = f;
	} else {
		memcpy(&v, &o->bits, sizeof v);
	}
	if (bits == 32 && t != PTX_T_F16X2 && t != PTX_T_BF16X2) {
		float f = (float)v;
		uint32_t w;
		memcpy(&w, &f, sizeof w);
		return w;
	}
	uint64_t w;
	memcpy(&w, &v, sizeof w);
	return w & cut;
}
