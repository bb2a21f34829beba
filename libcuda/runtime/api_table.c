#include "libcuda/runtime/api_table.h"

enum { R9 = API_R9, R11 = API_R11, R12 = API_R12, R13 = API_R13 };

// A group's title applies to the rows below it; api_write_doc carries it on.
const struct api_entry api_table[] = {
#define GROUP(title) {NULL, title, false, 0},
#define DONE(name, releases) {#name, NULL, true, releases},
#define NOT_YET(name, releases) {#name, NULL, false, releases},
#include "libcuda/runtime/api.def"
};

const size_t api_table_size = sizeof api_table / sizeof *api_table;

static void write_releases(FILE *to, unsigned r)
{
	static const struct {
		unsigned bit;
		const char *name;
	} names[] = {{R9, "9"}, {R11, "11"}, {R12, "12"}, {R13, "13"}};
	const char *sep = "";
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (r & names[i].bit) {
			fprintf(to, "%s%s", sep, names[i].name);
			sep = " ";
		}
}

void api_write_doc(FILE *to)
{
	size_t done = 0, all = 0;
	for (size_t i = 0; i < api_table_size; i++) {
		all += api_table[i].name != NULL;
		done += api_table[i].done;
	}
	fprintf(to,
	        "# The CUDA runtime API\n\nMade from `libcuda/runtime/api.def`. Heddle exports %zu functions: all that libcudart "
	        "of "
	        "CUDA 11.8, 12.9 and 13.0 exports, and what older programs need. %zu are implemented. The others say once "
	        "on "
	        "standard error that they are missing and return `cudaErrorNotSupported`.\n",
	        all, done);
	for (size_t i = 0; i < api_table_size; i++) {
		const struct api_entry *e = &api_table[i];
		if (!e->name) {
			fprintf(to, "\n## %s\n\n| function | releases | |\n| --- | --- | --- |\n", e->group);
			continue;
		}
		fprintf(to, "| `%s` | ", e->name);
		write_releases(to, e->releases);
		fprintf(to, " | %s |\n", e->done ? "yes" : "not yet");
	}
}
