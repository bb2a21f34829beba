// What kernels ask the host for (struct kernel_services): printf, malloc, textures, the time, and for kernels that they launch
// checks of the launch, attributes and texts of errors.
#ifndef LIBCUDA_LIFE_SERVICES_H
#define LIBCUDA_LIFE_SERVICES_H

// When the GPU has been made.
void services_start(void);

#endif
