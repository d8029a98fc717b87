/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An HTTP server that traces itself with fxt/trace.h: spans of what each thread does,
 * flows from the thread that accepts connections to those that answer, the length of the
 * queue, and each request from its arrival to its answer.
 *
 *     FXT_TRACE_FILE=trace.fxt traced_server PORT N_REQUESTS
 *     fxtreport trace.fxt
 *
 * It listens on 127.0.0.1, prints its port (0 takes any), and ends after so many
 * requests.
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fxt/trace.h>

enum { N_WORKERS = 4, MAX_QUEUED = 64 };

struct request {
    int connection;
    uint64_t number;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct request all[MAX_QUEUED];
    unsigned n_in;
    unsigned n_out;
    bool is_closed;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

/* ---- The queue --------------------------------------------------------------------- */

static void put_request(struct request request)
{
    pthread_mutex_lock(&queue.lock);
    while (queue.n_in - queue.n_out == MAX_QUEUED) {
        FXT_SCOPE("queue", "wait for room");
        pthread_cond_wait(&queue.changed, &queue.lock);
    }
    queue.all[queue.n_in++ % MAX_QUEUED] = request;
    FXT_COUNTER(0, "queue", "requests", "waiting", queue.n_in - queue.n_out);
    pthread_cond_broadcast(&queue.changed);
    pthread_mutex_unlock(&queue.lock);
}

/* Returns false once there are no more. */
static bool take_request(struct request *request)
{
    bool is_taken;

    pthread_mutex_lock(&queue.lock);
    while (queue.n_in == queue.n_out && !queue.is_closed)
        pthread_cond_wait(&queue.changed, &queue.lock);
    is_taken = queue.n_in != queue.n_out;
    if (is_taken) {
        *request = queue.all[queue.n_out++ % MAX_QUEUED];
        FXT_COUNTER(0, "queue", "requests", "waiting", queue.n_in - queue.n_out);
    }
    pthread_cond_broadcast(&queue.changed);
    pthread_mutex_unlock(&queue.lock);
    return is_taken;
}

static void close_queue(void)
{
    pthread_mutex_lock(&queue.lock);
    queue.is_closed = true;
    pthread_cond_broadcast(&queue.changed);
    pthread_mutex_unlock(&queue.lock);
}

/* ---- Requests ---------------------------------------------------------------------- */

/* Returns the path that is asked for, in `text`. */
static const char *read_path(int connection, char *text, size_t size)
{
    ssize_t n;
    char *end;

    FXT_SCOPE("http", "read");
    n = recv(connection, text, size - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    if (strncmp(text, "GET ", 4) != 0)
        return "";
    end = strpbrk(text + 4, " \r\n");
    if (end != NULL)
        *end = '\0';
    return text + 4;
}

/* Something that takes the longer the longer the path is. */
static unsigned work(const char *path)
{
    unsigned sum = 0;

    FXT_SCOPE("http", "work", "path", path);
    for (size_t i = 0; i < 1000 * strlen(path); i++)
        sum = sum * 31 + (unsigned char)path[i % strlen(path)];
    return sum;
}

static void answer(struct request request)
{
    char text[1024];
    char body[1200];
    int size;

    FXT_SCOPE("http", "answer", "request", request.number);
    FXT_FLOW_END(request.number, "http", "to worker");
    size = snprintf(body, sizeof(body), "HTTP/1.0 200 OK\r\n\r\n%u\n",
                    work(read_path(request.connection, text, sizeof(text))));
    {
        FXT_SCOPE("http", "send", "bytes", size);
        if (send(request.connection, body, (size_t)size, MSG_NOSIGNAL) != size)
            FXT_INSTANT("http", "not sent", "request", request.number);
    }
    close(request.connection);
    FXT_ASYNC_END(request.number, "http", "request");
}

static void *run_worker(void *unused)
{
    struct request request;

    fxt_trace_name_thread("worker");
    while (take_request(&request))
        answer(request);
    return unused;
}

/* ---- The program ------------------------------------------------------------------- */

static int start_listening(uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    socklen_t size = sizeof(address);
    int listening = socket(AF_INET, SOCK_STREAM, 0);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (listening < 0 || bind(listening, (struct sockaddr *)&address, size) != 0 ||
        listen(listening, MAX_QUEUED) != 0 ||
        getsockname(listening, (struct sockaddr *)&address, &size) != 0) {
        perror("traced_server");
        exit(1);
    }
    printf("%u\n", ntohs(address.sin_port));
    fflush(stdout);
    return listening;
}

int main(int argc, char **argv)
{
    uint64_t n_requests = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
    pthread_t workers[N_WORKERS];
    int listening;

    if (argc != 3) {
        fprintf(stderr, "usage: traced_server PORT N_REQUESTS\n");
        return 2;
    }
    listening = start_listening((uint16_t)atoi(argv[1]));
    fxt_trace_name_thread("acceptor");
    for (int i = 0; i < N_WORKERS; i++) {
        if (pthread_create(&workers[i], NULL, run_worker, NULL) != 0)
            return 1;
    }
    for (uint64_t i = 1; i <= n_requests; i++) {
        struct request request = {accept(listening, NULL, NULL), i};

        FXT_SCOPE("http", "accept", "request", i);
        FXT_ASYNC_BEGIN(i, "http", "request");
        FXT_FLOW_BEGIN(i, "http", "to worker");
        put_request(request);
    }
    close_queue();
    for (int i = 0; i < N_WORKERS; i++)
        pthread_join(workers[i], NULL);
    return 0;
}
