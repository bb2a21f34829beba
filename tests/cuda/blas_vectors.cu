// Functions of vectors, and of matrices and vectors, of the stand-in for cuBLAS against the CPU: steps of either sign, both pointer modes.
// Its code is PTX that it loads as it runs.
// skip: sass ticks
#include "blas.h"

#include <algorithm>
#include <string>

static void *h;

struct type {
	char t;
	const char *letter, *conj; // "S"; in names of products "u" and "c", "" of real numbers
};
static const type types[] = {{'s', "S", ""}, {'d', "D", ""}, {'c', "C", "c"}, {'z', "Z", "c"}};

static std::string name(const type &y, const char *what) { return std::string("cublas") + y.letter + what; }
static size_t length(int n, int step) { return n ? (size_t)(n - 1) * abs(step) + 1 : 0; }
// Element i of a vector.
static number &el(array &x, int n, int step, int i) { return x.v[step < 0 ? (size_t)(1 - n + i) * step : (size_t)i * step]; }

// The result of a reduction through `f`, in host or device memory.
template <class F> static number result(char t, bool device, F f)
{
	char host[16] = {0};
	void *d = nullptr;
	call("cublasSetPointerMode_v2", h, (int)device);
	cudaMalloc(&d, 16);
	cudaMemset(d, 0xff, 16);
	int e = f(device ? d : (void *)host);
	if (device)
		cudaMemcpy(host, d, 16, cudaMemcpyDeviceToHost);
	cudaFree(d);
	EXPECT(e == 0);
	return get(t, host);
}

static bool close(char t, number a, number b, double scale) { return std::abs(a - b) <= tolerance(t) * scale; }

static double size(number v) { return fabs(v.real()) + fabs(v.imag()); }

static void reductions(const type &y, int n, int incx, int incy, bool device)
{
	array x(y.t, length(n, incx)), z(y.t, length(n, incy));
	char real = y.t == 'c' ? 's' : y.t == 'z' ? 'd' : y.t;
	number dot = 0, dotc = 0;
	double sum = 0, squares = 0;
	for (int i = 0; i < n; i++) {
		number a = el(x, n, incx, i), b = el(z, n, incy, i);
		dot += a * b;
		dotc += std::conj(a) * b;
		sum += size(a);
		squares += std::norm(a);
	}
	std::string u = name(y, is_complex(y.t) ? "dotu_v2" : "dot_v2"), c = name(y, is_complex(y.t) ? "dotc_v2" : "dot_v2");
	EXPECT(close(y.t, dot, result(y.t, device, [&](void *r) { return call(u.c_str(), h, n, x.at, incx, z.at, incy, r); }), 4 * n + 1));
	EXPECT(close(y.t, dotc, result(y.t, device, [&](void *r) { return call(c.c_str(), h, n, x.at, incx, z.at, incy, r); }), 4 * n + 1));
	if (incx < 0)
		return;
	const char *asum = y.t == 's' ? "cublasSasum_v2" : y.t == 'd' ? "cublasDasum_v2" : y.t == 'c' ? "cublasScasum_v2" : "cublasDzasum_v2";
	const char *nrm2 = y.t == 's' ? "cublasSnrm2_v2" : y.t == 'd' ? "cublasDnrm2_v2" : y.t == 'c' ? "cublasScnrm2_v2" : "cublasDznrm2_v2";
	EXPECT(close(y.t, sum, result(real, device, [&](void *r) { return call(asum, h, n, x.at, incx, r); }), 4 * n + 1));
	EXPECT(close(y.t, sqrt(squares), result(real, device, [&](void *r) { return call(nrm2, h, n, x.at, incx, r); }), 4 * n + 1));
	// Extremes: the first of equals.
	int top = 0, low = 0;
	for (int i = 1; i < n; i++) {
		top = size(el(x, n, incx, i)) > size(el(x, n, incx, top)) ? i : top;
		low = size(el(x, n, incx, i)) < size(el(x, n, incx, low)) ? i : low;
	}
	char letter = y.letter[0] + 'a' - 'A';
	std::string max = std::string("cublasI") + letter + "amax_v2", min = std::string("cublasI") + letter + "amin_v2_64";
	EXPECT(result('i', device, [&](void *r) { return call(max.c_str(), h, n, x.at, incx, r); }) == number(n ? top + 1 : 0));
	long long n64 = n, inc64 = incx;
	EXPECT(result('i', device, [&](void *r) { return call(min.c_str(), h, n64, x.at, inc64, r); }) == number(n ? low + 1 : 0));
}

