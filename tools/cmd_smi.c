// heddle smi, also under the name nvidia-smi: the simulated GPU for scripts that look for one.
#include "base/options.h"
#include "isa/gpu_desc.h"
#include "libcuda/life/device.h"
#include "tools/tools.h"

#include <stdio.h>
#include <string.h>

enum { MEGA = 1 << 20 };

static void uuid(char *out, size_t room)
{
	size_t n = (size_t)snprintf(out, room, "GPU-");
	for (size_t i = 0; i < 16; i++)
		n += (size_t)snprintf(out + n, room - n, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x",
		                      i < strlen(DEVICE_UUID) ? (unsigned char)DEVICE_UUID[i] : 0);
}

// The value of a field of --query-gpu; its unit after it unless !units. False: there is none of that name.
static bool field(const struct gpu_desc *g, const char *name, bool units, char *out, size_t room)
{
	unsigned long long total = g->memory_size / MEGA;
	const char *mib = units ? " MiB" : "", *mhz = units ? " MHz" : "";
	if (!strcmp(name, "name") || !strcmp(name, "gpu_name"))
		snprintf(out, room, "%s", g->name);
	else if (!strcmp(name, "index"))
		snprintf(out, room, "0");
	else if (!strcmp(name, "count"))
		snprintf(out, room, "1");
	else if (!strcmp(name, "uuid") || !strcmp(name, "gpu_uuid"))
		uuid(out, room);
	else if (!strcmp(name, "driver_version"))
		snprintf(out, room, "%s", DRIVER_VERSION_REPORTED);
	else if (!strcmp(name, "compute_cap"))
		snprintf(out, room, "%d.%d", g->major, g->minor);
	else if (!strcmp(name, "memory.total") || !strcmp(name, "memory.free"))
		snprintf(out, room, "%llu%s", total, mib);
	else if (!strcmp(name, "memory.used"))
		snprintf(out, room, "0%s", mib);
	else if (!strcmp(name, "pci.bus_id") || !strcmp(name, "gpu_bus_id"))
		snprintf(out, room, "00000000:%02X:00.0", DEVICE_PCI_BUS);
	else if (!strcmp(name, "clocks.max.sm") || !strcmp(name, "clocks.max.graphics"))
		snprintf(out, room, "%u%s", g->clock_khz / 1000, mhz);
	else if (!strcmp(name, "clocks.max.memory"))
		snprintf(out, room, "%u%s", g->memory_clock_khz / 1000, mhz);
	else
		return false;
	return true;
}

static int query(const struct gpu_desc *g, const char *fields, const char *format)
{
	bool header = !strstr(format, "noheader"), units = !strstr(format, "nounits");
	char name[64], value[300];
	for (int pass = header ? 0 : 1; pass < 2; pass++) {
		const char *p = fields;
		for (size_t n; *p; p += n + (p[n] == ',')) {
			n = strcspn(p, ",");
			snprintf(name, sizeof name, "%.*s", (int)n, p);
			if (!field(g, name, units, value, sizeof value)) {
				fprintf(stderr, "Field \"%s\" is not a valid field to query.\n", name);
				return 2;
			}
			const char *unit = !units ? "" : strncmp(name, "memory.", 7) == 0 ? " [MiB]" : strncmp(name, "clocks.", 7) == 0 ? " [MHz]" : "";
			printf("%s%s%s", p == fields ? "" : ", ", pass ? value : name, pass ? "" : unit);
		}
		putchar('\n');
	}
	return 0;
}

static int table(const struct gpu_desc *g)
{
	printf("Heddle: one simulated GPU\n\n"
	       "  driver %s, CUDA %d.%d\n"
	       "  GPU 0: %s, compute capability %d.%d, %u SMs, %llu MiB\n",
	       DRIVER_VERSION_REPORTED, CUDA_VERSION_REPORTED / 1000, CUDA_VERSION_REPORTED % 1000 / 10, g->name, g->major, g->minor,
	       g->sm_count, (unsigned long long)g->memory_size / MEGA);
	return 0;
}

static int list(const struct gpu_desc *g)
{
	char id[64];
	uuid(id, sizeof id);
	printf("GPU 0: %s (UUID: %s)\n", g->name, id);
	return 0;
}

static int run(const struct gpu_desc *g, int argc, char **argv)
{
	const char *fields = NULL, *format = "";
	bool listed = false;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-L") || !strcmp(argv[i], "--list-gpus"))
			listed = true;
		else if (!strncmp(argv[i], "--query-gpu=", 12))
			fields = argv[i] + 12;
		else if (!strncmp(argv[i], "--format=", 9))
			format = argv[i] + 9;
		else if (strcmp(argv[i], "-i") && strcmp(argv[i], "--id") && (!i || strcmp(argv[i], "0"))) {
			fprintf(stderr, "heddle smi: no option '%s'; it has -L, --query-gpu=FIELDS with --format=csv[,noheader][,nounits], and -i 0\n",
			        argv[i]);
			return 2;
		}
	}
	if (fields && strncmp(format, "csv", 3)) {
		fputs("heddle smi: --query-gpu needs --format=csv\n", stderr);
		return 2;
	}
	return listed ? list(g) : fields ? query(g, fields, format) : table(g);
}

int cmd_smi(int argc, char **argv)
{
	struct options o = {0};
	struct gpu_desc g;
	struct diag d = {0};
	bool ok = options_find_and_load(&o, &d) && gpu_desc_from_options(&g, &o, &d);
	if (!ok)
		diag_print(&d);
	diag_free(&d);
	int status = ok ? run(&g, argc, argv) : 9; // nvidia-smi's, where it finds no driver
	options_free(&o);
	return status;
}
