/* SPDX-License-Identifier: BSD-2-Clause */
/* See debug_servers.h. */
#include "debug_servers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/parse.h"
#include "common/base/quote.h"
#include "libfxtprofile/symbols/build_id.h"

static const uint64_t MS = 1000000;
static const uint64_t SECOND = 1000000000;

enum {
    /* How often progress is looked at. */
    STEP_MS = 100,
    /* Stopping takes some time, too: it is two seconds in all. */
    PATIENCE_MS = 1500,
    /* An answer, even that there is no such file, is worth some patience; and so is every
     * byte, if it takes no longer than these in the time of the patience: that is the
     * measure of DEBUGINFOD_TIMEOUT. */
    ANSWER_MS = 500,
    PATIENCE_BYTES = 100000,
    FILE_SECONDS = 60,
    FILES_MAX = 3,
    STOP_MS = 300,
    /* The library's limit is 64 bytes. */
    BUILD_ID_DIGITS_MAX = 128,
};

/* ---- Settings ---------------------------------------------------------------------- */

/* The library's variables are whole seconds, and 0 is their default. */
static uint64_t ns_from(const char *variable, uint64_t otherwise)
{
    enum { SECONDS_MAX = 1000000 };
    const char *value = getenv(variable);
    uint64_t seconds;

    if (value == NULL || !parse_u64(value, &seconds) || seconds == 0)
        return otherwise;
    return (seconds < SECONDS_MAX ? seconds : SECONDS_MAX) * SECOND;
}

void debug_servers_start(struct debug_servers *s)
{
    const char *urls = getenv("DEBUGINFOD_URLS");

    s->is_on = urls != NULL && urls[strspn(urls, " ")] != '\0';
    s->patience_ns = ns_from("DEBUGINFOD_TIMEOUT", PATIENCE_MS * MS);
    s->left_ns = s->patience_ns;
    s->file_limit_ns = ns_from("DEBUGINFOD_MAXTIME", FILE_SECONDS * SECOND);
    s->limit_ns = FILES_MAX * s->file_limit_ns;
}

/* ---- Reports ----------------------------------------------------------------------- */

/* 1.5 or 30 */
static void add_seconds(struct text *to, uint64_t ns)
{
    text_printf(to, ns % SECOND == 0 ? "%.0f s" : "%.1f s", (double)ns / (double)SECOND);
}

static void note_problem(struct debug_servers *s, struct text *sentence)
{
    string_table_add(&s->problems, sentence->data, sentence->size);
    text_free(sentence);
}

static void note_error(struct debug_servers *s, int error)
{
    struct text sentence = {NULL, 0, 0};

    text_str(&sentence, "debuginfod: ");
    text_str(&sentence, strerror(error));
    note_problem(s, &sentence);
}

static void note_late_file(struct debug_servers *s, const char *name)
{
    struct text sentence = {NULL, 0, 0};

    text_str(&sentence, "debuginfod: ");
    quote_text(&sentence, name, strlen(name));
    text_str(&sentence, ": not downloaded within ");
    add_seconds(&sentence, s->file_limit_ns);
    text_str(&sentence, ": DEBUGINFOD_MAXTIME allows more");
    note_problem(s, &sentence);
}

/* No more requests. */
static void give_up(struct debug_servers *s, const char *why, uint64_t limit_ns,
                    const char *remedy)
{
    text_str(&s->ending, "debuginfod: ");
    text_str(&s->ending, why);
    if (limit_ns > 0)
        add_seconds(&s->ending, limit_ns);
    text_str(&s->ending, "; no more files were requested");
    text_str(&s->ending, remedy);
    s->is_on = false;
}

/* ---- The process ------------------------------------------------------------------- */

static void stop_downloader(void *context)
{
    downloader_stop(&((struct debug_servers *)context)->downloader);
}

static bool start_downloader(struct debug_servers *s)
{
    if (s->is_running)
        return true;
    if (!downloader_start(&s->downloader)) {
        give_up(s,
                errno == ENOSYS ? "this program was built without libdebuginfod"
                                : strerror(errno),
                0, "");
        return false;
    }
    s->is_running = true;
    memory_cleanup_add(&s->cleanup, stop_downloader, s);
    return true;
}

static void end_downloader(struct debug_servers *s)
{
    if (!s->is_running)
        return;
    memory_cleanup_remove(&s->cleanup);
    stop_downloader(s);
    s->is_running = false;
}

/* ---- A download -------------------------------------------------------------------- */

/* What is left of the patience is at least nothing, and at most all of it. */
static void count_time(struct debug_servers *s, uint64_t passed_ns, uint64_t earned_ns)
{
    uint64_t left_ns = s->left_ns + earned_ns;

    s->spent_ns += passed_ns;
    left_ns -= passed_ns < left_ns ? passed_ns : left_ns;
    s->left_ns = left_ns < s->patience_ns ? left_ns : s->patience_ns;
}

static void count_bytes(struct debug_servers *s, uint64_t passed_ns, uint64_t n_bytes)
{
    if (n_bytes > PATIENCE_BYTES)
        n_bytes = PATIENCE_BYTES;
    count_time(s, passed_ns, n_bytes * (s->patience_ns / PATIENCE_BYTES));
}

