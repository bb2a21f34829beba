#include "libcuda/driver/format.h"

// CU_AD_FORMAT_... of integers and floats.
static const struct {
	int format, bits, kind;
} plain[] = {
	{0x01, 8, CHANNEL_UNSIGNED}, {0x02, 16, CHANNEL_UNSIGNED}, {0x03, 32, CHANNEL_UNSIGNED}, {0x08, 8, CHANNEL_SIGNED},
	{0x09, 16, CHANNEL_SIGNED},  {0x0a, 32, CHANNEL_SIGNED},   {0x10, 16, CHANNEL_FLOAT},    {0x20, 32, CHANNEL_FLOAT},
};
enum { N_PLAIN = sizeof plain / sizeof *plain };

// Normalised integers have a format for each number of channels: 8 and 16 bits unsigned, then signed.
enum { NORMALISED = 0xc0, N_NORMALISED = 12, NV12 = 0xb0, BC1 = 0x91, N_BC = 14, MOST_FORMAT = 0xff };

static struct cudaChannelFormatDesc channels_of(int bits, unsigned n, int kind)
{
	return (struct cudaChannelFormatDesc){bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 2 ? bits : 0, kind};
}

cudaError_t format_channels(struct cudaChannelFormatDesc *out, int format, unsigned channels)
{
	if (channels != 1 && channels != 2 && channels != 4)
		return cudaErrorInvalidValue;
	for (int i = 0; i < N_PLAIN; i++)
		if (plain[i].format == format) {
			*out = channels_of(plain[i].bits, channels, plain[i].kind);
			return cudaSuccess;
		}
	if (format >= NORMALISED && format < NORMALISED + N_NORMALISED) {
		int i = format - NORMALISED;
		*out = channels_of(i / 3 % 2 ? 16 : 8, 1u << i % 3, CHANNEL_UNSIGNED_8X1 + i);
		return channels == 1u << i % 3 ? cudaSuccess : cudaErrorInvalidValue;
	}
	if (format >= BC1 && format < BC1 + N_BC)
		*out = channels_of(8, 4, CHANNEL_BC1 + format - BC1);
	else if (format == NV12)
		*out = channels_of(8, 4, CHANNEL_NV12);
	else
		return format > BC1 && format <= MOST_FORMAT ? cudaErrorNotSupported : cudaErrorInvalidValue;
	return cudaSuccess;
}

void format_of_channels(int *format, unsigned *channels, const struct cudaChannelFormatDesc *d)
{
	*channels = d->w ? 4 : d->y ? 2 : 1;
	*format = 0;
	if (d->f >= CHANNEL_UNSIGNED_8X1 && d->f < CHANNEL_UNSIGNED_8X1 + N_NORMALISED)
		*format = NORMALISED + d->f - CHANNEL_UNSIGNED_8X1;
	for (int i = 0; i < N_PLAIN; i++)
		if (plain[i].bits == d->x && plain[i].kind == d->f)
			*format = plain[i].format;
}
