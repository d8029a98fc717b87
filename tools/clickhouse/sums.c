/* SPDX-License-Identifier: BSD-2-Clause */
/* See sums.h. */
#include "sums.h"

#include <fxt/arg.h>
#include <fxt/format.h>

#include "common/base/memory.h"
#include "row_binary.h"
#include "server.h"
#include "sums_sql.h"
#include "tools/common/report.h"
#include "tools/tables/stack_ids.h"

/* So many ids fit into the part of a statement that servers parse by default, 256 KiB. */
enum { IDS_OF_QUERY = 4000 };

/* A stack: its frames, numbers in `frames` from `first` on, and how it ended. */
struct stored_stack {
    bool is_known;
    size_t first;
    size_t n;
    uint32_t end;
};

struct sums {
    const struct sums_query *query;
    struct server server;
    struct text sql;
    /* The answer about samples; and the last one about stacks or frames. */
    struct text samples;
    struct text rows;
    /* Ids, and by their numbers what they are of. */
    struct string_table stack_ids;
    struct stored_stack *stacks;
    struct string_table frame_ids;
    /* A frame's name, a number in `names` and one; 0 where there is none. */
    uint32_t *frame_names;
    struct string_table names;
    /* The frames of all stacks; and the names of one. */
    uint32_t *frames;
    size_t n_frames;
    size_t frame_capacity;
    struct fxt_string *stack;
    size_t n_stack;
    size_t stack_capacity;
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
    return (struct row_reader){rows->data, rows->data + rows->size, false};
}

static bool next_sample(struct row_reader *r, struct sample_row *row)
{
    if (r->is_bad || r->at == r->end)
        return false;
    row->process = row_reader_string(r);
    row->thread = row_reader_string(r);
    row->stack = row_reader_bytes(r, HASH_BYTES);
    row->n = row_reader_int64(r);
    row->ns = row_reader_int64(r);
    return !r->is_bad;
}

static bool fail(struct sums *s, const char *why)
{
    s->server.why.size = 0;
    text_str(&s->server.why, why);
    return false;
}

/* ---- What the server knows --------------------------------------------------------- */

static bool ask(struct sums *s, struct text *rows)
{
    bool good = server_query(&s->server, s->sql.data, rows);

    s->sql.size = 0;
    return good;
}

static bool read_samples(struct sums *s)
{
    struct row_reader r;
    struct sample_row row;

    sums_sql_samples(&s->sql, s->query->database, s->query->where);
    if (!ask(s, &s->samples))
        return false;
    r = read_rows(&s->samples);
    while (next_sample(&r, &row)) {
        string_table_add(&s->stack_ids, row.stack, HASH_BYTES);
        r.is_bad = row.n < 0 || row.ns < 0;
    }
    return !r.is_bad || fail(s, "the answer about samples is damaged");
}

/* A row of `stack`, or of another stack than those that were asked for. A stack may have
 * several, which are equal. */
static void take_stack(struct sums *s, struct row_reader *r)
{
    const char *id = row_reader_bytes(r, HASH_BYTES);
    uint64_t n = row_reader_varint(r);
    struct stored_stack stack = {true, s->n_frames, 0, FXT_STACK_END_UNKNOWN};
    uint32_t number;

    for (; stack.n < n && !r->is_bad; stack.n++) {
        const char *frame = row_reader_bytes(r, HASH_BYTES);

        if (frame != NULL)
            MEMORY_ADD(s->frames, s->n_frames, s->frame_capacity,
                       string_table_add(&s->frame_ids, frame, HASH_BYTES));
    }
    stack.end = stack_ids_end(row_reader_string(r));
    if (r->is_bad || !string_table_find(&s->stack_ids, id, HASH_BYTES, &number))
        return;
    if (s->stacks[number].is_known)
        s->n_frames = stack.first;
    else
        s->stacks[number] = stack;
}

static void take_frame(struct sums *s, struct row_reader *r)
{
    const char *id = row_reader_bytes(r, HASH_BYTES);
    struct string name = row_reader_string(r);
    uint32_t number;

    if (!r->is_bad && string_table_find(&s->frame_ids, id, HASH_BYTES, &number))
        s->frame_names[number] = string_table_add(&s->names, name.data, name.size) + 1;
}

