// SPDX-License-Identifier: BSD-2-Clause
// What the objects of fxt.hpp do: who owns what, where errors go, and inputs of all
// sizes.
//
//     objects DIRECTORY      for its files
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <fxt/fxt.hpp>

static int n_failed;

#define CHECK(condition)                                                                 \
    do {                                                                                 \
        if (!(condition)) {                                                              \
            std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);          \
            n_failed++;                                                                  \
        }                                                                                \
    } while (0)

static fxt_record make_event(std::uint64_t now)
{
    fxt_record made =
        fxt::event(FXT_EVENT_INSTANT, fxt_thread_from(1, 2), "test", "event");

    made.event.timestamp = now;
    return made;
}

static void write_events(fxt::writer &writer, std::uint64_t n)
{
    writer.start_archive(1000000);
    for (std::uint64_t now = 0; now < n; now++)
        writer.write(make_event(now), {fxt::arg("now", now)});
}

// How many events, of which each has the next time and its argument.
static std::uint64_t count_events(fxt::reader &reader)
{
    std::uint64_t n = 0;

    for (fxt::record record : reader) {
        if (record.event() == nullptr)
            continue;
        CHECK(record.time() == n && record.end() == n && record.time_ns() == 1000 * n);
        CHECK(record.value<std::uint64_t>("now") == n);
        CHECK(fxt::text(record.event()->name) == "event");
        n++;
    }
    return n;
}

static void values_come_back_exactly()
{
    const unsigned char raw[] = {0, 1, 255};
    fxt::buffer buffer;
    fxt::writer writer = fxt::writer::append_to(buffer);

    CHECK(writer.write(make_event(1),
                       {fxt::arg("i32", -5), fxt::arg("i64", -(std::int64_t{1} << 62)),
                        fxt::arg("u32", 4000000000u), fxt::arg("u64", ~std::uint64_t{0}),
                        fxt::arg("double", 0.1), fxt::arg("bool", true),
                        fxt::arg("text", "words"), fxt::arg("empty", std::string_view()),
                        fxt::arg("null", nullptr),
                        fxt::arg("blob", fxt::bytes(raw, sizeof(raw))),
                        fxt_arg_koid(fxt::string("koid"), 77)}) == FXT_OK);
    CHECK(writer.finish() == FXT_OK);

    fxt::reader reader = fxt::reader::memory(buffer.data(), buffer.size());
    int n = 0;

    for (fxt::record r : reader) {
        if (r.event() == nullptr)
            continue;
        n++;
        CHECK(r.value<std::int64_t>("i32") == -5);
        CHECK(!r.value<std::uint64_t>("i32"));
        CHECK(r.value<std::int64_t>("i64") == -(std::int64_t{1} << 62));
        CHECK(r.value<std::int64_t>("u32") == 4000000000);
        CHECK(r.value<std::uint64_t>("u64") == ~std::uint64_t{0});
        CHECK(!r.value<std::int64_t>("u64"));
        CHECK(r.value<double>("double") == 0.1);
        CHECK(!r.value<double>("i32"));
        CHECK(r.value<bool>("bool") == true);
        CHECK(!r.value<bool>("i32"));
        CHECK(r.value<std::string_view>("text") == "words");
        CHECK(r.value<std::string_view>("empty") == "");
        CHECK(r.arg("null") != nullptr && r.arg("null")->type == FXT_ARG_NULL);
        CHECK(r.value<fxt::bytes>("blob")->size() == 3);
        CHECK((*r.value<fxt::bytes>("blob"))[2] == 255);
        CHECK(r.value<std::uint64_t>("koid") == 77);
        CHECK(r.arg("other") == nullptr && !r.value<bool>("other"));
    }
    CHECK(n == 1);
}

static void files_of_many_buffers_are_read(const std::string &path)
{
    fxt::writer writer = fxt::writer::create(path.c_str());

    write_events(writer, 50000);
    CHECK(writer.finish() == FXT_OK);

    fxt::reader reader = fxt::reader::open(path.c_str());

    CHECK(count_events(reader) == 50000);
    CHECK(reader.code() == FXT_OK);
    CHECK(reader.offset() > std::uint64_t{1} << 20);
    CHECK(reader.next() == nullptr);
}

