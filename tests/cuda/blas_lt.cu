// cuBLASLt of the stand-in against the CPU: products of both orders, batches, and every epilogue forward and backward.
// Its code is PTX that it loads as it runs.
// skip: sass ticks
#include "blas.h"

static void *h;

enum { RELU = 2, BIAS = 4, DRELU = 8 | 128, BGRAD = 16, GELU = 32, DGELU = 64 | 128, AUX = 128, BGRADA = 256, BGRADB = 512 };

struct layout {
	void *d = nullptr;
	layout(char t, unsigned long rows, unsigned long columns, long ld, int order, int count, long step)
	{
		OK("cublasLtMatrixLayoutCreate", &d, data_type(t), rows, columns, ld);
		set(1, &order, 4);
		set(5, &count, 4);
		set(6, &step, 8);
	}
	void set(int n, const void *p, unsigned long size) { OK("cublasLtMatrixLayoutSetAttribute", d, n, p, size); }
	~layout() { call("cublasLtMatrixLayoutDestroy", d); }
};

struct description {
	void *d = nullptr;
	description(int compute, int scale) { OK("cublasLtMatmulDescCreate", &d, compute, scale); }
	void set(int n, const void *p, unsigned long size) { OK("cublasLtMatmulDescSetAttribute", d, n, p, size); }
	~description() { call("cublasLtMatmulDescDestroy", d); }
};

template <class T> static T gelu(T x) { return 0.5 * x * (1.0 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); }
// A function's slope is the imaginary part of its value a little beside the real axis: nothing cancels.
static double gelu_slope(double x) { return gelu(number(x, 1e-20)).imag() / 1e-20; }

struct test {
	char ab, c;
	int op_a, op_b, m, n, k, order, count, epilogue;
	bool in_place;
};

