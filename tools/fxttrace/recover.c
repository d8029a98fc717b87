/* SPDX-License-Identifier: BSD-2-Clause */
/* See actions.h, and fxt/trace/drain.h: the stream of a program that was killed. */
#include "actions.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/io/input.h"
#include "common/base/io/output.h"
#include "common/base/memory.h"
#include "common/base/sort.h"
#include "tools/common/report.h"
#include "traced.h"

enum {
    DROPS = FXT_TRACE_HEADER_WORDS_ - FXT_TRACE_DROPS_WORDS_,
    JOURNAL = DROPS - FXT_TRACE_JOURNAL_WORDS_
};

struct rings {
    const char *stream;
    uint64_t *words;
    uint64_t n_chunks;
    uint64_t n_damaged;
};

struct ordered_chunk {
    uint64_t order;
    const uint64_t *words;
};

/* ---- The rings --------------------------------------------------------------------- */

static bool are_rings(const uint64_t *words, uint64_t n_words)
{
    return n_words >= FXT_TRACE_HEADER_WORDS_ && words[0] == FXT_MAGIC_RECORD &&
           words[JOURNAL] == fxt_trace_rest_(FXT_TRACE_JOURNAL_WORDS_);
}

static bool take_rings(struct rings *rings, struct input *input, const char *name)
{
    size_t n_bytes = (size_t)input_stated_size(input);
    const char *problem;

    input_want(input, n_bytes);
    problem = input_error(input);
    n_bytes = input_size(input) / FXT_WORD_BYTES * FXT_WORD_BYTES;
    rings->words = memory_allocate(n_bytes + FXT_WORD_BYTES);
    memcpy(rings->words, input_data(input), n_bytes);
    if (problem == NULL && !are_rings(rings->words, n_bytes / FXT_WORD_BYTES))
        problem = "these are not the rings of a stream";
    if (problem != NULL)
        complain(FXTTRACE_PROGRAM, name, "%s", problem);
    else
        rings->n_chunks = (n_bytes - FXT_TRACE_HEADER_BYTES_) / FXT_TRACE_CHUNK_BYTES;
    return problem == NULL;
}

static bool read_rings(struct rings *rings)
{
    struct text name = {NULL, 0, 0};
    struct text why = {NULL, 0, 0};
    struct input *input;
    bool good = false;

    text_str(&name, rings->stream);
    text_str(&name, FXT_TRACE_RINGS_SUFFIX_);
    text_char(&name, '\0');
    input = input_open_at(name.data, 0, &why);
    if (input != NULL)
        good = take_rings(rings, input, name.data);
    else
        complain_text(FXTTRACE_PROGRAM, name.data, &why);
    if (input != NULL)
        input_close(input);
    return good;
}

static const uint64_t *chunk_of(const struct rings *rings, uint64_t number)
{
    return rings->words + FXT_TRACE_HEADER_WORDS_ + number * FXT_TRACE_CHUNK_WORDS_;
}

/* Where what was not written begins: after the chunk's first record. */
static uint64_t rest_of(const uint64_t *chunk)
{
    uint64_t n_words = FXT_GET(chunk[0], RECORD_WORDS);

    return n_words >= FXT_TRACE_ORDER_WORDS_ && chunk[0] == fxt_trace_rest_(n_words)
               ? n_words
               : FXT_TRACE_CHUNK_WORDS_;
}

/* How much of the stream is not in the rings: not the piece that was just being written,
 * unless its chunk knows that it was. */
static uint64_t count_written(const struct rings *rings, uint64_t stream_bytes)
{
    uint64_t before = rings->words[JOURNAL + 1];
    uint64_t piece = rings->words[JOURNAL + 2];
    uint64_t source = (uint32_t)piece;

    if (piece == 0 || before > stream_bytes)
        return stream_bytes;
    if (source != FXT_TRACE_NO_CHUNK_ &&
        (source > rings->n_chunks || rest_of(chunk_of(rings, source - 1)) != piece >> 32))
        return stream_bytes;
    return before;
}

/* ---- The archive ------------------------------------------------------------------- */

