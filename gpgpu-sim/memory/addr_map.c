#include "gpgpu-sim/memory/addr_map.h"

#include "base/mem.h"
#include "base/option_forms.h"
#include "gpgpu-sim/memory/addr_hash.h"

enum { INDEX_NONE, INDEX_XOR, INDEX_IPOLY, INDEX_PAE, INDEX_RANDOM, INDEX_CUSTOM, INDEX_IPOLY_MODULO, INDEX_ROTATED };

// The bits of a mask squeezed together: each run of ones is one AND and one shift.
struct squeeze {
	unsigned n;
	struct {
		uint64_t mask;
		uint8_t shift;
	} run[32];
};

struct addr_map {
	int channel_bit;          // lowest bit of the channel number; -1 when D letters say which bits
	uint32_t n_channel, n_sub;
	uint32_t log2_channel, log2_sub; // rounded down
	uint32_t n_hashed;        // channels rounded up to a power of two
	bool gap;                 // the number of channels is not a power of two: divide instead of masking
	uint32_t indexing;
	uint8_t fold[3][256];     // IPOLY of each byte of the address bits above: the hash is linear
	struct squeeze channel, bank, row, column, offset, sub;
	// Places in a line differ in column and offset alone, in these bits, by the bits in which their addresses differ,
	// if plain_lines is set.
	bool plain_lines;
	uint8_t line_column[MEM_MAX_LINE], line_offset[MEM_MAX_LINE];
};

// Built-in maps of -gpgpu_mem_address_mask: masks before the channel bits are let in.
static const struct {
	int option, channel_bit;
	uint64_t bank, row, column;
} built_in[] = {
	{0, 10, 0x300, 0x7FFE000, 0x1CFF},
	{1, 13, 0x1800, 0x7FFE000, 0x7FF},
	{2, 11, 0x1800, 0x7FFE000, 0x7FF},
	{3, 11, 0x1800, 0xFFFE000, 0x7FF},
	{5, 5, 0x1800, 0x7FFE000, 0x7FF},
	{6, 6, 0x1800, 0x7FFE000, 0x7FF},
	{14, 14, 0x1800, 0x7FFE000, 0x7FF},
	{15, 15, 0x1800, 0x7FFE000, 0x7FF},
	{16, 16, 0x1800, 0x7FFE000, 0x7FF},
	{100, 1, 0x3, 0x7FFE000, 0x1FFC},
	{103, 3, 0x3, 0x7FFE000, 0x1FFC},
	{106, 6, 0x1800, 0x7FFE000, 0x7FF},
	{160, 6, 0x300, 0x7FFE000, 0x1CFF},
};

static struct squeeze squeeze_of(uint64_t mask)
{
	struct squeeze s = {0};
	unsigned kept = 0;
	while (mask) {
		unsigned low = __builtin_ctzll(mask);
		uint64_t rest = mask >> low;
		unsigned len = ~rest ? __builtin_ctzll(~rest) : 64;
		uint64_t ones = len == 64 ? UINT64_MAX : ((1ull << len) - 1) << low;
		s.run[s.n].mask = ones;
		s.run[s.n++].shift = low - kept;
		kept += len;
		mask &= ~ones;
	}
	return s;
}

static inline uint64_t squeezed(const struct squeeze *s, uint64_t v)
{
	uint64_t out = 0;
	for (unsigned i = 0; i < s->n; i++)
		out |= (v & s->run[i].mask) >> s->run[i].shift;
	return out;
}

// Moves the bits from `at` upwards by n, to let n channel bits in.
static uint64_t opened(uint64_t mask, int at, unsigned n)
{
	uint64_t below = (1ull << at) - 1;
	return (mask & ~below) << n | (mask & below);
}

static uint64_t low_bits(uint64_t mask, unsigned n)
{
	uint64_t out = 0;
	for (; n && mask; n--, mask &= mask - 1)
		out |= mask & -mask;
	return out;
}

// The masks of the configured map. Options were checked when they were read, so forms parse.
static bool masks(const struct options *o, struct address_map_form *f, struct diag *d)
{
	struct form_error err;
	if (o->gpgpu_mem_addr_mapping && *o->gpgpu_mem_addr_mapping) {
		if (form_address_map(o->gpgpu_mem_addr_mapping, f, &err))
			return true;
		diag_add(d, DIAG_ERROR, "-gpgpu_mem_addr_mapping: %s", err.why);
		return false;
	}
	for (unsigned i = 0; i < sizeof built_in / sizeof *built_in; i++)
		if (built_in[i].option == o->gpgpu_mem_address_mask) {
			*f = (struct address_map_form){.channel_bit = built_in[i].channel_bit, .bank = built_in[i].bank,
			                               .row = built_in[i].row, .column = built_in[i].column};
			return true;
		}
	diag_add(d, DIAG_ERROR, "-gpgpu_mem_address_mask %d: the built-in maps are 0, 1, 2, 3, 5, 6, 14, 15, 16, 100, 103, 106 and 160",
	         (int)o->gpgpu_mem_address_mask);
	return false;
}

