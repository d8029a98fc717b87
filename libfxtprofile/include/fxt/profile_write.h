/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writing a profile. fxt/profile.h says what holds for all of libfxtprofile.
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

/* What lengths may be in flame graphs: in pixels, and min_width in hundredths. */
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

/* Stores the palette with a name: hot, mem, io or module. Returns false if there is none.
 */
FXT_API bool fxt_profile_palette_find(const char *name,
                                      enum fxt_profile_palette *palette);

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

    /* Each sample by itself, in the order of time. Needs the builder's keep_times, with
     * which pprof's samples have a label for their time in any case. */
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
    /* In pixels; 0 means as wide as the window, and 16. */
    uint32_t width;
    uint32_t frame_height;
    /* In hundredths of a pixel: narrower frames are left out. 0 means 10. */
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

FXT_END_DECLS

#endif