/* Whether a limit is reached, which was reported then. */
static bool is_late(struct debug_servers *s, const char *name, uint64_t file_ns)
{
    if (s->left_ns == 0)
        give_up(s, "the servers sent less than 100 kB in ", s->patience_ns,
                ": DEBUGINFOD_TIMEOUT=30 waits longer");
    else if (s->spent_ns >= s->limit_ns)
        give_up(s, "downloads took ", s->limit_ns, ": DEBUGINFOD_MAXTIME allows more");
    else if (file_ns >= s->file_limit_ns)
        note_late_file(s, name);
    else
        return false;
    return true;
}

/* Returns whether the process can download another file. */
static bool stop_download(struct debug_servers *s, struct download_news *news)
{
    enum download_state state = DOWNLOAD_GOES_ON;

    downloader_cancel(&s->downloader);
    for (int i = 0; i < STOP_MS / STEP_MS && state == DOWNLOAD_GOES_ON; i++)
        state = downloader_wait(&s->downloader, STEP_MS, news);
    return state == DOWNLOAD_ENDED;
}

static enum download_state wait_for_file(struct debug_servers *s, const char *name,
                                         struct download_news *news)
{
    enum download_state state = DOWNLOAD_GOES_ON;
    uint64_t start = clock_ns(CLOCK_MONOTONIC);
    uint64_t last = start;

    while (state == DOWNLOAD_GOES_ON) {
        uint64_t before = news->n_bytes;
        uint64_t now;

        state = downloader_wait(&s->downloader, STEP_MS, news);
        now = clock_ns(CLOCK_MONOTONIC);
        count_bytes(s, now - last, news->n_bytes > before ? news->n_bytes - before : 0);
        last = now;
        if (state == DOWNLOAD_GOES_ON && is_late(s, name, now - start))
            return stop_download(s, news) ? DOWNLOAD_GOES_ON : DOWNLOAD_FAILED;
        if (s->on_progress != NULL)
            s->on_progress(s->context, name, news->n_bytes, news->total);
    }
    return state;
}

/* Takes what the download ended with: the path, or NULL. */
static char *take_answer(struct debug_servers *s, const struct download_news *news)
{
    if (news->error == 0 || news->error == ENOENT)
        count_time(s, 0, ANSWER_MS * MS);
    if (news->error == 0)
        return memory_copy_string(news->path);
    if (news->error == ENOSYS)
        give_up(s, "libdebuginfod.so.1 was not found", 0, "");
    else if (news->error == ENOTDIR)
        give_up(s, "the directory of its cache cannot be created", 0,
                ": DEBUGINFOD_CACHE_PATH names another");
    else if (news->error != ENOENT)
        note_error(s, news->error);
    return NULL;
}

static char *download(struct debug_servers *s, const char *name, const char *build_id)
{
    struct download_news *news;
    enum download_state state;
    char *path = NULL;

    if (!start_downloader(s))
        return NULL;
    news = (struct download_news *)memory_allocate(sizeof(*news));
    state = downloader_ask(&s->downloader, build_id) ? wait_for_file(s, name, news)
                                                     : DOWNLOAD_FAILED;
    if (state == DOWNLOAD_ENDED)
        path = take_answer(s, news);
    else if (state == DOWNLOAD_FAILED && s->is_on)
        give_up(s, "the process that downloads files ended", 0, "");
    if (!s->is_on)
        end_downloader(s);
    memory_release(news);
    return path;
}

/* ---- All --------------------------------------------------------------------------- */

static bool is_asked(const struct debug_servers *s, struct string build_id)
{
    for (size_t i = 0; i < s->asked.n; i++) {
        if (string_compare(string_table_get(&s->asked, (uint32_t)i), build_id) == 0)
            return true;
    }
    return false;
}

static char *copy_with_end(struct string string)
{
    struct text text = {NULL, 0, 0};

    text_add(&text, string.data, string.size);
    text_char(&text, '\0');
    return text.data;
}

static char *request(struct debug_servers *s, struct string name, struct string build_id)
{
    char *id = copy_with_end(build_id);
    char *shown = copy_with_end(name.size > 0 ? name : build_id);
    char *path = download(s, shown, id);

    memory_release(id);
    memory_release(shown);
    return path;
}

bool debug_servers_fetch(struct debug_servers *s, struct string name,
                         struct string build_id, struct text *path)
{
    size_t n = s->asked.n;
    uint32_t number;

    if (!build_id_is_hex(build_id) || build_id.size > BUILD_ID_DIGITS_MAX ||
        (!s->is_on && !is_asked(s, build_id)))
        return false;
    number = string_table_add(&s->asked, build_id.data, build_id.size);
    if (s->asked.n > n) {
        s->paths = (char **)memory_grow(s->paths, n, &s->capacity, sizeof(*s->paths));
        s->paths[n] = request(s, name, build_id);
    }
    if (s->paths[number] == NULL)
        return false;
    text_str(path, s->paths[number]);
    return true;
}

void debug_servers_free(struct debug_servers *s)
{
    end_downloader(s);
    for (size_t i = 0; i < s->asked.n; i++)
        memory_release(s->paths[i]);
    memory_release(s->paths);
    string_table_free(&s->asked);
    string_table_free(&s->problems);
    text_free(&s->ending);
    *s = (struct debug_servers){.is_on = false};
}
