// SPDX-License-Identifier: BSD-2-Clause
//
// libfxt for C++17: objects that free themselves, loops over records, views of strings
// and words. Everything is inline and calls libfxt's C functions, so link libfxt and
// nothing else. It needs neither exceptions nor RTTI.
//
//     fxt::reader reader = fxt::reader::open("trace.fxt");
//
//     for (fxt::record record : reader) {
//         if (const fxt_event *event = record.event())
//             use(record.time_ns(), fxt::text(event->name));
//     }
//     if (reader.code() != FXT_OK)
//         std::puts(fxt_code_message(reader.code()));
//
// The structs of a record are those of fxt/record.h, where their fields are documented.
//
// Lifetimes: records, strings, words and all other views own nothing. They are valid
// until the reader's next record is asked for, which a loop does at the end of each turn,
// or until the reader is destroyed. fxt::record::copy makes a record that stays.
//
// Errors are codes, as in C: every object keeps the first one, so that one check at the
// end is enough. Nothing here throws; what is passed to on_error must not, either.
//
// Threads: an object must not be used from two threads at once; different objects need no
// care.
#ifndef FXT_FXT_HPP
#define FXT_FXT_HPP

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fxt/arg.h>
#include <fxt/fxt.h>

namespace fxt
{

// ---- Views ----------------------------------------------------------------------------

// The bytes of a string, of any content. Those of a reference to a string that was never
// registered are at nullptr; its index is string.ref.
inline std::string_view text(const fxt_string &string) noexcept
{
    return string.data != nullptr ? std::string_view(string.data, string.size)
                                  : std::string_view();
}

// A string for the writer, which is not copied. One that is too large is refused there.
inline fxt_string string(std::string_view text) noexcept
{
    constexpr std::size_t max = std::numeric_limits<std::uint32_t>::max();
    std::size_t size = text.size() < max ? text.size() : max;

    return fxt_string_at(text.data() != nullptr ? text.data() : "",
                         static_cast<std::uint32_t>(size));
}

// The elements of an array, which it does not own.
template <typename T> class span
{
  public:
    using value_type = std::remove_cv_t<T>;
    using iterator = T *;

    constexpr span() noexcept = default;
    constexpr span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}

    constexpr T *data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr bool empty() const noexcept { return size_ == 0; }
    constexpr T *begin() const noexcept { return data_; }
    constexpr T *end() const noexcept { return data_ + size_; }
    constexpr T &operator[](std::size_t i) const noexcept { return data_[i]; }

  private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

using bytes = span<const unsigned char>;
using args = span<const fxt_arg>;

inline bytes view(const fxt_bytes &bytes_of_record) noexcept
{
    return {static_cast<const unsigned char *>(bytes_of_record.data),
            static_cast<std::size_t>(bytes_of_record.size)};
}

// Words of a record, which may be at any address and of either byte order: each is loaded
// when it is asked for.
class words
{
  public:
    using value_type = std::uint64_t;

    class iterator
    {
      public:
        using iterator_category = std::input_iterator_tag;
        using value_type = std::uint64_t;
        using difference_type = std::ptrdiff_t;
        using pointer = void;
        using reference = std::uint64_t;

        iterator() noexcept = default;
        iterator(const fxt_words &of_record, std::uint64_t at) noexcept
            : words_(of_record), at_(at)
        {
        }

        std::uint64_t operator*() const noexcept { return fxt_words_get(words_, at_); }
        iterator &operator++() noexcept
        {
            at_++;
            return *this;
        }
        iterator operator++(int) noexcept
        {
            iterator old = *this;

            at_++;
            return old;
        }
        friend bool operator==(const iterator &a, const iterator &b) noexcept
        {
            return a.at_ == b.at_;
        }
        friend bool operator!=(const iterator &a, const iterator &b) noexcept
        {
            return a.at_ != b.at_;
        }

      private:
        fxt_words words_ = {};
        std::uint64_t at_ = 0;
    };

    explicit words(const fxt_words &of_record) noexcept : words_(of_record) {}

