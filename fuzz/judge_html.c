/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See judge.h: pages for browsers, in the form that libfxtprofile/output/html/html.h
 * describes.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "judge.h"
#include "judge_text.h"

static const char DATA_BEGIN[] = "<script type=\"application/gzip\" id=\"data\">";
static const char ROWS_BEGIN[] = "<script type=\"application/octet-stream\" id=\"rows\">";

/* How often a string is in bytes; `*first` is what follows the first one. */
static size_t count(struct bytes in, const char *string, const unsigned char **first)
{
    size_t size = strlen(string);
    size_t n = 0;

    for (size_t i = 0; i + size <= in.size; i++) {
        if (memcmp(in.at + i, string, size) != 0)
            continue;
        if (n++ == 0 && first != NULL)
            *first = in.at + i + size;
    }
    return n;
}

static int digit(unsigned char c)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = c != '\0' ? strchr(digits, c) : NULL;

    return found != NULL ? (int)(found - digits) : -1;
}

/* Decodes base64, for the caller to free. */
static struct bytes decode(const unsigned char *data, size_t size)
{
    unsigned char *to = malloc(size + 1);
    uint32_t bits = 0;
    unsigned n_bits = 0;
    size_t n = 0;

    for (size_t i = 0; i < size && digit(data[i]) >= 0; i++) {
        bits = bits << 6 | (uint32_t)digit(data[i]);
        n_bits += 6;
        if (n_bits >= 8) {
            n_bits -= 8;
            to[n++] = (unsigned char)(bits >> n_bits);
        }
    }
    return (struct bytes){to, n};
}

/* What was compressed, for the caller to free; of size 0 if it is damaged. */
static struct bytes decompress(struct bytes from)
{
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)from.at,
                  .avail_in = (uInt)from.size};
    size_t capacity = 4096;
    unsigned char *to = malloc(capacity);
    int result = inflateInit2(&z, 15 + 16);

    while (result == Z_OK) {
        if (z.total_out == capacity)
            to = realloc(to, capacity *= 2);
        z.next_out = to + z.total_out;
        z.avail_out = (uInt)(capacity - z.total_out);
        result = inflate(&z, Z_NO_FLUSH);
    }
    inflateEnd(&z);
    return (struct bytes){to, result == Z_STREAM_END ? z.total_out : 0};
}

/* Reads a column; adds its numbers to `sum`. */
static bool read_column(struct bytes *from, unsigned long n, uint64_t *sum)
{
    for (; n > 0; n--) {
        uint64_t number = 0;
        unsigned shift = 0;

        do {
            if (from->size == 0 || shift > 63)
                return false;
            number |= (uint64_t)(*from->at & 0x7f) << shift;
            shift += 7;
            from->size--;
        } while ((*from->at++ & 0x80) != 0);
        *sum = judge_add_up(*sum, number);
    }
    return true;
}

/* The list is as in [["node.frame",12],...]. */
static const char *judge_columns(const char *list, struct bytes columns, uint64_t total)
{
    uint64_t counted = 0;
    char name[32];
    unsigned long n;
    int size;

    while (sscanf(list, "[\"%31[a-z.]\",%lu]%n", name, &n, &size) == 2) {
        uint64_t sum = 0;

        if (!read_column(&columns, n, &sum))
            return "a column has an end before its last number";
        if (strcmp(name, "sample.count") == 0)
            counted = sum;
        list += size + (list[size] == ',');
    }
    if (*list != ']' || columns.size > 0)
        return "bytes that are in no column";
    return counted == total ? NULL : "the counts are not those of the samples";
}

/* The list is as in [["row.time",12],...]. */
static const char *judge_rows(const char *list, struct bytes rows)
{
    enum { BLOCK = 64 };
    char name[32];
    unsigned long n;
    int size;

    while (sscanf(list, "[\"%31[a-z.]\",%lu]%n", name, &n, &size) == 2) {
        for (unsigned long i = 0; i < n; i += BLOCK) {
            size_t block = rows.size > 0 ? 1 + (size_t)*rows.at * BLOCK / 8 : 1;

            if (rows.size < block || *rows.at > 64)
                return "rows that are cut off";
            rows.at += block;
            rows.size -= block;
        }
        list += size + (list[size] == ',');
    }
    return *list == ']' && rows.size == 0 ? NULL : "bytes that are in no row";
}

/* What follows the one beginning of a list, as a string for the caller to free; NULL if
 * there is not one. */
static char *copy_list(struct bytes json, const char *begin)
{
    const unsigned char *list = NULL;
    char *text;
    size_t size;

    if (count(json, begin, &list) != 1)
        return NULL;
    size = json.size - (size_t)(list - json.at);
    text = calloc(size + 1, 1);
    memcpy(text, list, size);
    return text;
}

static const char *judge_data(struct bytes data, struct bytes rows, uint64_t total)
{
    struct bytes columns;
    struct bytes json;
    const char *fault;
    char *column_list;
    char *row_list;
    size_t size;

    if (data.size < 4)
        return "data that cannot be decompressed";
    size = data.at[0] | data.at[1] << 8 | data.at[2] << 16 | (size_t)data.at[3] << 24;
    if (size > data.size - 4)
        return "the JSON is longer than the data";
    json = (struct bytes){data.at + 4, size};
    fault = judge_timeline((const char *)json.at, json.size, 0);
    if (fault != NULL)
        return fault;
    columns = (struct bytes){json.at + size, data.size - 4 - size};
    /* In a string there is no end of a line. */
    column_list = copy_list(json, "\n\"columns\":[");
    row_list = copy_list(json, "\n\"rows\":[");
    if (column_list == NULL || row_list == NULL)
        fault = "not one list of columns and of rows";
    else
        fault = judge_columns(column_list, columns, total);
    if (fault == NULL)
        fault = judge_rows(row_list, rows);
    free(column_list);
    free(row_list);
    return fault;
}

/* What an element holds, for the caller to free. */
static struct bytes decode_element(struct bytes page, const unsigned char *begin)
{
    return decode(begin, page.size - (size_t)(begin - page.at));
}

static void free_bytes(struct bytes bytes)
{
    free((void *)(uintptr_t)bytes.at);
}

const char *judge_html(const char *page, size_t size, uint64_t total)
{
    struct bytes all = {(const unsigned char *)page, size};
    const unsigned char *data_begin = NULL;
    const unsigned char *rows_begin = NULL;
    const char *fault;
    struct bytes packed;
    struct bytes data;
    struct bytes rows;

    if (!judge_is_text(all, judge_no_control))
        return "control characters, or no UTF-8";
    if (count(all, "<script", NULL) != 3 || count(all, "</script", NULL) != 3 ||
        count(all, DATA_BEGIN, &data_begin) != 1 ||
        count(all, ROWS_BEGIN, &rows_begin) != 1)
        return "other scripts than the page's";
    packed = decode_element(all, data_begin);
    rows = decode_element(all, rows_begin);
    data = decompress(packed);
    fault = judge_data(data, rows, total);
    free_bytes(packed);
    free_bytes(data);
    free_bytes(rows);
    return fault;
}
