#include "libcuda/work/end.h"

#include "base/options.h"
#include "libcuda/checkpoint/checkpoint.h"
#include "libcuda/context/context.h"
#include "libcuda/context/observers.h"
#include "libcuda/context/output.h"
#include "libcuda/context/stats_out.h"
#include "libcuda/work/wait.h"

#include <stdlib.h>

void end_strays(void)
{
	struct diag d = {0};
	strays_end(&cu.strays, &d);
	cu_print_diag(&d);
}

void end_output(void)
{
	stats_out_flush();
	end_strays();
	checkpoint_end();
	watch_end();
	cu.state = CU_ENDED;
	output_release();
}

static _Noreturn void leave(void)
{
	if (cu.exiting) { // that thread goes on: exit is for one thread
		cu.at_limit = true;
		cu.sticky = cudaErrorUnknown;
		wait_check();
		for (;;)
			pthread_cond_wait(&cu.work, &cu.lock);
	}
	end_output();
	exit(1);
}

_Noreturn void end_at_limit(void)
{
	char how[100];
	stats_out_rest();
	stats_out_put("GPGPU-Sim: *** simulation thread exiting ***\n"
	              "GPGPU-Sim: ** break due to reaching the maximum cycles (or instructions) **\n"
	              "GPGPU-Sim: *** exit detected ***\n");
	snprintf(how, sizeof how, "limit %s", gpu_limit_reached(cu.gpu));
	stats_out_end(how);
	if (*cu.opt->stats_file) // or the statistics on standard output have said it
		fprintf(stderr, "heddle: %s is reached; the program ends here\n", gpu_limit_reached(cu.gpu));
	leave();
}

_Noreturn void end_at_error(void)
{
	stats_out_rest();
	stats_out_end("fault");
	leave();
}