    std::size_t size() const noexcept { return static_cast<std::size_t>(words_.count); }
    bool empty() const noexcept { return words_.count == 0; }
    // `i` must be below size().
    std::uint64_t operator[](std::size_t i) const noexcept
    {
        return fxt_words_get(words_, i);
    }
    iterator begin() const noexcept { return {words_, 0}; }
    iterator end() const noexcept { return {words_, words_.count}; }

  private:
    fxt_words words_;
};

// ---- Arguments ------------------------------------------------------------------------

namespace detail
{

// Of an integer of 64 bits, if a T has that value.
template <typename T> std::optional<T> exactly(std::int64_t value) noexcept
{
    if (std::is_unsigned_v<T> && value < 0)
        return std::nullopt;
    return static_cast<T>(value);
}

template <typename T> std::optional<T> exactly(std::uint64_t value) noexcept
{
    if (value > static_cast<std::uint64_t>(std::numeric_limits<T>::max()))
        return std::nullopt;
    return static_cast<T>(value);
}

template <typename T> std::optional<T> integer(const fxt_arg &arg) noexcept
{
    switch (arg.type) {
    case FXT_ARG_INT32:
        return exactly<T>(std::int64_t{arg.value.int32});
    case FXT_ARG_INT64:
        return exactly<T>(arg.value.int64);
    case FXT_ARG_UINT32:
        return exactly<T>(std::uint64_t{arg.value.uint32});
    case FXT_ARG_UINT64:
    case FXT_ARG_POINTER:
    case FXT_ARG_KOID:
        return exactly<T>(arg.value.uint64);
    default:
        return std::nullopt;
    }
}

} // namespace detail

// The value of an argument as a T, if it is one: std::uint64_t or std::int64_t for all
// kinds of integers, pointers and koids that fit; double; bool; std::string_view;
// fxt::bytes.
template <typename T> std::optional<T> value(const fxt_arg &arg) noexcept
{
    if constexpr (std::is_same_v<T, bool>) {
        if (arg.type == FXT_ARG_BOOL)
            return arg.value.boolean;
    } else if constexpr (std::is_same_v<T, double>) {
        if (arg.type == FXT_ARG_DOUBLE)
            return arg.value.float64;
    } else if constexpr (std::is_same_v<T, std::string_view>) {
        if (arg.type == FXT_ARG_STRING)
            return text(arg.value.string);
    } else if constexpr (std::is_same_v<T, bytes>) {
        if (arg.type == FXT_ARG_BLOB)
            return view(arg.value.blob);
    } else {
        static_assert(std::is_same_v<T, std::uint64_t> || std::is_same_v<T, std::int64_t>,
                      "not a type that arguments have");
        return detail::integer<T>(arg);
    }
    return std::nullopt;
}

// Arguments for the writer: of the narrowest of the format's types that has all values of
// the C++ type. For pointers and koids, see fxt/arg.h.
template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
fxt_arg arg(std::string_view name, T value) noexcept
{
    if constexpr (std::is_same_v<T, bool>) {
        return fxt_arg_bool(string(name), value);
    } else if constexpr (std::is_floating_point_v<T>) {
        static_assert(sizeof(T) <= sizeof(double), "the format has no wider numbers");
        return fxt_arg_double(string(name), static_cast<double>(value));
    } else if constexpr (std::is_signed_v<T>) {
        if constexpr (sizeof(T) <= sizeof(std::int32_t))
            return fxt_arg_int32(string(name), value);
        else
            return fxt_arg_int64(string(name), value);
    } else {
        if constexpr (sizeof(T) <= sizeof(std::uint32_t))
            return fxt_arg_uint32(string(name), value);
        else
            return fxt_arg_uint64(string(name), value);
    }
}

inline fxt_arg arg(std::string_view name, std::string_view value) noexcept
{
    return fxt_arg_string(string(name), string(value));
}

inline fxt_arg arg(std::string_view name, bytes value) noexcept
{
    return fxt_arg_blob(string(name), value.data(), value.size());
}

inline fxt_arg arg(std::string_view name, std::nullptr_t) noexcept
{
    return fxt_arg_null(string(name));
}

// ---- Records --------------------------------------------------------------------------

// A stack that was sampled, or a sampler's report of what it dropped.
class sample
{
  public:
    explicit sample(const fxt_sample &of_record) noexcept : sample_(of_record) {}

