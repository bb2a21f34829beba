// Floats of 8 bits, e4m3 and e5m2; results are floats of 32 bits (qs), halves (qh) or brain floats (qb).
#include "product.cuh"

PRODUCTS(qs, quarter8, float, float, 4)
PRODUCTS(qh, quarter8, float, half16, 4)
PRODUCTS(qb, quarter8, float, brain16, 4)
