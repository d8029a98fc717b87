/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Constructors for strings, threads and arguments, for the writer and the emitter:
 *
 *     struct fxt_arg args[] = {
 *         fxt_arg_uint64(FXT_TEXT("bytes"), n_bytes),
 *         fxt_arg_string(FXT_TEXT("file"), fxt_string_at(name, name_size)),
 *     };
 *
 * Setting the members directly works as well. Freestanding.
 */
#ifndef FXT_ARG_H
#define FXT_ARG_H

#include <fxt/compiler.h>
#include <fxt/types.h>

FXT_BEGIN_DECLS

/* ---- Strings ----------------------------------------------------------------------- */

/* `size` bytes at `data`, to be stored inline in the record. They are not copied here. */
FXT_INLINE struct fxt_string fxt_string_at(const char *data, uint32_t size)
{
    struct fxt_string string = {data, size, 0};

    return string;
}

/* A string literal. */
#define FXT_TEXT(literal) fxt_string_at("" literal, (uint32_t)sizeof(literal) - 1)

/* The same as an initializer, for constants. */
#define FXT_TEXT_INIT(literal)                                                           \
    {                                                                                    \
        "" literal, (uint32_t)sizeof(literal) - 1, 0                                     \
    }

/* A reference to the string that was registered at an index, from 1 to
 * FXT_STRING_INDEX_MAX. */
FXT_INLINE struct fxt_string fxt_string_ref(uint16_t index)
{
    struct fxt_string string = {0, 0, index};

    return string;
}

/* ---- Threads ----------------------------------------------------------------------- */

/* A reference to the thread that was registered at an index, from 1 to
 * FXT_THREAD_INDEX_MAX. */
FXT_INLINE struct fxt_thread fxt_thread_ref(uint8_t index)
{
    struct fxt_thread made = {0, 0, index, true};

    return made;
}

/* ---- Arguments --------------------------------------------------------------------- */

FXT_INLINE struct fxt_arg fxt_arg_of_(struct fxt_string name, uint32_t type,
                                      uint64_t word)
{
    struct fxt_arg arg;

    arg.name = name;
    arg.type = type;
    arg.value.uint64 = word;
    return arg;
}

FXT_INLINE struct fxt_arg fxt_arg_null(struct fxt_string name)
{
    return fxt_arg_of_(name, FXT_ARG_NULL, 0);
}

FXT_INLINE struct fxt_arg fxt_arg_int32(struct fxt_string name, int32_t value)
{
    struct fxt_arg arg = fxt_arg_of_(name, FXT_ARG_INT32, 0);

    arg.value.int32 = value;
    return arg;
}

FXT_INLINE struct fxt_arg fxt_arg_uint32(struct fxt_string name, uint32_t value)
{
    struct fxt_arg arg = fxt_arg_of_(name, FXT_ARG_UINT32, 0);

    arg.value.uint32 = value;
    return arg;
}

FXT_INLINE struct fxt_arg fxt_arg_int64(struct fxt_string name, int64_t value)
{
    return fxt_arg_of_(name, FXT_ARG_INT64, (uint64_t)value);
}

FXT_INLINE struct fxt_arg fxt_arg_uint64(struct fxt_string name, uint64_t value)
{
    return fxt_arg_of_(name, FXT_ARG_UINT64, value);
}

/* A double, passed as its bits since kernels do not use floating point. */
FXT_INLINE struct fxt_arg fxt_arg_double_bits(struct fxt_string name, uint64_t bits)
{
    return fxt_arg_of_(name, FXT_ARG_DOUBLE, bits);
}

FXT_INLINE struct fxt_arg fxt_arg_string(struct fxt_string name, struct fxt_string value)
{
    struct fxt_arg arg = fxt_arg_of_(name, FXT_ARG_STRING, 0);

    arg.value.string = value;
    return arg;
}

FXT_INLINE struct fxt_arg fxt_arg_pointer(struct fxt_string name, uint64_t value)
{
    return fxt_arg_of_(name, FXT_ARG_POINTER, value);
}

FXT_INLINE struct fxt_arg fxt_arg_koid(struct fxt_string name, uint64_t value)
{
    return fxt_arg_of_(name, FXT_ARG_KOID, value);
}

FXT_INLINE struct fxt_arg fxt_arg_bool(struct fxt_string name, bool value)
{
    struct fxt_arg arg = fxt_arg_of_(name, FXT_ARG_BOOL, 0);

    arg.value.boolean = value;
    return arg;
}

FXT_INLINE struct fxt_arg fxt_arg_blob(struct fxt_string name, const void *data,
                                       uint64_t size)
{
    struct fxt_arg arg = fxt_arg_of_(name, FXT_ARG_BLOB, 0);

    arg.value.blob.data = data;
    arg.value.blob.size = size;
    return arg;
}

FXT_END_DECLS

#endif
