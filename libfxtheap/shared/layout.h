/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a process with libfxtheap in it keeps in shared memory for programs that inspect
 * its heap, and how the two sides use it without communicating. Both include this file
 * and nothing else of each other.
 *
 * The table is a file, NAME.PID.START in a directory that the process chooses (START as
 * in field 22 of /proc/PID/stat, so that the table of an earlier process with the same
 * PID is distinguished from this one's). It is sparse: what was never used takes no
 * memory. It remains if the process is killed. All numbers are in the machine's byte
 * order.
 *
 *     header   what the table is of, where the parts are, and what was lost
 *     slots    one for each live block, in any order
 *     index    stacks by hash: words of a hash (upper half) and a stack (lower half)
 *     pool     words: the stacks, each once, and never moved
 *     threads  names of threads, in the order in which they were seen
 *     maps     lines of /proc/PID/maps: where code is, or was; and views of them
 *
 * Structures end in the version that they are of first. A version that was published is
 * never changed, and the collector reads all. Version 2 has the structures of version 1,
 * and a larger index. Version 4 is one in which the process keeps the peak: the header is
 * struct heap_header_v4, and a struct heap_live_v4 follows the PCs of each stack. There
 * is no version 3. What was added later follows the header (struct heap_header_end) where
 * header_size has room.
 *
 * ---- How blocks come and go ----
 *
 * A slot is four words. The key shows whether there is a block in it:
 *
 *     address  whose block it is, divided by 8; 0 in a slot that is free
 *     use      counts the blocks that were in this slot, 17 bits, and wraps
 *     FILLING  the slot is taken, and its other words are being written; address is 0
 *     MOVING   a realloc of the block is under way
 *
 * One store to one word makes each change, as a reader sees it:
 *
 * - insert: the key of a free slot becomes FILLING with the next `use`; then time, size
 *   and owner are written; then the key with the address. From this store on there is a
 *   block.
 * - remove: the key loses its address and keeps its `use`. There is no block then, and
 *   the other words mean nothing.
 * - resize: the size is written over.
 *
 * A block is inserted after the allocator has returned it, and removed before it is
 * freed, so that no address has two owners. A realloc may free an address, and another
 * thread may get it, before it returns: during that time the block is MOVING, and of two
 * slots with one address, the one that is not MOVING has it.
 *
 * Which slot: one that is free, of those that were used before if there is one, so that
 * they take no more memory than the blocks that were live at one time. If none is left,
 * the block is counted as lost. How the process finds the slot of a block is its own
 * affair.
 *
 * ---- How to read them ----
 *
 * Copy the slots three times, one copy after the other. Where key (but for MOVING) and
 * time are the same in the first and the third copy, no other block was in the slot in
 * between, and the second copy has its size and owner: the last size that it had then.
 * (`use` detects that the same address was reused, and time that `use` wrapped.) Where
 * they differ the slot was written in between: copy it again, or leave it out, since
 * there was a moment without a block in it.
 *
 * A copy has each block that was allocated from the first read to the last, once, and a
 * number of those that were allocated or freed in between. Such a block may overlap one
 * that was freed before, or one that a realloc has made smaller or larger since it was
 * read. Read blocks that overlap again: they are gone, or have another size. Where that
 * does not resolve it, as in a process that was stopped in a realloc, one that is MOVING
 * is older than the others, and the youngest is right.
 *
 * A reader needs no cooperation of the process: no lock, no signal, no reply. A process
 * that is stopped or killed between any two instructions leaves a table that reads as
 * above.
 *
 * ---- Stacks ----
 *
 * A stack is a number: where in the pool its struct heap_stack_v1 begins, in words; 0 is
 * no stack. It is written before anything refers to it, and its PCs do not change. The
 * words in front of them only grow.
 *
 * The index is several hash tables, one after the other, each eight times as large as the
 * one before: the next one is used when a stack finds no entry in the last, so that few
 * stacks take little memory, and many are found in few steps. Readers need not know this:
 * each word that is not 0 refers to a stack. Two threads that add the same stack while
 * the index grows may each have their own.
 *
 * A struct heap_stack_counts may precede a stack, which only grows, too. A block is
 * temporary if its thread calls the allocator for nothing else between the block's
 * allocation and its end: it frees the block, or a realloc moves it.
 *
 * ---- Views ----
 *
 * Where code of one file was, that of another may be later: the same PCs are other
 * functions then. What is where is a view: the first one begins with the process, and a
 * line "@TIME" in `maps` begins another, by CLOCK_MONOTONIC, with the lines that follow
 * where they overlap earlier ones. A line that overlaps none is valid in all views. A
 * view that is there again is not repeated: a stack has the time of its view, whenever it
 * was added, and stacks of two views are two, though their PCs are the same.
 *
 * ---- The peak ----
 *
 * A peak is where the heap begins to shrink and is larger than at the last peak by more
 * than 1/256 of that. Peaks are numbered from 1 on: since each is larger than the one
 * before, 16 bits are enough for all. One exchange of one word, which has the number and
 * the bytes, makes a peak, and nothing is copied then. The thread that first changes what
 * a stack has live after that saves what it was before. So what a stack had at the peak
 * is what it has live, or, if what was saved is of this peak, that.
 *
 * Each saved number is one word, together with the number of its peak, and is replaced by
 * one exchange, by those of later peaks only. So a thread that was preempted while it
 * saved cannot undo what another has saved since, and a process that was killed between
 * the two words has saved the one, and not changed the other. The time of a peak is
 * written before it, to the word that the peak before does not use, and times only grow.
 *
 * To read them in a process that runs: read a stack's words, and read them again. What
 * the second copy has saved for the peak is right; if it has not, the first has what was
 * live then. The heap is at a peak as long as it is so large that shrinking would make
 * one: then what is live is right. If there was another peak since, begin again. Read the
 * time between two reads of the peak's number.
 *
 * Threads that change a stack at the time of a peak may each count a block for the peak
 * that came after it, or the reverse.
 */
#ifndef LIBFXTHEAP_SHARED_LAYOUT_H
#define LIBFXTHEAP_SHARED_LAYOUT_H

#include <stdint.h>

#define HEAP_TABLE_NAME "fxtheap"
#define HEAP_TABLE_DIRECTORY "/dev/shm"

/* "FXTHEAP\n" in the machine's byte order. */
#define HEAP_MAGIC UINT64_C(0x0a50414548545846)

enum {
    HEAP_VERSION = 2,
    HEAP_VERSION_PEAK = 4,
    HEAP_DEPTH_MAX = 128,
    HEAP_NAME_SIZE = 16,
    HEAP_PATH_SIZE = 1024
};

struct heap_header_v1 {
    uint64_t magic;
    uint32_t version;
    /* Of this structure, in bytes. */
    uint32_t header_size;
    uint64_t file_size;

    uint64_t process;
    uint64_t start_ticks;
    /* One moment by CLOCK_MONOTONIC, of which all times are, and CLOCK_REALTIME. */
    uint64_t monotonic_ns;
    uint64_t wall_ns;
    /* The average number of bytes from one sampled block to the next; 0 if all blocks are
     * in the table. */
    uint64_t sample_bytes;
    /* How many PCs a stack has at most. */
    uint64_t depth;
    /* The first thread's name and the program's file, each ended by a zero byte. */
    char name[HEAP_NAME_SIZE];
    char program[HEAP_PATH_SIZE];

    /* Where the parts begin in the file, in bytes, and how many there are of each. */
    uint64_t slots_at;
    uint64_t n_slots;
    uint64_t index_at;
    uint64_t n_index;
    uint64_t pool_at;
    uint64_t n_pool_words;
    uint64_t threads_at;
    uint64_t n_threads;
    uint64_t maps_at;
    uint64_t maps_size;

    /* How much of these is used; may exceed their number, and the excess was lost. */
    uint64_t pool_used;
    uint64_t threads_used;
    uint64_t maps_used;

    /* Blocks that found no slot, and their bytes. */
    uint64_t lost_blocks;
    uint64_t lost_bytes;
    /* Blocks in the table without their stack, or whose stack had no room for counts. */
    uint64_t lost_stacks;
    /* Names of threads, and reads of /proc/PID/maps, for which there was no room. */
    uint64_t lost_threads;
    uint64_t lost_maps;
};

/* What a stack has live, and had at a peak. */
struct heap_live_v4 {
    uint64_t objects;
    uint64_t bytes;
    /* What these were at a peak, whose number is in the upper 16 bits of each. */
    uint64_t peak_objects;
    uint64_t peak_bytes;
};

enum { HEAP_LIVE_WORDS = 4 };

struct heap_peak_v4 {
    /* What is live. */
    uint64_t bytes;
    /* What was at the last peak, with its number in the upper 16 bits; 0 before the first
     * one. */
    uint64_t last;
    /* When that was, if its number is even; and if it is odd. */
    uint64_t time_ns[2];
    /* The blocks whose stack is not known. */
    struct heap_live_v4 no_stack;
};

struct heap_header_v4 {
    struct heap_header_v1 v1;
    struct heap_peak_v4 peak;
};

#define HEAP_PEAK_SHIFT 48

/* The number of a peak, of its word or of one that was saved. */
static inline uint64_t heap_peak_number(uint64_t word)
{
    return word >> HEAP_PEAK_SHIFT;
}

/* The rest of that word. */
static inline uint64_t heap_peak_amount(uint64_t word)
{
    return word & ((UINT64_C(1) << HEAP_PEAK_SHIFT) - 1);
}

/* A peak must be larger than the last one by more than this fraction of it, as a power of
 * two. */
enum { HEAP_PEAK_LARGER_BITS = 8 };

/* Whether there would be a peak if a heap of so many bytes shrank now. */
static inline int heap_is_at_peak(uint64_t bytes, uint64_t largest)
{
    return bytes > largest + (largest >> HEAP_PEAK_LARGER_BITS) &&
           bytes >> HEAP_PEAK_SHIFT == 0;
}

/* Follows the structure of version 2 or 4, as far as header_size has room for it; what is
 * missing is 0. */
struct heap_header_end {
    /* The number of the PID namespace in which `process` is valid, as in
     * /proc/PID/ns/pid; 0 where there is no /proc. */
    uint64_t pid_namespace;
    /* How many words precede each stack, the last of which are a struct
     * heap_stack_counts; 0 if there is none, as where samples are taken. */
    uint64_t n_count_words;
    /* When the process ended; 0 if it runs, or did not end by exit. */
    uint64_t end_ns;
    /* How many words in front of each stack its struct heap_stack_state begins; 0 if
     * there is none. */
    uint64_t state_at;
};

static inline uint64_t heap_header_end_at(uint32_t version)
{
    return version == HEAP_VERSION_PEAK ? sizeof(struct heap_header_v4)
                                        : sizeof(struct heap_header_v1);
}

/* What follows it, where header_size has room for it: the process had allocated
 * before it was recorded, and these blocks are not in the table. */
struct heap_attached_v1 {
    /* How many bytes they had, as far as the allocator says; else UINT64_MAX. */
    uint64_t bytes_before;
    /* How many of them were freed since. */
    uint64_t unknown_frees;
};

static inline uint64_t heap_attached_at(uint32_t version)
{
    return heap_header_end_at(version) + sizeof(struct heap_header_end);
}

struct heap_slot_v1 {
    uint64_t key;
    uint64_t time_ns;
    uint64_t size;
    /* The stack in the lower half, the thread's id in the upper. */
    uint64_t owner;
};

#define HEAP_KEY_MOVING UINT64_C(1)
#define HEAP_KEY_FILLING UINT64_C(2)
#define HEAP_KEY_USE_ONE UINT64_C(4)
#define HEAP_KEY_USE (((UINT64_C(1) << 17) - 1) * HEAP_KEY_USE_ONE)
#define HEAP_KEY_ADDRESS_SHIFT 19

/* Addresses from here on, and those that are not a multiple of 8, cannot be stored in a
 * key. */
#define HEAP_ADDRESS_END (UINT64_C(1) << 48)
#define HEAP_ADDRESS_UNIT UINT64_C(8)

static inline uint64_t heap_key_address(uint64_t key)
{
    return (key >> HEAP_KEY_ADDRESS_SHIFT) * HEAP_ADDRESS_UNIT;
}

struct heap_stack_v1 {
    /* All blocks that this stack has ever allocated (of those that were sampled), and
     * their bytes. */
    uint64_t alloc_objects;
    uint64_t alloc_bytes;
    /* How many PCs follow. All are return addresses: the first is in the caller of the
     * allocator. */
    uint64_t n_pcs;
    uint64_t pcs[];
};

enum { HEAP_STACK_HEAD_WORDS = 3 };

/* Of the blocks that a stack has allocated: how many reallocs have moved one, and have
 * left one where it was; and how many were temporary. Those that were moved are new
 * blocks of the realloc's stack. */
struct heap_stack_counts {
    uint64_t moved;
    uint64_t resized;
    uint64_t temporary;
};

enum { HEAP_COUNT_WORDS = 3 };

/* What is known of a stack beside its PCs; it does not change. */
struct heap_stack_state {
    /* The time of its view; 0 for the first one, and where no view has other code. */
    uint64_t view_ns;
    /* A number of enum fxt_stack_end: that of the depth limit, or 0. */
    uint64_t end;
};

enum { HEAP_STATE_WORDS = 2 };

/* The last one of a thread has its name. */
struct heap_thread_v1 {
    /* Written last; 0 until then. */
    uint64_t thread;
    char name[HEAP_NAME_SIZE];
};

#endif
