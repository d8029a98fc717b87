// SPDX-License-Identifier: BSD-2-Clause
// Has two of C++'s operators, which put something in front of each object, and leaves the
// others to the C++ library, which is to call these.
#include <cstdio>
#include <cstdlib>
#include <new>

namespace
{

struct alignas(16) Head {
    std::size_t size;
};

unsigned n_new;
unsigned n_delete;

struct Object {
    int numbers[5] = {};
    ~Object()
    {
        numbers[0] = 1;
    }
};

struct alignas(64) Aligned {
    char bytes[64];
};

} // namespace

void *operator new(std::size_t size)
{
    auto *head = static_cast<Head *>(std::malloc(sizeof(Head) + size));

    if (head == nullptr)
        throw std::bad_alloc();
    head->size = size;
    n_new++;
    return head + 1;
}

void operator delete(void *object) noexcept
{
    if (object == nullptr)
        return;
    n_delete++;
    std::free(static_cast<Head *>(object) - 1);
}

int main()
{
    delete new Object;
    delete[] new Object[3];
    delete new (std::nothrow) Object;
    delete[] new (std::nothrow) Object[3];
    ::operator delete(::operator new(7), std::nothrow);
    ::operator delete[](::operator new[](7), std::nothrow);
    ::operator delete(::operator new(7), std::size_t(7));
    ::operator delete[](::operator new[](7), std::size_t(7));
    delete new Aligned;
    delete[] new Aligned[3];
    std::printf("%u new, %u deleted\n", n_new, n_delete);
}
