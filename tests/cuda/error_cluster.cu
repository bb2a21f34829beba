// Misuse of clusters: each ends its kernel with CUDA's error and says what is wrong, and where. Without the check a GPU would hang, or
// find what lies there.
// flags: -arch=sm_90
// env: GPGPUSIM_CONFIG=../../../../../configs/SM90_H100/gpgpusim.config
#include "cluster.h"
#include "fatal.h"

#include <unistd.h>

enum { NO_SUCH_RANK, ENDED, ENDED_STORE, BEYOND, MISALIGNED, TWICE, NEVER_ARRIVED, MISSING, ASYNC_NO_RANK, ELSEWHERE, MULTICAST, NOT_ONE, LATE };

static __device__ void bulk(unsigned dst, unsigned src, unsigned bar)
{
	asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 16, [%2];"
	             :: "r"(dst), "r"(src), "r"(bar) : "memory");
}

static __global__ void misuse(int what, unsigned *out)
{
	__shared__ __align__(16) unsigned x[4];
	__shared__ u64 bar;
	const unsigned r = cluster_ctarank(), n = cluster_nctarank(), t = threadIdx.x;
	if (!t)
		asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(at(&bar)) : "memory");
	x[t % 4] = t;
	cluster_sync();
	if (what == NO_SUCH_RANK && r == 1)
		out[t] = load(map(x, n));
	const bool leaves = what == ENDED || what == ENDED_STORE || what == LATE;
	if (leaves && r == 1)
		return;
	if (leaves) {
		for (int i = 0; i < 2000; i++) // the other block exits meanwhile
			asm volatile("nanosleep.u32 100;");
		if (what == LATE)
			asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(map(&bar, 1)) : "memory");
		else if (what == ENDED)
			out[t] = *(volatile unsigned *)map_generic(x, 1);
		else
			*(volatile unsigned *)map_generic(x, 1) = 3;
	}
	if (what == BEYOND && r == 1)
		store(map(x, 0) + 0x30000, 1);
	if (what == MISALIGNED && r == 1)
		store(map(x, 0) + 2, 1);
	if (what == TWICE && r == 1) {
		cluster_arrive();
		cluster_arrive();
	}
	if (what == NEVER_ARRIVED && r == 1)
		cluster_wait();
	if (what == MISSING && (r != 1 || t < 32))
		cluster_sync();
	if (what == MISSING && r == 1 && t >= 32) // waits in the block for those that wait for it
		__syncthreads();
	if (what == ASYNC_NO_RANK && r == 1 && !t)
		asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" :: "r"(map(x, n + 3)), "r"(1), "r"(map(&bar, n + 3)) : "memory");
	if (what == ELSEWHERE && r == 1 && !t)
		bulk(map(x, 0), at(x), map(&bar, 1));
	if (what == MULTICAST && r == 1 && !t)
		asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 16, [%2], %3;"
		             :: "r"(at(x)), "l"(out), "r"(at(&bar)), "h"((unsigned short)0xf0) : "memory");
	if (what == NOT_ONE && r == 1 && !t)
		asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(map(x, 0)) : "memory");
	if (!leaves)
		cluster_sync();
}

static const struct {
	const char *name;
	int what;
	cudaError_t error;
	const char *text; // of the message
} rows[] = {
	{"no_such_rank", NO_SUCH_RANK, cudaErrorIllegalAddress, "the cluster has no such CTA, or it has ended"},
	{"ended", ENDED, cudaErrorIllegalAddress, "the cluster has no such CTA, or it has ended"},
	{"ended_store", ENDED_STORE, cudaErrorIllegalAddress, "4-byte write at 0x"},
	{"beyond", BEYOND, cudaErrorIllegalAddress, "of the shared memory of another CTA, which has"},
	{"misaligned", MISALIGNED, cudaErrorMisalignedAddress, "the address is not a multiple of 4"},
	{"twice", TWICE, cudaErrorIllegalInstruction, "it arrives at the barrier of the cluster and has not waited there since it arrived last"},
	{"never_arrived", NEVER_ARRIVED, cudaErrorIllegalInstruction, "it waits at the barrier of the cluster and has not arrived there since it waited last"},
	{"missing", MISSING, cudaErrorLaunchTimeout, "waits at the barrier of the cluster (96 of 128 threads have come; missing: block (1,0,0) warp 1)"},
	{"async_no_rank", ASYNC_NO_RANK, cudaErrorIllegalAddress, "the cluster has no such CTA"},
	{"elsewhere", ELSEWHERE, cudaErrorLaunchFailure, "a bulk copy goes to the shared memory of CTA 0 of the cluster, its mbarrier is in that of CTA 1"},
	{"multicast", MULTICAST, cudaErrorLaunchFailure, "a bulk copy goes to the CTAs 0xf0 of its cluster, which has 0x3"},
	{"not_one", NOT_ONE, cudaErrorLaunchFailure, "the mbarrier at shared memory offset"},
	{"late", LATE, cudaSuccess, "it arrives at an mbarrier of another block of its cluster, of which all threads have exited"}, // passes
};

// What the runtime says on standard error.
static const char *listen(int what, cudaError_t *e)
{
	static char text[1 << 16];
	FILE *f = tmpfile();
	const int err = dup(2);
	unsigned *d = device_alloc<unsigned>(64);
	dup2(fileno(f), 2);
	OK(launch(misuse, dim3(2), dim3(64), dim3(2), 0, what, d));
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
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		cudaError_t e;
		const char *text = listen(rows[i].what, &e);
		CHECK(e == rows[i].error, "%s: %s", rows[i].name, cudaGetErrorName(e));
		CHECK(strstr(text, rows[i].text), "%s: no '%s' in: %s", rows[i].name, rows[i].text, text);
		CHECK(strstr(text, "kernel '") && strstr(text, "misuse"), "%s: not where: %s", rows[i].name, text);
		if (e)
			fatal_lasts_until_reset(e);
	}
	return check_done();
}
