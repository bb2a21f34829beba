// Formats of texels as the driver API has them: a CUarray_format and a number of channels.
#ifndef LIBCUDA_DRIVER_FORMAT_H
#define LIBCUDA_DRIVER_FORMAT_H

#include "libcuda/context/cuda_abi.h"

// cudaErrorInvalidValue for what is no format; those of video and compressed blocks become kinds that channel_check refuses.
cudaError_t format_channels(struct cudaChannelFormatDesc *out, int format, unsigned channels);

// And back.
void format_of_channels(int *format, unsigned *channels, const struct cudaChannelFormatDesc *d);

#endif
