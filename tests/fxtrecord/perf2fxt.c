/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What `perf record` has recorded, as FXT: samples, their processes and threads, and what
 * was mapped where. For tests, which compare what the tools make of it with what perf
 * says.
 *
 *     perf2fxt [--unmapped] < perf.data > trace.fxt
 *
 * The CPUs are providers. Samples are written both ways that a sampler has, by turns.
 * With --unmapped no mappings are written, so that addresses stay numbers.
 */
#include <elf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fxt/fxt.h>

enum { CPUS_MAX = 4096, THREADS_MAX = 4096, PCS_MAX = 255 };

/* The header of the file: its size is the second word, and sections are offset, size. */
enum { HEADER_WORDS = 9, HEADER_ATTRIBUTES = 3, HEADER_DATA = 5 };

struct thread {
    uint32_t pid;
    uint32_t tid;
    char name[32];
};

struct state {
    struct fxt_writer *writer;
    bool unmapped;
    uint64_t sample_type;
    uint32_t cpu;
    bool has_cpu[CPUS_MAX];
    /* The names that threads had last. */
    struct thread threads[THREADS_MAX];
    size_t n_threads;
    uint32_t n_modules;
    uint64_t n_samples;
};

static void fail(const char *why)
{
    fprintf(stderr, "perf2fxt: %s\n", why);
    exit(1);
}

static void put(struct state *s, const struct fxt_record *record)
{
    enum fxt_code code = fxt_writer_write(s->writer, record);

    if (code != FXT_OK)
        fail(fxt_code_message(code));
}

static uint64_t word_at(const unsigned char *data)
{
    uint64_t word;

    memcpy(&word, data, sizeof(word));
    return word;
}

static uint32_t half_at(const unsigned char *data)
{
    uint32_t half;

    memcpy(&half, data, sizeof(half));
    return half;
}

/* ---- Samples ----------------------------------------------------------------------- */

static void go_to_cpu(struct state *s, uint32_t cpu)
{
    struct fxt_record record = {.type = FXT_RECORD_METADATA};
    char name[16];

    if (cpu >= CPUS_MAX)
        fail("too many CPUs");
    if (s->cpu == cpu)
        return;
    snprintf(name, sizeof(name), "cpu%u", cpu);
    record.kind =
        s->has_cpu[cpu] ? FXT_METADATA_PROVIDER_SECTION : FXT_METADATA_PROVIDER_INFO;
    record.metadata.provider_id = cpu + 1;
    if (!s->has_cpu[cpu])
        record.metadata.name = fxt_string_from(name);
    put(s, &record);
    if (!s->has_cpu[cpu]) {
        record = (struct fxt_record){.type = FXT_RECORD_INITIALIZATION};
        record.initialization.ticks_per_second = 1000000000;
        put(s, &record);
    }
    s->has_cpu[cpu] = true;
    s->cpu = cpu;
}

static void put_stack(struct state *s, uint64_t time, uint32_t pid, uint32_t tid,
                      const uint64_t *pcs, size_t n)
{
    struct fxt_record record = {.type = FXT_RECORD_LARGE};

    if (s->n_samples++ % 2 == 0) {
        record.type = FXT_RECORD_PROFILER;
        record.kind = FXT_PROFILER_BACKTRACE;
        record.profiler.timestamp = time;
        record.profiler.thread = fxt_thread_from(pid, tid);
        record.profiler.pcs = (struct fxt_words){pcs, n, false};
    } else {
        record.large_blob.format = FXT_LARGE_BLOB_METADATA;
        record.large_blob.timestamp = time;
        record.large_blob.thread = fxt_thread_from(pid, tid);
        record.large_blob.category = fxt_string_from("");
        record.large_blob.name = fxt_string_from("");
        record.large_blob.payload = (struct fxt_bytes){pcs, n * sizeof(*pcs)};
    }
    put(s, &record);
}

/* The PCs of a chain without its marks; 0 for one with a wrong mark, of which perf says
 * nothing either: where a walk went astray it may have met anything. */
static size_t take_chain(uint64_t *pcs, const unsigned char *at, uint64_t n)
{
    size_t n_pcs = 0;

    for (; n > 0; n--, at += 8) {
        uint64_t pc = word_at(at);

        if (pc == (uint64_t)PERF_CONTEXT_KERNEL || pc == (uint64_t)PERF_CONTEXT_USER)
            continue;
        if (pc >= (uint64_t)PERF_CONTEXT_MAX)
            return 0;
        if (n_pcs == PCS_MAX)
            fail("a stack is too deep");
        pcs[n_pcs++] = pc;
    }
    return n_pcs;
}

