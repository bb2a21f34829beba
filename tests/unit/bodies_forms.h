// Forms of instructions beside those that the tables of single opcodes have: what ptxas makes one instruction of two or more.
#ifndef TESTS_BODIES_FORMS_H
#define TESTS_BODIES_FORMS_H

#include "tests/unit/ops_harness.h"

static const struct op_case bodies_forms[] = {
	{"lop3.b32 = lop3.b32 %r9, %r0, %r1, %r2, 0x6a; lop3.b32 %r8, %r9, %r3, %r1, 0x1e; cvt.u64.u32 %rd40, %r8;", NULL},
};

#endif
