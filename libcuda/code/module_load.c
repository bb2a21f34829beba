// What of a program's module is loaded: PTX, machine code, or a file in their place, and of each kernel the one that is executed.
#include "libcuda/code/module_parts.h"

#include "base/mem.h"
#include "base/options.h"
#include "base/output.h"
#include "cuda-sim/decode/kernel.h"
#include "cuda-sim/ptx/ptx.h"
#include "cuda-sim/runtime/builtin.h"
#include "cuda-sim/sass/exec/kernel.h"
#include "cuda-sim/simt/frontend.h"
#include "libcuda/texture/texture_object.h"
#include "libcuda/image/choice.h"
#include "libcuda/image/cubin_text.h"
#include "libcuda/image/fatbin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// How many files have been named so far, of all modules.
static struct {
	unsigned saved_ptx, embedded_ptx, embedded_code;
} named;

// -save_embedded_ptx: _1.ptx, _2.ptx, ... in the order of loading, as GPGPU-Sim names them.
static void save_ptx(const char *text, size_t len)
{
	char name[32];
	snprintf(name, sizeof name, "_%u.ptx", ++named.saved_ptx);
	FILE *f = output_open(name);
	bool ok = f && fwrite(text, 1, len, f) == len && !fflush(f);
	if (!ok) {
		cu_complain("-save_embedded_ptx: cannot write %s: %s", name, output_why(errno));
		atomic_store(&cu.output_failed, true);
	}
	if (f)
		fclose(f);
}

static bool ends_in(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);
	return n > k && !strcmp(s + n - k, end);
}

// PTX_SIM_KERNELFILE=FILE.cubin, or FILE.sass with text that a cubin is made of: machine code whose kernels take the place of the
// program's.
static const char *machine_file(void)
{
	const char *file = getenv("PTX_SIM_KERNELFILE");
	return file && (ends_in(file, ".cubin") || ends_in(file, ".sass")) ? file : NULL;
}

// PTX_SIM_USE_PTX_FILE with PTX_SIM_KERNELFILE: that file instead of the PTX in the program.
static const char *override_file(void)
{
	const char *use = getenv("PTX_SIM_USE_PTX_FILE"), *file = getenv("PTX_SIM_KERNELFILE");
	return use && *use && strcmp(use, "0") && file && *file && !machine_file() ? file : NULL;
}

// A pipe or a device would make the program wait, or never end.
static const char *no_file(int fd, struct stat *st)
{
	if (fd < 0 || fstat(fd, st))
		return strerror(errno);
	return S_ISREG(st->st_mode)  ? NULL
	       : S_ISDIR(st->st_mode)  ? "it is a folder"
	       : S_ISFIFO(st->st_mode) ? "it is a pipe, and a file is wanted, which is read again after cudaDeviceReset"
	                               : "it is a device, and a file is wanted";
}

static char *read_file(const char *path, struct arena *a, size_t *len, struct diag *d)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const char *why = no_file(fd, &st);
	FILE *f = why ? NULL : fdopen(fd, "rb");
	if (!f) {
		diag_add(d, DIAG_ERROR, "PTX_SIM_KERNELFILE: cannot read %s: %s", path, why ? why : strerror(errno));
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	VEC(char) v = {0};
	char buf[65536];
	for (size_t n; (n = fread(buf, 1, sizeof buf, f)) > 0;) {
		VEC_RESERVE(&v, v.n + n);
		memcpy(v.at + v.n, buf, n);
		v.n += n;
	}
	fclose(f);
	char *text = arena_strndup(a, v.n ? v.at : "", v.n);
	*len = v.n;
	VEC_FREE(&v);
	return text;
}

static cudaError_t add_ptx(struct module *m, const char *name, const char *text, size_t len, struct diag *d)
{
	if (cu.opt->save_embedded_ptx)
		save_ptx(text, len);
	unsigned version = m->wrapper ? 0 : module_ptx_version(text);
	if (version > PTX_NEWEST) {
		diag_add(d, DIAG_ERROR, "%s: PTX %u.%u is newer than this simulator knows (%d.%d)", name, version / 10, version % 10,
		         PTX_NEWEST / 10, PTX_NEWEST % 10);
		return cudaErrorUnsupportedPtxVersion;
	}
	struct ptx_module *p = ptx_module_parse(name, text, len, d);
	if (!p)
		return cudaErrorInvalidPtx;
	p->program = m->program;
	VEC_PUSH(&m->program->modules, p);
	return cudaSuccess;
}

static bool has_ptx(const struct fatbin *f, unsigned container)
{
	for (size_t i = 0; i < f->entry.n; i++)
		if (f->entry.at[i].container == container && f->entry.at[i].kind == FATBIN_PTX)
			return true;
	return false;
}

