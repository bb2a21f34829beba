// Floats of 16 bits, computed with 32; results of 16 bits (h) or 32 (hs).
#include "vector.cuh"

PRODUCTS(h, half16, float, half16, 4)
PRODUCTS(hs, half16, float, float, 4)
PRODUCTS_BY_VECTORS(h, half16, float, half16)
PRODUCTS_BY_VECTORS(hs, half16, float, float)
VECTORS(h, half16, float, half16)
BESIDE_PRODUCTS(h, half16, float)
