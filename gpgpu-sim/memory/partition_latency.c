// Latencies of requests (-gpgpu_memlatency_stat). Channels count those of requests on their way to DRAM; those of
// answers are counted by whoever gives them to their SMs, which several threads do at the same time: each has a tally.
// What they count is put together when it is asked for.
#include "gpgpu-sim/memory/partition_state.h"

#include "base/mem.h"

#include <string.h>

struct bank_tally {
	uint64_t total, max; // of dram_bank_stats.mf_...
};

struct tally {
	_Alignas(64) struct memory_latency latency;
	struct bank_tally *bank; // of all channels
};

static struct bank_tally *banks_of(const struct memory *m, const struct tally *y, uint32_t channel)
{
	return y->bank + (size_t)channel * m->channel[channel].dram.stats.n_banks;
}

void memory_count_apart(struct memory *m, unsigned threads)
{
	tallies_free(m);
	m->n_tallies = threads;
	m->tally = mem_alloc_lines(threads * sizeof *m->tally);
	const size_t n_banks = (size_t)m->n_channels * m->channel[0].dram.stats.n_banks;
	for (uint32_t i = 0; i < threads; i++)
		m->tally[i].bank = mem_alloc_lines(n_banks * sizeof *m->tally[i].bank);
}

void tallies_free(struct memory *m)
{
	for (uint32_t i = 0; i < m->n_tallies; i++)
		mem_free(m->tally[i].bank);
	mem_free(m->tally);
}

void memory_count_answer(struct memory *m, unsigned by, const struct mem_req *r, uint64_t now)
{
	if (!m->latency_stat)
		return;
	struct memory_latency *l = &m->tally[by].latency;
	const uint32_t n_banks = m->channel[0].dram.stats.n_banks;
	struct bank_tally *b = &m->tally[by].bank[r->place.channel * n_banks + r->place.bank % n_banks];
	const uint64_t all = now - r->created, back = now - r->since;
	l->window_num++;
	l->window_total += all;
	l->mf_table[latency_bin(all)]++;
	if (all > l->max_mf)
		l->max_mf = all;
	b->total += all;
	if (all > b->max)
		b->max = all;
	l->tot_icnt2sh += back;
	l->icnt2sh_table[latency_bin(back)]++;
	if (back > l->max_icnt2sh)
		l->max_icnt2sh = back;
}

void tallies_take(struct memory *m, uint32_t channel)
{
	struct dram_stats *s = &m->channel[channel].dram.stats;
	for (uint32_t i = 0; i < m->n_tallies; i++) {
		struct bank_tally *b = banks_of(m, &m->tally[i], channel);
		for (uint32_t k = 0; k < s->n_banks; k++) {
			s->bank[k].mf_total_latency += b[k].total;
			if (b[k].max > s->bank[k].mf_max_latency)
				s->bank[k].mf_max_latency = b[k].max;
			b[k] = (struct bank_tally){0};
		}
	}
}

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

// What was counted in `l` since the last time goes to `to`.
static void take(struct memory_latency *to, struct memory_latency *l)
{
	if (!(l->tot_mrq_num | l->mrq_position[0] | l->tot_icnt2mem | l->icnt2mem_table[0] | l->window_num))
		return;
	to->max_mrq = larger(l->max_mrq, to->max_mrq);
	to->max_icnt2mem = larger(l->max_icnt2mem, to->max_icnt2mem);
	to->max_mf = larger(l->max_mf, to->max_mf);
	to->max_icnt2sh = larger(l->max_icnt2sh, to->max_icnt2sh);
	to->tot_mrq += l->tot_mrq;
	to->tot_mrq_num += l->tot_mrq_num;
	to->tot_icnt2mem += l->tot_icnt2mem;
	to->tot_icnt2sh += l->tot_icnt2sh;
	to->window_num += l->window_num;
	to->window_total += l->window_total;
	for (unsigned k = 0; k < LATENCY_BINS; k++) {
		to->mrq_table[k] += l->mrq_table[k];
		to->icnt2mem_table[k] += l->icnt2mem_table[k];
		to->mf_table[k] += l->mf_table[k];
		to->icnt2sh_table[k] += l->icnt2sh_table[k];
	}
	for (unsigned k = 0; k < STAT_POSITIONS; k++)
		to->mrq_position[k] += l->mrq_position[k];
	memset(l, 0, sizeof *l);
}

const struct memory_latency *memory_latency(struct memory *m)
{
	for (uint32_t i = 0; i < m->n_channels; i++)
		take(&m->latency, &m->channel[i].latency);
	for (uint32_t i = 0; i < m->n_tallies; i++)
		take(&m->latency, &m->tally[i].latency);
	return &m->latency;
}

void memory_sample_latency(struct memory *m)
{
	struct memory_latency *l = &m->latency;
	memory_latency(m);
	if (!l->window_num)
		return;
	l->mf_total += l->window_total;
	l->num_mfs += l->window_num;
	l->mf_pw_table[latency_bin(l->window_total / l->window_num)]++;
	l->window_total = l->window_num = 0;
}