static void records_larger_than_the_buffer_are_read(const std::string &path)
{
    std::vector<unsigned char> payload(3000001, 0xa5);
    fxt_record blob = {};

    blob.type = FXT_RECORD_LARGE;
    blob.large_blob.format = FXT_LARGE_BLOB_NO_METADATA;
    blob.large_blob.category = fxt::string("test");
    blob.large_blob.name = fxt::string("large");
    blob.large_blob.payload = {payload.data(), payload.size()};
    {
        fxt::writer writer = fxt::writer::create(path.c_str());

        writer.write(make_event(0));
        writer.write(blob);
        writer.write(make_event(1));
    } // which finishes it
    fxt::reader reader = fxt::reader::open(path.c_str());
    int n_blobs = 0;

    for (fxt::record record : reader) {
        if (record->type != FXT_RECORD_LARGE)
            continue;
        fxt::bytes got = fxt::view(record->large_blob.payload);

        n_blobs++;
        CHECK(std::equal(got.begin(), got.end(), payload.begin(), payload.end()));
    }
    CHECK(n_blobs == 1 && reader.code() == FXT_OK);
}

static void a_loop_goes_on_where_another_stopped()
{
    fxt::buffer buffer;
    fxt::writer writer = fxt::writer::append_to(buffer);

    write_events(writer, 10);
    writer.finish();

    fxt::reader first = fxt::reader::memory(buffer.data(), buffer.size());
    std::optional<fxt::record_copy> kept;
    int n = 0;

    for (fxt::record record : first) {
        if (record.event() != nullptr && ++n == 4) {
            kept.emplace(record.copy());
            break;
        }
    }
    fxt::reader moved = std::move(first);

    CHECK(first.next() == nullptr && first.code() == FXT_E_NO_MEMORY); // NOLINT
    for (fxt::record record : moved)
        n += record.event() != nullptr;
    CHECK(n == 10);
    CHECK(kept && (**kept).value<std::uint64_t>("now") == 3u);
    CHECK(fxt::text((*kept)->event.name) == "event");
}

static void words_are_a_range()
{
    const std::uint64_t pcs[] = {1, 2, 3};
    fxt_words of_record = {pcs, 3, false};
    fxt::words words(of_record);

    CHECK(words.size() == 3 && words[2] == 3 && !words.empty());
    CHECK(std::find(words.begin(), words.end(), 2u) != words.end());
    CHECK(std::vector<std::uint64_t>(words.begin(), words.end()).back() == 3);
    of_record.swapped = true;
    CHECK(fxt::words(of_record)[0] == std::uint64_t{1} << 56);
}

static void errors_stay()
{
    fxt::reader missing = fxt::reader::open("/does/not/exist");

    CHECK(missing.code() == FXT_E_FILE && missing.begin() == missing.end());

    fxt::writer nowhere = fxt::writer::create("/does/not/exist/either");

    CHECK(nowhere.write(make_event(1)) == FXT_E_FILE && nowhere.get() == nullptr);
    CHECK(nowhere.finish() == FXT_E_FILE);

    fxt::reader directory = fxt::reader::open("/");

    CHECK(directory.next() == nullptr && directory.code() == FXT_E_FILE);

    fxt_reader_options no_options = {};

    no_options.byte_order = static_cast<fxt_byte_order>(3);
    CHECK(fxt::reader::memory("", 0, no_options).code() == FXT_E_INVALID);

    fxt::buffer buffer;
    fxt::writer writer = fxt::writer::append_to(buffer);
    fxt_record backwards = make_event(5);

    backwards.kind = FXT_EVENT_DURATION_COMPLETE;
    CHECK(writer.write(backwards) == FXT_E_END_BEFORE_BEGIN);
    CHECK(writer.write(make_event(5)) == FXT_OK);
    CHECK(writer.finish() == FXT_E_END_BEFORE_BEGIN);
}

// Cut in a record: with resync, what comes after the damage is found when the stream
// ends.
static void damage_is_reported()
{
    fxt::buffer buffer;
    fxt::writer writer = fxt::writer::append_to(buffer);
    int n_errors = 0;

    write_events(writer, 3);
    writer.finish();

    fxt::reader reader = fxt::reader::memory(buffer.data(), buffer.size() - 8);

    reader.on_error([&n_errors](const fxt_error &error) {
        CHECK(error.code == FXT_E_TRUNCATED);
        n_errors++;
    });
    CHECK(count_events(reader) == 2);
    CHECK(n_errors == 1 && reader.code() == FXT_OK);
}

int main(int argc, char **argv)
{
    std::string directory = argc > 1 ? argv[1] : ".";

    values_come_back_exactly();
    files_of_many_buffers_are_read(directory + "/many.fxt");
    records_larger_than_the_buffer_are_read(directory + "/large.fxt");
    a_loop_goes_on_where_another_stopped();
    words_are_a_range();
    errors_stay();
    damage_is_reported();
    return n_failed != 0;
}
