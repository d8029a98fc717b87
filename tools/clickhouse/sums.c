/* SPDX-License-Identifier: BSD-2-Clause */
/* See sums.h. */
#include "sums.h"

#include <fxt/arg.h>

#include "row_binary.h"
#include "server.h"
#include "sums_losses.h"
#include "sums_sql.h"
#include "sums_stacks.h"
#include "tools/common/report.h"

/* So many ids fit into the part of a statement that servers parse by default, 256 KiB;
 * of recordings, which are in it three times, a third of that. */
enum { IDS_OF_QUERY = 4000, RECORDINGS_OF_QUERY = 1300 };

struct sums {
    const struct sums_query *query;
    struct server server;
    struct fxt_profile_builder *builder;
    struct string_table recordings;
    struct sums_choice choice;
    struct text sql;
    /* The last answer; of one that is taken row by row, the beginning of a row. */
    struct text rows;
    void (*take)(struct sums *, struct row_reader *);
    struct sums_stacks stacks;
    struct sums_losses losses;
};

struct sample_row {
    struct string process;
    struct string thread;
    const char *stack;
    int64_t n;
    int64_t ns;
};

static struct row_reader read_rows(const struct text *rows)
{
    const char *end = rows->size > 0 ? rows->data + rows->size : rows->data;

    return (struct row_reader){rows->data, end, false};
}

static bool fail(struct sums *s, const char *why)
{
    s->server.why.size = 0;
    text_str(&s->server.why, why);
    return false;
}

/* ---- Questions --------------------------------------------------------------------- */

/* Asks what `sql` has, for an answer that is stored in `rows`. */
static bool ask(struct sums *s)
{
    bool good = server_query(&s->server, s->sql.data, &s->rows, NULL, NULL);

    s->sql.size = 0;
    return good;
}

/* A server_rows_fn: takes whole rows. */
static void take_rows(void *context, struct text *rows)
{
    struct sums *s = (struct sums *)context;
    struct row_reader r = read_rows(rows);
    const char *whole = r.at;

    while (r.at < r.end) {
        s->take(s, &r);
        if (r.is_bad)
            break;
        whole = r.at;
    }
    if (whole == rows->data)
        return;
    rows->size = (size_t)(r.end - whole);
    memmove(rows->data, whole, rows->size);
}

/* The same for an answer that may be long: its rows are taken as they come, and those of
 * an answer that breaks off are taken once more. */
static bool ask_for_rows(struct sums *s, void (*take)(struct sums *, struct row_reader *),
                         const char *damaged)
{
    bool good;

    s->take = take;
    good = server_query(&s->server, s->sql.data, &s->rows, take_rows, s);
    s->sql.size = 0;
    return good && (s->rows.size == 0 || fail(s, damaged));
}

/* ---- Stacks ------------------------------------------------------------------------ */

static void take_stack(struct sums *s, struct row_reader *r)
{
    sums_stacks_take(&s->stacks, r);
}

static void take_frame(struct sums *s, struct row_reader *r)
{
    sums_stacks_take_frame(&s->stacks, r);
}

/* How to ask for rows by their ids: for those of all samples of the choice, or for some.
 */
struct kind {
    void (*list_unknown)(const struct sums_stacks *, struct string_table *);
    void (*all)(struct text *, const struct sums_choice *);
    void (*some)(struct text *, const char *, const struct string_table *, size_t,
                 size_t);
    void (*take)(struct sums *, struct row_reader *);
};

/* Many are asked for by one query, which finds them as it found the samples. What it does
 * not find, since a condition on the present time is another one now, is asked for by
 * its ids. */
static bool read_unknown(struct sums *s, const struct kind *kind)
{
    static const char damaged[] = "the answer about stacks is damaged";
    struct string_table ids = {.n = 0};
    bool good = true;

    kind->list_unknown(&s->stacks, &ids);
    if (ids.n > IDS_OF_QUERY) {
        kind->all(&s->sql, &s->choice);
        good = ask_for_rows(s, kind->take, damaged);
        string_table_free(&ids);
        ids = (struct string_table){.n = 0};
        kind->list_unknown(&s->stacks, &ids);
    }
    for (size_t from = 0; good && from < ids.n; from += IDS_OF_QUERY) {
        size_t to = ids.n - from < IDS_OF_QUERY ? ids.n : from + IDS_OF_QUERY;

        kind->some(&s->sql, s->query->database, &ids, from, to);
        good = ask_for_rows(s, kind->take, damaged);
    }
    string_table_free(&ids);
    return good;
}

