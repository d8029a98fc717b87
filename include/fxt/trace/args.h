/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arguments of the macros in fxt/trace.h, where they are documented: counts them, and
 * makes of each value one of the format's types. Not for direct use.
 */
#ifndef FXT_TRACE_ARGS_H
#define FXT_TRACE_ARGS_H

#include <fxt/compiler.h>
#include <fxt/format.h>
#include <fxt/pack.h>
#ifdef __cplusplus
#include <type_traits>
#endif

/* ---- Values ------------------------------------------------------------------------ */

/* Longer strings are cut to this many bytes. */
#define FXT_TRACE_STRING_MAX 1000

struct fxt_trace_value_ {
    /* enum fxt_arg_type. */
    uint32_t type;
    /* Of a string, in bytes. */
    uint32_t size;
    /* The bits of any other value. */
    uint64_t word;
    const char *data;
};

FXT_INLINE struct fxt_trace_value_ fxt_trace_word_(uint32_t type, uint64_t word)
{
    struct fxt_trace_value_ value = {type, 0, word, 0};

    return value;
}

FXT_INLINE struct fxt_trace_value_ fxt_trace_bytes_(const char *data, uint64_t size)
{
    struct fxt_trace_value_ value = {FXT_ARG_STRING, 0, 0, data};

    value.size = size < FXT_TRACE_STRING_MAX ? (uint32_t)size : FXT_TRACE_STRING_MAX;
    return value;
}

FXT_INLINE struct fxt_trace_value_ fxt_trace_string_(const char *string)
{
    uint64_t size = 0;

    while (string && size < FXT_TRACE_STRING_MAX && string[size])
        size++;
    return fxt_trace_bytes_(string, size);
}

FXT_INLINE struct fxt_trace_value_ fxt_trace_bool_(bool value)
{
    return fxt_trace_word_(FXT_ARG_BOOL, value);
}

FXT_INLINE struct fxt_trace_value_ fxt_trace_int32_(int32_t value)
{
    return fxt_trace_word_(FXT_ARG_INT32, (uint32_t)value);
}

FXT_INLINE struct fxt_trace_value_ fxt_trace_uint32_(uint32_t value)
{
    return fxt_trace_word_(FXT_ARG_UINT32, value);
}

FXT_INLINE struct fxt_trace_value_ fxt_trace_int64_(int64_t value)
{
    return fxt_trace_word_(FXT_ARG_INT64, (uint64_t)value);
}

FXT_INLINE struct fxt_trace_value_ fxt_trace_uint64_(uint64_t value)
{
    return fxt_trace_word_(FXT_ARG_UINT64, value);
}

FXT_INLINE struct fxt_trace_value_ fxt_trace_double_(double value)
{
    uint64_t bits;

    FXT_COPY(&bits, &value, sizeof(bits));
    return fxt_trace_word_(FXT_ARG_DOUBLE, bits);
}

FXT_INLINE struct fxt_trace_value_ fxt_trace_long_double_(long double value)
{
    return fxt_trace_double_((double)value);
}

FXT_INLINE struct fxt_trace_value_ fxt_trace_pointer_(const volatile void *value)
{
    return fxt_trace_word_(FXT_ARG_POINTER, (uintptr_t)value);
}

