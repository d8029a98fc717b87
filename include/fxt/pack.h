/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Encodes strings, threads and arguments as words, for fxt/emit.h; not for direct use.
 *
 * Everything is measured before anything is packed. A part that the format cannot
 * represent measures more than any record may have, and so then does the whole record:
 * one comparison at the end detects all of these.
 */
#ifndef FXT_PACK_H
#define FXT_PACK_H

#include <fxt/compiler.h>
#include <fxt/format.h>
#include <fxt/types.h>

FXT_BEGIN_DECLS

/* More words than any record may have. The sum over all parts of a record is less than
 * 100 times this, and does not overflow. */
#define FXT_PACK_IMPOSSIBLE_ ((uint64_t)1 << 40)

/* Adds no words if the value fits its field. The field's name is pasted here and not
 * passed on to another macro, since it may itself be a macro of the program. */
#define FXT_PACK_CHECK_(field, value)                                                    \
    ((uint64_t)(value) <= FXT_MAX_PAIR_(FXT_FIELD_##field) ? 0 : FXT_PACK_IMPOSSIBLE_)

/* ---- Streams of bytes -------------------------------------------------------------- */

FXT_INLINE uint64_t fxt_pack_bytes_words_(const void *data, uint64_t size,
                                          uint64_t max_size)
{
    if (size > max_size || (!data && size > 0))
        return FXT_PACK_IMPOSSIBLE_;
    return (size + FXT_WORD_BYTES - 1) / FXT_WORD_BYTES;
}

/* A word that has `byte` as byte number `number` in memory, and zeros otherwise. */
FXT_INLINE uint64_t fxt_pack_byte_(unsigned char byte, unsigned number)
{
    return (uint64_t)byte << (FXT_HOST_IS_BIG_ENDIAN ? 56 - 8 * number : 8 * number);
}

/* The word that is stored in eight bytes of memory. Compilers make one load of this. */
FXT_INLINE uint64_t fxt_pack_8_(const unsigned char *bytes)
{
    return fxt_pack_byte_(bytes[0], 0) | fxt_pack_byte_(bytes[1], 1) |
           fxt_pack_byte_(bytes[2], 2) | fxt_pack_byte_(bytes[3], 3) |
           fxt_pack_byte_(bytes[4], 4) | fxt_pack_byte_(bytes[5], 5) |
           fxt_pack_byte_(bytes[6], 6) | fxt_pack_byte_(bytes[7], 7);
}

/* Packs bytes, padded with zeros to whole words. Returns the address after them, as all
 * packing functions do. */
FXT_INLINE uint64_t *fxt_pack_bytes_(uint64_t *to, const void *data, uint64_t size)
{
    const unsigned char *bytes = (const unsigned char *)data;
    uint64_t n_whole = size / FXT_WORD_BYTES;
    unsigned n_left = (unsigned)(size % FXT_WORD_BYTES);
    uint64_t last = 0;

    for (uint64_t i = 0; i < n_whole; i++)
        *to++ = fxt_pack_8_(bytes + i * FXT_WORD_BYTES);
    if (n_left == 0)
        return to;
    bytes += n_whole * FXT_WORD_BYTES;
    for (unsigned i = 0; i < n_left; i++)
        last |= fxt_pack_byte_(bytes[i], i);
    *to++ = last;
    return to;
}

/* ---- Strings ----------------------------------------------------------------------- */

FXT_INLINE bool fxt_pack_is_index_(struct fxt_string string)
{
    return string.ref != FXT_STRING_REF_EMPTY && string.ref <= FXT_STRING_INDEX_MAX;
}

/* How many words a string takes in addition to its reference. */
FXT_INLINE uint64_t fxt_pack_string_words_(struct fxt_string string)
{
    if (fxt_pack_is_index_(string))
        return 0;
    return fxt_pack_bytes_words_(string.data, string.size, FXT_STRING_SIZE_CAP);
}

/* The reference of a string that the format can represent. */
FXT_INLINE uint64_t fxt_pack_ref_(struct fxt_string string)
{
    if (fxt_pack_is_index_(string))
        return string.ref;
    return string.size > 0 ? FXT_STRING_REF_INLINE | string.size : FXT_STRING_REF_EMPTY;
}

FXT_INLINE uint64_t *fxt_pack_string_(uint64_t *to, struct fxt_string string)
{
    if (fxt_pack_is_index_(string))
        return to;
    return fxt_pack_bytes_(to, string.data, string.size);
}

/* How many words a string takes where the format has no references. */
FXT_INLINE uint64_t fxt_pack_text_words_(struct fxt_string string, uint64_t max_size)
{
    if (fxt_pack_is_index_(string))
        return FXT_PACK_IMPOSSIBLE_;
    return fxt_pack_bytes_words_(string.data, string.size, max_size);
}

/* ---- Threads ----------------------------------------------------------------------- */

FXT_INLINE uint64_t fxt_pack_thread_words_(struct fxt_thread thread)
{
    return thread.ref == FXT_THREAD_REF_INLINE ? 2 : 0;
}

FXT_INLINE uint64_t *fxt_pack_thread_(uint64_t *to, struct fxt_thread thread)
{
    if (thread.ref != FXT_THREAD_REF_INLINE)
        return to;
    *to++ = thread.process;
    *to++ = thread.thread;
    return to;
}

/* ---- Arguments --------------------------------------------------------------------- */

/* How many words a value takes in addition to the argument's header. */
FXT_INLINE uint64_t fxt_pack_value_words_(const struct fxt_arg *arg)
{
    switch (arg->type) {
    case FXT_ARG_NULL:
    case FXT_ARG_INT32:
    case FXT_ARG_UINT32:
    case FXT_ARG_BOOL:
        return 0;
    case FXT_ARG_INT64:
    case FXT_ARG_UINT64:
    case FXT_ARG_DOUBLE:
    case FXT_ARG_POINTER:
    case FXT_ARG_KOID:
        return 1;
    case FXT_ARG_STRING:
        return fxt_pack_string_words_(arg->value.string);
    case FXT_ARG_BLOB:
        return fxt_pack_bytes_words_(arg->value.blob.data, arg->value.blob.size,
                                     FXT_RECORD_WORDS_MAX * FXT_WORD_BYTES);
    default:
        return FXT_PACK_IMPOSSIBLE_;
    }
}

FXT_INLINE uint64_t fxt_pack_arg_words_(const struct fxt_arg *arg)
{
    return 1 + fxt_pack_string_words_(arg->name) + fxt_pack_value_words_(arg);
}

FXT_INLINE uint64_t fxt_pack_args_words_(const struct fxt_arg *args, uint32_t n_args)
{
    uint64_t n_words = 0;

    if (n_args > FXT_ARGS_MAX)
        return FXT_PACK_IMPOSSIBLE_;
    for (uint32_t i = 0; i < n_args; i++)
        n_words += fxt_pack_arg_words_(&args[i]);
    return n_words;
}

/* The bits of the value in the argument's header. */
FXT_INLINE uint64_t fxt_pack_value_bits_(const struct fxt_arg *arg)
{
    switch (arg->type) {
    case FXT_ARG_INT32:
        return FXT_PUT(ARG_VALUE, (uint32_t)arg->value.int32);
    case FXT_ARG_UINT32:
        return FXT_PUT(ARG_VALUE, arg->value.uint32);
    case FXT_ARG_STRING:
        return FXT_PUT(ARG_STRING, fxt_pack_ref_(arg->value.string));
    case FXT_ARG_BOOL:
        return FXT_PUT(ARG_BOOL, arg->value.boolean ? 1 : 0);
    case FXT_ARG_BLOB:
        return FXT_PUT(ARG_VALUE, arg->value.blob.size);
    default:
        return 0;
    }
}

FXT_INLINE uint64_t *fxt_pack_value_(uint64_t *to, const struct fxt_arg *arg)
{
    switch (arg->type) {
    case FXT_ARG_INT64:
    case FXT_ARG_UINT64:
    case FXT_ARG_DOUBLE:
    case FXT_ARG_POINTER:
    case FXT_ARG_KOID:
        /* The same 64 bits whichever member was set, and no floating point is used. */
        *to++ = arg->value.uint64;
        return to;
    case FXT_ARG_STRING:
        return fxt_pack_string_(to, arg->value.string);
    case FXT_ARG_BLOB:
        return fxt_pack_bytes_(to, arg->value.blob.data, arg->value.blob.size);
    default:
        return to;
    }
}

FXT_INLINE uint64_t *fxt_pack_arg_(uint64_t *to, const struct fxt_arg *arg)
{
    uint64_t *header = to++;

    to = fxt_pack_string_(to, arg->name);
    to = fxt_pack_value_(to, arg);
    *header = FXT_PUT(ARG_TYPE, arg->type) | FXT_PUT(ARG_WORDS, to - header) |
              FXT_PUT(ARG_NAME, fxt_pack_ref_(arg->name)) | fxt_pack_value_bits_(arg);
    return to;
}

FXT_INLINE uint64_t *fxt_pack_args_(uint64_t *to, const struct fxt_arg *args,
                                    uint32_t n_args)
{
    for (uint32_t i = 0; i < n_args; i++)
        to = fxt_pack_arg_(to, &args[i]);
    return to;
}

FXT_END_DECLS

#endif