typedef void add_sql_fn(struct text *sql, const char *database,
                        const struct string_table *ids, size_t from, size_t to);

/* Asks for what ids are of. */
static bool read_by_ids(struct sums *s, const struct string_table *ids,
                        add_sql_fn *add_sql,
                        void (*take)(struct sums *, struct row_reader *))
{
    for (size_t from = 0; from < ids->n; from += IDS_OF_QUERY) {
        size_t to = ids->n - from < IDS_OF_QUERY ? ids->n : from + IDS_OF_QUERY;
        struct row_reader r;

        add_sql(&s->sql, s->query->database, ids, from, to);
        if (!ask(s, &s->rows))
            return false;
        r = read_rows(&s->rows);
        while (!r.is_bad && r.at < r.end)
            take(s, &r);
        if (r.is_bad)
            return fail(s, "the answer about stacks is damaged");
    }
    return true;
}

static bool read_stacks(struct sums *s)
{
    s->stacks =
        (struct stored_stack *)memory_allocate(s->stack_ids.n * sizeof(*s->stacks));
    if (!read_by_ids(s, &s->stack_ids, sums_sql_stacks, take_stack))
        return false;
    s->frame_names =
        (uint32_t *)memory_allocate(s->frame_ids.n * sizeof(*s->frame_names));
    return read_by_ids(s, &s->frame_ids, sums_sql_frames, take_frame);
}

/* ---- The profile ------------------------------------------------------------------- */

static struct fxt_string string_of(struct string name)
{
    return fxt_string_at(name.data, (uint32_t)name.size);
}

static void add_name(struct sums *s, struct fxt_string name)
{
    MEMORY_ADD(s->stack, s->n_stack, s->stack_capacity, name);
}

static struct fxt_string frame_name(const struct sums *s, uint32_t frame)
{
    uint32_t name = s->frame_names[frame];

    return name > 0 ? string_of(string_table_get(&s->names, name - 1))
                    : FXT_TEXT("[not in table frame]");
}

/* The names of a stack's functions; where its rows were not sent, or were deleted, that
 * is what it says. */
static void name_stack(struct sums *s, const struct stored_stack *stack)
{
    s->n_stack = 0;
    for (size_t i = 0; i < stack->n; i++)
        add_name(s, frame_name(s, s->frames[stack->first + i]));
    if (s->n_stack == 0)
        add_name(s, FXT_TEXT("[not in table stack]"));
}

static void add_samples(struct sums *s, struct fxt_profile_builder *builder)
{
    struct row_reader r = read_rows(&s->samples);
    struct sample_row row;
    uint32_t stack = 0;

    while (next_sample(&r, &row)) {
        struct fxt_profile_sum sum = {.size = sizeof(sum),
                                      .process_name = string_of(row.process),
                                      .thread_name = string_of(row.thread),
                                      .n_samples = row.n,
                                      .cpu_ns = row.ns};

        string_table_find(&s->stack_ids, row.stack, HASH_BYTES, &stack);
        name_stack(s, &s->stacks[stack]);
        sum.frames = s->stack;
        sum.n_frames = s->n_stack;
        sum.end = s->stacks[stack].end;
        fxt_profile_builder_add_sum(builder, &sum);
    }
}

static void free_sums(struct sums *s)
{
    server_close(&s->server);
    text_free(&s->sql);
    text_free(&s->samples);
    text_free(&s->rows);
    string_table_free(&s->stack_ids);
    memory_release(s->stacks);
    string_table_free(&s->frame_ids);
    memory_release(s->frame_names);
    string_table_free(&s->names);
    memory_release(s->frames);
    memory_release(s->stack);
}

bool sums_read(const struct sums_query *query, struct fxt_profile_builder *builder)
{
    struct sums s = {.query = query};
    bool good = server_open(&s.server, &query->server) && server_check(&s.server) &&
                read_samples(&s) && read_stacks(&s);

    if (good)
        add_samples(&s, builder);
    else
        complain_text(query->server.program, query->server.url, &s.server.why);
    free_sums(&s);
    return good;
}
