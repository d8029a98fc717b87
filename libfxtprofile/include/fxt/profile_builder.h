/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Building a profile from inputs, symbols and filters. fxt/profile.h describes errors,
 * memory and threads, for all of libfxtprofile.
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
    /* Detected from the first bytes. */
    FXT_PROFILE_CONTENT_ANY = 0,
    FXT_PROFILE_CONTENT_FXT = 1,
    /* A log of gdb, with backtraces of all threads that were taken repeatedly. */
    FXT_PROFILE_CONTENT_GDB_LOG = 2,
    /* Captures in the format FXT_PROFILE_OSDK_JSON. */
    FXT_PROFILE_CONTENT_OSDK_JSON = 3,
    /* Folded stacks: lines in the format FXT_PROFILE_FOLDED. */
    FXT_PROFILE_CONTENT_FOLDED = 4
};

/* ---- Reports ----------------------------------------------------------------------- */

/* What a report is about. */
enum fxt_profile_report_kind {
    /* An input as a whole: it cannot be used, or is truncated. */
    FXT_PROFILE_REPORT_INPUT = 0,
    /* A fault in FXT data. */
    FXT_PROFILE_REPORT_RECORD = 1,
    /* A capture in a debugger's log or in JSON that could not be read. */
    FXT_PROFILE_REPORT_CAPTURE = 2,
    /* A file that was added for its symbols cannot be used: the call fails. */
    FXT_PROFILE_REPORT_SYMBOLS = 3,
    /* A file with symbols or lines was found, but cannot be used. */
    FXT_PROFILE_REPORT_DEBUG_FILE = 4,
    /* No sample has an address in a module file. */
    FXT_PROFILE_REPORT_UNUSED_FILE = 5,
    /* The samples have their callers twice: see is_zircon_arm64. */
    FXT_PROFILE_REPORT_SAMPLER = 6,
    /* A file of the input's modules was looked for and not found, or was found without
     * its symbols, and samples lack names for it. Those that matter to most samples come
     * first. */
    FXT_PROFILE_REPORT_MISSING_FILE = 7,
    /* Files are not requested from debuginfod servers any more, and why. A program that
     * builds several profiles should build the next ones without use_debuginfod. */
    FXT_PROFILE_REPORT_DEBUGINFOD = 8,
    /* A command for a shell that may bring the symbols of such files. If there are
     * several, they are to be run in their order. */
    FXT_PROFILE_REPORT_REMEDY = 9
};

/* A report about an input, or about a file in which symbols were looked up. Valid until
 * the callback returns. */
struct fxt_profile_report {
    enum fxt_profile_report_kind kind;
    /* FXT_WARNING: the profile may differ from what is expected. FXT_ERROR: data was
     * lost. FXT_FATAL: the input or file cannot be used. */
    enum fxt_severity severity;
    /* For a fault in FXT data, the reader's report, with an offset from the start of the
     * (decompressed) input; else NULL. */
    const struct fxt_error *error;
    /* For the first three kinds, the number of the input, from 0 in the order in which
     * inputs were added; else 0. */
    size_t input;
    /* The input or file, as the caller named it; NULL if it has no name. */
    const char *name;
    /* A sentence without a full stop. */
    const char *message;
};

/* Calls on the builder from this function return FXT_E_BUSY and do nothing. */
typedef void fxt_profile_report_fn(void *context,
                                   const struct fxt_profile_report *report);

/* Called when `n_bytes` more bytes of the inputs were read, which are counted before they
 * are decompressed. It may be called from n_threads threads concurrently, and must not
 * use the builder. */
typedef void fxt_profile_progress_fn(void *context, uint64_t n_bytes);

/* Called some times a second while the debug file of the module `name` is downloaded, of
 * which `n_bytes` of `total` bytes, or of unknown many if that is 0, are there. It must
 * not use the builder. */
typedef void fxt_profile_download_fn(void *context, const char *name, uint64_t n_bytes,
                                     uint64_t total);

/* Returns whether to read an input that was found to have captures or folded stacks. One
 * that is not accepted counts as unusable, and is not reported. Calls on the builder from
 * this function return FXT_E_BUSY and do nothing. */
