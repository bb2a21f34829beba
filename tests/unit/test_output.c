// Files that are written: through no link, to devices and fifos as they are, and with errors for what is lost.
#include "base/output.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/heddle-output-XXXXXX";

static void enter(void) { ck_assert(mkdtemp(folder) && chdir(folder) == 0); }

static void leave(void)
{
	char command[100];
	snprintf(command, sizeof command, "rm -rf %s", folder);
	ck_assert(chdir("/") == 0 && system(command) == 0);
}

static void put(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");
	ck_assert(f && fputs(text, f) >= 0 && !fclose(f));
}

static const char *content(const char *name)
{
	static char text[100];
	FILE *f = fopen(name, "r");
	ck_assert_ptr_nonnull(f);
	text[fread(text, 1, sizeof text - 1, f)] = 0;
	fclose(f);
	return text;
}

START_TEST(a_link_is_not_followed)
{
	put("target", "keep");
	ck_assert(symlink("target", "link") == 0 && symlink("nowhere", "dangling") == 0);
	ck_assert_ptr_null(output_open("link"));
	ck_assert_int_eq(errno, ELOOP);
	ck_assert_int_eq(output_open_fd("dangling", true), -1);
	ck_assert_int_ne(access("nowhere", F_OK), 0);
	ck_assert_int_eq(output_check("link"), ELOOP);
	ck_assert_int_eq(output_check("dangling"), ELOOP);
	ck_assert_str_eq(output_why(ELOOP), "it is a symbolic link, and output does not follow links; name the file itself");
	output_empty("link");
	ck_assert_str_eq(content("target"), "keep");
	FILE *later = output_open_later("link");
	fputs("text", later);
	ck_assert_int_eq(fflush(later), EOF);
	ck_assert_int_eq(errno, ELOOP);
	fclose(later);
	ck_assert_str_eq(content("target"), "keep");
	// A folder that is a link is where the user says.
	ck_assert(mkdir("real", 0700) == 0 && symlink("real", "folder") == 0);
	FILE *f = output_open("folder/x");
	ck_assert(f && !fclose(f) && access("real/x", F_OK) == 0);
}
END_TEST

START_TEST(a_file_is_emptied_or_written_at_its_end)
{
	put("file", "old");
	int fd = output_open_fd("file", true);
	ck_assert(write(fd, "er", 2) == 2 && close(fd) == 0);
	ck_assert_str_eq(content("file"), "older");
	FILE *f = output_open("file");
	ck_assert(output_write_through(f, "new", 3));
	ck_assert_str_eq(content("file"), "new");
	fclose(f);
	output_empty("file");
	ck_assert_str_eq(content("file"), "");
	output_empty("missing");
	ck_assert_int_ne(access("missing", F_OK), 0);
	ck_assert_int_eq(output_check("missing"), 0);
	ck_assert_int_eq(output_check("nowhere/file"), ENOENT);
	ck_assert_int_eq(output_check("."), EISDIR);
}
END_TEST

START_TEST(a_stream_that_is_opened_later_makes_a_file_when_it_has_something_to_say)
{
	FILE *f = output_open_later("later");
	ck_assert_int_ne(access("later", F_OK), 0);
	ck_assert_int_eq(fflush(f), 0);
	ck_assert_int_ne(access("later", F_OK), 0);
	fputs("text", f);
	ck_assert_int_eq(fflush(f), 0);
	ck_assert_str_eq(content("later"), "text");
	fputs(" and more", f);
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_str_eq(content("later"), "text and more");
	f = output_open_later("never");
	ck_assert_int_eq(fclose(f), 0);
	ck_assert_int_ne(access("never", F_OK), 0);
	f = output_open_later("/dev/full");
	fputs("text", f);
	ck_assert_int_eq(fflush(f), EOF);
	ck_assert_int_eq(errno, ENOSPC);
	fclose(f);
}
END_TEST

