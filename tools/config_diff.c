// heddle config diff: the options in which two configurations differ, with both values and where each is set.
#include "tools/cmd_config.h"

#include "base/mem.h"
#include "tools/config_args.h"

#include <stdio.h>
#include <string.h>

static const char usage[] =
	"usage: heddle config diff A B [-option value]...\n"
	"\n"
	"Prints the options in which two configurations differ: files, their folders or names from configs/. Options behind\n"
	"them hold for both. The status is 0 if there is no difference, 1 if there is one, 2 if one of them is refused.\n";

enum { VALUE_ROOM = 1 << 16 }; // longer values are compared and shown as far as that

struct side {
	const char *given;
	struct options o;
	char value[VALUE_ROOM];
};

static bool read_side(struct side *s, int n_words, char **words, struct diag *d)
{
	struct config_args a = {0};
	char *file[] = {"diff", "-c", (char *)s->given};
	bool ok = config_args_take_all(&a, 3, file, d);
	ok = ok && config_args_take_all(&a, n_words + 1, words - 1, d) && config_args_read(&a, &s->o, d);
	config_args_free(&a);
	return ok;
}

static void print_side(const struct side *s, enum option_id id, char letter, int width)
{
	char source[4200];
	printf("    %c  %-*s  %s\n", letter, width, s->value, options_source(&s->o, id, source, sizeof source));
}

static unsigned print_differences(struct side *a, struct side *b)
{
	unsigned found = 0;
	printf("A: %s\nB: %s\n", a->given, b->given);
	for (int id = 0; id < OPTION_COUNT; id++) {
		const struct option_info *info = option_info(id);
		options_value(&a->o, id, a->value, VALUE_ROOM);
		options_value(&b->o, id, b->value, VALUE_ROOM);
		if (!strcmp(a->value, b->value))
			continue;
		found++;
		size_t width = strlen(a->value) > strlen(b->value) ? strlen(a->value) : strlen(b->value);
		printf("\n%s%s%s%s: %s\n", info->name, *info->unit ? " (" : "", info->unit, *info->unit ? ")" : "", info->help);
		print_side(a, id, 'A', (int)width);
		print_side(b, id, 'B', (int)width);
	}
	const char *cycles = options_hash(&a->o) == options_hash(&b->o) ? "; results and cycles are the same" : "";
	printf("%s%u option%s differ%s%s\n", found ? "\n" : "", found, found == 1 ? "" : "s", found == 1 ? "s" : "", cycles);
	return found;
}

int config_diff(int argc, char **argv)
{
	if (argc < 3 || argv[1][0] == '-' || argv[2][0] == '-') {
		bool asked = argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"));
		fputs(usage, asked ? stdout : stderr);
		return asked ? 0 : 2;
	}
	struct side *side = mem_alloc(2 * sizeof *side);
	struct diag d = {0};
	bool ok = true;
	for (int i = 0; i < 2; i++) {
		side[i] = (struct side){.given = argv[1 + i]};
		ok &= read_side(&side[i], argc - 3, argv + 3, &d);
	}
	unsigned found = ok ? print_differences(&side[0], &side[1]) : 0;
	diag_print(&d);
	diag_free(&d);
	for (int i = 0; i < 2; i++)
		options_free(&side[i].o);
	mem_free(side);
	return !ok ? 2 : found > 0;
}
