/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A pool of threads that traces itself with fxt/trace.h: spans of what each thread does,
 * flows from where a task is submitted to where it runs, the time that each task waits
 * and runs, and how many wait. It counts the words of files, a task for each.
 *
 *     c++ -std=c++17 -o traced_pool traced_pool.cpp -pthread \
 *         $(pkg-config --cflags --libs libfxt)
 *     FXT_TRACE_FILE=trace.fxt traced_pool FILE...
 *     fxtreport trace.fxt
 *
 * A file that cannot be read throws in its task, whose spans end by that.
 */
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <exception>
#include <fstream>
#include <functional>
#include <future>
#include <iterator>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fxt/trace.h>

namespace
{

class pool
{
  public:
    explicit pool(unsigned n_threads)
    {
        for (unsigned i = 0; i < n_threads; i++)
            threads_.emplace_back([this] { run(); });
    }

    /* Waits for all tasks. */
    ~pool()
    {
        {
            std::lock_guard<std::mutex> guard(lock_);
            is_closed_ = true;
        }
        changed_.notify_all();
        for (std::thread &thread : threads_)
            thread.join();
    }

    pool(const pool &) = delete;
    pool &operator=(const pool &) = delete;

    template <typename F> auto submit(F work) -> std::future<decltype(work())>
    {
        auto task =
            std::make_shared<std::packaged_task<decltype(work())()>>(std::move(work));
        std::lock_guard<std::mutex> guard(lock_);

        FXT_SCOPE("pool", "submit", "task", ++n_submitted_);
        FXT_FLOW_BEGIN(n_submitted_, "pool", "to thread");
        FXT_ASYNC_BEGIN(n_submitted_, "pool", "task");
        waiting_.push_back({n_submitted_, [task] { (*task)(); }});
        FXT_COUNTER(0, "pool", "tasks", "waiting", waiting_.size());
        changed_.notify_one();
        return task->get_future();
    }

  private:
    struct entry {
        uint64_t number;
        std::function<void()> run;
    };

    /* Returns false once there are no more. */
    bool take(entry &task)
    {
        std::unique_lock<std::mutex> guard(lock_);

        changed_.wait(guard, [this] { return is_closed_ || !waiting_.empty(); });
        if (waiting_.empty())
            return false;
        task = std::move(waiting_.front());
        waiting_.pop_front();
        FXT_COUNTER(0, "pool", "tasks", "waiting", waiting_.size());
        return true;
    }

    void run()
    {
        entry task;

        fxt_trace_name_thread("pool");
        while (take(task)) {
            FXT_SCOPE("pool", "run", "task", task.number);
            FXT_FLOW_END(task.number, "pool", "to thread");
            task.run();
            FXT_ASYNC_END(task.number, "pool", "task");
        }
    }

    std::mutex lock_;
    std::condition_variable changed_;
    std::deque<entry> waiting_;
    uint64_t n_submitted_ = 0;
    bool is_closed_ = false;
    std::vector<std::thread> threads_;
};

std::string read(const std::string &name)
{
    FXT_SCOPE("words", "read", "file", name);
    std::ifstream file(name, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(file)),
                     std::istreambuf_iterator<char>());

    if (!file)
        throw std::runtime_error(name + ": cannot be read");
    return text;
}

size_t count_words(const std::string &name)
{
    FXT_SCOPE("words", "file", "name", name);
    const std::string text = read(name);
    size_t n = 0;
    bool is_inside = false;

    FXT_SCOPE("words", "count", "bytes", text.size());
    for (char c : text) {
        const bool is_space = c == ' ' || c == '\n' || c == '\t';

        n += !is_space && !is_inside;
        is_inside = !is_space;
    }
    return n;
}

} // namespace

int main(int argc, char **argv)
{
    std::vector<std::pair<std::string, std::future<size_t>>> counts;
    pool workers(4);
    int status = 0;

    fxt_trace_name_thread("main");
    for (int i = 1; i < argc; i++) {
        const std::string name = argv[i];

        counts.emplace_back(name, workers.submit([name] { return count_words(name); }));
    }
    for (auto &[name, count] : counts) {
        try {
            FXT_SCOPE("words", "wait", "file", name);
            std::printf("%zu %s\n", count.get(), name.c_str());
        } catch (const std::exception &error) {
            FXT_INSTANT("words", "failed", "why", error.what());
            std::fprintf(stderr, "%s\n", error.what());
            status = 1;
        }
    }
    return status;
}
