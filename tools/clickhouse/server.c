/* SPDX-License-Identifier: BSD-2-Clause */
/* See server.h. */
#include "server.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/io/output.h"
#include "common/base/quote.h"
#include "curl_library.h"
#include "tools/common/report.h"

#define NS_PER_S UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)

/* How long to wait before the second try; twice as long each time, up to a limit. */
#define FIRST_WAIT_NS (NS_PER_S / 4)
#define LAST_WAIT_NS (15 * NS_PER_S)

/* More of an answer is not an answer; and of rows, more than a report can be of. */
enum { ANSWER_LIMIT = 1 << 20, ROWS_LIMIT = 1 << 29 };

/* How much of an answer is shown. */
enum { SHOWN_BYTES = 300 };

/* ClickHouse's number for what a user who may only read has asked for. */
enum { READONLY = 164 };

static const char no_library[] = "it needs libcurl.so.4, which cannot be loaded";

enum outcome { OUTCOME_DONE, OUTCOME_MAY_PASS, OUTCOME_FINAL };

/* A request: the statement is in the URL if there are rows, and else the body. */
struct request {
    const char *statement;
    const struct text *body;
    /* What the answer has to begin with, and all there may be if it is ""; NULL if it may
     * be anything. */
    const char *expected;
};

/* ---- Opening ----------------------------------------------------------------------- */

static bool fail(struct server *s, const char *why)
{
    s->why.size = 0;
    return text_fail(&s->why, "%s", why);
}

/* A password in a URL is on the command line, where all users of the machine see it. */
static bool has_part(CURLU *url, CURLUPart part)
{
    char *value = NULL;
    bool is_there =
        libcurl.url_get(url, part, &value, 0) == CURLUE_OK && value[0] != '\0';

    libcurl.free(value);
    return is_there;
}

