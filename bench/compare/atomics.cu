// Every thread changes the same eleven words, each by another atomic operation: all of them go to a sub-partition or two, so
// the way into the network is full most of the time. Measures how long requests wait for it.
// atomics [BLOCKS]
#include "compare.h"

enum { THREADS = 256, START = 0xff, INC_LIMIT = 17, DEC_LIMIT = 137 };
enum { ADD, SUB, EXCH, MAX, MIN, INC, DEC, CAS, AND, OR, XOR, WORDS };

__global__ void change(int *word)
{
	int i = blockIdx.x * THREADS + threadIdx.x;
	atomicAdd(&word[ADD], 10);
	atomicSub(&word[SUB], 10);
	atomicExch(&word[EXCH], i);
	atomicMax(&word[MAX], i);
	atomicMin(&word[MIN], i);
	atomicInc((unsigned *)&word[INC], INC_LIMIT);
	atomicDec((unsigned *)&word[DEC], DEC_LIMIT);
	atomicCAS(&word[CAS], i - 1, i);
	atomicAnd(&word[AND], 2 * i + 7);
	atomicOr(&word[OR], 1 << i % 32);
	atomicXor(&word[XOR], i);
}

int main(int argc, char **argv)
{
	int n = argument(argc, argv, 1, 64) * THREADS;
	int word[WORDS], want[WORDS];
	for (int w = 0; w < WORDS; w++)
		word[w] = w == AND || w == XOR ? START : 0;
	for (int w = 0; w < WORDS; w++)
		want[w] = word[w];
	for (int i = 0; i < n; i++) {
		unsigned inc = want[INC], dec = want[DEC];
		want[ADD] += 10;
		want[SUB] -= 10;
		want[MAX] = i > want[MAX] ? i : want[MAX];
		want[MIN] = i < want[MIN] ? i : want[MIN];
		want[INC] = inc >= INC_LIMIT ? 0 : inc + 1;
		want[DEC] = dec == 0 || dec > DEC_LIMIT ? DEC_LIMIT : dec - 1;
		want[AND] &= 2 * i + 7;
		want[OR] |= 1 << i % 32;
		want[XOR] ^= i;
	}
	int *d = device_alloc<int>(WORDS);
	to_device(d, word, WORDS);
	change<<<n / THREADS, THREADS>>>(d);
	finish_kernels();
	to_host(word, d, WORDS);
	int bad = 0;
	for (int w = 0; w < WORDS; w++) {
		if (w == EXCH || w == CAS)
			bad += word[w] < 0 || word[w] >= n; // which thread comes last is open
		else
			bad += word[w] != want[w];
	}
	return verdict(bad);
}
