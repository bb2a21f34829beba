// Complex numbers of 32-bit parts.
#include "solve.cuh"
#include "vector.cuh"

PRODUCTS(c, cfloat, cfloat, cfloat, 1)
PRODUCTS_OF_FORMS(c, cfloat)
PRODUCTS_BY_VECTORS(c, cfloat, cfloat, cfloat)
VECTORS(c, cfloat, cfloat, float)
SOLVES(c, cfloat)
