// Every texture fetch and pair of types, and every surface instruction, through the whole PTX pipeline.
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

// --- surfaces: of bytes as they are in memory, 16 to a texel

enum { TEXEL = 16, PITCH = W * TEXEL, SLICE = PITCH * H, SURFACE = SLICE * D };

struct surface_case {
	unsigned dims, vec, bytes; // of an element
	bool layered, formatted;
	const char *reg;
};

// Where lane i goes, in bytes.
static unsigned place_of(const struct surface_case *c, unsigned i)
{
	unsigned x = c->formatted ? i % W * TEXEL : i % W * c->bytes * c->vec;
	return x + (c->dims > 1 ? i / W % H * PITCH : 0) + (c->dims > 2 || c->layered ? i % D * SLICE : 0);
}

static uint64_t number_at(const uint8_t *p, unsigned bytes)
{
	uint64_t v = 0;
	memcpy(&v, p, bytes);
	return v;
}

static uint64_t reduced(const char *line, uint64_t old, uint64_t by, unsigned bytes)
{
	bool is_signed = strstr(line, ".s32") || strstr(line, ".s64");
	int64_t a = bytes == 4 ? (int32_t)old : (int64_t)old, b = bytes == 4 ? (int32_t)by : (int64_t)by;
	bool less = is_signed ? b < a : by < old;
	uint64_t v = strstr(line, ".add.") ? old + by : strstr(line, ".and.") ? old & by : strstr(line, ".or.") ? old | by :
	             less == (strstr(line, ".min.") != NULL) ? by : old;
	return bytes == 4 ? (uint32_t)v : v;
}

static void run_surface(const struct op_case *op, const char *line)
{
	bool load = !strncmp(line, "suld", 4), reduce = !strncmp(line, "sured", 5);
	struct surface_case c = {.dims = strstr(line, "1d") ? 1 : strstr(line, "2d") ? 2 : 3, .layered = strstr(line, ".a1d") || strstr(line, ".a2d"),
	                         .vec = strstr(line, ".v4") ? 4 : strstr(line, ".v2") ? 2 : 1, .formatted = strstr(line, ".p.") != NULL};
	c.bytes = strstr(line, "64") ? 8 : strstr(line, "32") ? 4 : strstr(line, "b16") ? 2 : 1;
	c.reg = c.bytes == 8 ? "%rd1" : c.bytes == 4 ? "%r1" : "%h1";
	unsigned all = c.formatted && reduce ? 4 : c.bytes * c.vec;
	char coord[80], data[80], plain[80], move[600], ptx[4000];
	const char *x = c.formatted ? "%r0" : "%r5";
	if (c.layered)
		snprintf(coord, sizeof coord, c.dims == 1 ? "{%%r2, %s}" : "{%%r2, %s, %%r1, %%r1}", x);
	else
		snprintf(coord, sizeof coord, c.dims == 1 ? "{%s}" : c.dims == 2 ? "{%s, %%r1}" : "{%s, %%r1, %%r2, %%r2}", x);
	snprintf(data, sizeof data, c.vec == 1 ? "{%s0}" : c.vec == 2 ? "{%s0, %s1}" : "{%s0, %s1, %s2, %s3}", c.reg, c.reg, c.reg, c.reg);
	snprintf(plain, sizeof plain, c.vec == 1 ? "%s0" : "%s", c.vec == 1 ? c.reg : data);
	const char *v = c.vec == 1 ? "" : c.vec == 2 ? ".v2" : ".v4";
	if (load)
		snprintf(move, sizeof move, "%s %s, [s, %s]; st.global%s.b%u [%%rd2], %s;", line, data, coord, v, 8 * c.bytes, plain);
	else
		snprintf(move, sizeof move, "ld.global%s.b%u %s, [%%rd2]; %s [s, %s], %s;", v, 8 * c.bytes, plain, line, coord, data);
	snprintf(ptx, sizeof ptx,
	         ".version 9.0\n.target sm_90\n.address_size 64\n.global .surfref s;\n"
	         ".visible .entry k(.param .u64 out) { .reg .b32 %%r<20>; .reg .b16 %%h<20>; .reg .b64 %%rd<20>;\n"
	         "mov.u32 %%r3, %%tid.x; rem.u32 %%r0, %%r3, %d; div.u32 %%r4, %%r3, %d; rem.u32 %%r1, %%r4, %d; "
	         "rem.u32 %%r2, %%r3, %d; mul.lo.u32 %%r5, %%r0, %u;\n"
	         "ld.param.u64 %%rd2, [out]; mul.wide.u32 %%rd3, %%r3, 16; add.u64 %%rd2, %%rd2, %%rd3;\n%s\nret; }\n",
	         W, W, H, D, all, move);
	struct ptx_bench *b = bench_new(ptx);
	uint64_t io = bench_alloc(b, LANES_RUN * 16), base = bench_alloc(b, SURFACE);
	uint8_t *lane = (uint8_t *)(uintptr_t)io, *memory = (uint8_t *)(uintptr_t)base, *want = malloc(SURFACE);
	for (unsigned n = 0; n < SURFACE; n++)
		memory[n] = want[n] = (uint8_t)(load || reduce ? n * 13 + n / 251 : 0);
	// Lanes that go to one place store the same there.
	for (unsigned i = 0; i < LANES_RUN; i++)
		for (unsigned k = 0; k < 16; k++)
			lane[i * 16 + k] = (uint8_t)(load ? 0 : reduce ? i * 5 + k * 3 : place_of(&c, i) * 3 + k + 1);
	for (unsigned i = 0; i < LANES_RUN && !load; i++) {
		uint8_t *to = want + place_of(&c, i);
		uint64_t sum = reduced(line, number_at(to, c.bytes), number_at(lane + i * 16, c.bytes), c.bytes);
		if (reduce)
			memcpy(to, &sum, c.bytes);
		else
			memcpy(to, lane + i * 16, all);
	}
	struct ptx_var *s = ptx_program_var(&b->program, "s");
	ck_assert_ptr_nonnull(s);
	struct texture tex = {.kind = TEX_ARRAY, .base = base, .width = W, .height = c.dims > 1 ? H : 0, .depth = c.dims > 2 ? D : 0,
	                      .layers = c.layered ? D : 0, .pitch = PITCH, .slice = SLICE, .channels = 4, .bits = 32,
	                      .channel = TEX_UNSIGNED, .surface = true};
	s->tex = &tex;
	const struct fault *f = bench_run(b, "k", 1, LANES_RUN, 0, &io);
	ck_assert_msg(!f, "%s: %s", line, f ? f->text : "");
	for (unsigned i = 0; i < LANES_RUN && load; i++)
		ck_assert_msg(!memcmp(lane + i * 16, memory + place_of(&c, i), all), "%s: lane %u", line, i);
	for (unsigned n = 0; n < SURFACE; n++)
		ck_assert_msg(memory[n] == want[n], "%s: byte %u is %x, not %x", line, n, memory[n], want[n]);
	free(want);
	bench_free(b);
}

static void run_case(void *ctx, const struct op_case *c, const char *line)
{
	if (!strncmp(line, "su", 2))
		run_surface(c, line);
	else
		run_one(ctx, c, line);
}

START_TEST(every_case)
{
	ops_expand(&ops_tex[_i], ops_tex[_i].text, run_case, NULL);
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
