// The file of a checkpoint: a few lines of text, then one frame of Zstandard with a checksum, in which the text stands
// once more. It is written under another name and takes its own when it is whole and on disk, so a file of that name is
// never half of one.
#ifndef LIBCUDA_CHECKPOINT_STREAM_H
#define LIBCUDA_CHECKPOINT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// --- writing. What fails is remembered and told by ckpt_commit.

struct ckpt_out;

// `head` is lines, each with its newline. NULL with errno.
struct ckpt_out *ckpt_create(const char *path, const char *head);
void ckpt_put(struct ckpt_out *o, const void *p, size_t n);
void ckpt_put_tag(struct ckpt_out *o, int tag); // a byte
void ckpt_put_number(struct ckpt_out *o, uint64_t v);
void ckpt_put_text(struct ckpt_out *o, const char *s);
// Frees it. 0, or an errno: then there is no new file, and an old one of that name is as it was.
int ckpt_commit(struct ckpt_out *o);
void ckpt_drop(struct ckpt_out *o); // frees it and removes what was written; NULL: nothing

// --- reading

struct ckpt_in;

// Reads all of it once. NULL, with why in words, if it is no checkpoint of this version or damaged.
struct ckpt_in *ckpt_open(const char *path, char *why, size_t room);
const char *ckpt_head(const struct ckpt_in *in); // its lines
// False, and zeros, behind the end: then it is no file of ours, since the checksum was right.
bool ckpt_get(struct ckpt_in *in, void *p, size_t n);
uint64_t ckpt_get_number(struct ckpt_in *in);
char *ckpt_get_text(struct ckpt_in *in); // for mem_free; of at most 64 KiB
bool ckpt_ended_early(const struct ckpt_in *in);
void ckpt_close(struct ckpt_in *in);

#endif
