#include "libcuda/image/closed.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

// What a program can do instead.
static const struct {
	const char *prefix, *instead;
} libraries[] = {
	{"libcublas", "start the program with heddle run, which puts a stand-in for it in front"},
	{"libcudnn", "switch it off (torch.backends.cudnn.enabled = False)"},
	{"libcufft", "there is no stand-in"},
	{"libcusolver", "there is no stand-in"},
	{"libcusparse", "there is no stand-in"},
	{"libcurand", "there is no stand-in; random numbers by kernels, as PyTorch and CuPy's Generator make them, work"},
	{"libcutensor", "there is no stand-in"},
	{"libnccl", "one GPU needs none"},
	{"libnvshmem", "one GPU needs none"},
	{"libnpp", "there is no stand-in"},
	{"libnvjpeg", "there is no stand-in"},
	{"libcufile", "read files by way of host memory"},
};
enum { LIBRARIES = sizeof libraries / sizeof *libraries };

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

int closed_library(const char *path)
{
	for (int i = 0; i < LIBRARIES; i++)
		if (!strncmp(file_name(path), libraries[i].prefix, strlen(libraries[i].prefix)))
			return i;
	return -1;
}

bool closed_tell_why(const char *path, const char *why)
{
	static atomic_flag told[LIBRARIES];
	int i = closed_library(path);
	if (i >= 0 && !atomic_flag_test_and_set(&told[i]))
		fprintf(stderr, "heddle: %s cannot run here and will say so: %s; %s\n", file_name(path), why, libraries[i].instead);
	return i >= 0;
}

void closed_tell(const char *path)
{
	closed_tell_why(path, "its stripped CUDA runtime wants parts of the driver that are not documented");
}
