/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of functions that are too long for their column: what is left of them. */
#include <string.h>

#include "tests/support/pooled.h"
#include "common/base/quote.h"
#include "tools/fxtreport/names.h"

#define DOTS "\xe2\x80\xa6"

/* Names as demanglers, compilers and interpreters write them; the function's own name in
 * them, if it is one of a function; and what stands in some columns. */
struct name {
    const char *name;
    const char *own;
    struct {
        size_t width;
        const char *expected;
    } shown[7];
};

static const struct name names[] = {
    {"main", "main", {{10, "main"}, {4, "main"}, {3, "main"}, {1, "main"}}},
    {"push(std::string const&)",
     "push",
     {{24, "push(std::string const&)"}, {23, "push(" DOTS ")"}, {6, "push"}}},
    {"std::vector<std::pair<int, long> >::at(unsigned long)",
     "at",
     {{52, "std::vector<std::pair<int, long> >::at(" DOTS ")"},
      {40, "std::vector<" DOTS ">::at(" DOTS ")"},
      {20, "std::vector<" DOTS ">::at"},
      {17, "std::vector::at"},
      {14, DOTS "::vector::at"},
      {10, DOTS "::at"}}},
    /* The last template arguments first. */
    {"alpha<long, long, long>::beta<unsigned, unsigned>",
     "beta",
     {{45, "alpha<long, long, long>::beta<" DOTS ">"},
      {30, "alpha<" DOTS ">::beta<" DOTS ">"},
      {16, "alpha<" DOTS ">::beta"}}},
    /* What it returns, which templates say. */
    {"void std::sort<int*, long>(int*, long) (inl)",
     "sort",
     {{43, "std::sort<int*, long>(int*, long) (inl)"},
      {38, "std::sort<int*, long>(" DOTS ") (inl)"},
      {29, "std::sort<" DOTS ">(" DOTS ") (inl)"},
      {15, "std::sort (inl)"},
      {14, DOTS "::sort (inl)"},
      {12, "sort (inl)"},
      {9, "sort"}}},
    {"decltype (g({parm#1})) name::f<int>(int)", "f", {{39, "name::f<int>(int)"}}},
    {"void (*foo<int>(int))(char)",
     "(*foo",
     {{26, "(*foo<int>(int))(char)"}, {21, "(*foo<int>(int))(" DOTS ")"}, {8, "(*foo)"}}},
    {"virtual thunk to Base::f(int)", "f", {{28, "virtual thunk to Base::f(" DOTS ")"}}},
    {"foo[abi:cxx11](int)", "foo", {{18, "foo(int)"}}},
    {"foo(int) [clone .omp_fn.0]",
     "foo",
     {{25, "foo(" DOTS ") [clone .omp_fn.0]"},
      {22, "foo [clone .omp_fn.0]"},
      {9, "foo"}}},
    {"helper(int) (a.c)",
     "helper",
     {{16, "helper(" DOTS ") (a.c)"}, {14, "helper (a.c)"}, {6, "helper"}}},
    /* Lambdas. */
    {"Sorter::run(int const*)::{lambda(int)#1}::operator()(int) const (inl)",
     "run::{lambda}",
     {{68, "Sorter::run::{lambda} (inl)"}, {26, DOTS "::run::{lambda} (inl)"}}},
    {"outer::run(int*)::{lambda(int)#2}::operator()(int const*) const",
     "run::{lambda#2}",
     {{62, "outer::run::{lambda#2}"}}},
    {"auto main::{lambda(auto:1)#1}::operator()<int>(int) const",
     "main::{lambda}",
     {{50, "main::{lambda}<int>"}, {18, "main::{lambda}<" DOTS ">"}}},
    {"f(int)::{lambda(void const*, void const*)#1}::_FUN(void const*, void const*)",
     "f::{lambda}",
     {{74, "f::{lambda}"}}},
    /* Operators. */
    {"std::ostream& operator<< <char>(std::ostream&, Box<char> const&)",
     "operator<<",
     {{48, "operator<< <char>(" DOTS ")"},
      {19, "operator<< <" DOTS ">(" DOTS ")"},
      {12, "operator<<"}}},
    {"bool std::operator<=><int, int>(std::pair<int, int> const&)",
     "operator<=>",
     {{31, "std::operator<=><int, int>(" DOTS ")"},
      {28, "std::operator<=><" DOTS ">(" DOTS ")"}}},
    {"point::operator->(point const*) const",
     "operator->",
     {{20, "point::operator->(" DOTS ")"}, {14, DOTS "::operator->"}}},
    {"ns::operator-<unsigned*, vector<int> >(int)",
     "operator-",
     {{41, "ns::operator-<unsigned*, vector<int> >(" DOTS ")"},
      {20, "ns::operator-<" DOTS ">(" DOTS ")"},
      {10, "operator-"}}},
    {"A::operator+=(int)", "operator+=", {{16, "A::operator+=(" DOTS ")"}}},
    {"A::operator->*(int A::*)", "operator->*", {{23, "A::operator->*(" DOTS ")"}}},
    {"ns::A::operator()(std::function<void (int)>) const",
     "A::operator()",
     {{45, "ns::A::operator()(" DOTS ")"},
      {16, DOTS "::A::operator()"},
      {13, "A::operator()"}}},
    {"A::operator[](unsigned long)", "operator[]", {{27, "A::operator[](" DOTS ")"}}},
    {"A::operator new[](unsigned long)",
     "operator new[]",
     {{18, "A::operator new[]"}, {16, "operator new[]"}}},
    {"operator\"\" _km(long double)",
     "operator\"\" _km",
     {{26, "operator\"\" _km(" DOTS ")"}}},
    {"Foo::operator bool() const",
     "operator bool",
     {{25, "Foo::operator bool()"}, {19, "Foo::operator bool"}}},
    {"ns::Foo::operator std::vector<int, std::allocator<int> >() const",
     "operator std::vector",
     {{62, "ns::Foo::operator std::vector<int, std::allocator<int> >()"},
      {57, "ns::Foo::operator std::vector<" DOTS ">()"},
      {28, DOTS "::Foo::operator std::vector"}}},
    {"f<&(operator< <int>(int))>(int)",
     "f",
     {{30, "f<&(operator< <int>(int))>(" DOTS ")"}}},
    {"outer<(1>0)>::inner<((int)4)>::name(a<(b<c)>)",
     "name",
     {{44, "outer<(1>0)>::inner<((int)4)>::name(" DOTS ")"},
      {30, "outer<" DOTS ">::inner<" DOTS ">::name(" DOTS ")"}}},
    {"(anonymous namespace)::Parser::parse(int)",
     "parse",
     {{40, "(anonymous namespace)::Parser::parse(" DOTS ")"},
      {30, DOTS "::Parser::parse"}}},
    /* Rust. */
    {"<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop",
     "drop",
     {{50, "<alloc::vec::Vec as core::ops::drop::Drop>::drop"},
      {47, "<Vec as Drop>::drop"}}},
    {"<&mut F as core::ops::function::FnOnce<A>>::call_once",
     "call_once",
     {{48, "<&mut F as FnOnce>::call_once"}, {20, DOTS "::call_once"}}},
    {"core::slice::<impl [T]>::sort_by_key",
     "sort_by_key",
     {{32, DOTS "::<impl [T]>::sort_by_key"}}},
    {"core::ptr::drop_in_place::<std::rt::lang_start<()>::{closure#0}>",
     "drop_in_place",
     {{60, "core::ptr::drop_in_place::<" DOTS ">"}, {24, "core::ptr::drop_in_place"}}},
    {"std::rt::lang_start::{{closure}}",
     "lang_start::{{closure}}",
     {{31, DOTS "::rt::lang_start::{{closure}}"}}},
    {"main::main::{closure#0}", "main::{closure#0}", {{22, DOTS "::main::{closure#0}"}}},
    /* Go. */
    {"main.(*Type).Method.func1.2",
     "Method.func1.2",
     {{26, DOTS ".(*Type).Method.func1.2"}, {17, DOTS ".Method.func1.2"}}},
    {"net/http.(*conn).serve", "serve", {{21, DOTS "/http.(*conn).serve"}}},
    {"github.com/user/repo/pkg.Map[go.shape.int,go.shape.string]",
     "Map",
     {{57, "github.com/user/repo/pkg.Map[" DOTS "]"}, {13, DOTS "/pkg.Map"}}},
    /* D, OCaml, Java. */
    {"std.stdio.writeln!(int).writeln(int)",
     "writeln",
     {{35, "std.stdio.writeln!(int).writeln(" DOTS ")"},
      {32, "std.stdio.writeln!(" DOTS ").writeln(" DOTS ")"}}},
    {"Stdlib.List.fold_left", "fold_left", {{20, DOTS ".List.fold_left"}}},
    {"java.util.concurrent.ThreadPoolExecutor.runWorker(java.lang.Object)",
     "runWorker",
     {{66, "java.util.concurrent.ThreadPoolExecutor.runWorker(" DOTS ")"},
      {40, DOTS ".ThreadPoolExecutor.runWorker"}}},
    {"Lcom/example/Foo;::method", "method", {{24, DOTS "::method"}}},
    /* Scripts: the place is less than the name, and its directories are least. */
    {"JS:*fib /home/user/project/fib.js:1:13",
     "JS:*fib",
     {{37, "JS:*fib fib.js:1:13"}, {9, "JS:*fib"}}},
    {"Function:^run node:internal/modules/run_main:12:1",
     "Function:^run",
     {{40, "Function:^run run_main:12:1"}}},
    {"py::fibonacci:/home/user/project/fib.py",
     "fibonacci",
     {{38, "py::fibonacci:fib.py"}, {14, "fibonacci"}}},
    {"py::<module>:/home/user/project/fib.py", "<module>", {{37, "py::<module>:fib.py"}}},
    /* Nothing is known of what is in these. */
    {"-[NSString stringByAppendingString:withOptions:]",
     "-[NSString stringByAppendingString:withOptions:]",
     {{20, "-[NSString stringByAppendingString:withOptions:]"}}},
    {"liblzma.so.5.4.1+0xcf40", "", {{20, "liblzm" DOTS ".5.4.1+0xcf40"}}},
    {"long_function._omp_fn.0",
     "long_function._omp_fn.0",
     {{20, "long_function._omp_fn.0"}}},
    {"$s4main6SorterV3runyyF",
     "$s4main6SorterV3runyyF",
     {{18, "$s4main6SorterV3runyyF"}}},
    {"[no symbol]", "", {{11, "[no symbol]"}}},
    /* Brackets that do not match. */
    {"a_function>>>>>>>>>>", "a_function>>>>>>>>>>", {{12, "a_function>>>>>>>>>>"}}},
    {"((((((((((((((((", "((((((((((((((((", {{8, "(((((((((((((((("}}},
    {"))))))))))))))))", "))))))))))))))))", {{8, "))))))))))))))))"}}},
    {"a<b::c(d>::e", "a<b::c(d>::e", {{8, "a<b::c(d>::e"}}},
    {"a::", "a::", {{2, "a::"}}},
};

