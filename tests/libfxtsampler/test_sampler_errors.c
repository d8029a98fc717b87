/* SPDX-License-Identifier: BSD-2-Clause */
/* libfxtsampler: every error of the table in its man page is provoked. */
#include <sys/wait.h>

#include "sampler_error_rows.h"

/* Added to a code, which distinguishes it from other exit statuses. */
enum { STATUS = 64 };

/* The code that a row's function returns, in a separate process. */
static int provoke(const struct row *row, enum fxt_sampler_method method)
{
    pid_t child;
    int status = 0;

    /* A sanitizer writes the child's copy, too. */
    fflush(stdout);
    child = fork();
    if (child == 0)
        _exit(STATUS + (int)row->provoke(method));
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) &&
              WEXITSTATUS(status) >= STATUS,
          "%s: status %d", row->name, status);
    return WEXITSTATUS(status) - STATUS;
}

static void try_rows(enum fxt_sampler_method method)
{
    for (unsigned i = 0; i < N_ROWS; i++) {
        int code = provoke(&rows[i], method);

        CHECK(code == (int)rows[i].code, "row %u: %s, and not %s", i,
              fxt_sampler_code_name((enum fxt_sampler_code)code), rows[i].name);
    }
}

TEST(sampler_errors, each_is_provoked_by_signals)
{
    try_rows(FXT_SAMPLER_SIGNAL);
}

TEST(sampler_errors, each_is_provoked_by_perf)
{
    struct fxt_sampler_config config = config_of(FXT_SAMPLER_PERF);
    struct fxt_sampler *sampler = create(&config);

    if (sampler == NULL)
        return;
    fxt_sampler_destroy(sampler);
    try_rows(FXT_SAMPLER_PERF);
}

TEST(sampler_errors, every_code_has_a_row_a_word_and_a_sentence)
{
    for (unsigned code = 0; code <= FXT_SAMPLER_E_EVENT; code++) {
        const char *name = fxt_sampler_code_name((enum fxt_sampler_code)code);
        unsigned n_rows = 0;

        for (unsigned i = 0; i < N_ROWS; i++)
            n_rows += (unsigned)rows[i].code == code;
        CHECK(n_rows > 0, "%s has no row", name);
        CHECK(strcmp(name, "unknown_code") != 0, "%u has no word", code);
        CHECK(strlen(fxt_sampler_code_message((enum fxt_sampler_code)code)) > 5,
              "%s has no sentence", name);
        for (unsigned other = 0; other < code; other++)
            CHECK(strcmp(name, fxt_sampler_code_name((enum fxt_sampler_code)other)) != 0,
                  "%u is called as %u", code, other);
    }
    CHECK(strcmp(fxt_sampler_code_name((enum fxt_sampler_code)(FXT_SAMPLER_E_EVENT + 1)),
                 "unknown_code") == 0,
          "there is a code that this test does not know");
}

/* Its table: a line .It Dv FXT_SAMPLER_E_OPTIONS Ta 1 Ta and so on for each. */
TEST(sampler_errors, the_man_page_has_every_row)
{
    FILE *file = fopen(MAN_PAGE, "r");
    unsigned seen = 1u << FXT_SAMPLER_OK;
    char line[256];
    char name[64];
    unsigned code;

    CHECK(file != NULL, "there is no %s", MAN_PAGE);
    while (fgets(line, sizeof(line), file) != NULL) {
        unsigned i = 0;

        if (sscanf(line, ".It Dv %63s Ta %u Ta", name, &code) != 2)
            continue;
        while (i < N_ROWS && strcmp(rows[i].name, name) != 0)
            i++;
        CHECK(i < N_ROWS && (unsigned)rows[i].code == code, "%s is not %u", name, code);
        seen |= 1u << code;
    }
    fclose(file);
    CHECK(seen == (2u << FXT_SAMPLER_E_EVENT) - 1, "codes %#x are there", seen);
}

TEST(sampler_errors, the_limits_of_a_configuration_are_allowed)
{
    struct fxt_sampler_config config = config_of(FXT_SAMPLER_SIGNAL);
    struct fxt_sampler_region region;
    struct fxt_sampler *sampler;

    config.period_ns = FXT_SAMPLER_PERIOD_MIN_NS;
    config.buffer_size = FXT_SAMPLER_BUFFER_SIZE_MAX;
    sampler = create(&config);
    expect(fxt_sampler_destroy(sampler), FXT_SAMPLER_OK, "destroy");
    config.period_ns = FXT_SAMPLER_PERIOD_MAX_NS;
    config.buffer_size = 1;
    sampler = create(&config);
    expect(fxt_sampler_read(sampler, 0, &region), FXT_SAMPLER_OK, "read");
    CHECK(region.size == (uint64_t)sysconf(_SC_PAGESIZE), "not rounded up to a page");
    expect(fxt_sampler_destroy(sampler), FXT_SAMPLER_OK, "destroy");
}
