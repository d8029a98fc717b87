/* SPDX-License-Identifier: BSD-2-Clause */
/* See progress.h. */
#include "progress.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/quote.h"
#include "common/base/text.h"

/* In milliseconds: how long work is silent, and how often there is something new. */
enum { SILENCE = 1000, STEP = 100 };

static const char *program;
static uint64_t total;
static bool is_on;
static uint64_t start_ms;
static atomic_uint_fast64_t n_read;
static atomic_uint_fast64_t next_ms;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* With the lock. */
static bool is_shown;

static uint64_t now_ms(void)
{
    return clock_ns(CLOCK_MONOTONIC) / 1000000;
}

void progress_start(const char *name, uint64_t n_bytes)
{
    program = name;
    total = n_bytes;
    start_ms = now_ms();
    atomic_store(&n_read, 0);
    atomic_store(&next_ms, start_ms + SILENCE);
    is_on = isatty(STDERR_FILENO) == 1;
}

static void show_bar(uint64_t size)
{
    /* Some bytes are read twice, to see what they are. */
    if (total > 0 && size > total)
        size = total;
    pthread_mutex_lock(&lock);
    fprintf(stderr, "\r%s: %llu", program, (unsigned long long)(size >> 20));
    if (total > 0)
        fprintf(stderr, " of %llu", (unsigned long long)(total >> 20));
    fputs(" MiB read\033[K", stderr);
    fflush(stderr);
    is_shown = true;
    pthread_mutex_unlock(&lock);
}

void progress_add(uint64_t size)
{
    uint64_t sum;
    uint64_t now;
    uint_fast64_t next;

    if (!is_on)
        return;
    sum = atomic_fetch_add(&n_read, size) + size;
    now = now_ms();
    next = atomic_load(&next_ms);
    /* The thread that advances the time prints. */
    if (now >= next && atomic_compare_exchange_strong(&next_ms, &next, now + STEP))
        show_bar(sum);
}

static void add_read(void *context, size_t n_bytes)
{
    (void)context;
    progress_add(n_bytes);
}

void progress_watch(struct input *input)
{
    input_watch(input, add_read, NULL);
}

/* Of a long name its end, which says more. */
void progress_download(void *context, const char *name, uint64_t size, uint64_t n_all)
{
    enum { NAME_BYTES = 40 };
    struct text line = {NULL, 0, 0};
    size_t n = strlen(name);

    (void)context;
    if (!is_on)
        return;
    text_printf(&line, "\r%s: ", program);
    if (n > NAME_BYTES)
        name += n - NAME_BYTES;
    quote_text(&line, name, strlen(name));
    text_printf(&line, ": %.1f ", (double)size / 1e6);
    if (n_all > 0)
        text_printf(&line, "of %.1f ", (double)n_all / 1e6);
    text_str(&line, "MB downloaded\033[K");
    pthread_mutex_lock(&lock);
    fwrite(line.data, 1, line.size, stderr);
    fflush(stderr);
    is_shown = true;
    pthread_mutex_unlock(&lock);
    text_free(&line);
}

void progress_hide(void)
{
    if (!is_on)
        return;
    pthread_mutex_lock(&lock);
    if (is_shown)
        fputs("\r\033[K", stderr);
    is_shown = false;
    pthread_mutex_unlock(&lock);
}

void progress_end(void)
{
    progress_hide();
    is_on = false;
}
