// Floats of 16 bits with the exponent of 32 (bfloat16), computed with 32; results of 16 bits (b) or 32 (bs).
#include "vector.cuh"

PRODUCTS(b, brain16, float, brain16, 4)
PRODUCTS(bs, brain16, float, float, 4)
PRODUCTS_BY_VECTORS(b, brain16, float, brain16)
PRODUCTS_BY_VECTORS(bs, brain16, float, float)
VECTORS(b, brain16, float, brain16)
BESIDE_PRODUCTS(b, brain16, float)
