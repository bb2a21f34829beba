// Any bytes as an .icnt file and, behind a NUL, as the network file it may name: an error or a network that delivers.
#include "intersim/icnt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char dir[] = "/tmp/fuzz_icnt_XXXXXX";

static void write_file(const char *path, const uint8_t *data, size_t size)
{
	FILE *f = fopen(path, "wb");
	if (!f || fwrite(data, 1, size, f) != size)
		abort();
	fclose(f);
}

static void ignore(void *ctx, const char *text)
{
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char icnt[64], any[64];
	if (dir[strlen(dir) - 1] == 'X' && !mkdtemp(dir))
		abort();
	snprintf(icnt, sizeof icnt, "%s/net.icnt", dir);
	snprintf(any, sizeof any, "%s/net.any", dir);
	const uint8_t *nul = memchr(data, 0, size);
	write_file(icnt, data, nul ? (size_t)(nul - data) : size);
	write_file(any, nul ? nul + 1 : data, nul ? (size_t)(data + size - nul - 1) : 0);

	struct options o = {0};
	struct diag d = {0};
	options_defaults(&o);
	o.network_mode = 1;
	o.inter_config_file = icnt;
	struct icnt *n = icnt_new(&o, NULL, 2, 2, &d);
	if (!n && !d.errors)
		abort();
	unsigned pushed = 0, popped = 0;
	for (unsigned cycle = 0; n && cycle < 200; cycle++) {
		for (unsigned src = 0; src < 2; src++)
			if (cycle < 20 && icnt_can_push(n, ICNT_REQUEST, src, 40)) {
				icnt_push(n, ICNT_REQUEST, src, cycle % 2, &o, 40);
				pushed++;
			}
		for (unsigned dst = 0; dst < 2; dst++)
			popped += icnt_pop(n, ICNT_REQUEST, dst) != NULL;
		icnt_tick(n);
	}
	if (popped > pushed)
		abort();
	if (n) {
		icnt_print(n, ignore, NULL);
		icnt_describe(n, ignore, NULL);
	}
	icnt_free(n);
	options_free(&o);
	diag_free(&d);
	unlink(icnt);
	unlink(any);
	return 0;
}
