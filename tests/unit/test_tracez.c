// .tracez files, made here by hand: what is read of them is what the text form says, damage is an error, and what Heddle writes is
// read back.
#include "tests/unit/trace_text.h"

#include "cuda-sim/trace/tracez.h"
#include "cuda-sim/trace/write/tracez_file.h"

#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

struct file {
	struct put bytes, index;
	uint32_t blocks;
	const char *dictionary;
};

static void put_number(struct put *to, uint64_t v, unsigned bytes)
{
	for (unsigned k = 0; k < bytes; k++)
		put_char(to, (char)(v >> 8 * k));
}

static void begin(struct file *f, const char *header, const char *dictionary)
{
	*f = (struct file){.dictionary = dictionary};
	put_bytes(&f->bytes, header, strlen(header) + 1);
	put_number(&f->bytes, strlen(dictionary), 4);
	put_number(&f->bytes, 2048, 4);
	put_string(&f->bytes, dictionary);
}

static void block(struct file *f, const uint32_t id[3], const uint32_t place[3], uint32_t warps)
{
	for (unsigned k = 0; k < 3; k++)
		put_number(&f->index, id[k], 4);
	for (unsigned k = 0; k < 3; k++)
		put_number(&f->index, place[k] ? id[k] / 2 : 0, 4);
	for (unsigned k = 0; k < 3; k++)
		put_number(&f->index, place[k], 4);
	put_number(&f->index, place[0], 4);
	put_number(&f->index, warps, 4);
	f->blocks++;
}

// The lines of each part, without '\n' at its end.
static void warp(struct file *f, uint32_t parts, const char *const text[], const uint32_t insts[])
{
	uint32_t all = 0;
	for (uint32_t k = 0; k < parts; k++)
		all += insts[k];
	put_number(&f->index, all, 4);
	put_number(&f->index, parts, 4);
	put_number(&f->index, f->bytes.t.n, 8);
	put_number(&f->bytes, all, 4);
	put_number(&f->bytes, parts, 4);
	for (uint32_t k = 0; k < parts; k++) {
		char packed[4096];
		ZSTD_CCtx *c = ZSTD_createCCtx();
		const size_t n = ZSTD_compress_usingDict(c, packed, sizeof packed, text[k], strlen(text[k]), f->dictionary, strlen(f->dictionary), 3);
		ck_assert(!ZSTD_isError(n));
		ZSTD_freeCCtx(c);
		put_number(&f->index, insts[k], 4);
		put_number(&f->bytes, n, 4);
		put_bytes(&f->bytes, packed, n);
	}
}

static void end(struct file *f)
{
	const uint64_t at = f->bytes.t.n;
	put_number(&f->bytes, f->blocks, 4);
	put_bytes(&f->bytes, f->index.t.at, f->index.t.n);
	put_number(&f->bytes, at, 8);
	VEC_FREE(&f->index.t);
}

static char *all_text(const void *bytes, size_t n, size_t step, char *why, size_t why_n)
{
	struct tracez *z = tracez_of(bytes, n, why, why_n);
	struct put t = {0};
	char piece[256];
	if (!z)
		return NULL;
	for (size_t k; (k = tracez_read(z, piece, step));)
		put_bytes(&t, piece, k);
	put_char(&t, 0);
	if (tracez_error(z)) {
		snprintf(why, why_n, "%s", tracez_error(z));
		VEC_FREE(&t.t);
	}
	tracez_close(z);
	return t.t.at;
}

static const char lines0[] = "0000 ffffffff 1 R1 MOV 1 R2 0 0\n0010 ffffffff 0 EXIT 0 0 0";
static const char *const split[] = {"0000 ffffffff 1 R1 MOV 1 R2 0 0", "0010 ffffffff 0 EXIT 0 0 0"};
#define HEADER                                                                                                                 \
	"-kernel name = k\n-grid dim = (2,1,1)\n-block dim = (64,1,1)\n-shmem = 0\n-nregs = 8\n-binary version = 90\n"               \
	"-accelsim tracer version = 6\n\n#traces format = ...\n\n"

static void two_blocks(struct file *f, const char *dictionary)
{
	begin(f, HEADER, dictionary);
	for (uint32_t b = 0; b < 2; b++) {
		block(f, (uint32_t[]){b, 0, 0}, (uint32_t[]){b, 0, 0}, 2);
		warp(f, 1, (const char *const[]){lines0}, (uint32_t[]){2});
		warp(f, 2, split, (uint32_t[]){1, 1});
	}
	end(f);
}

