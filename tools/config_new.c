// heddle config new: the configuration of a GPU that differs from another in what data sheets tell: SMs, clock, bandwidth, L2,
// memory. What follows from these is derived by a rule that stands beside the value; everything else is left as it is.
#include "tools/cmd_config.h"

#include "base/option_forms.h"
#include "base/output.h"
#include "gpgpu-sim/gpu.h"
#include "tools/config_args.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usage[] =
	"usage: heddle config new NAME --from CONFIG [--sms N] [--clock MHZ] [--bus BITS] [--bandwidth GB/S] [--l2 MB]\n"
	"                         [--memory GB] [--gpu-name TEXT] [-option value]...\n"
	"\n"
	"Writes NAME/gpgpusim.config: the GPU of another configuration (a file, its folder, or a name from configs/) with what\n"
	"is asked for. What follows from that is derived, and its rule stands beside it; all else is left as it is there.\n"
	"  --sms N           streaming multiprocessors\n"
	"  --clock MHZ       core clock; interconnect and L2 keep their ratio to it\n"
	"  --bus BITS        width of the memory bus; channels keep their width, and L2 its slices at each channel\n"
	"  --bandwidth GB/S  of DRAM, by its clock\n"
	"  --l2 MB           size of L2, by the ways of its slices\n"
	"  --memory GB       size of DRAM\n"
	"  --gpu-name TEXT   what programs see; NAME without\n"
	"  -option value     any other option\n";

// What is asked for; 0: not.
struct wish {
	const char *name, *from, *gpu_name;
	double sms, clock, bus, bandwidth, l2, memory;
};

// A value that differs from that of the GPU it was made from, and the rule.
struct derived {
	enum option_id id;
	char value[512];
	char rule[512];
};

struct new_config {
	struct wish wish;
	struct config_args args;
	struct options base, o;
	struct derived derived[8];
	unsigned n;
	unsigned nodes_before;
};

static struct derived *derive(struct new_config *c, enum option_id id, const char *value)
{
	struct derived *x = &c->derived[c->n++];
	x->id = id;
	snprintf(x->value, sizeof x->value, "%s", value);
	return x;
}

#define RULE(x, ...) snprintf((x)->rule, sizeof (x)->rule, __VA_ARGS__)

static bool refuse(struct diag *d, const char *fmt, ...)
{
	char text[512];
	va_list va;
	va_start(va, fmt);
	vsnprintf(text, sizeof text, fmt, va);
	va_end(va);
	diag_add(d, DIAG_ERROR, "%s", text);
	return false;
}

static unsigned nodes(const struct options *o)
{
	return o->gpgpu_n_clusters + o->gpgpu_n_mem * o->gpgpu_n_sub_partition_per_mchannel;
}

static double channel_bytes(const struct options *o) // in a tick of the command clock
{
	return (double)o->gpgpu_n_mem_per_ctrlr * o->gpgpu_dram_buswidth * o->dram_data_command_freq_ratio;
}

static bool derive_sms(struct new_config *c, struct diag *d)
{
	unsigned each = c->base.gpgpu_n_cores_per_cluster;
	if (!c->wish.sms)
		return true;
	if (c->wish.sms != floor(c->wish.sms) || fmod(c->wish.sms, each) != 0)
		return refuse(d, "--sms %g: %s has clusters of %u SMs, so the number is a multiple of %u", c->wish.sms, c->wish.from, each, each);
	char value[32];
	snprintf(value, sizeof value, "%.0f", c->wish.sms / each);
	RULE(derive(c, OPT_gpgpu_n_clusters, value), "%.0f SMs in clusters of %u, which are those of %s", c->wish.sms, each, c->wish.from);
	return true;
}

