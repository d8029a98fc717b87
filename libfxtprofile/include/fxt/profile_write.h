/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writing a profile. fxt/profile.h describes errors, memory and threads, for all of
 * libfxtprofile.
 */
#ifndef FXT_PROFILE_WRITE_H
#define FXT_PROFILE_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fxt/common.h>
#include <fxt/profile_format.h>
#include <fxt/writer.h>

FXT_BEGIN_DECLS

struct fxt_profile;

/* Which of a sample's values to write, in formats that have only one. The default is the
 * number of samples, the time of spans, and the bytes of heaps; of recordings that
 * declare what events they sample, it is the first of these. */
enum fxt_profile_value {
    FXT_PROFILE_VALUE_DEFAULT = 0,
    /* Samples, or spans. */
    FXT_PROFILE_VALUE_COUNT = 1,
    FXT_PROFILE_VALUE_TIME = 2,
    FXT_PROFILE_VALUE_OBJECTS = 3,
    FXT_PROFILE_VALUE_BYTES = 4
};

/* The frame that is added at the root of each stack. */
enum fxt_profile_root {
    FXT_PROFILE_ROOT_PROCESS = 0,
    FXT_PROFILE_ROOT_THREAD = 1,
    FXT_PROFILE_ROOT_CPU = 2
};

/* When the names of processes and threads at the roots are followed by their numbers, as
 * in "server[1234]". By default always, but in flame graphs only where processes (or
 * threads of one process) have the same name, and never where profiles are compared. */
enum fxt_profile_ids {
    FXT_PROFILE_IDS_DEFAULT = 0,
    FXT_PROFILE_IDS_ALWAYS = 1,
    FXT_PROFILE_IDS_REPEATED = 2,
    /* Only where there is no name. */
    FXT_PROFILE_IDS_NEVER = 3
};

/* The limits of lengths in flame graphs: in pixels, and min_width in hundredths. */
#define FXT_PROFILE_MIN_GRAPH_WIDTH 200
#define FXT_PROFILE_MAX_GRAPH_WIDTH 100000
#define FXT_PROFILE_MIN_FRAME_HEIGHT 4
#define FXT_PROFILE_MAX_FRAME_HEIGHT 100
#define FXT_PROFILE_MAX_MIN_WIDTH 10000

enum fxt_profile_palette {
    FXT_PROFILE_PALETTE_HOT = 0,
    FXT_PROFILE_PALETTE_MEM = 1,
    FXT_PROFILE_PALETTE_IO = 2,
    /* A colour for the code of each file. */
    FXT_PROFILE_PALETTE_MODULE = 3
};

/* Stores the palette with a name: hot, mem, io or module. Returns false for any other
 * name. */
FXT_API bool fxt_profile_palette_find(const char *name,
                                      enum fxt_profile_palette *palette);

/* Set `size` to sizeof(struct fxt_profile_output) and all members that you do not use to
 * zero, which is the default of each. Members that do not apply to the format are
 * ignored. */
struct fxt_profile_output {
    size_t size;
    /* FXT_PROFILE_FORMAT_ANY: the format of the builder's options, or else pprof. */
    enum fxt_profile_format format;
    enum fxt_profile_value value;

    /* The roots, outermost first, each at most once. NULL means the format's default: the
     * process; the process and the thread for speedscope; none for captures. For no roots
     * set n_roots to 0 and `roots` to any pointer but NULL. */
    const enum fxt_profile_root *roots;
    size_t n_roots;
    enum fxt_profile_ids ids;

    /* Write every sample separately, in time order. Requires the builder's keep_times,
     * with which pprof's samples always have a label with their time. */
    bool no_merge;

    /* Mark functions of the kernel with _[k], and inlined ones with _[i]. */
    bool annotate;

    /* Frames have their source file and line, if known. */
    bool lines;

    /* pprof: do not compress; labels are numbers, without the names of processes and
     * threads; inlined functions have separate locations. */
    bool no_gzip;
    bool raw_labels;
    bool inlines_are_locations;

