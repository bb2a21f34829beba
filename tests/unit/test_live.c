// Registers in use at each instruction of machine code: what is read later, what is written, and what a guard, a loop, a call and a
// branch by register do to it.
#include "cuda-sim/runtime/builtin.h"
#include "cuda-sim/sass/exec/live.h"
#include "libcuda/image/cubin_text.h"
#include "libcuda/image/machine.h"

#include <check.h>
#include <string.h>

enum { MOST = 40 };

// Behind # stand the registers in use: regular and uniform ones, predicates and uniform predicates. R1 is in use to the end.
static const char *const kernels[] = {
	// Where the guard does not hold R4 keeps what it held: it is in use from the start.
	"MOV R1, c[0x0][0x28] # 2 0 0 0\n"
	"S2R R0, SR_TID.X # 3 0 0 0\n"
	"ISETP.GE.AND P0, PT, R0, 0x8, PT # 3 0 1 0\n"
	"ULDC.64 UR4, c[0x0][0x118] # 3 2 1 0\n"
	"@!P0 MOV R4, R0 # 3 2 1 0\n"
	"MOV R5, R0 # 4 2 1 0\n" // the last use of R0
	"IMAD.WIDE R2, R4, 0x4, RZ # 5 2 1 0\n" // a pair, and R4, R5
	"@!P0 STG.E desc[UR4][R2.64], R5 # 4 2 1 0\n"
	"EXIT # 1 0 0 0\n",
	// What the next turn reads is in use at the end of this one; what nobody reads only where it is written.
	"MOV R1, c[0x0][0x28] # 1 0 0 0\n"
	"MOV R2, 0x0 # 2 0 0 0\n"
	"UMOV UR4, 0x3 # 2 1 0 0\n"
	"again: IADD3 R2, R2, 0x1, RZ # 2 1 0 0\n"
	"MOV R7, R2 # 3 1 0 0\n"
	"UISETP.NE.AND UP0, UPT, UR4, 0x8, UPT # 2 1 0 1\n"
	"ISETP.LT.AND P2, PT, R2, UR4, PT # 2 1 1 0\n"
	"@P2 BRA again # 2 1 1 0\n"
	"EXIT # 1 0 0 0\n",
	// A loop that goes on as long as any lane wants to.
	"MOV R1, c[0x0][0x28] # 2 0 0 0\n"
	"MOV R2, 0x0 # 3 0 0 0\n"
	"again: IADD3 R2, R2, R3, RZ # 3 0 0 0\n"
	"ISETP.LT.AND P0, PT, R2, 0x8, PT # 3 0 1 0\n"
	"@P0 BRA.U.ANY again # 3 0 1 0\n"
	"EXIT # 1 0 0 0\n",
	// R8 is not touched by the function and in use across its call; R4 is its argument, R5 its result, R20 where it returns to.
	"MOV R1, c[0x0][0x28] # 1 0 0 0\n"
	"MOV R8, 0x1 # 2 0 0 0\n"
	"MOV R4, 0x2 # 3 0 0 0\n"
	"MOV R20, back # 4 0 0 0\n"
	"MOV R21, 0x0 # 5 0 0 0\n"
	"CALL.REL.NOINC f # 5 0 0 0\n"
	"back: IADD3 R6, R5, R8, RZ # 4 0 0 0\n"
	"STS [RZ], R6 # 2 0 0 0\n"
	"EXIT # 1 0 0 0\n"
	".subroutine f\n"
	"IADD3 R5, R4, 0x1, RZ # 6 0 0 0\n" // its caller's R8 is in use here too
	"RET.REL.NODEC R20 0x0 # 5 0 0 0\n",
	// Each place that the branch may go to reads another register.
	"MOV R1, c[0x0][0x28] # 4 0 0 0\n"
	"MOV R2, -0x30 # 5 0 0 0\n"
	".targets one, two\n"
	"BRX R2 -0x30 # 5 0 0 0\n"
	"one: STS [RZ], R5 # 2 0 0 0\n"
	"EXIT # 1 0 0 0\n"
	"two: STS [RZ], R6 # 2 0 0 0\n"
	"EXIT # 1 0 0 0\n",
};

static uint64_t variable(void *ctx, const struct variable_place *v) { return 0; }
static uint64_t address(void *ctx, const char *name) { return 0; }
static uint32_t texture(void *ctx, const char *name) { return 0; }

// The text without what stands behind #; that by instruction.
static unsigned split(const char *text, char *code, struct sx_live want[MOST])
{
	unsigned n = 0;
	while (*text) {
		const char *end = strchr(text, '\n'), *mark = memchr(text, '#', (size_t)(end - text));
		memcpy(code, text, (size_t)((mark ? mark : end) - text));
		code += (mark ? mark : end) - text;
		*code++ = '\n';
		if (mark) {
			struct sx_live *w = &want[n++];
			ck_assert_int_eq(sscanf(mark + 1, "%hu %hu %hu %hu", &w->r, &w->ur, &w->p, &w->up), 4);
		}
		text = end + 1;
	}
	*code = 0;
	return n;
}

START_TEST(registers_are_in_use_up_to_their_last_reader)
{
	static const struct machine_world world = {NULL, variable, address, texture, builtin_find, {0}};
	char text[4096] = ".kernel k\n.target sm_80\n.regs 24\n.shared 64\n";
	struct sx_live want[MOST];
	struct diag d = {0};
	struct arena arena = {0};
	struct cubin cubin = {0};
	uint8_t *image;
	size_t size;
	unsigned n = split(kernels[_i], text + strlen(text), want);
	ck_assert_msg(cubin_assemble("live.sass", text, strlen(text), &image, &size, &d), "%s", d.text);
	ck_assert_msg(cubin_read(&cubin, image, size, &arena, &d), "%s", d.text);
	struct machine *m = machine_new(image, size, &cubin, "live", &world, &d);
	ck_assert_msg(m != NULL, "%s", d.text);
	const struct sass_image *of = machine_image(m, "k", &d);
	ck_assert_msg(of != NULL, "%s", d.text);
	struct sass_kernel *k = sass_kernel_new(of, 0, &d);
	ck_assert_msg(k != NULL, "%s", d.text);
	struct sx_live *live = sx_live_of(k);
	for (unsigned i = 0; i < n; i++) {
		char line[256];
		const struct sx_live *a = &live[i], *b = &want[i];
		sx_text(k, i, line, sizeof line);
		ck_assert_msg(a->r == b->r && a->ur == b->ur && a->p == b->p && a->up == b->up, "%x %s: %u %u %u %u, expected %u %u %u %u", i * 16,
		              line, a->r, a->ur, a->p, a->up, b->r, b->ur, b->p, b->up);
	}
	mem_free(live);
	sass_kernel_free(k);
	machine_free(m);
	cubin_free(&cubin);
	arena_free(&arena);
	mem_free(image);
	diag_free(&d);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("live");
	TCase *t = tcase_create("live");
	tcase_add_loop_test(t, registers_are_in_use_up_to_their_last_reader, 0, sizeof kernels / sizeof *kernels);
	suite_add_tcase(s, t);
	return check_main(s);
}
