#include "libcuda/context/guard.h"

#include "libcuda/context/context.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct guard {
	sigjmp_buf back;
	const void *where;
};

// Found without the dynamic loader's help, which might allocate: a handler reads it in threads that never called us.
static _Thread_local struct guard *volatile current __attribute__((tls_model("initial-exec")));

// The thread sanitizer blocks all signals in a handler, whatever its mask says.
#ifdef __SANITIZE_THREAD__
enum { SAVE_MASK = 1 };
#else
enum { SAVE_MASK = 0 };
#endif

enum { N_SIGNALS = 2 };
static const int signals[N_SIGNALS] = {SIGSEGV, SIGBUS};
static struct sigaction before[N_SIGNALS];

// On a GPU registered pages cannot go away; here a kernel meets what the program has unmapped or protected since.
static void tell_registered(const void *at)
{
	if (!cu.thread_running || !pthread_equal(pthread_self(), cu.thread)) // who else may not look at the table
		return;
	const struct devmem_range *r = devmem_find(cu.mem, (uint64_t)(uintptr_t)at);
	char text[200];
	int n = snprintf(text, sizeof text, "heddle: error: a kernel touches %p, which the program registered with cudaHostRegister "
	                 "and has unmapped or protected since; call cudaHostUnregister first\n", at);
	if (r && r->kind == DEVMEM_REGISTERED && write(STDERR_FILENO, text, (size_t)n) < 0)
		return;
}

static void pass_on(int sig, siginfo_t *info, void *context)
{
	const struct sigaction *old = &before[sig == SIGSEGV ? 0 : 1];
	if (old->sa_flags & SA_SIGINFO) {
		old->sa_sigaction(sig, info, context);
	} else if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN) {
		old->sa_handler(sig);
	} else { // the instruction faults again when this handler returns; what another process sent does not
		signal(sig, SIG_DFL);
		if (info->si_code <= 0)
			raise(sig);
	}
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	struct guard *g = current;
	if (!g || info->si_code <= 0) {
		if (info->si_code > 0)
			tell_registered(info->si_addr);
		pass_on(sig, info, context);
		return;
	}
	g->where = info->si_addr;
	siglongjmp(g->back, 1);
}

static void take_signals(void)
{
	// The mask is as it was when the handler begins, so nothing needs to be restored when it is left by the jump.
	struct sigaction ours = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
	sigemptyset(&ours.sa_mask);
	for (int i = 0; i < N_SIGNALS; i++)
		sigaction(signals[i], &ours, &before[i]);
}

static pthread_once_t started = PTHREAD_ONCE_INIT;

void guard_start(void) { pthread_once(&started, take_signals); }

bool guard_run(void (*f)(void *arg), void *arg, const void **where)
{
	struct guard g;
	guard_start();
	if (sigsetjmp(g.back, SAVE_MASK)) {
		current = NULL;
		if (where)
			*where = g.where;
		return false;
	}
	// Nothing of f may move out from between, should the compiler see into it.
	current = &g;
	atomic_signal_fence(memory_order_seq_cst);
	f(arg);
	atomic_signal_fence(memory_order_seq_cst);
	current = NULL;
	return true;
}

struct transfer {
	void *to;
	const void *from;
	size_t n;
};

static void copy(void *arg)
{
	const struct transfer *t = arg;
	memcpy(t->to, t->from, t->n);
}

bool guard_read(void *to, const void *from, size_t n)
{
	struct transfer t = {to, from, n};
	return guard_run(copy, &t, NULL);
}

bool guard_write(void *to, const void *from, size_t n) { return guard_read(to, from, n); }

struct text {
	char *to;
	const char *from;
	size_t room;
	volatile bool whole;
};

static void copy_text(void *arg)
{
	struct text *t = arg;
	for (size_t i = 0; i < t->room && !t->whole; i++)
		t->whole = !(t->to[i] = t->from[i]);
}

bool guard_read_text(char *to, size_t room, const char *from)
{
	struct text t = {to, from, room, false};
	return from && guard_run(copy_text, &t, NULL) && t.whole;
}

struct measure {
	const char *from;
	size_t most;
	volatile size_t length;
};

static void measure_text(void *arg)
{
	struct measure *m = arg;
	m->length = strnlen(m->from, m->most);
}

size_t guard_text_length(const char *from, size_t most)
{
	struct measure m = {from, most, most};
	return from && guard_run(measure_text, &m, NULL) && m.length < most ? m.length : SIZE_MAX;
}

static void touch(void *arg)
{
	const struct transfer *t = arg;
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), p = (uintptr_t)t->to, end = p + t->n;
	for (; p < end; p = (p & ~(page - 1)) + page)
		__atomic_fetch_or((char *)p, 0, __ATOMIC_RELAXED);
}

bool guard_writable(void *p, size_t n)
{
	struct transfer t = {p, NULL, n};
	return guard_run(touch, &t, NULL);
}

bool guard_mapped(const void *p, size_t size)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)p & ~(page - 1);
	if ((uintptr_t)p + size < (uintptr_t)p)
		return false;
	return !msync((void *)first, (uintptr_t)p + size - first, MS_ASYNC) || errno != ENOMEM;
}
