// Bad arguments to the stand-in for cuBLAS give the documented state, modes keep what was set, and what is missing is told once.
// Its code is PTX that it loads as it runs.
// skip: sass
#include "blas.h"

#include <string>
#include <unistd.h>

enum { SUCCESS, NOT_INITIALIZED, ALLOC_FAILED = 3, INVALID_VALUE = 7, NOT_SUPPORTED = 15 };

static void *h;

static void handles(void)
{
	void *second, *none = nullptr, *wild = (void *)0x1234;
	int v;
	EXPECT(call("cublasCreate_v2", (void **)nullptr) == INVALID_VALUE);
	OK("cublasCreate_v2", &second);
	OK("cublasDestroy_v2", second);
	for (void *bad : {none, wild, second}) {
		EXPECT(call("cublasDestroy_v2", bad) == NOT_INITIALIZED);
		EXPECT(call("cublasSetStream_v2", bad, none) == NOT_INITIALIZED);
		EXPECT(call("cublasGetStream_v2", bad, &none) == NOT_INITIALIZED);
		EXPECT(call("cublasSetMathMode", bad, 0) == NOT_INITIALIZED);
		EXPECT(call("cublasGetPointerMode_v2", bad, &v) == NOT_INITIALIZED);
		EXPECT(call("cublasSgemm_v2", bad, 0, 0, 1, 1, 1, none, none, 1, none, 1, none, none, 1) == NOT_INITIALIZED);
		EXPECT(call("cublasSdot_v2", bad, 1, none, 1, none, 1, none) == NOT_INITIALIZED);
		EXPECT(call("cublasSgemv_v2", bad, 0, 1, 1, none, none, 1, none, 1, none, none, 1) == NOT_INITIALIZED);
		EXPECT(call("cublasStrsm_v2", bad, 0, 0, 0, 0, 1, 1, none, none, 1, none, 1) == NOT_INITIALIZED);
		EXPECT(call("cublasSgetrfBatched", bad, 1, none, 1, none, none, 1) == NOT_INITIALIZED);
	}
}

static void modes(void)
{
	int v = -1;
	void *s = nullptr;
	cudaStream_t stream;
	EXPECT(call("cublasGetPointerMode_v2", h, &v) == 0 && v == 0);
	OK("cublasSetPointerMode_v2", h, 1);
	EXPECT(call("cublasGetPointerMode_v2", h, &v) == 0 && v == 1);
	EXPECT(call("cublasSetPointerMode_v2", h, 2) == INVALID_VALUE);
	OK("cublasSetPointerMode_v2", h, 0);
	OK("cublasSetMathMode", h, 3);
	EXPECT(call("cublasGetMathMode", h, &v) == 0 && v == 3);
	EXPECT(call("cublasSetAtomicsMode", h, -1) == INVALID_VALUE);
	cudaStreamCreate(&stream);
	OK("cublasSetStream_v2", h, stream);
	EXPECT(call("cublasGetStream_v2", h, &s) == 0 && s == (void *)stream);
	OK("cublasSetStream_v2", h, (cudaStream_t) nullptr);
	cudaStreamDestroy(stream);
	EXPECT(call("cublasGetVersion_v2", h, &v) == 0 && v >= 120000);
	EXPECT(call("cublasGetProperty", 0, &v) == 0 && v >= 12);
	EXPECT(call("cublasGetProperty", 3, &v) == INVALID_VALUE);
	EXPECT(call("cublasSetWorkspace_v2", h, (void *)4, 100ul) == INVALID_VALUE);
	auto name = (const char *(*)(int))dlsym(library(), "cublasGetStatusName");
	EXPECT(!strcmp(name(15), "CUBLAS_STATUS_NOT_SUPPORTED"));
}

