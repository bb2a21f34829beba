// Matrix products of the stand-in for cuBLAS against the CPU: all types, operations, leading dimensions, sizes, batches and pointer modes.
// Too long for runs that tick every cycle; blas_lt and blas_vectors take its part there.
// skip: timed sass
#include "blas.h"

typedef void *handle;
static handle h;

enum how { ONE, POINTERS, STRIDES };

struct test {
	char ab, c;
	int compute;
	int op_a, op_b, m, n, k, pad;
	number alpha, beta;
	how w;
	int count;
	bool device, wide;
};

static char scale_type(const test &t)
{
	return t.compute == 64 ? 'h' : t.c == 'i' ? 'i' : t.c == 'h' || t.c == 'b' ? 's' : t.c;
}

// Through the Ex forms, which have all types.
static int run(const test &t, array &a, int lda, size_t sa, array &b, int ldb, size_t sb, array &c, int ldc, size_t sc)
{
	scalar alpha(scale_type(t), t.alpha, t.device), beta(scale_type(t), t.beta, t.device);
	int ta = data_type(t.ab), tc = data_type(t.c);
	call("cublasSetPointerMode_v2", h, (int)t.device);
	addresses pa(a.at, sa * size_of(t.ab), t.count), pb(b.at, sb * size_of(t.ab), t.count), pc(c.at, sc * size_of(t.c), t.count);
	long long A = sa, B = sb, C = sc, m = t.m, n = t.n, k = t.k, la = lda, lb = ldb, lc = ldc, count = t.count;
	if (t.w == ONE && t.wide)
		return call("cublasGemmEx_64", h, t.op_a, t.op_b, m, n, k, alpha.p(), a.at, ta, la, b.at, ta, lb, beta.p(), c.at, tc, lc, t.compute, -1);
	if (t.w == ONE)
		return call("cublasGemmEx", h, t.op_a, t.op_b, t.m, t.n, t.k, alpha.p(), a.at, ta, lda, b.at, ta, ldb, beta.p(), c.at, tc, ldc, t.compute, -1);
	if (t.w == STRIDES && t.wide)
		return call("cublasGemmStridedBatchedEx_64", h, t.op_a, t.op_b, m, n, k, alpha.p(), a.at, ta, la, A, b.at, ta, lb, B, beta.p(), c.at,
		            tc, lc, C, count, t.compute, -1);
	if (t.w == STRIDES)
		return call("cublasGemmStridedBatchedEx", h, t.op_a, t.op_b, t.m, t.n, t.k, alpha.p(), a.at, ta, lda, A, b.at, ta, ldb, B, beta.p(),
		            c.at, tc, ldc, C, t.count, t.compute, -1);
	return call("cublasGemmBatchedEx", h, t.op_a, t.op_b, t.m, t.n, t.k, alpha.p(), pa.at, ta, lda, pb.at, ta, ldb, beta.p(), pc.at, tc, ldc,
	            t.count, t.compute, -1);
}

static void gemm(test t)
{
	int lda = (t.op_a ? t.k : t.m) + t.pad, ldb = (t.op_b ? t.n : t.k) + t.pad, ldc = t.m + t.pad;
	lda += !lda;
	ldb += !ldb;
	ldc += !ldc;
	size_t sa = (size_t)lda * (t.op_a ? t.m : t.k), sb = (size_t)ldb * (t.op_b ? t.k : t.n), sc = (size_t)ldc * t.n;
	array a(t.ab, sa * t.count), b(t.ab, sb * t.count), c(t.c, sc * t.count);
	if (t.beta == 0.0 && t.c != 'i') {
		for (auto &e : c.v)
			e = NAN; // beta of zero: never read
		c.upload();
	}
	int e = run(t, a, lda, sa, b, ldb, sb, c, ldc, sc);
	for (int q = 0; q < t.count; q++)
		for (int j = 0; j < t.n; j++)
			for (int i = 0; i < t.m; i++) {
				number s = 0;
				for (int l = 0; l < t.k; l++)
					s += at(a.v, lda, t.op_a, i, l, q * sa) * at(b.v, ldb, t.op_b, l, j, q * sb);
				number &to = c.v[q * sc + i + (size_t)j * ldc];
				s *= t.alpha;
				to = t.beta == 0.0 ? s : s + t.beta * to;
			}
	if (e || !c.same(tolerance(t.c), t.k * 4 + 8)) {
		printf("FAIL state %d: %c%c compute %d, ops %d %d, %d x %d x %d, pad %d, way %d of %d, alpha %g beta %g, device %d\n", e, t.ab, t.c,
		       t.compute, t.op_a, t.op_b, t.m, t.n, t.k, t.pad, t.w, t.count, t.alpha.real(), t.beta.real(), t.device);
		failures++;
	}
}