START_TEST(open_files_and_devices_are_written_as_they_are)
{
	put("log", "before ");
	int log = open("log", O_WRONLY | O_APPEND), out = dup(STDOUT_FILENO);
	char name[40];
	dup2(log, STDOUT_FILENO);
	FILE *f = output_open("/dev/stdout");
	bool ok = f && output_write_through(f, "one", 3) && !fclose(f);
	dup2(out, STDOUT_FILENO);
	close(out);
	ck_assert(ok);
	snprintf(name, sizeof name, "/dev/fd/%d", log);
	f = output_open(name);
	ck_assert(f && output_write_through(f, " two", 4) && !fclose(f));
	ck_assert_str_eq(content("log"), "before one two");
	ck_assert(output_is_open_already(name) && output_is_open_already("/dev/stderr") && !output_is_open_already("log"));
	ck_assert_int_eq(output_check(name), 0);
	ck_assert_int_eq(output_check("/dev/fd/999"), EBADF);
	output_empty(name);
	ck_assert_str_eq(content("log"), "before one two");
	close(log);
	f = output_open("/dev/null");
	ck_assert(f && output_write_through(f, "x", 1) && !fclose(f));
	f = output_open("/dev/full");
	ck_assert(f && !output_write_through(f, "x", 1));
	ck_assert_int_eq(errno, ENOSPC);
	fclose(f);
}
END_TEST

START_TEST(a_closed_pipe_is_an_error_and_no_signal)
{
	int io[2];
	ck_assert_int_eq(pipe(io), 0);
	FILE *f = fdopen(io[1], "w");
	ck_assert(output_write_through(f, "x", 1));
	close(io[0]);
	ck_assert(!output_write_through(f, "x", 1));
	ck_assert_int_eq(errno, EPIPE);
	sigset_t pending;
	sigpending(&pending);
	ck_assert(!sigismember(&pending, SIGPIPE));
	fclose(f);
	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	ck_assert_int_eq(output_check("fifo"), 0);
	output_empty("fifo"); // does not wait for a reader
}
END_TEST

// Unpacks what is in the file now with the program of that name.
static bool unpacks_to(const char *name, const char *program, const char *want)
{
	char command[200];
	snprintf(command, sizeof command, "%s -dc <%s >plain", program, name);
	return system(command) == 0 && !strcmp(content("plain"), want);
}

START_TEST(a_packed_file_is_whole_after_every_flush)
{
	static const struct {
		const char *name, *program;
	} all[] = {{"x.gz", "gzip"}, {"x.txt.zst", "zstd"}};
	const struct {
		FILE *(*open)(const char *path);
	} how[] = {{output_open}, {output_open_later}};
	for (unsigned i = 0; i < 4; i++) {
		const char *name = all[i / 2].name, *program = all[i / 2].program;
		char command[60];
		snprintf(command, sizeof command, "command -v %s >/dev/null", program);
		if (system(command))
			continue;
		FILE *f = how[i % 2].open(name);
		ck_assert(output_write_through(f, "one", 3));
		ck_assert(unpacks_to(name, program, "one"));
		fputs(" two", f);
		ck_assert(unpacks_to(name, program, "one"));
		ck_assert(output_write_through(f, " three", 6));
		ck_assert(unpacks_to(name, program, "one two three"));
		fputs(".", f);
		ck_assert_int_eq(fclose(f), 0);
		ck_assert(unpacks_to(name, program, "one two three."));
	}
	// More than the stream holds, and a file of the ending alone, which is a name.
	FILE *f = output_open("big.gz");
	for (unsigned i = 0; i < 40000; i++)
		fprintf(f, "%05u\n", i);
	ck_assert_int_eq(fclose(f), 0);
	ck_assert(system("command -v gzip >/dev/null || exit 0; test \"$(gzip -dc big.gz | sort -u | wc -l)\" = 40000") == 0);
	struct stat st;
	ck_assert(stat("big.gz", &st) == 0 && st.st_size < 240000 / 2);
	f = output_open(".gz");
	ck_assert(f && output_write_through(f, "as it is", 8) && !fclose(f));
	ck_assert_str_eq(content(".gz"), "as it is");
	ck_assert_int_eq(symlink("big.gz", "link.gz"), 0);
	ck_assert_ptr_null(output_open("link.gz"));
	ck_assert_int_eq(errno, ELOOP);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("output");
	TCase *t = tcase_create("output");
	tcase_add_checked_fixture(t, enter, leave);
	tcase_add_test(t, a_link_is_not_followed);
	tcase_add_test(t, a_file_is_emptied_or_written_at_its_end);
	tcase_add_test(t, a_stream_that_is_opened_later_makes_a_file_when_it_has_something_to_say);
	tcase_add_test(t, open_files_and_devices_are_written_as_they_are);
	tcase_add_test(t, a_closed_pipe_is_an_error_and_no_signal);
	tcase_add_test(t, a_packed_file_is_whole_after_every_flush);
	suite_add_tcase(s, t);
	return check_main(s);
}
