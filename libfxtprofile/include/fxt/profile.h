/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libfxtprofile: samples, spans and heap snapshots in FXT to a profile, and a profile to
 * the formats that viewers read.
 *
 *     struct fxt_profile_options options = {.size = sizeof(options)};
 *     struct fxt_profile_builder *builder;
 *     struct fxt_profile *profile;
 *
 *     if (fxt_profile_builder_create(&options, &builder) != FXT_OK) ...
 *     fxt_profile_builder_add_memory(builder, NULL, region, region_size);
 *     fxt_profile_builder_add_module_file(builder, "kernel.elf");
 *     if (fxt_profile_builder_finish(builder, &profile) != FXT_OK)
 *         fprintf(stderr, "%s\n", fxt_profile_builder_message(builder));
 *     fxt_profile_builder_destroy(builder);
 *     if (profile != NULL && fxt_profile_write(profile, NULL, fxt_file_write, file) ...
 *     fxt_profile_destroy(profile);
 *
 * A builder takes inputs, one after the other: files, memory, chunks of a stream, or the
 * records that a reader hands out. fxt_profile_builder_finish makes a profile of them,
 * which is immutable: it can be walked, and written in any format any number of times.
 * The profile does not depend on the order of the inputs, except that regions are of
 * CPU 0, 1, 2 and so on as they come, unless the caller knows better.
 *
 * Errors. The first call on a builder that fails decides: its code is returned by all
 * later calls, which do nothing, so that it is enough to look at what
 * fxt_profile_builder_finish returns. Damaged input is no failure: whatever can be read
 * is in the profile, and each fault is reported to on_report and counted. The library
 * does not print, does not exit, installs no signal handlers and has no global state.
 *
 * Memory. What a builder and its profile need comes from the C library and is bounded by
 * max_bytes; when that is used up, or there is no more, the call returns FXT_E_NO_MEMORY
 * and everything is freed but the builder itself. What zlib and cJSON allocate while they
 * read an input is freed too, but not counted.
 *
 * Threads. An object must not be used from two threads at once; different objects need no
 * care, and a builder and the profile that it made are different objects. Several threads
 * may walk and write one profile. No thread is started unless n_threads asks for it.
 *
 * Processes. The debugging information of files is read in a child process, which is
 * confined and gone when the call returns, so that damaged files cost names and no more.
 * A program that waits for any child may get to see it.
 *
 * Strings are not judged: names that inputs, symbol tables and paths have are passed on
 * as they are, and may hold any bytes.
 */
#ifndef FXT_PROFILE_H
#define FXT_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/common.h>
#include <fxt/reader.h>
#include <fxt/record.h>
#include <fxt/writer.h>

FXT_BEGIN_DECLS

struct fxt_profile_builder;
struct fxt_profile;

/* ---- Reports ----------------------------------------------------------------------- */

/* Something about an input, or about a file in which symbols were looked for. Valid until
 * the callback returns. */
struct fxt_profile_report {
    /* FXT_WARNING for what may explain a surprise, FXT_ERROR for what was lost. */
    enum fxt_severity severity;
    /* For a fault in FXT data the reader's report, with its offset counted from the start
     * of the (decompressed) input; else NULL. */
    const struct fxt_error *error;
    /* The input or file, as the caller named it; NULL if it has no name. */
    const char *name;
    /* A sentence without a full stop. */
    const char *message;
};

/* Calls on the builder from this function return FXT_E_BUSY and do nothing. */
typedef void fxt_profile_report_fn(void *context,
                                   const struct fxt_profile_report *report);

/* ---- Building ---------------------------------------------------------------------- */

enum fxt_profile_source {
    /* Samples of stacks, heap snapshots, or a debugger's captures, whichever the inputs
     * have. */
    FXT_PROFILE_SAMPLES = 0,
    /* The duration events of a trace: for each stack of spans their number and the time
     * that was spent in it, without that of inner spans. */
    FXT_PROFILE_SPANS = 1
};

enum fxt_profile_format {
    FXT_PROFILE_FORMAT_ANY = 0,
    /* The profile.proto of pprof, compressed with gzip. */
    FXT_PROFILE_PPROF = 1,
    /* A line for each stack: root;caller;leaf and a number. */
    FXT_PROFILE_FOLDED = 2,
    /* An interactive flame graph. */
    FXT_PROFILE_SVG = 3,
    /* The JSON of speedscope.app. */
    FXT_PROFILE_SPEEDSCOPE = 4,
    /* Fuchsia's symbolizer markup; not for heaps or captures, which have no addresses. */
    FXT_PROFILE_MARKUP = 5,
    /* The captures of cargo-osdk, in JSON; not for heaps. */
    FXT_PROFILE_OSDK_JSON = 6
};

/*
 * How to build. Set `size` to sizeof(struct fxt_profile_options) and all that you do not
 * care about to zero, which is the default of everything; later versions add members at
 * the end, and a library that meets members it does not know refuses all but zero in
 * them.
 */
struct fxt_profile_options {
    size_t size;

    /* May be NULL. `report_context` is passed to it. */
    fxt_profile_report_fn *on_report;
    void *report_context;

    enum fxt_profile_source source;

    /* The only format that the profile will be written in, so that what it needs is kept
     * and no more. By default the profile can be written in each; but
     * FXT_PROFILE_SPEEDSCOPE and FXT_PROFILE_OSDK_JSON, which have samples in the order
     * of time, then have none unless keep_times is set. */
    enum fxt_profile_format format;

    /* Samples of different times are not merged, and say when they were. */
    bool keep_times;

    /* Of a heap snapshot: each block by itself, with its address and size. */
    bool keep_blocks;

    /* Only heap snapshots are of interest: see fxt_profile_builder_subtract. */
    bool only_heaps;

    /* After damage go on where the reader finds the next plausible record. */
    bool resync;

    /* Large blobs are of Zircon's sampler for arm64, which records callers twice. */
    bool is_zircon_arm64;

    /* Functions that the compiler inlined are not shown in the functions they are in. */
    bool no_inlines;

    /* Names in a debugger's log keep their template arguments and the like. */
    bool full_names;

    /* The files of modules that the input names are looked for: under their own path, and
     * by path and build id in the directories that were added. Without, names are only
     * from the files that were added. */
    bool find_modules;

    /* What is not found is asked of the servers in the environment's DEBUGINFOD_URLS, if
     * the library was built to do so. */
    bool use_debuginfod;

    /* An input that cannot be opened or used is reported and left out. Without, that is
     * a failure. */
    bool skip_unusable;

    /* Reports include what every recording has, such as strings of the kernel's that no
     * record registers. */
    bool report_all;

    /* The clock of inputs that do not tell its rate; 0 means
     * FXT_DEFAULT_TICKS_PER_SECOND. */
    uint64_t ticks_per_second;

    /* The time from one sample of a CPU to the next, if the input does not tell it, or is
     * wrong; 0 means as the input says. Where it is known, samples are also CPU time. */
    uint64_t period_ns;

    /* When the first sample was taken, in nanoseconds since the Unix epoch; 0 means as
     * the input says. */
    uint64_t start_ns;

    /* The bound on memory, in bytes; 0 means none. */
    uint64_t max_bytes;

    /* On how many threads to read inputs of several regions; 0 and 1 mean the caller's
     * alone. All are joined when the call returns, and none calls back. */
    uint32_t n_threads;
};

/*
 * Makes a builder. `options` may be NULL. Returns FXT_OK and stores it in `*builder`;
 * FXT_E_INVALID for impossible options; FXT_E_NO_MEMORY. On failure `*builder` is NULL.
 */
FXT_API enum fxt_code fxt_profile_builder_create(
    const struct fxt_profile_options *options, struct fxt_profile_builder **builder);

/* Frees a builder and all it has, but not a profile that it made; NULL is allowed. From
 * on_report of the builder itself it does nothing. */
FXT_API void fxt_profile_builder_destroy(struct fxt_profile_builder *builder);

/* A sentence without a full stop about the first call that failed, with the name of the
 * file where it is about one; "success" if none has. Valid until the next call on the
 * builder. */
FXT_API const char *fxt_profile_builder_message(
    const struct fxt_profile_builder *builder);

/*
 * The functions from here to fxt_profile_builder_finish return FXT_OK, what is said with
 * each, or one of
 *
 *     FXT_E_INVALID       an argument is impossible
 *     FXT_E_NO_MEMORY     max_bytes is used up, or there is no memory
 *     FXT_E_OUT_OF_ORDER  a stream was begun and not ended, or none was begun; or the
 *                         builder is finished
 *     FXT_E_BUSY          called from on_report; this one is not kept
 *
 * or the code of an earlier call that failed. Strings that they are given are copied.
 */

/* ---- Inputs ------------------------------------------------------------------------ */

enum fxt_profile_content {
    /* As the first bytes say. */
    FXT_PROFILE_CONTENT_ANY = 0,
    FXT_PROFILE_CONTENT_FXT = 1,
    /* The log of a debugger that stopped all CPUs, again and again. */
    FXT_PROFILE_CONTENT_GDB_LOG = 2,
    /* Captures as FXT_PROFILE_OSDK_JSON has them. */
    FXT_PROFILE_CONTENT_OSDK_JSON = 3
};

/* What is known of an input. Set `size` to sizeof(struct fxt_profile_input), and the rest
 * as that of struct fxt_profile_options. */
struct fxt_profile_input {
    size_t size;
    /* For reports; NULL for none, or the path. */
    const char *name;
    enum fxt_profile_content content;
    /* FXT_STREAM_AUTO: as the reader does. */
    enum fxt_stream stream;
    enum fxt_byte_order byte_order;
    /* If not 0, the input is regions of so many bytes each, one after the other. */
    uint64_t region_size;
    /* The samples are of CPU `cpu`; with region_size, those of the first region, and the
     * next region's are of the next CPU. Without it, the CPU of a region is its place
     * among all regions of all inputs, and that of a sample in an archive is told by the
     * name of its provider, such as cpu3. */
    bool has_cpu;
    uint32_t cpu;
};

/*
 * Reads a file: FXT, a debugger's log or JSON, any of them compressed with gzip; "-" is
 * standard input. `input` may be NULL. Returns also FXT_E_FILE if it cannot be opened or
 * used, unless options.skip_unusable is set. A file that cannot be read to its end is
 * reported, and what could be read is used.
 */
FXT_API enum fxt_code fxt_profile_builder_add_file(struct fxt_profile_builder *builder,
                                                   const struct fxt_profile_input *input,
                                                   const char *path);

/* The same of `size` bytes at `data`, which must not change before the call returns. */
FXT_API enum fxt_code fxt_profile_builder_add_memory(
    struct fxt_profile_builder *builder, const struct fxt_profile_input *input,
    const void *data, size_t size);

/*
 * Begins a stream of FXT that is not compressed, whose content then comes either by
 * fxt_profile_builder_read_chunk or by fxt_profile_builder_add_record, until
 * fxt_profile_builder_end. `input` may be NULL; its region_size must be 0, and its
 * content FXT if it is not FXT_PROFILE_CONTENT_ANY.
 */
FXT_API enum fxt_code fxt_profile_builder_begin(struct fxt_profile_builder *builder,
                                                const struct fxt_profile_input *input);

/*
 * Reads the records from `chunk->pos` on, as fxt_reader_read does, and moves `pos`: what
 * is left when it returns is the caller's to present again, with more after it. Returns
 * also
 *
 *     FXT_NEED_MORE    part of a record is left; fxt_profile_builder_needed tells how
 *                      many bytes from `pos` on the next call must have
 *     FXT_END          the region's data has ended; the caller may go on, to have the
 *                      rest checked, or end the stream
 *     FXT_E_SIZE_ZERO  the framing is lost: this chunk, and those that follow in the
 *                      stream, are counted and not read
 *
 * none of which is kept as a failure.
 */
FXT_API enum fxt_code fxt_profile_builder_read_chunk(struct fxt_profile_builder *builder,
                                                     struct fxt_chunk *chunk);
FXT_API uint64_t fxt_profile_builder_needed(const struct fxt_profile_builder *builder);

/*
 * Takes a record as a reader of the caller's hands it out. The record need not stay, but
 * its provider must, until fxt_profile_builder_end: the reader must not be reset or
 * destroyed before. Whether the stream is an archive, in which mappings have times, is
 * what input.stream says or else told by the first record being the magic number.
 */
FXT_API enum fxt_code fxt_profile_builder_add_record(struct fxt_profile_builder *builder,
                                                     const struct fxt_record *record);

/* Ends the stream after what is left of `chunk`, which is judged; it may be NULL for
 * nothing left, and must be for records. */
FXT_API enum fxt_code fxt_profile_builder_end(struct fxt_profile_builder *builder,
                                              struct fxt_chunk *chunk);

/* What heaps the inputs from here on have is taken off the heaps of those before. Needs
 * options.only_heaps. */
FXT_API enum fxt_code fxt_profile_builder_subtract(struct fxt_profile_builder *builder);

/* ---- Symbols ----------------------------------------------------------------------- */

/*
 * Adds an ELF file that names functions: FILE@ADDRESS, the start of the page of its
 * lowest segment was loaded to that address (decimal, or hex with 0x); FILE+SLIDE, that
 * much after where it was linked; or FILE alone, which stays where it was linked. Returns
 * also FXT_E_FILE if it cannot be used, or would be where another one is.
 */
FXT_API enum fxt_code fxt_profile_builder_add_module_file(
    struct fxt_profile_builder *builder, const char *file_and_address);

/* Adds the symbols of a running Linux kernel, from /proc/kallsyms or a copy of it.
 * Returns also FXT_E_FILE. After all module files. */
FXT_API enum fxt_code fxt_profile_builder_add_kallsyms(
    struct fxt_profile_builder *builder, const char *path);

/* Adds a directory in which files for debuggers are looked for, as DIR/.build-id/ab/c.. ,
 * DIR/PATH and DIR/NAME. Whether there is such a directory is not checked. */
FXT_API enum fxt_code fxt_profile_builder_add_debug_dir(
    struct fxt_profile_builder *builder, const char *directory);

/* Adds a sentence to the comments of the profile, which formats that have a place for
 * comments show. */
FXT_API enum fxt_code fxt_profile_builder_add_comment(struct fxt_profile_builder *builder,
                                                      const char *sentence);

/* ---- What is wanted ---------------------------------------------------------------- */

/*
 * By default all is. What is left out is counted in struct fxt_profile_statistics. CPUs
 * and times must be named before the first input; the rest at any time.
 *
 * Processes and threads are numbers as the input has them: koids, or Linux's ids. Of
 * processes, those count that have one of the numbers or whose name matches one of the
 * patterns, in which * stands for any characters and ? for one. A sample must be of one
 * of the processes, of one of the threads, of one of the CPUs, and of the time, as far as
 * any were named. Times are those of the input's clock, both ends included.
 */
FXT_API enum fxt_code fxt_profile_builder_want_process(
    struct fxt_profile_builder *builder, uint64_t process);
FXT_API enum fxt_code fxt_profile_builder_want_process_name(
    struct fxt_profile_builder *builder, const char *pattern);
FXT_API enum fxt_code fxt_profile_builder_want_thread(struct fxt_profile_builder *builder,
                                                      uint64_t thread);
FXT_API enum fxt_code fxt_profile_builder_want_cpu(struct fxt_profile_builder *builder,
                                                   uint32_t cpu);
FXT_API enum fxt_code fxt_profile_builder_want_time(struct fxt_profile_builder *builder,
                                                    uint64_t first_ns, uint64_t last_ns);

/* Leaves out samples whose leaf function's name matches: they are of threads that do
 * nothing. The expressions of this function and the next ones are POSIX extended regular
 * expressions, of which any may match; FXT_E_INVALID for one that is none. */
FXT_API enum fxt_code fxt_profile_builder_skip_idle(struct fxt_profile_builder *builder,
                                                    const char *expression);

/* The outermost function that matches becomes the root of its stack, or the leaf. */
FXT_API enum fxt_code fxt_profile_builder_skip_above(struct fxt_profile_builder *builder,
                                                     const char *expression);
FXT_API enum fxt_code fxt_profile_builder_skip_below(struct fxt_profile_builder *builder,
                                                     const char *expression);

/* Functions that call themselves count once. */
FXT_API enum fxt_code fxt_profile_builder_fold_recursion(
    struct fxt_profile_builder *builder);

/* ---- The profile ------------------------------------------------------------------- */

/*
 * Makes the profile of what was added, and stores it in `*profile`: it is the caller's,
 * and does not need the builder any more. Returns FXT_OK, and FXT_E_OUT_OF_ORDER when
 * called again; on failure `*profile` is NULL. A profile may well be empty: see
 * fxt_profile_n_samples. Files with symbols that were there and could not be used, and
 * module files that no sample has an address in, are reported to on_report.
 */
FXT_API enum fxt_code fxt_profile_builder_finish(struct fxt_profile_builder *builder,
                                                 struct fxt_profile **profile);

/* Frees a profile and all that was had of it; NULL is allowed. */
FXT_API void fxt_profile_destroy(struct fxt_profile *profile);

/*
 * The parts of a profile have numbers, from 0 on. Each function below stores what it is
 * asked for and returns FXT_OK, or returns FXT_E_INVALID for a number that is too large,
 * and stores zeros. What is stored is valid until the profile is destroyed; strings do
 * not end in a zero byte unless they are `const char *`.
 *
 * The structs do not change in later versions: new facts get new functions.
 */

#define FXT_PROFILE_NONE UINT32_MAX

/* What the numbers of a sample mean, such as "samples" in "count", or "cpu" in
 * "nanoseconds". There is one at least. */
struct fxt_profile_value_type {
    const char *type;
    const char *unit;
};

FXT_API size_t fxt_profile_n_value_types(const struct fxt_profile *profile);
FXT_API enum fxt_code fxt_profile_get_value_type(const struct fxt_profile *profile,
                                                 size_t i,
                                                 struct fxt_profile_value_type *type);

/* One stack with one set of labels. Equal ones are merged. */
struct fxt_profile_sample {
    /* One for each type of value; below 0 only in a difference of heaps. */
    const int64_t *values;
    /* The number of its stack. */
    uint32_t stack;
    /* FXT_PROFILE_NONE if it is not known. */
    uint32_t cpu;
    /* 0 if they are not known; and the names that they had then, empty if these are not
     * known. */
    uint64_t process;
    uint64_t thread;
    struct fxt_string process_name;
    struct fxt_string thread_name;
    /* With options.keep_times, in nanoseconds of the input's clock (for captures, the
     * number of the capture); else 0. */
    uint64_t time_ns;
    /* With options.keep_blocks, the block of the heap; else 0. */
    uint64_t block_address;
    uint64_t block_size;
};

FXT_API size_t fxt_profile_n_samples(const struct fxt_profile *profile);
FXT_API enum fxt_code fxt_profile_get_sample(const struct fxt_profile *profile, size_t i,
                                             struct fxt_profile_sample *sample);

/* The numbers of its locations, leaf first, of which there is one at least. There may be
 * stacks that no sample has. */
struct fxt_profile_stack {
    const uint32_t *locations;
    size_t n_locations;
};

FXT_API size_t fxt_profile_n_stacks(const struct fxt_profile *profile);
FXT_API enum fxt_code fxt_profile_get_stack(const struct fxt_profile *profile, size_t i,
                                            struct fxt_profile_stack *stack);

/* A place in a program. */
struct fxt_profile_location {
    /* For a leaf the instruction, for a caller an address inside of the call; 0 for spans
     * and captures. */
    uint64_t address;
    /* FXT_PROFILE_NONE if nothing is known about the address. */
    uint32_t mapping;
    /* Lines first_line to first_line + n_lines - 1, of which there is one at least:
     * inlined functions, the innermost first, and last the one that has the code. */
    uint32_t first_line;
    uint32_t n_lines;
    /* The names are those of functions. Else the only one is made of the address. */
    bool is_symbolized;
};

FXT_API size_t fxt_profile_n_locations(const struct fxt_profile *profile);
FXT_API enum fxt_code fxt_profile_get_location(const struct fxt_profile *profile,
                                               size_t i,
                                               struct fxt_profile_location *location);

struct fxt_profile_line {
    uint32_t function;
    /* 0 if it is not known. */
    uint32_t line;
};

FXT_API size_t fxt_profile_n_lines(const struct fxt_profile *profile);
FXT_API enum fxt_code fxt_profile_get_line(const struct fxt_profile *profile, size_t i,
                                           struct fxt_profile_line *line);

struct fxt_profile_function {
    struct fxt_string name;
    /* As a symbol table has it; the same as the name, unless that was mangled. */
    struct fxt_string system_name;
    /* The source file, and the line there at which the function begins; empty and 0 if
     * they are not known. */
    struct fxt_string file;
    uint32_t start_line;
};

FXT_API size_t fxt_profile_n_functions(const struct fxt_profile *profile);
FXT_API enum fxt_code fxt_profile_get_function(const struct fxt_profile *profile,
                                               size_t i,
                                               struct fxt_profile_function *function);

/* Addresses from `start` up to, and without, `limit` that show a file. */
struct fxt_profile_mapping {
    uint64_t start;
    uint64_t limit;
    uint64_t file_offset;
    struct fxt_string file;
    /* In lower-case hex; empty if it is not known. */
    struct fxt_string build_id;
};

FXT_API size_t fxt_profile_n_mappings(const struct fxt_profile *profile);
FXT_API enum fxt_code fxt_profile_get_mapping(const struct fxt_profile *profile, size_t i,
                                              struct fxt_profile_mapping *mapping);

/* What was added, and what the profile lacks, in sentences. NULL for a number that is too
 * large. */
FXT_API size_t fxt_profile_n_comments(const struct fxt_profile *profile);
FXT_API const char *fxt_profile_comment(const struct fxt_profile *profile, size_t i);

/* What became of the input. Set `size` to sizeof(struct fxt_profile_statistics); later
 * versions add members at the end. */
struct fxt_profile_statistics {
    size_t size;
    /* The time between samples, the wall clock time of the first, and the time from the
     * first to the last, in nanoseconds; 0 if they are not known. */
    uint64_t period_ns;
    uint64_t start_ns;
    uint64_t duration_ns;
    /* How many samples, spans or objects were merged into those of the profile, and how
     * many of them may lack their outermost frames. */
    uint64_t n_samples;
    uint64_t n_maybe_cut;
    /* How many frames they have, and how many of these have a function's name. */
    uint64_t n_frames;
    uint64_t n_named_frames;
    /* Left out as the caller asked. */
    uint64_t n_other_process;
    uint64_t n_other_thread;
    uint64_t n_other_cpu;
    uint64_t n_unknown_cpu;
    uint64_t n_other_time;
    uint64_t n_idle;
    uint64_t n_frames_above;
    uint64_t n_frames_below;
    uint64_t n_frames_recursive;
    /* Left out for what they are: of another kind than was asked for, raw stack memory,
     * without a whole PC. */
    uint64_t n_other_kind;
    uint64_t n_not_unwound;
    uint64_t n_without_pcs;
    /* What the sampler had no room for. */
    uint64_t n_dropped_records;
    uint64_t n_dropped_bytes;
    /* Inputs that could not be used; what was lost to damage in the others; bytes that
     * were not read, since the framing was lost or a region had ended. */
    uint64_t n_unusable_inputs;
    uint64_t n_errors;
    uint64_t n_unread_bytes;
    /* An input could not be read to its end. */
    bool is_cut_off;
};

FXT_API enum fxt_code fxt_profile_get_statistics(
    const struct fxt_profile *profile, struct fxt_profile_statistics *statistics);

/* ---- Writing ----------------------------------------------------------------------- */

/* Which of a sample's values to write, in formats that have but one. By default it is the
 * number of samples, the time of spans, and the bytes of heaps. */
enum fxt_profile_value {
    FXT_PROFILE_VALUE_DEFAULT = 0,
    /* Samples, or spans. */
    FXT_PROFILE_VALUE_COUNT = 1,
    FXT_PROFILE_VALUE_TIME = 2,
    FXT_PROFILE_VALUE_OBJECTS = 3,
    FXT_PROFILE_VALUE_BYTES = 4
};

/* What stands at the root of each stack. */
enum fxt_profile_root {
    FXT_PROFILE_ROOT_PROCESS = 0,
    FXT_PROFILE_ROOT_THREAD = 1,
    FXT_PROFILE_ROOT_CPU = 2
};

enum fxt_profile_palette {
    FXT_PROFILE_PALETTE_HOT = 0,
    FXT_PROFILE_PALETTE_MEM = 1,
    FXT_PROFILE_PALETTE_IO = 2,
    /* A colour for the code of each file. */
    FXT_PROFILE_PALETTE_MODULE = 3
};

/* How to write. Set `size` to sizeof(struct fxt_profile_output), and the rest as that of
 * struct fxt_profile_options. A format ignores what does not concern it. */
struct fxt_profile_output {
    size_t size;
    /* FXT_PROFILE_FORMAT_ANY: the format of the builder's options, or else pprof. */
    enum fxt_profile_format format;
    enum fxt_profile_value value;

    /* The roots, outermost first, each at most once. NULL means as the format has it: the
     * process, or the process and the thread for speedscope, or none for captures. For no
     * roots `roots` is not NULL and n_roots is 0. */
    const enum fxt_profile_root *roots;
    size_t n_roots;

    /* Each sample by itself, in the order of time; pprof: each with a label for its time.
     * Needs the builder's keep_times. */
    bool no_merge;

    /* Functions of the kernel are marked with _[k], and inlined ones with _[i]. */
    bool annotate;

    /* Frames say their source file and line, where these are known. */
    bool lines;

    /* pprof: not compressed; labels are numbers, without the names of processes and
     * threads; inlined functions have locations of their own. */
    bool no_gzip;
    bool raw_labels;
    bool inlines_are_locations;

    /* Flame graphs. NULL means "Flame Graph" (or "Icicle Graph"), no subtitle, and the
     * type of the values. */
    const char *title;
    const char *subtitle;
    const char *count_name;
    /* In pixels: 200 to 100000, or 0 for as wide as the window; 4 to 100, or 0 for 16. */
    uint32_t width;
    uint32_t frame_height;
    /* In hundredths of a pixel, up to 10000: narrower frames are left out. 0 means 10. */
    uint32_t min_width;
    /* No frame is left out, whatever min_width is. */
    bool all_frames;
    enum fxt_profile_palette palette;
    /* Roots are at the top. */
    bool inverted;
    /* Stacks begin with what was running. */
    bool reverse;

    /* The bound on the memory for writing, in bytes; 0 means none. */
    uint64_t max_bytes;
};

/*
 * Writes a profile by calls of `write`, which may be fxt_file_write with a FILE or
 * fxt_buffer_write with a struct fxt_buffer. `output` may be NULL. Returns
 *
 *     FXT_OK           all was written
 *     FXT_E_INVALID    the output is impossible, or the profile has not what it needs:
 *                      the format that it was built for, times, the value, addresses
 *     FXT_E_NO_MEMORY  max_bytes is used up, or there is no memory
 *     FXT_E_SINK       `write` returned another value than 0, and was not called again
 */
FXT_API enum fxt_code fxt_profile_write(const struct fxt_profile *profile,
                                        const struct fxt_profile_output *output,
                                        fxt_write_fn *write, void *context);

/* The same to a file, which appears under its name, in the place of one that may be
 * there, once all is written. Returns also FXT_E_FILE, with the reason in errno, if it
 * could not be made or written. If the program is killed while it writes, a file is left
 * whose name has a dot and six more characters. */
FXT_API enum fxt_code fxt_profile_write_file(const struct fxt_profile *profile,
                                             const struct fxt_profile_output *output,
                                             const char *path);

/* The format with a name: pprof, folded, svg, speedscope, markup or json;
 * FXT_PROFILE_FORMAT_ANY if there is none. */
FXT_API enum fxt_profile_format fxt_profile_format_find(const char *name);

/* Its name, and how files in it are usually called, such as ".svg"; NULL if it is no
 * format. */
FXT_API const char *fxt_profile_format_name(enum fxt_profile_format format);
FXT_API const char *fxt_profile_format_suffix(enum fxt_profile_format format);

FXT_END_DECLS

#endif
