#include "libcuda/life/enter.h"

#include "libcuda/context/error.h"
#include "libcuda/context/output.h"
#include "libcuda/graph/capture.h"
#include "libcuda/image/patch.h"
#include "libcuda/life/contexts.h"

#include <stdio.h>

void cu_enter_registration(void)
{
	cu_lock();
	life_handlers();
}

void cu_leave_registration(void) { output_release(); }

cudaError_t cu_begin(enum cu_need need, const char *api)
{
	cu_thread.api = api;
	cu_thread.logged = false;
	if (cu_thread.in_host_function)
		return cudaErrorNotPermitted;
	if (atomic_load(&cu.forked))
		return cudaErrorInitializationError;
	if (atomic_load(&cu.watch.on_stdout))
		fflush(stdout); // what the program wrote before the call stands before what the call writes
	cu_lock();
	life_handlers();
	life_need(need);
	clock_gettime(CLOCK_MONOTONIC, &cu.last_call);
	cu.free_running = false;
	cudaError_t e = cu.state == CU_ENDED   ? cudaErrorCudartUnloading
	                : need == CU_CONTEXT   ? cu.sticky
	                                       : cudaSuccess;
	if (!e && cu.capture)
		e = capture_permits(api);
	if (e && need == CU_CONTEXT && e == cu.sticky)
		checks_api_error(error_name(e), error_text(e), (int)e);
	if (e && cu.watch.checks.check)
		output_release();
	else if (e)
		pthread_mutex_unlock(&cu.lock);
	return e;
}

cudaError_t *cu_last(const void *caller) { return &cu_thread.last[patch_copy_of(caller)]; }

cudaError_t cu_remember(cudaError_t e, const void *caller)
{
	if (e)
		*cu_last(caller) = e;
	return e;
}

cudaError_t cu_enter(enum cu_need need, const char *api, const void *caller)
{
	cu_thread.caller = caller;
	cudaError_t e = cu_begin(need, api);
	if (e)
		return cu_remember(e, caller);
	cu.initialised = true;
	if (need == CU_CONTEXT)
		context_use_primary();
	return cudaSuccess;
}

cudaError_t cu_leave(cudaError_t e)
{
	if (cu_remember(e, cu_thread.caller)) {
		checks_api_error(error_name(e), error_text(e), (int)e);
		if (e != cudaErrorNotReady)
			cu_log_failure(error_name(e), error_text(e));
	}
	output_release();
	return e;
}
