/* SPDX-License-Identifier: BSD-2-Clause */
/* See partition.h. */
#include "partition.h"

#include <string.h>
#include <strings.h>
#include <time.h>

#include <fxt/writer.h>

#include "tools/tables/schema.h"
#include "tools/tables/strings.h"

const char partition_recording[] = "recording";

static const char date_key[] = "date";

/* Which stands for null. */
static const char unknown[] = "__HIVE_DEFAULT_PARTITION__";

enum { NS_PER_SECOND = 1000000000 };

/* ---- Checking ---------------------------------------------------------------------- */

static bool is_name(const char *key, size_t size)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char digits[] = "0123456789";

    for (size_t i = 0; i < size; i++) {
        if (strchr(letters, key[i]) == NULL && (i == 0 || strchr(digits, key[i]) == NULL))
            return false;
    }
    return size > 0;
}

static bool is_key(const char *key, size_t size, const char *name)
{
    return strlen(name) == size && strncmp(key, name, size) == 0;
}

static size_t key_size(const char *partition)
{
    return strcspn(partition, "=");
}

/* As engines see it: without regard to case. */
static bool is_same_column(const char *key, size_t size, const char *name)
{
    return strlen(name) == size && strncasecmp(key, name, size) == 0;
}

static bool is_column(const char *key, size_t size)
{
    for (int table = 0; table < SCHEMA_TABLES; table++) {
        for (size_t i = 0; i < schema_tables[table].n_columns; i++) {
            if (is_same_column(key, size, schema_tables[table].columns[i].name))
                return true;
        }
    }
    return is_same_column(key, size, partition_recording);
}

const char *partition_check(const char *partition)
{
    const char *value = strchr(partition, '=');
    size_t size = key_size(partition);

    if (!is_name(partition, size))
        return "the name of a column has letters, digits and underscores";
    if (is_column(partition, size))
        return "the tables have a column of that name";
    if (value == NULL && !is_key(partition, size, date_key))
        return "it needs a value, as in host=web1; only date has one from the trace";
    if (value != NULL && value[1] == '\0')
        return "its value is empty";
    return NULL;
}

bool partition_is_same(const char *partition, const char *other)
{
    size_t size = key_size(partition);

    return size == key_size(other) && strncasecmp(partition, other, size) == 0;
}

/* ---- Paths ------------------------------------------------------------------------- */

/* Bytes that mean something in paths or to Hive become %2F and the like; a value of dots
 * is no way up, since it follows its key. */
static void add_escaped(struct text *path, struct string value)
{
    static const char special[] = "\"#%'*/:=?\\{}[]^\x7f";

    for (size_t i = 0; i < value.size; i++) {
        if ((unsigned char)value.data[i] < ' ' || strchr(special, value.data[i]) != NULL)
            text_printf(path, "%%%02X", (unsigned char)value.data[i]);
        else
            text_char(path, value.data[i]);
    }
}

/* As in the tables: one name that is not UTF-8 makes all files unreadable to DuckDB. */
static void add_value(struct text *path, const char *value)
{
    struct text room = {NULL, 0, 0};

    add_escaped(path, strings_valid(fxt_string_from(value), &room));
    text_free(&room);
}

static void add_date(struct text *path, uint64_t time_ns)
{
    time_t seconds = (time_t)(time_ns / NS_PER_SECOND);
    struct tm day;

    if (time_ns == 0 || gmtime_r(&seconds, &day) == NULL)
        text_str(path, unknown);
    else
        text_printf(path, "%04d-%02d-%02d", day.tm_year + 1900, day.tm_mon + 1,
                    day.tm_mday);
}

void partition_add(struct text *path, const char *partition, uint64_t time_ns)
{
    const char *value = strchr(partition, '=');

    if (value == NULL) {
        text_str(path, partition);
        text_char(path, '=');
        add_date(path, time_ns);
    } else {
        text_add(path, partition, (size_t)(value + 1 - partition));
        add_value(path, value + 1);
    }
    text_char(path, '/');
}
