// SPDX-License-Identifier: BSD-2-Clause
/* See names.h. */
#include "names.h"

#include <linux/kernel.h>
#include <linux/string.h>

#include <fxt/arg.h>
#include <fxt/emit_records.h>

/* The idle threads of all CPUs are thread 0. */
static struct fxt_string name_of(const struct task_struct *task)
{
    if (task->pid == 0)
        return FXT_TEXT("swapper");
    return fxt_string_at(task->comm, strnlen(task->comm, TASK_COMM_LEN));
}

static bool write_process(struct fxt_emit *emit)
{
    return fxt_emit_kernel_object(emit, FXT_OBJECT_PROCESS, current->tgid,
                                  name_of(current->group_leader), NULL, 0);
}

static bool write_thread(struct fxt_emit *emit)
{
    struct fxt_arg process = fxt_arg_koid(FXT_TEXT("process"), current->tgid);

    return fxt_emit_kernel_object(emit, FXT_OBJECT_THREAD, current->pid, name_of(current),
                                  &process, 1);
}

unsigned int names_write(struct names *names, struct fxt_emit *emit)
{
    size_t i = (size_t)current->pid % ARRAY_SIZE(names->last);
    unsigned int n;

    if (names->last[i].is_written && names->last[i].thread == current->pid &&
        memcmp(names->last[i].name, current->comm, TASK_COMM_LEN) == 0)
        return 0;
    n = write_process(emit);
    n += write_thread(emit);
    names->last[i].is_written = n == 2;
    names->last[i].thread = current->pid;
    memcpy(names->last[i].name, current->comm, TASK_COMM_LEN);
    return n;
}
