#!/bin/sh
# The functions that most samples of folded stacks end in: hottest.sh FILE [N]
#
# A function's share with callees counts each stack once, however often it is in it. With
# the marks of --annotate it shows which are inlined, or the kernel's.
set -eu

awk '
    {
        count = $NF
        sub(" [0-9]+$", "")
        # What has no name counts for its file.
        gsub(/\+0x[0-9a-f]+/, "")
        n = split($0, frames, ";")
        self[frames[n]] += count
        total += count
        split("", seen)
        for (i = 2; i <= n; i++)
            if (!(frames[i] in seen)) {
                seen[frames[i]] = 1
                all[frames[i]] += count
            }
    }
    END {
        for (f in self) {
            name = f
            sub(/_\[i\]$/, " (inlined)", name)
            sub(/_\[k\]$/, " (kernel)", name)
            printf "%6.1f %% self %6.1f %% with callees   %s\n",
                100 * self[f] / total, 100 * all[f] / total, name
        }
    }' "$1" | sort -k 1,1nr -k 4,4nr | head -n "${2:-10}"
