/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of command line options. Each function returns false for an invalid value,
 * and then the output is undefined. */
#ifndef BASE_PARSE_H
#define BASE_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A number of up to 64 bits, decimal or, with 0x, hex; nothing else around it. */
bool parse_u64(const char *string, uint64_t *value);

/* The same with an optional suffix K, M or G (1024, ...). */
bool parse_size(const char *string, uint64_t *value);

/* A whole number with one of the units ns, us, ms and s, in nanoseconds. */
bool parse_duration(const char *string, uint64_t *ns);

/* Seconds with up to nine decimals, as in 1700000000.25, in nanoseconds. */
bool parse_seconds(const char *string, uint64_t *ns);

/* A number, decimals allowed, with one of the units ns, us, ms and s or none, which means
 * seconds, in nanoseconds; anything finer than those is refused. */
bool parse_time(const char *string, uint64_t *ns);

/* A number with up to two decimals, as in 0.25, in hundredths. */
bool parse_hundredths(const char *string, uint64_t *value);

/* A set of CPU numbers. */
struct cpu_set {
    uint64_t *words;
    size_t n_words;
};

/* The largest CPU number that a set takes: FXT has 16 bits for it. */
enum { CPU_MAX = 65535 };

/* A list of numbers and ranges, as in "0,2-5". Adds to the set. */
bool parse_cpu_list(const char *string, struct cpu_set *set);

/* A mask of any width, bit 0 for CPU 0, hex with 0x or decimal. Adds to the set. */
bool parse_cpu_mask(const char *string, struct cpu_set *set);

/* A number up to CPU_MAX. */
void cpu_set_add(struct cpu_set *set, uint64_t cpu);
bool cpu_set_has(const struct cpu_set *set, uint64_t cpu);

#endif
