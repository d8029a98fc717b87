/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records worked out by hand from the trace format reference, bit by bit, and checked
 * against values that Fuchsia's own tests state; with what they say, as show.h shows it.
 */
#ifndef TESTS_SUPPORT_WORKED_H
#define TESTS_SUPPORT_WORKED_H

#include <stddef.h>
#include <stdint.h>

#include "words.h"

struct worked {
    const char *name;
    const char *content;
    /* The codes of the reports about it, where it stands alone. */
    const char *errors;
    /* Bit i says that word i is a stream of bytes, which has no byte order; the words
     * here show them as a little-endian machine does. */
    unsigned streams;
    size_t n_words;
    uint64_t words[9];
};

static const struct worked worked_examples[] = {
    {"the magic number",
     " type=0 kind=4 provider=0 name=<> event=0 info=0 magic=374634566",
     "",
     0x0,
     1,
     {0x0016547846040010}},
    {"provider info of 7, sampler",
     " type=0 kind=1 provider=7 name=<sampler> event=0 info=0 magic=0",
     "",
     0x2,
     2,
     {0x0070000000710020, 0x0072656c706d6173}},
    {"a section of provider 7",
     " type=0 kind=2 provider=7 name=<> event=0 info=0 magic=0",
     "provider_unknown",
     0x0,
     1,
     {0x0000000000720010}},
    {"a full buffer of provider 7",
     " type=0 kind=3 provider=7 name=<> event=0 info=0 magic=0",
     "",
     0x0,
     1,
     {0x0000000000730010}},
    {"initialization to 24 MHz",
     " type=1 kind=0 rate=24000000 has_base=0 base_ticks=0 base_wall_ns=0",
     "",
     0x0,
     2,
     {0x0000000000000021, 0x00000000016e3600}},
    {"string 1, kernel:meta",
     " type=2 kind=0 index=1 value=<kernel:meta>",
     "",
     0x6,
     3,
     {0x0000000b00010032, 0x6d3a6c656e72656b, 0x0000000000617465}},
    {"thread 1, 1045/2077",
     " type=3 kind=0 index=1 process=1045 thread=2077",
     "",
     0x0,
     3,
     {0x0000000000010033, 0x0000000000000415, 0x000000000000081d}},
    {"a complete duration with two arguments",
     " type=4 kind=4 timestamp=1000 thread=#1? category=#1? name='vm:fault' id=0 end=4096"
     " scope=0 arg='n' type=2 value=3 arg='who' type=6 value=#1?",
     "string_unknown thread_unknown",
     0x54,
     8,
     {0x8008000101240084, 0x00000000000003e8, 0x746c7561663a6d76, 0x0000000380010022,
      0x000000000000006e, 0x0000000180030026, 0x00000000006f6877, 0x0000000000001000}},
    {"kernel object thread 2077, worker",
     " type=7 kind=0 of_type=2 koid=2077 name='worker' arg='process' type=8 value=1045",
     "",
     0x14,
     6,
     {0x0000018006020067, 0x000000000000081d, 0x000072656b726f77, 0x0000000080070038,
      0x00737365636f7270, 0x0000000000000415}},
    {"a context switch on CPU 3",
     " type=8 kind=1 timestamp=5000 cpu=3 state=3 outgoing=0/2077 incoming=0/2090"
     " priorities=0 and=0 waking=0 arg='incoming_weight' type=1 value=0xffffffffffffffff",
     "",
     0x60,
     7,
     {0x1000003000310078, 0x0000000000001388, 0x000000000000081d, 0x000000000000082a,
      0xffffffff800f0031, 0x676e696d6f636e69, 0x007468676965775f}},
    {"a thread wakeup on CPU 3",
     " type=8 kind=2 timestamp=4990 cpu=3 state=0 outgoing=0/0 incoming=0/0 priorities=0"
     " and=0 waking=2090",
     "",
     0x0,
     3,
     {0x2000000000300038, 0x000000000000137e, 0x000000000000082a}},
    {"a legacy context switch on CPU 3",
     " type=8 kind=0 timestamp=41 cpu=3 state=2 outgoing=4660/17185 incoming=#1?"
     " priorities=0 and=20 waking=0",
     "thread_unknown",
     0x0,
     4,
     {0x0140001002030048, 0x0000000000000029, 0x0000000000001234, 0x0000000000004321}},
    {"a log of an inline thread",
     " type=9 kind=0 timestamp=777 thread=1045/2077 message=<hello log>",
     "",
     0x30,
     6,
     {0x0000000000090069, 0x0000000000000309, 0x0000000000000415, 0x000000000000081d,
      0x6f6c206f6c6c6568, 0x0000000000000067}},
    {"a sample as a large blob with metadata",
     " type=15 kind=0 format=0 timestamp=123456789 thread=1045/2077 category=<> name=<>"
     " payload=[108e7f38dc4300006ca1ff69b002000000b0ff69b0020000]",
     "",
     0x1c0,
     9,
     {0x000000000000009f, 0x0000000000000000, 0x00000000075bcd15, 0x0000000000000415,
      0x000000000000081d, 0x0000000000000018, 0x000043dc387f8e10, 0x000002b069ffa16c,
      0x000002b069ffb000}},
    {"a sample as a profiler backtrace",
     " type=10 kind=2 timestamp=123456789 thread=1045/2077 module=0 name=<> build_id=[]"
     " hex=0 start=0 length=0 vaddr=0 flags=0"
     " pcs={0x43dc387f8e10 0x2b069ffa16c 0x2b069ffb000}",
     "",
     0x0,
     7,
     {0x000000003002007a, 0x00000000075bcd15, 0x0000000000000415, 0x000000000000081d,
      0x000043dc387f8e10, 0x000002b069ffa16c, 0x000002b069ffb000}},
    {"a profiler module",
     " type=10 kind=0 timestamp=123456789 thread=1045/0 module=0 name=<libfdio.so>"
     " build_id=[3e1c4eb82f79af6a4fd142db11f83979772f9867] hex=0 start=0 length=0 vaddr=0"
     " flags=0 pcs={}",
     "",
     0x1f0,
     9,
     {0x0140a0000000009a, 0x00000000075bcd15, 0x0000000000000415, 0x0000000000000000,
      0x2e6f69646662696c, 0x0000000000006f73, 0x6aaf792fb84e1c3e, 0x7939f811db42d14f,
      0x0000000067982f77}},
    {"a profiler mapping",
     " type=10 kind=1 timestamp=123456789 thread=1045/0 module=0 name=<> build_id=[]"
     " hex=0 start=0x3bfd82b3000 length=401408 vaddr=0 flags=5 pcs={}",
     "",
     0x0,
     7,
     {0x000050000001007a, 0x00000000075bcd15, 0x0000000000000415, 0x0000000000000000,
      0x000003bfd82b3000, 0x0000000000062000, 0x0000000000000000}},
    {"a large blob without metadata",
     " type=15 kind=0 format=1 timestamp=0 thread=0/0 category='c' name='n'"
     " payload=[010203]",
     "",
     0x2c,
     6,
     {0x000001000000006f, 0x0000000080018001, 0x0000000000000063, 0x000000000000006e,
      0x0000000000000003, 0x0000000000030201}},
    {"an instant with a blob",
     " type=4 kind=0 timestamp=9 thread=1/2 category=<> name='i' id=0 end=0 scope=0"
     " arg='data' type=10 value=[0102030405]",
     "",
     0xd0,
     8,
     {0x8001000000100084, 0x0000000000000009, 0x0000000000000001, 0x0000000000000002,
      0x0000000000000069, 0x000000058004003a, 0x0000000061746164, 0x0000000504030201}},
    {"the kernel's own drop_stats",
     " type=4 kind=4 timestamp=1000 thread=0/3 category=#40? name=#41? id=0 end=2000"
     " scope=0 arg=#42? type=2 value=17 arg=#43? type=2 value=9248",
     "string_unknown",
     0x0,
     7,
     {0x0029002800240074, 0x00000000000003e8, 0x0000000000000000, 0x0000000000000003,
      0x00000011002a0012, 0x00002420002b0012, 0x00000000000007d0}},
    {"a blob of Perfetto's",
     " type=5 kind=0 name='p' of_type=3 payload=[dead]",
     "",
     0x6,
     3,
     {0x0003000280010035, 0x0000000000000070, 0x000000000000adde}},
};

/* An example as bytes. */
static inline void put_worked_example(struct words *w, const struct worked *example)
{
    for (size_t i = 0; i < example->n_words; i++) {
        unsigned char bytes[8];

        word_to_bytes(w->big && !(example->streams >> i & 1), example->words[i], bytes);
        put_raw(w, bytes, sizeof(bytes));
    }
}

enum { N_WORKED = sizeof(worked_examples) / sizeof(worked_examples[0]) };

#endif
