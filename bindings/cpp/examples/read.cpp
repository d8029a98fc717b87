// SPDX-License-Identifier: BSD-2-Clause
// Prints the events of a trace: when, how long, of which thread, what, and "bytes" if it
// has an argument of that name.
//
//     read trace.fxt
#include <cinttypes>
#include <cstdio>

#include <fxt/fxt.hpp>

static void print_event(const fxt::record &record, const fxt_event &event)
{
    std::string_view category = fxt::text(event.category);
    std::string_view name = fxt::text(event.name);

    std::printf("%" PRIu64 " ns, %" PRIu64 " ns long, thread %" PRIu64 ": %.*s:%.*s",
                record.time_ns().value_or(0),
                record.end_ns().value_or(0) - record.time_ns().value_or(0),
                event.thread.thread, static_cast<int>(category.size()), category.data(),
                static_cast<int>(name.size()), name.data());
    if (std::optional<std::uint64_t> bytes = record.value<std::uint64_t>("bytes"))
        std::printf(", %" PRIu64 " bytes", *bytes);
    std::puts("");
}

int main(int argc, char **argv)
{
    fxt::reader reader = argc > 1 ? fxt::reader::open(argv[1]) : fxt::reader::file(stdin);

    reader.on_error([](const fxt_error &error) {
        std::fprintf(stderr, "%#" PRIx64 ": %s\n", error.offset, error.message);
    });
    for (fxt::record record : reader) {
        if (const fxt_event *event = record.event())
            print_event(record, *event);
    }
    if (reader.code() != FXT_OK)
        std::fprintf(stderr, "%s\n", fxt_code_message(reader.code()));
    return reader.code() != FXT_OK;
}
