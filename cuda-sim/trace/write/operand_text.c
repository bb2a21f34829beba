#include "cuda-sim/trace/write/operand_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const operand_kind_name[] = {
	[OPERAND_REG] = "REG",     [OPERAND_UREG] = "UREG", [OPERAND_PRED] = "PRED",   [OPERAND_UPRED] = "UPRED",
	[OPERAND_BREG] = "BREG",   [OPERAND_CBANK] = "CBANK", [OPERAND_MREF] = "MREF", [OPERAND_DESC] = "DESC",
	[OPERAND_IMM] = "IMM_UINT64", [OPERAND_DOUBLE] = "IMM_DOUBLE", [OPERAND_SPECIAL] = "SR", [OPERAND_SB] = "SB",
	[OPERAND_GENERIC] = "GENERIC",
};

enum { RZ = 255, URZ = 63, PT = 7, ALL_PREDICATES = 8 };

// The number of a register whose name begins with `letters`; OPERAND_NO_REGISTER if this is none.
static int numbered(const char *p, const char *letters, char constant, int constant_is)
{
	size_t n = strlen(letters);
	if (strncmp(p, letters, n))
		return OPERAND_NO_REGISTER;
	p += n;
	if (*p == constant && !isalnum((unsigned char)p[1]) && p[1] != '_')
		return constant_is;
	return isdigit((unsigned char)*p) ? atoi(p) : OPERAND_NO_REGISTER;
}

// The first R of a memory reference, behind the descriptor.
static int register_in(const char *p)
{
	const char *last = strrchr(p, '[');
	for (p = last ? last : p; *p; p++) {
		bool begins = *p == 'R' && !isalnum((unsigned char)p[-1]);
		int r = begins ? numbered(p, "R", 'Z', RZ) : OPERAND_NO_REGISTER;
		if (r >= 0)
			return r;
	}
	return OPERAND_NO_REGISTER;
}

static void classify(struct operand_text *o)
{
	static const struct {
		const char *letters;
		char constant;
		int is;
		enum operand_kind kind;
	} files[] = {{"UR", 'Z', URZ, OPERAND_UREG}, {"UP", 'T', PT, OPERAND_UPRED}, {"R", 'Z', RZ, OPERAND_REG},
	             {"P", 'T', PT, OPERAND_PRED},   {"SB", 0, 0, OPERAND_SB},       {"B", 0, 0, OPERAND_BREG}};
	const char *p = o->text + strspn(o->text, "-+!~|");
	o->negative = *o->text == '-';
	o->reg = OPERAND_NO_REGISTER;
	o->kind = OPERAND_GENERIC;
	for (unsigned k = 0; k < sizeof files / sizeof *files; k++) {
		int r = numbered(p, files[k].letters, files[k].constant, files[k].is);
		if (r < 0)
			continue;
		o->kind = files[k].kind;
		o->reg = r;
		return;
	}
	bool uniform = *p == 'U';
	if (!strcmp(p + uniform, "PR")) {
		o->kind = uniform ? OPERAND_UPRED : OPERAND_PRED;
		o->reg = ALL_PREDICATES;
	} else if (!strncmp(p, "desc[", 5) || *p == '[') {
		o->kind = *p == '[' ? OPERAND_MREF : OPERAND_DESC;
		o->reg = register_in(p);
	} else if (!strncmp(p, "c[", 2) || !strncmp(p, "cx[", 3)) {
		o->kind = OPERAND_CBANK;
	} else if (!strncmp(p, "SR", 2)) {
		o->kind = OPERAND_SPECIAL;
	} else if (*p == '{') {
		o->kind = OPERAND_SB;
	} else if (!strncmp(p, "0x", 2)) {
		o->kind = OPERAND_IMM;
		o->imm = strtoull(p, NULL, 16);
		o->imm = o->negative ? -o->imm : o->imm;
	} else if (isdigit((unsigned char)*p) || !strncmp(p, "INF", 3) || !strncmp(p, "QNAN", 4)) {
		o->kind = OPERAND_DOUBLE;
	}
}

void inst_text_split(struct inst_text *to, const char *text)
{
	memset(to, 0, sizeof *to);
	snprintf(to->copy, sizeof to->copy, "%s", text);
	char *p = to->copy;
	if (*p == '@') {
		to->guarded = true;
		to->guard_negated = p[1] == '!';
		p += 1 + to->guard_negated;
		to->guard_uniform = *p == 'U';
		p += 1 + to->guard_uniform;
		to->guard = *p == 'T' ? PT : (unsigned)(*p - '0');
		p += strcspn(p, " ");
		p += strspn(p, " ");
	}
	to->op = p;
	p += strcspn(p, " ");
	while (*p && to->n < OPERAND_TEXT_MAX) {
		*p++ = 0;
		p += strspn(p, " ");
		if (!*p)
			break;
		struct operand_text *o = &to->operand[to->n++];
		o->text = p;
		for (unsigned depth = 0; *p && (depth || *p != ','); p++)
			depth += (*p == '[' || *p == '{') - (*p == ']' || *p == '}');
		for (char *end = p; end > o->text && end[-1] == ' '; *--end = 0)
			;
	}
	for (unsigned k = 0; k < to->n; k++)
		classify(&to->operand[k]);
}
