/* SPDX-License-Identifier: BSD-2-Clause */
/* The work's phases that deal with words: writing them, finding, counting and sorting. */
#include "work_inner.h"

/* ---- generate_text ----------------------------------------------------------------- */

enum { N_VOCABULARY = 4096, MAX_WORD_SIZE = 10, PARAGRAPH_WORDS = 200 };

static uint64_t next_random(struct work *work)
{
    work->random ^= work->random << 13;
    work->random ^= work->random >> 7;
    work->random ^= work->random << 17;
    return work->random;
}

/* A number of a word; low ones come more often, as in any language. */
static uint32_t choose_word(struct work *work)
{
    uint64_t random = next_random(work);
    uint32_t a = random % N_VOCABULARY;
    uint32_t b = (random >> 16) % N_VOCABULARY;
    uint32_t c = (random >> 32) % N_VOCABULARY;

    if (b < a)
        a = b;
    return c < a ? c : a;
}

/* Spells a word: a number always gives the same letters. */
static OWN_FRAME uint32_t spell_word(uint32_t number, unsigned char *letters)
{
    uint64_t bits = (number + 1) * 0x9e3779b97f4a7c15;
    uint32_t size = 3 + (uint32_t)(bits >> 60) % (MAX_WORD_SIZE - 2);

    for (uint32_t i = 0; i < size; i++) {
        letters[i] = (unsigned char)('a' + bits % 26);
        bits /= 26;
    }
    return size;
}

/* Returns false when the text is full. */
static OWN_FRAME bool write_paragraph(struct work *work)
{
    uint32_t size = work->text_size;

    for (int i = 0; i < PARAGRAPH_WORDS && size < TEXT_SIZE - MAX_WORD_SIZE; i++) {
        size += spell_word(choose_word(work), work->text + size);
        work->text[size++] = i + 1 < PARAGRAPH_WORDS ? ' ' : '\n';
    }
    work->text_size = size;
    return size < TEXT_SIZE - MAX_WORD_SIZE;
}

void generate_text(struct work *work)
{
    uint64_t begun = phase_begin();

    work->text_size = 0;
    while (write_paragraph(work))
        continue;
    phase_end(&work->truth, PHASE_GENERATE_TEXT, begun);
}

/* ---- split_words ------------------------------------------------------------------- */

static bool is_letter(unsigned char c)
{
    return c >= 'a' && c <= 'z';
}

void split_words(struct work *work)
{
    uint64_t begun = phase_begin();
    uint32_t n = 0;
    uint32_t i = 0;

    while (i < work->text_size) {
        uint32_t start = i;

        while (i < work->text_size && is_letter(work->text[i]))
            i++;
        if (i > start)
            work->words[n++] = (struct word){start, i - start};
        else
            i++;
    }
    work->n_words = n;
    phase_end(&work->truth, PHASE_SPLIT_WORDS, begun);
}

/* ---- count_words ------------------------------------------------------------------- */

static int compare_words(const struct work *work, uint32_t a, uint32_t b)
{
    struct word left = work->words[a];
    struct word right = work->words[b];
    uint32_t size = left.size < right.size ? left.size : right.size;

    for (uint32_t i = 0; i < size; i++) {
        int difference = work->text[left.start + i] - work->text[right.start + i];

        if (difference != 0)
            return difference;
    }
    return (int)left.size - (int)right.size;
}

static OWN_FRAME uint32_t hash_word(const struct work *work, uint32_t word)
{
    const unsigned char *letters = work->text + work->words[word].start;
    uint32_t hash = 2166136261u;

    for (uint32_t i = 0; i < work->words[word].size; i++)
        hash = (hash ^ letters[i]) * 16777619u;
    return hash ^ (hash >> 15);
}

/* The place of a word: where it is already, or a free one. */
static OWN_FRAME struct slot *find_slot(struct work *work, uint32_t word)
{
    uint32_t at = hash_word(work, word) % N_SLOTS;

    while (work->slots[at].word_plus_one != 0 &&
           compare_words(work, work->slots[at].word_plus_one - 1, word) != 0)
        at = (at + 1) % N_SLOTS;
    return &work->slots[at];
}

static OWN_FRAME void fill_slots(struct work *work)
{
    for (uint32_t i = 0; i < N_SLOTS; i++)
        work->slots[i] = (struct slot){0, 0};
    for (uint32_t word = 0; word < work->n_words; word++) {
        struct slot *slot = find_slot(work, word);

        if (slot->count++ == 0)
            slot->word_plus_one = word + 1;
    }
}

void count_words(struct work *work)
{
    uint64_t begun = phase_begin();
    uint32_t n_words = 0;
    uint32_t n_different = 0;

    fill_slots(work);
    for (uint32_t i = 0; i < N_SLOTS; i++) {
        n_words += work->slots[i].count;
        n_different += work->slots[i].count > 0;
    }
    if (n_words != work->n_words || n_different > N_VOCABULARY)
        work->wrong = true;
    phase_end(&work->truth, PHASE_COUNT_WORDS, begun);
}

/* ---- sort_words -------------------------------------------------------------------- */

/* Equal words stay in the order of the text. */
static OWN_FRAME bool is_before(const struct work *work, uint32_t a, uint32_t b)
{
    int order = compare_words(work, a, b);

    return order != 0 ? order < 0 : a < b;
}

static void swap(uint32_t *a, uint32_t *b)
{
    uint32_t kept = *a;

    *a = *b;
    *b = kept;
}

/* Moves what is before some element in front of it, and returns its place then. */
static OWN_FRAME uint32_t divide(struct work *work, uint32_t low, uint32_t high)
{
    uint32_t *sorted = work->sorted;
    uint32_t place = low;

    swap(&sorted[low + (high - low) / 2], &sorted[high - 1]);
    for (uint32_t i = low; i < high - 1; i++) {
        if (is_before(work, sorted[i], sorted[high - 1]))
            swap(&sorted[i], &sorted[place++]);
    }
    swap(&sorted[place], &sorted[high - 1]);
    return place;
}

/* The smaller part by recursion, the larger one by iteration: the depth stays below the
 * number of bits in the size. */
static OWN_FRAME void sort_range(struct work *work, uint32_t low, uint32_t high)
{
    while (high - low > 1) {
        uint32_t place = divide(work, low, high);

        if (place - low < high - place) {
            sort_range(work, low, place);
            low = place + 1;
        } else {
            sort_range(work, place + 1, high);
            high = place;
        }
    }
}

static OWN_FRAME bool is_sorted(const struct work *work)
{
    for (uint32_t i = 1; i < work->n_words; i++) {
        if (!is_before(work, work->sorted[i - 1], work->sorted[i]))
            return false;
    }
    return true;
}

void sort_words(struct work *work)
{
    uint64_t begun = phase_begin();

    for (uint32_t i = 0; i < work->n_words; i++)
        work->sorted[i] = i;
    sort_range(work, 0, work->n_words);
    if (!is_sorted(work))
        work->wrong = true;
    phase_end(&work->truth, PHASE_SORT_WORDS, begun);
}