static bool refuse(struct diag *d, const char *what)
{
	diag_add(d, DIAG_ERROR, "%s", what);
	return false;
}

static bool check(const struct addr_map *m, const struct address_map_form *f, struct diag *d)
{
	if (m->n_sub & (m->n_sub - 1))
		return refuse(d, "-gpgpu_n_sub_partition_per_mchannel: the number of L2 slices of a channel is a power of two");
	if (m->channel_bit < 0 && m->gap)
		return refuse(d, "-gpgpu_mem_addr_mapping: a map with D letters needs a power of two channels; use dramid@BIT");
	if (m->channel_bit < 0 && __builtin_popcountll(f->channel) > (int)m->log2_channel)
		return refuse(d, "-gpgpu_mem_addr_mapping: more D letters than -gpgpu_n_mem has channels for");
	switch (m->indexing) {
	case INDEX_XOR:
		return !m->gap || refuse(d, "-gpgpu_memory_partition_indexing 1: XOR needs a power of two channels");
	case INDEX_IPOLY:
	case INDEX_IPOLY_MODULO:
		return addr_hash_has_ipoly(m->n_hashed * m->n_sub) ||
		       refuse(d, "-gpgpu_memory_partition_indexing 2: IPOLY exists for 16, 32, 64 and 128 L2 slices "
		                 "(channels rounded up to a power of two, times slices of a channel)");
	case INDEX_PAE:
		return m->n_channel == 32 || refuse(d, "-gpgpu_memory_partition_indexing 3: PAE exists for 32 channels");
	default:
		return true;
	}
}

// -gpgpu_mem_addr_test: no two addresses may share a place. They do not exactly when no address bit belongs to two fields;
// a bit in no field is reported, because addresses that differ in it alone share a DRAM place.
static bool self_test(const struct address_map_form *f, uint64_t channel, struct diag *d)
{
	if ((f->bank & f->row) | (f->bank & f->column) | (f->row & f->column) | (channel & (f->bank | f->row | f->column)))
		return refuse(d, "-gpgpu_mem_addr_test: an address bit belongs to two of channel, bank, row and column");
	uint64_t all = f->bank | f->row | f->column | channel;
	uint64_t top = all ? UINT64_MAX >> __builtin_clzll(all) : 0;
	if (all != top)
		diag_add(d, DIAG_WARNING, "-gpgpu_mem_addr_test: address bits %#llx belong to no field; addresses that differ there alone share a DRAM place",
		         (unsigned long long)(top & ~all));
	return true;
}

static void make_fold(struct addr_map *m)
{
	for (unsigned i = 0; i < 3; i++)
		for (unsigned v = 0; v < 256; v++)
			m->fold[i][v] = addr_hash_ipoly((uint64_t)v << 8 * i, 0, m->n_hashed * m->n_sub);
}

// The lowest bits of an address belong to the column or to nothing, and all that channels are chosen by lies above them.
static void look_at_lines(struct addr_map *m, const struct address_map_form *f)
{
	const bool above = m->channel_bit >= 0 ? MEM_MAX_LINE <= 1ull << m->channel_bit >> m->log2_sub : m->indexing == INDEX_NONE;
	m->plain_lines = above && !((f->channel | f->bank | f->row) & (MEM_MAX_LINE - 1));
	for (unsigned i = 0; i < MEM_MAX_LINE; i++) {
		m->line_column[i] = (uint8_t)squeezed(&m->column, i);
		m->line_offset[i] = (uint8_t)squeezed(&m->offset, i);
	}
}

struct addr_map *addr_map_new(const struct options *o, struct diag *d)
{
	struct address_map_form f;
	if (!masks(o, &f, d))
		return NULL;
	struct addr_map *m = MEM_NEW(struct addr_map);
	m->n_channel = o->gpgpu_n_mem;
	m->n_sub = o->gpgpu_n_sub_partition_per_mchannel;
	m->log2_channel = 31 - __builtin_clz(m->n_channel);
	m->log2_sub = 31 - __builtin_clz(m->n_sub);
	m->gap = m->n_channel & (m->n_channel - 1);
	m->n_hashed = 1u << (m->log2_channel + m->gap);
	m->channel_bit = f.channel_bit;
	m->indexing = o->gpgpu_memory_partition_indexing;
	if (!check(m, &f, d)) {
		mem_free(m);
		return NULL;
	}
	if (m->channel_bit >= 0 && !m->gap) {
		f.bank = opened(f.bank, m->channel_bit, m->log2_channel);
		f.row = opened(f.row, m->channel_bit, m->log2_channel);
		f.column = opened(f.column, m->channel_bit, m->log2_channel);
		f.channel |= ((1ull << m->log2_channel) - 1) << m->channel_bit;
	}
	if (o->gpgpu_mem_addr_test && !self_test(&f, m->gap ? 0 : f.channel, d)) {
		mem_free(m);
		return NULL;
	}
	m->channel = squeeze_of(f.channel);
	m->bank = squeeze_of(f.bank);
	m->row = squeeze_of(f.row);
	m->column = squeeze_of(f.column);
	uint64_t sub_bits = low_bits(f.bank, m->log2_sub);
	m->sub = squeeze_of(sub_bits);
	m->offset = squeeze_of(m->gap ? ~sub_bits : ~(f.channel | sub_bits));
	if (m->indexing == INDEX_IPOLY || m->indexing == INDEX_IPOLY_MODULO)
		make_fold(m);
	look_at_lines(m, &f);
	return m;
}