    const fxt_sample *operator->() const noexcept { return &sample_; }
    const fxt_sample &operator*() const noexcept { return sample_; }
    // Leaf first; none unless the kind is FXT_SAMPLE_STACK.
    words pcs() const noexcept
    {
        return words(sample_.kind == FXT_SAMPLE_STACK ? sample_.pcs : fxt_words{});
    }

  private:
    fxt_sample sample_;
};

class record_copy;

// One record of a reader, by reference.
class record
{
  public:
    explicit record(const fxt_record &of_reader) noexcept : record_(&of_reader) {}

    const fxt_record *operator->() const noexcept { return record_; }
    const fxt_record &operator*() const noexcept { return *record_; }

    // The event's fields, or nullptr if it is another type of record.
    const fxt_event *event() const noexcept
    {
        return record_->type == FXT_RECORD_EVENT ? &record_->event : nullptr;
    }

    // The stack or the drops, if it is a sampler's record.
    std::optional<fxt::sample> sample() const noexcept
    {
        fxt_sample taken = {};

        if (fxt_sample_from_record(record_, &taken) == FXT_SAMPLE_NONE)
            return std::nullopt;
        return fxt::sample(taken);
    }

    // Begin and end in ticks of the provider: see fxt_record_time and fxt_record_end.
    std::optional<std::uint64_t> time() const noexcept
    {
        std::uint64_t ticks;

        if (!fxt_record_time(record_, &ticks))
            return std::nullopt;
        return ticks;
    }
    std::optional<std::uint64_t> end() const noexcept
    {
        std::uint64_t ticks;

        if (!fxt_record_end(record_, &ticks))
            return std::nullopt;
        return ticks;
    }

    // The same in nanoseconds; nothing either if they are not below 2^64.
    std::optional<std::uint64_t> time_ns() const noexcept { return to_ns(time()); }
    std::optional<std::uint64_t> end_ns() const noexcept { return to_ns(end()); }

    // Whom it is about, or nullptr.
    const fxt_thread *thread() const noexcept { return fxt_record_thread(record_); }

    fxt::args args() const noexcept { return {record_->args, record_->n_args}; }

    // The first argument of that name, or nullptr.
    const fxt_arg *arg(std::string_view name) const noexcept
    {
        for (const fxt_arg &one : args()) {
            if (one.name.data != nullptr && text(one.name) == name)
                return &one;
        }
        return nullptr;
    }

    // Its value, if there is one and it is a T: see fxt::value.
    template <typename T> std::optional<T> value(std::string_view name) const noexcept
    {
        const fxt_arg *found = arg(name);

        return found != nullptr ? fxt::value<T>(*found) : std::nullopt;
    }

    inline record_copy copy() const noexcept;

  private:
    std::optional<std::uint64_t> to_ns(std::optional<std::uint64_t> ticks) const noexcept
    {
        std::uint64_t ns;

        if (!ticks || !fxt_ticks_to_ns(*ticks, record_->provider->ticks_per_second, &ns))
            return std::nullopt;
        return ns;
    }

    const fxt_record *record_;
};

// A record that stays as long as this object, with all that it points to but the
// provider, which is the reader's.
class record_copy
{
  public:
    explicit record_copy(const fxt_record &original) noexcept
        : copy_(fxt_record_copy(&original))
    {
    }

    // False if there was no memory: then there is no record.
    explicit operator bool() const noexcept { return copy_ != nullptr; }
    fxt::record operator*() const noexcept { return fxt::record(*copy_); }
    const fxt_record *operator->() const noexcept { return copy_.get(); }
    const fxt_record *get() const noexcept { return copy_.get(); }

  private:
    struct free_it {
        void operator()(fxt_record *copy) const noexcept { std::free(copy); }
    };