// Places are told apart by file and place, so each embedded file has a name of its own; *count: of those before it.
static const char *embedded_name(struct module *m, const struct fatbin_entry *e, const char *file, unsigned *count)
{
	char arch[32];
	fatbin_arch_name(e, arch, sizeof arch);
	unsigned nth = ++*count;
	if (!m->wrapper && m->image.kind == IMAGE_PTX)
		return nth == 1 ? arena_printf(&m->arena, "%s", *file ? file : "PTX") : arena_printf(&m->arena, "%s(%u)", *file ? file : "PTX", nth);
	return nth == 1 ? arena_printf(&m->arena, "%s(embedded %s)", file, arch)
	                : arena_printf(&m->arena, "%s(embedded %u %s)", file, nth, arch);
}

static cudaError_t add_container(struct module *m, struct fatbin *f, unsigned number, struct diag *d)
{
	if (m->machine.machine && !has_ptx(f, number))
		return cudaErrorNoKernelImageForDevice; // which need not be said
	const struct fatbin_entry *e = fatbin_select_ptx(f, number, cu.opt->gpgpu_ptx_force_max_capability, d);
	if (!e)
		return cudaErrorNoKernelImageForDevice;
	const char *text;
	size_t len;
	if (!fatbin_payload(e, &m->arena, &text, &len, d))
		return cudaErrorInvalidKernelImage;
	return add_ptx(m, embedded_name(m, e, e->file, &named.embedded_ptx), text, len, d);
}

// Programs without relocatable device code have one container; linked ones have one for each object, and what is wrong
// with one does no harm to the kernels of the others: it is told when something of it is missed. Of those only errors are kept:
// compilers add libraries for other architectures.
static cudaError_t add_containers(struct module *m, struct fatbin *f, struct diag *d)
{
	for (unsigned c = fatbin_first_module(f); c < f->n_containers; c++) {
		struct diag own = {0};
		cudaError_t e = add_container(m, f, c, f->linked ? &own : d);
		if (own.errors && !(m->lost.text && strstr(m->lost.text, own.text)))
			diag_append(&m->lost, &own);
		diag_free(&own);
		if (e)
			m->partial = e;
		if (e && !f->linked)
			return e;
	}
	if (m->program->modules.n)
		return cudaSuccess;
	diag_append(d, &m->lost);
	return m->partial ? m->partial : cudaErrorNoKernelImageForDevice;
}

// Register counts and sizes are those of the machine code, where the program has it.
static void read_cubin(struct module *m, struct fatbin *f)
{
	struct diag d = {0};
	const struct fatbin_entry *e =
	        fatbin_select_cubin(f, 0, (unsigned)(cu.desc.major * 10 + cu.desc.minor));
	const char *data;
	size_t len;
	if (e && fatbin_payload(e, &m->arena, &data, &len, &d))
		cubin_read(&m->cubin, data, len, &m->arena, &d);
	diag_free(&d); // only figures are lost
}

// --- machine code

// The first message in d, as a part of another.
static const char *reason(struct module *m, const struct diag *d)
{
	static const char prefix[] = "heddle: error: ";
	const char *s = d->text ? d->text : "?";
	if (!strncmp(s, prefix, strlen(prefix)))
		s += strlen(prefix);
	return arena_strndup(&m->arena, s, strcspn(s, "\n"));
}

static unsigned capability(void) { return (unsigned)(cu.desc.major * 10 + cu.desc.minor); }

// A reference of a module that the program loaded by itself, which has no variable of the program's behind it.
static struct texref *add_reference(struct module *m, const char *name, bool surface)
{
	struct texref *t = MEM_NEW(struct texref);
	t->module = m;
	t->host = t;
	t->name = mem_strdup(name);
	t->surface = surface;
	t->choice.format = (struct cudaChannelFormatDesc){.x = 32, .f = CHANNEL_FLOAT};
	VEC_PUSH(&m->texrefs, t);
	return t;
}

// For machine code, which knows references by name.
static uint32_t texture_named(void *ctx, const char *name)
{
	struct module *m = ctx;
	for (size_t i = 0; i < m->texrefs.n; i++)
		if (!strcmp(m->texrefs.at[i]->name, name))
			return texture_reference_handle(&m->texrefs.at[i]->bound);
	if (m->wrapper)
		return 0;
	return texture_reference_handle(&add_reference(m, name, false)->bound);
}

static bool open_code(struct module *m, struct machine_code *c, const void *data, size_t size, const char *file, struct diag *d)
{
	if (!machine_code_open(c, m->program, cu.mem, data, size, file, d))
		return false;
	c->texture = texture_named;
	c->texture_ctx = m;
	return true;
}

