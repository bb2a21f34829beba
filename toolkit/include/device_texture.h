/* Texture references: texture<float, 2> t; tex2D(t, x, y). Texture objects: tex2D<float>(object, x, y). */
#ifndef HEDDLE_DEVICE_TEXTURE_H
#define HEDDLE_DEVICE_TEXTURE_H

template <class T, int dim = cudaTextureType1D, cudaTextureReadMode mode = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : public textureReference {
	__host__ texture(int norm = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
		cudaTextureAddressMode address = cudaAddressModeClamp);
	__host__ texture(int norm, cudaTextureFilterMode filter, cudaTextureAddressMode address, cudaChannelFormatDesc desc)
	{
		memset((void *)this, 0, sizeof(*this));
		normalized = norm;
		filterMode = filter;
		addressMode[0] = addressMode[1] = addressMode[2] = address;
		channelDesc = desc;
	}
};

/* What a texture element is made of: N components of B bits each; a fetch gives FETCH. */
template <class T> struct heddle_texel;
#define HEDDLE_TEXEL(T, BASE, N, FETCH, KIND) \
	template <> struct heddle_texel<T> { \
		typedef BASE base; \
		typedef FETCH fetch; \
		enum { bits = 8 * sizeof(BASE), n = N }; \
		static const cudaChannelFormatKind kind = cudaChannelFormatKind##KIND; \
	};
