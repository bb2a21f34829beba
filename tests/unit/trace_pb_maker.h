// Extended traces, written with protobuf-c and printf into a folder of their own, for the tests.
#ifndef TESTS_TRACE_PB_MAKER_H
#define TESTS_TRACE_PB_MAKER_H

#include "base/mem.h"
#include "base/vec.h"
#include "trace_pb.pb-c.h"

#include <check.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef VEC(ProtobufCBinaryData) pbm_list;

struct pbm_stream {
	int64_t device, id;
	Pb__Stream msg;
	VEC(Pb__Kernel *) kernel;
	VEC(char *) event;
};

struct pb_maker {
	char dir[64], path[160];     // path: of dynamic_trace.pb
	int32_t binary_version;
	char *json;
	size_t json_len;
	FILE *to;                    // json
	bool in_function, any_function, any_inst;
	struct pbm_stream stream[4];
	unsigned n_stream;
	pbm_list warp, inst;         // of the block, of the warp
	Pb__Instruction record;
	Pb__Address *address[4];
	bool in_record;
	int32_t warp_id, function;
};

static inline struct pb_maker *pbm_new(void)
{
	struct pb_maker *m = mem_alloc(sizeof *m);
	snprintf(m->dir, sizeof m->dir, "/tmp/heddle-pb-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(m->dir));
	snprintf(m->path, sizeof m->path, "%s/dynamic_trace.pb", m->dir);
	m->binary_version = 86;
	m->to = open_memstream(&m->json, &m->json_len);
	fputs("{\"benchmark_name\":\"test\",\"kernels\":[", m->to);
	return m;
}

static inline int pbm_remove(const char *path, const struct stat *st, int flag, struct FTW *f) { return remove(path); }

static inline void pbm_file(struct pb_maker *m, const char *name, const void *bytes, size_t n)
{
	char path[400];
	snprintf(path, sizeof path, "%s/%s", m->dir, name);
	for (char *p = path + strlen(m->dir) + 1; (p = strchr(p, '/')); *p++ = '/') {
		*p = 0;
		mkdir(path, 0700);
	}
	FILE *f = fopen(path, "wb");
	ck_assert_msg(f, "%s", path);
	ck_assert_uint_eq(n ? fwrite(bytes, 1, n, f) : 0, n);
	fclose(f);
}

// A packed message in memory of its own.
#define PBM_PACK(type, msg) ({ size_t n_ = pb__##type##__get_packed_size(msg); ProtobufCBinaryData d_ = {n_, mem_alloc(n_ + 1)}; \
	pb__##type##__pack((msg), d_.data); d_; })

static inline void pbm_free_list(pbm_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		mem_free(l->at[i].data);
	l->n = 0;
}

// --- static code

static inline void pbm_function(struct pb_maker *m, int id, uint64_t address, bool captured, const char *name)
{
	if (m->in_function)
		fputs("]}", m->to);
	fprintf(m->to, "%s{\"kernel_name\":\"%s\",\"architecture_version\":%d,\"is_captured_from_binary\":%s,\"unique_function_id\":%d,"
	        "\"function_address\":%llu,\"instructions\":[", m->any_function ? "," : "", name, m->binary_version,
	        captured ? "true" : "false", id,
	        (unsigned long long)address);
	m->in_function = m->any_function = true;
	m->any_inst = false;
}

static inline const char *pbm_type(const char *o)
{
	o += strspn(o, "-!~|");
	if (!strncmp(o, "desc[", 5)) return "DESC";
	if (!strncmp(o, "c[", 2)) return "CBANK";
	if (*o == '[') return "MREF";
	if (*o == '`') return "CALL_TARGET";
	if (!strncmp(o, "SR_", 3)) return "SR";
	if (!strncmp(o, "SB", 2) || *o == '{') return "SB";
	if (!strncmp(o, "UR", 2)) return "UREG";
	if (!strncmp(o, "UP", 2)) return "UPRED";
	return *o == 'R' ? "REG" : *o == 'P' ? "PRED" : *o == 'B' ? "BREG" : "IMM_UINT64";
}

// `FUNCTION: the target of a call.
static inline void pbm_operand(struct pb_maker *m, const char *o, bool first)
{
	const char *type = pbm_type(o), *digits = o + strcspn(o, "0123456789");
	bool reg = strstr(type, "REG") || strstr(type, "PRED") || *o == '`';
	fprintf(m->to, "%s{\"operand_string\":\"%s\",\"operand_type\":\"%s\",\"has_reg\":%s,\"is_negative_reg\":%s,\"is_absolute_reg\":false,"
	        "\"operand_reg_number\":%d,\"has_inmediate\":%s,\"operand_inmmediates\":[%s],\"is_reuse_bit_set\":%s,\"operand_modifiers\":[]}",
	        first ? "" : ",", o, type, reg ? "true" : "false", *o == '-' ? "true" : "false", reg ? atoi(digits) : 0, *o == '0' ? "true" : "false",
	        *o == '-' && o[1] == '0' ? "18446744073709553000.0" : *o == '0' ? "4.0" : "", strstr(o, ".reuse") ? "true" : "false");
}

// "@!P0 LDG.E R5, [R4.64+0x8]"; ctl: the control bits as the encoding has them, from bit 105 on.
static inline void pbm_inst(struct pb_maker *m, unsigned pc, const char *text, unsigned ctl)
{
	char copy[256], *p = copy, *op;
	bool guard = *text == '@', negated = guard && text[1] == '!',
		 uniform = guard && strchr(text, 'U') == text + 1 + negated;
	unsigned predicate = 0, rd = ctl >> 8 & 7, wr = ctl >> 5 & 7;
	snprintf(copy, sizeof copy, "%s", text);
	if (guard) {
		p = strchr(copy, ' ');
		predicate = p[-1] == 'T' ? 7 : (unsigned)(p[-1] - '0');
		p++;
	}
	op = p;
	p = strchr(p, ' ');
	if (p)
		*p++ = 0;
	fprintf(m->to, "%s{\"pc_string_hex\":\"%04x\",\"pc_num_dec\":%u,\"op_code\":\"%s\",\"is_predicated\":%s,\"is_uniform_predicate\":%s,"
	        "\"is_predicate_negate\":%s,\"predicate_register\":%u,\"num_destination_registers\":1,\"encoded_instruction\":[\"0x0000000000000000\","
	        "\"0x%016llx\"],\"operands\":[", m->any_inst ? "," : "", pc, pc, op, guard ? "true" : "false",
	        uniform ? "true" : "false",
	        negated ? "true" : "false", predicate, (unsigned long long)ctl << 41);
	for (bool first = true; p; first = false) {
		char *end = strstr(p, ", ");
		if (end)
			*end = 0;
		pbm_operand(m, p, first);
		p = end ? end + 2 : NULL;
	}
	fprintf(m->to, "],\"control_bits\":{\"stall_count\":%u,\"is_yield\":%s,\"is_new_read_barrier\":%s,\"is_new_write_barrier\":%s,"
	        "\"id_new_read_barrier\":%u,\"id_new_write_barrier\":%u,\"wait_barrier_bits\":%u},\"register_usage\":{\"num_regular\":1}}",
	        ctl & 15, ctl >> 4 & 1 ? "false" : "true", rd < 6 ? "true" : "false", wr < 6 ? "true" : "false", rd, wr, ctl >> 11 & 63);
	m->any_inst = true;
}

// --- launches

static inline struct pbm_stream *pbm_stream(struct pb_maker *m, int64_t device, int64_t id)
{
	for (unsigned i = 0; i < m->n_stream; i++)
		if (m->stream[i].device == device && m->stream[i].id == id)
			return &m->stream[i];
	struct pbm_stream *s = &m->stream[m->n_stream++];
	s->device = device;
	s->id = id;
	return s;
}

static inline void pbm_event(struct pb_maker *m, int64_t device, int64_t stream, const char *text)
{
	VEC_PUSH(&pbm_stream(m, device, stream)->event, mem_strdup(text));
}

static inline Pb__Dim *pbm_dim(int x, int y, int z)
{
	Pb__Dim *d = mem_alloc(sizeof *d);
	pb__dim__init(d);
	d->x = x;
	d->y = y;
	d->z = z;
	return d;
}

// Its launch too. Shared memory of 1 KiB, 32 registers.
static inline Pb__Kernel *pbm_kernel(struct pb_maker *m, int64_t device, int64_t stream, int id, int function, int grid,
                                     int block)
{
	char event[40];
	Pb__Kernel *k = mem_alloc(sizeof *k);
	pb__kernel__init(k);
	k->id = id;
	k->name = "k___0";
	k->function_unique_id = function;
	k->size_shared_memory = 1024;
	k->number_of_registers = 32;
	k->shared_memory_base_address = 0x7f0000000000;
	k->local_memory_base_address = 0x7f1000000000;
	k->grid_dim = pbm_dim(grid, 1, 1);
	k->block_dim = pbm_dim(block, 1, 1);
	VEC_PUSH(&pbm_stream(m, device, stream)->kernel, k);
	snprintf(event, sizeof event, "kernel-%d.trace", id);
	pbm_event(m, device, stream, event);
	return k;
}

// --- thread blocks

static inline void pbm_end_record(struct pb_maker *m)
{
	if (!m->in_record)
		return;
	VEC_PUSH(&m->inst, PBM_PACK(instruction, &m->record));
	for (size_t i = 0; i < m->record.n_addresses; i++) {
		mem_free(m->address[i]->addrs);
		mem_free(m->address[i]);
	}
	m->in_record = false;
}

static inline void pbm_record(struct pb_maker *m, uint32_t pc, uint32_t active, uint32_t predicate)
{
	pbm_end_record(m);
	pb__instruction__init(&m->record);
	m->record.pc = pc;
	m->record.active_mask = active;
	m->record.predicate_mask = predicate;
	m->record.function_unique_id = m->function;
	m->record.addresses = m->address;
	m->in_record = true;
}

static inline Pb__Address *pbm_address(struct pb_maker *m, int format, uint64_t base, int32_t stride)
{
	Pb__Address *a = mem_alloc(sizeof *a);
	pb__address__init(a);
	a->data_width = 4;
	a->udesc_value = 133;
	a->compression_format = format;
	a->base_address = base;
	a->stride = stride;
	m->address[m->record.n_addresses++] = a;
	return a;
}

static inline void pbm_addresses(struct pb_maker *m, int format, uint64_t base, const int64_t *v, size_t n)
{
	Pb__Address *a = pbm_address(m, format, base, 0);
	a->n_addrs = n;
	a->addrs = mem_alloc(n * sizeof *v + 1);
	if (n)
		memcpy(a->addrs, v, n * sizeof *v);
}

static inline void pbm_end_warp(struct pb_maker *m)
{
	pbm_end_record(m);
	Pb__Warp w = PB__WARP__INIT;
	w.id = m->warp_id;
	w.n_instructions = m->inst.n;
	w.instructions = m->inst.at;
	Pb__WarpEntry e = PB__WARP_ENTRY__INIT;
	e.key = m->warp_id++;
	e.value = PBM_PACK(warp, &w);
	VEC_PUSH(&m->warp, PBM_PACK(warp_entry, &e));
	mem_free(e.value.data);
	pbm_free_list(&m->inst);
}

static inline ProtobufCBinaryData pbm_pack_block(struct pb_maker *m, int x, int y, int z)
{
	Pb__ThreadBlock b = PB__THREAD_BLOCK__INIT;
	b.block_id = pbm_dim(x, y, z);
	b.n_warps = m->warp.n;
	b.warps = m->warp.at;
	ProtobufCBinaryData d = PBM_PACK(thread_block, &b);
	mem_free(b.block_id);
	pbm_free_list(&m->warp);
	m->warp_id = 0;
	return d;
}

static inline void pbm_end_block(struct pb_maker *m, int device, int stream, int kernel, int x, int y, int z)
{
	char name[200];
	ProtobufCBinaryData d = pbm_pack_block(m, x, y, z);
	snprintf(name, sizeof name, "threadblocks/device_%d/stream_%d/kernel_%d/d_%d_s_%d_k_%d_%d,%d,%d.pb", device, stream,
	         kernel, device, stream, kernel, x, y, z);
	pbm_file(m, name, d.data, d.len);
	mem_free(d.data);
}

// --- the files that remain

static inline ProtobufCBinaryData pbm_pack_trace(struct pb_maker *m)
{
	Pb__Trace t = PB__TRACE__INIT;
	Pb__DeviceEntry device[4], *devices[4];
	Pb__Device value[4];
	Pb__StreamEntry stream[4], *streams[4];
	t.name = "test";
	t.binary_version = m->binary_version;
	t.nvbit_version = "1.7.5";
	t.accelsim_version = 4;
	t.gpu_device = devices;
	for (unsigned i = 0; i < m->n_stream; i++) { // an entry each, as maps on the wire may have
		struct pbm_stream *s = &m->stream[i];
		pb__device_entry__init(&device[i]);
		pb__device__init(&value[i]);
		pb__stream_entry__init(&stream[i]);
		pb__stream__init(&s->msg);
		s->msg.id = s->id;
		s->msg.n_kernels = s->kernel.n;
		s->msg.kernels = s->kernel.at;
		s->msg.n_ordered_cuda_events = s->event.n;
		s->msg.ordered_cuda_events = s->event.at;
		stream[i].key = s->id;
		stream[i].value = &s->msg;
		streams[i] = &stream[i];
		value[i].id = (uint32_t)s->device;
		value[i].n_streams = 1;
		value[i].streams = &streams[i];
		device[i].key = s->device;
		device[i].value = &value[i];
		devices[i] = &device[i];
		t.n_gpu_device = i + 1;
	}
	return PBM_PACK(trace, &t);
}

// All but the thread blocks. `json`: instead of what was put together, if not NULL.
static inline void pbm_end(struct pb_maker *m, const char *json)
{
	if (m->to) {
		fputs(m->in_function ? "]}]}" : "]}", m->to);
		fclose(m->to);
		m->to = NULL;
	}
	ProtobufCBinaryData d = pbm_pack_trace(m);
	pbm_file(m, "dynamic_trace.pb", d.data, d.len);
	mem_free(d.data);
	pbm_file(m, "extra_info/enhanced_execution_info.json", json ? json : m->json, json ? strlen(json) : m->json_len);
}

static inline void pbm_free(struct pb_maker *m)
{
	if (m->to)
		fclose(m->to);
	free(m->json);
	for (unsigned i = 0; i < m->n_stream; i++) {
		struct pbm_stream *s = &m->stream[i];
		for (size_t k = 0; k < s->kernel.n; k++) {
			mem_free(s->kernel.at[k]->grid_dim);
			mem_free(s->kernel.at[k]->block_dim);
			mem_free(s->kernel.at[k]);
		}
		for (size_t k = 0; k < s->event.n; k++)
			mem_free(s->event.at[k]);
		VEC_FREE(&s->kernel);
		VEC_FREE(&s->event);
	}
	VEC_FREE(&m->warp);
	VEC_FREE(&m->inst);
	nftw(m->dir, pbm_remove, 16, FTW_DEPTH | FTW_PHYS);
	mem_free(m);
}

#endif
