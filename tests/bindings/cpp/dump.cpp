// SPDX-License-Identifier: BSD-2-Clause
// Prints all that fxt.hpp hands out of each file, for records_agree.py.
#include <cinttypes>
#include <cstdio>

#include <fxt/fxt.hpp>

// How many arguments of the last record fxt::value did not get right.
static int failed;

// ---- Values ---------------------------------------------------------------------------

static void print_u64(const char *key, std::uint64_t number)
{
    std::printf(",\"%s\":%" PRIu64, key, number);
}

static void print_address(const char *key, std::uint64_t number)
{
    std::printf(",\"%s\":\"0x%" PRIx64 "\"", key, number);
}

static void print_hex(fxt::bytes bytes)
{
    std::putchar('"');
    for (unsigned char byte : bytes)
        std::printf("%02x", byte);
    std::putchar('"');
}

static void print_bytes(const char *key, fxt::bytes bytes)
{
    std::printf(",\"%s\":", key);
    print_hex(bytes);
}

static void print_text(const char *key, const fxt_string &string)
{
    std::string_view text = fxt::text(string);

    std::printf(",\"%s\":", key);
    if (text.data() == nullptr) {
        std::printf("{\"ref\":%u}", static_cast<unsigned>(string.ref));
        return;
    }
    std::printf("{\"text\":");
    print_hex({reinterpret_cast<const unsigned char *>(text.data()), text.size()});
    std::putchar('}');
}

static void print_ns(const char *key, std::optional<std::uint64_t> ns)
{
    if (ns)
        print_u64(key, *ns);
    else
        std::printf(",\"%s\":null", key);
}

static void print_time(const fxt::record &record)
{
    print_u64("timestamp", record.time().value());
    print_ns("time_ns", record.time_ns());
}

static void print_thread_as(const fxt_thread &thread, const char *process_key,
                            const char *thread_key, const char *ref_key)
{
    if (thread.known) {
        print_u64(process_key, thread.process);
        if (thread_key != nullptr)
            print_u64(thread_key, thread.thread);
        return;
    }
    std::printf(",\"%s\":null", process_key);
    if (thread_key != nullptr)
        std::printf(",\"%s\":null", thread_key);
    print_u64(ref_key, thread.ref);
}

static void print_thread(const fxt_thread &thread)
{
    print_thread_as(thread, "process", "thread", "thread_ref");
}

static void print_process(const fxt_thread &thread)
{
    print_thread_as(thread, "process", nullptr, "thread_ref");
}

static void print_pcs(const fxt::words &pcs)
{
    std::printf(",\"pcs\":[");
    for (std::size_t i = 0; i < pcs.size(); i++)
        std::printf("%s\"0x%" PRIx64 "\"", i > 0 ? "," : "", pcs[i]);
    std::putchar(']');
}

// ---- Arguments ------------------------------------------------------------------------

static void print_value(const fxt_arg &arg)
{
    switch (arg.type) {
    case FXT_ARG_INT32:
    case FXT_ARG_INT64:
        std::printf(",\"value\":%" PRId64, fxt::value<std::int64_t>(arg).value());
        break;
    case FXT_ARG_UINT32:
    case FXT_ARG_UINT64:
    case FXT_ARG_KOID:
        print_u64("value", fxt::value<std::uint64_t>(arg).value());
        break;
    case FXT_ARG_POINTER:
        print_address("value", fxt::value<std::uint64_t>(arg).value());
        break;
    case FXT_ARG_DOUBLE: {
        double number = fxt::value<double>(arg).value();
        std::uint64_t bits;

        std::memcpy(&bits, &number, sizeof(bits));
        std::printf(",\"value\":{\"bits\":%" PRIu64 "}", bits);
        break;
    }
    case FXT_ARG_STRING:
        print_text("value", arg.value.string);
        break;
    case FXT_ARG_BOOL:
        std::printf(",\"value\":%s", fxt::value<bool>(arg).value() ? "true" : "false");
        break;
    case FXT_ARG_BLOB:
        print_bytes("value", fxt::value<fxt::bytes>(arg).value());
        break;
    default:
        std::printf(",\"value\":null");
    }
}

static void print_args(const fxt::record &record)
{
    const char *comma = "";

    std::printf(",\"args\":[");
    for (const fxt_arg &arg : record.args()) {
        // The first member has no comma before it.
        std::printf("%s{\"type\":%" PRIu32, comma, arg.type);
        print_text("name", arg.name);
        print_value(arg);
        std::putchar('}');
        comma = ",";
        if (arg.name.data != nullptr && record.arg(fxt::text(arg.name)) == nullptr)
            failed++;
    }
    std::putchar(']');
}