#define HEDDLE_TEXELS(V, BASE, FETCH, KIND) \
	HEDDLE_TEXEL(BASE, BASE, 1, FETCH, KIND) \
	HEDDLE_TEXEL(V##1, BASE, 1, FETCH, KIND) \
	HEDDLE_TEXEL(V##2, BASE, 2, FETCH, KIND) \
	HEDDLE_TEXEL(V##4, BASE, 4, FETCH, KIND)
HEDDLE_TEXEL(char, signed char, 1, int4, Signed)
HEDDLE_TEXELS(char, signed char, int4, Signed)
HEDDLE_TEXELS(uchar, unsigned char, uint4, Unsigned)
HEDDLE_TEXELS(short, short, int4, Signed)
HEDDLE_TEXELS(ushort, unsigned short, uint4, Unsigned)
HEDDLE_TEXELS(int, int, int4, Signed)
HEDDLE_TEXELS(uint, unsigned int, uint4, Unsigned)
HEDDLE_TEXELS(float, float, float4, Float)
#undef HEDDLE_TEXELS
#undef HEDDLE_TEXEL

template <class T> static inline __host__ cudaChannelFormatDesc cudaCreateChannelDesc(void)
{
	typedef heddle_texel<T> e;
	int b = e::bits;
	cudaChannelFormatDesc d = {b, e::n > 1 ? b : 0, e::n > 2 ? b : 0, e::n > 3 ? b : 0, e::kind};
	return d;
}

template <class T, int dim, cudaTextureReadMode mode>
inline __host__ texture<T, dim, mode>::texture(int norm, cudaTextureFilterMode filter, cudaTextureAddressMode address)
	: texture(norm, filter, address, cudaCreateChannelDesc<T>())
{
}

/* The compiler turns a texture passed by value into its 64-bit handle. */
template <class H> static __inline__ __device__ heddle_u64 heddle_texture_handle(H texture)
{
	heddle_u64 handle;
	__asm__("mov.b64 %0, %1;" : "=l"(handle) : "l"(texture));
	return handle;
}

/* A fetch of four components, for each kind of coordinate. */
#define HEDDLE_FETCH(R, TYPE, C) \
	static __inline__ __device__ void heddle_tex_1d(R &r, heddle_u64 h, int x) \
	{ \
		__asm__ volatile("tex.1d.v4." TYPE ".s32 {%0, %1, %2, %3}, [%4, {%5}];" \
			: "=" C(r.x), "=" C(r.y), "=" C(r.z), "=" C(r.w) : "l"(h), "r"(x)); \
	} \
	static __inline__ __device__ void heddle_tex_1d(R &r, heddle_u64 h, float x) \
	{ \
		__asm__ volatile("tex.1d.v4." TYPE ".f32 {%0, %1, %2, %3}, [%4, {%5}];" \
			: "=" C(r.x), "=" C(r.y), "=" C(r.z), "=" C(r.w) : "l"(h), "f"(x)); \
	} \
	static __inline__ __device__ void heddle_tex_2d(R &r, heddle_u64 h, float x, float y) \
	{ \
		__asm__ volatile("tex.2d.v4." TYPE ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];" \
			: "=" C(r.x), "=" C(r.y), "=" C(r.z), "=" C(r.w) : "l"(h), "f"(x), "f"(y)); \
	} \
	static __inline__ __device__ void heddle_tex_3d(R &r, heddle_u64 h, float x, float y, float z) \
	{ \
		__asm__ volatile("tex.3d.v4." TYPE ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];" \
			: "=" C(r.x), "=" C(r.y), "=" C(r.z), "=" C(r.w) : "l"(h), "f"(x), "f"(y), "f"(z)); \
	} \
	static __inline__ __device__ void heddle_tex_a1d(R &r, heddle_u64 h, float x, int layer) \
	{ \
		__asm__ volatile("tex.a1d.v4." TYPE ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];" \
			: "=" C(r.x), "=" C(r.y), "=" C(r.z), "=" C(r.w) : "l"(h), "r"(layer), "f"(x)); \
	} \
	static __inline__ __device__ void heddle_tex_a2d(R &r, heddle_u64 h, float x, float y, int layer) \
	{ \
		__asm__ volatile("tex.a2d.v4." TYPE ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];" \
			: "=" C(r.x), "=" C(r.y), "=" C(r.z), "=" C(r.w) : "l"(h), "r"(layer), "f"(x), "f"(y)); \
	} \
	static __inline__ __device__ void heddle_tex_cube(R &r, heddle_u64 h, float x, float y, float z) \
	{ \
		__asm__ volatile("tex.cube.v4." TYPE ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];" \
			: "=" C(r.x), "=" C(r.y), "=" C(r.z), "=" C(r.w) : "l"(h), "f"(x), "f"(y), "f"(z)); \
	} \
	static __inline__ __device__ void heddle_tex_acube(R &r, heddle_u64 h, float x, float y, float z, int layer) \
	{ \
		__asm__ volatile("tex.acube.v4." TYPE ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %8}];" \
			: "=" C(r.x), "=" C(r.y), "=" C(r.z), "=" C(r.w) : "l"(h), "r"(layer), "f"(x), "f"(y), "f"(z)); \
	} \
	static __inline__ __device__ void heddle_tex_level_1d(R &r, heddle_u64 h, float x, float level) \
	{ \
		__asm__ volatile("tex.level.1d.v4." TYPE ".f32 {%0, %1, %2, %3}, [%4, {%5}], %6;" \
			: "=" C(r.x), "=" C(r.y), "=" C(r.z), "=" C(r.w) : "l"(h), "f"(x), "f"(level)); \
	} \
	static __inline__ __device__ void heddle_tex_level_2d(R &r, heddle_u64 h, float x, float y, float level) \
	{ \
		__asm__ volatile("tex.level.2d.v4." TYPE ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}], %7;" \
			: "=" C(r.x), "=" C(r.y), "=" C(r.z), "=" C(r.w) : "l"(h), "f"(x), "f"(y), "f"(level)); \
	} \
	static __inline__ __device__ void heddle_tex_level_a2d(R &r, heddle_u64 h, float x, float y, int layer, float level) \
	{ \
		__asm__ volatile("tex.level.a2d.v4." TYPE ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}], %8;" \
			: "=" C(r.x), "=" C(r.y), "=" C(r.z), "=" C(r.w) : "l"(h), "r"(layer), "f"(x), "f"(y), "f"(level)); \
	} \
	static __inline__ __device__ void heddle_tex_level_3d(R &r, heddle_u64 h, float x, float y, float z, float level) \
	{ \
		__asm__ volatile("tex.level.3d.v4." TYPE ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}], %8;" \
			: "=" C(r.x), "=" C(r.y), "=" C(r.z), "=" C(r.w) : "l"(h), "f"(x), "f"(y), "f"(z), "f"(level)); \
	} \
	static __inline__ __device__ void heddle_tex_level_cube(R &r, heddle_u64 h, float x, float y, float z, float level) \
	{ \
		__asm__ volatile("tex.level.cube.v4." TYPE ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}], %8;" \
			: "=" C(r.x), "=" C(r.y), "=" C(r.z), "=" C(r.w) : "l"(h), "f"(x), "f"(y), "f"(z), "f"(level)); \
	} \
	static __inline__ __device__ void heddle_tex_grad_1d(R &r, heddle_u64 h, float x, float dx, float dy) \
	{ \
		__asm__ volatile("tex.grad.1d.v4." TYPE ".f32 {%0, %1, %2, %3}, [%4, {%5}], {%6}, {%7};" \
			: "=" C(r.x), "=" C(r.y), "=" C(r.z), "=" C(r.w) : "l"(h), "f"(x), "f"(dx), "f"(dy)); \
	} \
	static __inline__ __device__ void heddle_tex_grad_2d(R &r, heddle_u64 h, float x, float y, float2 dx, float2 dy) \
	{ \
		__asm__ volatile("tex.grad.2d.v4." TYPE ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}], {%7, %8}, {%9, %10};" \
			: "=" C(r.x), "=" C(r.y), "=" C(r.z), "=" C(r.w) \
			: "l"(h), "f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y)); \
	} \
	HEDDLE_GATHER(R, TYPE, C, r) \
	HEDDLE_GATHER(R, TYPE, C, g) \
	HEDDLE_GATHER(R, TYPE, C, b) \
	HEDDLE_GATHER(R, TYPE, C, a) \
	static __inline__ __device__ void heddle_tex_gather(R &r, heddle_u64 h, float x, float y, int channel) \
	{ \
		switch (channel) { \
		case 0: heddle_tex_gather_r(r, h, x, y); break; \
		case 1: heddle_tex_gather_g(r, h, x, y); break; \
		case 2: heddle_tex_gather_b(r, h, x, y); break; \
		default: heddle_tex_gather_a(r, h, x, y); \
		} \
	}
