// SPDX-License-Identifier: BSD-2-Clause
// Writes an archive of a hundred spans to standard output.
//
//     write > trace.fxt
#include <cstdio>

#include <fxt/fxt.hpp>

int main()
{
    fxt::writer writer = fxt::writer::file(stdout);
    fxt_record span =
        fxt::event(FXT_EVENT_DURATION_COMPLETE, fxt_thread_from(1, 2), "net", "receive");

    writer.start_archive(1000000000 /* ticks a second */);
    for (std::uint64_t now = 0; now < 100; now++) {
        span.event.timestamp = 1000 * now;
        span.event.end_timestamp = 1000 * now + 700;
        writer.write(span, {fxt::arg("bytes", 1500 + now), fxt::arg("from", "eth0")});
    }
    if (writer.finish() != FXT_OK) // the first thing that went wrong, if any
        std::fprintf(stderr, "%s\n", fxt_code_message(writer.code()));
    return writer.code() != FXT_OK;
}
