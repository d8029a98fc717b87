/* SPDX-License-Identifier: BSD-2-Clause */
/* Mangled names to readable ones; names that are traps. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/pooled.h"
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
}

static void assert_stays(const char *name)
{
    struct text text = {NULL, 0, 0};

    text_str(&text, "kept");
    cr_assert_not(demangle(&text, name), "%.100s", name);
    cr_assert_eq(text.size, 4);
}

POOLED_TEST(demangle, names_of_all_manglings_become_readable)
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

POOLED_TEST(demangle, names_of_d_become_readable)
{
    if (!has_demangler())
        cr_skip_test("built without libiberty");
    assert_becomes("_D3std5stdio__T7writelnTiZQlFNfiZv",
                   "keptstd.stdio.writeln!(int).writeln(int)");
    assert_becomes("_Dmain", "keptD main");
    assert_becomes("_D4core8internal2gc4impl12conservativeQw3Gcx9allocPageMFNbEQCfQCdQBx"
                   "QBxQBvQCg4BinsZPSQDfQDdQCxQCxQCvQDg4List",
                   "keptcore.internal.gc.impl.conservative.gc.Gcx.allocPage("
                   "core.internal.gc.impl.conservative.gc.Bins)");
}

POOLED_TEST(demangle, copies_have_the_name_of_their_function)
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

POOLED_TEST(demangle, names_of_ocaml_are_paths)
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
POOLED_TEST(demangle, names_of_ocaml_with_dollars_are_paths)
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

/* Symbols that Swift's compiler made, and what its demangler calls them without types. */
static const char *const swift_names[][2] = {
    {"$s4main6SorterV3runyyF", "main.Sorter.run()"},
    {"_$s4main6SorterV3runyyF.cold", "main.Sorter.run()"},
    {"_$S8mangling14varargsVsArray3arr1nySid_SStF", "mangling.varargsVsArray(arr:n:)"},
    {"_$S4test6testitySiyt_tF", "test.testit(_:)"},
    {"$s8mangling12curry3ThrowsyyKcyKF", "mangling.curry3Throws()"},
    {"$s8mangling12two_protocolyyAA3Bar_AA3FoopF", "mangling.two_protocol(_:)"},
    {"$s8mangling14uses_optionals1xs7UnicodeO6ScalarVSgSiSg_tF",
     "mangling.uses_optionals(x:)"},
    {"$s8mangling12GenericUnionO3FooyACyxGSicAEmlF", "mangling.GenericUnion.Foo(_:)"},
    {"$s8mangling3ZimC4zungyyqd___xtlF", "mangling.Zim.zung(_:_:)"},
    {"$s8mangling4fooByyxAA12HasAssocTypeRzAA0D4Reqt0D0RpzlF", "mangling.fooB(_:)"},
    {"$s4test3fooV4blahyAA1SV1fQryFQOy_Qo_AHF", "test.foo.blah(_:)"},
    {"$s20mangling_retroactive5test0yyAA1ZVy12RetroactiveB1XVSiAE1YVAG0D1A1PAAyHCg_"
     "AiJ1QHPyHCg1_GF",
     "mangling_retroactive.test0(_:)"},
    {"$s3red4testyAA7OurTypeOy4them05TheirD0Vy5AssocQzGAjE0F8ProtocolAAxAA0c7DerivedH0HD1"
     "_"
     "AA0c4BaseH0HI1_AieKHA2__HCg_GxmAaLRzlF",
     "red.test(_:)"},
    {"_$"
     "Ss17MutableCollectionP1asAARzs012RandomAccessB0RzsAA11SubSequences013BidirectionalB"
     "0"
     "PRpzsAdHRQlE06rotatecD015shiftingToStart5Indexs01_A9IndexablePQzAN_tFAKs01_"
     "M4BasePQzAQ"
     "cfU_",
     "closure #1 in Swift.MutableCollection.rotateRandomAccess(shiftingToStart:)"},
    /* Operators, static members and extensions. */
    {"$s8mangling2psoPyyx1a_x1bt_tlF", "mangling.+- postfix(_:)"},
    {"$s8mangling2psopyyxlF", "mangling.+- prefix(_:)"},
    {"_$Ss10DictionaryV3t17E6Index2V1loiySbAEyxq__G_AGtFZ",
     "static Swift.Dictionary.Index2.< infix(_:_:)"},
    {"_$S10Foundation11MeasurementV12SimulatorKitSo9UnitAngleCRszlE11OrientationO2eeoi"
     "ySbAcDEAGOyAF_G_AKtFZ",
     "static Foundation.Measurement.Orientation.== infix(_:_:)"},
    {"$sST24CollectionConcurrencyKitE17concurrentForEach12withPriority_yScPSg_y7ElementQz"
     "YaKctYaKF",
     "Swift.Sequence.concurrentForEach(withPriority:_:)"},
    /* Constructors, destructors, variables and subscripts. */
    {"$s4test3StrCACycfC", "test.Str.__allocating_init()"},
    {"_$S4main4TestC1xACSi_tc6_PRIV_Llfc", "main.Test.init(x:)"},
    {"$s4Yams3TagCfd", "Yams.Tag.deinit"},
    {"$s4Yams3TagCfD", "Yams.Tag.__deallocating_deinit"},
    {"$s4main1gyySiXCvp", "main.g"},
    {"$s4Yams3TagC4NameV3intAEvau", "Yams.Tag.Name.int.unsafeMutableAddressor"},
    {"$s4Yams4NodeO8SequenceVyACSicig", "Yams.Node.Sequence.subscript.getter"},
    {"$s4Yams4NodeOyACSgACciM.resume.0", "Yams.Node.subscript.modify.resume.0"},
    {"$s8mangling24InstanceAndClassPropertyV8propertySivsZ",
     "static mangling.InstanceAndClassProperty.property.setter"},
    {"$s17property_wrappers10WithTuplesV9fractionsSd_S2dtvpfP",
     "property wrapper backing initializer of property_wrappers.WithTuples.fractions"},
    {"$s11CryptoSwift6primes_WZ",
     "one-time initialization function for CryptoSwift.primes"},
    {"$s11SwiftParser5LexerO6CursorV4peek2ats5UInt8VSgSi_tFfA_",
     "default argument 0 of SwiftParser.Lexer.Cursor.peek(at:)"},
    /* What is local to functions. */
    {"$s8mangling10HasVarInitV5stateSbvpZfiSbyKXKfu_",
     "implicit closure #1 in variable initialization expression of static "
     "mangling.HasVarInit.state"},
    {"$sSa13SwiftLintCoreE11parallelMap9transformSayqd__Gqd__xXE_tlFADSryqd__SgGzXEfU_"
     "qd__AEXEfU0_",
     "closure #2 in closure #1 in Swift.Array.parallelMap(transform:)"},
    {"$ss15ContiguousArrayV30withUnsafeMutableBufferPointeryqd__qd__SryxGzKXEKlF6$deferL_"
     "yyr__lF",
     "$defer #1() in Swift.ContiguousArray.withUnsafeMutableBufferPointer(_:)"},
    {"$s14SwiftOperators13OperatorTableV13addSourceFile_12errorHandlery0A6Syntax0fgJ0V_y"
     "AA0C5ErrorOKXEtKF0C15AndGroupVisitorL_C8visitAnyyAF0jN12ContinueKindOAF0J0VF",
     "visitAny(_:) in OperatorAndGroupVisitor #1 in "
     "SwiftOperators.OperatorTable.addSourceFile(_:errorHandler:)"},
    {"$s11CryptoSwift10addPadding33_B13760B67F74EDA1901BCF8168C3A85ALL_"
     "9blockSizeSays5UInt8V"
     "GAG_SitF",
     "CryptoSwift.addPadding(_:blockSize:)"},
    /* What compilers make of functions. */
    {"_$s3foo3barC3bas3zimyAaEC_tFTo", "@objc foo.bar.bas(zim:)"},
    {"$sSo17OS_dispatch_queueC4sync7executeyyyXE_tFTOTA",
     "partial apply for @nonobjc __C.OS_dispatch_queue.sync(execute:)"},
    {"_$SSC3fooyS2d_SdtFTO", "@nonobjc __C_Synthesized.foo(_:_:)"},
    {"_$S4main5inneryys5Int32Vz_yADctF25closure_with_box_argumentxz_Bi32__lXXTf1nc_n",
     "specialized main.inner(_:_:)"},
    {"_$S3foo6testityyyyc_yyctF1a1bTf3pfpf_n", "specialized foo.testit(_:_:)"},
    {"$s10Foundation19NSRegularExpressionC13SwiftLintCoreE6cached7pattern7optionsACSS_AC7"
     "OptionsVSgtKFZTf4nnd_n",
     "specialized static Foundation.NSRegularExpression.cached(pattern:options:)"},
    {"$s11Supercharge2AXO7ElementPAAE8elements33_"
     "35EDDAA799FBB5B74D2F426690B0D99DLL3for2as"
     "Sayqd__GSo28NSAccessibilityAttributeNamea_qd__mtSo7AXErrorVYKAcDRd__lFAC3AppC_"
     "AC6Window"
     "CTgm5",
     "specialized Supercharge.AX.Element.elements(for:as:)"},
    {"$s9swiftlint9SwiftLintV0C0V3runyyYaKFTY0_",
     "(1) suspend resume partial function for swiftlint.SwiftLint.Lint.run()"},
    {"$s4Yams3TagCSQAASQ2eeoiySbx_xtFZTW",
     "protocol witness for static Swift.Equatable.== infix(_:_:) in conformance "
     "Yams.Tag"},
    {"$s4Yams25_UnkeyedEncodingContainer33_"
     "F5F7DB7F114570D28772A4EBA170F37DLLVs0bcD0AAsAEP17"
     "encodeConditionalyyqd__KRld__CSERd__lFTW",
     "protocol witness for Swift.UnkeyedEncodingContainer.encodeConditional(_:) in "
     "conformance Yams._UnkeyedEncodingContainer"},
    {"$sSTsE10compactMapySayqd__Gqd__Sg7ElementQzKXEKlF4Yams4NodeO8SequenceV_yp_yptTg505$"
     "s"
     "Sa4d35E14construct_omap4fromSayyp_yptGAA4e2O8f8V_tFZyp_L9SgAFXEfU_AJTf1cn_nTf4xgX_"
     "nTm",
     "merged specialized Swift.Sequence.compactMap(_:)"},
    {"$s4Yams3TagCMa", "type metadata accessor for Yams.Tag"},
    {"$s4Yams4NodeOWOrTm", "merged outlined retain of Yams.Node"},
};

