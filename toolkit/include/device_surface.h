/* Surface objects: surf2Dread<float>(object, x, y), and references: surface<void, 2> s; surf2Dread<float>(s, x, y). x is in bytes. */
#ifndef HEDDLE_DEVICE_SURFACE_H
#define HEDDLE_DEVICE_SURFACE_H

template <class T, int dim = 1> struct __attribute__((device_builtin_surface_type)) surface : public surfaceReference {
	__host__ surface() { channelDesc = cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone); }
};
template <int dim> struct __attribute__((device_builtin_surface_type)) surface<void, dim> : public surfaceReference {
	__host__ surface() { channelDesc = cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone); }
};

/* One instruction for each boundary mode, by which the compiler chooses: the mode is a constant nearly always. */
#define HEDDLE_BY_MODE(BEFORE, AFTER, ...) \
	do { \
		if (mode == cudaBoundaryModeTrap) \
			__asm__ volatile(BEFORE ".trap" AFTER __VA_ARGS__); \
		else if (mode == cudaBoundaryModeClamp) \
			__asm__ volatile(BEFORE ".clamp" AFTER __VA_ARGS__); \
		else \
			__asm__ volatile(BEFORE ".zero" AFTER __VA_ARGS__); \
	} while (0)

/* Elements by their bytes. GEOM: the instruction's geometry; AT: its coordinates, from operand N on, and from operand 1 on. */
template <int bytes> struct heddle_surface;
#define HEDDLE_ELEMENT(V, TYPE, C, GEOM, PARAMS, AT, ...) \
	static __inline__ __device__ void load_##GEOM(V v[1], heddle_u64 h, PARAMS, cudaSurfaceBoundaryMode mode) \
	{ \
		HEDDLE_BY_MODE("suld.b." #GEOM TYPE, " {%0}, [%1, " AT(2, 3, 4) "];", : "=" C(v[0]) : "l"(h), __VA_ARGS__ : "memory"); \
	} \
	static __inline__ __device__ void store_##GEOM(const V v[1], heddle_u64 h, PARAMS, cudaSurfaceBoundaryMode mode) \
	{ \
		HEDDLE_BY_MODE("sust.b." #GEOM TYPE, " [%1, " AT(2, 3, 4) "], {%0};", : : C(v[0]), "l"(h), __VA_ARGS__ : "memory"); \
	}
#define HEDDLE_ELEMENT_2(V, TYPE, C, GEOM, PARAMS, AT, ...) \
	static __inline__ __device__ void load_##GEOM(V v[2], heddle_u64 h, PARAMS, cudaSurfaceBoundaryMode mode) \
	{ \
		HEDDLE_BY_MODE("suld.b." #GEOM TYPE, " {%0, %1}, [%2, " AT(3, 4, 5) "];", : "=" C(v[0]), "=" C(v[1]) : "l"(h), __VA_ARGS__ : "memory"); \
	} \
	static __inline__ __device__ void store_##GEOM(const V v[2], heddle_u64 h, PARAMS, cudaSurfaceBoundaryMode mode) \
	{ \
		HEDDLE_BY_MODE("sust.b." #GEOM TYPE, " [%2, " AT(3, 4, 5) "], {%0, %1};", : : C(v[0]), C(v[1]), "l"(h), __VA_ARGS__ : "memory"); \
	}
#define HEDDLE_ELEMENT_4(V, TYPE, C, GEOM, PARAMS, AT, ...) \
	static __inline__ __device__ void load_##GEOM(V v[4], heddle_u64 h, PARAMS, cudaSurfaceBoundaryMode mode) \
	{ \
		HEDDLE_BY_MODE("suld.b." #GEOM TYPE, " {%0, %1, %2, %3}, [%4, " AT(5, 6, 7) "];", \
			: "=" C(v[0]), "=" C(v[1]), "=" C(v[2]), "=" C(v[3]) : "l"(h), __VA_ARGS__ : "memory"); \
	} \
	static __inline__ __device__ void store_##GEOM(const V v[4], heddle_u64 h, PARAMS, cudaSurfaceBoundaryMode mode) \
	{ \
		HEDDLE_BY_MODE("sust.b." #GEOM TYPE, " [%4, " AT(5, 6, 7) "], {%0, %1, %2, %3};", \
			: : C(v[0]), C(v[1]), C(v[2]), C(v[3]), "l"(h), __VA_ARGS__ : "memory"); \
	}
#define HEDDLE_AT_1(x, y, z) "{%" #x "}"
#define HEDDLE_AT_2(x, y, z) "{%" #x ", %" #y "}"
#define HEDDLE_AT_3(x, y, z) "{%" #x ", %" #y ", %" #z ", %" #z "}"
#define HEDDLE_LIST(...) __VA_ARGS__
#define HEDDLE_BYTES(N, ELEMENT, V, TYPE, C) \
	template <> struct heddle_surface<N> { \
		typedef V part; \
		ELEMENT(V, TYPE, C, 1d, int x, HEDDLE_AT_1, "r"(x)) \
		ELEMENT(V, TYPE, C, 2d, HEDDLE_LIST(int x, int y), HEDDLE_AT_2, "r"(x), "r"(y)) \
		ELEMENT(V, TYPE, C, 3d, HEDDLE_LIST(int x, int y, int z), HEDDLE_AT_3, "r"(x), "r"(y), "r"(z)) \
		ELEMENT(V, TYPE, C, a1d, HEDDLE_LIST(int x, int layer), HEDDLE_AT_2, "r"(layer), "r"(x)) \
		ELEMENT(V, TYPE, C, a2d, HEDDLE_LIST(int x, int y, int layer), HEDDLE_AT_3, "r"(layer), "r"(x), "r"(y)) \
	};
HEDDLE_BYTES(1, HEDDLE_ELEMENT, unsigned short, ".b8", "h")
HEDDLE_BYTES(2, HEDDLE_ELEMENT, unsigned short, ".b16", "h")
HEDDLE_BYTES(4, HEDDLE_ELEMENT, unsigned int, ".b32", "r")
HEDDLE_BYTES(8, HEDDLE_ELEMENT_2, unsigned int, ".v2.b32", "r")
HEDDLE_BYTES(16, HEDDLE_ELEMENT_4, unsigned int, ".v4.b32", "r")
#undef HEDDLE_BYTES
#undef HEDDLE_AT_1
#undef HEDDLE_AT_2
#undef HEDDLE_AT_3
#undef HEDDLE_ELEMENT
#undef HEDDLE_ELEMENT_2
#undef HEDDLE_ELEMENT_4
#undef HEDDLE_BY_MODE

/* The functions of the CUDA C++ Programming Guide, for objects and for references. */
#define HEDDLE_SURFACE(NAME, GEOM, SURFACE, HANDLE, PARAMS, ARGS, ...) \
	template <class T, ##__VA_ARGS__> static __inline__ __device__ void NAME##read(T *out, SURFACE s, PARAMS, \
		cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
	{ \
		typename heddle_surface<sizeof(T)>::part v[4]; \
		heddle_surface<sizeof(T)>::load_##GEOM(v, HANDLE, ARGS, mode); \
		memcpy(out, v, sizeof(T)); \
	} \
	template <class T, ##__VA_ARGS__> static __inline__ __device__ T NAME##read(SURFACE s, PARAMS, \
		cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
	{ \
		T v; \
		NAME##read(&v, s, ARGS, mode); \
		return v; \
	} \
	template <class T, ##__VA_ARGS__> static __inline__ __device__ void NAME##write(T value, SURFACE s, PARAMS, \
		cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
	{ \
		typename heddle_surface<sizeof(T)>::part v[4] = {0}; \
		memcpy(v, &value, sizeof(T)); \
		heddle_surface<sizeof(T)>::store_##GEOM(v, HANDLE, ARGS, mode); \
	}
#define HEDDLE_OBJECT(NAME, GEOM, PARAMS, ARGS) \
	HEDDLE_SURFACE(NAME, GEOM, cudaSurfaceObject_t, s, HEDDLE_LIST(PARAMS), HEDDLE_LIST(ARGS))
HEDDLE_OBJECT(surf1D, 1d, int x, x)
HEDDLE_OBJECT(surf2D, 2d, HEDDLE_LIST(int x, int y), HEDDLE_LIST(x, y))
HEDDLE_OBJECT(surf3D, 3d, HEDDLE_LIST(int x, int y, int z), HEDDLE_LIST(x, y, z))
HEDDLE_OBJECT(surf1DLayered, a1d, HEDDLE_LIST(int x, int layer), HEDDLE_LIST(x, layer))
HEDDLE_OBJECT(surf2DLayered, a2d, HEDDLE_LIST(int x, int y, int layer), HEDDLE_LIST(x, y, layer))
HEDDLE_OBJECT(surfCubemap, a2d, HEDDLE_LIST(int x, int y, int face), HEDDLE_LIST(x, y, face))
HEDDLE_OBJECT(surfCubemapLayered, a2d, HEDDLE_LIST(int x, int y, int layer_face), HEDDLE_LIST(x, y, layer_face))
#undef HEDDLE_OBJECT
#define HEDDLE_REFERENCE(NAME, GEOM, DIM, PARAMS, ARGS) \
	HEDDLE_SURFACE(NAME, GEOM, surface<void HEDDLE_COMMA DIM>, heddle_texture_handle(s), HEDDLE_LIST(PARAMS), HEDDLE_LIST(ARGS))
#define HEDDLE_COMMA ,
HEDDLE_REFERENCE(surf1D, 1d, cudaSurfaceType1D, int x, x)
HEDDLE_REFERENCE(surf2D, 2d, cudaSurfaceType2D, HEDDLE_LIST(int x, int y), HEDDLE_LIST(x, y))
HEDDLE_REFERENCE(surf3D, 3d, cudaSurfaceType3D, HEDDLE_LIST(int x, int y, int z), HEDDLE_LIST(x, y, z))
HEDDLE_REFERENCE(surf1DLayered, a1d, cudaSurfaceType1DLayered, HEDDLE_LIST(int x, int layer), HEDDLE_LIST(x, layer))
HEDDLE_REFERENCE(surf2DLayered, a2d, cudaSurfaceType2DLayered, HEDDLE_LIST(int x, int y, int layer), HEDDLE_LIST(x, y, layer))
#undef HEDDLE_REFERENCE
#undef HEDDLE_COMMA
#undef HEDDLE_SURFACE
#undef HEDDLE_LIST

template <class T, int dim> static inline cudaError_t cudaBindSurfaceToArray(const surface<T, dim> &s, cudaArray_const_t array)
{
	cudaChannelFormatDesc desc;
	cudaError_t e = cudaGetChannelDesc(&desc, array);
	return e == cudaSuccess ? cudaBindSurfaceToArray((const surfaceReference *)&s, array, &desc) : e;
}

#endif
