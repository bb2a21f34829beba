// Files that are written. None is opened through a symbolic link: in a folder that others write to, or in one that was
// copied, a link could lead anywhere. /dev/stdout, /dev/stderr and /dev/fd/N mean this process's own open files, which are
// not emptied; fifos and devices are opened as they are.
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

// Created, or emptied; `append`: not emptied, and written at its end. A negative number or NULL with errno if that cannot
// be done.
int output_open_fd(const char *path, bool append);
// A stream to a file whose name ends in .gz or .zst is packed: what is in the file is whole after every flush (base/pack.h).
FILE *output_open(const char *path);
// The same when the first bytes leave the stream's buffer; a file to which nothing is written is not made. That it cannot be
// opened is then an error of the stream.
FILE *output_open_later(const char *path);

// Whether the name means a file that this process has open already, and others may write to as well.
bool output_is_open_already(const char *path);

// What keeps a file from being written, as errno, without opening or creating it; 0 if nothing does.
int output_check(const char *path);

// The same as a sentence for people.
const char *output_why(int error);

// Empties the file if it is there, so that nobody takes what an earlier run left for this run's. Leaves links, fifos and
// devices alone.
void output_empty(const char *path);

// Between these two a write of this thread to a closed pipe fails with EPIPE and raises no signal.
struct output_hold {
	sigset_t old;
	bool pending; // a signal was there before
};
void output_hold_signal(struct output_hold *h);
void output_drop_signal(const struct output_hold *h);

// Writes through to the file, between those two. False with errno.
bool output_write_through(FILE *to, const char *text, size_t len);

#endif
