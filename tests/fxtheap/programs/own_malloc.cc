// SPDX-License-Identifier: BSD-2-Clause
// Defines malloc and free, which take blocks of no other allocator, and leaves the
// operators to the C++ library, which is to call them.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace
{

alignas(16) char memory[1 << 22];
std::size_t used;
unsigned n_allocated;
unsigned n_freed;

void *take(std::size_t size)
{
    std::size_t at = used;

    used += (size + 15) / 16 * 16;
    return used <= sizeof(memory) ? memory + at : nullptr;
}

} // namespace

extern "C" {

void *malloc(std::size_t size)
{
    n_allocated++;
    return take(size);
}

void *calloc(std::size_t n, std::size_t size)
{
    return take(n * size);
}

void *realloc(void *, std::size_t)
{
    return nullptr;
}

void free(void *block)
{
    auto *at = static_cast<char *>(block);

    if (block == nullptr)
        return;
    if (at < memory || at >= memory + sizeof(memory))
        std::abort();
    n_freed++;
}
}

int main()
{
    unsigned allocated_before = n_allocated;
    unsigned freed_before = n_freed;

    for (std::size_t i = 0; i < 1000; i++) {
        std::string text(100 + i, 'x');
        std::vector<int> numbers(i + 1);

        delete[] new char[i];
    }
    std::printf("%u allocated, %u freed\n", n_allocated - allocated_before,
                n_freed - freed_before);
}