// ---- Types ----------------------------------------------------------------------------

static void print_metadata(const fxt::record &record)
{
    const fxt_metadata &m = record->metadata;

    print_u64("metadata", record->kind);
    switch (record->kind) {
    case FXT_METADATA_PROVIDER_INFO:
        print_u64("provider_id", m.provider_id);
        print_text("name", m.name);
        break;
    case FXT_METADATA_PROVIDER_SECTION:
        print_u64("provider_id", m.provider_id);
        break;
    case FXT_METADATA_PROVIDER_EVENT:
        print_u64("provider_id", m.provider_id);
        print_u64("event", m.event);
        break;
    case FXT_METADATA_TRACE_INFO:
        print_u64("trace_info", m.trace_info);
        if (m.trace_info == FXT_TRACE_INFO_MAGIC_NUMBER)
            print_address("magic", m.magic);
        break;
    default:
        break;
    }
}

static void print_initialization(const fxt_initialization &init)
{
    print_u64("ticks_per_second", init.ticks_per_second);
    if (init.has_base) {
        print_u64("base_ticks", init.base_ticks);
        print_u64("base_wall_ns", init.base_wall_ns);
    }
}

static void print_event(const fxt::record &record)
{
    const fxt_event &e = *record.event();

    print_u64("event", record->kind);
    print_time(record);
    print_thread(*record.thread());
    print_text("category", e.category);
    print_text("name", e.name);
    print_args(record);
    if (record->kind == FXT_EVENT_COUNTER) {
        print_u64("counter_id", e.id);
    } else if (record->kind == FXT_EVENT_DURATION_COMPLETE) {
        print_u64("end_timestamp", record.end().value());
        print_ns("end_time_ns", record.end_ns());
    } else if (record->kind >= FXT_EVENT_ASYNC_BEGIN &&
               record->kind <= FXT_EVENT_FLOW_END) {
        print_u64(record->kind <= FXT_EVENT_ASYNC_END ? "async_id" : "flow_id", e.id);
    }
}

static void print_scheduling(const fxt::record &record)
{
    const fxt_scheduling &s = record->scheduling;

    print_u64("scheduling", record->kind);
    if (record->unknown)
        return;
    print_time(record);
    print_u64("cpu", s.cpu);
    if (record->kind == FXT_SCHEDULING_THREAD_WAKEUP) {
        print_u64("waking_thread", s.waking_thread);
        print_args(record);
        return;
    }
    print_u64("outgoing_state", s.outgoing_state);
    if (record->kind == FXT_SCHEDULING_CONTEXT_SWITCH) {
        print_u64("outgoing_thread", s.outgoing.thread);
        print_u64("incoming_thread", record.thread()->thread);
        print_args(record);
        return;
    }
    print_thread_as(s.outgoing, "outgoing_process", "outgoing_thread",
                    "outgoing_thread_ref");
    print_thread_as(s.incoming, "incoming_process", "incoming_thread",
                    "incoming_thread_ref");
    print_u64("outgoing_priority", s.outgoing_priority);
    print_u64("incoming_priority", s.incoming_priority);
}

static void print_profiler(const fxt::record &record)
{
    const fxt_profiler &p = record->profiler;

    print_u64("profiler", record->kind);
    if (record->unknown)
        return;
    print_time(record);
    switch (record->kind) {
    case FXT_PROFILER_MODULE:
        print_process(p.thread);
        print_u64("module_id", p.module_id);
        print_text("name", p.name);
        if (p.build_id_is_hex)
            std::printf(",\"build_id\":\"%.*s\"", static_cast<int>(p.build_id.size),
                        static_cast<const char *>(p.build_id.data));
        else
            print_bytes("build_id", fxt::view(p.build_id));
        break;
    case FXT_PROFILER_MAPPING:
        print_process(p.thread);
        print_u64("module_id", p.module_id);
        print_address("start", p.start);
        print_u64("length", p.length);
        print_address("vaddr", p.vaddr);
        print_u64("flags", p.flags);
        break;
    default:
        print_thread(p.thread);
        print_pcs(record.sample() ? record.sample()->pcs() : fxt::words(fxt_words{}));
    }
}

