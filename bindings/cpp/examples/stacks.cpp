// SPDX-License-Identifier: BSD-2-Clause
// Prints the stacks that a sampler took, leaf first.
//
//     stacks < cpu0.bin
#include <cinttypes>
#include <cstdio>

#include <fxt/fxt.hpp>

int main()
{
    fxt::reader reader = fxt::reader::file(stdin);

    for (fxt::record record : reader) {
        std::optional<fxt::sample> sample = record.sample();

        if (!sample || (*sample)->kind != FXT_SAMPLE_STACK)
            continue;
        std::printf("thread %" PRIu64 ":", (*sample)->thread.thread);
        for (std::uint64_t pc : sample->pcs())
            std::printf(" %#" PRIx64, pc);
        std::puts("");
    }
    return reader.code() != FXT_OK;
}
