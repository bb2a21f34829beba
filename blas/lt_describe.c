// cuBLASLt's descriptions: made, set and read by number of attribute.
#include "blas/lt.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct lt_matmul) <= 23 * 8, "cublasLtMatmulDescOpaque_t");
_Static_assert(sizeof(struct lt_layout) <= 8 * 8, "cublasLtMatrixLayoutOpaque_t");
_Static_assert(sizeof(struct lt_preference) <= 8 * 8, "cublasLtMatmulPreferenceOpaque_t");

struct attribute {
	int number;
	size_t at, size;
};
#define AT(where, number, field) {number, offsetof(struct where, field), sizeof(((struct where *)0)->field)}

static const struct attribute matmul[] = {
	AT(lt_matmul, 0, compute), AT(lt_matmul, 1, scale), AT(lt_matmul, 2, pointer_mode), AT(lt_matmul, 3, trans_a), AT(lt_matmul, 4, trans_b),
	AT(lt_matmul, 5, trans_c), AT(lt_matmul, 6, fill), AT(lt_matmul, 7, epilogue), AT(lt_matmul, 8, bias), AT(lt_matmul, 10, bias_batch),
	AT(lt_matmul, 11, aux), AT(lt_matmul, 12, aux_ld), AT(lt_matmul, 13, aux_batch), AT(lt_matmul, 14, alpha_batch),
	AT(lt_matmul, 15, sm_target), AT(lt_matmul, 17, scale_of[0]), AT(lt_matmul, 18, scale_of[1]), AT(lt_matmul, 19, scale_of[2]),
	AT(lt_matmul, 20, scale_of[3]), AT(lt_matmul, 21, amax), AT(lt_matmul, 22, aux_type), AT(lt_matmul, 23, aux_scale),
	AT(lt_matmul, 24, aux_amax), AT(lt_matmul, 25, fast), AT(lt_matmul, 26, bias_type),
	AT(lt_matmul, 31, modes[0]), AT(lt_matmul, 32, modes[1]), AT(lt_matmul, 33, modes[2]), AT(lt_matmul, 34, modes[3]),
	AT(lt_matmul, 35, modes[4]), {0},
};
static const struct attribute layout[] = {
	AT(lt_layout, 0, type), AT(lt_layout, 1, order), AT(lt_layout, 2, rows), AT(lt_layout, 3, cols), AT(lt_layout, 4, ld),
	AT(lt_layout, 5, count), AT(lt_layout, 6, batch), {0},
};
static const struct attribute preference[] = {
	AT(lt_preference, 0, search), AT(lt_preference, 1, workspace), AT(lt_preference, 3, reduction), AT(lt_preference, 5, alignment[0]),
	AT(lt_preference, 6, alignment[1]), AT(lt_preference, 7, alignment[2]), AT(lt_preference, 8, alignment[3]), AT(lt_preference, 9, waves),
	AT(lt_preference, 12, implementation), {0},
};
static const struct attribute transform[] = {
	AT(lt_transform, 0, scale), AT(lt_transform, 1, pointer_mode), AT(lt_transform, 2, trans_a), AT(lt_transform, 3, trans_b), {0},
};

static const struct attribute *find(const struct attribute *table, int number)
{
	for (; table->size; table++)
		if (table->number == number)
			return table;
	return NULL;
}

static status set(const struct attribute *table, void *object, int number, const void *from, size_t size)
{
	const struct attribute *a = find(table, number);
	if (!object || !from || !a || size < a->size)
		return INVALID_VALUE;
	memcpy((char *)object + a->at, from, a->size);
	return OK;
}

// With a size of 0 only the size is told.
static status get(const struct attribute *table, const void *object, int number, void *to, size_t size, size_t *written)
{
	const struct attribute *a = find(table, number);
	if (!object || !a || (!size && !written) || (size && (!to || size < a->size)))
		return INVALID_VALUE;
	if (size)
		memcpy(to, (const char *)object + a->at, a->size);
	if (written)
		*written = a->size;
	return OK;
}

static status init(void *object, size_t room, const void *value, size_t size)
{
	if (!object || room < size)
		return INVALID_VALUE;
	memcpy(object, value, size);
	return OK;
}

static status create(void **out, const void *value, size_t size)
{
	if (!out)
		return INVALID_VALUE;
	*out = malloc(size);
	return *out ? init(*out, size, value, size) : ALLOC_FAILED;
}

static status destroy(void *object)
{
	free(object);
	return OK;
}

#define ATTRIBUTES(name, table)                                                                                         \
	API(cublasLt##name##SetAttribute, (void *object, int number, const void *from, size_t size),                    \
	    set(table, object, number, from, size))                                                                     \
	API(cublasLt##name##GetAttribute, (const void *object, int number, void *to, size_t size, size_t *written),     \
	    get(table, object, number, to, size, written))                                                              \
	API(cublasLt##name##Destroy, (void *object), destroy(object))
ATTRIBUTES(MatmulDesc, matmul)
ATTRIBUTES(MatrixLayout, layout)
ATTRIBUTES(MatmulPreference, preference)
ATTRIBUTES(MatrixTransformDesc, transform)

// Formats that are not given follow the result's: -1.
#define MATMUL(c, s) \
	&(struct lt_matmul){.compute = c, .scale = s, .fill = FULL, .epilogue = LT_DEFAULT, .aux_type = -1, .bias_type = -1}, sizeof(struct lt_matmul)
API(cublasLtMatmulDescCreate, (void **out, int compute, int scale), create(out, MATMUL(compute, scale)))
API(cublasLtMatmulDescInit_internal, (void *object, size_t room, int compute, int scale), init(object, room, MATMUL(compute, scale)))

#define LAYOUT &(struct lt_layout){.type = type, .rows = rows, .cols = cols, .ld = ld, .count = 1}, sizeof(struct lt_layout)
API(cublasLtMatrixLayoutCreate, (void **out, int type, uint64_t rows, uint64_t cols, int64_t ld), create(out, LAYOUT))
API(cublasLtMatrixLayoutInit_internal, (void *object, size_t room, int type, uint64_t rows, uint64_t cols, int64_t ld),
    init(object, room, LAYOUT))

// Documented: alignments of 256 bytes, any reduction.
#define PREFERENCE                                                                                                                   \
	&(struct lt_preference){.reduction = 31, .alignment = {256, 256, 256, 256}, .implementation = {~0u, ~0u}}, sizeof(struct lt_preference)
API(cublasLtMatmulPreferenceCreate, (void **out), create(out, PREFERENCE))
API(cublasLtMatmulPreferenceInit_internal, (void *object, size_t room), init(object, room, PREFERENCE))

#define TRANSFORM &(struct lt_transform){.scale = scale}, sizeof(struct lt_transform)
API(cublasLtMatrixTransformDescCreate, (void **out, int scale), create(out, TRANSFORM))
API(cublasLtMatrixTransformDescInit_internal, (void *object, size_t room, int scale), init(object, room, TRANSFORM))
