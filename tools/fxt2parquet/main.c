/* SPDX-License-Identifier: BSD-2-Clause */
/* fxt2parquet: samples and events to tables in Apache Parquet. */
#include <string.h>

#include <fxt/profile_events.h>

#include "directory.h"
#include "partition.h"
#include "tools/common/output_name.h"
#include "tools/common/report.h"
#include "tools/convert/conversion.h"
#include "tools/convert/convert.h"
#include "tools/convert/option_groups.h"
#include "tools/tables/produce.h"

static const char usage[] =
    "Usage: fxt2parquet -o DIRECTORY [OPTION]... [FILE]...\n"
    "Turns the samples and events in FXT regions and archives into tables in Apache\n"
    "Parquet, one file each, for DuckDB, ClickHouse, Spark, Trino and other engines. No\n"
    "FILE, or -, is standard input. Compressed files (gzip, zstd) are read as they are.\n"
    "The first region is of CPU 0, and so on; or cpu3.bin of CPU 3.\n";

struct own {
    enum parquet_codec codec;
    struct value_list partitions;
};

/* ---- Options ----------------------------------------------------------------------- */

static bool take_partition(struct option_given *given)
{
    struct own *own = given->own;
    const char *value = given->value;
    const char *problem = partition_check(value);

    for (size_t i = 0; i < own->partitions.n && problem == NULL; i++) {
        if (partition_is_same(own->partitions.values[i], value))
            problem = "there is a column of that name already";
    }
    if (problem != NULL)
        return text_fail(&given->why, "%s", problem);
    return value_list_add(&own->partitions, value);
}

static bool take_codec(struct option_given *given)
{
    static const struct {
        const char *name;
        enum parquet_codec codec;
    } names[] = {
        {"none", PARQUET_UNCOMPRESSED},
        {"gzip", PARQUET_GZIP},
        {"zstd", PARQUET_ZSTD},
    };
    struct own *own = given->own;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(names[i].name, given->value) != 0)
            continue;
        own->codec = names[i].codec;
        if (!codec_is_there(own->codec))
            text_str(&given->why, "this build has no zstd");
        return codec_is_there(own->codec);
    }
    return false;
}

#define OPTION_STRUCT struct own

static const struct option_entry writing_options[] = {
    {"partition", 0, "KEY[=VALUE]", OPTION_CALL(take_partition),
     "add a level of directories, such as host=web1, or date for the recording's date; "
     "may be given several times"},
    {"compress", 0, "HOW", OPTION_CALL(take_codec),
     "none, gzip or zstd (the default if built in)"},
    OPTIONS_END,
};

static const struct option_group groups[] = {
    {"Reading", options_reading},   {OPTION_GROUP_GOES_ON, options_parallel},
    {"Choosing", options_choosing}, {"Naming", options_naming},
    {"Writing", writing_options},   {OPTION_GROUP_GOES_ON, options_start_time},
    {NULL, options_general},        {NULL, NULL},
};

/* Partitions are of a recording, whose id is a hash of the input. */
static bool needs_files(const struct options *o)
{
    const struct own *own = (const struct own *)o->own;

    return own->partitions.n > 0 && options_have_standard_input(o);
}

static bool check_own(struct options *o)
{
    struct name_promise promise;

    if (needs_files(o))
        return complain(o->program, NULL,
                        "--partition reads the input twice: write it to a file first");

    if (o->output == NULL)
        return complain(o->program, NULL,
                        "tables are files in a directory: use -o DIRECTORY");
    if (output_name_promise(o->output, &promise) &&
        (promise.tool == NULL || strcmp(promise.tool, o->program) != 0))
        return complain(o->program, o->output,
                        "the output is a directory of files in Parquet");
    tables_choose_options(&o->build);
    o->hides_cuts = true;
    o->writes_own = true;
    return true;
}

/* ---- Writing ----------------------------------------------------------------------- */

static uint64_t find_time(const struct conversion *c)
{
    uint64_t clock_ns;
    uint64_t wall_ns;

    if (c->statistics.start_ns != 0)
        return c->statistics.start_ns;
    fxt_profile_wall_clock(c->profile, &clock_ns, &wall_ns);
    return wall_ns;
}

static bool identify(const struct conversion *c, struct directory *d)
{
    const struct options *o = &c->options;
    const char *about = NULL;
    bool good =
        d->n_partitions == 0 || recording_id_make(d->recording, o->files, o->n_files,
                                                  UINT64_MAX, &about, &d->why);

    if (!good)
        text_str(&d->path, about);
    return good;
}

static int write_directory(const struct conversion *c, struct output *output)
{
    const struct own *own = (const struct own *)c->options.own;
    struct directory d = {
        .options = &c->options,
        .codec = own->codec,
        .partitions = own->partitions.values,
        .n_partitions = own->partitions.n,
        .time_ns = find_time(c),
    };
    struct table_sink sink = directory_sink(&d);
    bool good = identify(c, &d) && directory_check(&d) &&
                tables_produce(c->profile, &sink) && directory_finish(&d);

    (void)output;
    directory_close(&d);
    if (!good) {
        text_char(&d.path, '\0');
        complain_text(c->converter->name, d.path.data, &d.why);
    }
    return good ? EXIT_GOOD : EXIT_UNWRITTEN;
}

int main(int argc, char **argv)
{
    static struct own own;
    static const struct converter converter = {
        .name = "fxt2parquet",
        .usage = usage,
        .groups = groups,
        .default_format = FXT_PROFILE_FOLDED,
        .opens_own = true,
        .own = &own,
        .check_own = check_own,
        .write_own = write_directory,
    };

    own.codec = codec_is_there(PARQUET_ZSTD) ? PARQUET_ZSTD : PARQUET_GZIP;
    return convert_main(&converter, argc, argv);
}
