/* SPDX-License-Identifier: BSD-2-Clause */
/* See results.h. */
#include "results.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "work.h"

static bool fail(const char *what)
{
    fprintf(stderr, "selfsample: %s: %s\n", what, strerror(errno));
    return false;
}

/* ---- Files ------------------------------------------------------------------------- */

/* A file that is being written, and its name for what goes wrong. */
struct output {
    FILE *file;
    char path[PATH_MAX];
};

static bool create(struct output *output, const char *directory, const char *name)
{
    int size = snprintf(output->path, sizeof(output->path), "%s/%s", directory, name);

    output->file = NULL;
    if (size < 0 || (size_t)size >= sizeof(output->path))
        errno = ENAMETOOLONG;
    else
        output->file = fopen(output->path, "we");
    return output->file != NULL || fail(output->path);
}

static bool finish(struct output *output)
{
    bool failed = ferror(output->file) != 0;

    if (fclose(output->file) != 0 || failed)
        return fail(output->path);
    return true;
}

/* The file that is written last is tried, and one that an older run left is gone. */
bool results_prepare(const char *directory)
{
    struct output probe;

    if (mkdir(directory, 0777) != 0 && errno != EEXIST)
        return fail(directory);
    if (!create(&probe, directory, "truth.json"))
        return false;
    unlink(probe.path);
    return finish(&probe);
}

static bool write_region(const char *directory, const struct regions *regions,
                         unsigned cpu)
{
    struct output output;
    char name[32];

    snprintf(name, sizeof(name), "cpu%u.bin", cpu);
    if (!create(&output, directory, name))
        return false;
    fwrite(regions->all[cpu].emit.words, 1, regions->size, output.file);
    return finish(&output);
}

/* Regions of CPUs that went offline while recording are written, too. */
static bool write_regions(const char *directory, const struct regions *regions)
{
    for (unsigned cpu = 0; cpu < regions->n; cpu++) {
        if (!regions_is_online(regions, cpu) && regions->all[cpu].emit.pos == 0)
            continue;
        if (!write_region(directory, regions, cpu))
            return false;
    }
    return true;
}

static bool write_maps(const char *directory)
{
    FILE *from = fopen("/proc/self/maps", "re");
    struct output to;
    char piece[4096];
    size_t size;
    bool good;

    if (from == NULL)
        return fail("/proc/self/maps");
    good = create(&to, directory, "maps");
    if (good) {
        while ((size = fread(piece, 1, sizeof(piece), from)) > 0)
            fwrite(piece, 1, size, to.file);
        good = finish(&to);
    }
    fclose(from);
    return good;
}

/* ---- The truth --------------------------------------------------------------------- */

struct sample_counts results_counts(const struct results *results)
{
    struct sample_counts sum = {0};

    for (unsigned i = 0; i < results->n_threads; i++) {
        const struct sample_counts *counts = &results->threads[i].sampled->counts;

        sum.signals += counts->signals;
        sum.written += counts->written;
        sum.skipped_late += counts->skipped_late;
        sum.dropped_full += counts->dropped_full;
        sum.dropped_busy += counts->dropped_busy;
        sum.dropped_no_region += counts->dropped_no_region;
        sum.merged += counts->merged;
    }
    return sum;
}

struct truth results_truth(const struct results *results)
{
    struct truth sum = {0};

    for (unsigned i = 0; i < results->n_threads; i++) {
        for (unsigned phase = 0; phase < N_PHASES; phase++) {
            sum.cpu_ns[phase] += results->threads[i].truth->cpu_ns[phase];
            sum.n_calls[phase] += results->threads[i].truth->n_calls[phase];
        }
    }
    return sum;
}

static void write_counts(FILE *file, const char *indent,
                         const struct sample_counts *counts)
{
    fprintf(file, "%s\"signals\": %" PRIu64 ",\n", indent, counts->signals);
    fprintf(file, "%s\"samples_written\": %" PRIu64 ",\n", indent, counts->written);
    fprintf(file, "%s\"skipped_late\": %" PRIu64 ",\n", indent, counts->skipped_late);
    fprintf(file, "%s\"dropped_full\": %" PRIu64 ",\n", indent, counts->dropped_full);
    fprintf(file, "%s\"dropped_busy\": %" PRIu64 ",\n", indent, counts->dropped_busy);
    fprintf(file, "%s\"dropped_no_region\": %" PRIu64 ",\n", indent,
            counts->dropped_no_region);
    fprintf(file, "%s\"signals_merged\": %" PRIu64 ",\n", indent, counts->merged);
}

static void write_phases(FILE *file, const char *indent, const struct truth *truth)
{
    fprintf(file, "%s\"phases\": [\n", indent);
    for (unsigned phase = 0; phase < N_PHASES; phase++)
        fprintf(file,
                "%s  {\"name\": \"%s\", \"address\": \"0x%" PRIxPTR "\", "
                "\"cpu_ns\": %" PRIu64 ", \"calls\": %" PRIu64 "}%s\n",
                indent, work_phase_name(phase), work_phase_address(phase),
                truth->cpu_ns[phase], truth->n_calls[phase],
                phase + 1 < N_PHASES ? "," : "");
    fprintf(file, "%s]", indent);
}

static void write_thread(FILE *file, const struct results_thread *thread)
{
    fprintf(file, "    {\n      \"tid\": %ld,\n", (long)thread->sampled->id);
    write_counts(file, "      ", &thread->sampled->counts);
    write_phases(file, "      ", thread->truth);
    fprintf(file, "\n    }");
}

static bool write_truth(const char *directory, const struct results *results)
{
    struct output output;
    struct sample_counts counts = results_counts(results);
    struct truth truth = results_truth(results);
    FILE *file;

    if (!create(&output, directory, "truth.json"))
        return false;
    file = output.file;
    fprintf(file, "{\n  \"pid\": %ld,\n", (long)results->sampler->process);
    fprintf(file, "  \"period_ns\": %" PRIu64 ",\n", results->sampler->period_ns);
    fprintf(file, "  \"region_bytes\": %zu,\n", results->sampler->regions->size);
    write_counts(file, "  ", &counts);
    write_phases(file, "  ", &truth);
    fprintf(file, ",\n  \"threads\": [\n");
    for (unsigned i = 0; i < results->n_threads; i++) {
        write_thread(file, &results->threads[i]);
        fprintf(file, "%s\n", i + 1 < results->n_threads ? "," : "");
    }
    fprintf(file, "  ]\n}\n");
    return finish(&output);
}

bool results_write(const char *directory, const struct results *results)
{
    return write_regions(directory, results->sampler->regions) && write_maps(directory) &&
           write_truth(directory, results);
}