void addr_map_free(struct addr_map *m) { mem_free(m); }

// With a number of channels that is no power of two the bits above channel_bit are divided by it: the remainder is the
// channel, the quotient takes their place.
static inline uint64_t without_channel(const struct addr_map *m, uint64_t addr)
{
	return (addr >> m->channel_bit) / m->n_channel << m->channel_bit | (addr & ((1ull << m->channel_bit) - 1));
}

// A fixed draw for each block of addresses (splitmix64's mixer). GPGPU-Sim draws at first touch, so that its map depends
// on the order of accesses.
static uint64_t mixed(uint64_t x)
{
	x += 0x9E3779B97F4A7C15;
	x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
	x = (x ^ x >> 27) * 0x94D049BB133111EB;
	return x ^ x >> 31;
}

static inline uint64_t shift_right(uint64_t v, int by) { return by < 0 ? v : v >> by; }

// The address with its channel taken out, if division does that.
static inline uint64_t rest_of(const struct addr_map *m, uint64_t addr) { return m->gap ? without_channel(m, addr) : addr; }

static inline void place_slice(const struct addr_map *m, uint64_t addr, uint64_t rest, struct mem_place *out)
{
	uint64_t high;
	uint32_t channel, sub = squeezed(&m->sub, rest);
	if (m->gap) {
		high = rest >> m->channel_bit;
		channel = (addr >> m->channel_bit) % m->n_channel;
	} else {
		high = shift_right(addr, m->channel_bit + (int)(m->log2_channel + m->log2_sub));
		channel = squeezed(&m->channel, addr);
	}
	uint32_t slice = channel * m->n_sub + sub;
	switch (m->indexing) {
	case INDEX_XOR:
		channel = addr_hash_xor(high, channel, m->n_channel);
		slice = channel * m->n_sub + sub;
		break;
	case INDEX_PAE:
		channel = addr_hash_pae(high, channel);
		slice = channel * m->n_sub + sub;
		break;
	case INDEX_IPOLY:
	case INDEX_IPOLY_MODULO:
		slice &= m->n_hashed * m->n_sub - 1;
		slice ^= m->fold[0][high & 255] ^ m->fold[1][high >> 8 & 255] ^ m->fold[2][high >> 16 & 255];
		if (m->gap)
			slice %= m->n_channel * m->n_sub;
		channel = slice / m->n_sub;
		break;
	case INDEX_RANDOM:
		slice = mixed(shift_right(addr, m->channel_bit - (int)m->log2_sub)) % (m->n_channel * m->n_sub);
		channel = slice / m->n_sub;
		break;
	default: // none; custom is the room for your own, and none until then
		break;
	}
	out->offset = squeezed(&m->offset, rest);
	if (m->indexing == INDEX_ROTATED) {
		slice = (slice + mixed(out->offset / MEM_MAX_LINE) % (m->n_channel * m->n_sub)) % (m->n_channel * m->n_sub);
		channel = slice / m->n_sub;
	}
	out->channel = channel;
	out->sub = slice;
}

void addr_map_slice(const struct addr_map *m, uint64_t addr, struct mem_place *out)
{
	place_slice(m, addr, rest_of(m, addr), out);
}

void addr_map_place(const struct addr_map *m, uint64_t addr, struct mem_place *out)
{
	uint64_t rest = rest_of(m, addr);
	place_slice(m, addr, rest, out);
	out->bank = squeezed(&m->bank, rest);
	out->row = squeezed(&m->row, rest);
	out->column = squeezed(&m->column, rest);
}

void addr_map_in_line(const struct addr_map *m, uint64_t from, uint64_t to, struct mem_place *place)
{
	HEDDLE_ASSERT(from / MEM_MAX_LINE == to / MEM_MAX_LINE);
	if (!m->plain_lines) {
		addr_map_place(m, to, place);
		return;
	}
	place->column ^= m->line_column[from ^ to];
	place->offset ^= m->line_offset[from ^ to];
}

unsigned addr_map_sub_partitions(const struct addr_map *m) { return m->n_channel * m->n_sub; }
