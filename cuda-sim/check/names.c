// What the tools are called.
#include "cuda-sim/check/check.h"

#include <string.h>

unsigned check_tool_of(const char *name, size_t len)
{
	static const struct {
		const char *name;
		unsigned bit;
	} tools[] = {{"memcheck", CHECK_MEMCHECK}, {"racecheck", CHECK_RACECHECK}, {"initcheck", CHECK_INITCHECK},
	             {"synccheck", CHECK_SYNCCHECK}, {"all", CHECK_ALL}};
	for (size_t k = 0; k < sizeof tools / sizeof *tools; k++)
		if (strlen(tools[k].name) == len && !memcmp(tools[k].name, name, len))
			return tools[k].bit;
	return 0;
}
