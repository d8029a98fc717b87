/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * profile_yourself: a server that can be asked for a CPU profile of itself, as programs
 * in Go can with net/http/pprof. It samples itself with libfxtsampler and makes the
 * profile with libfxtprofile, all in its own process and memory:
 *
 *     profile_yourself 6060 &
 *     go tool pprof http://127.0.0.1:6060/debug/pprof/profile?seconds=5
 *
 * A program of yours needs take_samples and make_profile. Threads of this one do work to
 * be seen, until the program is killed.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <fxt/profile.h>
#include <fxt/sampler.h>

#if defined(__clang__)
#define OWN_FRAME __attribute__((noinline))
#else
#define OWN_FRAME __attribute__((noinline, noclone))
#endif

enum { N_WORKERS = 2, N_NUMBERS = 4096, SECONDS_DEFAULT = 30, SECONDS_MAX = 600 };

/* ---- The work ---------------------------------------------------------------------- */

static OWN_FRAME uint64_t hash_numbers(const uint32_t *numbers)
{
    uint64_t hash = 0;

    for (unsigned round = 0; round < 64; round++) {
        for (unsigned i = 0; i < N_NUMBERS; i++)
            hash = (hash ^ numbers[i]) * 0x9e3779b97f4a7c15;
    }
    return hash;
}

static OWN_FRAME void sort_numbers(uint32_t *numbers)
{
    for (unsigned gap = N_NUMBERS / 2; gap > 0; gap /= 2) {
        for (unsigned i = gap; i < N_NUMBERS; i++) {
            uint32_t number = numbers[i];
            unsigned j = i;

            for (; j >= gap && number < numbers[j - gap]; j -= gap)
                numbers[j] = numbers[j - gap];
            numbers[j] = number;
        }
    }
}

static void *run_worker(void *context)
{
    uint64_t state = (uint64_t)(uintptr_t)context;
    uint32_t numbers[N_NUMBERS];

    pthread_setname_np(pthread_self(), "worker");
    for (;;) {
        for (unsigned i = 0; i < N_NUMBERS; i++) {
            state = state * 6364136223846793005 + 1442695040888963407;
            numbers[i] = (uint32_t)(state >> 32);
        }
        sort_numbers(numbers);
        state ^= hash_numbers(numbers);
    }
    return NULL;
}

/* ---- Profiling --------------------------------------------------------------------- */

static void sleep_for(unsigned seconds)
{
    struct timespec left = {.tv_sec = (time_t)seconds};

    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
}

/* Samples this process, and adds an archive with the samples to `to`. Returns NULL, or
 * why it failed. */
static const char *take_samples(unsigned seconds, struct fxt_buffer *to)
{
    struct fxt_sampler_config config = {.size = sizeof(config)};
    struct fxt_sampler *sampler;
    enum fxt_sampler_code code;

    /* 997 Hz, which is not in step with anything that happens every millisecond. */
    config.period_ns = 1003009;
    config.buffer_size = 16 << 20;
    config.flags = FXT_SAMPLER_ARCHIVE | FXT_SAMPLER_USER_ONLY;
    config.max_bytes = 64 << 20;
    code = fxt_sampler_create(0, &config, &sampler);
    if (code != FXT_SAMPLER_OK)
        return fxt_sampler_code_message(code);
    code = fxt_sampler_attach(sampler, FXT_SAMPLER_PROCESS, getpid());
    if (code == FXT_SAMPLER_OK)
        code = fxt_sampler_start(sampler);
    if (code == FXT_SAMPLER_OK) {
        sleep_for(seconds);
        fxt_sampler_stop(sampler);
        code = fxt_sampler_write(sampler, NULL, fxt_buffer_write, to);
    }
    fxt_sampler_destroy(sampler);
    return code != FXT_SAMPLER_OK ? fxt_sampler_code_message(code) : NULL;
}

static enum fxt_code build(const struct fxt_buffer *archive, struct fxt_profile **profile)
{
    struct fxt_profile_options options = {.size = sizeof(options)};
    struct fxt_profile_builder *builder;
    enum fxt_code code;

    *profile = NULL;
    options.format = FXT_PROFILE_PPROF;
    options.find_modules = true;
    options.max_bytes = 512 << 20;
    code = fxt_profile_builder_create(&options, &builder);
    if (code != FXT_OK)
        return code;
    fxt_profile_builder_add_memory(builder, NULL, archive->data, archive->size);
    code = fxt_profile_builder_finish(builder, profile);
    fxt_profile_builder_destroy(builder);
    return code;
}

/* Adds the profile of an archive to `to`, as pprof reads it. Returns NULL, or why it
 * failed. */
