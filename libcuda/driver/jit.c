#include "libcuda/driver/jit.h"

#include "libcuda/context/guard.h"

#include <stdio.h>
#include <string.h>

// CUjit_option.
enum { INFO_BUFFER = 3, INFO_SIZE = 4, ERROR_BUFFER = 5, ERROR_SIZE = 6, LAST_OPTION = 35 };

cudaError_t jit_log_begin(struct jit_log *log, unsigned n, const int *options, void **values)
{
	memset(log, 0, sizeof *log);
	if (n && (!options || !values))
		return cudaErrorInvalidValue;
	log->values = values;
	for (unsigned i = 0; i < n; i++) {
		int option;
		void *value;
		if (!guard_read(&option, options + i, sizeof option) || !guard_read(&value, values + i, sizeof value) || option < 0 ||
		    option > LAST_OPTION)
			return cudaErrorInvalidValue;
		switch (option) {
		case INFO_BUFFER: log->info = value; break;
		case INFO_SIZE: log->info_room = (unsigned)(uintptr_t)value, log->info_value = i + 1; break;
		case ERROR_BUFFER: log->error = value; break;
		case ERROR_SIZE: log->error_room = (unsigned)(uintptr_t)value, log->error_value = i + 1; break;
		}
	}
	if ((log->info && !guard_writable(log->info, log->info_room)) || (log->error && !guard_writable(log->error, log->error_room)))
		return cudaErrorInvalidValue;
	return cudaSuccess;
}

// The number of bytes with the NUL takes the place of the room.
static void put(struct jit_log *log, char *to, size_t room, unsigned value, const char *text)
{
	size_t n = 0;
	if (to && room)
		n = (size_t)snprintf(to, room, "%s", text) + 1;
	if (value)
		log->values[value - 1] = (void *)(uintptr_t)(n > room ? room : n);
}

void jit_log_end(struct jit_log *log, struct diag *d)
{
	bool errors = d->errors;
	const char *text = d->text ? d->text : "";
	put(log, log->error, log->error_room, log->error_value, errors ? text : "");
	put(log, log->info, log->info_room, log->info_value, errors ? "" : text);
	if (errors && log->error && log->error_room)
		diag_free(d);
	else
		cu_print_diag(d);
}
