/* SPDX-License-Identifier: BSD-2-Clause */
/* Mangled names to readable ones; names that are traps. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "libfxtprofile/symbols/demangle.h"

static bool has_demangler(void)
{
    const char *has = getenv("HAS_LIBIBERTY");

    return has != NULL && strcmp(has, "1") == 0;
}

static void assert_becomes(const char *mangled, const char *expected)
{
    struct text text = {NULL, 0, 0};

    text_str(&text, "kept");
    cr_assert(demangle(&text, mangled), "%s", mangled);
    text_char(&text, '\0');
    cr_assert_str_eq(text.data, expected);
    text_free(&text);
}

static void assert_stays(const char *name)
{
    struct text text = {NULL, 0, 0};

    text_str(&text, "kept");
    cr_assert_not(demangle(&text, name), "%.100s", name);
    cr_assert_eq(text.size, 4);
    text_free(&text);
}

Test(demangle, names_of_all_manglings_become_readable)
{
    if (!has_demangler())
        cr_skip_test("built without libiberty");
    assert_becomes("_ZNK5outer3boxIdE6scaledEi",
                   "keptouter::box<double>::scaled(int) const");
    assert_becomes("_ZN12_GLOBAL__N_16hiddenEi",
                   "kept(anonymous namespace)::hidden(int)");
    assert_becomes("_Z3addii.cold", "keptadd(int, int)");
    assert_becomes("_Z3addii.constprop.0.isra.1@plt", "keptadd(int, int)@plt");
    assert_becomes("_Z3addii._omp_fn.0", "keptadd(int, int) [clone ._omp_fn.0]");
    assert_becomes("_GLOBAL__sub_I__ZN3box3topE",
                   "keptglobal constructors keyed to box::top");
    /* Rust as it was, whose hash is left out, and as it is. */
    assert_becomes("_ZN4core3fmt5write17h0123456789abcdefE", "keptcore::fmt::write");
    assert_becomes("_ZN4core3fmt5write17h0123456789abcdefE.llvm.123",
                   "keptcore::fmt::write");
    assert_becomes("_RNvNtNtCs4Eie9HseCeL_8anstream7adapter5strip10next_bytes",
                   "keptanstream::adapter::strip::next_bytes");
}

Test(demangle, names_of_d_become_readable)
{
    if (!has_demangler())
        cr_skip_test("built without libiberty");
    assert_becomes("_D3std5stdio__T7writelnTiZQlFNfiZv",
                   "keptstd.stdio.writeln!(int).writeln(int)");
    assert_becomes("_Dmain", "keptD main");
}

Test(demangle, copies_have_the_name_of_their_function)
{
    assert_becomes("work.isra.0", "keptwork");
    assert_becomes("work.constprop.0.isra.0", "keptwork");
    assert_becomes("work.part.3.cold", "keptwork");
    assert_becomes("work.cold.1", "keptwork");
    assert_becomes("work.llvm.1234567", "keptwork");
    assert_becomes("work.lto_priv.0", "keptwork");
    assert_becomes("work.cold@plt", "keptwork@plt");
    assert_becomes("_GLOBAL__sub_I_main.cold", "keptglobal constructors keyed to main");
    assert_becomes("_GLOBAL__sub_D_main", "keptglobal destructors keyed to main");
}

Test(demangle, names_of_ocaml_are_paths)
{
    assert_becomes("camlStdlib__List__map_123", "keptStdlib.List.map");
    assert_becomes("camlStdlib__List.map_123", "keptStdlib.List.map");
    assert_becomes("camlDune__exe__Main__entry", "keptDune.exe.Main.entry");
    assert_becomes("camlStdlib__bytes__$2b$2b_2205", "keptStdlib.bytes.++");
    assert_becomes("camlStdlib__anon_fn$5bstdlib.ml$3a334$2c0$2d$2d54$5d_1453",
                   "keptStdlib.anon_fn[stdlib.ml:334,0--54]");
    assert_becomes("camlMain.caf$c3$a9_7", "keptMain.caf\xc3\xa9");
    /* Only the number tells these apart. */
    assert_becomes("camlMain__fun_456", "keptMain.fun_456");
    assert_becomes("camlMain$fun_456", "keptMain.fun_456");
}

