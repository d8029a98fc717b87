/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Profiler records, of which three dialects were written in a few months of 2025: the
 * first two have the process of a module or mapping inline as one koid, the current one
 * as process and thread. The record's size distinguishes them. The first also stored
 * build ids as 40 hex characters, the others as raw bytes.
 */
#include "decoder.h"

#include "take.h"

static bool is_hex(struct fxt_bytes bytes)
{
    const unsigned char *b = (const unsigned char *)bytes.data;

    for (uint64_t i = 0; i < bytes.size; i++) {
        if (!((b[i] >= '0' && b[i] <= '9') || (b[i] >= 'a' && b[i] <= 'f') ||
              (b[i] >= 'A' && b[i] <= 'F')))
            return false;
    }
    return true;
}

static void take_profiled_process(struct decoder *d, uint64_t header,
                                  uint64_t n_words_if_one_koid)
{
    uint64_t ref = FXT_GET(header, PROFILER_THREAD);

    if (d->n_words == n_words_if_one_koid)
        take_process(d, ref, &d->record.profiler.thread);
    else
        take_thread(d, ref, &d->record.profiler.thread);
}

static void decode_module(struct decoder *d, uint64_t header)
{
    struct fxt_profiler *p = &d->record.profiler;
    uint64_t name_size = FXT_GET(header, MODULE_NAME_SIZE);
    uint64_t id_size = FXT_GET(header, MODULE_BUILD_ID_SIZE);

    p->module_id = (uint32_t)FXT_GET(header, MODULE_ID);
    p->timestamp = cursor_word(&d->c);
    take_profiled_process(d, header, 3 + words_for(name_size) + words_for(id_size));
    p->name = take_bytes_as_string(d, name_size);
    p->build_id = take_payload(d, id_size, d->c.pos);
    p->build_id_is_hex = d->c.fault == FXT_OK && id_size == 40 && is_hex(p->build_id);
}

static void decode_mapping(struct decoder *d, uint64_t header)
{
    struct fxt_profiler *p = &d->record.profiler;

    p->module_id = (uint32_t)FXT_GET(header, MAPPING_MODULE_ID);
    p->flags = (uint32_t)FXT_GET(header, MAPPING_FLAGS);
    p->timestamp = cursor_word(&d->c);
    take_profiled_process(d, header, 6);
    p->start = cursor_word(&d->c);
    p->length = cursor_word(&d->c);
    p->vaddr = cursor_word(&d->c);
}

static void decode_backtrace(struct decoder *d, uint64_t header)
{
    struct fxt_profiler *p = &d->record.profiler;

    p->timestamp = cursor_word(&d->c);
    take_thread(d, FXT_GET(header, PROFILER_THREAD), &p->thread);
    p->pcs = cursor_run(&d->c, FXT_GET(header, BACKTRACE_PCS), FXT_E_PC_COUNT);
}

void decode_profiler(struct decoder *d, uint64_t header)
{
    d->record.kind = (uint32_t)FXT_GET(header, PROFILER_TYPE);
    d->record.profiler = (struct fxt_profiler){.name = {"", 0, 0}};
    switch (d->record.kind) {
    case FXT_PROFILER_MODULE:
        decode_module(d, header);
        break;
    case FXT_PROFILER_MAPPING:
        decode_mapping(d, header);
        break;
    case FXT_PROFILER_BACKTRACE:
        decode_backtrace(d, header);
        break;
    default:
        take_unknown(d, FXT_E_UNKNOWN_PROFILER, d->record.kind);
    }
}
