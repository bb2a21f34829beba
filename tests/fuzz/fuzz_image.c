// Any bytes as an image that a program hands over to be loaded: PTX, a cubin, a fat binary, what was linked at run time, and their
// payloads.
#include "base/mem.h"
#include "libcuda/code/image_bytes.h"
#include "libcuda/code/link_image.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void walk(const struct fatbin *f)
{
	struct arena arena = {0};
	struct diag d = {0};
	for (size_t i = 0; i < f->entry.n; i++) {
		const char *text;
		size_t len;
		// Large claims are slow to try and not what is sought here.
		if (f->entry.at[i].raw_size <= 1 << 20)
			fatbin_payload(&f->entry.at[i], &arena, &text, &len, &d);
	}
	arena_free(&arena);
	diag_free(&d);
}

static void take(const uint8_t *data, size_t size)
{
	struct image_bytes b;
	struct fatbin f = {0};
	struct diag d = {0};
	if (!image_bytes_take(&b, data, size, &d)) {
		if (image_bytes_read(&b, &f, &d))
			walk(&f);
		fatbin_free(&f);
		image_bytes_free(&b);
	}
	diag_free(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	// A wrapper has an address inside, which random bytes make one of this program's.
	if (size < 4 || !memcmp(data, "\xb1\x43\x62\x46", 4))
		return 0;
	take(data, size);
	// The same bytes behind the head of a linked image.
	uint8_t *linked = mem_alloc(size + LINKED_HEADER);
	memcpy(linked, "\x50\xed\x55\xba\1\0\40\0", 8);
	memcpy(linked + 8, &(uint64_t){size}, 8);
	memcpy(linked + 16, LINKED_MARK, sizeof LINKED_MARK);
	memcpy(linked + LINKED_HEADER, data, size);
	take(linked, size + LINKED_HEADER);
	mem_free(linked);
	return 0;
}
