// SPDX-License-Identifier: BSD-2-Clause
/* See files.h. */
#include "files.h"

#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#include "session.h"

static struct dentry *directory;

/* ---- cpuN -------------------------------------------------------------------------- */

/* Takes out of the ring what is there. A session that has stopped reports at its end what
 * was dropped last, as soon as there is room for it. */
static void drain(struct source *source)
{
    source->n_read = 0;
    source->n_drained = fxt_ring_read(&source->ring, source->drained, DRAINED_BYTES);
    if (source->n_drained == 0 && source->stopped && fxt_emit_drops(&source->emit))
        source->n_drained = fxt_ring_read(&source->ring, source->drained, DRAINED_BYTES);
}

/* Nothing is lost where the caller takes a part, or gave an address that is none. */
static ssize_t read_ring(struct file *file, char __user *to, size_t size,
                         loff_t *position)
{
    struct source *source = file->private_data;
    loff_t at;
    ssize_t n;

    if (mutex_lock_interruptible(&source->reading))
        return -ERESTARTSYS;
    if (source->n_read == source->n_drained)
        drain(source);
    at = source->n_read;
    n = simple_read_from_buffer(to, size, &at, source->drained, source->n_drained);
    if (n > 0)
        source->n_read += n;
    mutex_unlock(&source->reading);
    return n;
}

static int open_ring(struct inode *inode, struct file *file)
{
    file->private_data = inode->i_private;
    return nonseekable_open(inode, file);
}

static const struct file_operations ring_operations = {
    .owner = THIS_MODULE,
    .open = open_ring,
    .read = read_ring,
};

/* ---- running ----------------------------------------------------------------------- */

static int get_running(void *unused, u64 *value)
{
    *value = session_is_running();
    return 0;
}

static int set_running(void *unused, u64 value)
{
    if (value > 1)
        return -EINVAL;
    if (value == 1)
        return session_start();
    session_stop();
    return 0;
}

DEFINE_DEBUGFS_ATTRIBUTE(running_operations, get_running, set_running, "%llu\n");

/* ---- counts ------------------------------------------------------------------------ */

/* While a session runs these are not all of the same moment. */
static void show_source(struct seq_file *to, const struct source *source,
                        unsigned int cpu)
{
    const struct counts *counts = &source->counts;

    seq_printf(to, "cpu %u ticks %llu samples %llu dropped_samples %llu", cpu,
               counts->ticks, counts->samples, counts->dropped_samples);
    seq_printf(to, " no_registers %llu leaf_only %llu missed %llu names %llu",
               counts->no_registers, counts->leaf_only, counts->missed, counts->names);
    seq_printf(to, " dropped_records %llu dropped_bytes %llu invalid_records %llu\n",
               source->emit.dropped_records, source->emit.dropped_bytes,
               source->emit.invalid_records);
}

static int counts_show(struct seq_file *to, void *unused)
{
    unsigned int cpu;

    for_each_possible_cpu (cpu)
        show_source(to, session_source(cpu), cpu);
    return 0;
}

DEFINE_SHOW_ATTRIBUTE(counts);

/* ---- All --------------------------------------------------------------------------- */

void files_create(void)
{
    char name[16];
    unsigned int cpu;

    directory = debugfs_create_dir("fxtsampler", NULL);
    debugfs_create_file_unsafe("running", 0600, directory, NULL, &running_operations);
    debugfs_create_file("counts", 0400, directory, NULL, &counts_fops);
    for_each_possible_cpu (cpu) {
        snprintf(name, sizeof(name), "cpu%u", cpu);
        debugfs_create_file(name, 0400, directory, session_source(cpu), &ring_operations);
    }
}

void files_remove(void)
{
    debugfs_remove_recursive(directory);
}