/* What begins with letters that are hex digits is no code. */
Test(demangle, names_of_ocaml_with_dollars_are_paths)
{
    assert_becomes("camlStdlib__List$map_123", "keptStdlib.List.map");
    assert_becomes("camlFib$fact_12", "keptFib.fact");
    assert_becomes("camlFib$add_3", "keptFib.add");
    assert_becomes("camlMain$Inner$be_4", "keptMain.Inner.be");
    assert_becomes("camlMain$entry", "keptMain.entry");
    assert_becomes("camlStdlib$List$$$2b$$2b_12", "keptStdlib.List.++");
    assert_becomes("camlMain$anon_fn$$5bmain.ml$$3a3$$2c0$$2d$$2d5$$5d_9",
                   "keptMain.anon_fn[main.ml:3,0--5]");
    assert_becomes("camlMain$caf$$c3$$a9_7", "keptMain.caf\xc3\xa9");
    assert_becomes("camlMain$f$", "keptMain.f.");
}

Test(demangle, names_of_rust_are_recognised)
{
    cr_assert(demangle_is_rust("_RNvC6mycrate3foo"));
    cr_assert(demangle_is_rust("_ZN4core3fmt5write17h0123456789abcdefE"));
    cr_assert(demangle_is_rust("_ZN4core3fmt5write17h0123456789abcdefE.llvm.123"));
    cr_assert(!demangle_is_rust("_ZN4core3fmt5writeE"));
    cr_assert(!demangle_is_rust("_ZN4core3fmt5write17h0123456789abcdegE"));
    cr_assert(!demangle_is_rust("_ZN17h0123456789abcdefEv"));
    cr_assert(!demangle_is_rust("_ZNE"));
    cr_assert(!demangle_is_rust("helper"));
    cr_assert(!demangle_is_rust(""));
}

Test(demangle, other_names_stay)
{
    assert_stays("");
    assert_stays("_");
    assert_stays("main");
    assert_stays("_Z");
    assert_stays("_ZN");
    assert_stays("_R");
    assert_stays("_Zzzzz");
    assert_stays("_RNv");
    assert_stays("_D1");
    assert_stays("$s4main6SorterV3runyyF");
    assert_stays("caml_alloc_small");
    assert_stays("camlMain");
    assert_stays("main._omp_fn.0");
    assert_stays(".cold");
    assert_stays("work.0");
    assert_stays("a.b.c");
    assert_stays("runtime.cold.path");
    assert_stays("_GLOBAL__sub_I_");
}

/* f(pair<int, int>, pair<the last, the last>, ...): each is twice as long as the one
 * before. */
static void name_doubling(struct text *name, int times)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

    name->size = 0;
    text_str(name, "_Z1fSt4pairIiiE");
    for (int i = 0; i < times; i++)
        text_printf(name, "S_IS%c_S%c_E", digits[i], digits[i]);
    text_char(name, '\0');
}

Test(demangle, names_that_stand_for_endless_ones_stay)
{
    struct text name = {NULL, 0, 0};

    if (!has_demangler())
        cr_skip_test("built without libiberty");
    name_doubling(&name, 1);
    assert_becomes(name.data, "keptf(std::pair<int, int>, std::pair<std::pair<int, int>, "
                              "std::pair<int, int> >)");
    name_doubling(&name, 36);
    assert_stays(name.data);
    text_free(&name);
}

Test(demangle, names_of_any_bytes_do_no_harm)
{
    static const char letters[] = "NSIEtsabKRPZ_0123456789LpCDvLjBMYFX";
    char name[200];

    srand(3);
    for (int round = 0; round < 200000; round++) {
        size_t size = 2 + (size_t)rand() % 150;
        struct text text = {NULL, 0, 0};

        memcpy(name, round % 2 ? "_Z" : "_R", 2);
        for (size_t i = 2; i < size; i++)
            name[i] = round % 5 == 0 ? (char)(1 + rand() % 255)
                                     : letters[(size_t)rand() % (sizeof(letters) - 1)];
        name[size] = '\0';
        demangle(&text, name);
        text_free(&text);
    }
}

/* As deep as a stack that does not end, or longer than any. */
Test(demangle, names_that_are_deep_or_long_do_no_harm)
{
    static const char *const pieces[] = {"P",   "N",  "RR",  "I", "St4pairI",
                                         "FvP", "B_", "NtT", "L_"};

    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
        struct text name = {NULL, 0, 0};
        struct text text = {NULL, 0, 0};

        for (size_t length = 1000; length < 200000; length *= 4) {
            name.size = 0;
            text_str(&name, i % 2 ? "_RNv" : "_Z1f");
            while (name.size < length)
                text_str(&name, pieces[i]);
            text_char(&name, '\0');
            demangle(&text, name.data);
        }
        text_free(&name);
        text_free(&text);
    }
}
