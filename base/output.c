#include "base/output.h"

#include "base/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// The number of an open file that the path is another name of, -1: none.
static int own_file(const char *path)
{
	static const char *const folder[] = {"/dev/fd/", "/proc/self/fd/"};
	if (!strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	for (size_t i = 0; i < sizeof folder / sizeof *folder; i++) {
		size_t n = strlen(folder[i]);
		char *end;
		if (strncmp(path, folder[i], n) || path[n] < '0' || path[n] > '9')
			continue;
		long fd = strtol(path + n, &end, 10);
		if (!*end && fd <= 1 << 20)
			return (int)fd;
	}
	return -1;
}

bool output_is_open_already(const char *path) { return own_file(path) >= 0; }

int output_open_fd(const char *path, bool append)
{
	int own = own_file(path);
	if (own >= 0)
		return fcntl(own, F_DUPFD_CLOEXEC, 0);
	return open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (append ? O_APPEND : O_TRUNC), 0666);
}

// A stream of which each write is packed, if the name asks for that, and whose file may be opened with the first.
struct sink {
	int fd; // -1: not opened
	enum pack pack;
	char buffer[1 << 16]; // of the stream
	char path[];
};

static bool write_all(int fd, const char *bytes, size_t n)
{
	while (n) {
		ssize_t put = write(fd, bytes, n);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return false;
		bytes += put;
		n -= (size_t)put;
	}
	return true;
}

static ssize_t sink_write(void *cookie, const char *bytes, size_t n)
{
	struct sink *l = cookie;
	size_t size;
	if (l->fd < 0 && (l->fd = output_open_fd(l->path, false)) < 0)
		return 0;
	if (l->pack == PACK_NONE) {
		ssize_t put = write(l->fd, bytes, n);
		return put < 0 ? 0 : put; // what fopencookie wants to see of an error
	}
	char *packed = n ? pack_bytes(l->pack, bytes, n, &size) : NULL;
	bool ok = packed && write_all(l->fd, packed, size);
	free(packed);
	return ok ? (ssize_t)n : 0;
}

static int sink_close(void *cookie)
{
	struct sink *l = cookie;
	int result = l->fd < 0 ? 0 : close(l->fd);
	free(l);
	return result;
}

static FILE *sink_open(const char *path, int fd)
{
	size_t n = strlen(path) + 1;
	struct sink *l = malloc(sizeof *l + n);
	if (!l)
		return NULL;
	l->fd = fd;
	l->pack = pack_of(path);
	memcpy(l->path, path, n);
	FILE *f = fopencookie(l, "w", (cookie_io_functions_t){.write = sink_write, .close = sink_close});
	if (!f)
		free(l);
	else if (l->pack != PACK_NONE)
		setvbuf(f, l->buffer, _IOFBF, sizeof l->buffer);
	return f;
}

FILE *output_open(const char *path)
{
	int fd = output_open_fd(path, false);
	FILE *f = fd < 0 ? NULL : pack_of(path) == PACK_NONE ? fdopen(fd, "w") : sink_open(path, fd);
	if (fd >= 0 && !f)
		close(fd);
	return f;
}

FILE *output_open_later(const char *path) { return sink_open(path, -1); }

// The folder in which the file would be made.
static int check_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	int error = !folder ? ENOMEM : access(folder, W_OK | X_OK) ? errno : 0;
	free(folder);
	return error;
}

int output_check(const char *path)
{
	struct stat st;
	int own = own_file(path);
	if (own >= 0)
		return fcntl(own, F_GETFD) < 0 ? errno : 0;
	if (lstat(path, &st))
		return errno == ENOENT ? check_folder(path) : errno;
	if (S_ISLNK(st.st_mode))
		return ELOOP;
	if (S_ISDIR(st.st_mode))
		return EISDIR;
	return access(path, W_OK) ? errno : 0;
}

const char *output_why(int error)
{
	if (error == ELOOP)
		return "it is a symbolic link, and output does not follow links; name the file itself";
	return strerror(error);
}

void output_empty(const char *path)
{
	struct stat st;
	if (!*path || own_file(path) >= 0 || lstat(path, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return;
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return;
	bool emptied = !fstat(fd, &st) && S_ISREG(st.st_mode) && !ftruncate(fd, 0);
	(void)emptied; // if it was not, the run itself will say that it cannot write
	close(fd);
}

void output_hold_signal(struct output_hold *h)
{
	sigset_t pipe, pending;
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	sigemptyset(&pending);
	pthread_sigmask(SIG_BLOCK, &pipe, &h->old);
	sigpending(&pending);
	h->pending = sigismember(&pending, SIGPIPE);
}

void output_drop_signal(const struct output_hold *h)
{
	const struct timespec now = {0};
	int error = errno;
	sigset_t pipe;
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	if (!h->pending)
		sigtimedwait(&pipe, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &h->old, NULL);
	errno = error;
}

bool output_write_through(FILE *to, const char *text, size_t len)
{
	struct output_hold h;
	output_hold_signal(&h);
	bool ok = fwrite(text, 1, len, to) == len;
	ok = !fflush(to) && ok;
	output_drop_signal(&h);
	return ok;
}