static void arguments(void)
{
	array a('s', 16), b('s', 16), c('s', 16);
	scalar one('s', 1, false);
	const void *none = nullptr, *f = one.p();
	auto gemm = [&](int oa, int ob, int m, int n, int k, const void *alpha, int lda, int ldb, const void *beta, void *to, int ldc) {
		return call("cublasSgemm_v2", h, oa, ob, m, n, k, alpha, a.at, lda, b.at, ldb, beta, to, ldc);
	};
	EXPECT(gemm(0, 0, 4, 4, 4, f, 4, 4, f, c.at, 4) == SUCCESS);
	EXPECT(gemm(3, 0, 4, 4, 4, f, 4, 4, f, c.at, 4) == INVALID_VALUE);
	EXPECT(gemm(0, -1, 4, 4, 4, f, 4, 4, f, c.at, 4) == INVALID_VALUE);
	EXPECT(gemm(0, 0, -1, 4, 4, f, 4, 4, f, c.at, 4) == INVALID_VALUE);
	EXPECT(gemm(0, 0, 4, -1, 4, f, 4, 4, f, c.at, 4) == INVALID_VALUE);
	EXPECT(gemm(0, 0, 4, 4, -1, f, 4, 4, f, c.at, 4) == INVALID_VALUE);
	EXPECT(gemm(0, 0, 4, 4, 4, f, 3, 4, f, c.at, 4) == INVALID_VALUE);
	EXPECT(gemm(1, 0, 2, 4, 4, f, 3, 4, f, c.at, 4) == INVALID_VALUE);
	EXPECT(gemm(0, 0, 4, 4, 4, f, 4, 3, f, c.at, 4) == INVALID_VALUE);
	EXPECT(gemm(0, 0, 4, 4, 4, f, 4, 4, f, c.at, 3) == INVALID_VALUE);
	EXPECT(gemm(0, 0, 4, 4, 4, none, 4, 4, f, c.at, 4) == INVALID_VALUE);
	EXPECT(gemm(0, 0, 4, 4, 4, f, 4, 4, none, c.at, 4) == INVALID_VALUE);
	EXPECT(gemm(0, 0, 4, 4, 4, f, 4, 4, f, nullptr, 4) == INVALID_VALUE);
	EXPECT(gemm(0, 0, 0, 4, 4, none, 1, 4, none, nullptr, 1) == SUCCESS);
	// A factor that is in no memory of the program's: told, no crash.
	EXPECT(gemm(0, 0, 4, 4, 4, (void *)0x1234, 4, 4, f, c.at, 4) == INVALID_VALUE);
	EXPECT(call("cublasGemmEx", h, 0, 0, 1, 1, 1, f, a.at, 2, 1, b.at, 0, 1, f, c.at, 0, 1, 68, -1) == NOT_SUPPORTED);
	EXPECT(call("cublasGemmEx", h, 0, 0, 1, 1, 1, f, a.at, 28, 1, b.at, 28, 1, f, c.at, 0, 1, 68, -1) == NOT_SUPPORTED);
	EXPECT(call("cublasSgemmStridedBatched", h, 0, 0, 1, 1, 1, f, a.at, 1, 1ll, b.at, 1, 1ll, f, c.at, 1, 1ll, -1) == INVALID_VALUE);
	EXPECT(call("cublasSgemv_v2", h, 0, 4, 4, f, a.at, 4, b.at, 0, f, c.at, 1) == INVALID_VALUE);
	EXPECT(call("cublasSger_v2", h, 4, 4, f, a.at, 1, b.at, 1, c.at, 3) == INVALID_VALUE);
	EXPECT(call("cublasStrsm_v2", h, 2, 0, 0, 0, 4, 4, f, a.at, 4, b.at, 4) == INVALID_VALUE);
	EXPECT(call("cublasStrsm_v2", h, 0, 2, 0, 0, 4, 4, f, a.at, 4, b.at, 4) == INVALID_VALUE);
	EXPECT(call("cublasSsyrk_v2", h, 5, 0, 4, 4, f, a.at, 4, f, c.at, 4) == INVALID_VALUE);
	EXPECT(call("cublasCherk_v2", h, 0, 1, 2, 2, f, a.at, 2, f, c.at, 2) == INVALID_VALUE);
	EXPECT(call("cublasSdot_v2", h, 4, a.at, 1, b.at, 1, (void *)nullptr) == INVALID_VALUE);
	EXPECT(call("cublasSaxpy_v2", h, 4, none, a.at, 1, b.at, 1) == INVALID_VALUE);
	EXPECT(call("cublasSmatinvBatched", h, 33, a.at, 33, b.at, 33, c.at, 1) == INVALID_VALUE);
	int info = 0;
	EXPECT(call("cublasSgetrsBatched", h, 0, 4, 1, a.at, 3, (void *)nullptr, b.at, 4, &info, 1) == INVALID_VALUE && info == -5);
}

// Every name of the table is there; those that are not implemented say so.
static void table(void)
{
	static const struct {
		const char *name;
		bool done;
	} names[] = {
#define WIDE(name, done) {name "_64", done},
#define NARROW(name, done)
#define DONE(name, twin) {#name, true}, twin(#name, true)
#define NOT_YET(name, twin) {#name, false}, twin(#name, false)
#include "../../blas/blas.def"
#undef WIDE
#undef NARROW
	};
	char told[] = "/tmp/heddle-blas-XXXXXX";
	int file = mkstemp(told), kept = dup(2), missing = 0;
	dup2(file, 2);
	for (auto &n : names) {
		auto f = (int (*)())dlsym(library(), n.name);
		if (!f)
			failures++, printf("FAIL %s is not there\n", n.name);
		else if (!n.done) {
			EXPECT(f() == NOT_SUPPORTED && f() == NOT_SUPPORTED);
			missing++;
		}
	}
	dup2(kept, 2);
	FILE *in = fopen(told, "r");
	char line[200];
	int lines = 0;
	while (fgets(line, sizeof line, in))
		lines += strstr(line, "returns CUBLAS_STATUS_NOT_SUPPORTED") != nullptr;
	EXPECT(missing > 100 && lines == missing);
	fclose(in);
	close(file);
	unlink(told);
}

// Asked for NVIDIA's file by its path, as Python packages do, the loader takes the stand-in.
static void path(void)
{
	if (!getenv("LD_AUDIT"))
		return; // this mode of the tests has none
	char folder[] = "/tmp/heddle-blas-XXXXXX";
	std::string file = std::string(mkdtemp(folder)) + "/libcublas.so.12";
	FILE *f = fopen(file.c_str(), "w");
	fputs("no library", f);
	fclose(f);
	void *l = dlopen(file.c_str(), RTLD_NOW);
	EXPECT(l && dlsym(l, "cublasCreate_v2") == dlsym(library(), "cublasCreate_v2"));
	unlink(file.c_str());
	rmdir(folder);
}

int main(void)
{
	OK("cublasCreate_v2", &h);
	handles();
	modes();
	arguments();
	table();
	path();
	OK("cublasDestroy_v2", h);
	puts(failures ? "FAIL" : "PASS");
	return failures != 0;
}
