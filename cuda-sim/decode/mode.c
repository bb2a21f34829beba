// The mode of a micro-op: what its body must know of an instruction's suffixes.
#include "cuda-sim/decode/decoder.h"

static enum uop_type type_of(uint8_t t)
{
	static const uint8_t type[PTX_N_TYPES] = {
		[PTX_T_U8] = UOP_T_U8, [PTX_T_U16] = UOP_T_U16, [PTX_T_U32] = UOP_T_U32, [PTX_T_U64] = UOP_T_U64,
		[PTX_T_S8] = UOP_T_S8, [PTX_T_S16] = UOP_T_S16, [PTX_T_S32] = UOP_T_S32, [PTX_T_S64] = UOP_T_S64,
		[PTX_T_B8] = UOP_T_U8, [PTX_T_B16] = UOP_T_U16, [PTX_T_B32] = UOP_T_U32, [PTX_T_B64] = UOP_T_U64,
		[PTX_T_F16] = UOP_T_F16, [PTX_T_F16X2] = UOP_T_F16X2, [PTX_T_BF16] = UOP_T_BF16,
		[PTX_T_BF16X2] = UOP_T_BF16X2, [PTX_T_TF32] = UOP_T_TF32, [PTX_T_F32] = UOP_T_F32, [PTX_T_F64] = UOP_T_F64,
		[PTX_T_E4M3X2] = UOP_T_E4M3X2, [PTX_T_E5M2X2] = UOP_T_E5M2X2,
	};
	return (enum uop_type)type[t];
}

struct uop_mode decode_mode(const struct ptx_mods *m)
{
	return (struct uop_mode){
		.type = {(uint8_t)type_of(m->type[0]), (uint8_t)type_of(m->type[1])}, .rnd = m->rnd, .cmp = m->cmp,
		.logic = m->boolop, .ftz = m->ftz, .sat = m->sat, .relu = m->relu, .satfinite = m->satfinite, .nan = m->nan,
		.xorsign = m->xorsign, .oob = m->oob,
	};
}
