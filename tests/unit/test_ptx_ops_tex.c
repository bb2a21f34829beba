// Every texture fetch and pair of types through the whole PTX pipeline.
#include "cuda-sim/numbers/softfp.h"
#include "tests/unit/ops_tex.h"

enum { W = 13, H = 6, D = 3, TEXELS = W * H * D, LANES_RUN = 80 };

// Channel c of the texel, as the type sees it: whole numbers, so that every type holds them.
static uint32_t tex_texel(enum ptx_type t, unsigned x, unsigned y, unsigned z, unsigned c)
{
	int n = (int)(((z * H + y) * W + x) * 4 + c) - 400;
	return t == PTX_T_F32 ? softfp_bits_f32((float)n) : t == PTX_T_F16 ? softfp_f32_to_f16((float)n) : (uint32_t)n;
}

static void run_one(void *ctx, const struct op_case *c, const char *line)
{
	struct ptx_opcode op;
	char key[PTX_OPCODE_MAX], why[300], ptx[4000], coord[200];
	ck_assert_msg(!ptx_opcode_read(line, &op, key, why, sizeof why), "%s: %s", line, why);
	enum ptx_type t = (enum ptx_type)op.mods.type[0];
	bool real = op.mods.type[1] == PTX_T_F32, layered = strstr(line, ".a") != NULL, half = t == PTX_T_F16;
	unsigned dims = strstr(line, "1d") ? 1 : strstr(line, "2d") ? 2 : 3;
	const char *r = real ? "%f" : "%r", *level = strstr(line, ".level") ? ", 0f00000000" : "";
	// Coordinates in %r0 %r1 %r2 (and, half a texel in, %f0 %f1 %f2); a layer comes first and is an integer.
	if (layered && dims == 1)
		snprintf(coord, sizeof coord, "{%%r2, %s0}", r);
	else if (layered)
		snprintf(coord, sizeof coord, "{%%r2, %s0, %s1, %s1}", r, r, r);
	else if (dims == 1)
		snprintf(coord, sizeof coord, "{%s0}", r);
	else if (dims == 2)
		snprintf(coord, sizeof coord, "{%s0, %s1}", r, r);
	else
		snprintf(coord, sizeof coord, "{%s0, %s1, %s2, %s2}", r, r, r, r);
	const char *d = half ? "{%h0, %h1, %h2, %h3}" : "{%r10, %r11, %r12, %r13}";
	snprintf(ptx, sizeof ptx,
	         ".version 9.0\n.target sm_90\n.address_size 64\n.global .texref t;\n"
	         ".visible .entry k(.param .u64 out) { .reg .b32 %%r<20>; .reg .f32 %%f<4>; .reg .b16 %%h<4>; "
	         ".reg .b64 %%rd<4>;\n"
	         "mov.u32 %%r3, %%tid.x; rem.u32 %%r0, %%r3, %d; div.u32 %%r4, %%r3, %d; rem.u32 %%r1, %%r4, %d; "
	         "rem.u32 %%r2, %%r3, %d;\n"
	         "cvt.rn.f32.u32 %%f0, %%r0; add.f32 %%f0, %%f0, 0f3F000000; cvt.rn.f32.u32 %%f1, %%r1; "
	         "add.f32 %%f1, %%f1, 0f3F000000;\n"
	         "cvt.rn.f32.u32 %%f2, %%r2; add.f32 %%f2, %%f2, 0f3F000000; ld.param.u64 %%rd1, [out]; "
	         "mul.wide.u32 %%rd2, %%r3, 16; add.u64 %%rd1, %%rd1, %%rd2;\n"
	         "%s %s, [t, %s]%s;\n%s st.global.v4.b32 [%%rd1], {%%r10, %%r11, %%r12, %%r13}; ret; }\n",
	         W, W, H, D, line, d, coord, level,
	         half ? "cvt.u32.u16 %r10, %h0; cvt.u32.u16 %r11, %h1; cvt.u32.u16 %r12, %h2; cvt.u32.u16 %r13, %h3;" : "");
	struct ptx_bench *b = bench_new(ptx);
	uint64_t out = bench_alloc(b, LANES_RUN * 16), base = bench_alloc(b, TEXELS * 16);
	for (unsigned n = 0; n < TEXELS * 4; n++)
		((uint32_t *)(uintptr_t)base)[n] = tex_texel(half ? PTX_T_F32 : t, n / 4 % W, n / 4 / W % H, n / 4 / W / H,
		                                             n % 4);
	struct ptx_var *v = ptx_program_var(&b->program, "t");
	ck_assert_ptr_nonnull(v);
	struct texture tex = {.kind = TEX_ARRAY, .base = base, .width = W, .height = dims > 1 ? H : 0, .depth = dims > 2 ? D : 0,
	                      .layers = layered ? D : 0, .pitch = W * 16, .slice = W * H * 16, .channels = 4, .bits = 32,
	                      .channel = half || t == PTX_T_F32 ? TEX_FLOAT : t == PTX_T_U32 ? TEX_UNSIGNED : TEX_SIGNED,
	                      .filter = TEX_POINT, .address = {TEX_CLAMP, TEX_CLAMP, TEX_CLAMP}};
	v->tex = &tex;
	const struct fault *f = bench_run(b, "k", 1, LANES_RUN, 0, &out);
	ck_assert_msg(!f, "%s: %s", line, f ? f->text : "");
	for (unsigned i = 0; i < LANES_RUN; i++)
		for (unsigned k = 0; k < 4; k++) {
			uint32_t got = ((uint32_t *)(uintptr_t)out)[i * 4 + k];
			uint32_t want = tex_texel(t, i % W, dims > 1 ? i / W % H : 0, dims > 2 || layered ? i % D : 0, k);
			ck_assert_msg(got == want, "%s: channel %u of lane %u is %x, not %x", line, k, i, got, want);
		}
	bench_free(b);
}

START_TEST(every_case)
{
	ops_expand(&ops_tex[_i], ops_tex[_i].text, run_one, NULL);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ptx ops: tex");
	TCase *t = tcase_create("ptx ops: tex");
	tcase_set_timeout(t, 20);
	tcase_add_loop_test(t, every_case, 0, (int)(sizeof ops_tex / sizeof *ops_tex));
	suite_add_tcase(s, t);
	return check_main(s);
}
