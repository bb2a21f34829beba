// Text of small kernels for tests of timing.
#ifndef TESTS_KERNEL_TEXT_H
#define TESTS_KERNEL_TEXT_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL_HEAD ".version 7.5\n.target sm_75\n.address_size 64\n"
// k(p0, p1, p2, p3) with registers of all kinds; %r1 thread, %r2 block, %r3 block size, %r4 global thread, %rd1 to %rd4
// the parameters. Seven instructions.
#define KERNEL_ENTRY(name)                                                                                             \
	".visible .entry " name "(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3)\n{\n"                \
	".reg .pred %p<8>; .reg .b32 %r<200>; .reg .f32 %f<200>; .reg .f64 %fd<200>; .reg .b64 %rd<64>;\n"                \
	"mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;\n"            \
	"ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; ld.param.u64 %rd3, [p2]; ld.param.u64 %rd4, [p3];\n"

struct text {
	char *at;
	size_t n, cap;
};

static inline void text_add(struct text *t, const char *s)
{
	size_t n = strlen(s);
	if (t->n + n + 1 > t->cap) {
		t->cap = (t->n + n + 1) * 2;
		t->at = realloc(t->at, t->cap);
	}
	memcpy(t->at + t->n, s, n + 1);
	t->n += n;
}

// `n` lines made from a format; each %u, up to three, is the number of the line.
static inline void text_repeat(struct text *t, unsigned n, const char *line)
{
	char s[400];
	for (unsigned i = 0; i < n; i++) {
		char *to = s;
		for (const char *f = line; *f && to < s + sizeof s - 20; f++) {
			if (f[0] == '@' && f[1] == '@')
				to += sprintf(to, "%u", i), f++;
			else
				*to++ = *f;
		}
		*to = 0;
		text_add(t, s);
	}
}

static inline void text_free(struct text *t)
{
	free(t->at);
	*t = (struct text){0};
}

// Two kernels: "first" reads, parts its warps and counts by an atomic; "second" adds one to a word of each line.
#define KERNEL_FIRST_AND_SECOND \
	KERNEL_HEAD KERNEL_ENTRY("first") \
	"mul.wide.u32 %rd5, %r4, 4; add.u64 %rd6, %rd1, %rd5; ld.global.u32 %r10, [%rd6]; and.b32 %r14, %r1, 3;\n" \
	"setp.eq.u32 %p1, %r14, 0; @%p1 bra SKIP; atom.global.add.u32 %r15, [%rd2], 1;\n" \
	"SKIP: add.u64 %rd7, %rd3, %rd5; st.global.u32 [%rd7], %r10; ret; }\n" \
	KERNEL_ENTRY("second") \
	"mul.wide.u32 %rd5, %r4, 128; add.u64 %rd6, %rd1, %rd5; ld.global.u32 %r10, [%rd6]; add.u32 %r10, %r10, 1;\n" \
	"st.global.u32 [%rd6], %r10; ret; }\n"

#endif
