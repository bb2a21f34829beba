// What the options say about DRAM, checked, and the schedulers to choose from. It stands above the channel (dram.c) and the
// schedulers, which need each other's functions but not this list.
#include "gpgpu-sim/memory/addr_hash.h"
#include "gpgpu-sim/memory/dram_sched.h"

const struct dram_sched_ops *const dram_schedulers[] = {&dram_fifo, &dram_frfcfs};
const unsigned dram_n_schedulers = sizeof dram_schedulers / sizeof *dram_schedulers;

static bool refuse(struct diag *d, const char *what)
{
	diag_add(d, DIAG_ERROR, "%s", what);
	return false;
}

bool dram_config_init(struct dram_config *c, const struct options *o, struct diag *d)
{
	struct form_error err;
	int64_t w[3];
	size_t n;
	*c = (struct dram_config){.CL = 0};
	if (!form_dram_timing(o->gpgpu_dram_timing_opt, &c->form, &err)) {
		diag_add(d, DIAG_ERROR, "-gpgpu_dram_timing_opt: %s", err.why);
		return false;
	}
	if (!form_numbers(o->dram_write_queue_size, ':', w, 3, &n, &err) || n != 3)
		return refuse(d, "-dram_write_queue_size: three numbers, size:high:low");
	if (c->form.nbk > DRAM_MAX_BANKS)
		return refuse(d, "-gpgpu_dram_timing_opt: nbk is at most 64 banks a channel");
	if (c->form.nbk % o->gpgpu_n_sub_partition_per_mchannel)
		return refuse(d, "-gpgpu_dram_timing_opt: nbk is a multiple of -gpgpu_n_sub_partition_per_mchannel");
	c->bank_indexing = o->dram_bnk_indexing_policy;
	if (c->bank_indexing == DRAM_BANKS_IPOLY && !addr_hash_has_ipoly(c->form.nbk))
		return refuse(d, "-dram_bnk_indexing_policy 2: IPOLY exists for 16, 32 and 64 banks");
	c->write_split = o->dram_seperate_write_queue_enable;
	c->completes = o->dram_completes_sectors;
	c->write_queue = w[0];
	c->write_high = w[1];
	c->write_low = w[2];
	if (c->write_split && (w[0] < 1 || w[1] < 1 || w[1] > w[0] || w[2] > w[1]))
		return refuse(d, "-dram_write_queue_size: size >= high >= low, high at least 1");
	c->burst = o->gpgpu_dram_burst_length / o->dram_data_command_freq_ratio;
	c->atom = o->gpgpu_dram_burst_length * o->gpgpu_dram_buswidth * o->gpgpu_n_mem_per_ctrlr;
	c->bus_bytes = o->gpgpu_dram_buswidth;
	c->burst_length = o->gpgpu_dram_burst_length;
	c->CL = c->form.CL;
	c->WL = c->form.WL;
	c->returns = o->gpgpu_dram_return_queue_size ? o->gpgpu_dram_return_queue_size : 1024;
	c->queue = o->gpgpu_frfcfs_dram_sched_queue_size;
	c->dual_bus = o->dram_dual_bus_interface;
	c->latency_stat = o->gpgpu_memlatency_stat;
	c->position_stat = o->gpgpu_memlatency_stat & 2;
	c->sched = dram_schedulers[o->gpgpu_dram_scheduler];
	c->timing.low_group_bits = o->dram_bnkgrp_indexing_policy == 1;
	dram_timing_rules(&c->timing, &c->form, c->burst, o->dram_elimnate_rw_turnaround);
	return true;
}