typedef bool fxt_profile_accept_fn(void *context, size_t input, const char *name,
                                   enum fxt_profile_content content);

/* ---- Building ---------------------------------------------------------------------- */

enum fxt_profile_source {
    /* Samples of stacks, heap snapshots, or a debugger's captures, whichever the inputs
     * have. */
    FXT_PROFILE_SAMPLES = 0,
    /* The duration events of a trace: for each stack of spans, their number and the time
     * spent in it, excluding inner spans. */
    FXT_PROFILE_SPANS = 1,
    /* From scheduling records, the time for which threads did not run: by the stack at
     * which a thread was switched out, if the trace has it, and as its innermost frame
     * "[blocked]" or "[suspended]" until it was woken, and "[runnable]" while it waited
     * for a CPU. */
    FXT_PROFILE_OFF_CPU = 2,
    /* From scheduling records, the time from each wakeup until the thread ran: the frames
     * are that thread and, as the innermost, the thread that woke it. */
    FXT_PROFILE_WAKEUPS = 3,
    /* All the time of threads: that of FXT_PROFILE_OFF_CPU, and for the time for which
     * they ran the samples, each of which stands for its period. Samples whose period is
     * not known, and those of events that are no time, are left out. */
    FXT_PROFILE_WALL_CLOCK = 4,
    /* What fxt_profile_builder_add_sum adds, and no input. */
    FXT_PROFILE_SUMS = 5
};

/*
 * Set `size` to sizeof(struct fxt_profile_options) and all members that you do not use to
 * zero, which is the default of each. Later versions add members at the end; a library
 * that does not know a member refuses any value but zero in it.
 */
struct fxt_profile_options {
    size_t size;

    /* Each may be NULL. `context` is passed to them. */
    fxt_profile_report_fn *on_report;
    fxt_profile_progress_fn *on_progress;
    fxt_profile_download_fn *on_download;
    fxt_profile_accept_fn *accept_captures;
    void *context;

    enum fxt_profile_source source;

    /* The only format that the profile will be written in, so that only what that format
     * needs is kept. By default the profile can be written in every format; but those
     * with samples in time order, FXT_PROFILE_SPEEDSCOPE and FXT_PROFILE_OSDK_JSON, then
     * lack the times unless keep_times is set. */
    enum fxt_profile_format format;

    /* Samples have times, and samples of different times are not merged. */
    bool keep_times;

    /* Heap snapshots: the blocks are not merged, and each has its address and size. */
    bool keep_blocks;

    /* Use only heap snapshots: see fxt_profile_builder_subtract. A debugger's captures
     * are then unusable inputs. */
    bool only_heaps;

    /* A process or thread that was renamed has its last name in all samples, so that
     * samples that differ only in names are merged. */
    bool ignore_renames;

    /* After damage, continue at the next plausible record: see fxt/reader.h. */
    bool resync;

    /* Large blobs are of Zircon's sampler for arm64, which records callers twice. */
    bool is_zircon_arm64;

    /* Omit inlined functions: only the function that they were inlined into is shown. */
    bool no_inlines;

    /* Names in a debugger's log keep their template arguments, parameters and the
     * like. */
    bool full_names;

    /* Look for the files of the modules that the input names: under their own path, and
     * by path and build id in the directories that were added. If not set, names come
     * only from the files that were added. */
    bool find_modules;

    /* Where the input has a recording of this boot of this machine, with addresses in the
     * kernel and without names for them, take these from /proc/kallsyms. This takes some
     * 20 MB of memory. */
    bool use_running_kernel;

    /* Request debug files that are not found, and that samples need, from the servers in
     * the environment variable DEBUGINFOD_URLS, if the library was built with support for
     * that. A child process downloads them, one after the other and each once, into the
     * cache that gdb uses, too. Servers that are unreachable or hang cost two seconds in
     * all, or what DEBUGINFOD_TIMEOUT says; a file may take a minute, or what
     * DEBUGINFOD_MAXTIME says, and all files three times that. */
    bool use_debuginfod;

    /* Report and skip inputs that cannot be opened or used. If not set, the call
     * fails. */
    bool skip_unusable;

