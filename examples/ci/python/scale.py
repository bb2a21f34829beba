"""Scales numbers on the GPU: a kernel in PTX, launched by the CUDA driver, with nothing but ctypes."""

import array
import ctypes

PTX = b"""
.version 7.0
.target sm_75
.address_size 64

.visible .entry scale(.param .u64 data, .param .f32 factor, .param .u32 n)
{
	.reg .pred %p;
	.reg .b32 %i, %n, %t;
	.reg .b64 %at, %offset;
	.reg .f32 %x, %f;

	mov.u32 %i, %ctaid.x;
	mov.u32 %t, %ntid.x;
	mul.lo.u32 %i, %i, %t;
	mov.u32 %t, %tid.x;
	add.u32 %i, %i, %t;
	ld.param.u32 %n, [n];
	setp.ge.u32 %p, %i, %n;
	@%p ret;
	ld.param.u64 %at, [data];
	ld.param.f32 %f, [factor];
	mul.wide.u32 %offset, %i, 4;
	add.u64 %at, %at, %offset;
	ld.global.f32 %x, [%at];
	mul.f32 %x, %x, %f;
	st.global.f32 [%at], %x;
	ret;
}
"""


class CudaError(Exception):
    """A call of the driver failed."""


class Gpu:
    """The first GPU, with a context of its own. To be used in a `with` statement."""

    def __init__(self):
        self.driver = ctypes.CDLL("libcuda.so.1")
        self.context = ctypes.c_void_p()
        device = ctypes.c_int()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuCtxCreate_v2", ctypes.byref(self.context), 0, device)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.call("cuCtxDestroy_v2", self.context)

    def call(self, name, *arguments):
        """Calls a function of the driver. CudaError if it fails."""
        error = getattr(self.driver, name)(*arguments)
        if error:
            text = ctypes.c_char_p()
            self.driver.cuGetErrorName(error, ctypes.byref(text))
            raise CudaError("%s: %s" % (name, (text.value or b"error %d" % error).decode()))

    def scale(self, numbers, factor):
        """The numbers, each times the factor, in single precision."""
        host = array.array("f", numbers)
        if not host:
            return []
        size = ctypes.c_size_t(len(host) * host.itemsize)
        at = ctypes.c_void_p(host.buffer_info()[0])
        module, kernel, data = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64()
        self.call("cuModuleLoadData", ctypes.byref(module), PTX)
        self.call("cuModuleGetFunction", ctypes.byref(kernel), module, b"scale")
        self.call("cuMemAlloc_v2", ctypes.byref(data), size)
        try:
            self.call("cuMemcpyHtoD_v2", data, at, size)
            values = data, ctypes.c_float(factor), ctypes.c_uint(len(host))
            parameters = (ctypes.c_void_p * len(values))(*(ctypes.addressof(v) for v in values))
            threads = 128
            blocks = (len(host) + threads - 1) // threads
            self.call("cuLaunchKernel", kernel, blocks, 1, 1, threads, 1, 1, 0, None, parameters, None)
            self.call("cuMemcpyDtoH_v2", at, data, size)
        finally:
            self.call("cuMemFree_v2", data)
            self.call("cuModuleUnload", module)
        return list(host)