#ifdef __cplusplus
inline fxt_trace_value_ fxt_trace_value_of_(bool value)
{
    return fxt_trace_bool_(value);
}
inline fxt_trace_value_ fxt_trace_value_of_(double value)
{
    return fxt_trace_double_(value);
}
inline fxt_trace_value_ fxt_trace_value_of_(long double value)
{
    return fxt_trace_long_double_(value);
}
inline fxt_trace_value_ fxt_trace_value_of_(int value)
{
    return fxt_trace_int32_(value);
}
inline fxt_trace_value_ fxt_trace_value_of_(unsigned value)
{
    return fxt_trace_uint32_(value);
}
inline fxt_trace_value_ fxt_trace_value_of_(long value)
{
    return fxt_trace_int64_(value);
}
inline fxt_trace_value_ fxt_trace_value_of_(unsigned long value)
{
    return fxt_trace_uint64_(value);
}
inline fxt_trace_value_ fxt_trace_value_of_(long long value)
{
    return fxt_trace_int64_(value);
}
inline fxt_trace_value_ fxt_trace_value_of_(unsigned long long value)
{
    return fxt_trace_uint64_(value);
}
inline fxt_trace_value_ fxt_trace_value_of_(const char *value)
{
    return fxt_trace_string_(value);
}
inline fxt_trace_value_ fxt_trace_value_of_(const volatile void *value)
{
    return fxt_trace_pointer_(value);
}
inline fxt_trace_value_ fxt_trace_value_of_(decltype(nullptr))
{
    return fxt_trace_pointer_(0);
}
/* std::string, std::string_view, and what else has characters and a size. */
template <typename Text>
inline auto fxt_trace_value_of_(const Text &text)
    -> decltype(fxt_trace_bytes_(text.data(), text.size()))
{
    return fxt_trace_bytes_(text.data(), text.size());
}
/* An enumeration with a scope, as its number. */
template <typename Enum,
          typename Number = typename std::enable_if<
              std::is_enum<Enum>::value && !std::is_convertible<Enum, int>::value,
              std::underlying_type<Enum>>::type>
inline fxt_trace_value_ fxt_trace_value_of_(Enum value)
{
    return fxt_trace_value_of_(static_cast<typename Number::type>(value));
}
#define FXT_TRACE_VALUE_(value) fxt_trace_value_of_(value)
#else
/* clang-format off */
#define FXT_TRACE_VALUE_(value)                                                          \
    _Generic((value),                                                                    \
        bool: fxt_trace_bool_,                                                           \
        char: fxt_trace_int32_,                                                          \
        signed char: fxt_trace_int32_,                                                   \
        short: fxt_trace_int32_,                                                         \
        int: fxt_trace_int32_,                                                           \
        unsigned char: fxt_trace_uint32_,                                                \
        unsigned short: fxt_trace_uint32_,                                               \
        unsigned: fxt_trace_uint32_,                                                     \
        long: fxt_trace_int64_,                                                          \
        long long: fxt_trace_int64_,                                                     \
        unsigned long: fxt_trace_uint64_,                                                \
        unsigned long long: fxt_trace_uint64_,                                           \
        float: fxt_trace_double_,                                                        \
        double: fxt_trace_double_,                                                       \
        long double: fxt_trace_long_double_,                                             \
        char *: fxt_trace_string_,                                                       \
        const char *: fxt_trace_string_,                                                 \
        default: fxt_trace_pointer_)(value)
/* clang-format on */
#endif

/* ---- Their records ----------------------------------------------------------------- */

/* How many words the value takes after its header. */
FXT_INLINE uint64_t fxt_trace_value_words_(const struct fxt_trace_value_ *value)
{
    switch (value->type) {
    case FXT_ARG_INT32:
    case FXT_ARG_UINT32:
    case FXT_ARG_BOOL:
        return 0;
    case FXT_ARG_STRING:
        return (value->size + FXT_WORD_BYTES - 1) / FXT_WORD_BYTES;
    default:
        return 1;
    }
}

FXT_INLINE uint64_t fxt_trace_values_words_(const struct fxt_trace_value_ *values,
                                            uint32_t n)
{
    uint64_t n_words = n;

    for (uint32_t i = 0; i < n; i++)
        n_words += fxt_trace_value_words_(&values[i]);
    return n_words;
}

