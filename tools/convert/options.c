/* SPDX-License-Identifier: BSD-2-Clause */
/* See options.h. */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libfxtprofile/import/cpu_name.h"
#include "options_choose.h"
#include "options_format.h"
#include "options_uses.h"
#include "base/parallel.h"
#include "tools/common/report.h"
#include "base/text.h"

/* What getopt calls an argument that is no option. */
enum { OPTION_FILE = 1 };

enum letter {
    LETTER_ARCHIVE = 256,
    LETTER_BYTE_ORDER,
    LETTER_CPU,
    LETTER_CPUS,
    LETTER_CPU_MASK,
    LETTER_DEBUG_DIR,
    LETTER_ELF,
    LETTER_FROM,
    LETTER_FULL_NAMES,
    LETTER_INLINES,
    LETTER_KALLSYMS,
    LETTER_REGION,
    LETTER_REGION_SIZE,
    LETTER_RESYNC,
    LETTER_SAMPLER,
    LETTER_THREADS,
    LETTER_TICKS,
    LETTER_UNSYMBOLIZED
};

static const struct option common_options[] = {
    {"archive", no_argument, NULL, LETTER_ARCHIVE},
    {"byte-order", required_argument, NULL, LETTER_BYTE_ORDER},
    {"cpu", required_argument, NULL, LETTER_CPU},
    {"cpu-mask", required_argument, NULL, LETTER_CPU_MASK},
    {"cpus", required_argument, NULL, LETTER_CPUS},
    {"debug-dir", required_argument, NULL, LETTER_DEBUG_DIR},
    {"elf", required_argument, NULL, LETTER_ELF},
    {"from", required_argument, NULL, LETTER_FROM},
    {"full-names", no_argument, NULL, LETTER_FULL_NAMES},
    {"help", no_argument, NULL, 'h'},
    {"inlines", required_argument, NULL, LETTER_INLINES},
    {"kallsyms", required_argument, NULL, LETTER_KALLSYMS},
    {"output", required_argument, NULL, 'o'},
    {"quiet", no_argument, NULL, 'q'},
    {"region", no_argument, NULL, LETTER_REGION},
    {"region-size", required_argument, NULL, LETTER_REGION_SIZE},
    {"resync", no_argument, NULL, LETTER_RESYNC},
    {"sampler", required_argument, NULL, LETTER_SAMPLER},
    {"threads", required_argument, NULL, LETTER_THREADS},
    {"ticks-per-second", required_argument, NULL, LETTER_TICKS},
    {"unsymbolized", no_argument, NULL, LETTER_UNSYMBOLIZED},
    {"verbose", no_argument, NULL, 'v'},
    {"version", no_argument, NULL, 'V'},
};

enum { N_COMMON = sizeof(common_options) / sizeof(common_options[0]) };

_Static_assert((int)N_COMMON + (int)OPTIONS_N_CHOICES + (int)OPTIONS_OWN_MAX <=
                   (int)OPTIONS_MAX,
               "there is room for all that are given");

static const char reading_help[] =
    "\n"
    "Reading:\n"
    "      --from FORMAT       what each FILE is: fxt; gdb, a log of backtraces of all\n"
    "                          threads; or osdk-json, captures as cargo-osdk has them\n"
    "                          (default: as its first bytes look)\n"
    "      --region            each FILE is a region, one CPU's sampler buffer\n"
    "      --archive           each FILE is an archive, a trace file\n"
    "                          (default: an archive if it starts with the magic number)\n"
    "      --region-size SIZE  each FILE is regions of SIZE bytes, one behind the other\n"
    "                          (suffixes K, M, G)\n"
    "      --cpu N             the FILE behind this is of CPU N, and its further "
    "regions\n"
    "                          of N + 1 and so on\n"
    "      --byte-order ORDER  little or big (default: as the magic number says, else\n"
    "                          little)\n"
    "      --ticks-per-second RATE\n"
    "                          the clock of what does not tell its own, such as regions\n"
    "      --sampler NAME      zircon-arm64 where regions are of that sampler, whose "
    "PCs\n"
    "                          are not as others record them (default: any)\n"
    "      --threads N         read regions on N threads (default: the processors there "
    "are)\n"
    "      --resync            after damage, look for the next plausible record\n"
    "\n"
    "Choosing:\n"
    "      --cpus LIST         only samples of these CPUs, as in 0,2-5\n"
    "      --cpu-mask MASK     the same as a mask, as in 0x3d; adds to --cpus\n";

static const char naming_help[] =
    "\n"
    "Naming:\n"
    "      --elf FILE[@ADDRESS|+SLIDE]\n"
    "                          name functions by the symbols of FILE, whose lowest\n"
    "                          segment was loaded to ADDRESS, or SLIDE behind where it\n"
    "                          was linked; may be given several times\n"
    "      --debug-dir DIR     look in DIR for the files of modules by build id and "
    "name,\n"
    "                          before /usr/lib/debug and the modules' own paths; may be\n"
    "                          given several times\n"
    "      --kallsyms FILE     name the functions of a Linux kernel by its list of "
    "symbols,\n"
    "                          /proc/kallsyms or a copy\n"
    "      --inlines HOW       functions that the compiler put into others are lines of "
    "one\n"
    "                          frame, in formats that have such lines (the default), or\n"
    "                          frames of their own, or off: left out\n"
    "      --full-names        names in a log of gdb's stay as they are there, with "
    "type\n"
    "                          arguments and closures\n"
    "      --unsymbolized      name functions by module and offset only\n";