// The memory channels that the bus is made of.
static bool derive_channels(struct new_config *c, double *channels, struct diag *d)
{
	unsigned width = 8 * c->base.gpgpu_dram_buswidth * c->base.gpgpu_n_mem_per_ctrlr;
	*channels = c->base.gpgpu_n_mem;
	if (!c->wish.bus)
		return true;
	*channels = c->wish.bus / width;
	if (*channels != floor(*channels))
		return refuse(d, "--bus %g: %s has channels of %u bits, so the width is a multiple of %u", c->wish.bus, c->wish.from, width, width);
	char value[32];
	snprintf(value, sizeof value, "%.0f", *channels);
	RULE(derive(c, OPT_gpgpu_n_mem, value), "%.0f bits in channels of %u, which are those of %s; with %u L2 slice%s at each as there",
	     c->wish.bus, width, c->wish.from, c->base.gpgpu_n_sub_partition_per_mchannel,
	     c->base.gpgpu_n_sub_partition_per_mchannel == 1 ? "" : "s");
	return true;
}

static bool derive_clocks(struct new_config *c, double channels, struct diag *d)
{
	uint64_t hz[CLOCKS_N];
	struct form_error err;
	if (!c->wish.clock && !c->wish.bandwidth)
		return true;
	if (!form_clocks(c->base.gpgpu_clock_domains, hz, &err))
		return refuse(d, "-gpgpu_clock_domains of %s: %s", c->wish.from, err.why);
	double ratio = c->wish.clock ? c->wish.clock * 1e6 / (double)hz[CLOCK_CORE] : 1;
	double mhz[CLOCKS_N];
	for (int i = 0; i < CLOCKS_N; i++)
		mhz[i] = (double)hz[i] / 1e6 * (i == CLOCK_DRAM ? 1 : ratio);
	if (c->wish.bandwidth)
		mhz[CLOCK_DRAM] = c->wish.bandwidth * 1e3 / (channels * channel_bytes(&c->base));
	char value[128], core[160] = "core, interconnect and L2 as there", dram[192] = "DRAM as there";
	snprintf(value, sizeof value, "%.10g:%.10g:%.10g:%.10g", mhz[CLOCK_CORE], mhz[CLOCK_ICNT], mhz[CLOCK_L2], mhz[CLOCK_DRAM]);
	if (c->wish.clock)
		snprintf(core, sizeof core, "core %.10g MHz; interconnect and L2 %.10g and %.10g times that, as there", mhz[CLOCK_CORE],
		         mhz[CLOCK_ICNT] / mhz[CLOCK_CORE], mhz[CLOCK_L2] / mhz[CLOCK_CORE]);
	if (c->wish.bandwidth)
		snprintf(dram, sizeof dram, "DRAM %.10g GB/s / (%.0f channels x %.0f bytes a command clock)", c->wish.bandwidth, channels,
		         channel_bytes(&c->base));
	RULE(derive(c, OPT_gpgpu_clock_domains, value), "%s; %s", core, dram);
	return true;
}

// A slice keeps its line, and as far as it goes its sets: those of the powers of two around them, with which the size comes
// out, whose number of ways is nearest to what it was.
static bool derive_l2(struct new_config *c, double channels, struct diag *d)
{
	struct cache_form form;
	struct form_error err;
	const char *was = c->base.gpgpu_cache_dl2;
	if (!c->wish.l2)
		return true;
	if (!form_cache(was, &form, &err) || !form.present)
		return refuse(d, "--l2: %s has no L2 that can be made larger or smaller", c->wish.from);
	double slices = channels * c->base.gpgpu_n_sub_partition_per_mchannel, slice = c->wish.l2 * 1048576 / slices;
	// The hashes of set numbers are made for so many sets (gpgpu-sim/cache/set_index.c).
	double least = form.index == 'P' ? 16 : form.index == 'H' ? 32 : 1, most = form.index == 'P' ? 128 : form.index == 'H' ? 64 : 65536;
	uint32_t sets = 0, ways = 0;
	for (int shift = 0; shift < 13; shift++) { // 0, 1, -1, 2, -2 ...
		int by = shift % 2 ? (shift + 1) / 2 : -shift / 2;
		double s = by >= 0 ? (double)form.sets * (1 << by) : (double)form.sets / (1 << -by), w = slice / (s * form.line);
		bool fits = s >= least && s <= most && s == floor(s) && w >= 1 && w == floor(w) && w <= 256;
		if (fits && (!sets || fabs(log2(w / form.ways)) < fabs(log2((double)ways / form.ways)) - 0.5)) {
			sets = (uint32_t)s;
			ways = (uint32_t)w;
		}
	}
	if (!sets)
		return refuse(d, "--l2 %g: %.0f slices of %.10g KB cannot be made of lines of %u bytes in sets like those of %s", c->wish.l2, slices,
		              slice / 1024, form.line, c->wish.from);
	char value[512];
	snprintf(value, sizeof value, "%c:%u:%u:%u%s", form.kind, sets, form.line, ways, strchr(was, ','));
	RULE(derive(c, OPT_gpgpu_cache_dl2, value), "%.10g MB in %.0f slices (channels x slices at each) of %.10g KB: %u sets of %u lines of %u bytes",
	     c->wish.l2, slices, slice / 1024, sets, ways, form.line);
	return true;
}

