/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A target behind a debug stub: its threads, which for an emulated machine are its CPUs,
 * and what is in their registers and on their stacks. All of it is stopped and resumed
 * together.
 */
#ifndef FXTRECORD_DEBUGGER_GDB_CLIENT_H
#define FXTRECORD_DEBUGGER_GDB_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rsp.h"
#include "rsp_target.h"

enum {
    /* Packets of this size all stubs take. */
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
    /* What the stub calls it; may be empty. */
    char name[64];
    /* It is a CPU, by its name, and this one. */
    bool is_cpu;
    uint32_t cpu;
};

struct gdb_client {
    struct rsp rsp;
    struct rsp_layout layout;
    /* The user's word for what the stub does not tell, or unknown. */
    enum rsp_machine assumed;
    /* The layout is the machine's own, since the stub has no description. */
    bool is_guess;

    struct gdb_thread *threads;
    size_t n_threads;
    size_t thread_capacity;
    /* All are CPUs, of which there are always the same. */
    bool is_system;
    /* Threads that there was no room for, the last time. */
    uint64_t n_left_out;

    /* How many bytes a packet of ours or the stub's may have. */
    uint64_t packet_size;
    /* It has stopped by itself, with this signal, which it is to have when it goes on. */
    bool is_stopped;
    unsigned signal;

    /* Bytes of the stopped target's memory. */
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
};

/* Introduces itself to a stub that was connected to, and learns what the target is. The
 * target is stopped then. `*why` says more than the code, or is NULL. */
enum rsp_code gdb_start(struct gdb_client *client, const char **why);

/* Asks for the threads again. */
enum rsp_code gdb_list_threads(struct gdb_client *client);

/* Makes the target go on, or stop. */
enum rsp_code gdb_resume(struct gdb_client *client);
enum rsp_code gdb_stop(struct gdb_client *client);

/* Lets the target run until some time. Where it stops by itself meanwhile, as for a
 * signal, it goes on with that. */
enum rsp_code gdb_wait(struct gdb_client *client, uint64_t until_ns);

/* Turns to a thread of the stopped target and reads its registers. `*known` is false if
 * it has none (any more). */
enum rsp_code gdb_read_registers(struct gdb_client *client,
                                 const struct gdb_thread *thread,
                                 struct gdb_registers *registers, bool *known);

/* Reads a word of the memory of the thread that was turned to. Returns false if it cannot
 * be read; if that was not the stub's answer, `*code` says why. */
bool gdb_read_word(struct gdb_client *client, uint64_t address, uint64_t *word,
                   enum rsp_code *code);

/* Leaves the target alone, running. */
void gdb_detach(struct gdb_client *client);

void gdb_client_free(struct gdb_client *client);

#endif
