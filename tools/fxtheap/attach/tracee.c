/* SPDX-License-Identifier: BSD-2-Clause */
/* See tracee.h. */
#include "tracee.h"

#include <elf.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "image.h"
#include "libfxtheap/shared/attach_request.h"

/* A thread in the kernel, as after vfork, stops later. */
#define STOP_NS (UINT64_C(100) * 1000000)
#define CALL_NS (UINT64_C(20) * 1000000000)

/* ---- Stops ------------------------------------------------------------------------- */

/* Numbers are passed to ptrace as pointers. */
static long request(int what, pid_t thread, uintptr_t address, uintptr_t data)
{
    return ptrace(what, thread, (void *)address, (void *)data);
}

/* Those that did not stop in time, and have now, until one is found that is in use (0 for
 * none). */
static void release_late_but(pid_t used)
{
    const int what = WEXITED | WSTOPPED | __WALL | WNOHANG;
    siginfo_t found = {.si_pid = 0};
    int status;

    while (waitid(P_ALL, 0, &found, what | WNOWAIT) == 0 && found.si_pid != 0 &&
           found.si_pid != used &&
           waitpid(found.si_pid, &status, __WALL | WNOHANG) == found.si_pid) {
        bool is_signal = WIFSTOPPED(status) && status >> 16 == 0;

        if (WIFSTOPPED(status))
            request(PTRACE_DETACH, found.si_pid, 0,
                    is_signal ? (uintptr_t)WSTOPSIG(status) : 0);
    }
}

void tracee_release_late(void)
{
    release_late_but(0);
}

enum stop {
    STOP_NONE,
    STOP_GONE,
    /* By PTRACE_INTERRUPT, or of the whole process by a signal. */
    STOP_INTERRUPT,
    STOP_GROUP,
    STOP_SYSTEM_CALL,
    STOP_SIGNAL,
};

/* Waits until the thread stops, or until `end`. A signal that is about to be delivered is
 * stored. Late threads continue to run: they may have the lock that this one waits for.
 */
static enum stop await_stop(pid_t thread, uint64_t end, int *number)
{
    const struct timespec pause = {0, 50000};
    int status;
    pid_t found;

    /* A thread that runs stops at once. */
    for (int i = 0; (found = waitpid(thread, &status, __WALL | WNOHANG)) == 0; i++) {
        if (clock_ns(CLOCK_MONOTONIC) > end)
            return STOP_NONE;
        release_late_but(thread);
        if (i < 100)
            sched_yield();
        else
            nanosleep(&pause, NULL);
    }
    if (found != thread || !WIFSTOPPED(status))
        return STOP_GONE;
    *number = WSTOPSIG(status);
    if (status >> 16 == PTRACE_EVENT_STOP)
        return *number == SIGTRAP ? STOP_INTERRUPT : STOP_GROUP;
    return *number == (SIGTRAP | 0x80) ? STOP_SYSTEM_CALL : STOP_SIGNAL;
}

/* After PTRACE_INTERRUPT. Signals that come first are delivered. A process that was
 * stopped stays so. */
static enum stop await_interrupt(pid_t thread, uint64_t end)
{
    int number = 0;
    enum stop stop;

    while ((stop = await_stop(thread, end, &number)) != STOP_INTERRUPT) {
        if (stop == STOP_NONE || stop == STOP_GONE || stop == STOP_GROUP)
            return stop;
        request(PTRACE_CONT, thread, 0, stop == STOP_SIGNAL ? (uintptr_t)number : 0);
    }
    return stop;
}

/* ---- Registers --------------------------------------------------------------------- */

static bool load_registers(struct tracee *t)
{
    struct registers *r = &t->registers;
    struct iovec extended = {r->extended, sizeof(r->extended)};

    if (request(PTRACE_GETREGS, t->thread, 0, (uintptr_t)&r->general) != 0 ||
        request(PTRACE_GETREGSET, t->thread, NT_X86_XSTATE, (uintptr_t)&extended) != 0 ||
        request(PTRACE_GETSIGMASK, t->thread, sizeof(r->signal_mask),
                (uintptr_t)&r->signal_mask) != 0)
        return false;
    r->extended_size = extended.iov_len;
    return extended.iov_len < sizeof(r->extended);
}

