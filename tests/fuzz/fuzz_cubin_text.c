// Any bytes as the text of a cubin, or as a cubin: nothing crashes, a refusal says why, and of what is made the text gives the
// same bytes again.
#include "base/mem.h"
#include "libcuda/image/cubin_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t *around(const uint8_t *image, size_t size, size_t *out_size)
{
	struct cubin_parts c;
	struct diag d = {0};
	char *text = NULL;
	size_t len = 0;
	uint8_t *out = NULL;
	*out_size = 0;
	if (cubin_parts_read(&c, image, size, &d)) {
		FILE *f = open_memstream(&text, &len);
		cubin_list(&c, NULL, f);
		fclose(f);
		cubin_assemble("again", text, len, &out, out_size, &d);
	}
	if (!out != (d.errors > 0))
		abort();
	cubin_parts_free(&c);
	diag_free(&d);
	free(text);
	return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag d = {0};
	uint8_t *image;
	size_t n;
	if (size > 4 && !memcmp(data, "\177ELF", 4)) {
		mem_free(around(data, size, &n));
		return 0;
	}
	if (cubin_assemble("fuzz", (const char *)data, size, &image, &n, &d) != !d.errors)
		abort();
	if (image) {
		size_t m;
		uint8_t *again = around(image, n, &m);
		if (!again || m != n || memcmp(image, again, n))
			abort();
		mem_free(again);
	}
	mem_free(image);
	diag_free(&d);
	return 0;
}