static const char *make_profile(const struct fxt_buffer *archive, struct fxt_buffer *to)
{
    struct fxt_profile *profile;
    enum fxt_code code = build(archive, &profile);

    if (code == FXT_OK)
        code = fxt_profile_write(profile, NULL, fxt_buffer_write, to);
    fxt_profile_destroy(profile);
    return code != FXT_OK ? fxt_code_message(code) : NULL;
}

/* ---- HTTP -------------------------------------------------------------------------- */

static void send_all(int client, const void *data, size_t size)
{
    const char *next = data;

    while (size > 0) {
        ssize_t n = send(client, next, size, MSG_NOSIGNAL);

        if (n < 0 && errno != EINTR)
            return;
        if (n > 0) {
            next += n;
            size -= (size_t)n;
        }
    }
}

static void answer(int client, const char *status, const char *headers, const void *body,
                   size_t size)
{
    char head[512];
    int n = snprintf(head, sizeof(head),
                     "HTTP/1.1 %s\r\nX-Content-Type-Options: nosniff\r\n"
                     "Content-Length: %zu\r\nConnection: close\r\n%s\r\n",
                     status, size, headers);

    send_all(client, head, (size_t)n);
    send_all(client, body, size);
}

static void answer_text(int client, const char *status, const char *text)
{
    answer(client, status, "Content-Type: text/plain; charset=utf-8\r\n", text,
           strlen(text));
}

/* Without a number of seconds that makes sense it is the default, as in Go. */
static unsigned parse_seconds(const char *query)
{
    unsigned long seconds = 0;

    if (strncmp(query, "?seconds=", 9) == 0)
        seconds = strtoul(query + 9, NULL, 10);
    if (seconds == 0)
        return SECONDS_DEFAULT;
    return seconds < SECONDS_MAX ? (unsigned)seconds : SECONDS_MAX;
}

static void answer_profile(int client, unsigned seconds)
{
    struct fxt_buffer archive = {0};
    struct fxt_buffer profile = {0};
    const char *failure = take_samples(seconds, &archive);

    if (failure == NULL)
        failure = make_profile(&archive, &profile);
    if (failure == NULL)
        answer(client, "200 OK",
               "Content-Type: application/octet-stream\r\n"
               "Content-Disposition: attachment; filename=\"profile\"\r\n",
               profile.data, profile.size);
    else
        answer_text(client, "500 Internal Server Error", failure);
    free(archive.data);
    free(profile.data);
}

/* Reads up to the empty line after the headers. Returns false if there is none. */
static bool read_request(int client, char *request, size_t capacity)
{
    size_t size = 0;

    while (size < capacity - 1) {
        ssize_t n = recv(client, request + size, capacity - 1 - size, 0);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        size += (size_t)n;
        request[size] = '\0';
        if (strstr(request, "\r\n\r\n") != NULL)
            return true;
    }
    return false;
}

static void serve(int client)
{
    static const char target[] = "/debug/pprof/profile";
    const struct timeval patience = {.tv_sec = 10};
    char request[4096];
    const char *path;
    const char *query;

    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    if (!read_request(client, request, sizeof(request))) {
        answer_text(client, "400 Bad Request", "not a request\n");
        return;
    }
    if (strncmp(request, "GET ", 4) != 0) {
        answer_text(client, "405 Method Not Allowed", "only GET is supported\n");
        return;
    }
    path = request + 4;
    query = path + strcspn(path, "? \r\n");
    if ((size_t)(query - path) == strlen(target) &&
        strncmp(path, target, strlen(target)) == 0)
        answer_profile(client, parse_seconds(query));
    else
        answer_text(client, "404 Not Found", "try /debug/pprof/profile?seconds=1\n");
}

/* Listens on a port of this machine, any port if it is 0, and prints the address. */
static int listen_on(uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof(address);
    const int yes = 1;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (listener < 0)
        return -1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    if (bind(listener, (struct sockaddr *)&address, sizeof(address)) != 0 ||
        listen(listener, 8) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &size) != 0) {
        close(listener);
        return -1;
    }
    printf("http://127.0.0.1:%u/debug/pprof/profile\n",
           (unsigned)ntohs(address.sin_port));
    fflush(stdout);
    return listener;
}

int main(int argc, char **argv)
{
    unsigned long port = argc == 2 ? strtoul(argv[1], NULL, 10) : 6060;
    pthread_t worker;
    int listener;

    if (argc > 2 || port > UINT16_MAX) {
        fprintf(stderr, "usage: profile_yourself [PORT]\n");
        return 2;
    }
    listener = listen_on((uint16_t)port);
    if (listener < 0) {
        perror("profile_yourself");
        return 1;
    }
    for (uintptr_t i = 1; i <= N_WORKERS; i++) {
        if (pthread_create(&worker, NULL, run_worker, (void *)i) != 0)
            return 1;
    }
    for (;;) {
        int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

        if (client < 0)
            continue;
        serve(client);
        close(client);
    }
}
