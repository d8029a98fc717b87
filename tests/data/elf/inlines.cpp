/* SPDX-License-Identifier: BSD-2-Clause */
/* The same with names that are mangled: templates, namespaces, lambdas. */
#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace outer {

template <class T> struct box {
    T value;
    __attribute__((noinline)) T scaled(int by) const { return value * T(by); }
};

namespace {
__attribute__((noinline)) int hidden(int x)
{
    return x * 3 + 1;
}
} // namespace

__attribute__((noinline)) std::map<std::string, int> count(int n)
{
    std::map<std::string, int> counts;

    for (int i = 0; i < n; i++)
        counts[std::to_string(hidden(i) % 7)] += i;
    return counts;
}

} // namespace outer

int main(int argc, char **argv)
{
    std::vector<std::string> names;
    outer::box<double> box = {1.5};

    for (const auto &entry : outer::count(argc * 10))
        names.push_back(entry.first + argv[0]);
    std::sort(names.begin(), names.end(), [](const auto &a, const auto &b) {
        return a.size() != b.size() ? a.size() < b.size() : a < b;
    });
    return int(names.size()) + int(box.scaled(argc)) > 100;
}
