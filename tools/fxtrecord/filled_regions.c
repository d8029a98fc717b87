/* SPDX-License-Identifier: BSD-2-Clause */
/* See filled_regions.h and archive.h: looking through the regions that were filled. */
#include "filled_regions.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

#include <fxt/sample.h>

#include "archive.h"
#include "base/io/output.h"

/* Where a kernel's half of the addresses starts. */
#define UPPER_HALF ((uint64_t)1 << 63)

void filled_regions_add(struct filled_regions *pieces, struct filled_region piece)
{
    pieces->all =
        memory_grow(pieces->all, pieces->n, &pieces->capacity, sizeof(*pieces->all));
    pieces->all[pieces->n++] = piece;
}

/* ---- Regions ----------------------------------------------------------------------- */

enum { WINDOW = 1 << 16, SAMPLE_BYTES_MAX = (FXT_SAMPLER_DEPTH_MAX + 10) * 8 };

/* Reads as far as there are records, and not the rest of a region that is mostly empty:
 * holes of a file would take memory to be looked at. */
static void pump_piece(const struct filled_region *piece, struct fxt_reader *reader)
{
    uint64_t window = WINDOW;
    uint64_t pos = 0;
    enum fxt_code code = FXT_OK;

    while ((code == FXT_OK || code == FXT_NEED_MORE) && pos < piece->size) {
        uint64_t left = piece->size - pos;
        struct fxt_chunk chunk = {(const char *)piece->data + pos,
                                  (size_t)(left < window ? left : window), 0};

        code = fxt_reader_read(reader, &chunk);
        pos += chunk.pos;
        /* A record that is longer than its window, or cut off. */
        if (code == FXT_NEED_MORE && left <= window)
            break;
        window = chunk.pos == 0 ? 2 * window : WINDOW;
    }
}

void piece_read(const struct filled_region *piece, fxt_record_fn *on_record,
                fxt_error_fn *on_error, void *context)
{
    struct fxt_reader_options options = {.size = sizeof(options),
                                         .on_record = on_record,
                                         .on_error = on_error,
                                         .context = context,
                                         .stream = FXT_STREAM_REGION};
    struct fxt_reader *reader;

    if (fxt_reader_create(&options, &reader) != FXT_OK)
        memory_allocate(SIZE_MAX);
    pump_piece(piece, reader);
    fxt_reader_destroy(reader);
}

struct survey {
    struct recording *recording;
    struct filled_region *piece;
};

static int survey_record(void *context, const struct fxt_record *record)
{
    const struct survey *survey = context;
    struct recording *r = survey->recording;
    struct fxt_sample sample;
    struct process_entry *entry;

    survey->piece->used = record->offset + record->size;
    if (fxt_sample_from_record(record, &sample) != FXT_SAMPLE_STACK)
        return 0;
    survey->piece->n_samples++;
    entry = process_table_thread(&r->table, (pid_t)sample.thread.thread);
    entry->is_sampled = true;
    entry->process = (pid_t)sample.thread.process;
    entry = process_table_process(&r->table, (pid_t)sample.thread.process);
    entry->is_sampled = true;
    entry->is_in_kernel =
        entry->is_in_kernel || fxt_words_get(sample.pcs, 0) >= UPPER_HALF;
    stack_ends_add(&r->ends, &r->table, &sample);
    return 0;
}

static int survey_error(void *context, const struct fxt_error *error)
{
    const struct survey *survey = context;

    survey->recording->n_damaged += error->severity >= FXT_ERROR;
    return 0;
}

static bool is_in_kernel(const struct process_table *table)
{
    bool any = false;

    for (size_t i = 0; i < table->processes.n; i++)
        any = any || table->processes.all[i].is_in_kernel;
    return any;
}

/* All samples of whoever told it stand for the CPU time that they took, and each for the
 * same. */
static void find_period(struct recording *r)
{
    uint64_t n = 0;

    for (size_t i = 0; i < r->pieces.n; i++) {
        const struct filled_region *piece = &r->pieces.all[i];

        if (!piece->is_untold)
            n += piece->n_samples + piece->dropped + piece->lost;
    }
    r->period_ns = r->asked_period_ns;
    if (r->counts.cpu_ns > 0 && n > 0)
        r->period_ns = (r->counts.cpu_ns + n / 2) / n;
}

/* Without room for the largest sample a region may have refused some. */
static bool is_full(const struct filled_region *piece)
{
    return piece->size - piece->used < SAMPLE_BYTES_MAX;
}

void archive_survey(struct recording *r)
{
    for (size_t i = 0; i < r->pieces.n; i++) {
        struct filled_region *piece = &r->pieces.all[i];
        struct survey survey = {r, piece};

        piece_read(piece, survey_record, survey_error, &survey);
        r->n_damaged += piece->n_told != UINT64_MAX && piece->n_told != piece->n_samples;
        r->n_samples += piece->n_samples;
        r->counts.dropped += piece->dropped;
        r->counts.lost += piece->lost;
        r->n_untold += piece->is_untold && is_full(piece);
    }
    if (r->is_remote)
        return;
    find_period(r);
    process_table_need_files(&r->table);
    mapped_files_read(&r->table.files);
    if (is_in_kernel(&r->table))
        kernel_modules_read(&r->kernel, "");
}

bool filled_regions_is_first(const struct filled_regions *pieces, size_t i)
{
    for (size_t j = 0; j < i; j++) {
        if (pieces->all[j].cpu == pieces->all[i].cpu)
            return false;
    }
    return true;
}

static bool write_region(const struct filled_regions *pieces, uint32_t cpu,
                         const char *name, struct text *why)
{
    static const unsigned char zeros[4096];
    struct output *output = output_open(name, true, why);
    uint64_t size = 0;

    if (output == NULL)
        return false;
    for (size_t i = 0; i < pieces->n; i++) {
        if (pieces->all[i].cpu != cpu)
            continue;
        output_write(output, pieces->all[i].data, (size_t)pieces->all[i].used);
        size += pieces->all[i].used;
    }
    output_write(output, zeros, (size_t)(sizeof(zeros) - size % sizeof(zeros)));
    return output_close(output, true, why);
}

bool filled_regions_write(const struct filled_regions *pieces, const char *directory,
                          struct text *why)
{
    bool good = true;

    for (size_t i = 0; good && i < pieces->n; i++) {
        struct text name = {NULL, 0, 0};

        if (!filled_regions_is_first(pieces, i))
            continue;
        text_printf(&name, "%s/cpu%u.bin", directory, (unsigned)pieces->all[i].cpu);
        text_char(&name, '\0');
        good = write_region(pieces, pieces->all[i].cpu, name.data, why);
        text_free(&name);
    }
    return good;
}

void filled_regions_remove_others(const struct filled_regions *pieces, const char *name)
{
    DIR *directory = opendir(name);
    const struct dirent *entry;

    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        unsigned cpu;
        int end = 0;
        bool is_kept = false;

        if (sscanf(entry->d_name, "cpu%u.bin%n", &cpu, &end) != 1 || end == 0 ||
            entry->d_name[end] != '\0')
            continue;
        for (size_t i = 0; i < pieces->n; i++)
            is_kept = is_kept || pieces->all[i].cpu == cpu;
        if (!is_kept)
            unlinkat(dirfd(directory), entry->d_name, 0);
    }
    if (directory != NULL)
        closedir(directory);
}
