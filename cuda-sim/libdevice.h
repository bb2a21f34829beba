#include <stdint.h>
enum { LIBDEVICE_MAX_OUT = 3 };
struct libdevice_fn { const char *name; uint64_t (*fn)(const uint64_t *args, uint64_t *out); uint8_t n_arg; uint8_t out_bytes[8]; };
const struct libdevice_fn *libdevice_find(const char *name);
