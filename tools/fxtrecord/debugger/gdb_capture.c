/* SPDX-License-Identifier: BSD-2-Clause */
/* See gdb_capture.h. */
#include "gdb_capture.h"

#include <stdio.h>

#include <fxt/emit_records.h>
#include <fxt/sampler.h>

/* How many captures there are until threads and modules are looked for again. */
enum { LIST_INTERVAL = 16 };

/* Where users' programs are, at most, if the kernel has the upper half of all addresses.
 */
#define USER_BYTES ((uint64_t)1 << 52)
#define FIRMWARE_BYTES ((uint64_t)1 << 21)

/* ---- Samples ----------------------------------------------------------------------- */

uint64_t gdb_thread_number(const struct gdb_thread *thread)
{
    return thread->number <= INT32_MAX ? thread->number : thread->number % INT32_MAX;
}

static void emit_sample(struct gdb_run *run, const struct gdb_thread *thread,
                        uint64_t time_ns, const uint64_t *pcs, uint64_t n_pcs)
{
    struct fxt_emit *emit =
        gdb_regions_find(&run->regions, thread->is_cpu ? thread->cpu : 0);
    uint64_t number = gdb_thread_number(thread);

    if (emit == NULL)
        run->n_unread++;
    else if ((run->options->flags & FXT_SAMPLER_BACKTRACES) != 0)
        fxt_emit_backtrace(emit, time_ns, run->process, number, pcs, n_pcs);
    else
        fxt_emit_sample(emit, time_ns, run->process, number, pcs, n_pcs);
}

static void mark_user(struct gdb_run *run)
{
    if (!run->has_user)
        kernel_modules_add(&run->recording.kernel, "[user]", 0, USER_BYTES);
    run->has_user = true;
}

/* Its size is not known; it is seldom larger, and rarely moves. */
static void mark_firmware(struct gdb_run *run, uint64_t pc)
{
    if (!run->has_firmware)
        kernel_modules_add(&run->recording.kernel, "[firmware]", pc - pc % FIRMWARE_BYTES,
                           FIRMWARE_BYTES);
    run->has_firmware = true;
}

static void sample_view(struct gdb_run *run, struct gdb_view *view, uint64_t time_ns)
{
    uint64_t pcs[FXT_SAMPLER_PCS_MAX];
    uint64_t n_pcs;

    view->is_wanting = false;
    n_pcs = gdb_kernel_walk(&run->kernel, &run->client, view, pcs, FXT_SAMPLER_PCS_MAX);
    if (view->is_wanting)
        return;
    emit_sample(run, view->thread, time_ns, pcs, n_pcs);
    if (view->registers.mode == GDB_MODE_MACHINE)
        mark_firmware(run, pcs[0]);
    if (run->client.is_system && !guest_is_user(pcs[0]) &&
        !gdb_kernel_is_wanted(&run->kernel, &run->client))
        mark_user(run);
}

/* A walk that lacks memory is repeated when it is there: it takes microseconds, and so
 * few round trips are needed for all threads. */
static enum rsp_code sample_threads(struct gdb_run *run, const struct gdb_thread *first,
                                    size_t n)
{
    struct gdb_client *c = &run->client;
    enum rsp_code code = gdb_look(c, first, n);
    uint64_t time_ns = gdb_clock();
    bool is_done = false;

    for (size_t i = 0; i < n && code == RSP_OK; i++) {
        c->views[i].is_wanting = c->views[i].is_known;
        run->n_unread += !c->views[i].is_known;
    }
    while (code == RSP_OK && !is_done) {
        is_done = true;
        for (size_t i = 0; i < n; i++) {
            if (!c->views[i].is_wanting)
                continue;
            sample_view(run, &c->views[i], time_ns);
            is_done = is_done && !c->views[i].is_wanting;
        }
        if (!is_done)
            code = gdb_fetch(c, n);
    }
    return code;
}

/* Names are those that the threads had when they were last listed. For CPUs, stubs append
 * the state, which is not a part of the name. */
void gdb_name_threads(struct gdb_run *run, uint64_t time_ns)
{
    const struct gdb_client *c = &run->client;
    struct process_table *table = &run->recording.table;
    pid_t process = (pid_t)run->process;

    for (size_t i = 0; i < c->n_threads; i++) {
        const struct gdb_thread *thread = &c->threads[i];
        pid_t number = (pid_t)gdb_thread_number(thread);
        char cpu[32];

        snprintf(cpu, sizeof(cpu), "CPU#%u", (unsigned)thread->cpu);
        if (thread->name[0] != '\0')
            process_table_name_thread(table, process, number,
                                      thread->is_cpu ? cpu : thread->name, time_ns);
        else
            process_table_thread(table, number)->process = process;
    }
    if (process_table_process(table, process)->n_names == 0)
        process_table_name_process(table, process, run->options->gdb, 0);
}

/* ---- The kernel -------------------------------------------------------------------- */