enum { N_SWIFT_NAMES = sizeof(swift_names) / sizeof(swift_names[0]) };

POOLED_TEST(demangle, names_of_swift_are_paths_with_labels)
{
    char expected[200];

    for (size_t i = 0; i < N_SWIFT_NAMES; i++) {
        snprintf(expected, sizeof(expected), "kept%s", swift_names[i][1]);
        assert_becomes(swift_names[i][0], expected);
    }
}

/* Types, data, names in Punycode, and what other versions or no compiler makes. */
POOLED_TEST(demangle, names_of_swift_that_are_not_understood_stay)
{
    static const char *const names[] = {
        "$s",
        "_$s",
        "$",
        "$S4mainX3runyyF",
        "$s8mangling0022egbpdajGbuEbxfgehfvwxnyyF",
        "$S4blah8PatatinoaySiGD",
        "$SSiSHsWP",
        "$sxq_Ifgnr_D",
        "$syQo",
        "$sSD5IndexVy__GD",
        "$SSC9SomeErrorLeVD",
        "$s7example1fyyYF",
        "$s4main6testityyYFTu",
        "$sx1td_t",
        "$s18keypaths_inlinable13KeypathStructV8computedSSvpACTKq",
        "$s4main6SorterV",
        "$S28protocol_conformance_records15NativeValueTypeVAA8RuncibleAAMc",
        "$sTA.123",
        "$s4main0dE",
        "$s99999999999999999999main",
        "$s4main3runyyFW",
        "$s4mainAZ",
        "$s4mainA",
        "$s4main3runyyFTf4p",
        "$s4main3runyyF3run",
        "$s4main1Ioiyyyt_tF",
        "$s4main2ppoxyyF",

        "$sSk3runyyF_",
        "$s4main3runySclF",
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        assert_stays(names[i]);
}

/* Names that end early, or have other letters. */
POOLED_TEST(demangle, names_of_swift_with_errors_do_no_harm)
{
    static const char letters[] =
        "ABCDEFGHIKLMNOPQRSTVWXYZacdfghilmnopqrstuvxyz_0123456789";
    char name[400];

    srand(4);
    for (int round = 0; round < 30000; round++) {
        const char *whole = swift_names[rand() % N_SWIFT_NAMES][0];
        size_t size = strlen(whole);
        struct text text = {NULL, 0, 0};

        memcpy(name, whole, size + 1);
        for (int errors = rand() % 3; errors >= 0; errors--)
            name[3 + (size_t)rand() % (size - 3)] =
                letters[(size_t)rand() % (sizeof(letters) - 1)];
        if (round % 4 == 0)
            name[(size_t)rand() % size] = '\0';
        demangle(&text, name);
        text_free(&text);
    }
}

/* More nodes, references, words or text than are kept, or a longer name. */
POOLED_TEST(demangle, names_of_swift_without_end_stay)
{
    static const char *const pieces[] = {"y",       "A9a",           "3fooV", "01aB0V",
                                         "yyyyycF", "3fooyyFyycfU_", "_",     "Sg"};

    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
        for (size_t length = 1000; length < 10000; length *= 2) {
            struct text name = {NULL, 0, 0};

            text_str(&name, "$s4main3FooV");
            while (name.size < length)
                text_str(&name, pieces[i]);
            text_str(&name, "3runyyF");
            text_char(&name, '\0');
            if (strcmp(pieces[i], "3fooV") != 0)
                assert_stays(name.data);
        }
    }
}

