/* SPDX-License-Identifier: BSD-2-Clause */
/* See compress.h. */
#include "compress.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <zlib.h>

#ifdef HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif

#include "bench.h"

enum { LEVEL_MAX = 7 };

struct job {
    const unsigned char *data;
    size_t size;
    unsigned char *to;
    size_t room;
};

static size_t by_zlib(const struct job *job, int level)
{
    z_stream z = {.zalloc = NULL};

    if (job->size > UINT32_MAX ||
        deflateInit2(&z, level, Z_DEFLATED, 16 + 15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return 0;
    z.next_in = (Bytef *)(uintptr_t)job->data;
    z.avail_in = (uInt)job->size;
    z.next_out = job->to;
    z.avail_out = (uInt)job->room;
    deflate(&z, Z_FINISH);
    deflateEnd(&z);
    return z.total_out;
}

#ifdef HAVE_LIBDEFLATE
static size_t by_libdeflate(const struct job *job, int level)
{
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(level);
    size_t size =
        libdeflate_gzip_compress(compressor, job->data, job->size, job->to, job->room);

    libdeflate_free_compressor(compressor);
    return size;
}
#endif

static void measure(const char *name, size_t (*compress)(const struct job *, int),
                    const struct job *job)
{
    for (int level = 1; level <= LEVEL_MAX; level++) {
        double start = bench_cpu_seconds();
        size_t size = compress(job, level);

        printf("  %-10s level %d: %.3f s, %.1f %% of the bytes\n", name, level,
               bench_cpu_seconds() - start, (double)size / (double)job->size * 100);
    }
}

void compress_bench(int fd)
{
    struct stat status;
    struct job job = {.data = NULL};
    void *data;

    if (fstat(fd, &status) != 0 || status.st_size == 0)
        return;
    job.size = (size_t)status.st_size;
    job.room = job.size + job.size / 8 + 4096;
    job.to = (unsigned char *)calloc(job.room, 1);
    data = mmap(NULL, job.size, PROT_READ, MAP_SHARED, fd, 0);
    if (job.to != NULL && data != MAP_FAILED) {
        job.data = (const unsigned char *)data;
        printf("compressing the profile, %zu bytes\n", job.size);
        measure("zlib", by_zlib, &job);
#ifdef HAVE_LIBDEFLATE
        measure("libdeflate", by_libdeflate, &job);
#endif
        munmap(data, job.size);
    }
    free(job.to);
}
