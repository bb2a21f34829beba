#include "libcuda/work/interrupt.h"

#include "cuda-sim/exec/inst_log.h"
#include "libcuda/context/context.h"
#include "libcuda/work/end.h"
#include "libcuda/context/stats_out.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static const int caught[] = {SIGINT, SIGTERM};

// A second signal ends the process at once, whatever the first one is waiting for.
static void on_signal(int sig)
{
	int none = 0;
	bool first = atomic_compare_exchange_strong(&cu.interrupt, &none, sig);
	if (first && atomic_load(&cu.interrupt_looks) && !atomic_load(&cu.forked))
		return;
	signal(sig, SIG_DFL);
	raise(sig); // when this handler returns
}

void interrupt_start(void)
{
	gpu_set_interrupt(cu.gpu, &cu.interrupt);
	for (unsigned i = 0; i < sizeof caught / sizeof *caught; i++) {
		struct sigaction had, ours = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
		sigemptyset(&ours.sa_mask);
		if (!sigaction(caught[i], NULL, &had) && !(had.sa_flags & SA_SIGINFO) && had.sa_handler == SIG_DFL)
			sigaction(caught[i], &ours, NULL);
	}
}

bool interrupt_seen(void) { return atomic_load(&cu.interrupt); }

void interrupt_look(bool on)
{
	atomic_store(&cu.interrupt_looks, on);
	if (interrupt_seen()) // it may have come while the flag still said that someone looks
		interrupt_end(NULL);
}

bool interrupt_takes(const struct kernel_launch *l) { return !l || l->fault.kind == FAULT_INTERRUPTED; }

static void put_stats(struct kernel_launch *l)
{
	if (!l)
		return;
	gpu_print_kernel_stats(cu.gpu, l, stats_out_sink, NULL);
	inst_log_end(cu.services.log, l, stats_out_sink, NULL);
}

_Noreturn void interrupt_end(struct kernel_launch *l)
{
	int sig = atomic_load(&cu.interrupt);
	put_stats(l);
	gpu_cut_off(cu.gpu, strsignal(sig));
	while (gpu_busy(cu.gpu))
		put_stats(gpu_run(cu.gpu, 1));
	char how[40];
	stats_out_rest();
	if (cu.next_launch)
		stats_out_put("GPGPU-Sim: *** simulation thread exiting ***\n");
	snprintf(how, sizeof how, "interrupted SIG%s", sigabbrev_np(sig));
	stats_out_end(how);
	end_output();
	fprintf(stderr, "heddle: %s; statistics of what was under way end at cycle %llu\n", strsignal(sig),
	        (unsigned long long)gpu_cycle(cu.gpu));
	sigset_t all;
	sigfillset(&all);
	signal(sig, SIG_DFL);
	kill(getpid(), sig);
	pthread_sigmask(SIG_UNBLOCK, &all, NULL);
	_exit(128 + sig);
}
