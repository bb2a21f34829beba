// From a device address to its place in DRAM: channel, bank, row, column, and the sub-partition that serves it.
// Options: -gpgpu_mem_addr_mapping, -gpgpu_mem_address_mask, -gpgpu_memory_partition_indexing, -gpgpu_n_mem,
// -gpgpu_n_sub_partition_per_mchannel. See docs/memory.md, "Address mapping".
#ifndef GPGPU_SIM_MEMORY_ADDR_MAP_H
#define GPGPU_SIM_MEMORY_ADDR_MAP_H

#include "base/diag.h"
#include "base/options.h"
#include "gpgpu-sim/request/mem_req.h"

struct addr_map;

struct addr_map *addr_map_new(const struct options *o, struct diag *d); // NULL with a message
void addr_map_free(struct addr_map *m);
void addr_map_place(const struct addr_map *m, uint64_t addr, struct mem_place *out);
// Only channel, sub and offset: where L2 keeps it.
void addr_map_slice(const struct addr_map *m, uint64_t addr, struct mem_place *out);
// `place` is that of address `from`; it becomes that of `to`, in the same 128 bytes.
void addr_map_in_line(const struct addr_map *m, uint64_t from, uint64_t to, struct mem_place *place);
unsigned addr_map_sub_partitions(const struct addr_map *m); // of the whole GPU

#endif
