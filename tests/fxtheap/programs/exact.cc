// SPDX-License-Identifier: BSD-2-Clause
// As exact.c: operators new of all kinds, and what the standard library keeps, which is
// counted by its own allocator.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <map>
#include <new>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace
{

struct Block {
    void *address;
    std::uint64_t size;
    std::uint64_t thread;
    std::uint64_t how;
};

enum { BLOCKS = 4096 };

Block blocks[BLOCKS];

void note(void *address, std::uint64_t size, std::uint64_t how)
{
    for (Block &block : blocks) {
        if (block.address == nullptr) {
            block = {address, size, static_cast<std::uint64_t>(syscall(SYS_gettid)), how};
            return;
        }
    }
    std::abort();
}

void forget(void *address)
{
    for (Block &block : blocks) {
        if (block.address == address) {
            block.address = nullptr;
            return;
        }
    }
    std::abort();
}

template <class T> struct Noting {
    using value_type = T;
    Noting() = default;
    template <class U> Noting(const Noting<U> &)
    {
    }
    T *allocate(std::size_t n)
    {
        void *address = ::operator new(n * sizeof(T));
        note(address, n * sizeof(T), 100);
        return static_cast<T *>(address);
    }
    void deallocate(T *address, std::size_t)
    {
        forget(address);
        ::operator delete(address);
    }
};

template <class T, class U> bool operator==(const Noting<T> &, const Noting<U> &)
{
    return true;
}

template <class T, class U> bool operator!=(const Noting<T> &, const Noting<U> &)
{
    return false;
}

struct alignas(128) Aligned {
    char bytes[200];
};

struct Plain {
    char bytes[77];
};

void wait_for_reader(int file)
{
    char line[16];

    if (ftruncate(file, 0) != 0 || lseek(file, 0, SEEK_SET) != 0)
        std::abort();
    for (const Block &block : blocks) {
        if (block.address != nullptr && write(file, &block, sizeof(block)) != sizeof(block))
            std::abort();
    }
    if (write(STDOUT_FILENO, "ready\n", 6) != 6 || read(STDIN_FILENO, line, sizeof(line)) <= 0)
        std::abort();
}

template <class T> T *noted(T *object, std::uint64_t size, std::uint64_t how)
{
    note(object, size, how);
    return object;
}

template <class T> void drop(T *object)
{
    forget(object);
    delete object;
}

} // namespace

int main(int argc, char **argv)
{
    int file = argc == 2 ? open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;

    if (file < 0)
        return 2;
    // What the C library keeps of a thread is there from now on.
    std::thread([] {}).join();
    wait_for_reader(file);
    Plain *plain = noted(new Plain, sizeof(Plain), 1);
    Aligned *aligned = noted(new Aligned, sizeof(Aligned), 2);
    Plain *quiet = noted(new (std::nothrow) Plain, sizeof(Plain), 3);
    char *array = noted(new char[1000], 1000, 4);
    void *nothing = noted(::operator new(0), 1, 5);
    wait_for_reader(file);
    bool was_thrown = false;
    volatile std::size_t huge = static_cast<std::size_t>(1) << 62;
    try {
        noted(::operator new(huge), 0, 6);
    } catch (const std::bad_alloc &) {
        was_thrown = true;
    }
    if (!was_thrown || ::operator new(huge, std::nothrow) != nullptr ||
        ::operator new(huge, std::align_val_t(64), std::nothrow) != nullptr)
        return 1;
    {
        std::vector<int, Noting<int>> numbers;
        std::map<int, int, std::less<int>, Noting<std::pair<const int, int>>> tree;
        for (int i = 0; i < 1000; i++) {
            numbers.push_back(i);
            tree[i * 7919 % 1000] = i;
            if (i % 100 == 0)
                wait_for_reader(file);
        }
        std::thread([&] { tree.erase(tree.begin(), tree.find(500)); }).join();
        drop(plain);
        drop(aligned);
        wait_for_reader(file);
    }
    forget(array);
    delete[] array;
    forget(nothing);
    ::operator delete(nothing);
    drop(quiet);
    wait_for_reader(file);
    return 0;
}