static void derive_rest(struct new_config *c)
{
	char value[512];
	if (c->wish.memory) {
		snprintf(value, sizeof value, "%.0f", c->wish.memory * 1024);
		RULE(derive(c, OPT_gpu_memory_mb, value), "%.10g GB", c->wish.memory);
	}
	const char *name = c->wish.gpu_name;
	if (!name) {
		const char *slash = strrchr(c->wish.name, '/');
		name = slash ? slash + 1 : c->wish.name;
	}
	RULE(derive(c, OPT_gpu_name, name), "what programs see");
}

// The configuration with what is asked for. False with errors.
static bool make(struct new_config *c, struct diag *d)
{
	double channels;
	struct diag quiet = {0}; // what there is to say of the file it is made from was said at the first reading
	bool ok = config_args_read(&c->args, &c->base, d) && derive_sms(c, d) && derive_channels(c, &channels, d) &&
	          derive_clocks(c, channels, d) && derive_l2(c, channels, d);
	if (!ok)
		return false;
	derive_rest(c);
	config_args_read(&c->args, &c->o, &quiet);
	diag_free(&quiet);
	for (unsigned i = 0; i < c->n; i++) {
		char *words[] = {(char *)option_info(c->derived[i].id)->name, c->derived[i].value};
		ok &= options_parse_args(&c->o, 2, words, d);
	}
	c->nodes_before = nodes(&c->base);
	return ok;
}

static bool is_derived(const struct new_config *c, enum option_id id)
{
	for (unsigned i = 0; i < c->n; i++)
		if (c->derived[i].id == id)
			return true;
	return false;
}

static void write_option(const struct options *o, enum option_id id, FILE *to)
{
	char value[4096];
	fprintf(to, "%s %s\n", option_info(id)->name, options_value(o, id, value, sizeof value));
}

static void write_head(const struct new_config *c, FILE *to)
{
	const struct wish *w = &c->wish;
	fprintf(to, "# %s, made from %s: heddle config new", w->name, w->from);
	const struct { const char *name; double value; } asked[] = {{"--sms", w->sms},             {"--clock", w->clock}, {"--bus", w->bus},
	                                                            {"--bandwidth", w->bandwidth}, {"--l2", w->l2},       {"--memory", w->memory}};
	for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
		if (asked[i].value)
			fprintf(to, " %s %.10g", asked[i].name, asked[i].value);
	uint64_t hz[CLOCKS_N];
	struct form_error err;
	struct cache_form l2;
	double slices = (double)c->o.gpgpu_n_mem * c->o.gpgpu_n_sub_partition_per_mchannel;
	fprintf(to, "\n#\n# It has %u SMs", c->o.gpgpu_n_clusters * c->o.gpgpu_n_cores_per_cluster);
	if (form_clocks(c->o.gpgpu_clock_domains, hz, &err))
		fprintf(to, " at %.10g MHz, %.4g GB/s of DRAM", hz[CLOCK_CORE] / 1e6, c->o.gpgpu_n_mem * channel_bytes(&c->o) * hz[CLOCK_DRAM] / 1e9);
	if (form_cache(c->o.gpgpu_cache_dl2, &l2, &err))
		fprintf(to, ", %.4g MB of L2", slices * l2.sets * l2.line * l2.ways / 1048576);
	fprintf(to, ".\n# Nothing was measured on it. Latencies and DRAM timings are left in cycles, so that at another clock they are other times.\n");
}

