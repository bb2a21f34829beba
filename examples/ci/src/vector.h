// Vectors on the GPU. Each function copies what it is given there and the result back; all return the first error of CUDA.
#ifndef VECTOR_H
#define VECTOR_H

#include <cuda_runtime.h>
#include <vector>

// y += a * x
cudaError_t vector_axpy(float a, const std::vector<float> &x, std::vector<float> &y);

cudaError_t vector_sum(const std::vector<int> &x, int &sum);

// How often each value from 0 to count.size() - 1 occurs; others are not counted.
cudaError_t vector_histogram(const std::vector<int> &x, std::vector<int> &count);

#endif
