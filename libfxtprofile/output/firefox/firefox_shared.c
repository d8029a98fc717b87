/* SPDX-License-Identifier: BSD-2-Clause */
/* What the threads of a Firefox profile share, as JSON: see firefox_tables.h. */
#include "firefox.h"

enum { GUID_DIGITS = 32 };

/* ---- Libraries --------------------------------------------------------------------- */

static struct string library_name(const struct firefox *f, uint32_t library)
{
    const struct profile *p = f->profile;
    struct string path = string_table_get(&p->files, f->tables.libraries[library].file);
    struct string name = string_last_component(path);

    return name.size > 0 ? name : path;
}

static char upper_digit(char c)
{
    return c >= 'a' && c <= 'f' ? (char)(c - 'a' + 'A') : c;
}

/* A GUID of the build id's first 16 bytes, of which the first three numbers are in the
 * machine's byte order, which is taken for little endian; and the age, 0. */
static void add_breakpad_id(struct text *text, struct string build_id)
{
    static const unsigned char order[GUID_DIGITS / 2] = {3, 2, 1,  0,  5,  4,  7,  6,
                                                         8, 9, 10, 11, 12, 13, 14, 15};

    text_char(text, '"');
    for (int i = 0; i < GUID_DIGITS; i++) {
        size_t at = 2U * order[i / 2] + (size_t)i % 2;

        text_char(text, at < build_id.size ? upper_digit(build_id.data[at]) : '0');
    }
    text_str(text, "0\"");
}

static void write_library(struct firefox *f, uint32_t library)
{
    const struct profile *p = f->profile;
    struct json_list *json = &f->json;
    struct string path = string_table_get(&p->files, f->tables.libraries[library].file);
    struct string id =
        string_table_get(&p->build_ids, f->tables.libraries[library].build_id);

    json_next(json);
    json_raw(json, "\n{\"arch\":\"\",\"name\":");
    json_string(json, library_name(f, library));
    json_raw(json, ",\"path\":");
    json_string(json, path);
    json_raw(json, ",\"debugName\":");
    json_string(json, library_name(f, library));
    json_raw(json, ",\"debugPath\":");
    json_string(json, path);
    json_raw(json, ",\"breakpadId\":");
    add_breakpad_id(&json->text, id);
    json_raw(json, ",\"codeId\":");
    if (id.size > 0)
        json_string(json, id);
    else
        json_raw(json, "null");
    json_end(json, "}");
}

void firefox_write_libraries(struct firefox *f)
{
    json_begin(&f->json, ",\n\"libs\":[");
    for (uint32_t i = 0; i < f->tables.n_libraries; i++)
        write_library(f, i);
    json_raw(&f->json, "]");
}

/* ---- The tables that threads share ------------------------------------------------- */

/* A column of a table: a number for each row, or null for FIREFOX_NONE; -1 where
 * `is_signed`. */
typedef uint32_t column_fn(const struct firefox *firefox, uint32_t row);

static void write_column(struct firefox *f, const char *key, size_t n, column_fn *value,
                         const char *none)
{
    text_printf(&f->json.text, ",\n\"%s\":", key);
    json_begin(&f->json, "[");
    for (uint32_t i = 0; i < n; i++) {
        uint32_t number = value(f, i);

        json_next(&f->json);
        if (number == FIREFOX_NONE)
            json_raw(&f->json, none);
        else
            json_u64(&f->json, number);
    }
    json_raw(&f->json, "]");
}

static void write_constant(struct firefox *f, const char *key, size_t n,
                           const char *value)
{
    text_printf(&f->json.text, ",\n\"%s\":", key);
    json_begin(&f->json, "[");
    for (size_t i = 0; i < n; i++) {
        json_next(&f->json);
        json_raw(&f->json, value);
    }
    json_raw(&f->json, "]");
}

static void begin_table(struct firefox *f, const char *key, size_t n)
{
    text_printf(&f->json.text, ",\n\"%s\":{\"length\":%zu", key, n);
}