static void maps(const type &y, int n, int incx, int incy, bool device)
{
	array x(y.t, length(n, incx)), z(y.t, length(n, incy));
	number a = is_complex(y.t) ? number(0.5, -2) : number(0.5);
	scalar alpha(y.t, a, device), c(y.t == 'c' ? 's' : y.t == 'z' ? 'd' : y.t, 0.6, device), s(y.t == 'c' ? 's' : y.t == 'z' ? 'd' : y.t, 0.8, device);
	call("cublasSetPointerMode_v2", h, (int)device);
	OK(name(y, "axpy_v2").c_str(), h, n, alpha.p(), x.at, incx, z.at, incy);
	for (int i = 0; i < n; i++)
		el(z, n, incy, i) += a * el(x, n, incx, i);
	EXPECT(z.same(tolerance(y.t), 20));
	OK(name(y, "swap_v2").c_str(), h, n, x.at, incx, z.at, incy);
	for (int i = 0; i < n; i++)
		std::swap(el(x, n, incx, i), el(z, n, incy, i));
	EXPECT(z.same(tolerance(y.t), 20) && x.same(tolerance(y.t), 20));
	const char *rot = y.t == 's' ? "cublasSrot_v2" : y.t == 'd' ? "cublasDrot_v2" : y.t == 'c' ? "cublasCsrot_v2" : "cublasZdrot_v2";
	OK(rot, h, n, x.at, incx, z.at, incy, c.p(), s.p());
	for (int i = 0; i < n; i++) {
		number p = el(x, n, incx, i), q = el(z, n, incy, i);
		el(x, n, incx, i) = 0.6 * p + 0.8 * q;
		el(z, n, incy, i) = 0.6 * q - 0.8 * p;
	}
	EXPECT(z.same(tolerance(y.t), 20) && x.same(tolerance(y.t), 20));
	OK(name(y, "copy_v2").c_str(), h, n, x.at, incx, z.at, incy);
	for (int i = 0; i < n; i++)
		el(z, n, incy, i) = el(x, n, incx, i);
	EXPECT(z.same(tolerance(y.t), 20));
	if (incx < 0)
		return;
	OK(name(y, "scal_v2").c_str(), h, n, alpha.p(), x.at, incx);
	for (int i = 0; i < n; i++)
		el(x, n, incx, i) *= a;
	EXPECT(x.same(tolerance(y.t), 40));
	if (is_complex(y.t)) {
		OK(y.t == 'c' ? "cublasCsscal_v2" : "cublasZdscal_v2", h, n, c.p(), x.at, incx);
		for (int i = 0; i < n; i++)
			el(x, n, incx, i) *= 0.6;
		EXPECT(x.same(tolerance(y.t), 40));
	}
}

// Norms near the ends of the range, and those of a NaN or an infinity.
static void norms(void)
{
	array x('d', 3), f('s', 3);
	auto norm = [&](array &a) {
		return result(a.type, false, [&](void *r) { return call(a.type == 'd' ? "cublasDnrm2_v2" : "cublasSnrm2_v2", h, 3, a.at, 1, r); }).real();
	};
	x.v = {3e300, 0, 4e300};
	x.upload();
	EXPECT(fabs(norm(x) / 5e300 - 1) < 1e-12);
	x.v = {3e-310, 4e-310, 0};
	x.upload();
	EXPECT(fabs(norm(x) / 5e-310 - 1) < 1e-12);
	f.v = {3e30, 4e30, 0};
	f.upload();
	EXPECT(fabs(norm(f) / 5e30 - 1) < 1e-5);
	x.v = {1, -INFINITY, 2};
	x.upload();
	EXPECT(std::isinf(norm(x)));
	x.v = {1, NAN, 2};
	x.upload();
	EXPECT(std::isnan(norm(x)));
	x.v = {0, 0, 0};
	x.upload();
	EXPECT(norm(x) == 0);
}

// 16-bit elements, summed up in 32.
static void half_forms(char t)
{
	const int n = 5000;
	int type = data_type(t);
	array x(t, n), y(t, n);
	for (int i = 0; i < n; i++)
		x.v[i] = y.v[i] = i % 3 ? 0.125 : 0.5;
	x.upload();
	y.upload();
	double dot = 0;
	for (auto &e : x.v)
		dot += std::norm(e);
	EXPECT(close(t, dot, result(t, false, [&](void *r) { return call("cublasDotEx", h, n, x.at, type, 1, y.at, type, 1, r, type, 0); }), dot));
	EXPECT(close(t, sqrt(dot), result(t, true, [&](void *r) { return call("cublasNrm2Ex", h, n, x.at, type, 1, r, type, 0); }), sqrt(dot)));
	scalar two('s', 2, false);
	call("cublasSetPointerMode_v2", h, 0);
	OK("cublasAxpyEx", h, n, two.p(), 0, x.at, type, 1, y.at, type, 1, 0);
	OK("cublasScalEx", h, n, two.p(), 0, y.at, type, 1, 0);
	for (auto &e : y.v)
		e *= 6;
	EXPECT(y.same(tolerance(t), 4));
}

