#include "cuda-sim/tensor/fragment.h"

struct tensor_tiles tensor_tiles(unsigned m, unsigned n)
{
	const bool over = m < n;
	const unsigned lines = over ? n : m, columns = over ? m : n, rows = lines < 16 ? 8 : 16;
	return (struct tensor_tiles){.over = over, .tall = (uint8_t)(lines / rows), .thin = (uint8_t)(columns / 8), .m = (uint8_t)rows};
}

static bool is_sum(const struct tensor_fragment *f) { return f->part == TENSOR_PART_C || f->part == TENSOR_PART_D; }

// Whether the fragment stands where the products' A does.
static bool is_tall(const struct tensor_fragment *f) { return (f->part == TENSOR_PART_A) != tensor_tiles(f->m, f->n).over; }

unsigned tensor_fragment_own(const struct tensor_fragment *f)
{
	const unsigned elements = f->part == TENSOR_PART_A ? f->m * f->k : f->part == TENSOR_PART_B ? f->k * f->n : f->m * f->n;
	return tensor_registers((enum tensor_type)f->type, elements);
}

unsigned tensor_fragment_registers(const struct tensor_fragment *f)
{
	return f->type == TENSOR_F16 && !is_sum(f) ? 8 : tensor_fragment_own(f); // eight, whatever the shape
}

// The place along which elements share a register: line and place of lane i's first element in register r.
static void place(const struct tensor_fragment *f, unsigned r, unsigned i, unsigned *line, unsigned *at)
{
	const struct tensor_tiles t = tensor_tiles(f->m, f->n);
	const unsigned bits = tensor_type_bits[f->type], in = bits < 32 ? 32 / bits : 1, g = i / 4, c = i % 4, halves = t.m / 8;
	if (is_sum(f)) {
		const unsigned own = tensor_registers((enum tensor_type)f->type, t.m * 8u), tile = r / own, q = r % own;
		*line = 16 * (t.tall > 1 ? tile : 0) + g + 8 * (in == 2 ? q : q / 2);
		*at = 8 * (t.thin > 1 ? tile : 0) + 2 * c + (in == 2 ? 0 : q % 2);
	} else if (is_tall(f)) {
		const unsigned own = tensor_registers((enum tensor_type)f->type, (unsigned)t.m * f->k), tile = r / own, q = r % own;
		*line = 16 * tile + g + 8 * (q % halves);
		*at = 4 * in * (q / halves) + in * c;
	} else {
		const unsigned own = tensor_registers((enum tensor_type)f->type, 8u * f->k), tile = r / own, q = r % own;
		*line = 8 * tile + g;
		*at = 4 * in * q + in * c;
	}
}

// Whether elements along a line lie side by side in memory. Lines of A, C and D are rows, those of B columns; the other way round if
// it is turned over, but that A and B then change places.
static bool along(const struct tensor_fragment *f)
{
	if (f->part == TENSOR_PART_B)
		return f->column;
	return is_sum(f) && tensor_tiles(f->m, f->n).over ? f->column : !f->column;
}

unsigned tensor_pieces(const struct tensor_fragment *f, struct tensor_piece out[TENSOR_MAX_PIECES], enum tensor_turn *turn,
                       unsigned *bytes)
{
	const unsigned bits = tensor_type_bits[f->type], registers = tensor_fragment_own(f), word = bits == 64 ? 8 : 4;
	const bool natural = along(f), pairs = natural && bits >= 32 && is_sum(f);
	unsigned n = 0;
	*turn = natural || bits >= 32 ? TENSOR_TURN_NONE : bits == 16 ? TENSOR_TURN_16 : TENSOR_TURN_8;
	*bytes = pairs ? 2 * word : word;
	for (unsigned r = 0; r < registers; r += pairs ? 2 : 1) {
		struct tensor_piece *p = &out[n++];
		p->first = (uint8_t)r;
		p->n = pairs ? 2 : 1;
		for (unsigned i = 0; i < 32; i++) {
			unsigned line, at;
			if (*turn == TENSOR_TURN_NONE) {
				place(f, r, i, &line, &at);
			} else { // the block that register r of the warp is, of 8 lines, read across them
				const unsigned across = 32 / bits;
				place(f, r, 0, &line, &at);
				line += i * across % 8;
				at += i * across / 8;
			}
			p->major[i] = (uint16_t)(natural ? line : at);
			p->minor[i] = (uint16_t)(natural ? at : line);
		}
	}
	return n;
}

unsigned tensor_default_stride(const struct tensor_fragment *f)
{
	switch ((enum tensor_part)f->part) {
	case TENSOR_PART_A: return f->column ? f->m : f->k;
	case TENSOR_PART_B: return f->column ? f->k : f->n;
	default: return f->column ? f->m : f->n;
	}
}