#define HEDDLE_GATHER(R, TYPE, C, CHANNEL) \
	static __inline__ __device__ void heddle_tex_gather_##CHANNEL(R &r, heddle_u64 h, float x, float y) \
	{ \
		__asm__ volatile("tld4." #CHANNEL ".2d.v4." TYPE ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];" \
			: "=" C(r.x), "=" C(r.y), "=" C(r.z), "=" C(r.w) : "l"(h), "f"(x), "f"(y)); \
	}
HEDDLE_FETCH(float4, "f32", "f")
HEDDLE_FETCH(int4, "s32", "r")
HEDDLE_FETCH(uint4, "u32", "r")
#undef HEDDLE_FETCH
#undef HEDDLE_GATHER

/* The first components of a fetch as the texture's own type. */
template <class T, int n = heddle_texel<T>::n> struct heddle_narrow;
template <class T> struct heddle_narrow<T, 1> {
	/* T is a scalar or a structure of one. */
	template <class F> static __inline__ __device__ T of(F f)
	{
		typename heddle_texel<T>::base first = f.x;
		T r;
		memcpy(&r, &first, sizeof(r));
		return r;
	}
};
template <class T> struct heddle_narrow<T, 2> {
	template <class F> static __inline__ __device__ T of(F f)
	{
		T r;
		r.x = f.x;
		r.y = f.y;
		return r;
	}
};
template <class T> struct heddle_narrow<T, 4> {
	template <class F> static __inline__ __device__ T of(F f)
	{
		T r;
		r.x = f.x;
		r.y = f.y;
		r.z = f.z;
		r.w = f.w;
		return r;
	}
};
template <int n> struct heddle_float;
template <> struct heddle_float<1> { typedef float type; };
template <> struct heddle_float<2> { typedef float2 type; };
template <> struct heddle_float<4> { typedef float4 type; };