// --- matrices and vectors

static void matrix_vector(const type &y, int m, int n, int incx, int incy, bool device)
{
	int lda = m + 2;
	number al = is_complex(y.t) ? number(0.5, 1) : number(0.5), be = is_complex(y.t) ? number(-1, 0.25) : number(-1);
	scalar alpha(y.t, al, device), beta(y.t, be, device);
	call("cublasSetPointerMode_v2", h, (int)device);
	array a(y.t, (size_t)lda * n);
	for (int op = 0; op < 3; op++) {
		int rows = op ? n : m, columns = op ? m : n;
		array x(y.t, length(columns, incx)), z(y.t, length(rows, incy));
		OK(name(y, "gemv_v2").c_str(), h, op, m, n, alpha.p(), a.at, lda, x.at, incx, beta.p(), z.at, incy);
		for (int i = 0; i < rows; i++) {
			number s = 0;
			for (int j = 0; j < columns; j++)
				s += at(a.v, lda, op, i, j) * el(x, columns, incx, j);
			number &to = el(z, rows, incy, i);
			to = al * s + be * to;
		}
		EXPECT(z.same(tolerance(y.t), 8 * columns + 8));
	}
	for (int conj = 0; conj <= is_complex(y.t); conj++) {
		array x(y.t, length(m, incx)), z(y.t, length(n, incy));
		OK(name(y, !is_complex(y.t) ? "ger_v2" : conj ? "gerc_v2" : "geru_v2").c_str(), h, m, n, alpha.p(), x.at, incx, z.at, incy, a.at, lda);
		for (int j = 0; j < n; j++)
			for (int i = 0; i < m; i++) {
				number q = el(z, n, incy, j);
				a.v[i + (size_t)j * lda] += al * el(x, m, incx, i) * (conj ? std::conj(q) : q);
			}
		EXPECT(a.same(tolerance(y.t), 60));
	}
}

// The whole of what one triangle of a stands for. form 0: symmetric, 1: Hermitian, 2: triangular, 3: with ones on the diagonal.
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

static void symmetric_vector(const type &y, int n, int uplo, bool hermitian, int incx, int incy)
{
	int lda = n + 1;
	number al = is_complex(y.t) ? number(0.5, 1) : number(0.5), be = 2;
	char real = y.t == 'c' ? 's' : y.t == 'z' ? 'd' : y.t;
	scalar alpha(y.t, al, false), beta(y.t, be, false), real_alpha(real, 0.5, false);
	call("cublasSetPointerMode_v2", h, 0);
	array a(y.t, (size_t)lda * n), x(y.t, length(n, incx)), z(y.t, length(n, incy));
	auto w = whole(a, lda, n, uplo, hermitian);
	OK(name(y, hermitian ? "hemv_v2" : "symv_v2").c_str(), h, uplo, n, alpha.p(), a.at, lda, x.at, incx, beta.p(), z.at, incy);
	for (int i = 0; i < n; i++) {
		number s = 0;
		for (int j = 0; j < n; j++)
			s += w[i + (size_t)j * n] * el(x, n, incx, j);
		number &to = el(z, n, incy, i);
		to = al * s + be * to;
	}
	EXPECT(z.same(tolerance(y.t), 8 * n + 8));
	auto update = [&](number f, bool two) {
		for (int j = 0; j < n; j++)
			for (int i = 0; i < n; i++) {
				number p = el(x, n, incx, i), q = two ? el(z, n, incy, j) : el(x, n, incx, j), &to = a.v[i + (size_t)j * lda];
				if (uplo == 0 ? i < j : i > j)
					continue;
				to += f * p * (hermitian ? std::conj(q) : q);
				if (two)
					to += (hermitian ? std::conj(f) : f) * el(z, n, incy, i) * (hermitian ? std::conj(el(x, n, incx, j)) : el(x, n, incx, j));
				if (hermitian && i == j)
					to = to.real();
			}
	};
	OK(name(y, hermitian ? "her_v2" : "syr_v2").c_str(), h, uplo, n, hermitian ? real_alpha.p() : alpha.p(), x.at, incx, a.at, lda);
	update(hermitian ? number(0.5) : al, false);
	EXPECT(a.same(tolerance(y.t), 100));
	OK(name(y, hermitian ? "her2_v2" : "syr2_v2").c_str(), h, uplo, n, alpha.p(), x.at, incx, z.at, incy, a.at, lda);
	update(al, true);
	EXPECT(a.same(tolerance(y.t), 8 * n * n + 100));
}