    std::unique_ptr<fxt_record, free_it> copy_;
};

inline record_copy record::copy() const noexcept
{
    return record_copy(*record_);
}

// ---- Reading --------------------------------------------------------------------------

// Reads a stream once, from its start to its end.
class reader
{
  public:
    // A range of one pass: begin() goes on where an earlier loop stopped.
    class iterator
    {
      public:
        using iterator_category = std::input_iterator_tag;
        using value_type = record;
        using difference_type = std::ptrdiff_t;
        using pointer = void;
        using reference = record;

        iterator() noexcept = default;
        explicit iterator(fxt::reader *of) noexcept : reader_(of) { ++*this; }

        record operator*() const noexcept { return record(*record_); }
        iterator &operator++() noexcept
        {
            record_ = reader_->next();
            return *this;
        }
        void operator++(int) noexcept { ++*this; }
        friend bool operator==(const iterator &a, const iterator &b) noexcept
        {
            return a.record_ == b.record_;
        }
        friend bool operator!=(const iterator &a, const iterator &b) noexcept
        {
            return a.record_ != b.record_;
        }

      private:
        fxt::reader *reader_ = nullptr;
        const fxt_record *record_ = nullptr;
    };

    // The file at `path`. `options` are as in C, but for the callbacks, which are not
    // used.
    static reader open(const char *path, const fxt_reader_options &options = {}) noexcept
    {
        std::unique_ptr<std::FILE, destroy> file(std::fopen(path, "rb"));
        reader made(options, file.get());

        if (file == nullptr)
            made.fail(FXT_E_FILE);
        else if (made.state_ != nullptr)
            made.state_->owned = std::move(file);
        return made;
    }

    // The rest of a file that is open, and stays so.
    static reader file(std::FILE *file, const fxt_reader_options &options = {}) noexcept
    {
        return reader(options, file);
    }

    // `size` bytes at `data`, which must stay there as long as the reader.
    static reader memory(const void *data, std::size_t size,
                         const fxt_reader_options &options = {}) noexcept
    {
        reader made(options, nullptr);

        if (made.state_ != nullptr) {
            made.state_->chunk = {data, size, 0};
            made.state_->at_end = true;
        }
        return made;
    }

    // Calls back with each report about faults in the data, while the record after it is
    // asked for. The reader must not be used from there.
    template <typename Function> void on_error(Function function)
    {
        if (state_ != nullptr)
            state_->on_error = std::move(function);
    }

    // FXT_OK so far, or what went wrong: FXT_E_FILE (errno has the reason),
    // FXT_E_SIZE_ZERO, FXT_E_NO_MEMORY, FXT_E_INVALID for the options.
    fxt_code code() const noexcept
    {
        return state_ != nullptr ? state_->code : FXT_E_NO_MEMORY;
    }

    // Where the next byte to read is, in bytes from the start of the stream.
    std::uint64_t offset() const noexcept
    {
        return state_ != nullptr && state_->reader
                   ? fxt_reader_offset(state_->reader.get())
                   : 0;
    }

    // The next record, or nullptr at the end of the stream, which code() tells from
    // errors.
    const fxt_record *next() noexcept
    {
        const fxt_record *found = nullptr;

        if (state_ == nullptr)
            return nullptr;
        state_->late.reset();
        while (state_->code == FXT_OK && !state_->finished && found == nullptr)
            found = state_->finishing ? finish() : pull();
        return found;
    }

    iterator begin() noexcept { return iterator(this); }
    iterator end() const noexcept { return {}; }

  private:
    struct destroy {
        void operator()(fxt_reader *reader) const noexcept { fxt_reader_destroy(reader); }
        void operator()(std::FILE *file) const noexcept { std::fclose(file); }
        void operator()(void *memory) const noexcept { std::free(memory); }
    };

    // What the reader's callbacks know the address of.
    struct state {
        std::unique_ptr<fxt_reader, destroy> reader;
        std::function<void(const fxt_error &)> on_error;
        std::unique_ptr<std::FILE, destroy> owned;
        std::FILE *file = nullptr;
        std::unique_ptr<void, destroy> buffer;
        std::size_t capacity = 0;
        fxt_chunk chunk = {};
        // All of the input is in the chunk; and fxt_reader_finish was called; and
        // returned.
        bool at_end = false;
        bool finishing = false;
        bool finished = false;
        // A record that was found after damage at the end.
        std::optional<record_copy> late;
        fxt_code code = FXT_OK;
    };

