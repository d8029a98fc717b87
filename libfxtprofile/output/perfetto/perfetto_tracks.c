/* SPDX-License-Identifier: BSD-2-Clause */
/* The tracks of a trace of Perfetto: see perfetto.h. */
#include "perfetto.h"

#include <string.h>

#include "common/base/table_items.h"
#include "libfxtprofile/output/protobuf.h"
#include "perfetto_fields.h"

/* ---- Processes and threads --------------------------------------------------------- */

typedef void name_fn(const struct tracks *tracks, const struct track *track,
                     struct text *text);

/* The name as a field of the message that is being made. */
static void add_name(struct perfetto *f, const struct track *track, unsigned field,
                     name_fn *add)
{
    struct text name = {NULL, 0, 0};

    add(&f->tracks, track, &name);
    perfetto_add_string(f, &f->entry, field, (struct string){name.data, name.size});
    text_free(&name);
}

static void write_process(struct perfetto *f, uint32_t number)
{
    const struct track *track = &f->tracks.tracks[number];

    proto_value(&f->message, DESCRIPTOR_UUID, perfetto_process_uuid(number));
    proto_value(&f->entry, PROCESS_PID, track->pid);
    add_name(f, track, PROCESS_NAME, tracks_name_process);
    proto_text(&f->message, DESCRIPTOR_PROCESS, &f->entry);
    perfetto_write(f, PACKET_TRACK_DESCRIPTOR);
}

static void write_thread(struct perfetto *f, uint32_t number, uint32_t main_track)
{
    const struct track *track = &f->tracks.tracks[number];

    proto_value(&f->message, DESCRIPTOR_UUID, perfetto_thread_uuid(number));
    proto_value(&f->entry, THREAD_PID, track->pid);
    proto_value(&f->entry, THREAD_TID, track->tid);
    add_name(f, track, THREAD_NAME, tracks_name_thread);
    proto_text(&f->message, DESCRIPTOR_THREAD, &f->entry);
    proto_value(&f->message, DESCRIPTOR_PARENT, perfetto_process_uuid(main_track));
    perfetto_write(f, PACKET_TRACK_DESCRIPTOR);
}

void perfetto_write_tracks(struct perfetto *f)
{
    uint32_t main_track = 0;

    for (uint32_t i = 0; i < f->tracks.n; i++) {
        if (f->tracks.tracks[i].is_main) {
            main_track = i;
            write_process(f, i);
        }
        write_thread(f, i, main_track);
    }
}

/* ---- Other tracks ------------------------------------------------------------------ */

uint64_t perfetto_other_uuid(const struct perfetto *f, uint32_t number)
{
    return perfetto_process_uuid((uint32_t)f->tracks.n) + number + 1;
}

/* "name", or of a counter "name:argument", and the id in brackets unless that is 0. */
static void add_other_name(struct perfetto *f, const struct perfetto_track *track)
{
    const struct string_table *strings = &f->profile->events.strings;
    struct string name = string_table_get(strings, track->name);
    struct text text = {NULL, 0, 0};

    text_add(&text, name.data, name.size);
    if (track->arg != PERFETTO_NONE) {
        struct string arg = string_table_get(strings, track->arg);

        if (arg.size > 0)
            text_char(&text, ':');
        text_add(&text, arg.data, arg.size);
        if (track->id != 0)
            text_printf(&text, " [%llu]", (unsigned long long)track->id);
    }
    perfetto_add_string(f, &f->message, DESCRIPTOR_NAME,
                        (struct string){text.data, text.size});
    text_free(&text);
}

static void write_other(struct perfetto *f, uint32_t number)
{
    const struct perfetto_track *track = &f->others[number];

    proto_value(&f->message, DESCRIPTOR_UUID, perfetto_other_uuid(f, number));
    add_other_name(f, track);
    proto_value(&f->message, DESCRIPTOR_PARENT, track->parent);
    if (track->arg != PERFETTO_NONE)
        proto_bytes(&f->message, DESCRIPTOR_COUNTER, "", 0);
    perfetto_write(f, PACKET_TRACK_DESCRIPTOR);
}

uint32_t perfetto_find_track(struct perfetto *f, const struct perfetto_track *wanted)
{
    size_t n_before = f->n_others;
    uint32_t number = TABLE_PUT(&f->other_table, f->others, f->n_others,
                                f->other_capacity, wanted, parent, id, name, arg);

    if (number == n_before) {
        f->others[number].top = OPEN_SLICES_NONE;
        write_other(f, number);
    }
    return number;
}

/* ---- Comments ---------------------------------------------------------------------- */

static void add_note(struct perfetto *f, size_t number, struct string sentence)
{
    struct text name = {NULL, 0, 0};

    text_printf(&name, "note %zu", number);
    perfetto_add_string(f, &f->entry, ANNOTATION_STRING, sentence);
    perfetto_add_string(f, &f->entry, ANNOTATION_NAME,
                        (struct string){name.data, name.size});
    proto_text(&f->message, EVENT_ANNOTATIONS, &f->entry);
    text_free(&name);
}

void perfetto_write_comments(struct perfetto *f, uint64_t time_ns)
{
    const struct profile *p = f->profile;
    uint64_t uuid = perfetto_process_uuid((uint32_t)f->tracks.n);
    size_t n_unreadable = perfetto_count_unreadable(&p->events.scheduling);

    if (p->n_comments == 0 && n_unreadable == 0)
        return;
    proto_value(&f->message, DESCRIPTOR_UUID, uuid);
    perfetto_add_string(f, &f->message, DESCRIPTOR_NAME, string_from("Notes"));
    perfetto_write(f, PACKET_TRACK_DESCRIPTOR);
    for (size_t i = 0; i < p->n_comments; i++)
        add_note(f, i + 1, string_from(p->comments[i].sentence));
    if (n_unreadable > 0)
        add_note(
            f, p->n_comments + 1,
            string_from("scheduling of CPUs from 1024 on is left out: Perfetto refuses "
                        "traces with it"));
    proto_value(&f->message, EVENT_TYPE, TYPE_INSTANT);
    proto_value(&f->message, EVENT_TRACK_UUID, uuid);
    perfetto_add_string(f, &f->message, EVENT_NAME, string_from("notes"));
    perfetto_write_at(f, time_ns, PACKET_TRACK_EVENT);
}
