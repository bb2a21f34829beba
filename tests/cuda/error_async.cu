// Misuse of mbarriers, bulk copies, cp.async and matrices in shared memory: each ends its kernel with CUDA's error and says what is
// wrong, and where. What can never complete is reported with the state of its mbarrier, where a GPU would hang.
// flags: -arch=sm_90a
#include "fatal.h"

#include <unistd.h>

typedef unsigned long long u64;
enum { THREADS = 64, BYTES = 1024, OUTSIDE = 1 << 20, MOST = (1 << 20) - 1 };

enum {
	NOT_INITIALISED, WAIT_FOR_NONE, INIT_0, INIT_BIG, TOO_MANY, TOO_MANY_LANES, ARRIVE_0, TX_OVER, TX_UNDER, OFF_8, BEYOND, WAIT_OFF_8, OVERWRITTEN,
	NEVER_ARRIVES, NEVER_BYTES, OTHER_PHASE, SURPLUS, NOT_AWAITED, NOTHING,
	LOAD_SOURCE, LOAD_TARGET, LOAD_SIZE, LOAD_END, LOAD_SHARED_END, LOAD_NULL, LOAD_BARRIER, STORE_SOURCE, STORE_TARGET, STORE_SIZE, STORE_END,
	STORE_SHARED_END, REDUCE_TARGET, PREFETCH_OFF_16, PREFETCH_NULL,
	ASYNC_SOURCE, ASYNC_TARGET, ASYNC_NULL, ASYNC_SIZE, LDMATRIX, LDMATRIX_END, STMATRIX, STMATRIX_END,
};

