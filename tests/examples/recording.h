/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs examples/selfsample, which SELFSAMPLE in the environment names, and reads what it
 * says of itself: truth.json, and where its functions are.
 */
#ifndef TESTS_EXAMPLES_RECORDING_H
#define TESTS_EXAMPLES_RECORDING_H

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cjson/cJSON.h>
#include <criterion/criterion.h>

enum { MAX_PHASES = 16, MAX_THREADS = 16, MAX_RANGES = 64 };

/* Runs the program in a directory, its output going to a file there. Returns its exit
 * status. */
static inline int run(const char *directory, const char *arguments)
{
    const char *program = getenv("SELFSAMPLE");
    char command[2048];
    int status;

    cr_assert_not_null(program, "SELFSAMPLE is not set");
    snprintf(command, sizeof(command), "cd '%s' && '%s' %s >output 2>&1", directory,
             program, arguments);
    status = system(command);
    cr_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* The whole file, with a zero after it, or NULL if there is none. */
static inline char *read_file(const char *directory, const char *name, size_t *size)
{
    char path[256];
    struct stat status;
    FILE *file;
    char *data;

    snprintf(path, sizeof(path), "%s/%s", directory, name);
    file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    cr_assert_eq(fstat(fileno(file), &status), 0);
    *size = (size_t)status.st_size;
    data = calloc(1, *size + 1);
    cr_assert_eq(fread(data, 1, *size, file), *size);
    fclose(file);
    return data;
}

/* Makes an empty directory and stores its path. */
static inline void make_directory(char *directory)
{
    strcpy(directory, "/tmp/selfsample.XXXXXX");
    cr_assert_not_null(mkdtemp(directory));
}

static inline void remove_directory(const char *directory)
{
    char command[256];

    snprintf(command, sizeof(command), "rm -r '%s'", directory);
    cr_assert_eq(system(command), 0);
}

/* ---- What it measured -------------------------------------------------------------- */

/* CPU time of each phase, for one thread or for all, and what the samples make of it. */
struct shares {
    uint64_t tid;
    double cpu_ns[MAX_PHASES];
    uint64_t n_samples;
    uint64_t n_with_phase[MAX_PHASES];
};

struct range {
    uint64_t start;
    uint64_t end;
    size_t phase;
};

struct recording {
    char directory[64];
    cJSON *truth;
    uint64_t pid;
    size_t n_phases;
    const char *names[MAX_PHASES];
    uint64_t addresses[MAX_PHASES];
    struct shares all;
    struct shares threads[MAX_THREADS];
    size_t n_threads;
    /* Where the phases' code is; a compiler may put some of it elsewhere. */
    struct range ranges[MAX_RANGES];
    size_t n_ranges;
    uint64_t last_timestamp;
};

static inline uint64_t number(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

    cr_assert(cJSON_IsNumber(item), "%s", name);
    return (uint64_t)item->valuedouble;
}

static inline void read_shares(struct shares *shares, const cJSON *object)
{
    const cJSON *phases = cJSON_GetObjectItemCaseSensitive(object, "phases");

    for (int i = 0; i < cJSON_GetArraySize(phases); i++)
        shares->cpu_ns[i] = (double)number(cJSON_GetArrayItem(phases, i), "cpu_ns");
}

static inline void read_phases(struct recording *r)
{
    const cJSON *phases = cJSON_GetObjectItemCaseSensitive(r->truth, "phases");
    const cJSON *phase;

    cJSON_ArrayForEach(phase, phases)
    {
        cr_assert_lt(r->n_phases, MAX_PHASES);
        r->names[r->n_phases] =
            cJSON_GetObjectItemCaseSensitive(phase, "name")->valuestring;
        r->addresses[r->n_phases++] = strtoull(
            cJSON_GetObjectItemCaseSensitive(phase, "address")->valuestring, NULL, 16);
    }
    cr_assert_gt(r->n_phases, 5);
}

static inline void read_truth(struct recording *r)
{
    size_t size;
    char *text = read_file(r->directory, "truth.json", &size);
    const cJSON *thread;

    cr_assert_not_null(text);
    r->truth = cJSON_Parse(text);
    cr_assert_not_null(r->truth);
    free(text);
    r->pid = number(r->truth, "pid");
    read_phases(r);
    read_shares(&r->all, r->truth);
    cJSON_ArrayForEach(thread, cJSON_GetObjectItemCaseSensitive(r->truth, "threads"))
    {
        cr_assert_lt(r->n_threads, MAX_THREADS);
        read_shares(&r->threads[r->n_threads], thread);
        r->threads[r->n_threads++].tid = number(thread, "tid");
    }
}

/* A function, or a part of it that the compiler gave a name such as f.cold. */
static inline bool is_of(const char *symbol, const char *function)
{
    size_t size = strlen(function);

    return strncmp(symbol, function, size) == 0 &&
           (symbol[size] == '\0' || symbol[size] == '.');
}

/* Adds a symbol, at an address in the file, if it is a phase's. */
static inline void add_range(struct recording *r, const char *symbol, uint64_t start,
                             uint64_t size, uint64_t *bias)
{
    for (size_t i = 0; i < r->n_phases; i++) {
        if (!is_of(symbol, r->names[i]))
            continue;
        cr_assert_lt(r->n_ranges, MAX_RANGES);
        r->ranges[r->n_ranges++] = (struct range){start, start + size, i};
        if (strcmp(symbol, r->names[i]) != 0)
            continue;
        cr_assert(*bias == 0 || *bias == r->addresses[i] - start);
        *bias = r->addresses[i] - start;
    }
}

/* Finds where the phases' functions begin and end, with nm. */
static inline void read_symbols(struct recording *r)
{
    uint64_t bias = 0;
    char command[1024];
    char line[1024];
    FILE *nm;

    snprintf(command, sizeof(command), "nm -S '%s'", getenv("SELFSAMPLE"));
    nm = popen(command, "r");
    cr_assert_not_null(nm);
    while (fgets(line, sizeof(line), nm) != NULL) {
        unsigned long long start;
        unsigned long long size;
        char type;
        char name[512];

        if (sscanf(line, "%llx %llx %c %511s", &start, &size, &type, name) == 4 &&
            tolower(type) == 't')
            add_range(r, name, start, size, &bias);
    }
    cr_assert_eq(pclose(nm), 0, "there is no nm");
    cr_assert_geq(r->n_ranges, r->n_phases);
    for (size_t i = 0; i < r->n_ranges; i++) {
        r->ranges[i].start += bias;
        r->ranges[i].end += bias;
    }
}

/* Samples with these options; everything but the samples is in `r` then. */
static inline void start_recording(struct recording *r, const char *options)
{
    char arguments[256];

    *r = (struct recording){.n_phases = 0};
    make_directory(r->directory);
    snprintf(arguments, sizeof(arguments), "%s .", options);
    cr_assert_eq(run(r->directory, arguments), 0);
    read_truth(r);
    read_symbols(r);
}

static inline void end_recording(struct recording *r)
{
    cJSON_Delete(r->truth);
    remove_directory(r->directory);
}

#endif
