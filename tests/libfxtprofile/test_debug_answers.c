/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of a reader of DWARF that means harm, and of one that does not. */
#include <string.h>

#include "tests/support/pooled.h"
#include "libfxtprofile/symbols/dwarf/debug_answers.h"

static void put(struct text *to, uint32_t kind, const void *bytes, size_t size)
{
    struct debug_header header = {kind, (uint32_t)size};

    text_add(to, &header, sizeof(header));
    text_add(to, bytes, size);
}

static void put_string(struct text *to, const char *string)
{
    put(to, DEBUG_STRING, string, strlen(string));
}

static void put_scoped(struct text *to, uint32_t parent, uint32_t scope, uint32_t name,
                       uint32_t file)
{
    struct debug_answered_function f = {.parent = parent,
                                        .scope = scope,
                                        .name = name,
                                        .file = file,
                                        .call_file = file,
                                        .start_line = 7};

    put(to, DEBUG_FUNCTION, &f, sizeof(f));
}

static void put_function(struct text *to, uint32_t parent, uint32_t name, uint32_t file)
{
    put_scoped(to, parent, 0, name, file);
}

static void put_answer(struct text *to, uint32_t file, uint32_t line, uint32_t function)
{
    struct debug_answer answer = {file, line, function};

    put(to, DEBUG_ANSWER, &answer, sizeof(answer));
}

static void put_split(struct text *to, uint32_t file)
{
    put(to, DEBUG_SPLIT, &file, sizeof(file));
}

static void put_end(struct text *to, uint32_t end)
{
    put(to, DEBUG_END, &end, sizeof(end));
}

/* Two functions, one in the other, and two answers. */
static void put_good(struct text *to)
{
    put_string(to, "/src/a.c");
    put_string(to, "outer");
    put_scoped(to, 0, 2, 2, 1);
    put_string(to, "inner");
    put_function(to, 1, 3, 1);
    put_answer(to, 1, 10, 2);
    put_answer(to, 0, 0, 0);
}

static struct debug_answers take(const struct text *messages, size_t piece)
{
    struct debug_answers answers = {.max_answers = 2, .max_bytes = 4 << 20};
    size_t at = 0;

    while (at < messages->size) {
        size_t n = messages->size - at < piece ? messages->size - at : piece;

        if (!debug_answers_take(&answers, messages->data + at, n))
            break;
        at += n;
    }
    return answers;
}

/* Frees the messages. */
static void assert_faulty(struct text *messages, const char *what)
{
    struct debug_answers answers = take(messages, SIZE_MAX);

    cr_expect(answers.is_faulty, "%s", what);
}

POOLED_TEST(debug_answers, good_ones_are_taken_in_pieces_of_any_size)
{
    struct text messages = {NULL, 0, 0};
    struct source_lines lines = {NULL, 0, 0};

    put_good(&messages);
    put_end(&messages, DEBUG_END_GOOD);
    for (size_t piece = 1; piece <= messages.size; piece++) {
        struct debug_answers answers = take(&messages, piece);

        cr_assert_eq(answers.end, DEBUG_END_GOOD);
        cr_assert_not(answers.is_faulty);
        cr_assert_eq(answers.n_answers, 2);
        lines.n = 0;
        debug_answers_get(&answers, 1, &lines);
        cr_assert_eq(lines.n, 0);
        debug_answers_get(&answers, 0, &lines);
        cr_assert_eq(lines.n, 2);
        cr_assert_str_eq(lines.items[0].name, "inner");
        cr_assert_str_eq(lines.items[0].file, "/src/a.c");
        cr_assert_eq(lines.items[0].line, 10);
        cr_assert_eq(lines.items[0].start_line, 7);
        cr_assert_null(lines.items[0].scope);
        cr_assert_str_eq(lines.items[1].name, "outer");
        cr_assert_str_eq(lines.items[1].scope, "outer");
        debug_answers_free(&answers);
    }
}

POOLED_TEST(debug_answers, the_first_of_the_files_that_have_functions_is_named)
{
    struct text messages = {NULL, 0, 0};
    struct debug_answers answers;

    put_string(&messages, "/src/a.dwo");
    put_string(&messages, "/src/b.dwo");
    put_split(&messages, 2);
    put_split(&messages, 1);
    answers = take(&messages, SIZE_MAX);
    cr_assert_not(answers.is_faulty);
    cr_assert_eq(answers.n_split, 2);
    cr_assert_str_eq(debug_answers_split(&answers), "/src/b.dwo");
    put_split(&messages, 3);
    assert_faulty(&messages, "a string that is not there");
    put_split(&messages, 0);
    assert_faulty(&messages, "no string");
}

POOLED_TEST(debug_answers, those_that_came_before_a_cut_stay)
{
    struct text messages = {NULL, 0, 0};
    struct debug_answers answers;

    put_good(&messages);
    messages.size--;
    answers = take(&messages, SIZE_MAX);
    cr_assert_eq(answers.n_answers, 1);
    cr_assert_eq(answers.end, 0);
    cr_assert_not(answers.is_faulty);
}

POOLED_TEST(debug_answers, bad_ones_are_not_taken)
{
    struct text m = {NULL, 0, 0};
    uint32_t huge[2] = {DEBUG_STRING, UINT32_MAX};
    char *long_string;

    put(&m, 0, "", 0);
    assert_faulty(&m, "no kind");
    put(&m, 99, "", 0);
    assert_faulty(&m, "an unknown kind");
    text_add(&m, huge, sizeof(huge));
    assert_faulty(&m, "too long");
    put(&m, DEBUG_FUNCTION, "short", 5);
    assert_faulty(&m, "a short function");
    put(&m, DEBUG_ANSWER, "short", 5);
    assert_faulty(&m, "a short answer");
    put(&m, DEBUG_END, "short", 5);
    assert_faulty(&m, "a long end");
    put_function(&m, 1, 0, 0);
    assert_faulty(&m, "a function in itself");
    put_function(&m, 0, 1, 0);
    assert_faulty(&m, "a name that did not come");
    put_function(&m, 0, 0, 1);
    assert_faulty(&m, "a file that did not come");
    put_scoped(&m, 0, 1, 0, 0);
    assert_faulty(&m, "a scope that did not come");
    put_answer(&m, 1, 0, 0);
    assert_faulty(&m, "an answer with a file that did not come");
    put_answer(&m, 0, 0, 1);
    assert_faulty(&m, "an answer with a function that did not come");
    put_good(&m);
    put_answer(&m, 0, 0, 0);
    assert_faulty(&m, "more answers than addresses");
    put_end(&m, DEBUG_END_GOOD);
    assert_faulty(&m, "fewer answers than addresses");
    for (uint32_t i = 0; i <= DEBUG_DEPTH_MAX; i++)
        put_function(&m, i, 0, 0);
    assert_faulty(&m, "functions nested too deeply");
    long_string = (char *)memory_allocate(DEBUG_MESSAGE_MAX);
    memset(long_string, 'a', DEBUG_MESSAGE_MAX - 1);
    put_string(&m, long_string);
    put_scoped(&m, 0, 1, 0, 0);
    assert_faulty(&m, "a long scope");
    for (int i = 0; i < 5; i++)
        put_string(&m, long_string);
    assert_faulty(&m, "too much of all");
}