// Takes the machine code that suits the GPU, if there is some. What is wrong with it is an error where machine code is asked for.
static void open_machine(struct module *m, const struct fatbin *f)
{
	char list[200];
	struct diag d = {0};
	const struct fatbin_entry *e = choice_cubin(f, 0, capability());
	const char *data;
	size_t len;
	if (!e) {
		const char *others = choice_list(f, 0, list, sizeof list);
		m->no_machine = others ? arena_printf(&m->arena, "the program has no machine code for sm_%u, only for %s", capability(), others)
		                       : "the program has no machine code";
		return;
	}
	const char *file = embedded_name(m, e, *e->file ? e->file : "the program", &named.embedded_code);
	if (!fatbin_payload(e, &m->arena, &data, &len, &d) || !open_code(m, &m->machine, data, len, file, &d))
		m->no_machine = reason(m, &d);
	diag_free(&d);
}

static bool link_machine(struct module *m, struct machine_code *c, struct diag *d)
{
	VEC(const char *) managed = {0};
	for (size_t i = 0; i < m->variables.n; i++)
		if (m->variables.at[i]->slot)
			VEC_PUSH(&managed, m->variables.at[i]->name);
	bool ok = machine_code_link(c, managed.at, managed.n, d);
	VEC_FREE(&managed);
	return ok;
}

static bool has_reference(const struct module *m, const char *name)
{
	for (size_t i = 0; i < m->texrefs.n; i++)
		if (!strcmp(m->texrefs.at[i]->name, name))
			return true;
	return false;
}

// Programs register the references of what is compiled into them. Those of a module that a program loads are found in its code.
static void find_references(struct module *m)
{
	const struct map *vars = &m->program->vars;
	for (size_t i = 0; i < vars->n && !m->wrapper; i++) {
		const struct ptx_var *v = vars->slot[i].value;
		if ((v->type == PTX_T_TEXREF || v->type == PTX_T_SURFREF) && !has_reference(m, v->name))
			add_reference(m, v->name, v->type == PTX_T_SURFREF);
	}
}

static void bind_textures(struct module *m)
{
	find_references(m);
	for (size_t i = 0; i < m->texrefs.n; i++) {
		struct ptx_var *v = ptx_program_var(m->program, m->texrefs.at[i]->name);
		m->texrefs.at[i]->bound.name = m->texrefs.at[i]->name;
		if (v)
			v->tex = &m->texrefs.at[i]->bound;
	}
}

// The PTX of the program, joined. With machine code at hand what is wrong with it only costs the PTX.
static cudaError_t add_linked_ptx(struct module *m, struct fatbin *f, struct diag *d)
{
	cudaError_t e = add_containers(m, f, d);
	read_cubin(m, f);
	m->program->relocatable = f->linked;
	m->program->known = &m->cubin.variables;
	if (!e && !ptx_program_link(m->program, cu.mem, builtin_find, d))
		e = cudaErrorInvalidPtx;
	return e;
}

static bool read_image(const struct module *m, struct fatbin *f, struct diag *d)
{
	return m->wrapper ? fatbin_read(f, m->wrapper, d) : image_bytes_read(&m->image, f, d);
}

// Machine code of a program that runs as PTX, for a kernel that the PTX does not have.
static void open_late(struct module *m)
{
	struct fatbin f = {0};
	struct diag d = {0};
	if (m->machine.machine || m->no_machine || override_file())
		return;
	if (read_image(m, &f, &d))
		open_machine(m, &f);
	if (m->machine.machine && !link_machine(m, &m->machine, &d))
		m->no_machine = reason(m, &d);
	fatbin_free(&f);
	diag_free(&d);
}

static void drop_ptx(struct module *m)
{
	gpu_forget_code(cu.gpu);
	ptx_program_free(m->program);
	m->program->mem = cu.mem;
	m->program->builtin = builtin_find;
}

static bool all_have_ptx(const struct fatbin *f)
{
	for (unsigned c = fatbin_first_module(f); c < f->n_containers; c++)
		if (!has_ptx(f, c))
			return false;
	return true;
}

