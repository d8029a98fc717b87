// SPDX-License-Identifier: BSD-2-Clause
// A program without frame pointers that allocates by C++'s library, in a thread, and while
// it throws: for test_heap_stacks.py.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#define NOINLINE __attribute__((noinline))

static std::vector<std::string> kept;

NOINLINE static void keep_string()
{
    kept.emplace_back(50000, 'x');
}

NOINLINE static void throw_string()
{
    throw std::runtime_error(std::string(60000, 'y'));
}

NOINLINE static void catch_string()
{
    try {
        throw_string();
    } catch (const std::exception &e) {
        kept.emplace_back(e.what());
    }
}

NOINLINE static void thread_main()
{
    kept.emplace_back(70000, 'z');
}

int main()
{
    keep_string();
    catch_string();
    std::thread(thread_main).join();
    std::puts("ready");
    std::fflush(stdout);
    return std::getchar() == EOF;
}
