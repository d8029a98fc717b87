/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Building a profile from inputs, symbols and filters. fxt/profile.h says what holds for
 * all of libfxtprofile.
 */
#ifndef FXT_PROFILE_BUILDER_H
#define FXT_PROFILE_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/common.h>
#include <fxt/profile_format.h>
#include <fxt/reader.h>
#include <fxt/record.h>

FXT_BEGIN_DECLS

struct fxt_profile;
struct fxt_profile_builder;

enum fxt_profile_content {
    /* As the first bytes say. */
    FXT_PROFILE_CONTENT_ANY = 0,
    FXT_PROFILE_CONTENT_FXT = 1,
    /* The log of a debugger that stopped all CPUs, again and again. */
    FXT_PROFILE_CONTENT_GDB_LOG = 2,
    /* Captures as FXT_PROFILE_OSDK_JSON has them. */
    FXT_PROFILE_CONTENT_OSDK_JSON = 3
};

/* ---- Reports ----------------------------------------------------------------------- */

/* What a report is about. */
enum fxt_profile_report_kind {
    /* An input as a whole: it cannot be used, or its end is missing. */
    FXT_PROFILE_REPORT_INPUT = 0,
    /* A fault in FXT data. */
    FXT_PROFILE_REPORT_RECORD = 1,
    /* A capture in a debugger's log or in JSON that could not be read. */
    FXT_PROFILE_REPORT_CAPTURE = 2,
    /* A file that was added for its symbols cannot be used, which is a failure. */
    FXT_PROFILE_REPORT_SYMBOLS = 3,
    /* A file with symbols or lines that was found and cannot be used. */
    FXT_PROFILE_REPORT_DEBUG_FILE = 4,
    /* A module file in which no sample has an address. */
    FXT_PROFILE_REPORT_UNUSED_FILE = 5,
    /* Callers are recorded twice: see is_zircon_arm64. */
    FXT_PROFILE_REPORT_SAMPLER = 6
};

/* Something about an input, or about a file in which symbols were looked for. Valid until
 * the callback returns. */
struct fxt_profile_report {
    enum fxt_profile_report_kind kind;
    /* FXT_WARNING for what may explain a surprise, FXT_ERROR for what was lost, FXT_FATAL
     * for an input or file that cannot be used. */
    enum fxt_severity severity;
    /* For a fault in FXT data the reader's report, with its offset counted from the start
     * of the (decompressed) input; else NULL. */
    const struct fxt_error *error;
    /* For the first three kinds the number of the input, from 0 on in the order in which
     * they were added; else 0. */
    size_t input;
    /* The input or file, as the caller named it; NULL if it has no name. */
    const char *name;
    /* A sentence without a full stop. */
    const char *message;
};

/* Calls on the builder from this function return FXT_E_BUSY and do nothing. */
typedef void fxt_profile_report_fn(void *context,
                                   const struct fxt_profile_report *report);

/* So many bytes more of the inputs were read, before they are decompressed. It may be
 * called by each of n_threads threads, also at the same time, and must not use the
 * builder. */
typedef void fxt_profile_progress_fn(void *context, uint64_t n_bytes);

/* Whether to read an input that turned out to have captures of a debugger's. One that is
 * not accepted counts as unusable; the caller knows why, and nothing is reported. As for
 * on_report, the builder cannot be used. */
typedef bool fxt_profile_accept_fn(void *context, size_t input, const char *name,
                                   enum fxt_profile_content content);

/* ---- Building ---------------------------------------------------------------------- */

enum fxt_profile_source {
    /* Samples of stacks, heap snapshots, or a debugger's captures, whichever the inputs
     * have. */
    FXT_PROFILE_SAMPLES = 0,
    /* The duration events of a trace: for each stack of spans their number and the time
     * that was spent in it, without that of inner spans. */
    FXT_PROFILE_SPANS = 1
};

/*
 * How to build. Set `size` to sizeof(struct fxt_profile_options) and all that you do not
 * care about to zero, which is the default of everything; later versions add members at
 * the end, and a library that meets members it does not know refuses all but zero in
 * them.
 */
struct fxt_profile_options {
    size_t size;

    /* Each may be NULL. `context` is passed to them. */
    fxt_profile_report_fn *on_report;
    fxt_profile_progress_fn *on_progress;
    fxt_profile_accept_fn *accept_captures;
    void *context;

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

    /* Only heap snapshots are of interest: see fxt_profile_builder_subtract. Captures of
     * a debugger's are unusable inputs then. */
    bool only_heaps;

    /* A process or thread that was renamed has its last name in all samples, so that
     * samples that differ in nothing but names are merged. */
    bool ignore_renames;

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
     * alone. All are joined when the call returns, and call nothing but on_progress. */
    uint32_t n_threads;

    /* A stack that is not whole has a root frame that says why, such as "[cut: no unwind
     * table]", if its sampler recorded that. See fxt_profile_stack_end. */
    bool show_cuts;
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

/* One of several files. The structs do not change in later versions. */
struct fxt_profile_file {
    const char *path;
    /* As in struct fxt_profile_input. */
    bool has_cpu;
    uint32_t cpu;
};

/*
 * Reads several files, each as fxt_profile_builder_add_file does with `input`, which has
 * no name and no CPU. Regions in different files can be read by different threads. Where
 * all files whose CPU is not given are called cpu0.bin, cpu1.bin and so on, each by
 * another number, regions are of these CPUs, unless input.region_size is set; files
 * called *.fxt or *.fxt.gz may have any names beside them, as archives have no CPU.
 */
FXT_API enum fxt_code fxt_profile_builder_add_files(struct fxt_profile_builder *builder,
                                                    const struct fxt_profile_input *input,
                                                    const struct fxt_profile_file *files,
                                                    size_t n_files);

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

/* Heaps in the inputs from here on are taken off the heaps in those before. The regions
 * of these inputs count from CPU 0 again. Needs options.only_heaps. */
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

/* The paths of the files that functions may have names from so far, without those of a
 * kernel's list: NULL for a number that is too large. They are valid until the next call
 * on the builder; see fxt_profile_symbol_file for those that were found later. */
FXT_API size_t
fxt_profile_builder_n_symbol_files(const struct fxt_profile_builder *builder);
FXT_API const char *fxt_profile_builder_symbol_file(
    const struct fxt_profile_builder *builder, size_t i);

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
/* Without any, no CPU is wanted. */
FXT_API enum fxt_code fxt_profile_builder_want_cpus(struct fxt_profile_builder *builder,
                                                    const uint32_t *cpus, size_t n_cpus);
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

FXT_END_DECLS

#endif