static uint32_t node_frame(const struct firefox *f, uint32_t row)
{
    return f->tables.stacks.nodes[row].frame;
}

static uint32_t node_prefix(const struct firefox *f, uint32_t row)
{
    return f->tables.stacks.nodes[row].prefix;
}

static void write_stack_table(struct firefox *f)
{
    size_t n = f->tables.stacks.n_nodes;

    begin_table(f, "stackTable", n);
    write_column(f, "frame", n, node_frame, "null");
    write_column(f, "prefix", n, node_prefix, "null");
    json_raw(&f->json, "}");
}

/* NULL for a line that no location has. */
static const struct profile_location *location_of(const struct firefox *f, uint32_t row)
{
    uint32_t location = f->tables.frame_locations[row];

    return location != FIREFOX_NONE ? &f->profile->locations[location] : NULL;
}

static const struct profile_mapping *mapping_of(const struct firefox *f,
                                                const struct profile_location *location)
{
    if (location == NULL || location->mapping == PROFILE_NO_MAPPING)
        return NULL;
    return &f->profile->mappings[location->mapping];
}

/* As the library's own headers have it; viewers have 32 bits for it. */
static uint32_t frame_address(const struct firefox *f, uint32_t row)
{
    const struct profile_location *location = location_of(f, row);
    const struct profile_mapping *mapping = mapping_of(f, location);
    uint64_t address;

    if (mapping == NULL || f->tables.mapping_libraries[location->mapping] == FIREFOX_NONE)
        return FIREFOX_NONE;
    address = location->address - mapping->start + mapping->vaddr;
    return address < FIREFOX_NONE ? (uint32_t)address : FIREFOX_NONE;
}

static uint32_t frame_depth(const struct firefox *f, uint32_t row)
{
    const struct profile_location *location = location_of(f, row);

    return location != NULL ? location->first_line + location->n_lines - 1 - row : 0;
}

static uint32_t frame_category(const struct firefox *f, uint32_t row)
{
    const struct profile_location *location = location_of(f, row);
    const struct profile_mapping *mapping = mapping_of(f, location);

    if (f->profile->is_of_spans || f->profile->is_of_wakeups)
        return FIREFOX_SPANS;
    if (location == NULL || location->is_end)
        return FIREFOX_OTHER;
    if (!f->profile->is_of_captures && profile_is_in_kernel(location->address))
        return FIREFOX_KERNEL;
    return mapping != NULL && mapping->is_jit ? FIREFOX_JIT : FIREFOX_USER;
}

static uint32_t frame_subcategory(const struct firefox *f, uint32_t row)
{
    uint32_t category = frame_category(f, row);
    bool may_be_inlined = category == FIREFOX_USER || category == FIREFOX_KERNEL;

    return may_be_inlined && frame_depth(f, row) > 0 ? FIREFOX_SUB_INLINED
                                                     : FIREFOX_SUB_OTHER;
}

static uint32_t frame_function(const struct firefox *f, uint32_t row)
{
    return f->tables.frame_functions[row];
}

static uint32_t frame_line(const struct firefox *f, uint32_t row)
{
    uint32_t line = f->profile->lines[row].line;

    return line > 0 ? line : FIREFOX_NONE;
}

static void write_frame_table(struct firefox *f)
{
    size_t n = f->profile->n_lines;

    begin_table(f, "frameTable", n);
    write_column(f, "address", n, frame_address, "-1");
    write_column(f, "inlineDepth", n, frame_depth, "0");
    write_column(f, "category", n, frame_category, "null");
    write_column(f, "subcategory", n, frame_subcategory, "null");
    write_column(f, "func", n, frame_function, "0");
    write_constant(f, "nativeSymbol", n, "null");
    write_constant(f, "innerWindowID", n, "0");
    write_column(f, "line", n, frame_line, "null");
    write_constant(f, "column", n, "null");
    json_raw(&f->json, "}");
}

static const struct profile_function *function_of(const struct firefox *f, uint32_t row)
{
    return &f->profile->functions[f->tables.functions[row].function];
}

