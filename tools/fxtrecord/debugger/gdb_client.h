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
    GDB_THREADS_MAX = 4096,
    /* Threads that are looked at together: sockets have room for the replies. */
    GDB_VIEWS_MAX = 16,
    /* Walks that need more of a thread's memory end. */
    GDB_PIECES_MAX = 512,
    /* riscv's highest privilege, that of firmware, to which addresses are physical. */
    GDB_MODE_MACHINE = 3
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

/* What is known of a thread that is stopped. */
struct gdb_registers {
    uint64_t pc;
    uint64_t frame;
    uint64_t stack;
    uint64_t link;
    /* 0 where the layout does not have them. */
    uint64_t ax, dx, di, r10, r13;
    uint64_t epc;
    /* GDB_MODE_MACHINE in firmware, of which the other two are. */
    uint64_t mode, mepc, satp;
};

/* Bytes of a thread's memory; of size 0 at an address that cannot be read. */
struct gdb_piece {
    uint64_t address;
    size_t size;
    /* Where they are in the view's bytes. */
    size_t at;
};

/* A thread that is stopped, and what was read of its memory. */
struct gdb_view {
    const struct gdb_thread *thread;
    /* It has registers, and has not ended. */
    bool is_known;
    struct gdb_registers registers;
    /* Bits of those that are still to be asked for. */
    unsigned missing;
    struct gdb_piece *pieces;
    size_t n_pieces;
    size_t piece_capacity;
    struct text bytes;
    /* A word was asked for that was not read yet, at this address. */
    bool is_wanting;
    uint64_t wanted;
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

    /* Bits of the registers that the packet of all of them lacks. */
    unsigned apart;
    struct gdb_view views[GDB_VIEWS_MAX];
    /* The one that the stub has selected; or NULL. */
    const struct gdb_view *selected;
    /* Memory up to an address that is a multiple of this is read ahead, since what
     * follows it is probably of no use; pages if it is 0. */
    uint64_t read_limit;
};

/* Negotiates with a stub after connecting, and finds out what the target is, which is
 * then stopped. `*why` has details of the code, or is NULL. */
enum rsp_code gdb_start(struct gdb_client *client, const char **why);

/* Asks for the threads again. */
enum rsp_code gdb_list_threads(struct gdb_client *client);

/* Resumes or stops the target. */
enum rsp_code gdb_resume(struct gdb_client *client);
enum rsp_code gdb_stop(struct gdb_client *client);

/* Stops it by the packet of the next request, which is answered then: for stubs whose
 * session is pipelined. */
void gdb_stop_with_next(struct gdb_client *client);

/* Lets the target run until some time. If it stops before, as for a signal, it is resumed
 * with that signal. */
enum rsp_code gdb_wait(struct gdb_client *client, uint64_t until_ns);

/* How many threads can be looked at together, at least 1. */
size_t gdb_views_max(const struct gdb_client *client);

/* Reads the registers of so many threads of the stopped target, which the first views are
 * of then. The last one is selected. */
enum rsp_code gdb_look(struct gdb_client *client, const struct gdb_thread *threads,
                       size_t n);

/* A word of what was read of a thread's memory. Returns false if it cannot be read, or
 * was not read yet: then the view wants it, and what was asked for before it is still
 * there when it is asked for again. */
bool gdb_view_word(struct gdb_view *view, uint64_t address, uint64_t *word);

/* Reads what the first views want, and what follows it. */
enum rsp_code gdb_fetch(struct gdb_client *client, size_t n);

/* Reads memory of the selected thread, in as few packets as possible. Returns false if
 * not all of it can be read, with `*code` as for a word. */
bool gdb_read_memory(struct gdb_client *client, uint64_t address, void *to, size_t size,
                     enum rsp_code *code);

/* Detaches from the target, which continues. */
void gdb_detach(struct gdb_client *client);

#endif