#define BLOCK(b)                                                                                                               \
	"\n#BEGIN_TB\n\nthread block = " #b ",0,0\ncluster id = 0,0,0\ncluster cta = " #b ",0,0\ncluster rank = " #b "\n"            \
	"\nwarp = 0\ninsts = 2\n0000 ffffffff 1 R1 MOV 1 R2 0 0\n0010 ffffffff 0 EXIT 0 0 0\n"                                       \
	"\nwarp = 1\ninsts = 2\n0000 ffffffff 1 R1 MOV 1 R2 0 0\n0010 ffffffff 0 EXIT 0 0 0\n\n#END_TB\n"

START_TEST(text_is_that_of_the_disassembler)
{
	static const size_t steps[] = {1, 7, 256};
	char why[300];
	struct file f;
	two_blocks(&f, _i ? "EXIT MOV ffffffff 0000 R1 R2 R3" : "");
	for (unsigned k = 0; k < 3; k++) {
		char *t = all_text(f.bytes.t.at, f.bytes.t.n, steps[k], why, sizeof why);
		ck_assert_ptr_nonnull(t);
		ck_assert_str_eq(t, HEADER BLOCK(0) BLOCK(1));
		mem_free(t);
	}
	struct tracez *z = tracez_of(f.bytes.t.at, f.bytes.t.n, why, sizeof why);
	uint32_t size[3];
	ck_assert(tracez_cluster(z, size));
	ck_assert_uint_eq(size[0], 2);
	ck_assert_uint_eq(size[1], 1);
	ck_assert_uint_eq(size[2], 1);
	tracez_close(z);
	VEC_FREE(&f.bytes.t);
}
END_TEST

// The kernel is replayed from a file of either kind.
START_TEST(kernels_open_by_name)
{
	char why[1200], path[] = "/tmp/heddle-XXXXXX.tracez";
	struct file f;
	two_blocks(&f, "");
	int fd = mkstemps(path, 7);
	ck_assert(write(fd, f.bytes.t.at, f.bytes.t.n) == (ssize_t)f.bytes.t.n);
	close(fd);
	for (unsigned k = 0; k < 2; k++) {
		struct trace_rules rules = {0};
		struct trace_kernel *t = k ? trace_kernel_open(path, &rules, 0, UINT64_MAX, why, sizeof why)
		                           : trace_kernel_open_text("k.tracez", f.bytes.t.at, f.bytes.t.n, &rules, 0, UINT64_MAX, why, sizeof why);
		ck_assert_msg(t != NULL, "%s", why);
		ck_assert_uint_eq(trace_kernel_ctas(t), 2);
		trace_kernel_close(t);
	}
	unlink(path);
	VEC_FREE(&f.bytes.t);
}
END_TEST

// Every byte changed, and every length: an error or another text, and nothing worse.
START_TEST(damage_is_an_error)
{
	struct file f;
	char why[300];
	unsigned refused = 0;
	two_blocks(&f, _i ? "EXIT MOV ffffffff 0000 R1 R2 R3" : "");
	for (size_t n = 0; n < f.bytes.t.n; n++) {
		char *t = all_text(f.bytes.t.at, n, 100, why, sizeof why);
		ck_assert_msg(!t, "cut to %zu bytes it is read", n);
		ck_assert(*why);
	}
	for (size_t n = 0; n < f.bytes.t.n; n++) {
		f.bytes.t.at[n] ^= 0x55;
		*why = 0;
		char *t = all_text(f.bytes.t.at, f.bytes.t.n, 100, why, sizeof why);
		refused += !t;
		ck_assert(t || *why);
		mem_free(t);
		f.bytes.t.at[n] ^= 0x55;
	}
	ck_assert_uint_gt(refused, 100);
	VEC_FREE(&f.bytes.t);
}
END_TEST