    static constexpr std::size_t first_capacity = std::size_t{256} << 10;

    reader(const fxt_reader_options &given, std::FILE *file) noexcept
        : state_(new (std::nothrow) state)
    {
        fxt_reader_options options = given;
        fxt_reader *made = nullptr;

        if (state_ == nullptr)
            return;
        state_->file = file;
        options.size = sizeof(options);
        options.on_record = keep_late;
        options.on_error = pass_error;
        options.context = state_.get();
        options.stable_input = false;
        state_->code = fxt_reader_create(&options, &made);
        state_->reader.reset(made);
    }

    void fail(fxt_code code) noexcept
    {
        if (state_ != nullptr && state_->code == FXT_OK)
            state_->code = code;
    }

    static int pass_error(void *context, const fxt_error *error) noexcept
    {
        auto *s = static_cast<state *>(context);

        if (s->on_error)
            s->on_error(*error);
        return 0;
    }

    // Only fxt_reader_finish calls this. The record is gone when it returns, so that it
    // is copied, and that stops to hand it out.
    static int keep_late(void *context, const fxt_record *found) noexcept
    {
        auto *s = static_cast<state *>(context);

        s->late.emplace(*found);
        if (!*s->late)
            s->code = FXT_E_NO_MEMORY;
        return 1;
    }

    const fxt_record *pull() noexcept
    {
        const fxt_record *found = nullptr;
        fxt_code code = fxt_reader_next(state_->reader.get(), &state_->chunk, &found);

        if (found != nullptr)
            return found;
        if (code != FXT_OK && code != FXT_NEED_MORE && code != FXT_END)
            state_->code = code;
        else if (state_->at_end)
            state_->finishing = true;
        else
            refill();
        return nullptr;
    }

    const fxt_record *finish() noexcept
    {
        fxt_code code = fxt_reader_finish(state_->reader.get(), &state_->chunk);

        if (code == FXT_STOPPED)
            return state_->late->get();
        state_->finished = true;
        if (state_->code == FXT_OK)
            state_->code = code;
        return nullptr;
    }

    bool make_room(std::uint64_t size) noexcept
    {
        std::size_t capacity = state_->capacity > 0 ? state_->capacity : first_capacity;
        void *larger;

        while (capacity < size) {
            if (capacity > std::numeric_limits<std::size_t>::max() / 2)
                return false;
            capacity *= 2;
        }
        if (capacity == state_->capacity)
            return true;
        larger = std::realloc(state_->buffer.get(), capacity);
        if (larger == nullptr)
            return false;
        static_cast<void>(state_->buffer.release());
        state_->buffer.reset(larger);
        state_->capacity = capacity;
        return true;
    }

    // Moves what is left of a record to the front, and reads more after it.
    void refill() noexcept
    {
        std::size_t left = state_->chunk.size - state_->chunk.pos;
        std::uint64_t needed = fxt_reader_needed(state_->reader.get());
        std::size_t pos = state_->chunk.pos;
        std::size_t n;

        if (!make_room(needed > left ? needed : std::uint64_t{left} + 1)) {
            state_->code = FXT_E_NO_MEMORY;
            return;
        }
        auto *to = static_cast<unsigned char *>(state_->buffer.get());
        if (pos > 0)
            std::memmove(to, to + pos, left);
        n = std::fread(to + left, 1, state_->capacity - left, state_->file);
        state_->chunk = {to, left + n, 0};
        if (n == 0 && std::ferror(state_->file))
            state_->code = FXT_E_FILE;
        state_->at_end = n == 0;
    }

