#include "libcuda/code/jit.h"

#include "libcuda/context/guard.h"

#include <string.h>

// CUjit_option.
enum {
	WALL_TIME = 2, INFO_BUFFER = 3, INFO_SIZE = 4, ERROR_BUFFER = 5, ERROR_SIZE = 6, SYMBOL_COUNT = 19, LAST_OPTION = 35
};

// The values of the sizes and of the time are written at the end.
static bool readable(const struct jit_options *o, unsigned i, int *option, void **value)
{
	return guard_read(option, o->option + i, sizeof *option) && guard_read(value, o->value + i, sizeof *value) && *option >= 0 &&
	       *option < LAST_OPTION;
}

cudaError_t jit_log_begin(struct jit_log *log, const struct jit_options *o)
{
	memset(log, 0, sizeof *log);
	if (o->n && (!o->option || !o->value))
		return cudaErrorInvalidValue;
	log->values = o->value;
	for (unsigned i = 0; i < o->n; i++) {
		int option;
		void *value;
		if (!readable(o, i, &option, &value))
			return cudaErrorInvalidValue;
		switch (option) {
		case WALL_TIME: log->time_value = i + 1; break;
		case INFO_BUFFER: log->info = value; break;
		case INFO_SIZE: log->info_room = (unsigned)(uintptr_t)value, log->info_value = i + 1; break;
		case ERROR_BUFFER: log->error = value; break;
		case ERROR_SIZE: log->error_room = (unsigned)(uintptr_t)value, log->error_value = i + 1; break;
		case SYMBOL_COUNT:
			if (!value)
				break;
			cu_complain("variables cannot be given addresses of the host (CU_JIT_GLOBAL_SYMBOL_ADDRESSES); copy to them");
			return cudaErrorNotSupported;
		}
	}
	if ((log->info && !guard_writable(log->info, log->info_room)) || (log->error && !guard_writable(log->error, log->error_room)) ||
	    ((log->info_value || log->error_value || log->time_value) && !guard_writable(o->value, o->n * sizeof *o->value)))
		return cudaErrorInvalidValue;
	return cudaSuccess;
}

// The number of bytes takes the place of the room: with the NUL, or 0 if there is nothing to tell.
static void put(const struct jit_log *log, char *to, size_t room, unsigned value, const char *text)
{
	size_t n = *text ? strlen(text) + 1 : 0, fits = n > room ? room : n;
	if (to && room && guard_write(to, text, fits))
		guard_write(to + (fits ? fits - 1 : 0), "", 1);
	void *written = (void *)(uintptr_t)(to ? fits : 0);
	if (value)
		guard_write(&log->values[value - 1], &written, sizeof written);
}

bool jit_log_write(const struct jit_log *log, const struct diag *d)
{
	static void *const no_time; // nothing is compiled: 0 as a float
	const char *text = d->text ? d->text : "";
	put(log, log->error, log->error_room, log->error_value, d->errors ? text : "");
	put(log, log->info, log->info_room, log->info_value, d->errors ? "" : text);
	if (log->time_value)
		guard_write(&log->values[log->time_value - 1], &no_time, sizeof no_time);
	return !d->errors || (log->error && log->error_room);
}

void jit_log_end(const struct jit_log *log, struct diag *d)
{
	if (jit_log_write(log, d) && d->errors)
		diag_free(d);
	else
		cu_print_diag(d);
}