// What the file that it was made from sets, by group of the options.
static void write_left(const struct new_config *c, FILE *to)
{
	const char *group = "";
	for (int id = 0; id < OPTION_COUNT; id++) {
		const struct option_info *info = option_info(id);
		if (c->o.origin[id].source != FROM_FILE || is_derived(c, id))
			continue;
		if (strcmp(group, info->group))
			fprintf(to, "\n## Left as %s has it, whose file says where it comes from: %s\n", c->wish.from, info->group);
		group = info->group;
		fprintf(to, "# %s%s%s%s\n", info->help, *info->unit ? " In " : "", info->unit, *info->unit ? "." : "");
		write_option(&c->o, id, to);
	}
}

static void write_config(const struct new_config *c, FILE *to)
{
	write_head(c, to);
	fprintf(to, "\n## Derived from what was asked for\n");
	for (unsigned i = 0; i < c->n; i++) {
		char was[4096];
		fprintf(to, "# %s. %s has %s.\n", c->derived[i].rule, c->wish.from, options_value(&c->base, c->derived[i].id, was, sizeof was));
		write_option(&c->o, c->derived[i].id, to);
	}
	bool head = false;
	for (int id = 0; id < OPTION_COUNT; id++)
		if (c->o.origin[id].source == FROM_COMMAND_LINE && !is_derived(c, id)) {
			fprintf(to, "%s# %s\n", head ? "" : "\n## Set as it was asked for\n", option_info(id)->help);
			write_option(&c->o, id, to);
			head = true;
		}
	write_left(c, to);
}

// Copies a file of text; `nodes` is not 0: a network of one stage gets so many inputs and outputs.
static bool copy(const char *from, const char *folder, unsigned nodes, struct diag *d)
{
	char to[PATH_MAX], line[4096];
	const char *slash = strrchr(from, '/');
	snprintf(to, sizeof to, "%s/%s", folder, slash ? slash + 1 : from);
	FILE *in = fopen(from, "r"), *out = in ? output_open(to) : NULL;
	bool ok = out, stages = false;
	while (ok && fgets(line, sizeof line, in)) {
		unsigned n;
		if (sscanf(line, " n = %u", &n) == 1)
			stages = n == 1;
		if (nodes && sscanf(line, " k = %u", &n) == 1)
			fprintf(out, "k = %u;\n", nodes);
		else
			fputs(line, out);
	}
	ok = ok && !ferror(in) && !fflush(out);
	if (!ok)
		refuse(d, "cannot copy %s to %s: %s", from, to, strerror(errno));
	else if (nodes && !stages)
		ok = refuse(d, "%s is not a network of one stage, whose size could be changed; give -network_mode 2, the crossbar", from);
	if (in)
		fclose(in);
	if (out)
		fclose(out);
	return ok;
}

// What is beside the configuration it was made from and belongs to it.
static bool copy_beside(struct new_config *c, struct diag *d)
{
	char beside[PATH_MAX];
	snprintf(beside, sizeof beside, "%s", c->args.file.at[0]); // an absolute path
	snprintf(strrchr(beside, '/') + 1, sizeof beside - (size_t)(strrchr(beside, '/') + 1 - beside), "trace.config");
	if (!access(beside, R_OK) && !copy(beside, c->wish.name, 0, d))
		return false;
	const char *network = c->o.network_mode == 1 ? options_file(&c->o, OPT_inter_config_file) : NULL;
	return !network || copy(network, c->wish.name, nodes(&c->o) == c->nodes_before ? 0 : nodes(&c->o), d);
}

// Whether what was written makes a GPU.
static bool check(const char *path, struct diag *d)
{
	struct options o = {0};
	struct gpu_desc desc;
	options_defaults(&o);
	bool ok = options_load(&o, path, d) && gpu_desc_from_options(&desc, &o, d) && gpu_possible(&o, &desc, !o.gpgpu_ptx_sim_mode, d);
	options_free(&o);
	return ok;
}

static void remove_folder(const char *name)
{
	char path[PATH_MAX];
	struct dirent *e;
	DIR *folder = opendir(name);
	while (folder && (e = readdir(folder)))
		if (snprintf(path, sizeof path, "%s/%s", name, e->d_name) < (int)sizeof path)
			unlink(path);
	if (folder)
		closedir(folder);
	rmdir(name);
}

