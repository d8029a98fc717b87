/* SPDX-License-Identifier: BSD-2-Clause */
/* Uses libfxt from outside: "write" puts an archive to standard output, "read" takes one
 * from standard input. own_names.c has functions that are called as inner ones of the
 * library. */
#include <stdio.h>
#include <string.h>

#include <fxt/fxt.h>

extern int call_own_names(void);

enum { N_EVENTS = 3 };

static int write_archive(void)
{
    struct fxt_writer_options options = {.size = sizeof(options)};
    struct fxt_record record = {.type = FXT_RECORD_EVENT, .kind = FXT_EVENT_INSTANT};
    struct fxt_writer *writer;
    enum fxt_code code;

    options.write = fxt_file_write;
    options.context = stdout;
    if (fxt_writer_create(&options, &writer) != FXT_OK)
        return 1;
    fxt_writer_start_archive(writer, 1000000000);
    record.event.thread = fxt_thread_from(1, 2);
    record.event.category = fxt_string_from("packaging");
    record.event.name = fxt_string_from("event");
    for (int i = 0; i < N_EVENTS; i++)
        fxt_writer_write(writer, &record);
    code = fxt_writer_finish(writer);
    fxt_writer_destroy(writer);
    return code != FXT_OK;
}

static int count_event(void *context, const struct fxt_record *record)
{
    *(int *)context += record->type == FXT_RECORD_EVENT;
    return 0;
}

static int read_archive(void)
{
    static unsigned char data[1 << 16];
    struct fxt_chunk chunk = {data, fread(data, 1, sizeof(data), stdin), 0};
    struct fxt_reader_options options = {.size = sizeof(options)};
    struct fxt_reader *reader;
    int n_events = 0;

    options.on_record = count_event;
    options.context = &n_events;
    if (fxt_reader_create(&options, &reader) != FXT_OK)
        return 1;
    fxt_reader_finish(reader, &chunk);
    fxt_reader_destroy(reader);
    if (n_events != N_EVENTS)
        fprintf(stderr, "%d events were read, expected %d\n", n_events, N_EVENTS);
    return n_events != N_EVENTS;
}

int main(int argc, char **argv)
{
    if (argc != 2 || call_own_names() != 0)
        return 2;
    return strcmp(argv[1], "write") == 0 ? write_archive() : read_archive();
}