static __device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
static __device__ void init(unsigned b, unsigned n) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(b), "r"(n) : "memory"); }
static __device__ void expect(unsigned b, unsigned n) { asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" :: "r"(b), "r"(n) : "memory"); }
static __device__ void complete(unsigned b, unsigned n) { asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" :: "r"(b), "r"(n) : "memory"); }

static __device__ void arrive(unsigned b, unsigned n)
{
	asm volatile("{\n.reg .b64 s;\nmbarrier.arrive.release.cta.shared::cta.b64 s, [%0], %1;\n}" :: "r"(b), "r"(n) : "memory");
}

static __device__ void arrive_expect(unsigned b, unsigned n)
{
	asm volatile("{\n.reg .b64 s;\nmbarrier.arrive.expect_tx.shared::cta.b64 s, [%0], %1;\n}" :: "r"(b), "r"(n) : "memory");
}

static __device__ void wait(unsigned b, unsigned parity)
{
	for (unsigned p = 0; !p;)
		asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(p) : "r"(b), "r"(parity) : "memory");
}

static __device__ void load(unsigned dst, const void *src, unsigned n, unsigned b)
{
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" :: "r"(dst), "l"(src), "r"(n), "r"(b) : "memory");
}

static __device__ void load_and_wait(unsigned dst, const void *src, unsigned n, unsigned b)
{
	arrive_expect(b, n);
	load(dst, src, n, b);
	wait(b, 0);
}

static __device__ void store(void *dst, unsigned src, unsigned n)
{
	asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" :: "l"(dst), "r"(src), "r"(n) : "memory");
	asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

static __device__ void reduce(void *dst, unsigned src, unsigned n)
{
	asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" :: "l"(dst), "r"(src), "r"(n) : "memory");
	asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

static __device__ void prefetch(const void *src, unsigned n) { asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" :: "l"(src), "r"(n) : "memory"); }

static __device__ unsigned ldmatrix(unsigned from)
{
	unsigned r;
	asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(from + 16 * threadIdx.x) : "memory");
	return r;
}

static __device__ void stmatrix(unsigned to) { asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" :: "r"(to + 16 * threadIdx.x), "r"(to) : "memory"); }

// `one` is 1 and no constant to the compiler.
static __device__ void by_one_thread(int what, unsigned b, unsigned m, u64 *words, char *g, unsigned one)
{
	const char *const none = g - (size_t)g;
	switch (what) {
	case NOT_INITIALISED: arrive(b + 8, 1); break;
	case WAIT_FOR_NONE: wait(b + 8, 0); break;
	case INIT_0: init(b, one - 1); break;
	case INIT_BIG: init(b, one << 20); break;
	case TOO_MANY: arrive(b, one + 4); break;
	case ARRIVE_0: arrive(b, one - 1); break;
	case TX_OVER: expect(b, MOST), expect(b, one); break;
	case TX_UNDER: complete(b, MOST), complete(b, one); break;
	case OFF_8: arrive(b + 4, 1); break;
	case BEYOND: arrive(b + OUTSIDE, 1); break;
	case WAIT_OFF_8: wait(b + 4, 0); break;
	case OVERWRITTEN: *(volatile u64 *)words = 0x77; wait(b, 0); break;
	case SURPLUS: arrive_expect(b, 256), load(m, g, 512, b), wait(b, 0); break;
	case NOT_AWAITED: load(m, g, 512, b); break;
	case NOTHING: load_and_wait(m, g, one - 1, b); break;
	case LOAD_SOURCE: load_and_wait(m, g + 4 * one, 16, b); break;
	case LOAD_TARGET: load_and_wait(m + 8 * one, g, 16, b); break;
	case LOAD_SIZE: load_and_wait(m, g, 8 * one, b); break;
	case LOAD_END: load_and_wait(m, g, 2 * BYTES * one, b); break;
	case LOAD_SHARED_END: load_and_wait(m + OUTSIDE * one, g, 512, b); break;
	case LOAD_NULL: load_and_wait(m, none, 512, b); break;
	case LOAD_BARRIER: load(m, g, 512, b + 4 * one); break;
	case STORE_SOURCE: store(g, m + 4 * one, 16); break;
	case STORE_TARGET: store(g + 4 * one, m, 16); break;
	case STORE_SIZE: store(g, m, 24 * one); break;
	case STORE_END: store(g, m, 2 * BYTES * one); break;
	case STORE_SHARED_END: store(g, m + OUTSIDE * one, 16); break;
	case REDUCE_TARGET: reduce(g + 4 * one, m, 16); break;
	case PREFETCH_OFF_16: prefetch(g + 4 * one, 16); break;
	case PREFETCH_NULL: prefetch(none, 16); break;
	case ASYNC_SOURCE: asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(m), "l"(g + 8 * one) : "memory"); break;
	case ASYNC_TARGET: asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(m + 8 * one), "l"(g) : "memory"); break;
	case ASYNC_NULL: asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(m), "l"(none) : "memory"); break;
	case ASYNC_SIZE: asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" :: "r"(m), "l"(g), "r"(9 * one) : "memory"); break;
	}
}

static __global__ void misuse(int what, char *g, unsigned one)
{
	__shared__ __align__(128) char s[2 * BYTES];
	__shared__ __align__(16) u64 words[2];
	const unsigned b = at(words), m = at(s);
	if (threadIdx.x == 0) {
		words[1] = 0x77;
		init(b, 1);
	}
	__syncthreads();
	if (threadIdx.x == 0)
		by_one_thread(what, b, m, words, g, one);
	if (what == TOO_MANY_LANES) {
		if (threadIdx.x == 0)
			init(b, 4);
		__syncthreads();
		if (threadIdx.x < 2)
			arrive(b, 3 * one);
	}
	if (what == NEVER_BYTES && threadIdx.x == 0)
		arrive_expect(b, 64 * one);
	if (what == OTHER_PHASE)
		wait(b, one); // the phase before is over
	if (what == NEVER_ARRIVES || what == NEVER_BYTES || what == OTHER_PHASE)
		wait(b, 0);
	if ((what == LDMATRIX || what == LDMATRIX_END) && threadIdx.x < 32)
		((unsigned *)g)[threadIdx.x] = ldmatrix(m + (what == LDMATRIX ? 8 : OUTSIDE));
	if ((what == STMATRIX || what == STMATRIX_END) && threadIdx.x < 32)
		stmatrix(m + (what == STMATRIX ? 8 : OUTSIDE));
}

// ptxas divides sizes by 16 and finds the end of a source by subtraction, so machine code of wrong sizes does other things.
static const struct {
	const char *name;
	int what;
	cudaError_t error;
	const char *text; // of the message
	cudaError_t other_error;
	const char *other_text; // NULL: the same
} rows[] = {
	{"not_initialised", NOT_INITIALISED, cudaErrorLaunchFailure, "there is no mbarrier: it was not initialised, or has been overwritten"},
	{"wait_for_none", WAIT_FOR_NONE, cudaErrorLaunchFailure, "there is no mbarrier: it was not initialised, or has been overwritten"},
	{"init_0", INIT_0, cudaErrorLaunchFailure, "a count of arrivals is from 1 to 1048575"},
	{"init_big", INIT_BIG, cudaErrorLaunchFailure, "a count of arrivals is from 1 to 1048575"},
	{"too_many", TOO_MANY, cudaErrorLaunchFailure, "more arrivals than the phase waits for (phase parity 0 waits for 1 of 1 arrivals)"},
	{"too_many_lanes", TOO_MANY_LANES, cudaErrorLaunchFailure, "more arrivals than the phase waits for (phase parity 0 waits for 1 of 4 arrivals)"},
	{"arrive_0", ARRIVE_0, cudaErrorLaunchFailure, "a count of arrivals is from 1 to 1048575"},
	{"tx_over", TX_OVER, cudaErrorLaunchFailure, "the bytes that a phase waits for are from -1048575 to 1048575"},
	{"tx_under", TX_UNDER, cudaErrorLaunchFailure, "1048575 bytes have come that nobody expected"},
	{"off_8", OFF_8, cudaErrorMisalignedAddress, "the address is not a multiple of 8"},
	{"beyond", BEYOND, cudaErrorIllegalAddress, "of the shared memory of the CTA, which has"},
	{"wait_off_8", WAIT_OFF_8, cudaErrorMisalignedAddress, "the address is not a multiple of 8"},
	{"overwritten", OVERWRITTEN, cudaErrorLaunchFailure, "there is no mbarrier: it was not initialised, or has been overwritten"},
	{"never_arrives", NEVER_ARRIVES, cudaErrorLaunchTimeout, "phase parity 0 waits for 1 of 1 arrivals"},
	{"never_bytes", NEVER_BYTES, cudaErrorLaunchTimeout, "phase parity 0 waits for 0 of 1 arrivals and 64 bytes"},
	{"other_phase", OTHER_PHASE, cudaErrorLaunchTimeout, "phase parity 0 waits for 1 of 1 arrivals"},
	{"surplus", SURPLUS, cudaErrorLaunchTimeout, "phase parity 0 waits for 0 of 1 arrivals; 256 bytes have come that nobody expected"},
	{"not_awaited", NOT_AWAITED, cudaSuccess, ""}, // it comes while the block still has its memory
	{"nothing", NOTHING, cudaSuccess, ""},
	{"load_source", LOAD_SOURCE, cudaErrorMisalignedAddress, "the global address of an asynchronous copy"},
	{"load_target", LOAD_TARGET, cudaErrorMisalignedAddress, "the address is not a multiple of 16"},
	{"load_size", LOAD_SIZE, cudaErrorMisalignedAddress, "the size of an asynchronous copy, 0x8, is not a multiple of 16", cudaErrorLaunchTimeout,
	 "phase parity 0 waits for 0 of 1 arrivals and 8 bytes"},
	{"load_end", LOAD_END, cudaErrorIllegalAddress, "it runs over the end of the 1024-byte allocation"},
	{"load_shared_end", LOAD_SHARED_END, cudaErrorIllegalAddress, "of the shared memory of the CTA, which has"},
	{"load_null", LOAD_NULL, cudaErrorIllegalAddress, "a null pointer"},
	{"load_barrier", LOAD_BARRIER, cudaErrorMisalignedAddress, "the address is not a multiple of 8"},
	{"store_source", STORE_SOURCE, cudaErrorMisalignedAddress, "the address is not a multiple of 16"},
	{"store_target", STORE_TARGET, cudaErrorMisalignedAddress, "the global address of an asynchronous copy"},
	{"store_size", STORE_SIZE, cudaErrorMisalignedAddress, "the size of an asynchronous copy, 0x18, is not a multiple of 16", cudaSuccess, ""},
	{"store_end", STORE_END, cudaErrorIllegalAddress, "it runs over the end of the 1024-byte allocation"},
	{"store_shared_end", STORE_SHARED_END, cudaErrorIllegalAddress, "of the shared memory of the CTA, which has"},
	{"reduce_target", REDUCE_TARGET, cudaErrorMisalignedAddress, "the global address of an asynchronous copy"},
	{"prefetch_off_16", PREFETCH_OFF_16, cudaErrorMisalignedAddress, "the global address of an asynchronous copy"},
	{"prefetch_null", PREFETCH_NULL, cudaErrorIllegalAddress, "a null pointer"},
	{"async_source", ASYNC_SOURCE, cudaErrorMisalignedAddress, "the address is not a multiple of 16"},
	{"async_target", ASYNC_TARGET, cudaErrorMisalignedAddress, "the address is not a multiple of 16"},
	{"async_null", ASYNC_NULL, cudaErrorIllegalAddress, "a null pointer"},
	{"async_size", ASYNC_SIZE, cudaErrorLaunchFailure, "a copy of 4 bytes is to read 9", cudaSuccess, ""},
	{"ldmatrix", LDMATRIX, cudaErrorMisalignedAddress, "the address is not a multiple of 16"},
	{"ldmatrix_end", LDMATRIX_END, cudaErrorIllegalAddress, "of the shared memory of the CTA, which has"},
	{"stmatrix", STMATRIX, cudaErrorMisalignedAddress, "the address is not a multiple of 16"},
	{"stmatrix_end", STMATRIX_END, cudaErrorIllegalAddress, "of the shared memory of the CTA, which has"},
};

// What the runtime says on standard error.
static const char *listen(int what, cudaError_t *e)
{
	static char text[1 << 16];
	FILE *f = tmpfile();
	const int err = dup(2);
	char *g = device_alloc<char>(BYTES);
	dup2(fileno(f), 2);
	misuse<<<1, THREADS>>>(what, g, 1);
	*e = cudaDeviceSynchronize();
	fflush(stderr);
	dup2(err, 2);
	close(err);
	rewind(f);
	text[fread(text, 1, sizeof text - 1, f)] = 0;
	fclose(f);
	return text;
}

int main(void)
{
	for (const auto &r : rows) {
		cudaError_t e;
		const char *text = listen(r.what, &e);
		const bool other = r.other_text && e == r.other_error;
		const char *want = other ? r.other_text : r.text;
		CHECK(e == r.error || other, "%s: %s", r.name, cudaGetErrorName(e));
		CHECK(strstr(text, want), "%s: no '%s' in: %s", r.name, want, text);
		CHECK(!e || (strstr(text, "kernel '") && strstr(text, "misuse") && strstr(text, "block (0,0,0)")), "%s: not where: %s", r.name, text);
		if (e)
			fatal_lasts_until_reset(e);
	}
	return check_done();
}