/* The recording has the names of what it samples. */
static void take_kernel(struct gdb_run *run, const struct kernel_symbols *symbols)
{
    const struct guest_kernel *guest = &run->kernel.guest;
    struct kernel_modules *modules = &run->recording.kernel;

    kernel_names_set(&run->recording.kernel_names, *symbols);
    run->has_kernel = true;
    mark_user(run);
    kernel_modules_add(modules, "[kernel.kallsyms]", guest->text_start,
                       guest->text_end - guest->text_start);
    for (size_t i = 0; i < guest->modules.n; i++) {
        const struct guest_module *module = &guest->modules.all[i];
        char name[GUEST_MODULE_NAME + 2];

        snprintf(name, sizeof(name), "[%s]", module->name);
        if (module->table.n > 0)
            kernel_modules_add(modules, name, module->table.pcs[0],
                               guest_module_length(module));
    }
    if (!run->options->quiet)
        gdb_kernel_describe(&run->kernel, run->options->gdb);
}

/* A CPU that runs a user's program may not see the kernel's memory. */
static enum rsp_code find_kernel(struct gdb_run *run)
{
    struct gdb_client *c = &run->client;
    struct kernel_symbols symbols = {0};
    enum rsp_code code = RSP_OK;

    for (size_t i = 0; i < c->n_threads && code == RSP_OK; i++) {
        const struct gdb_view *view = &c->views[0];

        if (!gdb_kernel_is_wanted(&run->kernel, c))
            break;
        code = gdb_look(c, &c->threads[i], 1);
        if (code == RSP_OK && view->is_known &&
            guest_kernel_may_be_at(c->layout.machine, view->registers.pc))
            code = gdb_kernel_read(&run->kernel, c, view->registers.pc, &symbols);
    }
    if (run->kernel.guest.is_known && !run->has_kernel)
        take_kernel(run, &symbols);
    else
        kernel_symbols_free(&symbols);
    return code;
}

/* Reads the modules again, if they may have changed. */
static enum rsp_code update_kernel(struct gdb_run *run)
{
    struct kernel_names *names = &run->recording.kernel_names;
    struct kernel_symbols symbols = names->symbols;
    uint64_t before = run->kernel.guest.modules.hash;
    enum rsp_code code = RSP_OK;

    if (run->kernel.is_outdated)
        code = gdb_kernel_update(&run->kernel, &run->client, NULL);
    if (code != RSP_OK || run->kernel.guest.modules.hash == before)
        return code;
    names->symbols = (struct kernel_symbols){0};
    kernel_symbols_drop_modules(&symbols);
    code = gdb_kernel_update(&run->kernel, &run->client, &symbols);
    kernel_symbols_sort(&symbols);
    kernel_names_set(names, symbols);
    return code;
}

/* ---- Captures ---------------------------------------------------------------------- */

/* A program's threads come and go, a machine's CPUs rarely do; and some stubs do not
 * report which of the two a thread is. */
static bool must_list(const struct gdb_run *run)
{
    return !run->client.is_system || run->progress.n_captures % LIST_INTERVAL == 0;
}

static enum rsp_code list_threads(struct gdb_run *run)
{
    enum rsp_code code = gdb_list_threads(&run->client);

    gdb_name_threads(run, gdb_clock());
    run->n_left_out += run->client.n_left_out;
    return code;
}

static enum rsp_code capture_threads(struct gdb_run *run)
{
    struct gdb_client *c = &run->client;
    size_t max = gdb_views_max(c);
    enum rsp_code code = RSP_OK;

    for (size_t i = 0; code == RSP_OK && i < c->n_threads; i += max)
        code = sample_threads(run, &c->threads[i],
                              c->n_threads - i < max ? c->n_threads - i : max);
    return code;
}

/* What is read once, while the target is stopped, is no part of the time that a capture
 * takes. */
static enum rsp_code prepare_capture(struct gdb_run *run, uint64_t *begun)
{
    uint64_t before = gdb_clock();
    enum rsp_code code = find_kernel(run);

    if (code == RSP_OK && run->progress.n_captures % LIST_INTERVAL == 0)
        code = update_kernel(run);
    *begun += gdb_clock() - before;
    return code == RSP_OK && must_list(run) ? list_threads(run) : code;
}

static enum rsp_code stop_target(struct gdb_run *run, uint64_t *begun)
{
    struct gdb_client *c = &run->client;
    enum rsp_code code;

    if (c->rsp.is_pipelined && !must_list(run) &&
        !gdb_kernel_is_wanted(&run->kernel, c)) {
        gdb_stop_with_next(c);
        return RSP_OK;
    }
    code = gdb_stop(c);
    return code == RSP_OK ? prepare_capture(run, begun) : code;
}

static enum rsp_code capture_stacks(struct gdb_run *run)
{
    uint64_t begun = gdb_clock();
    enum rsp_code code = stop_target(run, &begun);

    if (code == RSP_OK)
        code = capture_threads(run);
    if (code == RSP_OK)
        code = gdb_resume(&run->client);
    if (code == RSP_OK)
        gdb_progress_add(&run->progress, gdb_clock() - begun);
    return code;
}

enum rsp_code gdb_capture_all(struct gdb_run *run)
{
    const struct record_options *o = run->options;
    uint64_t begun = gdb_clock();
    enum rsp_code code = gdb_resume(&run->client);

    while (code == RSP_OK && run->progress.n_captures < o->n_captures &&
           live_step(&run->live)) {
        uint64_t now = gdb_clock();

        if (o->duration_ns != 0 && now - begun >= o->duration_ns)
            break;
        run->socket.grace_ns = 0;
        code = gdb_wait(&run->client, now + o->interval_ns);
        run->socket.grace_ns = GDB_GRACE_NS;
        if (code == RSP_OK)
            code = capture_stacks(run);
    }
    gdb_progress_hide(&run->progress);
    return code;
}
