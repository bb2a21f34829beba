#include "libcuda/image/choice.h"

#include "base/options.h"

#include <stdio.h>
#include <string.h>

// The modern core issues by the control bits that only machine code has; users of the classic core expect GPGPU-Sim's PTX.

enum execute choice_of(const struct options *o)
{
	enum execute e = EXECUTE_DEFAULT;
	struct form_error err;
	form_execute(o->gpgpu_execute, &e, &err); // was checked when it was read
	if (e != EXECUTE_DEFAULT)
		return e;
	return options_modern_core(o) ? EXECUTE_AUTO : EXECUTE_PTX;
}

bool choice_suits(unsigned arch, bool exact, unsigned capability)
{
	return exact ? arch == capability : arch / 10 == capability / 10 && arch <= capability;
}

// sm_100a runs on sm_100 alone, sm_100f on all that sm_100 runs on.
static bool is_exact(const struct fatbin_entry *e) { return e->flags & FATBIN_ARCH_A; }

// Of code for one capability: what was compiled for more of its own features goes first.
static unsigned rank(const struct fatbin_entry *e) { return e->flags & FATBIN_ARCH_A ? 2 : e->flags & FATBIN_ARCH_F ? 1 : 0; }

const struct fatbin_entry *choice_cubin(const struct fatbin *f, unsigned container, unsigned capability)
{
	const struct fatbin_entry *best = NULL;
	for (size_t i = 0; i < f->entry.n; i++) {
		const struct fatbin_entry *e = &f->entry.at[i];
		if (e->container != container || e->kind != FATBIN_CUBIN || !choice_suits(e->arch, is_exact(e), capability))
			continue;
		if (!best || e->arch > best->arch || (e->arch == best->arch && rank(e) > rank(best)))
			best = e;
	}
	return best;
}

const char *choice_list(const struct fatbin *f, unsigned container, char *buf, size_t size)
{
	size_t at = 0, n = 0, left = 0;
	for (size_t i = 0; i < f->entry.n; i++)
		left += f->entry.at[i].container == container && f->entry.at[i].kind == FATBIN_CUBIN;
	for (size_t i = 0; i < f->entry.n && at < size; i++) {
		const struct fatbin_entry *e = &f->entry.at[i];
		char name[32];
		if (e->container != container || e->kind != FATBIN_CUBIN)
			continue;
		left--;
		at += (size_t)snprintf(buf + at, size - at, "%s%s", n++ == 0 ? "" : left ? ", " : " and ", fatbin_arch_name(e, name, sizeof name));
	}
	return n ? buf : NULL;
}

static bool only_later_ptx(const struct fatbin *f, unsigned capability)
{
	bool found = false;
	for (size_t i = 0; i < f->entry.n; i++) {
		const struct fatbin_entry *e = &f->entry.at[i];
		if (e->kind != FATBIN_PTX)
			continue;
		if (e->arch <= capability || !choice_cubin(f, e->container, capability))
			return false;
		found = true;
	}
	return found;
}

enum execute choice_for(const struct options *o, const struct fatbin *f, unsigned capability)
{
	enum execute asked = EXECUTE_DEFAULT;
	struct form_error err;
	form_execute(o->gpgpu_execute, &asked, &err);
	return asked == EXECUTE_DEFAULT && only_later_ptx(f, capability) ? EXECUTE_AUTO : choice_of(o);
}
