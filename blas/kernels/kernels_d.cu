// Real numbers of 64 bits.
#include "solve.cuh"
#include "vector.cuh"

PRODUCTS(d, double, double, double, 4)
PRODUCTS_OF_FORMS(d, double)
PRODUCTS_BY_VECTORS(d, double, double, double)
VECTORS(d, double, double, double)
SOLVES(d, double)
BESIDE_PRODUCTS(d, double, double)
