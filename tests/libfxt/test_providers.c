/* SPDX-License-Identifier: BSD-2-Clause */
/* Whose strings, threads and clock rate hold when: providers, sections, redefinitions,
 * and what damage leaves of them. */
#include "tests/support/harness.h"

#include <stdio.h>

#include "tests/support/pieces.h"
#include "script.h"

/* What a provider's info and section look like as items. */
#define INFO(id, size, name) H(AT(16, 1) | AT(20, id) | AT(52, size)), S(name)
#define SECTION(id) H(AT(16, 2) | AT(20, id))
#define RATE(ticks) H(1), W(ticks)
#define STRING(index, size, text) H(2 | AT(16, index) | AT(32, size)), S(text)
#define THREAD(index, process, thread) H(3 | AT(16, index)), W(process), W(thread)

struct scene {
    const char *name;
    const char *said;
    struct fxt_reader_options options;
    struct item items[40];
};

static void play(const struct scene *scene)
{
    struct script s = script_start(scene->options);
    enum fxt_code code;

    s.log->meaning = true;
    code = script_read(&s, scene->items);
    CHECK(code == FXT_OK, "%s: %s", scene->name, fxt_code_name(code));
    CHECK(script_finish(&s) == FXT_OK, "%s", scene->name);
    script_end(&s, scene->said);
}

#define PLAY(scenes)                                                                     \
    for (size_t i = 0; i < sizeof(scenes) / sizeof((scenes)[0]); i++)                    \
        play(&(scenes)[i]);

static const struct scene sections[] = {
    {"each provider has separate tables and a separate rate",
     "1 named one rate 5: abc; 1 named one rate 5: 8/9; "
     "2 named two rate 6: def; 2 named two rate 6: 10/11; "
     "1 named one rate 5: abc; 1 named one rate 5: 8/9; "
     "0 named  rate 1000000000: ghi; warning thread_unknown @256; "
     "0 named  rate 1000000000: ?; ",
     {.stream = FXT_STREAM_ARCHIVE},
     {STRING(1, 3, "ghi"), INFO(1, 3, "one"), RATE(5), STRING_1, THREAD_1, USE,
      INFO(2, 3, "two"), RATE(6), STRING(1, 3, "def"), THREAD(1, 10, 11), USE, SECTION(1),
      USE, SECTION(0), USE}},
    {"a section of an unknown provider starts one",
     "warning provider_unknown @0; warning string_unknown @8; 4294967295 named  rate 3: "
     "?; "
     "warning thread_unknown @16; 4294967295 named  rate 3: ?; "
     "0 named  rate 3: abc; 0 named  rate 3: 8/9; "
     "4294967295 named  rate 4: def; 4294967295 named  rate 4: 10/11; ",
     {.stream = FXT_STREAM_ARCHIVE, .ticks_per_second = 3},
     {SECTION(0xffffffff), USE, RATE(4), STRING(1, 3, "def"), THREAD(1, 10, 11),
      SECTION(0), STRING_1, THREAD_1, USE, SECTION(0xffffffff), USE}},
    {"a provider introduced again keeps what it has but its name",
     "1 named one rate 5: abc; 1 named one rate 5: 8/9; "
     "1 named uno rate 5: abc; 1 named uno rate 5: 8/9; ",
     {.stream = FXT_STREAM_ARCHIVE},
     {INFO(1, 3, "one"), RATE(5), STRING_1, THREAD_1, USE, INFO(1, 3, "uno"), USE}},
    {"provider 0 can be introduced",
     "0 named zero rate 1000000000: abc; 0 named zero rate 1000000000: 8/9; ",
     {.stream = FXT_STREAM_ARCHIVE},
     {STRING_1, THREAD_1, INFO(0, 4, "zero"), USE}},
    {"a provider's event switches nothing",
     "1 named one rate 1000000000: abc; 1 named one rate 1000000000: 8/9; ",
     {.stream = FXT_STREAM_ARCHIVE},
     {INFO(2, 3, "two"), INFO(1, 3, "one"), STRING_1, THREAD_1, H(AT(16, 3) | AT(20, 2)),
      USE}},
    {"a damaged introduction makes its provider current",
     "error string_overrun @40+8; warning string_unknown @48; "
     "2 named  rate 1000000000: ?; warning thread_unknown @56; "
     "2 named  rate 1000000000: ?; ",
     {.stream = FXT_STREAM_ARCHIVE},
     {STRING_1, THREAD_1, H(AT(16, 1) | AT(20, 2) | AT(52, 9)), USE}},
};

