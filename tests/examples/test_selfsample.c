/* SPDX-License-Identifier: BSD-2-Clause */
/* The whole writing side at work: examples/selfsample samples itself, and what libfxt
 * reads from its regions must agree with what it measured. */
#include <math.h>

#include "recording.h"
#include "tests/support/region.h"

/* ---- What it sampled --------------------------------------------------------------- */

static struct shares *find_thread(struct recording *r, uint64_t tid)
{
    for (size_t i = 0; i < r->n_threads; i++) {
        if (r->threads[i].tid == tid)
            return &r->threads[i];
    }
    cr_assert_fail("no thread %llu", (unsigned long long)tid);
    return NULL;
}

static void find_phases(const struct recording *r, const struct fxt_sample *sample,
                        bool *is_in)
{
    for (uint64_t i = 0; i < sample->pcs.count; i++) {
        /* All but the first are return addresses, which may be in the next
         * function. */
        uint64_t pc = fxt_words_get(sample->pcs, i) - (i > 0);

        for (size_t k = 0; k < r->n_ranges; k++) {
            if (pc >= r->ranges[k].start && pc < r->ranges[k].end)
                is_in[r->ranges[k].phase] = true;
        }
    }
}

static void take_stack(void *context, uint64_t index, const struct fxt_sample *sample)
{
    struct recording *r = context;
    struct shares *thread = find_thread(r, sample->thread.thread);
    bool is_in[MAX_PHASES] = {false};

    if (index == 0)
        r->last_timestamp = 0;
    cr_assert_eq(sample->thread.process, r->pid);
    cr_assert_geq(sample->timestamp, r->last_timestamp);
    r->last_timestamp = sample->timestamp;
    find_phases(r, sample, is_in);
    thread->n_samples++;
    r->all.n_samples++;
    for (size_t i = 0; i < r->n_phases; i++) {
        thread->n_with_phase[i] += is_in[i];
        r->all.n_with_phase[i] += is_in[i];
    }
}

/* Reads the region of each CPU, all of which must be without fault. Returns how many
 * there are. */
static long read_regions(struct recording *r)
{
    size_t expected = number(r->truth, "region_bytes");
    long n_files = 0;

    for (unsigned cpu = 0; cpu < 65536; cpu++) {
        struct region_reader read;
        char name[32];
        size_t size;
        char *data;

        snprintf(name, sizeof(name), "cpu%u.bin", cpu);
        data = read_file(r->directory, name, &size);
        if (data == NULL)
            continue;
        n_files++;
        cr_assert_eq(size, expected);
        read = region_read(data, size, take_stack, r);
        cr_assert_eq(read.n_reports, 0, "%s: %s", name, fxt_code_name(read.last_report));
        cr_assert_eq(read.n_other_records, 0);
        free(data);
    }
    return n_files;
}

static void check_counts(struct recording *r)
{
    const cJSON *t = r->truth;

    cr_assert_eq(r->all.n_samples, number(t, "samples_written"));
    cr_assert_eq(number(t, "signals"),
                 number(t, "samples_written") + number(t, "skipped_late") +
                     number(t, "dropped_full") + number(t, "dropped_busy") +
                     number(t, "dropped_no_region"));
    cr_assert_eq(number(t, "dropped_no_region"), 0);
}

/* Each phase must be in as many of the samples as its share of the CPU time says: three
 * standard deviations, and two points for what is no accident, such as functions that are
 * interrupted before they have set up their frame. */
static void check_shares(const struct recording *r, const struct shares *shares)
{
    double n = (double)shares->n_samples;

    for (size_t i = 0; i < r->n_phases; i++) {
        double truth = shares->cpu_ns[i] / shares->cpu_ns[0];
        double sampled = (double)shares->n_with_phase[i] / n;
        double tolerance = 3 * sqrt(truth * (1 - truth) / n) + 0.02;

        cr_expect_leq(fabs(sampled - truth), tolerance,
                      "%s: %.2f %% measured, %.2f %% of %.0f samples", r->names[i],
                      100 * truth, 100 * sampled, n);
    }
}

