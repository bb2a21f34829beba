// Which Heddle this is.
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

extern const char heddle_version[];
// The commit that was built, with a + behind it if files had changed since; "unknown" where the tree is no checkout.
extern const char heddle_commit[];

// The names of this build in the form of GPGPU-Sim's and Accel-Sim's, whose scripts look for them in libcudart.so and
// accel-sim.out with `strings`. Builds of different code have different names: the scripts keep a copy of each by name.
// Their regular expressions want no blank, no quote, and nothing behind `_modified_` but up to `.so`.
extern const char heddle_gpgpusim_build[], heddle_accelsim_build[];

#endif
