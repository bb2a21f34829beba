// texture_linear.cu as machine code: tests/machine/texture_linear.90.cubin is what ptxas 13.0 made of its PTX, with .version 7.8 and
// .target sm_90.
// needs: clang
// env: PTX_SIM_KERNELFILE=../../../../../tests/machine/texture_linear.90.cubin
// options: -gpgpu_execute sass
// skip: timed
#include "texture_linear.cu"