/* Writes an argument and returns the address after it. */
FXT_INLINE uint64_t *fxt_trace_put_value_(uint64_t *to, uint16_t name,
                                          const struct fxt_trace_value_ *value)
{
    uint64_t header = FXT_PUT(ARG_TYPE, value->type) | FXT_PUT(ARG_NAME, name) |
                      FXT_PUT(ARG_WORDS, 1 + fxt_trace_value_words_(value));

    switch (value->type) {
    case FXT_ARG_INT32:
    case FXT_ARG_UINT32:
    case FXT_ARG_BOOL:
        to[0] = header | FXT_PUT(ARG_VALUE, value->word);
        return to + 1;
    case FXT_ARG_STRING:
        to[0] = header |
                FXT_PUT(ARG_STRING, value->size > 0 ? FXT_STRING_REF_INLINE | value->size
                                                    : FXT_STRING_REF_EMPTY);
        return fxt_pack_bytes_(to + 1, value->data, value->size);
    default:
        to[0] = header;
        to[1] = value->word;
        return to + 2;
    }
}

/* ---- Lists of arguments ------------------------------------------------------------ */

/* clang-format off */
/* How many arguments follow a category and a name: up to 30. */
#define FXT_TRACE_COUNT_(...)                                                            \
    FXT_TRACE_COUNT_AT_(__VA_ARGS__, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, \
        17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0)
#define FXT_TRACE_COUNT_AT_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, \
        a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30,  \
        a31, a32, n, ...)                                                                \
    n

#define FXT_TRACE_JOIN_(a, b, c) FXT_TRACE_JOIN_NOW_(a, b, c)
#define FXT_TRACE_JOIN_NOW_(a, b, c) a##b##c

/* What follows a category c and a name n: the names of arguments, or their values, each
 * after a comma. */
#define FXT_TRACE_NAMES_(...)                                                            \
    FXT_TRACE_JOIN_(FXT_TRACE_NAMES_, FXT_TRACE_COUNT_(__VA_ARGS__), _)(__VA_ARGS__)
#define FXT_TRACE_VALUES_(...)                                                           \
    FXT_TRACE_JOIN_(FXT_TRACE_VALUES_, FXT_TRACE_COUNT_(__VA_ARGS__), _)(__VA_ARGS__)
#define FXT_TRACE_CATEGORY_(c, ...) "" c
#define FXT_TRACE_NAME_(c, ...) FXT_TRACE_NAME_AT_(__VA_ARGS__, 0)
#define FXT_TRACE_NAME_AT_(n, ...) "" n

#define FXT_TRACE_NAMES_0_(c, n)
#define FXT_TRACE_NAMES_2_(c, n, a, v) , "" a
#define FXT_TRACE_NAMES_4_(c, n, a, v, ...) , "" a FXT_TRACE_NAMES_2_(c, n, __VA_ARGS__)
#define FXT_TRACE_NAMES_6_(c, n, a, v, ...) , "" a FXT_TRACE_NAMES_4_(c, n, __VA_ARGS__)
#define FXT_TRACE_NAMES_8_(c, n, a, v, ...) , "" a FXT_TRACE_NAMES_6_(c, n, __VA_ARGS__)
#define FXT_TRACE_NAMES_10_(c, n, a, v, ...) , "" a FXT_TRACE_NAMES_8_(c, n, __VA_ARGS__)
#define FXT_TRACE_NAMES_12_(c, n, a, v, ...) , "" a FXT_TRACE_NAMES_10_(c, n, __VA_ARGS__)
#define FXT_TRACE_NAMES_14_(c, n, a, v, ...) , "" a FXT_TRACE_NAMES_12_(c, n, __VA_ARGS__)
#define FXT_TRACE_NAMES_16_(c, n, a, v, ...) , "" a FXT_TRACE_NAMES_14_(c, n, __VA_ARGS__)
#define FXT_TRACE_NAMES_18_(c, n, a, v, ...) , "" a FXT_TRACE_NAMES_16_(c, n, __VA_ARGS__)
#define FXT_TRACE_NAMES_20_(c, n, a, v, ...) , "" a FXT_TRACE_NAMES_18_(c, n, __VA_ARGS__)
#define FXT_TRACE_NAMES_22_(c, n, a, v, ...) , "" a FXT_TRACE_NAMES_20_(c, n, __VA_ARGS__)
#define FXT_TRACE_NAMES_24_(c, n, a, v, ...) , "" a FXT_TRACE_NAMES_22_(c, n, __VA_ARGS__)
#define FXT_TRACE_NAMES_26_(c, n, a, v, ...) , "" a FXT_TRACE_NAMES_24_(c, n, __VA_ARGS__)
#define FXT_TRACE_NAMES_28_(c, n, a, v, ...) , "" a FXT_TRACE_NAMES_26_(c, n, __VA_ARGS__)
#define FXT_TRACE_NAMES_30_(c, n, a, v, ...) , "" a FXT_TRACE_NAMES_28_(c, n, __VA_ARGS__)

