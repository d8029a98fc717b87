/* SPDX-License-Identifier: BSD-2-Clause */
/* Every line of fxtdump's JSON parses with an independent parser, whatever was read. */
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <fxt/reader.h>

#include "tests/support/pooled.h"
#include "tools/fxtdump/print.h"

static const char *const files[] = {
    "damaged.fxt", "every.fxt",      "every_big_endian.fxt", "hostile.fxt",
    "huge.bin",    "lost.fxt",       "redefined.fxt",        "region.bin",
    "regions.bin", "said_wrong.fxt",
};

enum { FILES = sizeof(files) / sizeof(files[0]), FILE_MAX = 1 << 16 };

static size_t load(const char *name, unsigned char *to)
{
    char path[4096];
    FILE *file;
    size_t size;

    snprintf(path, sizeof(path), "%s/%s", TEST_DATA, name);
    file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    size = fread(to, 1, FILE_MAX, file);
    fclose(file);
    cr_assert(size > 0 && size < FILE_MAX, "%s", path);
    return size;
}

struct printed {
    struct print_context context;
    struct text lines;
};

static int print_one_record(void *context, const struct fxt_record *record)
{
    struct printed *printed = (struct printed *)context;

    print_json.record(&printed->lines, &printed->context, record);
    return 0;
}

static int print_one_error(void *context, const struct fxt_error *error)
{
    struct printed *printed = (struct printed *)context;
    struct fault fault = {
        .offset = error->offset,
        .size = error->skipped,
        .code = fxt_code_name(error->code),
        .message = error->message,
        .error = error,
    };

    print_json.fault(&printed->lines, &printed->context, &fault);
    return 0;
}

static void print_all(struct printed *printed, const unsigned char *data, size_t size,
                      bool resync)
{
    struct fxt_reader_options options = {
        .size = sizeof(options),
        .on_record = print_one_record,
        .on_error = print_one_error,
        .context = printed,
        .resync = resync,
    };
    struct fxt_chunk chunk = {data, size, 0};
    struct fxt_reader *reader;

    cr_assert_eq(fxt_reader_create(&options, &reader), FXT_OK);
    fxt_reader_read(reader, &chunk);
    fxt_reader_finish(reader, &chunk);
    fxt_reader_destroy(reader);
}

/* The first members, in their order, and no member twice. */
static bool is_good(const cJSON *object, bool several_regions)
{
    const cJSON *member = object->child;

    if (!cJSON_IsObject(object) || strcmp(member->string, "offset") != 0)
        return false;
    member = member->next;
    if (strcmp(member->string, "size") != 0)
        return false;
    member = member->next;
    if (several_regions && strcmp(member->string, "region") != 0)
        return false;
    member = several_regions ? member->next : member;
    if (strcmp(member->string, "type") != 0 || !cJSON_IsString(member))
        return false;
    cJSON_ArrayForEach(member, object)
    {
        if (cJSON_GetObjectItemCaseSensitive(object, member->string) != member)
            return false;
    }
    return true;
}

/* Returns how many lines there are. */
static size_t check_lines(const struct text *lines, bool several_regions)
{
    const char *line = lines->data;
    const char *end = lines->data + lines->size;
    size_t n_lines = 0;

    while (line < end) {
        const char *newline = (const char *)memchr(line, '\n', (size_t)(end - line));
        const char *parsed_to;
        cJSON *object;

        cr_assert_not_null(newline);
        object = cJSON_ParseWithLengthOpts(line, (size_t)(newline - line), &parsed_to, 0);
        cr_assert(object != NULL && parsed_to == newline, "%.*s", (int)(newline - line),
                  line);
        cr_assert(is_good(object, several_regions), "%.*s", (int)(newline - line), line);
        cJSON_Delete(object);
        line = newline + 1;
        n_lines++;
    }
    return n_lines;
}

POOLED_TEST(fxtdump_json, each_line_of_each_test_file_parses)
{
    static unsigned char data[FILE_MAX];
    struct printed printed = {.context = {.payload = true}};

    for (size_t i = 0; i < FILES; i++) {
        size_t size = load(files[i], data);

        printed.lines.size = 0;
        print_all(&printed, data, size, false);
        cr_assert(check_lines(&printed.lines, false) > 1, "%s", files[i]);
    }
}

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005 + 1442695040888963407;
    return (uint32_t)(*state >> 33);
}

POOLED_TEST(fxtdump_json, each_line_parses_whatever_bytes_are_changed)
{
    static unsigned char data[FILE_MAX];
    static unsigned char changed[FILE_MAX];
    struct printed printed = {.context = {.several_regions = true}};
    uint64_t state = 1;
    size_t n_lines = 0;

    for (size_t i = 0; i < FILES; i++) {
        size_t size = load(files[i], data);

        for (int round = 0; round < 300; round++) {
            memcpy(changed, data, size);
            for (int n = 0; n < 1 + round % 20; n++)
                changed[next_random(&state) % size] = (unsigned char)next_random(&state);
            printed.lines.size = 0;
            printed.context.payload = round % 2 != 0;
            print_all(&printed, changed, size, round % 3 != 0);
            n_lines += check_lines(&printed.lines, true);
        }
    }
    cr_assert(n_lines > 10000);
}