POOLED_TEST(demangle, names_of_rust_are_recognised)
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

POOLED_TEST(demangle, other_names_stay)
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

/* a.f(int[int], ...), where keys and values are what is before: the same in D. */
static void name_doubling_in_d(struct text *name, int times)
{
    name->size = 0;
    text_str(name, "_D1a1fFiHQcQe");
    for (int i = 1; i < times; i++)
        text_str(name, "HQgQi");
    text_str(name, "Zv");
    text_char(name, '\0');
}

POOLED_TEST(demangle, names_that_stand_for_endless_ones_stay)
{
    struct text name = {NULL, 0, 0};

    if (!has_demangler())
        cr_skip_test("built without libiberty");
    name_doubling(&name, 1);
    assert_becomes(name.data, "keptf(std::pair<int, int>, std::pair<std::pair<int, int>, "
                              "std::pair<int, int> >)");
    name_doubling(&name, 36);
    assert_stays(name.data);
    name_doubling_in_d(&name, 2);
    assert_becomes(name.data, "kepta.f(int, int[int], int[int][int[int]])");
    name_doubling_in_d(&name, 32);
    assert_stays(name.data);
}

POOLED_TEST(demangle, names_of_any_bytes_do_no_harm)
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
POOLED_TEST(demangle, names_that_are_deep_or_long_do_no_harm)
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
    }
}
