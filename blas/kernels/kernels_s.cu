// Real numbers of 32 bits.
#include "solve.cuh"
#include "vector.cuh"

PRODUCTS(s, float, float, float, 4)
PRODUCTS_OF_FORMS(s, float)
PRODUCTS_BY_VECTORS(s, float, float, float)
VECTORS(s, float, float, float)
SOLVES(s, float)
BESIDE_PRODUCTS(s, float, float)