static const char general_help[] =
    "\n"
    "      -o, --output FILE   write to FILE, which appears once it is whole\n"
    "      -q, --quiet         print nothing about the data on standard error\n"
    "      -v, --verbose       print all that is wrong with it, and not the first few\n"
    "      -h, --help          print this\n"
    "      -V, --version       print the version\n";

static bool take_sampler(struct options *o, const char *value)
{
    o->is_zircon_arm64 = strcmp(value, "zircon-arm64") == 0;
    return o->is_zircon_arm64 || strcmp(value, "any") == 0;
}

/* What the user says all inputs are. */
static bool take_from(struct options *o, const char *name)
{
    static const char *const names[] = {
        [FROM_FXT] = "fxt", [FROM_GDB] = "gdb", [FROM_JSON] = "osdk-json"};

    for (int from = FROM_FXT; from <= FROM_JSON; from++) {
        if (strcmp(name, names[from]) == 0)
            o->import.from = (enum import_from)from;
    }
    return o->import.from != FROM_ANY;
}

static bool take_cpu(struct options *o, const char *value)
{
    uint64_t cpu;

    if (!parse_u64(value, &cpu) || cpu > CPU_MAX)
        return false;
    o->cpu = (uint32_t)cpu;
    return true;
}

static void add_file(struct options *o, const char *name)
{
    o->import.files = (struct import_file *)memory_grow(
        o->import.files, o->import.n_files, &o->file_capacity, sizeof(*o->import.files));
    o->import.files[o->import.n_files++] = (struct import_file){name, o->cpu, o->cpu};
    o->cpu = PROFILE_NO_CPU;
}

static bool take_elf(struct options *o, const char *value)
{
    o->elfs =
        (char **)memory_grow(o->elfs, o->n_elfs, &o->elf_capacity, sizeof(*o->elfs));
    o->elfs[o->n_elfs++] = memory_copy_string(value);
    return value[0] != '\0';
}

static bool take_inlines(struct options *o, const char *value)
{
    o->no_inlines = strcmp(value, "off") == 0;
    o->settings.inlines_are_frames = strcmp(value, "frames") == 0;
    return o->no_inlines || o->settings.inlines_are_frames || strcmp(value, "lines") == 0;
}

static bool take_debug_dir(struct options *o, const char *value)
{
    o->debug_dirs = (const char **)memory_grow(
        o->debug_dirs, o->n_debug_dirs, &o->debug_dir_capacity, sizeof(const char *));
    o->debug_dirs[o->n_debug_dirs++] = value;
    return value[0] != '\0';
}

/* Takes an option that all converters have. */
static bool take_common(struct options *o, int letter, const char *value)
{
    switch (letter) {
    case 'o':
        o->output = strcmp(value, "-") == 0 ? NULL : value;
        return value[0] != '\0';
    case 'q':
        o->quiet = true;
        return true;
    case 'v':
        o->verbose = true;
        return true;
    case LETTER_ARCHIVE:
        o->import.stream = FXT_STREAM_ARCHIVE;
        return true;
    case LETTER_BYTE_ORDER:
        return parse_byte_order(value, &o->import.byte_order);
    case LETTER_CPU:
        return take_cpu(o, value);
    case LETTER_CPUS:
        o->has_cpus = true;
        return parse_cpu_list(value, &o->cpus);
    case LETTER_CPU_MASK:
        o->has_cpus = true;
        return parse_cpu_mask(value, &o->cpus);
    case LETTER_DEBUG_DIR:
        return take_debug_dir(o, value);
    case LETTER_ELF:
        return take_elf(o, value);
    case LETTER_INLINES:
        return take_inlines(o, value);
    case LETTER_KALLSYMS:
        o->kallsyms = value;
        return value[0] != '\0';
    case LETTER_FROM:
        return take_from(o, value);
    case LETTER_FULL_NAMES:
        o->import.full_names = true;
        return true;
    case LETTER_REGION:
        o->import.stream = FXT_STREAM_REGION;
        return true;
    case LETTER_REGION_SIZE:
        return parse_size(value, &o->import.region_size) && o->import.region_size > 0 &&
               o->import.region_size % FXT_WORD_BYTES == 0;
    case LETTER_RESYNC:
        o->import.resync = true;
        return true;
    case LETTER_SAMPLER:
        return take_sampler(o, value);
    case LETTER_THREADS:
        return parse_u64(value, &o->import.n_threads) && o->import.n_threads > 0 &&
               o->import.n_threads <= PARALLEL_MAX;
    case LETTER_TICKS:
        return parse_u64(value, &o->import.ticks_per_second) &&
               o->import.ticks_per_second > 0;
    case LETTER_UNSYMBOLIZED:
        o->unsymbolized = true;
        return true;
    default:
        return false;
    }
}

