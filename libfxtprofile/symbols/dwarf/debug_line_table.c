/* SPDX-License-Identifier: BSD-2-Clause */
/* The header of a line table, and what is asked of the table; see debug_line_table.h. */
#include "debug_line_table.h"

#include <dwarf.h>

#include "common/base/memory.h"

/* A header that is being read. */
struct line_header {
    struct debug_line_table *table;
    struct unwind_cursor in;
    unsigned offset_size;
    uint64_t version;
};

/* ---- Strings ----------------------------------------------------------------------- */

static const char *string_at(const struct unwind_bytes *strings, uint64_t at)
{
    struct unwind_cursor c = cursor_at(strings, at, strings->size);
    const char *string = debug_string(&c);

    return c.failed ? NULL : string;
}

/* ---- Lists of files and directories ------------------------------------------------ */

static void add_directory(struct debug_line_table *t, const char *name)
{
    MEMORY_ADD(t->directories, t->n_directories, t->directory_capacity, name);
}

static void add_file(struct debug_line_table *t, struct debug_line_file file)
{
    MEMORY_ADD(t->files, t->n_files, t->file_capacity, file);
}

/* Up to version 4: strings until an empty one. Directory 0 is that of the unit, and no
 * file has the number 0. */
static void read_lists(struct line_header *h)
{
    const char *name;

    add_directory(h->table, h->table->compiled_in);
    while (*(name = debug_string(&h->in)) != '\0')
        add_directory(h->table, name);
    add_file(h->table, (struct debug_line_file){.name = NULL});
    while (*(name = debug_string(&h->in)) != '\0') {
        struct debug_line_file file = {.name = name, .directory = cursor_uleb(&h->in)};

        /* Its time and its size. */
        cursor_uleb(&h->in);
        cursor_uleb(&h->in);
        if (!h->in.failed)
            add_file(h->table, file);
    }
}

/* A value in a list of version 5: a string, or a number. Every form that is known here
 * takes at least a byte. */
struct line_value {
    const char *string;
    uint64_t number;
};

static struct line_value take_value(struct line_header *h, uint64_t form)
{
    const struct debug_sections *sections = h->table->sections;
    struct unwind_cursor *in = &h->in;
    struct line_value value = {NULL, 0};

    switch (form) {
    case DW_FORM_string:
        value.string = debug_string(in);
        break;
    case DW_FORM_line_strp:
        value.string = string_at(&sections->line_strings,
                                 debug_number(sections, in, h->offset_size));
        break;
    case DW_FORM_strp:
        value.string =
            string_at(&sections->strings, debug_number(sections, in, h->offset_size));
        break;
    case DW_FORM_udata:
        value.number = cursor_uleb(in);
        break;
    case DW_FORM_data1:
        value.number = debug_number(sections, in, 1);
        break;
    case DW_FORM_data2:
        value.number = debug_number(sections, in, 2);
        break;
    case DW_FORM_data4:
        value.number = debug_number(sections, in, 4);
        break;
    case DW_FORM_data8:
        value.number = debug_number(sections, in, 8);
        break;
    case DW_FORM_data16:
        cursor_skip(in, 16);
        break;
    case DW_FORM_block:
        cursor_skip(in, cursor_uleb(in));
        break;
    default:
        in->failed = true;
    }
    return value;
}

/* From version 5 on: what there is of each entry, and in which form, is listed first. */
static struct debug_line_file take_entry(struct line_header *h,
                                         struct unwind_cursor formats, unsigned n_formats)
{
    struct debug_line_file entry = {.name = NULL};

    for (unsigned i = 0; i < n_formats; i++) {
        uint64_t kind = cursor_uleb(&formats);
        struct line_value value = take_value(h, cursor_uleb(&formats));

        if (kind == DW_LNCT_path)
            entry.name = value.string;
        else if (kind == DW_LNCT_directory_index)
            entry.directory = value.number;
    }
    return entry;
}

