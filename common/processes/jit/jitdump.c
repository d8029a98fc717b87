/* SPDX-License-Identifier: BSD-2-Clause */
/* See jit_files.h: files that a JIT compiler writes for perf, jit-PID.dump: records of
 * functions that were compiled and moved, with the times of CLOCK_MONOTONIC, in the byte
 * order of the writer. Linux describes them in tools/perf/Documentation/jitdump-
 * specification.txt. */
#include "jit_files.h"

#include <string.h>

#include "common/base/memory.h"
#include "common/base/table_items.h"

#define MAGIC UINT32_C(0x4a695444)

enum {
    HEADER_SIZE = 40,
    PREFIX_SIZE = 16,
    /* The fields before the name. */
    LOAD_SIZE = 56,
    MOVE_SIZE = 64,
    NAME_MAX_BYTES = 16 << 10,
};

/* A larger file is not read to its end. */
#define FILE_MAX_BYTES ((uint64_t)4 << 30)

/* A flag of the header: times are those of the processor's own counter. */
#define FLAG_ARCH_TIMESTAMP UINT64_C(1)

enum { RECORD_LOAD, RECORD_MOVE, RECORD_DEBUG_INFO, RECORD_CLOSE };

/* The name of a function by its number, for records that move it. */
struct jit_function {
    uint64_t number;
    uint32_t name;
};

struct dump {
    struct file *file;
    struct sampled_code *code;
    struct code_names *names;
    uint64_t size;
    bool is_swapped;
    bool has_times;
    struct string_table all_names;
    struct jit_function *functions;
    size_t n_functions;
    size_t function_capacity;
    struct table table;
};

bool jitdump_is_name(struct string path)
{
    static const char prefix[] = "jit-";
    static const char suffix[] = ".dump";
    const size_t n_prefix = sizeof(prefix) - 1;
    const size_t n_suffix = sizeof(suffix) - 1;
    struct string name = string_last_component(path);

    if (name.size <= n_prefix + n_suffix || memcmp(name.data, prefix, n_prefix) != 0 ||
        memcmp(name.data + name.size - n_suffix, suffix, n_suffix) != 0)
        return false;
    for (size_t i = n_prefix; i < name.size - n_suffix; i++) {
        if (name.data[i] < '0' || name.data[i] > '9')
            return false;
    }
    return true;
}

/* ---- Fields ------------------------------------------------------------------------ */

static uint32_t field_32(const struct dump *d, const unsigned char *at)
{
    uint32_t value;

    memcpy(&value, at, sizeof(value));
    return d->is_swapped ? __builtin_bswap32(value) : value;
}

static uint64_t field_64(const struct dump *d, const unsigned char *at)
{
    uint64_t value;

    memcpy(&value, at, sizeof(value));
    return d->is_swapped ? __builtin_bswap64(value) : value;
}

/* ---- Functions --------------------------------------------------------------------- */

static struct jit_function *find_function(const struct dump *d, uint64_t number)
{
    struct jit_function key = {.number = number};
    uint32_t found = TABLE_FIND(&d->table, d->functions, &key, number);

    return found != TABLE_NONE ? &d->functions[found] : NULL;
}

/* A number that is used again is that of another function from there on. */
static void keep_name(struct dump *d, uint64_t number, struct string name)
{
    struct jit_function kept = {number,
                                string_table_add(&d->all_names, name.data, name.size)};
    uint32_t found = TABLE_PUT(&d->table, d->functions, d->n_functions,
                               d->function_capacity, &kept, number);

    d->functions[found].name = kept.name;
}

static bool add_function(struct dump *d, uint64_t start, uint64_t size, uint64_t time_ns,
                         struct string name)
{
    struct code_name function = {
        .start = start, .size = size, .time_ns = d->has_times ? time_ns : 0};

    if (size == 0 || size > UINT64_MAX - start || name.size == 0)
        return false;
    code_names_add(d->names, d->code, function, name);
    return true;
}

/* ---- Records ----------------------------------------------------------------------- */

/* The fields are address, size and number, after two addresses. */
static bool take_load(struct dump *d, uint64_t offset, uint64_t size)
{
    unsigned char fields[LOAD_SIZE];
    char name[NAME_MAX_BYTES];
    struct string found = {name, 0};
    uint64_t name_room;

    if (size < LOAD_SIZE || !file_read(d->file, offset, fields, sizeof(fields)))
        return false;
    name_room = size - LOAD_SIZE < sizeof(name) ? size - LOAD_SIZE : sizeof(name);
    if (!file_read(d->file, offset + LOAD_SIZE, name, (size_t)name_room))
        return false;
    found.size = strnlen(name, (size_t)name_room);
    if (found.size == name_room)
        return false;
    keep_name(d, field_64(d, fields + 48), found);
    return add_function(d, field_64(d, fields + 32), field_64(d, fields + 40),
                        field_64(d, fields + 8), found);
}

static bool take_move(struct dump *d, uint64_t offset, uint64_t size)
{
    unsigned char fields[MOVE_SIZE];
    const struct jit_function *function;

    if (size < MOVE_SIZE || !file_read(d->file, offset, fields, sizeof(fields)))
        return false;
    function = find_function(d, field_64(d, fields + 56));
    return function != NULL &&
           add_function(d, field_64(d, fields + 40), field_64(d, fields + 48),
                        field_64(d, fields + 8),
                        string_table_get(&d->all_names, function->name));
}

static void take_record(struct dump *d, uint32_t id, uint64_t offset, uint64_t size)
{
    bool good = true;

    if (id == RECORD_LOAD)
        good = take_load(d, offset, size);
    else if (id == RECORD_MOVE)
        good = take_move(d, offset, size);
    d->names->n_malformed += !good;
}

/* What is not a whole record ends the file: its writer may have been killed, or may be
 * writing it. */
static void read_records(struct dump *d, uint64_t offset)
{
    unsigned char prefix[PREFIX_SIZE];

    while (offset < d->size) {
        uint64_t size;

        if (d->size - offset < PREFIX_SIZE ||
            !file_read(d->file, offset, prefix, sizeof(prefix))) {
            d->names->n_malformed++;
            return;
        }
        size = field_32(d, prefix + 4);
        if (field_32(d, prefix) == RECORD_CLOSE && size >= PREFIX_SIZE)
            return;
        if (size < PREFIX_SIZE || size > d->size - offset) {
            d->names->n_malformed++;
            return;
        }
        take_record(d, field_32(d, prefix), offset, size);
        offset += size;
    }
}

/* Returns false for what is no such file. */
static bool read_header(struct dump *d, uint64_t *size)
{
    unsigned char header[HEADER_SIZE];

    if (d->size < sizeof(header) || !file_read(d->file, 0, header, sizeof(header)))
        return false;
    d->is_swapped = field_32(d, header) != MAGIC;
    if (field_32(d, header) != MAGIC)
        return false;
    *size = field_32(d, header + 8);
    d->has_times = (field_64(d, header + 32) & FLAG_ARCH_TIMESTAMP) == 0;
    return *size >= HEADER_SIZE;
}

void jitdump_read(struct file *file, struct sampled_code *code, struct code_names *names)
{
    struct dump d = {.file = file, .code = code, .names = names};
    uint64_t offset;

    file_refresh(file);
    d.size = file_size(file);
    if (d.size > FILE_MAX_BYTES) {
        names->n_malformed++;
        d.size = FILE_MAX_BYTES;
    }
    if (read_header(&d, &offset))
        read_records(&d, offset);
    else
        names->n_malformed += d.size > 0;
    string_table_free(&d.all_names);
    memory_release(d.functions);
    table_free(&d.table);
}