/* The fields stand in the order of their bits. */
static void take_sample(struct state *s, const unsigned char *at,
                        const unsigned char *end)
{
    uint64_t type = s->sample_type;
    uint64_t time;
    uint64_t n;
    uint32_t pid;
    uint32_t tid;
    uint64_t pcs[PCS_MAX];
    size_t n_pcs;

    at += type & PERF_SAMPLE_IDENTIFIER ? 8 : 0;
    at += type & PERF_SAMPLE_IP ? 8 : 0;
    pid = half_at(at);
    tid = half_at(at + 4);
    time = word_at(at + 8);
    at += 16;
    at += type & PERF_SAMPLE_ADDR ? 8 : 0;
    at += type & PERF_SAMPLE_ID ? 8 : 0;
    at += type & PERF_SAMPLE_STREAM_ID ? 8 : 0;
    go_to_cpu(s, half_at(at));
    at += 8;
    at += type & PERF_SAMPLE_PERIOD ? 8 : 0;
    n = word_at(at);
    at += 8;
    if (n > (uint64_t)(end - at) / 8)
        fail("a chain is cut");
    n_pcs = take_chain(pcs, at, n);
    if (n_pcs > 0)
        put_stack(s, time, pid, tid, pcs, n_pcs);
}

/* ---- Names ------------------------------------------------------------------------- */

static void take_name(struct state *s, const unsigned char *at)
{
    uint32_t pid = half_at(at);
    uint32_t tid = half_at(at + 4);
    size_t i = 0;

    while (i < s->n_threads && (s->threads[i].pid != pid || s->threads[i].tid != tid))
        i++;
    if (i == THREADS_MAX)
        fail("too many threads");
    if (i == s->n_threads)
        s->n_threads++;
    s->threads[i].pid = pid;
    s->threads[i].tid = tid;
    snprintf(s->threads[i].name, sizeof(s->threads[i].name), "%s", (const char *)at + 8);
}

/* At the end, so that a name that was had before does not count. */
static void put_names(struct state *s)
{
    for (size_t i = 0; i < s->n_threads; i++) {
        const struct thread *thread = &s->threads[i];
        struct fxt_record record = {.type = FXT_RECORD_KERNEL_OBJECT};
        struct fxt_arg process = {.type = FXT_ARG_KOID,
                                  .name = fxt_string_from("process")};

        record.kernel_object.name = fxt_string_from(thread->name);
        record.kernel_object.koid = thread->pid;
        record.kernel_object.type = FXT_OBJECT_PROCESS;
        if (thread->pid == thread->tid)
            put(s, &record);
        process.value.koid = thread->pid;
        record.kernel_object.koid = thread->tid;
        record.kernel_object.type = FXT_OBJECT_THREAD;
        record.n_args = 1;
        record.args = &process;
        put(s, &record);
    }
}

/* ---- Mappings ---------------------------------------------------------------------- */

/* The address in a file's own terms of what stands at an offset of it. */
static uint64_t vaddr_of(const char *name, uint64_t offset)
{
    FILE *file = fopen(name, "rb");
    Elf64_Ehdr header;
    Elf64_Phdr segment;

    if (file == NULL)
        return offset;
    if (fread(&header, sizeof(header), 1, file) != 1 ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        fseek(file, (long)header.e_phoff, SEEK_SET) != 0)
        header.e_phnum = 0;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        if (fread(&segment, sizeof(segment), 1, file) != 1)
            break;
        if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) &&
            offset >= segment.p_offset / 4096 * 4096 &&
            offset < segment.p_offset + segment.p_filesz) {
            offset += segment.p_vaddr - segment.p_offset;
            break;
        }
    }
    fclose(file);
    return offset;
}

/* How far before its end a record of another type than a sample has its time. */
static size_t time_from_end(uint64_t type)
{
    size_t size = 8;

    size += type & PERF_SAMPLE_ID ? 8 : 0;
    size += type & PERF_SAMPLE_STREAM_ID ? 8 : 0;
    size += type & PERF_SAMPLE_CPU ? 8 : 0;
    return size + (type & PERF_SAMPLE_IDENTIFIER ? 8 : 0);
}