static void read_list(struct line_header *h, bool has_files)
{
    unsigned n_formats = cursor_byte(&h->in);
    struct unwind_cursor formats = h->in;
    uint64_t n;

    for (unsigned i = 0; i < 2 * n_formats; i++)
        cursor_uleb(&h->in);
    n = cursor_uleb(&h->in);
    if (n_formats == 0)
        return;
    for (uint64_t i = 0; i < n; i++) {
        struct debug_line_file entry = take_entry(h, formats, n_formats);

        if (h->in.failed)
            return;
        if (has_files)
            add_file(h->table, entry);
        else
            add_directory(h->table, entry.name);
    }
}

/* ---- The header -------------------------------------------------------------------- */

/* Where the header ends, and the program begins. */
static uint64_t take_start(struct line_header *h)
{
    uint64_t size = debug_number(h->table->sections, &h->in, h->offset_size);

    if (!h->in.failed && size <= h->in.end - h->in.at)
        return h->in.at + size;
    h->in.failed = true;
    return h->in.end;
}

static void take_meaning(struct line_header *h)
{
    struct debug_line_table *t = h->table;

    t->instruction_size = cursor_byte(&h->in);
    /* How many operations are in an instruction, which is one except on IA-64. */
    if (h->version >= 4)
        cursor_byte(&h->in);
    /* Whether a row is a statement if nothing else is set. */
    cursor_byte(&h->in);
    t->line_base = (int8_t)cursor_byte(&h->in);
    t->line_range = cursor_byte(&h->in);
    t->opcode_base = cursor_byte(&h->in);
    for (unsigned i = 1; i < t->opcode_base; i++)
        t->n_operands[i] = cursor_byte(&h->in);
    if (t->line_range == 0)
        h->in.failed = true;
}

static void read_header(struct line_header *h)
{
    struct unwind_cursor program;

    h->offset_size = debug_length(h->table->sections, &h->in);
    program = h->in;
    h->version = debug_number(h->table->sections, &h->in, 2);
    if (h->version < 2 || h->version > 5)
        return;
    /* The sizes of an address and of a segment's number. */
    if (h->version >= 5)
        cursor_skip(&h->in, 2);
    program.at = h->in.end = take_start(h);
    take_meaning(h);
    if (h->in.failed)
        return;
    h->table->program = program;
    if (h->version >= 5) {
        read_list(h, false);
        read_list(h, true);
    } else {
        read_lists(h);
    }
}

void debug_line_table_read(struct debug_line_table *t,
                           const struct debug_sections *sections, uint64_t offset,
                           const char *compiled_in)
{
    struct line_header h = {
        .table = t,
        .in = cursor_at(&sections->lines, offset, sections->lines.size),
    };

    *t = (struct debug_line_table){
        .sections = sections, .offset = offset, .compiled_in = compiled_in};
    read_header(&h);
}

/* ---- Looking up -------------------------------------------------------------------- */

char *debug_path_join(const char *const parts[3])
{
    struct text path = {NULL, 0, 0};

    for (size_t i = 0; i < 3; i++) {
        if (parts[i] == NULL || parts[i][0] == '\0')
            continue;
        if (parts[i][0] == '/')
            path.size = 0;
        else if (path.size > 0)
            text_char(&path, '/');
        text_str(&path, parts[i]);
    }
    text_char(&path, '\0');
    return path.data;
}

const char *debug_line_table_file(struct debug_line_table *t, uint64_t number)
{
    struct debug_line_file *file = number < t->n_files ? &t->files[number] : NULL;

    if (file == NULL || file->name == NULL)
        return NULL;
    if (file->path == NULL)
        file->path = debug_path_join((const char *const[3]){
            t->compiled_in,
            file->directory < t->n_directories ? t->directories[file->directory] : NULL,
            file->name});
    return file->path;
}

bool debug_line_table_find(struct debug_line_table *t, const struct debug_wanted *wanted,
                           uint64_t address, struct debug_line *line)
{
    uint32_t row;

    if (!t->has_run)
        debug_line_program_run(t, wanted);
    t->has_run = true;
    row = ranges_find(&t->ranges, address);
    if (row == RANGES_NONE)
        return false;
    *line = t->rows[row];
    return true;
}