// What of a program is loaded: its machine code, if it may be executed, and its PTX, unless machine code alone may.
static cudaError_t add_code(struct module *m, struct fatbin *f, struct diag *d)
{
	enum execute mode = m->mode = choice_for(cu.opt, f, capability());
	bool all = all_have_ptx(f);
	cudaError_t e = cudaSuccess;
	if (mode != EXECUTE_PTX || !all)
		open_machine(m, f);
	if (!m->machine.machine)
		return add_linked_ptx(m, f, d);
	machine_code_lead(&m->machine);
	if (mode == EXECUTE_SASS || !has_ptx(f, fatbin_first_module(f))) {
		m->partial = cudaErrorNoKernelImageForDevice;
		drop_ptx(m);
		read_cubin(m, f);
	} else {
		struct diag own = {0};
		e = add_linked_ptx(m, f, &own);
		if (e) {
			diag_remark(d, "the PTX of %s cannot be used, its machine code is: %s", m->machine.file, reason(m, &own));
			drop_ptx(m);
		}
		diag_free(&own);
	}
	return link_machine(m, &m->machine, d) ? cudaSuccess : cudaErrorMemoryAllocation;
}

// After everything else of the module, whose variables the file's kernels use.
static cudaError_t add_given(struct module *m, const char *file, struct diag *d)
{
	size_t len;
	const void *data = read_file(file, &m->arena, &len, d);
	if (!data)
		return cudaErrorFileNotFound;
	if (ends_in(file, ".sass")) {
		uint8_t *image;
		bool made = cubin_assemble(file, data, len, &image, &len, d);
		data = made ? arena_strndup(&m->arena, (const char *)image, len) : NULL;
		mem_free(image);
		if (!made)
			return cudaErrorInvalidKernelImage;
	}
	if (!open_code(m, &m->given, data, len, file, d))
		return cudaErrorInvalidKernelImage;
	if (!choice_suits(m->given.cubin.arch, false, capability())) {
		diag_add(d, DIAG_ERROR, "PTX_SIM_KERNELFILE: %s is machine code for sm_%u, which an sm_%u does not run", file, m->given.cubin.arch,
		         capability());
		return cudaErrorNoKernelImageForDevice;
	}
	if (m->machine.machine)
		m->given.under = &m->machine;
	return link_machine(m, &m->given, d) ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t load(struct module *m, struct diag *d)
{
	struct fatbin f = {0};
	const char *file = override_file();
	cudaError_t e = cudaSuccess;
	m->program = MEM_NEW(struct ptx_program);
	m->mode = choice_of(cu.opt);
	m->program->tensor = (struct tensor_numerics){.sm = (uint16_t)capability(), .plain = !strcmp(cu.opt->tensor_numerics, "plain")};
	if (!read_image(m, &f, d) && !file)
		e = cudaErrorInvalidKernelImage;
	if (file) {
		size_t len;
		const char *text = read_file(file, &m->arena, &len, d);
		e = text ? add_ptx(m, file, text, len, d) : cudaErrorFileNotFound;
	} else if (!e) {
		e = add_code(m, &f, d);
	}
	fatbin_free(&f);
	if (!e && file && !ptx_program_link(m->program, cu.mem, builtin_find, d))
		e = cudaErrorInvalidPtx;
	if (!e && machine_file())
		e = add_given(m, machine_file(), d);
	if (!e && !m->wrapper && !m->machine.machine)
		e = module_check(m, d);
	if (!e)
		bind_textures(m);
	return e;
}

cudaError_t module_load_quietly(struct module *m, struct diag *d)
{
	uint32_t owner = cu.mem->owner;
	cu.mem->owner = OWNER_MODULES;
	m->error = load(m, d);
	cu.mem->owner = owner;
	m->state = m->error ? MODULE_FAILED : MODULE_LOADED;
	return m->error;
}

cudaError_t module_load(struct module *m)
{
	if (m->state == MODULE_NEW)
		module_load_quietly(m, &m->untold);
	cu_print_diag(&m->untold);
	return m->error;
}

// A name may be registered more than once; its code is there once.
static void free_code(struct module *m)
{
	for (size_t i = 0; i < m->kernels.n; i++) {
		void *code = m->kernels.at[i]->code;
		if (!code)
			continue;
		for (size_t k = i; k < m->kernels.n; k++)
			if (m->kernels.at[k]->code == code)
				m->kernels.at[k]->code = NULL;
		if (m->kernels.at[i]->fe == &sass_frontend)
			sass_kernel_free(code);
		else
			ptx_kernel_free(code);
	}
}

void module_unload(struct module *m)
{
	checks_code_goes();
	gpu_forget_code(cu.gpu);
	free_code(m);
	machine_code_close(&m->given);
	machine_code_close(&m->machine);
	if (m->program)
		ptx_program_free(m->program);
	mem_free(m->program);
	m->program = NULL;
	cubin_free(&m->cubin);
	memset(&m->cubin, 0, sizeof m->cubin);
	arena_free(&m->arena);
	m->state = MODULE_NEW;
	m->error = m->partial = cudaSuccess;
	diag_free(&m->untold);
	diag_free(&m->lost);
	for (size_t i = 0; i < m->kernels.n; i++) {
		m->kernels.at[i]->state = KERNEL_NEW;
		diag_free(&m->kernels.at[i]->untold);
	}
	for (size_t i = 0; i < m->variables.n; i++)
		m->variables.at[i]->addr = 0;
	for (size_t i = 0; i < m->texrefs.n; i++)
		memset(&m->texrefs.at[i]->bound, 0, sizeof m->texrefs.at[i]->bound);
}

static void take_cubin_figures(struct kernel *k)
{
	const struct cubin_kernel *c = cubin_find(&k->module->cubin, k->name);
	if (!c)
		return;
	if (c->registers)
		k->info.regs = c->registers;
	k->info.machine = c->machine;
}

static cudaError_t load_ptx(struct kernel *k, struct ptx_func *f, struct diag *d)
{
	k->fe = &ptx_frontend;
	k->code = ptx_kernel_code(f, d);
	const struct kernel_info *info = k->code ? ptx_kernel_info(f, d) : NULL;
	if (!info) {
		diag_add(d, DIAG_NOTE, "kernel %s cannot be launched", k->name);
		return cudaErrorInvalidPtx;
	}
	k->info = *info;
	take_cubin_figures(k);
	return cudaSuccess;
}

static bool make_machine(struct kernel *k, struct machine_code *c, struct diag *d)
{
	struct machine_kernel made;
	if (!machine_code_kernel(c, k->name, options_units(cu.opt), &made, d))
		return false;
	k->fe = &sass_frontend;
	k->code = made.code;
	k->info = made.info;
	return true;
}

// False, with the reason in d, if the kernel has no machine code that can be executed.
static bool load_machine(struct kernel *k, struct diag *d)
{
	struct module *m = k->module;
	if (!m->machine.machine) {
		diag_add(d, DIAG_ERROR, "%s", m->no_machine ? m->no_machine : "it is not executed");
		return false;
	}
	if (!machine_code_has(&m->machine, k->name)) {
		diag_add(d, DIAG_ERROR, "the machine code of the program does not have it");
		return false;
	}
	return make_machine(k, &m->machine, d);
}

// Machine code or PTX, as -gpgpu_execute asks. Where it is the second choice, or there is none, it is told why.
static cudaError_t load_code(struct kernel *k, struct diag *d)
{
	enum execute mode = k->module->mode;
	struct diag own = {0};
	struct ptx_func *f = ptx_program_func(k->module->program, k->name);
	cudaError_t e = cudaErrorNoKernelImageForDevice;
	if (f && (!f->entry || !f->body))
		f = NULL;
	if (machine_code_has(&k->module->given, k->name)) {
		if (!make_machine(k, &k->module->given, d))
			return cudaErrorNoKernelImageForDevice;
		diag_remark(d, "kernel %s is that of %s", k->name, k->module->given.file);
		return cudaSuccess;
	}
	if (mode == EXECUTE_PTX && f)
		return load_ptx(k, f, d);
	open_late(k->module);
	if (mode == EXECUTE_PTX && !machine_code_has(&k->module->machine, k->name)) {
		diag_add(d, DIAG_ERROR, "kernel %s is not in the PTX of the program", k->name);
		e = k->module->partial ? k->module->partial : cudaErrorInvalidDeviceFunction;
	} else if (load_machine(k, &own)) {
		e = cudaSuccess;
		if (mode == EXECUTE_PTX)
			diag_remark(d, "kernel %s runs as machine code for sm_%u: it has no PTX", k->name, k->info.machine.arch);
	} else if (mode == EXECUTE_AUTO && f) {
		e = load_ptx(k, f, d);
		diag_remark(d, "kernel %s runs as PTX: %s", k->name, reason(k->module, &own));
	} else {
		diag_add(d, DIAG_ERROR, "kernel %s cannot run as machine code%s: %s", k->name,
		         mode == EXECUTE_SASS ? " (-gpgpu_execute sass)" : ", and it has no PTX", reason(k->module, &own));
	}
	diag_free(&own);
	return e;
}

cudaError_t kernel_load(struct kernel *k, struct diag *d)
{
	struct module *m = k->module;
	cudaError_t e = m->state == MODULE_NEW ? module_load_quietly(m, &m->untold) : m->error;
	if (!e)
		e = load_code(k, d);
	// The compiler for a GPU with fewer registers a thread would have spilled.
	if (!e && k->info.regs > cu.desc.max_registers_per_thread)
		k->info.regs = cu.desc.max_registers_per_thread;
	return e;
}