    /* Report also the faults that every recording has, such as references to the kernel's
     * strings, which no record registers. */
    bool report_all;

    /* The clock rate of inputs that do not state it; 0 means
     * FXT_DEFAULT_TICKS_PER_SECOND. */
    uint64_t ticks_per_second;

    /* The time from one sample of a CPU to the next, in place of what the input states; 0
     * means what the input states. If it is known, samples have CPU time as a value. */
    uint64_t period_ns;

    /* When the first sample was taken, in nanoseconds since the Unix epoch; 0 means what
     * the input states. */
    uint64_t start_ns;

    /* The limit on memory, in bytes; 0 means none. */
    uint64_t max_bytes;

    /* How many threads read an input of several regions, or of one that has 16 MiB or
     * more, and sort stacks, also where the profile is written; 0 and 1 mean only the
     * caller's. All have exited when the call returns, and call only on_progress. */
    uint32_t n_threads;

    /* A stack that is not whole has a root frame that says why, such as "[cut: no unwind
     * table]", if its sampler recorded that. See fxt_profile_stack_end. */
    bool show_cuts;

    /* Of FXT_PROFILE_OFF_CPU, FXT_PROFILE_WAKEUPS and FXT_PROFILE_WALL_CLOCK: shorter
     * waits are left out. */
    uint64_t min_wait_ns;

    /* Do not use the functions and lines that the input has of the files of its modules
     * (docs/symbol-records.md). If not set, they are used, unless such a file is found
     * and only it has a source file for an address. */
    bool ignore_lines;

    /* The profile has the events of the inputs, and the times of its samples: see
     * fxt/profile_events.h. Only with FXT_PROFILE_SAMPLES. */
    bool keep_events;

    /* The profile has statistics of the events of the inputs, whatever it is of: see
     * fxt/profile_summary.h. */
    bool summarize_events;

    /* Of find_modules: the file of a module is used only if the input has its build id.
     * If not set, what is at the path of a module without one is taken for it. */
    bool only_by_build_id;

    /* Series of heaps: stacks that have nothing at the point that is shown are in the
     * profile, too. */
    bool all_heap_stacks;

    /* The CPU of samples is not known in the profile, so that samples that differ only in
     * their CPU are merged. Samples can still be chosen by their CPU. */
    bool ignore_cpus;

    /* Different functions of one name are not told apart: none has its source file after
     * its name. See struct fxt_profile_function. */
    bool plain_names;

    /* Do not report files that were not found, nor what brings them: that takes a search
     * in the lists of installed packages. */
    bool no_missing_files;
};

/*
 * Creates a builder. `options` may be NULL. Returns FXT_OK and stores it in `*builder`;
 * FXT_E_INVALID for invalid options; FXT_E_NO_MEMORY. On failure `*builder` is NULL.
 */
FXT_API enum fxt_code fxt_profile_builder_create(
    const struct fxt_profile_options *options, struct fxt_profile_builder **builder);

/* Frees a builder, but not a profile that it made; NULL is allowed. Called from the
 * builder's own callback it does nothing. */
FXT_API void fxt_profile_builder_destroy(struct fxt_profile_builder *builder);

/* A message without a full stop about the first call that failed, with the name of the
 * file if it concerns one; "success" if none failed. Valid until the next call on the
 * builder. */
FXT_API const char *fxt_profile_builder_message(
    const struct fxt_profile_builder *builder);

/*
 * The functions from here to fxt_profile_builder_finish return FXT_OK, the code of an
 * earlier call that failed, the codes that are documented with each, or one of
 *
 *     FXT_E_INVALID       an argument is invalid
 *     FXT_E_NO_MEMORY     max_bytes is used up, or an allocation failed
 *     FXT_E_OUT_OF_ORDER  a stream was begun and not ended, or none was begun; or the
 *                         builder is finished
 *     FXT_E_BUSY          called from a callback; later calls are not affected
 *
 * Strings passed to them are copied.
 */

/* ---- Inputs ------------------------------------------------------------------------ */

/* Describes an input. Set `size` to sizeof(struct fxt_profile_input) and all members that
 * you do not use to zero. */