static void print_large_blob(const fxt::record &record)
{
    const fxt_large_blob &blob = record->large_blob;
    std::optional<fxt::sample> sample = record.sample();

    print_u64("format", blob.format);
    print_text("category", blob.category);
    print_text("name", blob.name);
    if (blob.format == FXT_LARGE_BLOB_METADATA) {
        print_time(record);
        print_thread(blob.thread);
        print_args(record);
    }
    print_u64("payload_size", blob.payload.size);
    if (sample && (*sample)->kind == FXT_SAMPLE_STACK)
        print_pcs(sample->pcs());
    print_bytes("payload", fxt::view(blob.payload));
}

static void print_unknown(const fxt::record &record)
{
    std::printf(",\"type\":\"unknown\"");
    print_u64("record_type", record->type);
    if (record->type != FXT_RECORD_LARGE)
        return;
    print_u64("large_type", record->kind);
    if (record->kind == FXT_LARGE_BLOB)
        print_u64("blob_format", record->large_blob.format);
}

static void print_known(const fxt::record &record)
{
    print_u64("type", record->type);
    switch (record->type) {
    case FXT_RECORD_METADATA:
        print_metadata(record);
        break;
    case FXT_RECORD_INITIALIZATION:
        print_initialization(record->initialization);
        break;
    case FXT_RECORD_STRING:
        print_u64("index", record->string.index);
        print_text("value", record->string.value);
        break;
    case FXT_RECORD_THREAD:
        print_u64("index", record->thread.index);
        print_u64("process", record->thread.process);
        print_u64("thread", record->thread.thread);
        break;
    case FXT_RECORD_EVENT:
        print_event(record);
        break;
    case FXT_RECORD_BLOB:
        print_text("name", record->blob.name);
        print_u64("blob_type", record->blob.type);
        print_u64("payload_size", record->blob.payload.size);
        print_bytes("payload", fxt::view(record->blob.payload));
        break;
    case FXT_RECORD_USERSPACE_OBJECT:
        print_address("pointer", record->userspace_object.pointer);
        print_process(record->userspace_object.process);
        print_text("name", record->userspace_object.name);
        print_args(record);
        break;
    case FXT_RECORD_KERNEL_OBJECT:
        print_u64("object_type", record->kernel_object.type);
        print_u64("koid", record->kernel_object.koid);
        print_text("name", record->kernel_object.name);
        print_args(record);
        break;
    case FXT_RECORD_SCHEDULING:
        print_scheduling(record);
        break;
    case FXT_RECORD_LOG:
        print_time(record);
        print_thread(record->log.thread);
        print_text("message", record->log.message);
        break;
    case FXT_RECORD_PROFILER:
        print_profiler(record);
        break;
    default:
        print_large_blob(record);
    }
}

static void print_record(const fxt::record &record, int region)
{
    bool known = record->type == FXT_RECORD_LARGE ? !record->unknown
                                                  : record->type <= FXT_RECORD_PROFILER;

    std::printf("{\"offset\":%" PRIu64, record->offset);
    print_u64("size", record->size);
    std::printf(",\"region\":%d", region);
    if (known)
        print_known(record);
    else
        print_unknown(record);
    std::puts("}");
}

static void print_error(const fxt_error &error, int region)
{
    if (error.severity < FXT_ERROR)
        return;
    std::printf("{\"offset\":%" PRIu64, error.offset);
    if (error.severity == FXT_FATAL)
        std::printf(",\"size\":null");
    else
        print_u64("size", error.skipped);
    std::printf(",\"region\":%d,\"type\":\"error\",\"code\":\"%s\"}\n", region,
                fxt_code_name(error.code));
}

static void dump(const char *path, int region, bool resync)
{
    fxt_reader_options options = {};

    options.resync = resync;
    fxt::reader reader = fxt::reader::open(path, options);

    reader.on_error([region](const fxt_error &error) { print_error(error, region); });
    // Every other record by a copy, which must be the same.
    bool by_copy = false;

    for (fxt::record record : reader) {
        if (by_copy)
            print_record(*record.copy(), region);
        else
            print_record(record, region);
        by_copy = !by_copy;
    }
    if (reader.code() != FXT_OK && reader.code() != FXT_E_SIZE_ZERO)
        failed++;
}

int main(int argc, char **argv)
{
    bool resync = argc > 1 && std::string_view(argv[1]) == "--resync";

    for (int i = resync ? 2 : 1; i < argc; i++)
        dump(argv[i], resync ? i - 2 : i - 1, resync);
    return failed != 0;
}