Test(selfsample, samples_agree_with_the_cpu_time_that_was_measured)
{
    struct recording r;

    start_recording(&r, "-d 2 -j 4");
    cr_assert_eq(read_regions(&r), sysconf(_SC_NPROCESSORS_ONLN));
    check_counts(&r);
    cr_assert_eq(number(r.truth, "dropped_full"), 0);
    cr_assert_gt(r.all.n_samples, 100);
    cr_assert_eq(r.n_threads, 4);
    check_shares(&r, &r.all);
    for (size_t i = 0; i < r.n_threads; i++) {
        cr_assert_gt(r.threads[i].n_samples, 0);
        check_shares(&r, &r.threads[i]);
    }
    end_recording(&r);
}

/* Whether a line of a memory map is of the program's code around this address. */
static bool is_around(const char *line, uint64_t address)
{
    unsigned long long start;
    unsigned long long end;
    char flags[8];

    return sscanf(line, "%llx-%llx %7s", &start, &end, flags) == 3 && address >= start &&
           address < end && flags[2] == 'x' && strstr(line, "/selfsample") != NULL;
}

Test(selfsample, the_memory_map_says_where_the_code_was)
{
    struct recording r;
    bool found = false;
    size_t size;
    char *maps;

    start_recording(&r, "-d 1 -j 1");
    maps = read_file(r.directory, "maps", &size);
    cr_assert_not_null(maps);
    for (char *line = strtok(maps, "\n"); line != NULL; line = strtok(NULL, "\n"))
        found = found || is_around(line, r.addresses[0]);
    cr_assert(found);
    free(maps);
    end_recording(&r);
}

Test(selfsample, full_regions_of_an_odd_size_lose_nothing_silently)
{
    struct recording r;

    start_recording(&r, "-d 1 -j 2 -p 500 -s 4099");
    read_regions(&r);
    check_counts(&r);
    cr_assert_gt(r.all.n_samples, 0);
    cr_assert_gt(number(r.truth, "dropped_full"), 0);
    end_recording(&r);
}

Test(selfsample, the_smallest_region_holds_nothing_and_counts_it)
{
    struct recording r;

    start_recording(&r, "-d 1 -j 1 -s 8");
    read_regions(&r);
    check_counts(&r);
    cr_assert_eq(r.all.n_samples, 0);
    cr_assert_gt(number(r.truth, "dropped_full"), 0);
    end_recording(&r);
}

/* ---- Its command line -------------------------------------------------------------- */

/* Runs it in an empty directory, expecting this exit status, and this somewhere in the
 * output. */
static void check_command(const char *arguments, int status, const char *expected)
{
    char directory[64];
    size_t size;
    char *text;

    make_directory(directory);
    cr_expect_eq(run(directory, arguments), status, "selfsample %s", arguments);
    text = read_file(directory, "output", &size);
    cr_assert_not_null(text);
    cr_expect_not_null(strstr(text, expected), "selfsample %s: %s", arguments, text);
    free(text);
    text = read_file(directory, "truth.json", &size);
    cr_expect_null(text, "selfsample %s left a truth", arguments);
    remove_directory(directory);
}

Test(selfsample, help_is_given_and_wrong_usage_refused)
{
    check_command("-h", 0, "usage: selfsample");
    check_command("", 2, "usage: selfsample");
    check_command("a b", 2, "usage: selfsample");
    check_command("-x .", 2, "invalid option");
    check_command("-p", 2, "requires an argument");
    check_command("-p 49 .", 2,
                  "-p takes a number from 50 to 1000000, which '49' is not");
    check_command("-p 1000001 .", 2, "-p takes a number");
    check_command("-p 1e3 .", 2, "'1e3' is not");
    check_command("-p '' .", 2, "'' is not");
    check_command("-p -100 .", 2, "'-100' is not");
    check_command("-p ' 100' .", 2, "' 100' is not");
    check_command("-s 7 .", 2, "-s takes a number from 8 to");
    check_command("-d 0 .", 2, "-d takes a number from 1 to");
    check_command("-j 0 .", 2, "-j takes a number from 1 to");
    check_command("-j 99999999999999999999 .", 2, "-j takes a number");
}

Test(selfsample, what_cannot_be_had_is_an_error_that_says_so)
{
    check_command("no/directory", 1, "selfsample: no/directory: No such file");
    check_command("output", 1, "selfsample: output/truth.json: Not a directory");
    check_command("/proc", 1, "selfsample: /proc/truth.json: ");
    check_command("-s 9000000000000000000 .", 1, "selfsample: regions: Cannot allocate");
}