static void take_mapping(struct state *s, const struct perf_event_header *header,
                         const unsigned char *at, const unsigned char *end)
{
    struct fxt_record module = {.type = FXT_RECORD_PROFILER, .kind = FXT_PROFILER_MODULE};
    struct fxt_record mapping = {.type = FXT_RECORD_PROFILER,
                                 .kind = FXT_PROFILER_MAPPING};
    const char *name = (const char *)at + 64;
    uint32_t pid = half_at(at);

    if ((header->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_USER)
        return;
    module.profiler.thread = fxt_thread_from(pid, 0);
    module.profiler.module_id = ++s->n_modules;
    module.profiler.name = fxt_string_from(name);
    if (header->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)
        module.profiler.build_id = (struct fxt_bytes){at + 36, at[32]};
    put(s, &module);
    mapping.profiler.timestamp = word_at(end - time_from_end(s->sample_type));
    mapping.profiler.thread = module.profiler.thread;
    mapping.profiler.module_id = module.profiler.module_id;
    mapping.profiler.start = word_at(at + 8);
    mapping.profiler.length = word_at(at + 16);
    mapping.profiler.vaddr = vaddr_of(name, word_at(at + 24));
    mapping.profiler.flags = FXT_MAPPING_READ | FXT_MAPPING_EXECUTE;
    put(s, &mapping);
}

/* ---- The file ---------------------------------------------------------------------- */

static void take(struct state *s, const unsigned char *record, size_t size)
{
    struct perf_event_header header;
    const unsigned char *end = record + size;

    memcpy(&header, record, sizeof(header));
    record += sizeof(header);
    switch (header.type) {
    case PERF_RECORD_SAMPLE:
        take_sample(s, record, end);
        break;
    case PERF_RECORD_COMM:
        take_name(s, record);
        break;
    case PERF_RECORD_MMAP2:
        if (!s->unmapped)
            take_mapping(s, &header, record, end);
        break;
    case PERF_RECORD_LOST:
        fail("perf has lost events");
    default:
        break;
    }
}

static void convert(struct state *s, const unsigned char *data, size_t size)
{
    const uint64_t needed = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                            PERF_SAMPLE_CPU | PERF_SAMPLE_CALLCHAIN;
    const uint64_t known = needed | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
                           PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_PERIOD |
                           PERF_SAMPLE_IDENTIFIER;
    struct perf_event_attr attribute;
    uint64_t at;
    uint64_t end;

    if (size < HEADER_WORDS * 8 || memcmp(data, "PERFILE2", 8) != 0)
        fail("this is no perf.data");
    at = word_at(data + 8 * HEADER_ATTRIBUTES);
    if (at + PERF_ATTR_SIZE_VER0 > size)
        fail("no event");
    memcpy(&attribute, data + at, PERF_ATTR_SIZE_VER0);
    s->sample_type = attribute.sample_type;
    if ((s->sample_type & needed) != needed || (s->sample_type & ~known) != 0 ||
        !attribute.sample_id_all)
        fail("wanted: perf record -e cpu-clock --sample-cpu -T -g");
    at = word_at(data + 8 * HEADER_DATA);
    end = at + word_at(data + 8 * HEADER_DATA + 8);
    if (end > size)
        fail("the file is cut");
    while (at + sizeof(struct perf_event_header) <= end) {
        uint16_t record_size;

        memcpy(&record_size, data + at + 6, sizeof(record_size));
        if (record_size < sizeof(struct perf_event_header) || record_size > end - at)
            fail("a record is cut");
        take(s, data + at, record_size);
        at += record_size;
    }
}

static unsigned char *read_all(size_t *size)
{
    size_t room = 1 << 20;
    unsigned char *data = malloc(room);
    size_t n;

    *size = 0;
    while (data != NULL && (n = fread(data + *size, 1, room - *size, stdin)) > 0) {
        *size += n;
        if (*size == room)
            data = realloc(data, room *= 2);
    }
    if (data == NULL)
        fail("no memory");
    return data;
}

int main(int argc, char **argv)
{
    struct fxt_writer_options options = {
        .size = sizeof(options), .write = fxt_file_write, .context = stdout};
    struct state *s = calloc(1, sizeof(*s));
    size_t size;
    unsigned char *data = read_all(&size);

    if (s == NULL || fxt_writer_create(&options, &s->writer) != FXT_OK)
        fail("no memory");
    s->unmapped = argc > 1 && strcmp(argv[1], "--unmapped") == 0;
    s->cpu = UINT32_MAX;
    fxt_writer_start_archive(s->writer, 1000000000);
    convert(s, data, size);
    put_names(s);
    if (fxt_writer_finish(s->writer) != FXT_OK || fflush(stdout) != 0)
        fail("cannot write");
    fxt_writer_destroy(s->writer);
    free(data);
    free(s);
    return 0;
}