START_TEST(errors_say_where)
{
	struct file f;
	char why[300];
	two_blocks(&f, "");
	f.bytes.t.at[f.bytes.t.n - 1] ^= 1;
	ck_assert_ptr_null(all_text(f.bytes.t.at, f.bytes.t.n, 100, why, sizeof why));
	ck_assert_msg(strstr(why, "no index where the last 8 bytes say") != NULL, "%s", why);
	f.bytes.t.at[f.bytes.t.n - 1] ^= 1;
	// The first frame stands behind the header, two numbers, two numbers of the warp and its own length.
	const size_t frame = sizeof HEADER + 8 + 8 + 4;
	f.bytes.t.at[frame] ^= 1;
	ck_assert_ptr_null(all_text(f.bytes.t.at, f.bytes.t.n, 100, why, sizeof why));
	ck_assert_str_eq(why, "thread block 0,0,0, warp 0, part 0: the Zstandard data is damaged");
	char all[1200];
	struct trace_code *code = mem_alloc(sizeof *code);
	struct trace_source *source = trace_source_tracez(f.bytes.t.at, f.bytes.t.n, why, sizeof why);
	struct trace_reader *r = trace_reader_new(source, "x.tracez", code, 0, UINT64_MAX, all, sizeof all);
	struct trace_cta *c = mem_alloc(sizeof *c);
	ck_assert_int_eq(trace_reader_next(r, c), TRACE_ERROR);
	snprintf(all, sizeof all, "%s", trace_reader_error(r));
	trace_cta_free(c);
	trace_reader_free(r);
	trace_code_free(code);
	mem_free(code);
	ck_assert_str_eq(all, "x.tracez:20: thread block 0,0,0, warp 0, part 0: the Zstandard data is damaged");
	VEC_FREE(&f.bytes.t);
	ck_assert_ptr_null(trace_kernel_open("/no/such.tracez", &(struct trace_rules){0}, 0, 1, all, sizeof all));
	ck_assert_str_eq(all, "/no/such.tracez: No such file or directory");
}
END_TEST

// Written by Heddle, of few lines (no dictionary) and of many.
START_TEST(what_is_written_is_read)
{
	const unsigned insts = _i ? 5000 : 3;
	char path[] = "/tmp/heddle-XXXXXX";
	int fd = mkstemp(path);
	char why[300];
	struct put expected = {0};
	struct tracez_file *t = tracez_file_new((struct store_file){.plain = fdopen(fd, "wb")}, HEADER, strlen(HEADER));
	put_string(&expected, HEADER);
	for (unsigned b = 0; b < 3; b++) {
		struct store_warp w[2] = {{.insts = insts}, {.insts = b}};
		put_format(&expected, "\n#BEGIN_TB\n\nthread block = %u,0,0\ncluster id = %u,0,0\ncluster cta = 0,%u,0\ncluster rank = 5\n", b, b, b);
		for (unsigned k = 0; k < 2; k++) {
			put_format(&expected, "\nwarp = %u\ninsts = %u\n", k, (unsigned)w[k].insts);
			for (unsigned i = 0; i < w[k].insts; i++)
				put_format(&w[k].records, "%04x ffffffff 1 R%u LDG.E 1 R2 4 1 0x%x 4 0\n", 16 * i, i % 200, i * i * 128);
			if (w[k].insts)
				put_bytes(&expected, w[k].records.t.at, w[k].records.t.n);
		}
		put_string(&expected, "\n#END_TB\n");
		ck_assert(tracez_file_block(t, &(struct tracez_block){{b, 0, 0}, {b, 0, 0}, {0, b, 0}, 5}, w, 2));
		VEC_FREE(&w[0].records.t);
		VEC_FREE(&w[1].records.t);
	}
	ck_assert(tracez_file_end(t));
	put_char(&expected, 0);
	struct tracez *z = tracez_open(path, why, sizeof why);
	ck_assert_msg(z != NULL, "%s", why);
	struct put all = {0};
	char piece[1000];
	for (size_t k; (k = tracez_read(z, piece, sizeof piece));)
		put_bytes(&all, piece, k);
	ck_assert_msg(!tracez_error(z), "%s", tracez_error(z));
	put_char(&all, 0);
	ck_assert_str_eq(all.t.at, expected.t.at);
	tracez_close(z);
	unlink(path);
	VEC_FREE(&all.t);
	VEC_FREE(&expected.t);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("tracez");
	TCase *t = tcase_create("tracez");
	tcase_set_timeout(t, 30);
	suite_add_tcase(s, t);
	tcase_add_loop_test(t, text_is_that_of_the_disassembler, 0, 2);
	tcase_add_test(t, kernels_open_by_name);
	tcase_add_loop_test(t, damage_is_an_error, 0, 2);
	tcase_add_test(t, errors_say_where);
	tcase_add_loop_test(t, what_is_written_is_read, 0, 2);
	return check_main(s);
}