static const struct {
	char ab, c;
	int compute;
} types[] = {{'s', 's', 68}, {'d', 'd', 70}, {'c', 'c', 68}, {'z', 'z', 70}, {'h', 'h', 68}, {'h', 'h', 64}, {'h', 's', 68},
             {'b', 'b', 68}, {'b', 's', 68}, {'q', 'i', 72}, {'q', 's', 68}, {'s', 's', 77}};

static void all_types(void)
{
	static const int sizes[][3] = {{1, 1, 1}, {5, 3, 7}, {17, 33, 20}, {64, 64, 16}, {70, 66, 35}, {0, 3, 2}, {4, 5, 0}};
	int turn = 0;
	for (auto &y : types)
		for (auto &z : sizes)
			for (int ops = 0; ops < 9; ops += is_complex(y.ab) || z[0] < 20 ? 1 : 2, turn++) {
				bool integer = y.c == 'i', complex = is_complex(y.c);
				number alpha = integer ? number(2) : complex ? number(1.5, -0.5) : number(1.5);
				number beta = turn % 3 == 0 ? number(0) : integer ? number(-3) : complex ? number(0.5, 2) : number(-0.5);
				if (y.c == 'h')
					alpha = 0.25;
				how w = (how)(turn % 3);
				gemm({y.ab, y.c, y.compute, ops % 3, ops / 3, z[0], z[1], z[2], turn % 2 * 3, alpha, beta, w, w == ONE ? 1 : 3,
				      turn % 4 == 1, turn % 5 == 0});
			}
}

// What is not in the Ex forms: the same numbers come out by the plain names.
static void plain(const char *name, const char *batched, const char *strided, char t, char st)
{
	const int n = 20;
	array a(t, 3 * n * n), b(t, 3 * n * n), c(t, 3 * n * n), d(t, 3 * n * n);
	scalar one(st, 1, false), zero(st, 0, false);
	long long step = n * n;
	addresses pa(a.at, step * size_of(t), 3), pb(b.at, step * size_of(t), 3), pd(d.at, step * size_of(t), 3);
	call("cublasSetPointerMode_v2", h, 0);
	for (int q = 0; q < 3; q++)
		for (int j = 0; j < n; j++)
			for (int i = 0; i < n; i++) {
				number s = 0;
				for (int l = 0; l < n; l++)
					s += a.v[q * step + i + l * n] * b.v[q * step + j + l * n];
				c.v[q * step + i + j * n] = d.v[q * step + i + j * n] = s;
			}
	OK(strided, h, 0, 1, n, n, n, one.p(), a.at, n, step, b.at, n, step, zero.p(), c.at, n, step, 3);
	EXPECT(c.same(tolerance(t), n * 4));
	if (*batched) {
		OK(batched, h, 0, 1, n, n, n, one.p(), pa.at, n, pb.at, n, zero.p(), pd.at, n, 3);
		EXPECT(d.same(tolerance(t), n * 4));
	}
	cudaMemset(d.at, 0, 3 * n * n * size_of(t));
	for (int q = 0; q < 3; q++)
		OK(name, h, 0, 1, n, n, n, one.p(), a.at + q * step * size_of(t), n, b.at + q * step * size_of(t), n, zero.p(),
		   d.at + q * step * size_of(t), n);
	EXPECT(d.same(tolerance(t), n * 4));
}