/* The rings' header has the clock's last rate. */
static void write_header(const struct rings *rings, struct output *output)
{
    uint64_t header[FXT_TRACE_HEADER_WORDS_];

    memcpy(header, rings->words, sizeof(header));
    header[JOURNAL] = fxt_trace_rest_(FXT_TRACE_JOURNAL_WORDS_ + FXT_TRACE_DROPS_WORDS_);
    output_write(output, header, sizeof(header));
}

static void copy_stream(struct input *input, uint64_t n_bytes, struct output *output)
{
    while (input_offset(input) < n_bytes && input_want(input, 1)) {
        uint64_t left = n_bytes - input_offset(input);
        size_t size = input_size(input) < left ? input_size(input) : (size_t)left;

        output_write(output, input_data(input), size);
        input_consume(input, size);
    }
}

SORT_ORDER(order_chunks, struct ordered_chunk, BY(order));

static void write_chunks(struct rings *rings, struct output *output)
{
    struct ordered_chunk *chunks =
        memory_allocate((size_t)(rings->n_chunks + 1) * sizeof(*chunks));
    size_t n = 0;

    for (uint64_t i = 0; i < rings->n_chunks; i++) {
        const uint64_t *words = chunk_of(rings, i);

        if (rest_of(words) < FXT_TRACE_CHUNK_WORDS_)
            chunks[n++] = (struct ordered_chunk){words[1], words};
    }
    SORT(chunks, n, order_chunks);
    for (size_t i = 0; i < n; i++) {
        uint64_t from = rest_of(chunks[i].words);
        uint64_t to = traced_records_end(chunks[i].words, from, &rings->n_damaged);

        output_write(output, chunks[i].words + from,
                     (size_t)(to - from) * FXT_WORD_BYTES);
    }
}

static void write_drops(const struct rings *rings, struct output *output)
{
    const uint64_t *drops = rings->words + DROPS;

    if (drops[0] != fxt_trace_rest_(FXT_TRACE_DROPS_WORDS_) &&
        FXT_GET(drops[0], RECORD_WORDS) == FXT_TRACE_DROPS_WORDS_ &&
        drops[FXT_TRACE_DROPS_RECORDS_] != 0)
        output_write(output, drops, FXT_TRACE_DROPS_WORDS_ * FXT_WORD_BYTES);
}

static enum fxttrace_status write_archive(struct rings *rings, struct input *input,
                                          const char *name)
{
    struct text why = {NULL, 0, 0};
    struct output *output = output_open(name, true, &why);
    uint64_t n_bytes = count_written(rings, input_stated_size(input));

    if (output != NULL) {
        write_header(rings, output);
        input_want(input, FXT_TRACE_HEADER_BYTES_);
        input_consume(input, input_size(input) < FXT_TRACE_HEADER_BYTES_
                                 ? input_size(input)
                                 : FXT_TRACE_HEADER_BYTES_);
        copy_stream(input, n_bytes, output);
        write_chunks(rings, output);
        write_drops(rings, output);
    }
    if (output == NULL || !output_close(output, true, &why)) {
        complain_text(FXTTRACE_PROGRAM, name != NULL ? name : "standard output", &why);
        return FXTTRACE_BAD;
    }
    if (rings->n_damaged > 0)
        complain(FXTTRACE_PROGRAM, rings->stream,
                 "%" PRIu64 " parts of its rings are damaged, and were cut there",
                 rings->n_damaged);
    if (input_error(input) != NULL)
        complain(FXTTRACE_PROGRAM, rings->stream, "%s", input_error(input));
    return rings->n_damaged > 0 || input_error(input) != NULL ? FXTTRACE_BAD
                                                              : FXTTRACE_GOOD;
}

enum fxttrace_status recover(const char *stream, const char *output)
{
    struct rings rings = {.stream = stream};
    struct text why = {NULL, 0, 0};
    enum fxttrace_status status = FXTTRACE_UNUSABLE;
    struct input *input = NULL;

    if (output != NULL && output_replaces(output, stream))
        complain(FXTTRACE_PROGRAM, output, "is the stream: write to another file");
    else if (read_rings(&rings)) {
        input = input_open_at(stream, 0, &why);
        if (input != NULL)
            status = write_archive(&rings, input, output);
        else
            complain_text(FXTTRACE_PROGRAM, stream, &why);
    }
    if (input != NULL)
        input_close(input);
    return status;
}