/* The result of a fetch: the element itself, or for cudaReadModeNormalizedFloat as many floats. */
template <class T, cudaTextureReadMode mode> struct heddle_read {
	typedef T result;
	typedef typename heddle_texel<T>::fetch fetch;
};
template <class T> struct heddle_read<T, cudaReadModeNormalizedFloat> {
	typedef typename heddle_float<heddle_texel<T>::n>::type result;
	typedef float4 fetch;
};
#define HEDDLE_RESULT(T, M) typename heddle_read<T, M>::result

#define HEDDLE_SAMPLE(NAME, DIM, FETCH, PARAMS, ARGS) \
	template <class T, cudaTextureReadMode M> \
	static __inline__ __device__ HEDDLE_RESULT(T, M) NAME(texture<T, DIM, M> t, PARAMS) \
	{ \
		typename heddle_read<T, M>::fetch r; \
		FETCH(r, heddle_texture_handle(t), ARGS); \
		return heddle_narrow<HEDDLE_RESULT(T, M)>::of(r); \
	}
#define HEDDLE_LIST(...) __VA_ARGS__
HEDDLE_SAMPLE(tex1Dfetch, cudaTextureType1D, heddle_tex_1d, int x, x)
HEDDLE_SAMPLE(tex1D, cudaTextureType1D, heddle_tex_1d, float x, x)
HEDDLE_SAMPLE(tex2D, cudaTextureType2D, heddle_tex_2d, HEDDLE_LIST(float x, float y), HEDDLE_LIST(x, y))
HEDDLE_SAMPLE(tex3D, cudaTextureType3D, heddle_tex_3d, HEDDLE_LIST(float x, float y, float z), HEDDLE_LIST(x, y, z))
#undef HEDDLE_SAMPLE

/* A texture object does not tell its element type. The second form stores the element instead of returning it. */
#define HEDDLE_SAMPLE(NAME, FETCH, PARAMS, ARGS) \
	template <class T> static __inline__ __device__ T NAME(cudaTextureObject_t object, PARAMS) \
	{ \
		typename heddle_texel<T>::fetch r; \
		FETCH(r, object, ARGS); \
		return heddle_narrow<T>::of(r); \
	} \
	template <class T> static __inline__ __device__ void NAME(T *out, cudaTextureObject_t object, PARAMS) \
	{ \
		*out = NAME<T>(object, ARGS); \
	}
HEDDLE_SAMPLE(tex1Dfetch, heddle_tex_1d, int x, x)
HEDDLE_SAMPLE(tex1D, heddle_tex_1d, float x, x)
HEDDLE_SAMPLE(tex2D, heddle_tex_2d, HEDDLE_LIST(float x, float y), HEDDLE_LIST(x, y))
HEDDLE_SAMPLE(tex3D, heddle_tex_3d, HEDDLE_LIST(float x, float y, float z), HEDDLE_LIST(x, y, z))
HEDDLE_SAMPLE(tex1DLayered, heddle_tex_a1d, HEDDLE_LIST(float x, int layer), HEDDLE_LIST(x, layer))
HEDDLE_SAMPLE(tex2DLayered, heddle_tex_a2d, HEDDLE_LIST(float x, float y, int layer), HEDDLE_LIST(x, y, layer))
HEDDLE_SAMPLE(texCubemap, heddle_tex_cube, HEDDLE_LIST(float x, float y, float z), HEDDLE_LIST(x, y, z))
HEDDLE_SAMPLE(texCubemapLayered, heddle_tex_acube, HEDDLE_LIST(float x, float y, float z, int layer), HEDDLE_LIST(x, y, z, layer))
HEDDLE_SAMPLE(tex1DLod, heddle_tex_level_1d, HEDDLE_LIST(float x, float level), HEDDLE_LIST(x, level))
HEDDLE_SAMPLE(tex2DLod, heddle_tex_level_2d, HEDDLE_LIST(float x, float y, float level), HEDDLE_LIST(x, y, level))
HEDDLE_SAMPLE(tex2DLayeredLod, heddle_tex_level_a2d, HEDDLE_LIST(float x, float y, int layer, float level),
	HEDDLE_LIST(x, y, layer, level))