// A NaN or infinity in a factor comes through; with alpha of zero factors are not read.
static void special(void)
{
	array a('s', 4), b('s', 4), c('s', 4);
	scalar one('s', 1, false), zero('s', 0, false);
	a.v = {NAN, 1, 0, 1};
	b.v = {1, 2, 3, 4};
	a.upload();
	b.upload();
	call("cublasSetPointerMode_v2", h, 0);
	OK("cublasSgemm_v2", h, 0, 0, 2, 2, 2, one.p(), a.at, 2, b.at, 2, zero.p(), c.at, 2);
	c.v = {NAN, 3, NAN, 7};
	EXPECT(c.same(1e-6, 1));
	OK("cublasSgemm_v2", h, 0, 0, 2, 2, 2, zero.p(), a.at, 2, b.at, 2, zero.p(), c.at, 2);
	c.v = {0, 0, 0, 0};
	EXPECT(c.same(0, 1));
	a.v = {INFINITY, 0, 0, 1};
	a.upload();
	OK("cublasSgemm_v2", h, 0, 0, 2, 2, 2, one.p(), a.at, 2, b.at, 2, zero.p(), c.at, 2);
	EXPECT(std::isinf(c.read()[0].real()));
}

// Two groups of products of unlike shapes.
static void groups(void)
{
	array a('d', 64), b('d', 64), c('d', 64);
	int none[2] = {0, 0}, m[2] = {2, 3}, n[2] = {3, 1}, k[2] = {4, 2}, lda[2] = {2, 3}, ldb[2] = {4, 2}, ldc[2] = {2, 3}, counts[2] = {2, 1};
	double alpha[2] = {1, 2}, beta[2] = {0, 0};
	void *pa[3], *pb[3], *pc[3], **d;
	for (int i = 0; i < 3; i++) {
		pa[i] = a.at + i * 8 * 8;
		pb[i] = b.at + i * 12 * 8;
		pc[i] = c.at + i * 6 * 8;
	}
	cudaMalloc((void **)&d, 9 * sizeof(void *));
	cudaMemcpy(d, pa, sizeof pa, cudaMemcpyHostToDevice);
	cudaMemcpy(d + 3, pb, sizeof pb, cudaMemcpyHostToDevice);
	cudaMemcpy(d + 6, pc, sizeof pc, cudaMemcpyHostToDevice);
	OK("cublasDgemmGroupedBatched", h, &none[0], &none[0], &m[0], &n[0], &k[0], &alpha[0], d, &lda[0], d + 3, &ldb[0], &beta[0], d + 6, &ldc[0], 2,
	   &counts[0]);
	for (int p = 0; p < 3; p++) {
		int g = p == 2;
		for (int j = 0; j < n[g]; j++)
			for (int i = 0; i < m[g]; i++) {
				number s = 0;
				for (int l = 0; l < k[g]; l++)
					s += a.v[p * 8 + i + l * lda[g]] * b.v[p * 12 + l + j * ldb[g]];
				c.v[p * 6 + i + j * ldc[g]] = s * alpha[g];
			}
	}
	EXPECT(c.same(1e-12, 10));
	cudaFree(d);
}

int main(void)
{
	OK("cublasCreate_v2", &h);
	all_types();
	plain("cublasSgemm_v2", "cublasSgemmBatched", "cublasSgemmStridedBatched", 's', 's');
	plain("cublasDgemm_v2", "cublasDgemmBatched", "cublasDgemmStridedBatched", 'd', 'd');
	plain("cublasCgemm_v2", "cublasCgemmBatched", "cublasCgemmStridedBatched", 'c', 'c');
	plain("cublasZgemm_v2", "cublasZgemmBatched", "cublasZgemmStridedBatched", 'z', 'z');
	plain("cublasHgemm", "cublasHgemmBatched", "cublasHgemmStridedBatched", 'h', 'h');
	plain("cublasCgemm3m", "cublasCgemm3mBatched", "cublasCgemm3mStridedBatched", 'c', 'c');
	special();
	groups();
	OK("cublasDestroy_v2", h);
	puts(failures ? "FAIL" : "PASS");
	return failures != 0;
}
