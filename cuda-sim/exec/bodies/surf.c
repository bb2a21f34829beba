// Surface loads, stores and reductions. A surface access finds out where each lane goes and then is an access to global memory,
// whose body it has from who decoded it (texture_operands.access): that body reads the addresses from row u->a, and its data are
// where u says.
#include "cuda-sim/exec/lanes.h"
#include "cuda-sim/exec/texture.h"

static inline const struct texture_operands *operands(const struct uop *u)
{
	return (const struct texture_operands *)(uintptr_t)u->imm;
}

// The surface of each lane, and where it goes; the lanes that go there. Those outside go nowhere, or end the kernel. 0 after a fault.
static uint32_t find(const uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w, const struct texture *surface[WARP],
                     uint64_t addr[WARP])
{
	const struct texture_operands *o = operands(u);
	const struct texture *known = NULL;
	uint32_t inside = 0;

	EACH(i) {
		const struct texture *t = texture_of_lane(w, o, i);

		if ((!t || t != known) && !texture_usable(w, u, t, i))
			return 0;
		surface[i] = known = t;
		switch (texture_surface_at(fp, o, t, i, &addr[i])) {
		case SURFACE_INSIDE:
			inside |= 1u << i;
			break;
		case SURFACE_OUTSIDE:
			if (o->outside != SURFACE_TRAP)
				break;
			exec_fault(w, u, FAULT_LAUNCH, i, 0, "coordinates outside the surface, whose boundary mode is trap");
			return 0;
		case SURFACE_MISALIGNED:
			exec_fault(w, u, FAULT_MISALIGNED, i, 0, "x is %d bytes, which is no multiple of the %u bytes of the access",
			           ROW(const int32_t, o->at[0])[i], o->bytes);
			return 0;
		}
	}
	return inside;
}

// Addresses less u->imm into row u->a, since the body of the access adds it.
static void put_addresses(uint8_t *fp, const struct uop *u, const uint64_t addr[WARP])
{
	uint64_t *row = ROW(uint64_t, u->a);

	for (unsigned i = 0; i < WARP; i++)
		row[i] = addr[i] - (uint64_t)u->imm;
}

// suld.b: n rows of 4 or 8 bytes a lane, in which lanes that go nowhere get 0.
static void load(uint8_t *fp, const struct uop *u, uint32_t mask, struct warp *w, unsigned n, bool wide)
{
	const struct texture *surface[WARP];
	uint64_t addr[WARP] = {0};
	const uint32_t inside = find(fp, u, mask, w, surface, addr);

	if (w->fault)
		return;
	put_addresses(fp, u, addr);
	mask &= ~inside;
	EACH(i)
		for (unsigned k = 0; k < n; k++) {
			const int32_t row = n == 1 ? u->d : u->x[k];

			if (wide)
				ROW(uint64_t, row)[i] = 0;
			else
				ROW(uint32_t, row)[i] = 0;
		}
	if (inside)
		operands(u)->access(fp, u, inside, w);
}

#define LOAD(name, n, wide) BODY(name) { load(fp, u, mask, w, n, wide); }
LOAD(load_1, 1, false)
LOAD(load_2, 2, false)
LOAD(load_4, 4, false)
LOAD(load_wide_1, 1, true)
LOAD(load_wide_2, 2, true)

// sust.b, sured
BODY(store)
{
	const struct texture_operands *o = operands(u);
	const struct texture *surface[WARP];
	uint64_t addr[WARP] = {0};
	const uint32_t inside = find(fp, u, mask, w, surface, addr);
	uint32_t is_signed = 0;

	mask = inside;
	EACH(i)
		is_signed |= (uint32_t)(surface[i]->channel == TEX_SIGNED) << i;
	if (!o->access_signed)
		is_signed = 0;
	put_addresses(fp, u, addr);
	if (inside & ~is_signed)
		o->access(fp, u, inside & ~is_signed, w);
	if (inside & is_signed && !w->fault)
		o->access_signed(fp, u, inside & is_signed, w);
}

// sust.p: the texel of four channels in rows x[0..3].
BODY(store_formatted)
{
	struct effects *e = exec_effects(w);
	const struct texture *surface[WARP];
	uint64_t addr[WARP] = {0};

	mask = find(fp, u, mask, w, surface, addr);
	EACH(i) {
		uint32_t channel[4];
		uint8_t texel[16];

		for (unsigned k = 0; k < 4; k++)
			channel[k] = ROW(const uint32_t, u->x[k])[i];

		const unsigned bytes = texture_encode(surface[i], channel, texel);

		memcpy(e ? effects_store(e, addr[i], bytes) : (uint8_t *)(uintptr_t)addr[i], texel, bytes);
	}
}

const struct exec_body EXEC_TABLE(surf)[] = {
	{"surface.load", load_1},
	{"surface.load.v2", load_2},
	{"surface.load.v4", load_4},
	{"surface.load.b64", load_wide_1},
	{"surface.load.v2.b64", load_wide_2},
	{"surface.store", store},
	{"surface.store.formatted", store_formatted},
	{0},
};
