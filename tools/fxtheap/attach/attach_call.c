/* SPDX-License-Identifier: BSD-2-Clause */
/* See attach_session.h: calling functions of the dynamic loader and of libfxtheap. */
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "attach_session.h"

/* Returns false unless it has returned. */
static bool call(struct attach_session *s, const struct tracee_function *function,
                 void *data, size_t size, struct text *why)
{
    switch (tracee_call(&s->tracee, s->target.memory, function, data, size)) {
    case TRACEE_RETURNED:
    case TRACEE_LEFT:
        return true;
    case TRACEE_CRASHED:
        text_str(why, "a call in it failed: it goes on where it was");
        tracee_release(&s->tracee);
        break;
    case TRACEE_LATE:
        text_str(why, "a call in it takes long, as if other threads held a lock: it "
                      "continues with that call");
        break;
    case TRACEE_GONE:
        text_str(why, "it has ended");
        break;
    }
    return false;
}

/* dlopen is in the C library from glibc 2.34 on; others have a function for that which
 * is not for programs. */
static uint64_t find_dlopen(const struct attach_session *s, uint64_t *flags)
{
    const struct image *libc = &s->target.libc->image;
    uint64_t found = image_find(libc, "dlopen").start;

    *flags = RTLD_NOW;
    if (found != 0)
        return found;
    *flags = RTLD_NOW | UINT64_C(0x80000000);
    return image_find(libc, "__libc_dlopen_mode").start;
}

/* Of the thread that is stopped; 0 if it is not known. */
static uint64_t find_errno(const struct attach_session *s)
{
    uint64_t function = image_find(&s->target.libc->image, "__errno_location").start;
    unsigned char code[REGISTERS_ERRNO_BYTES];
    uint64_t word_at;
    uint64_t offset;
    uint64_t base;

    if (function == 0 || !image_copy(s->target.memory, function, code, sizeof(code)) ||
        !registers_errno(&s->tracee.registers, code, function, &word_at, &base) ||
        !image_copy(s->target.memory, word_at, &offset, sizeof(offset)))
        return 0;
    return base + offset;
}

/* dlopen changes errno, which the thread may be about to look at. */
static bool call_dlopen(struct attach_session *s, uint64_t function, char *path,
                        uint64_t flags, struct text *why)
{
    uint64_t errno_at = find_errno(s);
    int before = 0;
    bool is_known =
        errno_at != 0 && image_copy(s->target.memory, errno_at, &before, sizeof(before));
    const struct tracee_function dlopen_there = {
        .address = function, .second = flags, .restorer = s->restorer};
    bool good = call(s, &dlopen_there, path, strlen(path) + 1, why);

    if (is_known && good)
        good = pwrite(s->target.memory, &before, sizeof(before), (off_t)errno_at) ==
               sizeof(before);
    return good;
}

bool attach_load_library(struct attach_session *s, const char *library, struct text *why)
{
    uint64_t flags;
    uint64_t function = find_dlopen(s, &flags);
    char path[4096];

    /* It may be mapped and not be ready: if a thread is still loading it, as for an
     * fxtheap that was killed, dlopen waits for that. */
    if (s->target.heap != NULL)
        library = s->target.heap->path;
    memset(path, 0, sizeof(path));
    strncpy(path, library, sizeof(path) - 1);
    if (function == 0)
        return text_fail(why, "its C library has no dlopen");
    if (!call_dlopen(s, function, path, flags, why))
        return false;
    if (target_reopen(&s->target) && s->target.heap != NULL)
        return true;
    return text_fail(why, "its dynamic loader cannot load %s", path);
}

/* Whether a table is mapped there. */
static bool is_recorded(const struct target *t)
{
    const char *name = text_format("fxtheap.%ld.", (long)t->process);

    for (size_t i = 0; i < t->n_files; i++) {
        if (strncmp(target_name(&t->files[i]), name, strlen(name)) == 0)
            return true;
    }
    return false;
}

static void explain_result(const struct heap_attach_request *r, bool is_attach,
                           struct text *why)
{
    switch ((enum heap_attach_result)r->result) {
    case HEAP_ATTACH_PENDING:
        text_str(why, "the libfxtheap in it is of another version");
        break;
    case HEAP_ATTACH_BOUND:
        text_str(why, is_attach ? "it is already being recorded"
                                : "it is not recorded, or was not attached to");
        break;
    case HEAP_ATTACH_OPTIONS:
        text_str(why, "it was recorded with --sample before: it can be so again, but not "
                      "without");
        break;
    case HEAP_ATTACH_TABLE:
        text_printf(why, "the table cannot be created: %s", strerror((int)r->error));
        break;
    case HEAP_ATTACH_NO_CALLS:
        text_str(why, "no module in it calls the allocator by a name");
        break;
    case HEAP_ATTACH_DONE:
    case HEAP_ATTACH_IN_USE:
        break;
    }
}

bool attach_call_library(struct attach_session *s, bool is_attach,
                         struct heap_attach_request *r, struct text *why)
{
    const char *name = is_attach ? HEAP_ATTACH_FUNCTION : HEAP_DETACH_FUNCTION;
    const struct tracee_function function = {
        .address = image_find(&s->target.heap->image, name).start,
        .waits = true,
        .restorer = s->restorer};

    if (function.address == 0)
        return text_fail(why, "the libfxtheap in it is of another version");
    if (!call(s, &function, r, sizeof(*r), why))
        return false;
    /* What was pending has returned. */
    if (r->result == HEAP_ATTACH_PENDING && r->state == 0 && target_reopen(&s->target) &&
        is_recorded(&s->target) == is_attach)
        r->result = HEAP_ATTACH_DONE;
    if (r->result == HEAP_ATTACH_DONE || r->result == HEAP_ATTACH_IN_USE)
        return true;
    explain_result(r, is_attach, why);
    return false;
}
