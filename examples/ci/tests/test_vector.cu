// Each test is compared with what the host computes: test_vector NAME ends with status 0 if it passes.
#include "vector.h"

#include <cstdio>
#include <cstring>

#define CHECK(condition)                                                                 \
	do {                                                                             \
		if (!(condition)) {                                                      \
			printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
			return false;                                                    \
		}                                                                        \
	} while (0)

static bool test_axpy()
{
	std::vector<float> x(10000), y(10000);
	for (size_t i = 0; i < x.size(); i++)
		x[i] = (float)i, y[i] = 1;
	CHECK(vector_axpy(0.5f, x, y) == cudaSuccess);
	for (size_t i = 0; i < x.size(); i++)
		CHECK(y[i] == 0.5f * (float)i + 1);
	return true;
}

static bool test_sum()
{
	for (int n : {1, 255, 256, 257, 30000}) {
		std::vector<int> x(n);
		int sum = -1, want = 0;
		for (int i = 0; i < n; i++)
			want += x[i] = i % 97;
		CHECK(vector_sum(x, sum) == cudaSuccess);
		CHECK(sum == want);
	}
	return true;
}

static bool test_histogram()
{
	std::vector<int> x(20000), count(64), want(64);
	for (size_t i = 0; i < x.size(); i++) {
		x[i] = (int)(i % 71) - 2;
		if (x[i] >= 0 && x[i] < 64)
			want[x[i]]++;
	}
	CHECK(vector_histogram(x, count) == cudaSuccess);
	CHECK(count == want);
	return true;
}

int main(int argc, char **argv)
{
	const struct {
		const char *name;
		bool (*run)();
	} tests[] = {{"axpy", test_axpy}, {"sum", test_sum}, {"histogram", test_histogram}};
	for (const auto &t : tests)
		if (argc == 2 && !strcmp(argv[1], t.name))
			return !t.run();
	printf("usage: test_vector axpy|sum|histogram\n");
	return 2;
}