static void triangle_vector(const type &y, int n, int uplo, int op, int diag, int step)
{
	int lda = n + 1;
	array a(y.t, (size_t)lda * n), x(y.t, length(n, step));
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			a.v[i + (size_t)j * lda] *= i == j ? 1.0 : 0.1;
	for (int i = 0; i < n; i++)
		a.v[i + (size_t)i * lda] = 3 + i % 2;
	a.upload();
	auto w = whole(a, lda, n, uplo, diag ? 3 : 2);
	auto before = x.v;
	OK(name(y, "trmv_v2").c_str(), h, uplo, op, diag, n, a.at, lda, x.at, step);
	std::vector<number> product(n);
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			product[i] += at(w, n, op, i, j) * el(x, n, step, j);
	for (int i = 0; i < n; i++)
		el(x, n, step, i) = product[i];
	EXPECT(x.same(tolerance(y.t), 20));
	OK(name(y, "trsv_v2").c_str(), h, uplo, op, diag, n, a.at, lda, x.at, step);
	x.v = before;
	EXPECT(x.same(tolerance(y.t), 1000));
}

// Batches of products with vectors, of 16-bit elements and others.
static void batches(const char *letter, char ab, char c)
{
	const int m = 9, n = 6, count = 3;
	char scale = c == 'h' || c == 'b' ? 's' : c;
	array a(ab, m * n * count), x(ab, m * count), y(c, m * count), z(c, m * count);
	z.v = y.v;
	z.upload();
	scalar one(scale, 1, false), half(scale, 0.5, false);
	call("cublasSetPointerMode_v2", h, 0);
	addresses pa(a.at, m * n * size_of(ab), count), px(x.at, m * size_of(ab), count), py(y.at, m * size_of(c), count);
	std::string b = std::string("cublas") + letter + "gemvBatched", s = std::string("cublas") + letter + "gemvStridedBatched";
	OK(b.c_str(), h, 1, m, n, one.p(), pa.at, m, px.at, 1, half.p(), py.at, 1, count);
	OK(s.c_str(), h, 0, m, n, one.p(), a.at, m, (long long)m * n, x.at, 1, (long long)m, half.p(), z.at, 1, (long long)m, count);
	for (int q = 0; q < count; q++) {
		for (int i = 0; i < n; i++) {
			number s = 0;
			for (int j = 0; j < m; j++)
				s += at(a.v, m, 1, i, j, q * m * n) * x.v[q * m + j];
			y.v[q * m + i] = s + 0.5 * y.v[q * m + i];
		}
		for (int i = 0; i < m; i++) {
			number s = 0;
			for (int j = 0; j < n; j++)
				s += at(a.v, m, 0, i, j, q * m * n) * x.v[q * m + j];
			z.v[q * m + i] = s + 0.5 * z.v[q * m + i];
		}
	}
	EXPECT(y.same(tolerance(c), 40));
	EXPECT(z.same(tolerance(c), 40));
}

int main(void)
{
	OK("cublasCreate_v2", &h);
	for (auto &y : types) {
		for (int device = 0; device < 2; device++) {
			for (int n : {0, 1, 37, 300, 9000}) {
				reductions(y, n, 1, 1, device);
				maps(y, n, 1, 1, device);
			}
			reductions(y, 41, 2, -3, device);
			reductions(y, 41, -1, 2, device);
			maps(y, 41, 2, -3, device);
			maps(y, 41, -2, 1, device);
		}
		matrix_vector(y, 7, 5, 1, 1, false);
		matrix_vector(y, 300, 40, 2, -1, true);
		matrix_vector(y, 3, 270, -1, 3, false);
		for (int uplo = 0; uplo < 2; uplo++) {
			for (int hermitian = 0; hermitian <= is_complex(y.t); hermitian++)
				symmetric_vector(y, 19, uplo, hermitian, uplo ? 1 : -2, uplo ? 2 : 1);
			for (int op = 0; op < 3; op++)
				for (int diag = 0; diag < 2; diag++)
					triangle_vector(y, 21, uplo, op, diag, diag ? 1 : -2);
		}
	}
	norms();
	half_forms('h');
	half_forms('b');
	batches("S", 's', 's');
	batches("D", 'd', 'd');
	batches("C", 'c', 'c');
	batches("Z", 'z', 'z');
	batches("HSH", 'h', 'h');
	batches("HSS", 'h', 's');
	batches("TST", 'b', 'b');
	batches("TSS", 'b', 's');
	OK("cublasDestroy_v2", h);
	puts(failures ? "FAIL" : "PASS");
	return failures != 0;
}