static bool store_general(pid_t thread, const struct user_regs_struct *general)
{
    return request(PTRACE_SETREGS, thread, 0, (uintptr_t)general) == 0;
}

static bool store_mask(pid_t thread, uint64_t mask)
{
    return request(PTRACE_SETSIGMASK, thread, sizeof(mask), (uintptr_t)&mask) == 0;
}

static void store_extended(struct tracee *t)
{
    struct registers *r = &t->registers;
    struct iovec extended = {r->extended, r->extended_size};

    request(PTRACE_SETREGSET, t->thread, NT_X86_XSTATE, (uintptr_t)&extended);
}

/* ---- Stop and release -------------------------------------------------------------- */

void tracee_release(struct tracee *t)
{
    request(PTRACE_DETACH, t->thread, 0, 0);
}

/* One that was late before is this program's already. */
static bool seize(pid_t thread)
{
    int error = 0;

    if (request(PTRACE_SEIZE, thread, 0, PTRACE_O_TRACESYSGOOD) != 0)
        error = errno;
    if (request(PTRACE_INTERRUPT, thread, 0, 0) == 0)
        return true;
    errno = error != 0 ? error : ESRCH;
    return false;
}

bool tracee_stop(struct tracee *t, pid_t thread)
{
    uint64_t end = clock_ns(CLOCK_MONOTONIC) + STOP_NS;
    enum stop stop;

    t->thread = thread;
    if (!seize(thread))
        return false;
    stop = await_interrupt(thread, end);
    if (stop == STOP_INTERRUPT && load_registers(t))
        return true;
    if (stop != STOP_GONE)
        tracee_release(t);
    errno = stop == STOP_GONE ? ESRCH : ETIME;
    return false;
}

/* ---- Calls ------------------------------------------------------------------------- */

/*
 * The thread goes on where it was, but does not leave the kernel yet: there it decides,
 * as after every interruption, whether its system call is restarted, or ends since there
 * is a signal for it now.
 *
 * If this program is killed after any step, the thread goes on correctly: first its
 * return through the frame has the same effect, then its registers are those after that.
 */
static enum tracee_end go_back(struct tracee *t, bool is_at_system_call)
{
    struct user_regs_struct go_on = registers_go_on(&t->registers);
    uint64_t end = clock_ns(CLOCK_MONOTONIC) + CALL_NS;

    store_extended(t);
    if (!store_mask(t->thread, t->registers.signal_mask) ||
        !store_general(t->thread, &go_on))
        return TRACEE_GONE;
    if (is_at_system_call) {
        request(PTRACE_INTERRUPT, t->thread, 0, 0);
        request(PTRACE_CONT, t->thread, 0, 0);
        if (await_interrupt(t->thread, end) != STOP_INTERRUPT)
            return TRACEE_GONE;
    }
    return store_general(t->thread, &t->registers.general) ? TRACEE_RETURNED
                                                           : TRACEE_GONE;
}

static bool is_fault(int number)
{
    return number == SIGSEGV || number == SIGBUS || number == SIGILL ||
           number == SIGFPE || number == SIGTRAP || number == SIGABRT || number == SIGSYS;
}

/* The thread goes on after a stop, by PTRACE_CONT or PTRACE_SYSCALL. Returns false if it
 * was about to crash. */
static bool go_on_after(pid_t thread, enum stop stop, int number, int how)
{
    if (stop == STOP_SIGNAL && is_fault(number))
        return false;
    if (stop == STOP_GROUP)
        how = PTRACE_LISTEN;
    request(how, thread, 0, stop == STOP_SIGNAL ? (uintptr_t)number : 0);
    return true;
}

static uint64_t load_state(int memory, const struct signal_frame *frame)
{
    uint64_t state = 0;

    image_copy(memory, frame->data, &state, sizeof(state));
    return state;
}