#define FXT_TRACE_VALUES_0_(c, n)
#define FXT_TRACE_VALUES_2_(c, n, a, v) , FXT_TRACE_VALUE_(v)
#define FXT_TRACE_VALUES_4_(c, n, a, v, ...)                                             \
    , FXT_TRACE_VALUE_(v) FXT_TRACE_VALUES_2_(c, n, __VA_ARGS__)
#define FXT_TRACE_VALUES_6_(c, n, a, v, ...)                                             \
    , FXT_TRACE_VALUE_(v) FXT_TRACE_VALUES_4_(c, n, __VA_ARGS__)
#define FXT_TRACE_VALUES_8_(c, n, a, v, ...)                                             \
    , FXT_TRACE_VALUE_(v) FXT_TRACE_VALUES_6_(c, n, __VA_ARGS__)
#define FXT_TRACE_VALUES_10_(c, n, a, v, ...)                                            \
    , FXT_TRACE_VALUE_(v) FXT_TRACE_VALUES_8_(c, n, __VA_ARGS__)
#define FXT_TRACE_VALUES_12_(c, n, a, v, ...)                                            \
    , FXT_TRACE_VALUE_(v) FXT_TRACE_VALUES_10_(c, n, __VA_ARGS__)
#define FXT_TRACE_VALUES_14_(c, n, a, v, ...)                                            \
    , FXT_TRACE_VALUE_(v) FXT_TRACE_VALUES_12_(c, n, __VA_ARGS__)
#define FXT_TRACE_VALUES_16_(c, n, a, v, ...)                                            \
    , FXT_TRACE_VALUE_(v) FXT_TRACE_VALUES_14_(c, n, __VA_ARGS__)
#define FXT_TRACE_VALUES_18_(c, n, a, v, ...)                                            \
    , FXT_TRACE_VALUE_(v) FXT_TRACE_VALUES_16_(c, n, __VA_ARGS__)
#define FXT_TRACE_VALUES_20_(c, n, a, v, ...)                                            \
    , FXT_TRACE_VALUE_(v) FXT_TRACE_VALUES_18_(c, n, __VA_ARGS__)
#define FXT_TRACE_VALUES_22_(c, n, a, v, ...)                                            \
    , FXT_TRACE_VALUE_(v) FXT_TRACE_VALUES_20_(c, n, __VA_ARGS__)
#define FXT_TRACE_VALUES_24_(c, n, a, v, ...)                                            \
    , FXT_TRACE_VALUE_(v) FXT_TRACE_VALUES_22_(c, n, __VA_ARGS__)
#define FXT_TRACE_VALUES_26_(c, n, a, v, ...)                                            \
    , FXT_TRACE_VALUE_(v) FXT_TRACE_VALUES_24_(c, n, __VA_ARGS__)
#define FXT_TRACE_VALUES_28_(c, n, a, v, ...)                                            \
    , FXT_TRACE_VALUE_(v) FXT_TRACE_VALUES_26_(c, n, __VA_ARGS__)
#define FXT_TRACE_VALUES_30_(c, n, a, v, ...)                                            \
    , FXT_TRACE_VALUE_(v) FXT_TRACE_VALUES_28_(c, n, __VA_ARGS__)
/* clang-format on */

#endif
