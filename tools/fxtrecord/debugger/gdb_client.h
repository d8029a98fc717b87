/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The target of a debug stub: its threads, which for an emulated machine are its CPUs,
 * and their registers and stacks. All threads are stopped and resumed together.
 */
#ifndef FXTRECORD_DEBUGGER_GDB_CLIENT_H
#define FXTRECORD_DEBUGGER_GDB_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rsp.h"
#include "rsp_target.h"

enum {
    /* All stubs accept packets of this size. */
    GDB_PACKET_SIZE_MIN = 64,
    /* A thread's id as the stub writes it, with its NUL. */
    GDB_ID_MAX = 40,
    /* More threads are left out. */
    GDB_THREADS_MAX = 4096
};

struct gdb_thread {
    char id[GDB_ID_MAX];
    /* The same as a number: for threads of processes, the operating system's. */
    uint64_t number;
    /* Its name in the stub; may be empty. */
    char name[64];
    /* According to its name it is a CPU, with this number. */
    bool is_cpu;
    uint32_t cpu;
};

struct gdb_client {
    struct rsp rsp;
    struct rsp_layout layout;
    /* The architecture that the user gave for stubs that do not report it, or unknown. */
    enum rsp_machine assumed;
    /* The layout is the architecture's default, since the stub has no description. */
    bool is_guess;

    struct gdb_thread *threads;
    size_t n_threads;
    size_t thread_capacity;
    /* All are CPUs, whose list does not change. */
    bool is_system;
    /* How many threads were left out of the last list for lack of room. */
    uint64_t n_left_out;

    /* The maximum size of a packet in either direction. */
    uint64_t packet_size;
    /* It stopped for this signal, without a request; it is resumed with the signal. */
    bool is_stopped;
    unsigned signal;

    /* Bytes of the stopped target's memory. No more is read at once than up to an address
     * that is a multiple of `read_limit`, since what follows it may not be mapped. */
    uint64_t read_limit;
    uint64_t cached;
    size_t n_cached;
    unsigned char cache[4096];
};

/* What is known of a thread that is stopped. */
struct gdb_registers {
    uint64_t pc;
    uint64_t frame;
    uint64_t stack;
    uint64_t link;
    /* 0 where the layout does not have them. */
    uint64_t ax, dx, di, r10, r13;
};

/* Negotiates with a stub after connecting, and finds out what the target is, which is
 * then stopped. `*why` has details of the code, or is NULL. */
enum rsp_code gdb_start(struct gdb_client *client, const char **why);

/* Asks for the threads again. */
enum rsp_code gdb_list_threads(struct gdb_client *client);

/* Resumes or stops the target. */
enum rsp_code gdb_resume(struct gdb_client *client);
enum rsp_code gdb_stop(struct gdb_client *client);

/* Lets the target run until some time. If it stops before, as for a signal, it is resumed
 * with that signal. */
enum rsp_code gdb_wait(struct gdb_client *client, uint64_t until_ns);

/* Selects a thread of the stopped target and reads its registers. `*known` is false if it
 * has none, or has ended. */
enum rsp_code gdb_read_registers(struct gdb_client *client,
                                 const struct gdb_thread *thread,
                                 struct gdb_registers *registers, bool *known);

/* Reads a word of the selected thread's memory. Returns false if it cannot be read; if
 * that was not the stub's answer, `*code` has the reason. */
bool gdb_read_word(struct gdb_client *client, uint64_t address, uint64_t *word,
                   enum rsp_code *code);

/* Reads memory of the selected thread, in as few packets as possible. Returns false if
 * not all of it can be read, with `*code` as for a word. */
bool gdb_read_memory(struct gdb_client *client, uint64_t address, void *to, size_t size,
                     enum rsp_code *code);

/* Detaches from the target, which continues. */
void gdb_detach(struct gdb_client *client);

void gdb_client_free(struct gdb_client *client);

#endif