/* Stops a function that waits. It may just have stopped waiting. */
static enum tracee_end stop_waiting(const struct tracee *t, int memory,
                                    const struct signal_frame *frame, uint64_t end)
{
    const uint64_t seen = HEAP_ATTACH_SEEN;

    request(PTRACE_INTERRUPT, t->thread, 0, 0);
    if (await_interrupt(t->thread, end) != STOP_INTERRUPT)
        return TRACEE_GONE;
    if (load_state(memory, frame) != HEAP_ATTACH_WAITS)
        return TRACEE_LEFT;
    return pwrite(memory, &seen, sizeof(seen), (off_t)frame->data) == sizeof(seen)
               ? TRACEE_RETURNED
               : TRACEE_GONE;
}

#define POLL_NS UINT64_C(1000000)

/* Lets the function run until it waits. */
static enum tracee_end await_answer(const struct tracee *t, int memory,
                                    const struct signal_frame *frame, uint64_t end)
{
    enum stop stop = STOP_INTERRUPT;
    int number = 0;

    for (;;) {
        uint64_t now = clock_ns(CLOCK_MONOTONIC);

        if (stop != STOP_NONE && !go_on_after(t->thread, stop, number, PTRACE_CONT))
            return TRACEE_CRASHED;
        stop = await_stop(t->thread, now + POLL_NS, &number);
        if (stop == STOP_GONE)
            return TRACEE_GONE;
        if (stop == STOP_NONE && load_state(memory, frame) == HEAP_ATTACH_WAITS)
            return stop_waiting(t, memory, frame, end);
        if (now > end)
            return TRACEE_LATE;
    }
}

/* Ends at the system call that would return through the frame. */
static enum tracee_end await_return(const struct tracee *t,
                                    const struct signal_frame *frame, uint64_t end)
{
    enum stop stop = STOP_INTERRUPT;
    struct user_regs_struct now;
    int number = 0;

    for (;;) {
        if (!go_on_after(t->thread, stop, number, PTRACE_SYSCALL))
            return TRACEE_CRASHED;
        stop = await_stop(t->thread, end, &number);
        if (stop == STOP_NONE)
            return TRACEE_LATE;
        if (stop == STOP_GONE)
            return TRACEE_GONE;
        if (stop == STOP_SYSTEM_CALL &&
            request(PTRACE_GETREGS, t->thread, 0, (uintptr_t)&now) == 0 &&
            signal_frame_is_returning(frame, &now))
            return TRACEE_RETURNED;
    }
}

static enum tracee_end await_end(const struct tracee *t, int memory,
                                 const struct signal_frame *frame, bool waits)
{
    uint64_t end = clock_ns(CLOCK_MONOTONIC) + CALL_NS;
    enum tracee_end answer =
        waits ? await_answer(t, memory, frame, end) : TRACEE_RETURNED;

    return answer == TRACEE_RETURNED ? await_return(t, frame, end) : answer;
}

static bool write_frame(int memory, const struct signal_frame *frame)
{
    return pwrite(memory, frame->bytes, frame->size, (off_t)frame->address) ==
           (ssize_t)frame->size;
}

/* What is left of a call that does not come back. */
static enum tracee_end end_badly(struct tracee *t, enum tracee_end end)
{
    if (end == TRACEE_CRASHED)
        return go_back(t, false) == TRACEE_RETURNED ? end : TRACEE_GONE;
    if (end == TRACEE_LATE) {
        request(PTRACE_INTERRUPT, t->thread, 0, 0);
        await_interrupt(t->thread, clock_ns(CLOCK_MONOTONIC) + STOP_NS);
        tracee_release(t);
    }
    return end;
}

enum tracee_end tracee_call(struct tracee *t, int memory,
                            const struct tracee_function *function, void *data,
                            size_t size)
{
    struct signal_frame frame;
    enum tracee_end end = TRACEE_GONE;

    signal_frame_make(&frame, &t->registers, function->address, data, size,
                      function->second, function->restorer);
    /* From the second of these on the call is under way; a signal's handler that ran in
     * it could do what must not be done there. */
    if (write_frame(memory, &frame) && store_general(t->thread, &frame.call) &&
        store_mask(t->thread, UINT64_MAX))
        end = await_end(t, memory, &frame, function->waits);
    if (end == TRACEE_RETURNED && !image_copy(memory, frame.data, data, size))
        end = TRACEE_GONE;
    end = end == TRACEE_RETURNED ? go_back(t, true) : end_badly(t, end);
    memory_release(frame.bytes);
    return end;
}