/* OWN_MOST: how many columns a function's own name takes at most. */
enum { N_NAMES = sizeof(names) / sizeof(names[0]), OWN_MOST = 256 };

static struct text shorten(const char *name, size_t size, size_t width)
{
    struct text text = {NULL, 0, 0};
    size_t columns = names_add(&text, name, size, width);

    /* Assertions that hold take long, too. Own names may be longer than a column. */
    if (columns != names_columns(text.data, text.size) ||
        columns > (width > OWN_MOST ? width : OWN_MOST) ||
        quote_count_utf8(text.data, text.size) != text.size)
        cr_assert_fail("%.*s in %zu: %zu columns", (int)size, name, width, columns);
    text_char(&text, '\0');
    return text;
}

POOLED_TEST(function_name, loses_what_says_least)
{
    for (size_t i = 0; i < N_NAMES; i++) {
        const struct name *name = &names[i];

        for (size_t j = 0; j < 7 && name->shown[j].width > 0; j++) {
            struct text text =
                shorten(name->name, strlen(name->name), name->shown[j].width);

            cr_expect_str_eq(text.data, name->shown[j].expected, "%s in %zu: %s, not %s",
                             name->name, name->shown[j].width, text.data,
                             name->shown[j].expected);
        }
    }
}

/* Names, and the remarks that tell them apart in some columns. */
enum { ALIKE_MAX = 4 };
static const struct {
    size_t width;
    const char *names[ALIKE_MAX];
    const char *remarks[ALIKE_MAX];
} alike[] = {
    /* One that fits looks like no other. */
    {12,
     {"sort<int>()", "sort<char*>(long, int)", "sort<char>(long, int)",
      "sort<char*>(long, int)"},
     {"", " [char*]", " [char]", " [char*]"}},
    {4, {"f(int)", "f(char)", "f(int)", "g(int)"}, {" [int]", " [char]", " [int]", ""}},
    {1, {"f(int)", "f()", "", ""}, {" [int]", " [()]", "", ""}},
    {9,
     {"a::map<int, std::string>::find(int)", "a::map<int, long>::find(int)",
      "a::map<char, long>::find(int)", "b::map<char, long>::find(char)"},
     {" [a, std]", " [a, long]", " [a, char]", " [b]"}},
    {80, {"f(int)", "f(long)", "", ""}, {"", "", "", ""}},
    {13,
     {"<Map<(&a::Key, u8)>>::find", "<Map<b::Key>>::find", "<Map<&c::Key>>::find", ""},
     {" [a]", " [b]", " [c]", ""}},
    {1, {"ab", "ac", "", ""}, {"", "", "", ""}},
};

