// Complex numbers of 64-bit parts.
#include "solve.cuh"
#include "vector.cuh"

PRODUCTS(z, cdouble, cdouble, cdouble, 1)
PRODUCTS_OF_FORMS(z, cdouble)
PRODUCTS_BY_VECTORS(z, cdouble, cdouble, cdouble)
VECTORS(z, cdouble, cdouble, double)
SOLVES(z, cdouble)
