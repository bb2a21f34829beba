// The one counted allocator of host memory. Above it nothing checks for NULL: when memory runs out,
// mem_fail() says so and ends the process, unless a caller asked with mem_try_alloc().
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>

void *mem_alloc(size_t size);                 // zeroed
void *mem_alloc_lines(size_t size);           // zeroed, and begins on a cache line of the host (64 bytes)
// The same, for what the model of a GPU looks at in every cycle: it lies together, in large pages of the host (mem_dense.c). To be
// freed with the same size. mem_try_alloc_dense: or NULL, for sizes a user controls.
void *mem_alloc_dense(size_t size);
void *mem_try_alloc_dense(size_t size);
void mem_free_dense(void *p, size_t size);
// And for tables of which most may never be touched: large ones take memory page by page as they are.
void *mem_alloc_table(size_t size);
void mem_free_table(void *p, size_t size);
// Address space without memory: at this place, or where the host likes (NULL). NULL if there is none.
void *mem_reserve(void *at, size_t size);
void *mem_realloc(void *p, size_t size);      // new bytes are not zeroed
void *mem_try_alloc(size_t size);             // zeroed, or NULL (sizes a user controls)
char *mem_strdup(const char *s);
void mem_free(void *p);
_Noreturn void mem_fail(size_t size);

// The n-th mem_try_alloc from now fails (0: never). The hostile build can also make every n-th fail:
// HEDDLE_FAIL_ALLOC=n; and HEDDLE_FAIL_ALLOC_AT=n the n-th mem_alloc or mem_realloc of the process, which ends it.
void mem_fail_after(unsigned n);
bool mem_forced_failure(void); // this is the one: for mem_dense.c

#define MEM_NEW(type) ((type *)mem_alloc(sizeof(type)))

#endif