static void run(const test &t)
{
	const int m = t.m, n = t.n, k = t.k;
	int ra = t.op_a ? k : m, ca = t.op_a ? m : k, rb = t.op_b ? n : k, cb = t.op_b ? k : n;
	int lda = (t.order ? ca : ra) + 1, ldb = (t.order ? cb : rb) + 2, ldc = (t.order ? n : m) + 1, aux_ld = (m + 127) / 128 * 128;
	int sa = lda * (t.order ? ra : ca), sb = ldb * (t.order ? rb : cb), sc = ldc * (t.order ? m : n);
	array a(t.ab, sa * t.count), b(t.ab, sb * t.count), c(t.c, sc * t.count), d(t.c, sc * t.count);
	bool by_n = t.epilogue == BGRADB, bits = (t.epilogue & 10) && (t.epilogue & AUX);
	array bias(t.c, (by_n ? n : m) * t.count), aux(bits ? 'q' : t.c, (bits ? aux_ld / 8 : aux_ld) * n * t.count);
	array &out = t.in_place ? c : d;
	auto index = [&](int i, int j, int q) { return (size_t)q * sc + (t.order ? j + i * ldc : i + j * ldc); };
	auto factor = [&](const array &x, int ld, int s, int op, int i, int l, int q) {
		number v = x.v[(size_t)q * s + ((op != 0) != (t.order != 0) ? l + i * ld : i + l * ld)];
		return v;
	};
	number al = 0.5, be = -1;
	if (t.c == 'i')
		al = 2;
	char st = t.c == 'h' || t.c == 'b' ? 's' : t.c;
	scalar alpha(st, al, false), beta(st, be, false);
	description op(t.c == 'i' ? 72 : t.c == 'd' ? 70 : 68, data_type(st));
	int e = t.epilogue ? t.epilogue : 1;
	long aux_step = bits ? aux_ld * n : aux_ld * n, bias_step = by_n ? n : m, ld_of_aux = aux_ld;
	op.set(3, &t.op_a, 4);
	op.set(4, &t.op_b, 4);
	op.set(7, &e, 4);
	op.set(8, &bias.at, 8);
	op.set(10, &bias_step, 8);
	op.set(11, &aux.at, 8);
	op.set(12, &ld_of_aux, 8);
	op.set(13, &aux_step, 8);
	layout la(t.ab, ra, ca, lda, t.order, t.count, sa), lb(t.ab, rb, cb, ldb, t.order, t.count, sb), lc(t.c, m, n, ldc, t.order, t.count, sc);
	struct {
		unsigned long algorithm[8], workspace;
		int state;
		float waves;
		int reserved[4];
	} found;
	int count = 0;
	void *preference;
	OK("cublasLtMatmulPreferenceCreate", &preference);
	OK("cublasLtMatmulAlgoGetHeuristic", h, op.d, la.d, lb.d, lc.d, lc.d, preference, 1, (void *)&found, &count);
	EXPECT(count == 1 && found.state == 0 && found.workspace == 0);
	OK("cublasLtMatmulPreferenceDestroy", preference);
	auto mask = [&](int i, int j, int q) { return (size_t)q * (aux_step / 8) + (size_t)j * (aux_ld / 8) + i / 8; };
	std::vector<number> before = aux.v, grad = bias.v;
	OK("cublasLtMatmul", h, op.d, alpha.p(), (const void *)a.at, la.d, (const void *)b.at, lb.d, beta.p(), (const void *)c.at, lc.d,
	   (void *)out.at, lc.d, (const void *)found.algorithm, (void *)nullptr, 0ul, (void *)nullptr);
	std::vector<number> old = c.v;
	for (int q = 0; q < t.count; q++)
		for (int j = 0; j < n; j++)
			for (int i = 0; i < m; i++) {
				number s = 0;
				for (int l = 0; l < k; l++)
					s += factor(a, lda, sa, t.op_a, i, l, q) * factor(b, ldb, sb, t.op_b, l, j, q);
				double v = (al * s + be * old[index(i, j, q)]).real();
				if (t.epilogue & BIAS)
					v += bias.v[q * m + i].real();
				if (t.epilogue & 8)
					v = (int)before[mask(i, j, q)].real() >> i % 8 & 1 ? v : 0;
				if (t.epilogue & 64)
					v *= gelu_slope(before[(size_t)q * aux_step + (size_t)j * aux_ld + i].real());
				if (t.epilogue & GELU && t.epilogue & AUX)
					aux.v[(size_t)q * aux_step + (size_t)j * aux_ld + i] = v;
				if (t.epilogue & RELU)
					v = v > 0 ? v : 0;
				if (t.epilogue & GELU)
					v = gelu(v);
				out.v[index(i, j, q)] = v;
			}
	double scale = 4 * k + 8;
	bool right = out.same(tolerance(t.c), scale);
	if (t.epilogue & GELU && t.epilogue & AUX)
		right &= aux.same(tolerance(t.c), scale);
	if (t.epilogue & RELU && t.epilogue & AUX) {
		auto is = aux.read();
		auto result = out.read();
		for (int q = 0; q < t.count; q++)
			for (int j = 0; j < n; j++)
				for (int i = 0; i < m; i++)
					right &= ((int)is[mask(i, j, q)].real() >> i % 8 & 1) == (result[index(i, j, q)].real() > 0);
	}
	if (t.epilogue & (BGRAD | BGRADA | BGRADB)) {
		auto result = out.read();
		int rows = by_n ? n : m, columns = t.epilogue & BGRAD ? n : k;
		for (int q = 0; q < t.count; q++)
			for (int i = 0; i < rows; i++) {
				number s = 0;
				for (int l = 0; l < columns; l++)
					s += t.epilogue & BGRAD ? result[index(i, l, q)] : by_n ? factor(b, ldb, sb, t.op_b, l, i, q) : factor(a, lda, sa, t.op_a, i, l, q);
				bias.v[q * rows + i] = s;
			}
		right &= bias.same(tolerance(t.c), scale * columns);
	}
	if (!right) {
		printf("FAIL %c%c ops %d %d, %d x %d x %d, order %d, count %d, epilogue %d\n", t.ab, t.c, t.op_a, t.op_b, m, n, k, t.order, t.count,
		       t.epilogue);
		failures++;
	}
}

static void transforms(void)
{
	array a('s', 6 * 4), b('s', 4 * 6), c('s', 4 * 6);
	scalar two('s', 2, false), minus('s', -1, false);
	void *d;
	int t = 1;
	OK("cublasLtMatrixTransformDescCreate", &d, 0);
	OK("cublasLtMatrixTransformDescSetAttribute", d, 2, (const void *)&t, 4ul);
	layout la('s', 6, 4, 6, 0, 1, 0), lb('s', 4, 6, 6, 1, 1, 0), lc('s', 4, 6, 4, 0, 1, 0);
	OK("cublasLtMatrixTransform", h, d, two.p(), (const void *)a.at, la.d, minus.p(), (const void *)b.at, lb.d, (void *)c.at, lc.d, (void *)nullptr);
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 6; j++)
			c.v[i + j * 4] = 2.0 * a.v[j + i * 6] - b.v[j + i * 6];
	EXPECT(c.same(1e-6, 4));
	OK("cublasLtMatrixTransformDescDestroy", d);
}

