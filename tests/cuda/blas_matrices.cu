// Symmetric, Hermitian and triangular matrices, systems of equations, LU factors and sums of matrices of the stand-in for cuBLAS.
// Too long for runs that tick every cycle; blas_lt and blas_vectors take its part there.
// skip: timed sass
#include "blas.h"

#include <string>

static void *h;

struct type {
	char t, real;
	const char *letter;
};
static const type types[] = {{'s', 's', "S"}, {'d', 'd', "D"}, {'c', 's', "C"}, {'z', 'd', "Z"}};
static std::string name(const type &y, const char *what) { return std::string("cublas") + y.letter + what; }

static std::vector<number> whole(const array &a, int lda, int n, int uplo, int form)
{
	std::vector<number> w((size_t)n * n);
	for (int j = 0; j < n; j++)
		for (int i = 0; i < n; i++) {
			bool stored = uplo == 0 ? i >= j : i <= j;
			number v = stored ? a.v[i + (size_t)j * lda] : form >= 2 ? number(0) : a.v[j + (size_t)i * lda];
			if (form == 1)
				v = i == j ? number(v.real()) : stored ? v : std::conj(v);
			w[i + (size_t)j * n] = form == 3 && i == j ? number(1) : v;
		}
	return w;
}

static number al(const type &y) { return is_complex(y.t) ? number(0.5, 1) : number(0.5); }
static number be(const type &y) { return is_complex(y.t) ? number(-1, 0.5) : number(-1); }

static void symm(const type &y, int side, int uplo, bool hermitian, bool device)
{
	const int m = 18, n = 21;
	int k = side ? n : m, lda = k + 2, ldb = m + 1, ldc = m + 3;
	scalar alpha(y.t, al(y), device), beta(y.t, be(y), device);
	call("cublasSetPointerMode_v2", h, (int)device);
	array a(y.t, lda * k), b(y.t, ldb * n), c(y.t, ldc * n);
	OK(name(y, hermitian ? "hemm_v2" : "symm_v2").c_str(), h, side, uplo, m, n, alpha.p(), a.at, lda, b.at, ldb, beta.p(), c.at, ldc);
	auto w = whole(a, lda, k, uplo, hermitian);
	for (int j = 0; j < n; j++)
		for (int i = 0; i < m; i++) {
			number s = 0;
			for (int l = 0; l < k; l++)
				s += side ? b.v[i + l * ldb] * w[l + j * k] : w[i + l * k] * b.v[l + j * ldb];
			number &to = c.v[i + j * ldc];
			to = al(y) * s + be(y) * to;
		}
	EXPECT(c.same(tolerance(y.t), 8 * k + 8));
}

// rank 0: syrk, herk; 1: syrkx, herkx; 2: syr2k, her2k.
static void syrk(const type &y, int rank, int uplo, int op, bool hermitian, bool device)
{
	const int n = 19, k = 11;
	int rows = op ? k : n, columns = op ? n : k, lda = rows + 1, ldb = rows + 2, ldc = n + 1;
	bool real_alpha = hermitian && rank == 0;
	number f = real_alpha ? number(0.5) : al(y), g = hermitian ? number(-1) : be(y);
	scalar alpha(real_alpha ? y.real : y.t, f, device), beta(hermitian ? y.real : y.t, g, device);
	call("cublasSetPointerMode_v2", h, (int)device);
	array a(y.t, lda * columns), b(y.t, ldb * columns), c(y.t, ldc * n);
	static const char *const names[2][3] = {{"syrk_v2", "syrkx", "syr2k_v2"}, {"herk_v2", "herkx", "her2k_v2"}};
	std::string fn = name(y, names[hermitian][rank]);
	if (rank)
		OK(fn.c_str(), h, uplo, op, n, k, alpha.p(), a.at, lda, b.at, ldb, beta.p(), c.at, ldc);
	else
		OK(fn.c_str(), h, uplo, op, n, k, alpha.p(), a.at, lda, beta.p(), c.at, ldc);
	const array &second = rank ? b : a;
	int ld2 = rank ? ldb : lda;
	auto bar = [&](number v) { return hermitian ? std::conj(v) : v; };
	for (int j = 0; j < n; j++)
		for (int i = 0; i < n; i++) {
			if (uplo == 0 ? i < j : i > j)
				continue;
			number s = 0, r = 0;
			for (int l = 0; l < k; l++) {
				s += at(a.v, lda, op, i, l) * bar(at(second.v, ld2, op, j, l));
				r += at(second.v, ld2, op, i, l) * bar(at(a.v, lda, op, j, l));
			}
			number &to = c.v[i + j * ldc];
			to = f * s + (rank == 2 ? bar(f) * r : number(0)) + g * (hermitian && i == j ? number(to.real()) : to);
			if (hermitian && i == j)
				to = to.real();
		}
	EXPECT(c.same(tolerance(y.t), 16 * k + 8));
}