static bool has_scheme_of_http(CURLU *url)
{
    char *scheme = NULL;
    bool is_http = libcurl.url_get(url, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
                   (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0);

    libcurl.free(scheme);
    return is_http;
}

static const char *find_problem(CURLU *url, const char *string)
{
    if (libcurl.url_set(url, CURLUPART_URL, string, 0) != CURLUE_OK ||
        !has_scheme_of_http(url))
        return "a server's URL is of the form http://host:8123 or https://host:8443";
    if (has_part(url, CURLUPART_USER) || has_part(url, CURLUPART_PASSWORD))
        return "a user or a password in the URL could be seen by others: use --netrc, or "
               "CLICKHOUSE_USER and CLICKHOUSE_PASSWORD";
    if (has_part(url, CURLUPART_QUERY) || has_part(url, CURLUPART_FRAGMENT))
        return "a server's URL has no query";
    return NULL;
}

const char *server_url_problem(const char *string)
{
    const char *problem;
    CURLU *url;

    if (!curl_library_load())
        return no_library;
    url = libcurl.url();
    problem = url != NULL ? find_problem(url, string) : "out of memory";
    libcurl.url_cleanup(url);
    return problem;
}

static void set_string(struct server *s, CURLoption option, const char *value)
{
    if (value != NULL)
        libcurl.easy_setopt(s->curl, option, value);
}

/* A curl_debug_callback: of what curl tells of itself, only whether the server is sent a
 * user. */
static int note_user(CURL *curl, curl_infotype type, char *data, size_t size,
                     void *context)
{
    static const char header[] = "\r\nAuthorization: ";
    struct server *s = (struct server *)context;

    (void)curl;
    if (type == CURLINFO_HEADER_OUT &&
        memmem(data, size, header, sizeof(header) - 1) != NULL)
        s->has_user = true;
    return 0;
}

/* curl would go on without a file that is not there, and without a user for this host:
 * see judge. */
static bool take_user(struct server *s)
{
    const char *netrc = s->options->netrc;

    if (netrc == NULL) {
        set_string(s, CURLOPT_USERNAME, getenv("CLICKHOUSE_USER"));
        set_string(s, CURLOPT_PASSWORD, getenv("CLICKHOUSE_PASSWORD"));
        return true;
    }
    if (access(netrc, R_OK) != 0) {
        s->why.size = 0;
        return text_fail(&s->why, "%s: %s", netrc, strerror(errno));
    }
    libcurl.easy_setopt(s->curl, CURLOPT_NETRC, (long)CURL_NETRC_REQUIRED);
    set_string(s, CURLOPT_NETRC_FILE, netrc);
    libcurl.easy_setopt(s->curl, CURLOPT_VERBOSE, 1L);
    libcurl.easy_setopt(s->curl, CURLOPT_DEBUGFUNCTION, note_user);
    libcurl.easy_setopt(s->curl, CURLOPT_DEBUGDATA, s);
    return true;
}

/* A curl_write_callback: keeps the beginning, and ends what does not end. */
static size_t keep_answer(char *data, size_t size, size_t n, void *context)
{
    struct server *s = (struct server *)context;
    size_t room = sizeof(s->answer) - s->answer_size;
    size_t n_bytes = size * n;

    memcpy(s->answer + s->answer_size, data, n_bytes < room ? n_bytes : room);
    s->answer_size += n_bytes < room ? n_bytes : room;
    s->n_answered += n_bytes;
    if (s->rows == NULL)
        return s->n_answered > ANSWER_LIMIT ? 0 : n_bytes;
    text_add(s->rows, data, n_bytes);
    if (s->take != NULL)
        s->take(s->take_context, s->rows);
    return s->rows->size > ROWS_LIMIT ? 0 : n_bytes;
}

/* Nothing but what the URL says is spoken, and no other server is gone to. */
static void set_transport(struct server *s)
{
    const struct server_options *o = s->options;
    long timeout_ms = (long)(o->timeout_ns / NS_PER_MS);

#if LIBCURL_VERSION_NUM >= 0x075500
    libcurl.easy_setopt(s->curl, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    libcurl.easy_setopt(s->curl, CURLOPT_PROTOCOLS,
                        (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
    libcurl.easy_setopt(s->curl, CURLOPT_NOSIGNAL, 1L);
    libcurl.easy_setopt(s->curl, CURLOPT_TIMEOUT_MS, timeout_ms > 0 ? timeout_ms : 1L);
    libcurl.easy_setopt(s->curl, CURLOPT_ERRORBUFFER, s->curl_error);
    libcurl.easy_setopt(s->curl, CURLOPT_WRITEFUNCTION, keep_answer);
    libcurl.easy_setopt(s->curl, CURLOPT_WRITEDATA, s);
    set_string(s, CURLOPT_CAINFO, o->ca_file);
    set_string(s, CURLOPT_SSLCERT, o->certificate);
    set_string(s, CURLOPT_SSLKEY, o->key);
    if (o->is_insecure) {
        libcurl.easy_setopt(s->curl, CURLOPT_SSL_VERIFYPEER, 0L);
        libcurl.easy_setopt(s->curl, CURLOPT_SSL_VERIFYHOST, 0L);
    }
}

bool server_open(struct server *s, const struct server_options *options)
{
    *s = (struct server){.options = options};
    if (!curl_library_load())
        return fail(s, no_library);
    s->curl = libcurl.easy_init();
    s->url = libcurl.url();
    if (s->curl == NULL || s->url == NULL)
        return fail(s, "out of memory");
    if (libcurl.url_set(s->url, CURLUPART_URL, options->url, 0) != CURLUE_OK)
        return fail(s, "it is no URL");
    if (!take_user(s))
        return false;
    set_transport(s);
    return true;
}

void server_close(struct server *s)
{
    if (libcurl.url != NULL) {
        libcurl.slist_free_all(s->headers);
        libcurl.easy_cleanup(s->curl);
        libcurl.url_cleanup(s->url);
    }
    text_free(&s->why);
}

/* ---- Answers ----------------------------------------------------------------------- */

/* The first line of what the server said, if any, which may be anything. */
static void add_answer(struct server *s)
{
    const char *end = memchr(s->answer, '\n', s->answer_size);
    size_t size = end != NULL ? (size_t)(end - s->answer) : s->answer_size;

    if (size > 0)
        text_str(&s->why, ": ");
    quote_text(&s->why, s->answer, size < SHOWN_BYTES ? size : SHOWN_BYTES);
    if (size > SHOWN_BYTES)
        text_str(&s->why, "...");
}

static bool is_expected(const struct server *s, const char *expected)
{
    size_t size;

    if (s->rows != NULL || expected == NULL)
        return true;
    size = strlen(expected);
    if (size == 0)
        return s->n_answered == 0;
    return s->answer_size >= size && memcmp(s->answer, expected, size) == 0;
}

bool server_answers_code(const struct server *s, unsigned code)
{
    char text[sizeof("Code: 4294967295")];
    size_t size = (size_t)snprintf(text, sizeof(text), "Code: %u", code);

    return s->answer_size > size && memcmp(s->answer, text, size) == 0 &&
           !isdigit((unsigned char)s->answer[size]);
}

/* Those that a later request may not get. ClickHouse answers 500 to a query that is
 * wrong, but also to rows for which it has no memory or no shard just then. */
static bool may_pass(const struct server *s, long status)
{
    if (status == 500)
        return s->rows == NULL && !server_answers_code(s, READONLY);
    return status > 500 || status == 408 || status == 429;
}

static enum outcome judge_answer(struct server *s, long status, const char *expected)
{
    s->why.size = 0;
    if (status == 200 && is_expected(s, expected))
        return OUTCOME_DONE;
    if (status == 200)
        text_str(&s->why, "the answer is not that of ClickHouse");
    else
        text_printf(&s->why, "status %ld", status);
    add_answer(s);
    return may_pass(s, status) ? OUTCOME_MAY_PASS : OUTCOME_FINAL;
}

/* Those for which waiting is no remedy. */
static bool is_final(CURLcode code)
{
    switch ((int)code) {
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_OUT_OF_MEMORY:
    case CURLE_WRITE_ERROR:
    case CURLE_SSL_ENGINE_NOTFOUND:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
        return true;
    default:
        return false;
    }
}

static enum outcome judge(struct server *s, CURLcode code, const char *expected)
{
    long status = 0;

    libcurl.easy_getinfo(s->curl, CURLINFO_RESPONSE_CODE, &status);
    if (status != 0 && s->options->netrc != NULL && !s->has_user) {
        s->why.size = 0;
        text_printf(&s->why, "%s has no user for this host", s->options->netrc);
        return OUTCOME_FINAL;
    }
    /* What is long may still be the server's reason. */
    if (code == CURLE_OK || (code == CURLE_WRITE_ERROR && status != 200))
        return judge_answer(s, status, expected);
    s->why.size = 0;
    if (code == CURLE_WRITE_ERROR)
        text_str(&s->why, s->rows != NULL ? "the answer has more than 512 MiB: choose "
                                            "fewer samples"
                                          : "the answer has no end");
    else
        text_str(&s->why,
                 s->curl_error[0] != '\0' ? s->curl_error : libcurl.easy_strerror(code));
    return is_final(code) ? OUTCOME_FINAL : OUTCOME_MAY_PASS;
}

/* ---- Requests ---------------------------------------------------------------------- */

static bool add_query(struct server *s, const char *name, const char *value)
{
    char *query = text_format("%s=%s", name, value);
    CURLUcode code = libcurl.url_set(s->url, CURLUPART_QUERY, query,
                                     CURLU_APPENDQUERY | CURLU_URLENCODE);

    memory_release(query);
    return code == CURLUE_OK;
}

/* Rows for other shards have arrived there when the answer comes; and an answer begins
 * when it is whole, so that its status is true. */
static bool add_settings(struct server *s)
{
    if (!add_query(s, "wait_end_of_query", "1"))
        return false;
    if (s->options->is_read_only)
        return s->has_reader || add_query(s, "readonly", "1");
    return add_query(s, "insert_distributed_sync", "1");
}

static bool set_url(struct server *s, const struct request *request)
{
    return libcurl.url_set(s->url, CURLUPART_QUERY, NULL, 0) == CURLUE_OK &&
           add_settings(s) &&
           (request->body == NULL || add_query(s, "query", request->statement));
}

static void add_header(struct server *s, const char *header)
{
    struct curl_slist *longer = libcurl.slist_append(s->headers, header);

    if (longer != NULL)
        s->headers = longer;
}

/* No question whether the body is welcome: that would be a second of waiting for servers
 * that do not answer it. */
static bool prepare(struct server *s, const struct request *request)
{
    const struct text *body = request->body;

    if (!set_url(s, request))
        return fail(s, "out of memory");
    libcurl.slist_free_all(s->headers);
    s->headers = NULL;
    add_header(s, "Expect:");
    add_header(s, "Content-Type: application/octet-stream");
    if (body != NULL)
        add_header(s, "Content-Encoding: gzip");
    libcurl.easy_setopt(s->curl, CURLOPT_CURLU, s->url);
    libcurl.easy_setopt(s->curl, CURLOPT_HTTPHEADER, s->headers);
    libcurl.easy_setopt(
        s->curl, CURLOPT_POSTFIELDSIZE_LARGE,
        (curl_off_t)(body != NULL ? body->size : strlen(request->statement)));
    libcurl.easy_setopt(s->curl, CURLOPT_POSTFIELDS,
                        body != NULL ? body->data : request->statement);
    return true;
}

static enum outcome try_once(struct server *s, const struct request *request)
{
    s->answer_size = 0;
    s->n_answered = 0;
    if (s->rows != NULL)
        s->rows->size = 0;
    s->curl_error[0] = '\0';
    return judge(s, libcurl.easy_perform(s->curl), request->expected);
}

static void sleep_for(uint64_t ns)
{
    struct timespec left = {(time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S)};

    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        ;
}

/* Between half of a time and all of it, so that machines whose server was away do not
 * come back together. */
static uint64_t spread(uint64_t ns)
{
    return ns / 2 + clock_ns(CLOCK_MONOTONIC) % (ns / 2);
}

static bool send_request(struct server *s, const struct request *request)
{
    uint64_t start = clock_ns(CLOCK_MONOTONIC);
    uint64_t wait = FIRST_WAIT_NS;
    bool is_first = true;

    if (!prepare(s, request))
        return false;
    for (;;) {
        enum outcome outcome = try_once(s, request);

        if (outcome != OUTCOME_MAY_PASS)
            return outcome == OUTCOME_DONE;
        if (clock_ns(CLOCK_MONOTONIC) - start + wait > s->options->retry_ns)
            return false;
        if (is_first && !s->options->is_quiet)
            complain(s->options->program, s->options->url, "%.*s; trying again",
                     (int)s->why.size, s->why.data);
        is_first = false;
        sleep_for(spread(wait));
        wait = wait < LAST_WAIT_NS / 2 ? 2 * wait : LAST_WAIT_NS;
    }
}

static bool check(struct server *s)
{
    return send_request(
        s, &(struct request){"SELECT 'ClickHouse', version()", NULL, "ClickHouse\t"});
}

/* A user who may only read, but change settings, may not change that one. */
bool server_check(struct server *s)
{
    if (check(s))
        return true;
    s->has_reader = s->options->is_read_only && server_answers_code(s, READONLY);
    return s->has_reader && check(s);
}

/* A cluster answers with a row for each of its servers. */
bool server_run(struct server *s, const char *statement)
{
    return send_request(s, &(struct request){statement, NULL, NULL});
}

static void compress(struct text *compressed, const struct text *rows)
{
    struct text why = {NULL, 0, 0};
    struct output *output = output_to_memory(compressed);

    output_compress(output);
    output_write(output, rows->data, rows->size);
    output_close(output, true, &why);
    text_free(&why);
}

bool server_insert(struct server *s, const char *statement, const struct text *rows)
{
    struct text compressed = {NULL, 0, 0};
    bool good;

    compress(&compressed, rows);
    good = send_request(s, &(struct request){statement, &compressed, ""});
    text_free(&compressed);
    return good;
}

bool server_query(struct server *s, const char *statement, struct text *rows,
                  server_rows_fn *take, void *context)
{
    bool good;

    s->rows = rows;
    s->take = take;
    s->take_context = context;
    good = send_request(s, &(struct request){statement, NULL, ""});
    s->rows = NULL;
    return good;
}