// A float of 8 bits with `mantissa` bits behind the point.
static double quarter(unsigned char q, int mantissa)
{
	int e = (q & 0x7f) >> mantissa, m = q & ((1 << mantissa) - 1), bias = mantissa == 3 ? 7 : 15;
	double v = ldexp(e ? m + (1 << mantissa) : m, (e ? e : 1) - bias - mantissa);
	return q & 0x80 ? -v : v;
}

// 8-bit floats, each factor with a scale in device memory: all values that there are, subnormal ones too.
static void quarters(char result, bool a_wide, bool b_wide)
{
	enum { M = 33, N = 70, K = 96 };
	std::vector<unsigned char> ha(K * M), hb(K * N);
	unsigned state = 11;
	auto random = [&](bool wide) {
		unsigned char q = (unsigned char)((state = state * 1664525 + 1013904223) >> 24);
		return (unsigned char)((q & 0x7f) >= (wide ? 0x60 : 0x70) ? q & 0x8f : q); // not too large for halves, no NaN
	};
	for (auto &q : ha)
		q = random(a_wide);
	for (auto &q : hb)
		q = random(b_wide);
	float scales[2] = {0.0078125f, 0.03125f}, *factor;
	char *a, *b;
	cudaMalloc((void **)&a, ha.size());
	cudaMalloc((void **)&b, hb.size());
	cudaMalloc((void **)&factor, sizeof scales);
	cudaMemcpy(a, ha.data(), ha.size(), cudaMemcpyHostToDevice);
	cudaMemcpy(b, hb.data(), hb.size(), cudaMemcpyHostToDevice);
	cudaMemcpy(factor, scales, sizeof scales, cudaMemcpyHostToDevice);
	array c(result, M * N), d(result, M * N);
	description op(68, 0);
	layout la('s', K, M, K, 0, 1, 0), lb('s', K, N, K, 0, 1, 0), lc(result, M, N, M, 0, 1, 0);
	int trans = 1, type_a = a_wide ? 29 : 28, type_b = b_wide ? 29 : 28, mode = 0;
	float *of_a = factor, *of_b = factor + 1;
	la.set(0, &type_a, 4);
	lb.set(0, &type_b, 4);
	op.set(3, &trans, 4);
	op.set(17, &of_a, 8);
	op.set(18, &of_b, 8);
	op.set(31, &mode, 4);
	scalar alpha('s', 2, false), beta('s', -1, false);
	auto multiply = [&] {
		return call("cublasLtMatmul", h, op.d, alpha.p(), (const void *)a, la.d, (const void *)b, lb.d, beta.p(), (const void *)c.at, lc.d,
		            (void *)d.at, lc.d, (const void *)nullptr, (void *)nullptr, 0ul, (void *)nullptr);
	};
	auto compare = [&](auto scale) {
		if (a_wide && b_wide) {
			EXPECT(multiply() == 15);
			return;
		}
		EXPECT(multiply() == 0);
		for (int i = 0; i < M; i++)
			for (int j = 0; j < N; j++) {
				double sum = 0;
				for (int k = 0; k < K; k++)
					sum += quarter(ha[i * K + k], a_wide ? 2 : 3) * quarter(hb[j * K + k], b_wide ? 2 : 3);
				d.v[i + j * M] = 2 * sum * scale(i, j) - c.v[i + j * M];
			}
		EXPECT(d.same(result == 's' ? 1e-5 : result == 'h' ? 2e-3 : 1e-2, 400));
	};
	compare([&](int, int) { return scales[0] * scales[1]; });
	// A scale for each row and one for each column, which both factors have or none.
	float *each, of_row[M], of_column[N];
	for (int i = 0; i < M; i++)
		of_row[i] = 0.0005f * (i + 1);
	for (int j = 0; j < N; j++)
		of_column[j] = 0.0625f - 0.0009765625f * j; // negative at the end
	cudaMalloc((void **)&each, sizeof of_row + sizeof of_column);
	cudaMemcpy(each, of_row, sizeof of_row, cudaMemcpyHostToDevice);
	cudaMemcpy(each + M, of_column, sizeof of_column, cudaMemcpyHostToDevice);
	of_a = each, of_b = each + M, mode = 3;
	op.set(17, &of_a, 8);
	op.set(18, &of_b, 8);
	op.set(31, &mode, 4);
	EXPECT(multiply() == 15);
	op.set(32, &mode, 4);
	compare([&](int i, int j) { return of_row[i] * of_column[j]; });
	mode = 5; // one for each block of 128 by 128
	op.set(31, &mode, 4);
	op.set(32, &mode, 4);
	EXPECT(multiply() == 15);
	cudaFree(each);
	cudaFree(a);
	cudaFree(b);
	cudaFree(factor);
}