TEST(providers, sections_switch_tables_rates_and_names)
{
    PLAY(sections)
}

static const struct scene registrations[] = {
    {"a damaged registration leaves nothing rather than something old",
     "error string_overrun @40+8; error record_short @48+16; "
     "warning string_unknown @64; 0 named  rate 1000000000: ?; "
     "warning thread_unknown @72; 0 named  rate 1000000000: ?; ",
     {.stream = FXT_STREAM_ARCHIVE},
     {STRING_1, THREAD_1, H(2 | AT(16, 1) | AT(32, 9)), H(3 | AT(16, 1)), W(1), USE}},
    {"so does one that is too large to read",
     "error too_large @40+40; error too_large @80+40; "
     "warning string_unknown @120; 0 named  rate 1000000000: ?; "
     "warning thread_unknown @128; 0 named  rate 1000000000: ?; ",
     {.stream = FXT_STREAM_ARCHIVE, .max_record_bytes = 32},
     {STRING_1, THREAD_1, H(2 | AT(16, 1) | AT(32, 32)), Z(4), H(3 | AT(16, 1)), Z(4),
      USE}},
    {"an introduction that is too large makes its provider current",
     "error too_large @40+48; warning string_unknown @88; 2 named  rate 1000000000: ?; "
     "warning thread_unknown @96; 2 named  rate 1000000000: ?; ",
     {.stream = FXT_STREAM_ARCHIVE, .max_record_bytes = 32},
     {STRING_1, THREAD_1, H(AT(16, 1) | AT(20, 2) | AT(52, 40)), Z(5), USE}},
    {"damaged registrations of what was never there change nothing",
     "error string_overrun @0+8; error record_short @8+8; error string_overrun @16+8; "
     "error record_short @24+8; 0 named  rate 1000000000: abc; "
     "0 named  rate 1000000000: 8/9; ",
     {.stream = FXT_STREAM_ARCHIVE},
     {H(2 | AT(16, 0x7fff) | AT(32, 9)), H(3 | AT(16, 255)), H(2 | AT(32, 9)), H(3), E,
      STRING_1, THREAD_1, USE}},
    {"a damaged initialization leaves the rate as it is",
     "error ticks_zero @32+16; error record_short @48+8; 0 named  rate 5: ; ",
     {.stream = FXT_STREAM_ARCHIVE},
     {W(MAGIC), RATE(5), W(0x10 | AT(16, 2)), RATE(0), H(1), H(5)}},
};

TEST(providers, what_cannot_be_read_is_not_what_was_before)
{
    PLAY(registrations)
}

/* ---- many ---- */

/* Ids that have much in common must not share anything, nor take long to find: a
 * thousand, of which each registers its own string, is asked for it later. */
static void check_many(unsigned shift)
{
    enum { MANY = 1000 };
    struct script s =
        script_start((struct fxt_reader_options){.stream = FXT_STREAM_ARCHIVE});
    struct words w = {0};
    struct show expected = {0};
    char name[16];

    for (uint32_t i = 1; i <= MANY; i++) {
        snprintf(name, sizeof(name), "%u", i);
        put_provider_info(&w, i << shift, name);
        put_string_record(&w, 1, name);
    }
    for (uint32_t i = MANY; i > 0; i--) {
        put_section(&w, i << shift);
        put_plain(&w, 5 | AT(16, 1), 0);
        show_format(&expected, "%u named %u rate 1000000000: %u; ", i << shift, i, i);
    }
    s.log->meaning = true;
    CHECK(script_push(&s, &w) == FXT_OK, "shift %u", shift);
    script_end(&s, show_take(&expected));
    show_free(&expected);
    words_free(&w);
}

TEST(providers, a_thousand_are_kept_apart_whichever_bits_of_their_ids_differ)
{
    for (unsigned shift = 0; shift <= 22; shift++)
        check_many(shift);
}
