/* SPDX-License-Identifier: BSD-2-Clause */
/* Much debugging information from little source, for symbols.py: read it, not run it. */
#include <algorithm>
#include <map>
#include <numeric>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

using words = std::vector<std::string>;

template <int N> struct work {
    static std::string run(const words &in)
    {
        std::map<std::string, std::vector<int>> numbers;
        std::unordered_map<int, std::set<std::string>> sets;
        std::vector<std::pair<std::string, int>> sums;
        std::ostringstream out;

        for (const auto &word : in) {
            numbers[word + std::to_string(N)].push_back(N);
            sets[static_cast<int>(word.size()) % (N + 1)].insert(word);
        }
        for (const auto &[word, all] : numbers)
            sums.emplace_back(word, std::accumulate(all.begin(), all.end(), N));
        std::sort(sums.begin(), sums.end(),
                  [](const auto &a, const auto &b) { return a.second + N < b.second; });
        for (const auto &[word, sum] : sums)
            out << word << sum * N << sets.size();
        return out.str();
    }
};

std::string run_all(const words &in)
{
    std::string all = work<1>::run(in) + work<2>::run(in) + work<3>::run(in) +
                      work<4>::run(in) + work<5>::run(in) + work<6>::run(in) +
                      work<7>::run(in) + work<8>::run(in);

    return std::regex_match(all, std::regex("a(b|c)*d")) ? all : "";
}