struct fxt_profile_input {
    size_t size;
    /* The name in reports; NULL means the path, if there is one. */
    const char *name;
    enum fxt_profile_content content;
    /* FXT_STREAM_AUTO: the reader detects it. */
    enum fxt_stream stream;
    enum fxt_byte_order byte_order;
    /* If not 0, the input consists of regions of this many bytes each. */
    uint64_t region_size;
    /* The samples are of CPU `cpu`; with region_size, those of the first region are, and
     * each further region is of the next CPU. If not set, the CPU of a region is its
     * number among all regions of all inputs, and that of a sample in an archive is in
     * the name of its provider, such as cpu3. */
    bool has_cpu;
    uint32_t cpu;
};

/*
 * Reads a file: FXT, a debugger's log or JSON, which may be compressed with gzip or, in
 * builds with libzstd, zstd; "-" is standard input. `input` may be NULL. Also returns
 * FXT_E_FILE, if the file cannot be opened or used and options.skip_unusable is not set.
 * A file that cannot be read to its end is reported, and what could be read is used.
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
 * Reads several files, each as fxt_profile_builder_add_file does with `input`, which must
 * have no name and no CPU. Regions in different files can be read by different threads.
 *
 * If input.region_size is 0 and all files without a CPU are called cpu0.bin, cpu1.bin and
 * so on, with distinct numbers, these are the CPUs of their regions. Files called *.fxt,
 * *.fxt.gz or *.fxt.zst, which are archives and have no CPU, may be among them.
 */
FXT_API enum fxt_code fxt_profile_builder_add_files(struct fxt_profile_builder *builder,
                                                    const struct fxt_profile_input *input,
                                                    const struct fxt_profile_file *files,
                                                    size_t n_files);

/* Reads an input in memory: `size` bytes at `data`, which must not change before the call
 * returns. */
FXT_API enum fxt_code fxt_profile_builder_add_memory(
    struct fxt_profile_builder *builder, const struct fxt_profile_input *input,
    const void *data, size_t size);

/*
 * Begins a stream of uncompressed FXT, whose content is then passed either to
 * fxt_profile_builder_read_chunk or to fxt_profile_builder_add_record, until
 * fxt_profile_builder_end. `input` may be NULL; its region_size must be 0, and its
 * content FXT_PROFILE_CONTENT_FXT or FXT_PROFILE_CONTENT_ANY.
 */
FXT_API enum fxt_code fxt_profile_builder_begin(struct fxt_profile_builder *builder,
                                                const struct fxt_profile_input *input);

/*
 * Reads the records from `chunk->pos` on, as fxt_reader_read does, and advances `pos`:
 * the caller presents the rest again, with more data after it. Also returns the following
 * codes, which do not affect later calls:
 *
 *     FXT_NEED_MORE    the chunk ends inside a record; fxt_profile_builder_needed returns
 *                      how many bytes from `pos` on the next call must have
 *     FXT_END          the region's data has ended; the caller may end the stream, or
 *                      continue, to have the rest checked
 *     FXT_E_SIZE_ZERO  the framing was lost: the rest of this chunk and of the stream is
 *                      counted and not read
 */
FXT_API enum fxt_code fxt_profile_builder_read_chunk(struct fxt_profile_builder *builder,
                                                     struct fxt_chunk *chunk);
FXT_API uint64_t fxt_profile_builder_needed(const struct fxt_profile_builder *builder);

/*
 * Adds a record from the caller's own reader. The record need not stay valid, but its
 * provider must until fxt_profile_builder_end: the reader must not be reset or destroyed
 * before. With FXT_STREAM_AUTO, the stream is an archive, in which mappings have times,
 * if the first record is the magic number.
 */
FXT_API enum fxt_code fxt_profile_builder_add_record(struct fxt_profile_builder *builder,
                                                     const struct fxt_record *record);

/* Ends the stream. If the last chunk was not read to its end, pass it, so that the part
 * of a record in it is reported; else `chunk` is NULL, as it must be after records. */
FXT_API enum fxt_code fxt_profile_builder_end(struct fxt_profile_builder *builder,
                                              struct fxt_chunk *chunk);