static bool write_files(struct new_config *c, const char *path, struct diag *d)
{
	FILE *to = output_open(path);
	bool ok = to;
	if (to) {
		write_config(c, to);
		ok = !fflush(to) && !ferror(to);
		fclose(to);
	}
	if (!ok)
		return refuse(d, "cannot write %s: %s", path, strerror(errno));
	return copy_beside(c, d) && check(path, d);
}

// The folder is there as a whole and makes a GPU, or it is not there.
static bool write_folder(struct new_config *c, struct diag *d)
{
	const char *name = c->wish.name;
	char path[PATH_MAX];
	if (snprintf(path, sizeof path, "%s/gpgpusim.config", name) >= (int)sizeof path)
		return refuse(d, "the name is too long");
	if (mkdir(name, 0777))
		return refuse(d, "cannot make the folder %s: %s", name, strerror(errno));
	if (!write_files(c, path, d)) {
		remove_folder(name);
		return false;
	}
	printf("%s: made from %s; 'heddle config diff %s %s' shows what differs\n", path, c->wish.from, c->wish.from, name);
	return true;
}

// A word of `wish` and its value. How many words that was: 0 if it is another, -1 with an error.
static int take(struct wish *w, int argc, char **argv, int i, struct diag *d)
{
	const struct { const char *name; double *number; const char **text; } words[] = {
		{"--from", NULL, &w->from},  {"--gpu-name", NULL, &w->gpu_name},  {"--sms", &w->sms, NULL}, {"--clock", &w->clock, NULL},
		{"--bus", &w->bus, NULL}, {"--bandwidth", &w->bandwidth, NULL}, {"--l2", &w->l2, NULL},   {"--memory", &w->memory, NULL},
	};
	for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
		if (strcmp(argv[i], words[k].name))
			continue;
		char *end;
		if (i + 1 == argc)
			return refuse(d, "%s needs a value behind it", argv[i]) - 1;
		if (words[k].text) {
			*words[k].text = argv[i + 1];
			return 2;
		}
		*words[k].number = strtod(argv[i + 1], &end);
		if (*end || !(*words[k].number > 0 && *words[k].number < 1e7))
			return refuse(d, "%s %s: a number above 0 belongs there", argv[i], argv[i + 1]) - 1;
		return 2;
	}
	if (!strncmp(argv[i], "--", 2))
		return refuse(d, "no option '%s'; 'heddle config new --help' lists them", argv[i]) - 1;
	return 0;
}

static bool take_all(struct new_config *c, int argc, char **argv, struct diag *d)
{
	bool ok = true;
	for (int i = 1; i < argc && ok;) {
		int n = take(&c->wish, argc, argv, i, d);
		if (n == 0 && argv[i][0] != '-' && !c->wish.name) {
			c->wish.name = argv[i];
			n = 1;
		}
		if (n == 0) {
			n = config_args_take(&c->args, argc, argv, i, d);
			if (n == 0)
				n = refuse(d, "'%s' belongs nowhere: heddle config new NAME --from CONFIG", argv[i]) - 1;
		}
		ok = n > 0;
		i += n;
	}
	if (ok && (!c->wish.name || !c->wish.from))
		return refuse(d, "heddle config new wants a name and what to make it from: heddle config new NAME --from CONFIG");
	struct stat st;
	if (ok && !lstat(c->wish.name, &st))
		return refuse(d, "%s is there already", c->wish.name);
	if (ok && c->args.file.n)
		return refuse(d, "a configuration is made from one other, that of --from");
	char *from[] = {"new", "-c", (char *)c->wish.from};
	return ok && config_args_take_all(&c->args, 3, from, d);
}

int config_new(int argc, char **argv)
{
	if (argc == 1 || (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))) {
		fputs(usage, argc == 1 ? stderr : stdout);
		return argc == 1 ? 2 : 0;
	}
	struct new_config c = {0};
	struct diag d = {0};
	bool ok = take_all(&c, argc, argv, &d) && make(&c, &d) && write_folder(&c, &d);
	if (!ok || d.warnings)
		diag_print(&d);
	diag_free(&d);
	options_free(&c.base);
	options_free(&c.o);
	config_args_free(&c.args);
	return ok ? 0 : 2;
}
