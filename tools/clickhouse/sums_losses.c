/* SPDX-License-Identifier: BSD-2-Clause */
/* See sums_losses.h. */
#include "sums_losses.h"

#include "common/base/memory.h"

struct sums_loss {
    /* Numbers in `strings`. */
    uint32_t name;
    uint32_t sentence;
    uint64_t n;
    uint64_t n_recordings;
};

static uint32_t add_string(struct string_table *table, struct string string)
{
    return string_table_add(table, string.data, string.size);
}

static struct sums_loss *find_loss(struct sums_losses *l, struct string name,
                                   struct string pattern, struct string sentence)
{
    struct text key = {NULL, 0, 0};
    uint32_t number;

    text_add(&key, name.data, name.size);
    text_char(&key, '\0');
    text_add(&key, pattern.data, pattern.size);
    number = string_table_add(&l->keys, key.data, key.size);
    text_free(&key);
    if (number == l->n)
        MEMORY_ADD(l->all, l->n, l->capacity,
                   (struct sums_loss){.name = add_string(&l->strings, name),
                                      .sentence = add_string(&l->strings, sentence)});
    return &l->all[number];
}

void sums_losses_take(struct sums_losses *l, struct row_reader *r)
{
    struct string name = row_reader_string(r);
    struct string pattern = row_reader_string(r);
    struct string sentence = row_reader_string(r);
    int64_t n = row_reader_int64(r);
    int64_t n_recordings = row_reader_int64(r);
    struct sums_loss *loss;

    if (r->is_bad)
        return;
    loss = find_loss(l, name, pattern, sentence);
    loss->n += (uint64_t)n;
    loss->n_recordings += (uint64_t)n_recordings;
}

static void add_words(struct text *text, struct string name)
{
    for (size_t i = 0; i < name.size; i++)
        text_char(text, (char)(name.data[i] == '_' ? ' ' : name.data[i]));
}

/* "12 dropped records in the whole of 3 recordings: the sampler had no room"; of a note,
 * the first of those that differ in numbers only. */
static void add_sentence(const struct sums_losses *l, const struct sums_loss *loss,
                         struct text *to)
{
    struct string name = string_table_get(&l->strings, loss->name);
    struct string sentence = string_table_get(&l->strings, loss->sentence);
    bool is_note = string_compare(name, string_from("note")) == 0;

    if (!is_note) {
        text_u64(to, loss->n);
        text_char(to, ' ');
        add_words(to, name);
        text_char(to, ' ');
    }
    text_str(to, "in the whole of ");
    text_count(to, loss->n_recordings, "recording");
    text_str(to, is_note && loss->n_recordings > 1 ? ", such as: " : ": ");
    text_add(to, sentence.data, sentence.size);
    text_char(to, '\0');
}

void sums_losses_add(const struct sums_losses *l, struct fxt_profile_builder *builder)
{
    struct text sentence = {NULL, 0, 0};

    for (size_t i = 0; i < l->n; i++) {
        sentence.size = 0;
        add_sentence(l, &l->all[i], &sentence);
        fxt_profile_builder_add_loss(builder, sentence.data);
    }
}