static void triangles(const type &y, int side, int uplo, int op, int diag, bool device)
{
	const int m = 13, n = 18;
	int k = side ? n : m, lda = k + 1, ldb = m + 2, ldc = m + 1;
	scalar alpha(y.t, al(y), device);
	call("cublasSetPointerMode_v2", h, (int)device);
	array a(y.t, lda * k), b(y.t, ldb * n), c(y.t, ldc * n);
	for (auto &e : a.v)
		e *= 0.1;
	for (int i = 0; i < k; i++)
		a.v[i + i * lda] = is_complex(y.t) ? number(3, i % 3) : number(3 + i % 2);
	a.upload();
	auto w = whole(a, lda, k, uplo, diag ? 3 : 2);
	auto product = [&](const std::vector<number> &x, int ld, number f) {
		std::vector<number> out(m * n);
		for (int j = 0; j < n; j++)
			for (int i = 0; i < m; i++)
				for (int l = 0; l < k; l++)
					out[i + j * m] += f * (side ? x[i + l * ld] * at(w, k, op, l, j) : at(w, k, op, i, l) * x[l + j * ld]);
		return out;
	};
	OK(name(y, "trmm_v2").c_str(), h, side, uplo, op, diag, m, n, alpha.p(), a.at, lda, b.at, ldb, c.at, ldc);
	auto p = product(b.v, ldb, al(y));
	for (int e = 0; e < m * n; e++)
		c.v[e % m + e / m * ldc] = p[e];
	EXPECT(c.same(tolerance(y.t), 60));
	auto before = b.v;
	OK(name(y, "trmm_v2").c_str(), h, side, uplo, op, diag, m, n, alpha.p(), a.at, lda, b.at, ldb, b.at, ldb);
	for (int e = 0; e < m * n; e++)
		b.v[e % m + e / m * ldb] = p[e];
	EXPECT(b.same(tolerance(y.t), 60));
	// op(a) x = alpha b, so that the product with the solution is alpha b.
	b.v = before;
	b.upload();
	OK(name(y, "trsm_v2").c_str(), h, side, uplo, op, diag, m, n, alpha.p(), a.at, lda, b.at, ldb);
	auto back = product(b.read(), ldb, 1);
	for (int e = 0; e < m * n; e++)
		EXPECT(std::abs(back[e] - al(y) * before[e % m + e / m * ldb]) <= tolerance(y.t) * 200);
	auto solution = b.read();
	b.upload();
	addresses pa(a.at, 0, 1), pb(b.at, 0, 1);
	OK(name(y, "trsmBatched").c_str(), h, side, uplo, op, diag, m, n, alpha.p(), pa.at, lda, pb.at, ldb, 1);
	b.v = solution;
	EXPECT(b.same(0, 1));
}

static void sums(const type &y)
{
	const int m = 14, n = 9;
	scalar alpha(y.t, al(y), false), beta(y.t, be(y), false), zero(y.t, 0, false);
	call("cublasSetPointerMode_v2", h, 0);
	for (int ops = 0; ops < 9; ops++) {
		int oa = ops % 3, ob = ops / 3, lda = (oa ? n : m) + 1, ldb = (ob ? n : m) + 2, ldc = m + 1;
		array a(y.t, lda * (oa ? m : n)), b(y.t, ldb * (ob ? m : n)), c(y.t, ldc * n);
		OK(name(y, "geam").c_str(), h, oa, ob, m, n, alpha.p(), a.at, lda, beta.p(), b.at, ldb, c.at, ldc);
		for (int j = 0; j < n; j++)
			for (int i = 0; i < m; i++)
				c.v[i + j * ldc] = al(y) * at(a.v, lda, oa, i, j) + be(y) * at(b.v, ldb, ob, i, j);
		EXPECT(c.same(tolerance(y.t), 10));
	}
	for (int side = 0; side < 2; side++) {
		array a(y.t, m * n), x(y.t, 2 * m), c(y.t, m * n);
		OK(name(y, "dgmm").c_str(), h, side, m, n, a.at, m, x.at, side ? -2 : 1, c.at, m);
		for (int j = 0; j < n; j++)
			for (int i = 0; i < m; i++)
				c.v[i + j * m] = a.v[i + j * m] * x.v[side ? (n - 1 - j) * 2 : i];
		EXPECT(c.same(tolerance(y.t), 10));
	}
	for (int uplo = 0; uplo < 2; uplo++) {
		array a(y.t, n * n), p(y.t, n * (n + 1) / 2), b(y.t, n * n);
		OK(name(y, "trttp").c_str(), h, uplo, n, a.at, n, p.at);
		OK(name(y, "tpttr").c_str(), h, uplo, n, p.at, b.at, n);
		size_t q = 0;
		for (int j = 0; j < n; j++)
			for (int i = uplo ? 0 : j; i < (uplo ? j + 1 : n); i++)
				b.v[i + j * n] = p.v[q++] = a.v[i + j * n];
		EXPECT(p.same(0, 1) && b.same(0, 1));
	}
}