HEDDLE_SAMPLE(tex3DLod, heddle_tex_level_3d, HEDDLE_LIST(float x, float y, float z, float level), HEDDLE_LIST(x, y, z, level))
HEDDLE_SAMPLE(texCubemapLod, heddle_tex_level_cube, HEDDLE_LIST(float x, float y, float z, float level), HEDDLE_LIST(x, y, z, level))
HEDDLE_SAMPLE(tex1DGrad, heddle_tex_grad_1d, HEDDLE_LIST(float x, float dx, float dy), HEDDLE_LIST(x, dx, dy))
HEDDLE_SAMPLE(tex2DGrad, heddle_tex_grad_2d, HEDDLE_LIST(float x, float y, float2 dx, float2 dy), HEDDLE_LIST(x, y, dx, dy))
#undef HEDDLE_SAMPLE
template <class T>
static __inline__ __device__ T tex2Dgather(cudaTextureObject_t object, float x, float y, int comp = 0)
{
	typename heddle_texel<T>::fetch r;
	heddle_tex_gather(r, object, x, y, comp);
	return heddle_narrow<T>::of(r);
}
#undef HEDDLE_LIST
#undef HEDDLE_RESULT

/* The C++ forms of binding, which take the element type from the texture. */
template <class T, int dim, cudaTextureReadMode mode> static inline cudaError_t cudaBindTexture(size_t *offset,
	const texture<T, dim, mode> &t, const void *ptr, const cudaChannelFormatDesc &desc, size_t size = UINT_MAX)
{
	return cudaBindTexture(offset, (const textureReference *)&t, ptr, &desc, size);
}

template <class T, int dim, cudaTextureReadMode mode> static inline cudaError_t cudaBindTexture(size_t *offset,
	const texture<T, dim, mode> &t, const void *ptr, size_t size = UINT_MAX)
{
	return cudaBindTexture(offset, t, ptr, t.channelDesc, size);
}

template <class T, int dim, cudaTextureReadMode mode> static inline cudaError_t cudaBindTexture2D(size_t *offset,
	const texture<T, dim, mode> &t, const void *ptr, const cudaChannelFormatDesc &desc, size_t width, size_t height,
	size_t pitch)
{
	return cudaBindTexture2D(offset, (const textureReference *)&t, ptr, &desc, width, height, pitch);
}

template <class T, int dim, cudaTextureReadMode mode> static inline cudaError_t cudaBindTexture2D(size_t *offset,
	const texture<T, dim, mode> &t, const void *ptr, size_t width, size_t height, size_t pitch)
{
	return cudaBindTexture2D(offset, t, ptr, t.channelDesc, width, height, pitch);
}

template <class T, int dim, cudaTextureReadMode mode> static inline cudaError_t cudaBindTextureToArray(
	const texture<T, dim, mode> &t, cudaArray_const_t array, const cudaChannelFormatDesc &desc)
{
	return cudaBindTextureToArray((const textureReference *)&t, array, &desc);
}

template <class T, int dim, cudaTextureReadMode mode> static inline cudaError_t cudaBindTextureToArray(
	const texture<T, dim, mode> &t, cudaArray_const_t array)
{
	cudaChannelFormatDesc desc;
	cudaError_t e = cudaGetChannelDesc(&desc, array);
	return e == cudaSuccess ? cudaBindTextureToArray(t, array, desc) : e;
}

template <class T, int dim, cudaTextureReadMode mode> static inline cudaError_t cudaUnbindTexture(
	const texture<T, dim, mode> &t)
{
	return cudaUnbindTexture((const textureReference *)&t);
}

template <class T, int dim, cudaTextureReadMode mode> static inline cudaError_t cudaGetTextureAlignmentOffset(
	size_t *offset, const texture<T, dim, mode> &t)
{
	return cudaGetTextureAlignmentOffset(offset, (const textureReference *)&t);
}

#endif