// What cannot be done is told by the heuristic and by the product, and an attribute gives back what was set.
static void refusals(void)
{
	description op(68, 0);
	layout a('s', 4, 4, 4, 0, 1, 0), strange('s', 4, 4, 128, 2, 1, 0), wrong('s', 5, 4, 5, 0, 1, 0);
	char room[256];
	int count = 5, value = 0;
	size_t written = 0;
	scalar one('s', 1, false);
	EXPECT(call("cublasLtMatmulAlgoGetHeuristic", h, op.d, a.d, a.d, strange.d, strange.d, (void *)nullptr, 1, (void *)room, &count) == 15 && !count);
	EXPECT(call("cublasLtMatmulAlgoGetHeuristic", h, op.d, a.d, a.d, wrong.d, wrong.d, (void *)nullptr, 1, (void *)room, &count) == 7);
	EXPECT(call("cublasLtMatmul", (void *)nullptr, op.d, one.p(), (const void *)room, a.d, (const void *)room, a.d, one.p(), (const void *)room,
	            a.d, (void *)room, a.d, (const void *)nullptr, (void *)nullptr, 0ul, (void *)nullptr) == 1);
	EXPECT(call("cublasLtMatmul", h, op.d, (const void *)nullptr, (const void *)room, a.d, (const void *)room, a.d, one.p(), (const void *)room,
	            a.d, (void *)room, a.d, (const void *)nullptr, (void *)nullptr, 0ul, (void *)nullptr) == 7);
	EXPECT(call("cublasLtMatmulDescSetAttribute", op.d, 99, (const void *)&value, 4ul) == 7);
	EXPECT(call("cublasLtMatmulDescSetAttribute", op.d, 3, (const void *)&value, 1ul) == 7);
	value = 1;
	op.set(3, &value, 4);
	value = 0;
	OK("cublasLtMatmulDescGetAttribute", op.d, 3, (void *)&value, 4ul, &written);
	EXPECT(value == 1 && written == 4);
	OK("cublasLtMatmulDescGetAttribute", op.d, 8, (void *)nullptr, 0ul, &written);
	EXPECT(written == 8);
	EXPECT(call("cublasLtMatrixLayoutCreate", (void **)nullptr, 0, 1ul, 1ul, 1l) == 7);
}

int main(void)
{
	OK("cublasLtCreate", &h);
	for (char t : {'s', 'd', 'h', 'b'})
		for (int ops = 0; ops < 4; ops++)
			for (int order = 0; order < 2; order++)
				run({t, t, ops & 1, ops >> 1, 20, 35, 17, order, 1 + order, 0, ops == 1});
	run({'q', 'i', 1, 0, 40, 9, 32, 0, 2, 0, false});
	run({'h', 's', 0, 1, 40, 9, 32, 0, 2, 0, false});
	run({'b', 's', 1, 0, 70, 65, 32, 0, 1, BIAS, false});
	static const int epilogues[] = {RELU, BIAS, RELU | BIAS, RELU | AUX, RELU | AUX | BIAS, DRELU, DRELU | BGRAD, GELU, GELU | BIAS, GELU | AUX,
	                                GELU | AUX | BIAS, DGELU, DGELU | BGRAD, BGRADA, BGRADB};
	for (char t : {'s', 'd', 'h', 'b'})
		for (int e : epilogues) {
			run({t, t, 1, 0, 19, 13, 10, 0, 1, e, false});
			run({t, t, 0, 1, 130, 67, 8, 0, 2, e, true});
		}
	for (char t : {'s', 'h', 'b'})
		for (int wide = 0; wide < 4; wide++)
			quarters(t, wide & 1, wide >> 1);
	transforms();
	refusals();
	OK("cublasLtDestroy", h);
	puts(failures ? "FAIL" : "PASS");
	return failures != 0;
}
