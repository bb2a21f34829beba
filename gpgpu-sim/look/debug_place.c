#include "gpgpu-sim/look/debug_place.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Addresses of code are small: isa_inst.pc counts from the start of a kernel.
#define CODE_END ((uint64_t)1 << 32)

static bool is_kernel_name(const char *s)
{
	return *s && !s[strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$.@")];
}

bool debug_place_parse(const char *place, struct debug_place *s, char *why, size_t len)
{
	const char *colon = strrchr(place, ':');
	char *end = NULL;
	*s = (struct debug_place){0};
	if (!strncmp(place, "cycle=", 6)) {
		s->kind = STOP_CYCLE;
		s->at = strtoull(place + 6, &end, 10);
		if (place[6] < '0' || place[6] > '9' || *end) {
			snprintf(why, len, "'%s' is no number of cycles", place + 6);
			return false;
		}
	} else if (!strncmp(place, "0x", 2) || !strncmp(place, "0X", 2)) {
		s->at = strtoull(place, &end, 16);
		s->kind = s->at < CODE_END ? STOP_CODE : STOP_DATA;
		if (!place[2] || *end) {
			snprintf(why, len, "'%s' is no address", place);
			return false;
		}
	} else if (!strncmp(place, "cycle:", 6)) {
		snprintf(why, len, "'%s' would be a line of a file called cycle; a cycle is written cycle=%s", place, place + 6);
		return false;
	} else if (colon && colon > place && colon[1]) {
		s->kind = STOP_LINE;
		s->at = strtoull(colon + 1, &end, 10);
		if (*end || !s->at) {
			snprintf(why, len, "'%s' is no line number", colon + 1);
			return false;
		}
		s->name = mem_strdup(place);
		s->name[colon - place] = 0;
	} else if (!is_kernel_name(place)) {
		snprintf(why, len, "'%s' is no place to stop; write cycle=N, FILE:LINE, 0xADDRESS or the name of a kernel", place);
		return false;
	} else {
		s->kind = STOP_KERNEL;
		s->name = mem_strdup(place);
	}
	return true;
}

void debug_place_free(struct debug_place *s) { mem_free(s->name); }

bool debug_place_ok(const char *place, char *why, size_t len)
{
	struct debug_place s;
	if (!debug_place_parse(place, &s, why, len))
		return false;
	debug_place_free(&s);
	return true;
}
