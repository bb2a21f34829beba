// Loads, a branch that lanes disagree about, shared memory and a barrier, for those who look on. Compiled by
//   nvcc -arch=sm_80 -lineinfo -cubin -o look.80.cubin look.cu
extern "C" __global__ void k(unsigned *out)
{
	__shared__ unsigned s[64];
	unsigned i = threadIdx.x, v = out[blockIdx.x * blockDim.x + i];
	if (i & 1)
		for (unsigned n = 0; n < i; n++)
			v = v * 3 + n;
	s[i] = v + 5;
	__syncthreads();
	out[blockIdx.x * blockDim.x + i] = s[i ^ 1];
}
