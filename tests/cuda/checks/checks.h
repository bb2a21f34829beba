// For programs with one fault each, and for those without: see tests/checks.
#include <cstdio>
#include <cstdlib>