    /* perfetto: only the samples, with the ids that Perfetto gives to processes and
     * threads of FXT archives (their low 32 bits), to be written to the archive that the
     * samples are from, as the payload of blobs of type FXT_BLOB_PERFETTO. */
    bool embedded;

    /* Flame graphs. NULL means the recorded command if it is known, or else "Icicle
     * Graph" (or "Flame Graph"); no subtitle; and the type of the values. */
    const char *title;
    const char *subtitle;
    const char *count_name;
    /* In pixels; 0 means as wide as the window, and 16. */
    uint32_t width;
    uint32_t frame_height;
    /* In hundredths of a pixel: narrower frames are left out. 0 means 10. */
    uint32_t min_width;
    /* No frame is left out, whatever min_width is. */
    bool all_frames;
    enum fxt_profile_palette palette;
    /* Roots are at the bottom: a flame graph and not an icicle graph. */
    bool upright;
    /* Stacks are reversed: the leaf becomes the root. */
    bool reverse;
    /* An earlier profile, with the same kind of values, or NULL: colours show what has
     * changed since, and palette is ignored. Not with no_merge. */
    const struct fxt_profile *before;

    /* The limit on memory for writing, in bytes; 0 means none. */
    uint64_t max_bytes;

    /* HTML: includes the text of the source files of the hottest functions, where the
     * files are found. Their names come from debugging information. title and before are
     * used as in flame graphs. */
    bool source_text;

    /* If not NULL, the name of a value type (fxt_profile_get_value_type), such as that of
     * an event that was sampled, in place of `value`. */
    const char *value_name;
};

/* The index of the type of value (fxt_profile_get_value_type) that formats show which
 * show only one, with the format and the value of `output`; 0 if its members are invalid.
 */
FXT_API size_t fxt_profile_output_value(const struct fxt_profile *profile,
                                        const struct fxt_profile_output *output);

/*
 * Writes a profile by calls of `write`, which may be fxt_file_write with a FILE or
 * fxt_buffer_write with a struct fxt_buffer. `output` may be NULL. Returns
 *
 *     FXT_OK           everything was written
 *     FXT_E_INVALID    the output's members are invalid, or the profile lacks what they
 *                      require: it was built for another format, or has no times, no
 *                      such value or no addresses
 *     FXT_E_NO_MEMORY  max_bytes is used up, or an allocation failed
 *     FXT_E_SINK       `write` returned a value other than 0, and was not called again
 */
FXT_API enum fxt_code fxt_profile_write(const struct fxt_profile *profile,
                                        const struct fxt_profile_output *output,
                                        fxt_write_fn *write, void *context);

/* Writes a profile to a file. The data is written to a temporary file, `path` with a dot
 * and six more characters, which is then renamed and replaces an existing file; if the
 * program is killed while it writes, the temporary file remains. Also returns FXT_E_FILE,
 * with the reason in errno, if the file cannot be created or written. */
FXT_API enum fxt_code fxt_profile_write_file(const struct fxt_profile *profile,
                                             const struct fxt_profile_output *output,
                                             const char *path);

/*
 * Writes what was found in the files of the modules that the input names: the function,
 * source file, line and inlined calls at each address of a stack, as FXT records
 * (docs/symbol-records.md). With them at its end, an archive gives the same profile where
 * these files are not, or are others. Nothing is written where nothing was found, nor
 * what the input has in such records already.
 *
 * The records have the byte order that is given, which must be the archive's;
 * FXT_BYTE_ORDER_AUTO is this machine's. They have the timestamp that is given, in ticks
 * of that archive: no reader needs it, but to one that counts from the first to the last,
 * 0 would be the first.
 *
 * `write` gets records as fxt_writer does (fxt/writer.h), whole ones in each call unless
 * one is large. Returns FXT_OK; FXT_E_INVALID, if `write` is NULL; FXT_E_SINK, if it
 * failed; FXT_E_NO_MEMORY.
 */
FXT_API enum fxt_code fxt_profile_write_symbols(const struct fxt_profile *profile,
                                                enum fxt_byte_order byte_order,
                                                uint64_t timestamp, fxt_write_fn *write,
                                                void *context);

FXT_END_DECLS

#endif
