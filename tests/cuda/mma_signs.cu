// Products of doubles whose operands are negated: compilers put the sign into the instruction (DMMA R0, -R2, R4, R0).
// flags: -arch=sm_80
#include "check.h"

static __device__ void product(double d[2], double a, double b, const double c[2])
{
	asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%4,%5};"
	             : "=d"(d[0]), "=d"(d[1]) : "d"(a), "d"(b), "d"(c[0]), "d"(c[1]));
}

// A of 8 x 4, B of 4 x 8, C and four D of 8 x 8, by rows.
__global__ void signs(const double *a, const double *b, const double *c, double *d)
{
	const unsigned l = threadIdx.x, row = l / 4, col = l % 4;
	const double x = a[row * 4 + col], y = b[col * 8 + row], z[2] = {c[row * 8 + 2 * col], c[row * 8 + 2 * col + 1]};
	const double minus[2] = {-z[0], -z[1]};
	double r[4][2];
	product(r[0], -x, y, z);
	product(r[1], x, -y, z);
	product(r[2], x, y, minus);
	product(r[3], -x, -y, minus);
	for (unsigned k = 0; k < 4; k++)
		for (unsigned i = 0; i < 2; i++)
			d[64 * k + row * 8 + 2 * col + i] = r[k][i];
}

int main(void)
{
	double a[32], b[32], c[64], d[256];
	for (int i = 0; i < 32; i++)
		a[i] = i * 0.25 - 3, b[i] = 5 - i * 0.5;
	for (int i = 0; i < 64; i++)
		c[i] = i % 7 - 2.5;
	double *da = to_device(a, 32), *db = to_device(b, 32), *dc = to_device(c, 64), *dd = device_alloc<double>(256);
	signs<<<1, 32>>>(da, db, dc, dd);
	LAUNCHED();
	to_host(d, dd, 256);
	static const int of_product[] = {-1, -1, 1, 1}, of_sum[] = {1, 1, -1, -1};
	for (int k = 0; k < 4; k++)
		for (int i = 0; i < 8; i++)
			for (int j = 0; j < 8; j++) {
				double sum = of_sum[k] * c[i * 8 + j];
				for (int n = 0; n < 4; n++)
					sum += of_product[k] * a[i * 4 + n] * b[n * 8 + j];
				CHECK(d[64 * k + i * 8 + j] == sum, "%d: %d %d: %g, not %g", k, i, j, d[64 * k + i * 8 + j], sum);
			}
	return check_done();
}
