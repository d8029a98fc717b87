/* SPDX-License-Identifier: BSD-2-Clause */
/* A writer to a path: its file has the same bytes as memory, whatever the system does to
 * single calls, and what goes wrong is reported with its reason. */
#include "tests/support/harness.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "heap.h"
#include "tests/support/maker.h"
#include "tests/support/trip.h"

/* ---- A system that fails ----------------------------------------------------------- */

/* What happens to the calls for one file, which is known by its number. */
static struct faults {
    ino_t file;
    /* Each call writes so many bytes at most, and every second one is interrupted. */
    size_t most;
    uint64_t n_writes;
    uint64_t fail_at;
    int fail_by;
    uint64_t n_closed;
    int close_by;
} faults;

static bool is_faulty(int fd)
{
    struct stat info = {.st_ino = 0};

    return faults.file != 0 && fstat(fd, &info) == 0 && info.st_ino == faults.file;
}

static ssize_t fail_by(int error)
{
    errno = error;
    return -1;
}

/* These take the places of the C library's. */
ssize_t write(int fd, const void *data, size_t size)
{
    if (!is_faulty(fd))
        return syscall(SYS_write, fd, data, size);
    faults.n_writes++;
    if (faults.n_writes == faults.fail_at)
        return faults.fail_by == 0 ? 0 : fail_by(faults.fail_by);
    if (faults.most > 0 && faults.n_writes % 2 == 0)
        return fail_by(EINTR);
    if (faults.most > 0 && size > faults.most)
        size = faults.most;
    return syscall(SYS_write, fd, data, size);
}

int close(int fd)
{
    bool faulty = is_faulty(fd);
    int result = (int)syscall(SYS_close, fd);

    if (!faulty)
        return result;
    faults.n_closed++;
    return faults.close_by == 0 ? result : (int)fail_by(faults.close_by);
}

/* ---- Files ------------------------------------------------------------------------- */

static char path[] = "/tmp/test_writer_open.XXXXXX";

static void make_file(void)
{
    struct stat info = {.st_ino = 0};
    int fd;

    memcpy(path + sizeof(path) - 7, "XXXXXX", 6);
    fd = mkstemp(path);
    CHECK(fd >= 0 && fstat(fd, &info) == 0, "no file");
    CHECK(syscall(SYS_write, fd, "what was there before", 21) == 21, "");
    syscall(SYS_close, fd);
    faults = (struct faults){.file = info.st_ino};
}

static struct fxt_writer *open_file(size_t buffer_size)
{
    struct fxt_writer_options options = {.size = sizeof(options),
                                         .buffer_size = buffer_size};
    struct fxt_writer *writer;

    CHECK(fxt_writer_open(&options, path, &writer) == FXT_OK, "");
    return writer;
}

/* Writes the same records each time; what the last call returned. */
static enum fxt_code write_some(struct fxt_writer *writer)
{
    static struct maker maker;

    maker_start(&maker, 1);
    return maker_write(&maker, writer, 300);
}

static struct fxt_buffer write_to_memory(void)
{
    struct fxt_writer_options options = {0};
    struct fxt_buffer buffer = {0};
    struct fxt_writer *writer = trip_writer(&options, &buffer);

    CHECK(write_some(writer) == FXT_OK, "");
    CHECK(fxt_writer_finish(writer) == FXT_OK, "");
    fxt_writer_destroy(writer);
    return buffer;
}

/* Whether the file has the same bytes as memory. */
static void check_file(const char *what)
{
    struct fxt_buffer memory = write_to_memory();
    unsigned char *read = (unsigned char *)malloc(memory.size + 1);
    FILE *file = fopen(path, "rb");

    CHECK(file != NULL && read != NULL, "");
    CHECK(fread(read, 1, memory.size + 1, file) == memory.size &&
              memcmp(read, memory.data, memory.size) == 0,
          "%s: another file", what);
    fclose(file);
    free(read);
    free(memory.data);
}

TEST(writer_open, a_file_gets_the_same_bytes_as_memory)
{
    static const size_t sizes[] = {0, 1, 1000, 1 << 20};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct fxt_writer *writer;

        make_file();
        writer = open_file(sizes[i]);
        CHECK(write_some(writer) == FXT_OK, "");
        CHECK(fxt_writer_finish(writer) == FXT_OK, "");
        CHECK(faults.n_closed == 1, "finish closes the file");
        check_file("whole");
        fxt_writer_destroy(writer);
        CHECK(faults.n_closed == 1, "destroy closes it again");
        unlink(path);
    }
}

TEST(writer_open, options_may_be_null)
{
    struct fxt_writer *writer;

    make_file();
    CHECK(fxt_writer_open(NULL, path, &writer) == FXT_OK, "");
    CHECK(write_some(writer) == FXT_OK, "");
    CHECK(fxt_writer_finish(writer) == FXT_OK, "");
    fxt_writer_destroy(writer);
    check_file("without options");
    unlink(path);
}