static void add_help(struct text *text, const struct converter *c)
{
    text_str(text, c->help_start);
    text_str(text, reading_help);
    text_str(text, options_choices_help);
    text_str(text, naming_help);
    text_str(text, c->help_end);
    text_str(text, general_help);
}

static enum options_result wrong(const struct converter *c)
{
    fprintf(stderr, "Try '%s --help'.\n", c->name);
    return OPTIONS_WRONG;
}

static const char *name_of(const struct option *all, int letter)
{
    while (all->val != letter)
        all++;
    return all->name;
}

/* Prints all that was asked for, or else the user has to hear of it. */
static enum options_result print(const struct converter *c, struct text *text)
{
    struct text why = {NULL, 0, 0};
    struct output *output = output_open(NULL, false, &why);

    output_text(output, text);
    text_free(text);
    if (output_close(output, true, &why))
        return OPTIONS_DONE;
    complain(c->name, NULL, "standard output: %.*s", (int)why.size, why.data);
    text_free(&why);
    return OPTIONS_FAILED;
}

static void note_given(struct options *o, const char *name)
{
    size_t i = 0;

    while (i < o->n_given && o->given[i] != name)
        i++;
    o->given[i] = name;
    o->n_given += i == o->n_given;
}

/* Takes one option. */
static enum options_result take(struct options *o, const struct converter *c,
                                const struct option *all, int letter)
{
    struct text text = {NULL, 0, 0};
    bool ok;

    switch (letter) {
    case OPTION_FILE:
        add_file(o, optarg);
        return OPTIONS_OK;
    case 'h':
        add_help(&text, c);
        return print(c, &text);
    case 'V':
        text_printf(&text, "%s %s\n", c->name, FXT_VERSION_STRING);
        return print(c, &text);
    case '?':
        return wrong(c);
    default:
        if (letter >= OPTIONS_FIRST_OWN)
            ok = c->take_own(o, letter, optarg);
        else if (letter >= OPTIONS_FIRST_CHOICE)
            ok = options_take_choice(o, letter, optarg);
        else
            ok = take_common(o, letter, optarg);
        note_given(o, name_of(all, letter));
        if (ok)
            return OPTIONS_OK;
        complain(c->name, NULL, "--%s cannot be '%s'", name_of(all, letter), optarg);
        return wrong(c);
    }
}

/* The files behind "--", or standard input if there are no files at all. */
static void add_last_files(struct options *o, int argc, char **argv)
{
    for (int i = optind; i < argc; i++)
        add_file(o, argv[i]);
    if (o->import.n_files == 0)
        add_file(o, "-");
}

/* What can only be judged of all options together. */
static enum options_result finish(struct options *o, const struct converter *c)
{
    if (o->cpu != PROFILE_NO_CPU) {
        complain(c->name, NULL, "--cpu %u has no file behind it", o->cpu);
        return wrong(c);
    }
    if (o->import.region_size > 0)
        o->import.stream = FXT_STREAM_REGION;
    else
        cpus_of_files(o->import.files, o->import.n_files,
                      o->import.stream == FXT_STREAM_REGION);
    if (!options_choose_format(o, c))
        return wrong(c);
    if (!options_check_uses(o) || !options_check_choices(o))
        return wrong(c);
    take_debug_dir(o, "/usr/lib/debug");
    return OPTIONS_OK;
}

enum options_result options_parse(struct options *o, const struct converter *c, int argc,
                                  char **argv)
{
    struct option all[N_COMMON + OPTIONS_N_CHOICES + OPTIONS_OWN_MAX + 1];
    enum options_result result = OPTIONS_OK;
    size_t n_own = 0;
    int letter;

    while (c->own_options[n_own].name != NULL)
        n_own++;
    *o = (struct options){
        .program = c->name, .cpu = PROFILE_NO_CPU, .settings = c->settings};
    memcpy(all, common_options, sizeof(common_options));
    memcpy(all + N_COMMON, options_choices, sizeof(options_choices));
    memcpy(all + N_COMMON + OPTIONS_N_CHOICES, c->own_options,
           (n_own + 1) * sizeof(*all));
    optind = 1;
    while (result == OPTIONS_OK) {
        letter = getopt_long(argc, argv, "-ho:qvV", all, NULL);
        if (letter == -1) {
            add_last_files(o, argc, argv);
            return finish(o, c);
        }
        result = take(o, c, all, letter);
    }
    return result;
}

void options_free(struct options *o)
{
    for (size_t i = 0; i < o->n_elfs; i++)
        memory_release(o->elfs[i]);
    memory_release(o->elfs);
    memory_release(o->import.files);
    memory_release(o->debug_dirs);
    cpu_set_free(&o->cpus);
    filter_free(&o->filter);
}