static bool read_stacks(struct sums *s)
{
    static const struct kind stacks = {sums_stacks_unknown, sums_sql_stacks,
                                       sums_sql_stacks_of, take_stack};
    static const struct kind frames = {sums_stacks_unknown_frames, sums_sql_frames,
                                       sums_sql_frames_of, take_frame};

    return read_unknown(s, &stacks) && read_unknown(s, &frames);
}

/* ---- Samples ----------------------------------------------------------------------- */

static bool next_sample(struct row_reader *r, struct sample_row *row)
{
    if (r->is_bad || r->at == r->end)
        return false;
    row->process = row_reader_string(r);
    row->thread = row_reader_string(r);
    row->stack = row_reader_bytes(r, HASH_BYTES);
    row->n = row_reader_int64(r);
    row->ns = row_reader_int64(r);
    r->is_bad |= row->n < 0 || row->ns < 0;
    return !r->is_bad;
}

static bool list_stacks(struct sums *s, const struct text *samples)
{
    struct row_reader r = read_rows(samples);
    struct sample_row row;

    while (next_sample(&r, &row))
        sums_stacks_add(&s->stacks, row.stack);
    return !r.is_bad || fail(s, "the answer about samples is damaged");
}

static struct fxt_string string_of(struct string name)
{
    return fxt_string_at(name.data, (uint32_t)name.size);
}

static void add_samples(struct sums *s, const struct text *samples)
{
    struct row_reader r = read_rows(samples);
    struct sample_row row;

    while (next_sample(&r, &row)) {
        struct fxt_profile_sum sum = {.size = sizeof(sum),
                                      .process_name = string_of(row.process),
                                      .thread_name = string_of(row.thread),
                                      .n_samples = row.n,
                                      .cpu_ns = row.ns};

        sums_stacks_get(&s->stacks, row.stack, &sum);
        fxt_profile_builder_add_sum(s->builder, &sum);
    }
}

static bool read_samples(struct sums *s)
{
    struct text samples;
    bool good;

    sums_sql_samples(&s->sql, &s->choice);
    if (!ask(s))
        return false;
    samples = s->rows;
    s->rows = (struct text){NULL, 0, 0};
    good = list_stacks(s, &samples) && read_stacks(s);
    if (good)
        add_samples(s, &samples);
    text_free(&samples);
    return good;
}

/* ---- Recordings -------------------------------------------------------------------- */

static bool read_losses(struct sums *s)
{
    struct row_reader r;

    sums_sql_losses(&s->sql, &s->choice);
    if (!ask(s))
        return false;
    r = read_rows(&s->rows);
    while (!r.is_bad && r.at < r.end)
        sums_losses_take(&s->losses, &r);
    return !r.is_bad || fail(s, "the answer about losses is damaged");
}

static void take_recording(struct sums *s, struct row_reader *r)
{
    const char *id = row_reader_bytes(r, HASH_BYTES);

    if (id != NULL)
        string_table_add(&s->recordings, id, HASH_BYTES);
}

static bool read_recordings(struct sums *s)
{
    static const char damaged[] = "the answer about recordings is damaged";

    sums_sql_recordings(&s->sql, &s->choice);
    if (!ask_for_rows(s, take_recording, damaged))
        return false;
    sums_sql_lost_recordings(&s->sql, &s->choice);
    return ask_for_rows(s, take_recording, damaged);
}

static bool read_all(struct sums *s)
{
    struct sums_choice *choice = &s->choice;

    *choice = (struct sums_choice){.database = s->query->database,
                                   .where = s->query->where,
                                   .recordings = &s->recordings};
    if (!read_recordings(s))
        return false;
    for (; choice->from < s->recordings.n; choice->from = choice->to) {
        size_t rest = s->recordings.n - choice->from;

        choice->to =
            choice->from + (rest < RECORDINGS_OF_QUERY ? rest : RECORDINGS_OF_QUERY);
        if (!read_samples(s) || !read_losses(s))
            return false;
    }
    sums_losses_add(&s->losses, s->builder);
    return true;
}

bool sums_read(const struct sums_query *query, struct fxt_profile_builder *builder)
{
    struct sums s = {.query = query, .builder = builder, .stacks = {.builder = builder}};
    bool good =
        server_open(&s.server, &query->server) && server_check(&s.server) && read_all(&s);

    if (!good)
        complain_text(query->server.program, query->server.url, &s.server.why);
    server_close(&s.server);
    return good;
}