/* Subtracts the heaps in all later inputs from those in the earlier ones. The regions of
 * later inputs are numbered from CPU 0 again. Requires options.only_heaps. */
FXT_API enum fxt_code fxt_profile_builder_subtract(struct fxt_profile_builder *builder);

/*
 * A frame in stacks of samples that were added up elsewhere, such as by a database. Set
 * `size` to sizeof(struct fxt_profile_sum_frame) and all members that you do not use to
 * zero: strings are empty, and the line is 0, where they are not known.
 */
struct fxt_profile_sum_frame {
    size_t size;
    /* The function. */
    struct fxt_string name;
    /* The file that its code is in, and the build id of that file, in lower-case hex. */
    struct fxt_string module;
    struct fxt_string build_id;
    /* The source file, and the line in it. */
    struct fxt_string source_file;
    uint32_t line;
    /* The function was inlined into that of the next frame of the stack, if any. */
    bool is_inlined;
};

/* Copies a frame, and stores the number by which stacks refer to it: equal frames have
 * one number, however often they are added. Requires options.source FXT_PROFILE_SUMS, and
 * returns FXT_E_INVALID otherwise. */
FXT_API enum fxt_code fxt_profile_builder_add_sum_frame(
    struct fxt_profile_builder *builder, const struct fxt_profile_sum_frame *frame,
    uint32_t *number);

/* Samples with the same stack. Set `size` to sizeof(struct fxt_profile_sum) and all
 * members that you do not use to zero. */
struct fxt_profile_sum {
    size_t size;
    /* The numbers of its frames, the innermost first; at least one. */
    const uint32_t *frames;
    size_t n_frames;
    /* How the stack ended: enum fxt_stack_end (fxt/format.h). */
    uint32_t end;
    /* Empty where they are not known. In the profile, processes of one name are one, and
     * their threads of one name, too; they are numbered from 1 on. */
    struct fxt_string process_name;
    struct fxt_string thread_name;
    /* How many samples, and the CPU time that they stand for; not negative. If all times
     * are 0, the profile has none. */
    int64_t n_samples;
    int64_t cpu_ns;
};

/* Adds samples, as copies. Requires options.source FXT_PROFILE_SUMS, with which inputs
 * are FXT_E_INVALID, as are numbers of frames that were not added. */
FXT_API enum fxt_code fxt_profile_builder_add_sum(struct fxt_profile_builder *builder,
                                                  const struct fxt_profile_sum *sum);

/* Adds a copy of a sentence about what is missing from these samples to those that
 * fxt_profile_loss returns, unless it is there. Requires options.source
 * FXT_PROFILE_SUMS. */
FXT_API enum fxt_code fxt_profile_builder_add_loss(struct fxt_profile_builder *builder,
                                                   const char *sentence);

/* ---- Symbols ----------------------------------------------------------------------- */

/*
 * Adds an ELF file to look up functions in. FILE@ADDRESS: the page that its lowest
 * segment starts in was loaded at that address (decimal, or hex with 0x). FILE+SLIDE: it
 * was loaded that many bytes above its link address. FILE: it was loaded at its link
 * address. Also returns FXT_E_FILE, if it cannot be used or would overlap another one;
 * but files that are linked at 0 and have no ADDRESS are told apart by their build ids.
 */
FXT_API enum fxt_code fxt_profile_builder_add_module_file(
    struct fxt_profile_builder *builder, const char *file_and_address);

/* Adds the symbols of a running Linux kernel, from /proc/kallsyms or a copy of it. To be
 * called after all module files were added. Also returns FXT_E_FILE. */
FXT_API enum fxt_code fxt_profile_builder_add_kallsyms(
    struct fxt_profile_builder *builder, const char *path);

/* Adds a directory to look for debug files in, as DIR/.build-id/ab/c.. , DIR/PATH and
 * DIR/NAME. It is not checked that the directory exists. */
FXT_API enum fxt_code fxt_profile_builder_add_debug_dir(
    struct fxt_profile_builder *builder, const char *directory);

/* Requests nothing from servers from here on, whatever options.use_debuginfod is. */
FXT_API enum fxt_code fxt_profile_builder_skip_debuginfod(
    struct fxt_profile_builder *builder);