TEST(writer_open, partial_and_interrupted_writes_lose_nothing)
{
    static const size_t sizes[] = {1, 7, 4096};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct fxt_writer *writer;

        make_file();
        writer = open_file(0);
        faults.most = sizes[i];
        CHECK(write_some(writer) == FXT_OK, "");
        CHECK(fxt_writer_finish(writer) == FXT_OK, "");
        fxt_writer_destroy(writer);
        check_file("partial writes");
        unlink(path);
    }
}

/* Fails at each call in turn; all later calls report it, and the reason stays. */
static void check_failure(uint64_t at, int by)
{
    struct fxt_record record = {.type = FXT_RECORD_KERNEL_OBJECT};
    struct fxt_writer *writer;
    enum fxt_code code;

    make_file();
    writer = open_file(1000);
    faults.most = 700;
    faults.fail_at = at;
    faults.fail_by = by;
    code = write_some(writer);
    CHECK(code == FXT_E_SINK || (code == FXT_OK && faults.n_writes < at), "write %d",
          (int)at);
    errno = 0;
    CHECK(fxt_writer_finish(writer) == FXT_E_SINK || faults.n_writes < at, "write %d",
          (int)at);
    CHECK(faults.n_writes < at || errno == (by != 0 ? by : EIO), "errno is %d", errno);
    CHECK(faults.n_writes <= at, "it writes after a failure");
    CHECK(fxt_writer_write(writer, &record) == FXT_E_SINK || faults.n_writes < at, "");
    CHECK(faults.n_closed == 1, "not closed");
    fxt_writer_destroy(writer);
    unlink(path);
}

TEST(writer_open, a_failed_write_is_reported_with_its_reason)
{
    for (uint64_t at = 1; at < 200; at += 1 + at / 3) {
        check_failure(at, ENOSPC);
        check_failure(at, 0);
    }
}

TEST(writer_open, a_failed_close_is_reported_with_its_reason)
{
    static const int errors[] = {EIO, EDQUOT, EINTR};

    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        struct fxt_writer *writer;
        enum fxt_code expected = errors[i] == EINTR ? FXT_OK : FXT_E_SINK;

        make_file();
        writer = open_file(0);
        faults.close_by = errors[i];
        CHECK(write_some(writer) == FXT_OK, "");
        errno = 0;
        CHECK(fxt_writer_finish(writer) == expected, "");
        CHECK(errors[i] == EINTR || errno == errors[i], "errno is %d", errno);
        CHECK(fxt_writer_finish(writer) == expected, "asked again");
        CHECK(faults.n_closed == 1, "");
        fxt_writer_destroy(writer);
        unlink(path);
    }
}

TEST(writer_open, a_full_disk_is_reported)
{
    struct fxt_writer *writer;

    if (fxt_writer_open(NULL, "/dev/full", &writer) != FXT_OK)
        return;
    CHECK(fxt_writer_start_archive(writer, 1) == FXT_OK, "it is buffered");
    CHECK(fxt_writer_finish(writer) == FXT_E_SINK && errno == ENOSPC, "");
    fxt_writer_destroy(writer);
}

TEST(writer_open, destroy_closes_what_is_not_finished)
{
    struct fxt_writer *writer;

    make_file();
    writer = open_file(0);
    fxt_writer_destroy(writer);
    CHECK(faults.n_closed == 1, "");
    unlink(path);
}

TEST(writer_open, what_cannot_be_opened_is_refused)
{
    struct fxt_writer *writer = (struct fxt_writer *)&faults;
    struct heap heap = {0};
    struct fxt_writer_options options = {
        .size = sizeof(options), .resize = heap_resize, .resize_context = &heap};

    CHECK(fxt_writer_open(&options, "/nonexistent/trace.fxt", &writer) == FXT_E_FILE &&
              errno == ENOENT && writer == NULL,
          "");
    CHECK(fxt_writer_open(&options, "/", &writer) == FXT_E_FILE && errno == EISDIR, "");
    CHECK(heap.n_bytes == 0, "%d bytes are left", (int)heap.n_bytes);
    make_file();
    options.write = fxt_file_write;
    CHECK(fxt_writer_open(&options, path, &writer) == FXT_E_INVALID, "");
    options.write = NULL;
    options.size = 1;
    CHECK(fxt_writer_open(&options, path, &writer) == FXT_E_INVALID, "");
    options.size = sizeof(options);
    heap.fail_at = heap.n_calls + 1;
    CHECK(fxt_writer_open(&options, path, &writer) == FXT_E_NO_MEMORY, "");
    CHECK(access(path, F_OK) == 0, "");
    unlink(path);
}