POOLED_TEST(function_name, is_told_apart_from_those_that_would_look_alike)
{
    for (size_t i = 0; i < sizeof(alike) / sizeof(alike[0]); i++) {
        struct string given[ALIKE_MAX];
        struct text remarks[ALIKE_MAX] = {{NULL, 0, 0}};

        for (size_t k = 0; k < ALIKE_MAX; k++)
            given[k] = string_from(alike[i].names[k]);
        names_tell_apart(given, ALIKE_MAX, alike[i].width, remarks);
        for (size_t k = 0; k < ALIKE_MAX; k++) {
            text_char(&remarks[k], '\0');
            cr_expect_str_eq(remarks[k].data, alike[i].remarks[k], "%s: %s",
                             alike[i].names[k], remarks[k].data);
        }
    }
}

POOLED_TEST(function_name, keeps_the_own_name)
{
    for (size_t i = 0; i < N_NAMES; i++) {
        for (size_t width = 1; width <= 200; width++) {
            struct text text = shorten(names[i].name, strlen(names[i].name), width);

            cr_expect(strstr(text.data, names[i].own) != NULL ||
                          width >= strlen(names[i].name) ||
                          strstr(text.data, "#1}") != NULL,
                      "%s in %zu: %s", names[i].name, width, text.data);
            /* A bracket may follow it. */
            cr_expect(names_columns(text.data, text.size - 1) <= width ||
                          width <= strlen(names[i].own),
                      "%s is too long for %zu: %s", names[i].name, width, text.data);
        }
    }
}