/* The paths of the symbol files that were added so far, without kallsyms; NULL if `i` is
 * too large. Valid until the next call on the builder. fxt_profile_symbol_file also has
 * the files that were found. */
FXT_API size_t
fxt_profile_builder_n_symbol_files(const struct fxt_profile_builder *builder);
FXT_API const char *fxt_profile_builder_symbol_file(
    const struct fxt_profile_builder *builder, size_t i);

/* Adds a sentence to the comments of the profile, which are written in formats that have
 * comments. */
FXT_API enum fxt_code fxt_profile_builder_add_comment(struct fxt_profile_builder *builder,
                                                      const char *sentence);

/* ---- Filters ----------------------------------------------------------------------- */

/*
 * By default all samples are in the profile. Those that a filter leaves out are counted
 * in struct fxt_profile_statistics. CPUs and times must be set before the first input;
 * the rest at any time.
 *
 * Processes and threads are identified as in the input: by koids, or Linux's ids. A
 * process is selected by one of the ids, or if its name matches one of the patterns, in
 * which * stands for any characters and ? for one. Filters of different kinds are
 * combined: a sample must match one of the processes, one of the threads, one of the CPUs
 * and the time, if any of that kind were set. Times are those of the input's clock, both
 * ends included.
 */
FXT_API enum fxt_code fxt_profile_builder_want_process(
    struct fxt_profile_builder *builder, uint64_t process);
FXT_API enum fxt_code fxt_profile_builder_want_process_name(
    struct fxt_profile_builder *builder, const char *pattern);
FXT_API enum fxt_code fxt_profile_builder_want_thread(struct fxt_profile_builder *builder,
                                                      uint64_t thread);
/* With `n_cpus` 0, no CPU is selected. */
FXT_API enum fxt_code fxt_profile_builder_want_cpus(struct fxt_profile_builder *builder,
                                                    const uint32_t *cpus, size_t n_cpus);
FXT_API enum fxt_code fxt_profile_builder_want_time(struct fxt_profile_builder *builder,
                                                    uint64_t first_ns, uint64_t last_ns);

/* Of the series of heap snapshots in later inputs, shows the point with that number,
 * which are counted from 1; 0, the default, is the last one, with each process that has
 * ended before as it was then. To be called before the inputs that it is for; it may be
 * called again for others. fxt_profile_get_heap_point says which points there are. */
FXT_API enum fxt_code fxt_profile_builder_want_heap_point(
    struct fxt_profile_builder *builder, uint64_t point);

/* Leaves out the samples of idle threads: those whose leaf function's name matches. This
 * function and the next ones take POSIX extended regular expressions; if they are called
 * several times, any of the expressions may match. FXT_E_INVALID if it is not valid. */
FXT_API enum fxt_code fxt_profile_builder_skip_idle(struct fxt_profile_builder *builder,
                                                    const char *expression);

/* Leaves out the frames above (the callers of), or below (called by), the outermost
 * function that matches, which becomes the root, or the leaf, of the stack. */
FXT_API enum fxt_code fxt_profile_builder_skip_above(struct fxt_profile_builder *builder,
                                                     const char *expression);
FXT_API enum fxt_code fxt_profile_builder_skip_below(struct fxt_profile_builder *builder,
                                                     const char *expression);

/* Merges the frames of direct recursion, so that a function that calls itself counts
 * once. */
FXT_API enum fxt_code fxt_profile_builder_fold_recursion(
    struct fxt_profile_builder *builder);

/* ---- The profile ------------------------------------------------------------------- */

/*
 * Makes a profile of what was added and stores it in `*profile`. The caller must free it
 * with fxt_profile_destroy; it does not depend on the builder. Returns FXT_OK;
 * FXT_E_OUT_OF_ORDER when called again. On failure `*profile` is NULL. The profile may be
 * empty: see fxt_profile_n_samples. Symbol files that were found and cannot be used, and
 * module files in which no sample has an address, are reported to on_report.
 */
FXT_API enum fxt_code fxt_profile_builder_finish(struct fxt_profile_builder *builder,
                                                 struct fxt_profile **profile);

FXT_END_DECLS

#endif