    std::unique_ptr<state> state_;
};

// ---- Writing --------------------------------------------------------------------------

// An event to be written, of which time, id and arguments are still to be set.
inline fxt_record event(fxt_event_type kind, const fxt_thread &thread,
                        std::string_view category, std::string_view name) noexcept
{
    fxt_record made = {};

    made.type = FXT_RECORD_EVENT;
    made.kind = kind;
    made.event.thread = thread;
    made.event.category = string(category);
    made.event.name = string(name);
    return made;
}

// Memory that a stream is written to.
class buffer
{
  public:
    buffer() noexcept = default;
    buffer(const buffer &) = delete;
    buffer &operator=(const buffer &) = delete;
    ~buffer() { std::free(buffer_.data); }

    const unsigned char *data() const noexcept { return buffer_.data; }
    std::size_t size() const noexcept { return buffer_.size; }
    fxt_buffer *get() noexcept { return &buffer_; }

  private:
    fxt_buffer buffer_ = {};
};

// Writes a stream. What goes wrong is kept until finish(), so that single calls need no
// check; the destructor finishes, too, but its result is lost.
class writer
{
  public:
    // A new file at `path`: see fxt_writer_open. `options` are as in C, but for the
    // callback, which is not used.
    static writer create(const char *path,
                         const fxt_writer_options &options = {}) noexcept
    {
        return writer(options, path, nullptr, nullptr);
    }

    // A file that is open, and stays so.
    static writer file(std::FILE *file, const fxt_writer_options &options = {}) noexcept
    {
        return writer(options, nullptr, fxt_file_write, file);
    }

    // The end of a buffer, which must stay where it is as long as the writer.
    static writer append_to(buffer &memory,
                            const fxt_writer_options &options = {}) noexcept
    {
        return writer(options, nullptr, fxt_buffer_write, memory.get());
    }

    writer(writer &&) noexcept = default;
    writer &operator=(writer &&) = delete;

    ~writer()
    {
        if (writer_)
            finish();
    }

    // FXT_OK so far, or the first thing that went wrong: see fxt_writer_finish.
    fxt_code code() const noexcept { return code_; }

    // The magic number, and the clock's rate if it is not 0.
    fxt_code start_archive(std::uint64_t ticks_per_second) noexcept
    {
        return writer_ ? keep(fxt_writer_start_archive(writer_.get(), ticks_per_second))
                       : code_;
    }

    fxt_code write(const fxt_record &record) noexcept
    {
        return writer_ ? keep(fxt_writer_write(writer_.get(), &record)) : code_;
    }

    fxt_code write(const record &of_reader) noexcept { return write(*of_reader); }

    // The same with these arguments in place of those that it has.
    fxt_code write(const fxt_record &record, std::initializer_list<fxt_arg> list) noexcept
    {
        fxt_record with_args = record;

        with_args.args = list.begin();
        with_args.n_args = static_cast<std::uint32_t>(list.size());
        return write(with_args);
    }

    fxt_code flush() noexcept
    {
        return writer_ ? keep(fxt_writer_flush(writer_.get())) : code_;
    }

    // Ends the stream, and closes the file that create() has made. Returns code().
    fxt_code finish() noexcept
    {
        if (writer_)
            keep(fxt_writer_finish(writer_.get()));
        return code_;
    }

    // For what this class does not have, such as large blobs in pieces; nullptr if it
    // could not be created.
    fxt_writer *get() const noexcept { return writer_.get(); }

  private:
    struct destroy {
        void operator()(fxt_writer *writer) const noexcept { fxt_writer_destroy(writer); }
    };

    // To the file at `path` or, if that is nullptr, to the sink.
    writer(const fxt_writer_options &given, const char *path, fxt_write_fn *sink,
           void *context) noexcept
    {
        fxt_writer_options options = given;
        fxt_writer *made = nullptr;

        options.size = sizeof(options);
        options.write = sink;
        options.context = context;
        code_ = path != nullptr ? fxt_writer_open(&options, path, &made)
                                : fxt_writer_create(&options, &made);
        writer_.reset(made);
    }

    fxt_code keep(fxt_code code) noexcept
    {
        if (code_ == FXT_OK)
            code_ = code;
        return code;
    }

    std::unique_ptr<fxt_writer, destroy> writer_;
    fxt_code code_ = FXT_OK;
};

} // namespace fxt

#endif
