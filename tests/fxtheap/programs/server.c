/* SPDX-License-Identifier: BSD-2-Clause */
/* A server with a thread for each connection: it answers each line with the line turned
 * around, on a port that it prints, until a line says "end". */
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static char *turn(const char *line, size_t size)
{
    char *turned = malloc(size + 1);

    for (size_t i = 0; i < size; i++)
        turned[i] = line[size - 1 - i];
    turned[size] = '\0';
    return turned;
}

static void *serve(void *context)
{
    FILE *stream = context;
    char *line = NULL;
    size_t capacity = 0;

    while (getline(&line, &capacity, stream) > 0) {
        size_t size = strcspn(line, "\n");
        char *turned = turn(line, size);

        if (size == 3 && memcmp(line, "end", 3) == 0)
            exit(0);
        fseek(stream, 0, SEEK_CUR);
        fprintf(stream, "%s\n", turned);
        fflush(stream);
        free(turned);
    }
    free(line);
    fclose(stream);
    return NULL;
}

int main(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof(address);
    int server = socket(AF_INET, SOCK_STREAM, 0);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(server, (struct sockaddr *)&address, sizeof(address)) != 0 ||
        listen(server, 16) != 0 ||
        getsockname(server, (struct sockaddr *)&address, &size) != 0)
        return 1;
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    for (;;) {
        pthread_t thread;
        int client = accept(server, NULL, NULL);
        FILE *stream = fdopen(client, "r+");

        if (stream == NULL || pthread_create(&thread, NULL, serve, stream) != 0)
            return 1;
        pthread_detach(thread);
    }
}
