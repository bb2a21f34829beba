"""Floating-point operations by the text of instructions."""

import unittest

from heddle import flops


class Texts(unittest.TestCase):
    def test_ptx(self):
        for text, wanted in {
                "add.f32 %f1, %f2, %f3": (1, 0), "@%p1 fma.rn.f32 %f1, %f2, %f3, %f4": (2, 0), "@!%p1 mul.rn.ftz.f64 a, b, c": (1, 0),
                "fma.rn.f16x2 a, b, c, d": (4, 0), "sub.bf16x2 a, b, c": (2, 0), "add.s32 a, b, c": (0, 0), "mad.lo.s32 a, b, c, d": (0, 0),
                "mov.f32 a, b": (0, 0), "div.rn.f32 a, b, c": (0, 0), "atom.global.add.f32 a, [b], c": (0, 0), "ld.global.f32 a, [b]": (0, 0),
                "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 a, b, c, d": (0, 4096),
                "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 a, b, c, d, e, 0": (0, 4096),
                "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 a, b, c, d": (0, 0),
                "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 a, b, c, d": (0, 8192),
                "wmma.load.a.sync.aligned.row.m16n16k16.f16 a, [b]": (0, 0),
                "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 a, b, c": (0, 65536),
        }.items():
            self.assertEqual(flops.of_text(text, "ptx"), wanted, text)

    def test_machine_code(self):
        for text, wanted in {
                "FFMA R1, R2, R3, R4": (2, 0), "@!P0 FADD.FTZ R1, R2, R3": (1, 0), "@UP0 DFMA R2, R4, R6, R8": (2, 0), "HFMA2.MMA R1, R2, R3, R4": (4, 0),
                "HADD2.F32 R1, -RZ, R2.H0_H0": (2, 0), "IMAD R1, R2, R3, R4": (0, 0), "FSETP.GT.AND P0, PT, R1, R2, PT": (0, 0), "MUFU.RCP R1, R2": (0, 0),
                "HMMA.16816.F32 R4, R8, R12, R4": (0, 4096), "HMMA.1688.F32.TF32 R4, R8, R12, R4": (0, 2048), "HMMA.884.F32.F32.STEP0 R4, R8, R12, R4": (0, 0),
                "DMMA.884 R4, R8, R12, R4": (0, 512), "HGMMA.64x128x16.F32 R24, gdesc[UR4], R24": (0, 65536), "IMMA.16832.S8.S8 R4, R8, R12, R4": (0, 0),
        }.items():
            self.assertEqual(flops.of_text(text, "sass"), wanted, text)


if __name__ == "__main__":
    unittest.main()
