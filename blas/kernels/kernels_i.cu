// Integers of 8 bits; sums are integers of 32 bits (i) or floats (is).
#include "product.cuh"

PRODUCTS(i, signed char, int, int, 4)
PRODUCTS(is, signed char, float, float, 4)
