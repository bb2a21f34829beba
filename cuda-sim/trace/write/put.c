#include "cuda-sim/trace/write/put.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void put_bytes(struct put *to, const void *s, size_t n)
{
	VEC_RESERVE(&to->t, to->t.n + n);
	if (n)
		memcpy(to->t.at + to->t.n, s, n);
	to->t.n += n;
}

void put_string(struct put *to, const char *s) { put_bytes(to, s, strlen(s)); }
void put_char(struct put *to, char c) { put_bytes(to, &c, 1); }

void put_format(struct put *to, const char *fmt, ...)
{
	char line[4096 + 64]; // a kernel's name is the longest part
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	put_bytes(to, line, n < (int)sizeof line ? (size_t)n : sizeof line - 1);
}

void put_hex(struct put *to, uint64_t v, unsigned digits)
{
	char s[16];
	unsigned n = 0;
	do {
		s[15 - n++] = "0123456789abcdef"[v & 15];
		v >>= 4;
	} while (v || n < digits);
	put_bytes(to, s + 16 - n, n);
}

void put_decimal(struct put *to, int64_t v)
{
	char s[20];
	unsigned n = 0;
	uint64_t u = v < 0 ? -(uint64_t)v : (uint64_t)v;
	do
		s[19 - n++] = (char)('0' + u % 10);
	while (u /= 10);
	if (v < 0)
		put_char(to, '-');
	put_bytes(to, s + 20 - n, n);
}

bool put_is_even(uint32_t mask, const uint64_t addr[32], uint64_t *stride)
{
	unsigned first = (unsigned)__builtin_ctz(mask);
	uint32_t m = mask >> first;
	uint64_t base = addr[first];
	*stride = m & 2 ? addr[first + 1] - base : 0;
	bool even = !(m & (m + 1));
	for (uint32_t k = mask; even && k; k &= k - 1) {
		unsigned i = (unsigned)__builtin_ctz(k);
		even = addr[i] == base + *stride * (i - first);
	}
	return even;
}

void put_address_list(struct put *to, uint32_t mask, const uint64_t addr[32])
{
	put_string(to, " 0");
	for (uint32_t m = mask; m; m &= m - 1) {
		put_string(to, " 0x");
		put_hex(to, addr[__builtin_ctz(m)], 1);
	}
}

void put_addresses(struct put *to, uint32_t mask, const uint64_t addr[32], bool lone_stride)
{
	uint64_t stride, before = addr[__builtin_ctz(mask)];
	bool even = put_is_even(mask, addr, &stride) && (lone_stride || (mask & (mask - 1)));
	put_string(to, even ? " 1 0x" : " 2 0x");
	put_hex(to, before, 1);
	if (even) {
		put_char(to, ' ');
		put_decimal(to, (int64_t)stride);
		return;
	}
	for (uint32_t k = mask & (mask - 1); k; k &= k - 1) {
		uint64_t at = addr[__builtin_ctz(k)];
		put_char(to, ' ');
		put_decimal(to, (int64_t)(at - before));
		before = at;
	}
}
