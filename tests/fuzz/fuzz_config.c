// Any bytes as a configuration: nothing crashes, and what was read comes back when it is written and read again.
#include "base/options.h"
#include "isa/gpu_desc.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *dump(const struct options *o)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	options_write(o, f, false);
	fclose(f);
	return text;
}

static void must_come_back(const struct options *o)
{
	struct options again = {0};
	struct diag d = {0};
	char *first = dump(o);
	options_defaults(&again);
	bool ok = options_load_text(&again, "dump", first, strlen(first), FROM_FILE, &d);
	char *second = dump(&again);
	if (!ok || strcmp(first, second))
		abort();
	free(first);
	free(second);
	diag_free(&d);
	options_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint32_t shapes[][4] = {
		{1, 0, 0, 0}, {256, 32, 1000, 0}, {1024, 255, 0, 200000}, {~0u, ~0u, ~0u, ~0u}};
	struct options o = {0};
	struct diag d = {0};
	struct gpu_desc g;
	options_defaults(&o);
	options_load_text(&o, "fuzz", (const char *)data, size, FROM_FILE, &d);
	if (gpu_desc_from_options(&g, &o, &d))
		for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
			gpu_desc_occupancy(&g, shapes[i][0], shapes[i][1], shapes[i][2], shapes[i][3], NULL);
	must_come_back(&o);
	diag_free(&d);
	options_free(&o);
	return 0;
}