POOLED_TEST(function_name, is_whole_where_it_fits)
{
    for (size_t i = 0; i < N_NAMES; i++) {
        struct text text = shorten(names[i].name, strlen(names[i].name), NAMES_ANY_WIDTH);

        cr_expect_str_eq(text.data, names[i].name);
    }
}

POOLED_TEST(function_name, of_any_length_is_shortened_at_once)
{
    static const char *const pieces[] = {"<(x)>", "(",         "a::",       "<", "a<",
                                         "::{",   "a<b(c)>::", "operator<", ")", " ",
                                         "f()::", "a.b/",      "<a::b>"};
    enum { SIZE = 1 << 20 };

    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
        struct text name = {NULL, 0, 0};

        while (name.size < SIZE)
            text_str(&name, pieces[i]);
        shorten(name.data, name.size, 40);
    }
}

/* Sequences of what means something. */
POOLED_TEST(function_name, may_be_anything)
{
    static const char *const pieces[] = {
        "a",        ":",      "::",      ".",        "<",       ">",      "(",
        ")",        "{",      "}",       "[",        "]",       " ",      "/",
        "->",       "&",      "!",       "operator", "{lambda", "#1",     "b,",
        "py::",     " const", "::_FUN",  "func1",    "[abi:",   "<impl ", "::operator()",
        "decltype", " for ",  "\xc3\xa9"};
    enum { N = sizeof(pieces) / sizeof(pieces[0]), ROUNDS = 300000 };
    unsigned random = 1;

    for (int round = 0; round < ROUNDS; round++) {
        struct text name = {NULL, 0, 0};
        struct text text;

        for (int i = 0; i < 1 + round % 12; i++) {
            random = random * 1103515245 + 12345;
            text_str(&name, pieces[(random >> 16) % N]);
        }
        text = shorten(name.data, name.size, 1 + (size_t)round % 20);
        text_free(&name);
        text_free(&text);
    }
}