static void factors(const type &y, bool pivoting)
{
	const int n = 17, nrhs = 5, count = 3;
	int ld = n + 1, *pivots, *info, host = 7, infos[count];
	array a(y.t, ld * n * count), c(y.t, n * n * count);
	if (!pivoting)
		for (int q = 0; q < count; q++)
			for (int i = 0; i < n; i++)
				a.v[q * ld * n + i + i * ld] = 40;
	a.upload();
	auto original = a.v;
	cudaMalloc((void **)&pivots, n * count * sizeof(int));
	cudaMalloc((void **)&info, count * sizeof(int));
	int *used = pivoting ? pivots : nullptr;
	addresses pa(a.at, ld * n * size_of(y.t), count), pc(c.at, n * n * size_of(y.t), count);
	auto residual = [&](const std::vector<number> &x, int columns, int op, auto wanted) {
		double worst = 0;
		for (int q = 0; q < count; q++)
			for (int j = 0; j < columns; j++)
				for (int i = 0; i < n; i++) {
					number s = 0;
					for (int l = 0; l < n; l++)
						s += at(original, ld, op, i, l, q * ld * n) * x[q * n * columns + l + j * n];
					worst = fmax(worst, std::abs(s - wanted(q, i, j)));
				}
		return worst;
	};
	auto unit = [](int, int i, int j) { return number(i == j); };
	double allowed = tolerance(y.t) * 2000;
	OK(name(y, "matinvBatched").c_str(), h, n, pa.at, ld, pc.at, n, info, count);
	EXPECT(residual(c.read(), n, 0, unit) < allowed);
	a.v = original;
	EXPECT(a.same(0, 1));
	OK(name(y, "getrfBatched").c_str(), h, n, pa.at, ld, used, info, count);
	cudaMemcpy(infos, info, sizeof infos, cudaMemcpyDeviceToHost);
	EXPECT(!infos[0] && !infos[1] && !infos[2]);
	for (int op = 0; op < 3; op++) {
		array b(y.t, n * nrhs * count);
		addresses pb(b.at, n * nrhs * size_of(y.t), count);
		OK(name(y, "getrsBatched").c_str(), h, op, n, nrhs, pa.at, ld, used, pb.at, n, &host, count);
		EXPECT(host == 0);
		EXPECT(residual(b.read(), nrhs, op, [&](int q, int i, int j) { return b.v[q * n * nrhs + i + j * n]; }) < allowed);
	}
	OK(name(y, "getriBatched").c_str(), h, n, pa.at, ld, used, pc.at, n, info, count);
	EXPECT(residual(c.read(), n, 0, unit) < allowed);
	cudaFree(pivots);
	cudaFree(info);
}

// A matrix without an inverse: info names the column.
static void singular(void)
{
	array a('d', 4);
	int *info, *pivots, i;
	cudaMalloc((void **)&info, 4);
	cudaMalloc((void **)&pivots, 8);
	a.v = {1, 2, 2, 4};
	a.upload();
	addresses pa(a.at, 32, 1);
	OK("cublasDgetrfBatched", h, 2, pa.at, 2, pivots, info, 1);
	cudaMemcpy(&i, info, 4, cudaMemcpyDeviceToHost);
	EXPECT(i == 2);
	int found[2];
	cudaMemcpy(found, pivots, 8, cudaMemcpyDeviceToHost);
	EXPECT(found[0] == 2 && found[1] == 2);
	cudaFree(info);
	cudaFree(pivots);
}

// Copies between host and device with gaps.
static void copies(void)
{
	double m[12], back[12];
	array d('d', 20);
	for (int i = 0; i < 12; i++) {
		m[i] = i;
		back[i] = -1;
	}
	OK("cublasSetMatrix", 3, 2, 8, (const void *)m, 4, (void *)d.at, 5);
	OK("cublasGetMatrix", 3, 2, 8, (const void *)d.at, 5, (void *)back, 6);
	EXPECT(back[0] == 0 && back[2] == 2 && back[3] == -1 && back[6] == 4 && back[8] == 6 && back[9] == -1);
	OK("cublasSetVector", 4, 8, (const void *)m, 2, (void *)d.at, 3);
	OK("cublasGetVector", 4, 8, (const void *)d.at, 3, (void *)back, 1);
	EXPECT(back[0] == 0 && back[1] == 2 && back[2] == 4 && back[3] == 6);
}

int main(void)
{
	OK("cublasCreate_v2", &h);
	int turn = 0;
	for (auto &y : types) {
		for (int uplo = 0; uplo < 2; uplo++)
			for (int hermitian = 0; hermitian <= is_complex(y.t); hermitian++, turn++) {
				symm(y, 0, uplo, hermitian, turn & 1);
				symm(y, 1, uplo, hermitian, turn & 1);
				for (int rank = 0; rank < 3; rank++) {
					syrk(y, rank, uplo, 0, hermitian, turn & 1);
					syrk(y, rank, uplo, hermitian ? 2 : 1, hermitian, turn & 1);
				}
			}
		for (int i = 0; i < 24; i++)
			triangles(y, i & 1, i >> 1 & 1, i >> 3, i >> 2 & 1, i % 5 == 0);
		sums(y);
		factors(y, true);
		factors(y, false);
	}
	singular();
	copies();
	OK("cublasDestroy_v2", h);
	puts(failures ? "FAIL" : "PASS");
	return failures != 0;
}
