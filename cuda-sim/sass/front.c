#include "cuda-sim/sass/front.h"

#include "cuda-sim/sass/inst.h"

#include <stdio.h>
#include <string.h>

void sass_front_count(struct kernel_counts *n, const struct isa_inst *i, uint32_t mask)
{
	unsigned lanes = fe_lanes(mask);
	n->warp_insts++;
	n->thread_insts += lanes;
	n->cls[i->cls]++;
	n->cls_thread[i->cls] += lanes;
}

enum fe_status sass_front_run(const struct frontend_ops *fe, struct fe_cta *cta, unsigned warp, uint64_t budget,
                              uint64_t *used)
{
	struct fe_result r = {.status = FE_OK};
	for (*used = 0; *used < budget; ++*used) {
		fe->execute(cta, warp, &r);
		if (!r.inst || r.status == FE_FAULT)
			return r.status;
	}
	return r.status;
}

void sass_front_dump(const struct frontend_ops *fe, const struct fe_cta *cta, unsigned warp,
                     void (*put)(void *ctx, const char *text), void *ctx)
{
	char line[400];
	fe->describe(cta, warp, line, sizeof line - 1);
	strcat(line, "\n");
	put(ctx, line);
}

bool sass_front_unstick(struct fe_cta *cta)
{
	(void)cta;
	return false;
}

uint32_t sass_front_register_count(const void *code)
{
	(void)code;
	return SASS_N_REGISTERS;
}

void sass_front_register_name(const void *code, const struct isa_inst *inst, unsigned reg, char *buf, size_t len)
{
	(void)code, (void)inst;
	static const struct { unsigned first; const char *name; } files[] = {
		{SASS_B, "B"}, {SASS_UP, "UP"}, {SASS_P, "P"}, {SASS_UR, "UR"}, {SASS_R, "R"}};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		if (reg < files[i].first)
			continue;
		snprintf(buf, len, "%s%u", files[i].name, reg - files[i].first);
		return;
	}
	snprintf(buf, len, "no register");
}
