/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions without names for linkers, in every kind of scope. */
#include <algorithm>
#include <vector>

#define INLINE inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))

static volatile int sink;

namespace outer {

namespace {
INLINE int hidden_inline(int x)
{
    return sink += x * 3;
}

NOINLINE int hidden(int x)
{
    return hidden_inline(x) + 1;
}

struct worker {
    INLINE int turn(int x) { return sink ^= x; }
    static NOINLINE int go(int x) { return worker().turn(x) + sink; }
};
} // namespace

inline namespace v1 {
template <class T> struct box {
    T value;
    INLINE T scaled(int by) const
    {
        sink += by;
        return value * T(by);
    }
    struct inner {
        INLINE static int deep(int x) { return sink -= x; }
    };
};
} // namespace v1

class klass {
public:
    static int stat(int x);
    INLINE int member(int x) { return sink |= x; }
    class nested;
};

class klass::nested {
public:
    INLINE int visit(int x) { return sink &= x; }
};

NOINLINE int klass::stat(int x)
{
    klass k;
    nested n;

    return k.member(x) + n.visit(x);
}

static INLINE int local_class(int x)
{
    struct here {
        INLINE int run(int y) { return sink += y; }
    } h;

    return h.run(x);
}

NOINLINE int lambdas(std::vector<int> &v)
{
    auto add = [&](int x) __attribute__((always_inline)) { return sink += x; };

    std::sort(v.begin(), v.end(), [](int a, int b) { return a % 7 < b % 7; });
    return add(3);
}

} // namespace outer

int main(int argc, char **)
{
    std::vector<int> v;
    outer::box<double> b = {1.5};

    for (int i = 0; i < argc * 100; i++)
        v.push_back(i * 31 % 101);
    return (outer::lambdas(v) + outer::hidden(argc) + outer::worker::go(argc) +
            outer::klass::stat(argc) + outer::local_class(argc) + int(b.scaled(argc)) +
            outer::box<int>::inner::deep(argc)) %
           2;
}