static uint32_t function_name(const struct firefox *f, uint32_t row)
{
    return function_of(f, row)->name;
}

static uint32_t function_library(const struct firefox *f, uint32_t row)
{
    return f->tables.functions[row].library;
}

static uint32_t function_source(const struct firefox *f, uint32_t row)
{
    return f->tables.file_sources[function_of(f, row)->file];
}

static uint32_t function_line(const struct firefox *f, uint32_t row)
{
    uint32_t line = function_of(f, row)->start_line;

    return line > 0 ? line : FIREFOX_NONE;
}

static void write_function_table(struct firefox *f)
{
    size_t n = f->tables.n_functions;

    begin_table(f, "funcTable", n);
    write_column(f, "name", n, function_name, "null");
    write_constant(f, "isJS", n, "false");
    write_constant(f, "relevantForJS", n, "false");
    write_column(f, "resource", n, function_library, "-1");
    write_column(f, "source", n, function_source, "null");
    write_column(f, "lineNumber", n, function_line, "null");
    write_constant(f, "columnNumber", n, "null");
    json_raw(&f->json, "}");
}

static uint32_t own_number(const struct firefox *f, uint32_t row)
{
    (void)f;
    return row;
}

static uint32_t library_string(const struct firefox *f, uint32_t row)
{
    return firefox_library_string(&f->tables, row);
}

/* Each library is a resource, with the same number. */
static void write_resource_table(struct firefox *f)
{
    size_t n = f->tables.n_libraries;

    begin_table(f, "resourceTable", n);
    write_column(f, "lib", n, own_number, "null");
    write_column(f, "name", n, library_string, "null");
    write_constant(f, "host", n, "null");
    write_constant(f, "type", n, "1");
    json_raw(&f->json, "}");
}

static uint32_t source_string(const struct firefox *f, uint32_t row)
{
    const struct firefox_tables *t = &f->tables;

    return firefox_flow_string(t, (uint32_t)t->flows.n) + row;
}

static void write_sources(struct firefox *f)
{
    size_t n = f->tables.n_sources;

    begin_table(f, "sources", n);
    write_constant(f, "id", n, "null");
    write_column(f, "filename", n, source_string, "null");
    write_constant(f, "startLine", n, "1");
    write_constant(f, "startColumn", n, "1");
    write_constant(f, "sourceMapURL", n, "null");
    json_raw(&f->json, "}");
}

static void write_strings_of(struct firefox *f, const struct string_table *strings)
{
    for (uint32_t i = 0; i < strings->n; i++) {
        json_next(&f->json);
        text_char(&f->json.text, '\n');
        json_string(&f->json, string_table_get(strings, i));
    }
}

/* In the order that firefox_tables.h has, and then the names of sources. */
static void write_strings(struct firefox *f)
{
    const struct profile *p = f->profile;

    json_begin(&f->json, ",\n\"stringArray\":[");
    write_strings_of(f, &p->names);
    for (uint32_t i = 0; i < f->tables.n_libraries; i++) {
        json_next(&f->json);
        json_string(&f->json, library_name(f, i));
    }
    write_strings_of(f, &p->events.strings);
    for (size_t i = 0; i < f->tables.flows.n; i++) {
        json_next(&f->json);
        text_printf(&f->json.text, "\"%zu\"", i + 1);
    }
    for (size_t i = 0; i < f->tables.n_sources; i++) {
        json_next(&f->json);
        text_char(&f->json.text, '\n');
        json_string(&f->json, string_table_get(&p->files, f->tables.sources[i]));
    }
    json_raw(&f->json, "]");
}

void firefox_write_shared(struct firefox *f)
{
    json_raw(&f->json, ",\n\"shared\":{\"nativeSymbols\":{\"length\":0,\"libIndex\":[],"
                       "\"address\":[],\"name\":[],\"functionSize\":[]}");
    write_strings(f);
    write_sources(f);
    write_resource_table(f);
    write_function_table(f);
    write_frame_table(f);
    write_stack_table(f);
    json_raw(&f->json, "}");
}
