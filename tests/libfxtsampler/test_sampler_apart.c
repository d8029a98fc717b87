/* SPDX-License-Identifier: BSD-2-Clause */
/* libfxtsampler, by signals above all, in programs that make it hard: with frame pointers
 * that are none, that are killed, or that fork. */
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "sampled.h"

/* ---- Code that has other uses of the frame pointer --------------------------------- */

#if defined(__SANITIZE_THREAD__)
#define KEEPS_SIGNALS_BACK 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KEEPS_SIGNALS_BACK 1
#endif
#endif

#if defined(__x86_64__) && !defined(KEEPS_SIGNALS_BACK)
static __attribute__((noinline)) void spin_with_frame(uint64_t frame)
{
    for (unsigned i = 0; i < 400; i++)
        __asm__ volatile("push %%rbp\n\t"
                         "mov %0, %%rbp\n\t"
                         "mov $100000, %%ecx\n"
                         "1:\tdec %%ecx\n\t"
                         "jnz 1b\n\t"
                         "pop %%rbp"
                         :
                         : "r"(frame)
                         : "rcx", "cc", "memory");
}

TEST(sampler, a_fault_while_walking_ends_the_stack_and_not_the_program)
{
    static const uint64_t frames[] = {8, 0xdeadbeefcafe0000, 0x7ffffffff000, 1, ~0ull};
    struct fxt_sampler_config config = config_of(FXT_SAMPLER_SIGNAL);
    uint64_t here = (uint64_t)(uintptr_t)&config / 8 * 8;

    for (unsigned i = 0; i < 8; i++) {
        struct fxt_sampler *sampler;

        config.period_ns = 200000;
        sampler = create(&config);
        fxt_sampler_attach(sampler, FXT_SAMPLER_THREAD, gettid());
        fxt_sampler_start(sampler);
        /* The last ones lead upwards, out of the stack or into what is no frame. */
        spin_with_frame(i < 5 ? frames[i] : here + ((uint64_t)1 << (10 + 5 * (i - 5))));
        fxt_sampler_stop(sampler);
        CHECK(read_all(sampler).n_samples > 0, "no samples");
        fxt_sampler_destroy(sampler);
    }
}
#endif

/* ---- Regions that are files, and fork ---------------------------------------------- */

TEST(sampler, regions_in_a_directory_outlive_the_process)
{
    char directory[] = "/tmp/fxt-sampler-XXXXXX";
    char path[64];
    uint64_t n_used = 0;
    pid_t child;

    CHECK(mkdtemp(directory) != NULL, "no directory");
    child = fork();
    if (child == 0) {
        struct fxt_sampler_config config = config_of(FXT_SAMPLER_SIGNAL);
        struct fxt_sampler *sampler;

        config.directory = directory;
        if (fxt_sampler_create(0, &config, &sampler) != FXT_SAMPLER_OK)
            _exit(1);
        fxt_sampler_attach(sampler, FXT_SAMPLER_THREAD, gettid());
        fxt_sampler_start(sampler);
        spin_until_sampled(sampler);
        kill(getpid(), SIGKILL);
    }
    waitpid(child, NULL, 0);
    for (unsigned cpu = 0;; cpu++) {
        FILE *file;
        uint64_t word = 0;

        snprintf(path, sizeof(path), "%s/cpu%u.bin", directory, cpu);
        file = fopen(path, "rb");
        if (file == NULL)
            break;
        CHECK(fread(&word, sizeof(word), 1, file) == 1, "an empty file");
        n_used += word != 0;
        fclose(file);
        unlink(path);
    }
    rmdir(directory);
    CHECK(n_used > 0, "nothing was left");
}

/* Ends with 42 if the child loses its parent's session and nothing else. */
static void be_child(const struct fxt_sampler_config *config)
{
    enum { N = 16, SIZE = 1 << 20 };
    struct fxt_sampler *sampler;
    char *own[N];

    for (unsigned i = 0; i < N; i++)
        own[i] =
            mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    fxt_sampler_forget();
    for (unsigned i = 0; i < N; i++)
        memset(own[i], 1, SIZE);
    sampler = create(config);
    fxt_sampler_attach(sampler, FXT_SAMPLER_THREAD, gettid());
    fxt_sampler_start(sampler);
    spin_until_sampled(sampler);
    fxt_sampler_stop(sampler);
    _exit(read_all(sampler).n_samples > 0 ? 42 : 1);
}

static void fork_while_sampled(enum fxt_sampler_method method)
{
    struct fxt_sampler_config config = config_of(method);
    struct fxt_sampler *sampler = create(&config);
    int status = 0;
    pid_t child;

    if (sampler == NULL)
        return;
    fxt_sampler_attach(sampler, FXT_SAMPLER_THREAD, gettid());
    fxt_sampler_start(sampler);
    child = fork();
    if (child == 0)
        be_child(&config);
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 42, "the child ended with %#x",
          (unsigned)status);
    spin_until_sampled(sampler);
    expect(fxt_sampler_stop(sampler), FXT_SAMPLER_OK, "stop");
    CHECK(read_all(sampler).n_samples > 0, "no samples of the parent");
    fxt_sampler_destroy(sampler);
}

TEST(sampler, a_child_forgets_its_parents_session_and_has_its_own)
{
    fork_while_sampled(FXT_SAMPLER_SIGNAL);
    /* By perf events there is a thread beside, and TSan lets no child of such a program
     * have one. */
#ifndef KEEPS_SIGNALS_BACK
    fork_while_sampled(FXT_SAMPLER_PERF);
#endif
}
