// test_cli_serve.c - the server of `flexion view --serve` as a browser, and as others, meet it.
#include "program.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pid_t server;
static int port;
static char got[1 << 14];

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int serve(void)
{
    int ends[2];
    char line[256] = "";
    write_model("pendulum.yaml", pendulum);
    flexion("run pendulum.yaml --quiet");
    CHECK_STATUS(0);
    CHECK(pipe(ends) == 0);
    server = fork();
    if (server == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        if (chdir(folder) == 0)
            execl(FLX_PROGRAM, "flexion", "view", "pendulum.h5", "--serve", NULL);
        _exit(127);
    }
    close(ends[1]);
    FILE *f = fdopen(ends[0], "r");
    while (f && fgets(line, sizeof line, f) && !strstr(line, "http://")) {
    }
    CHECK(sscanf(line, "http://127.0.0.1:%d/", &port) == 1);
    fclose(f);
    return 0;
}

static int connect_to(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr = {htonl(INADDR_LOOPBACK)}};
    const struct timeval patience = {.tv_sec = 10};
    int s = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (connect(s, (struct sockaddr *)&address, sizeof address) == 0) return s;
    close(s);
    return -1;
}

// The beginning of the answer is in `got`; returns its length, -1 without one.
static long ask(const char *request)
{
    char block[4096];
    long n = 0;
    int s = connect_to();
    if (s < 0) return -1;
    send(s, request, strlen(request), MSG_NOSIGNAL);
    got[0] = '\0';
    for (ssize_t r; (r = recv(s, block, sizeof block, 0)) > 0; n += r) {
        if (n + r < (long)sizeof got) {
            memcpy(got + n, block, (size_t)r);
            got[n + r] = '\0';
        }
    }
    close(s);
    return n;
}

static int pages_go_to_this_machine_alone(void)
{
    long page = file_size("pendulum.html");
    CHECK(ask("GET / HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n\r\n") > page);
    CHECK_TEXT(got, "200 OK");
    CHECK(ask("GET /?x HTTP/1.1\r\nAccept: */*\r\nhost:  LOCALHOST\r\n\r\n") > page);
    CHECK(ask("HEAD / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n") < page);
    CHECK_TEXT(got, "200 OK");
    static const char *const strangers[] = {"Host: evil.example:8000\r\n",
                                            "Host: 127.0.0.1.evil.example\r\n",
                                            "Host: localhost.evil.example\r\n",
                                            "Host: localhost:80x\r\n",
                                            "X-Host: localhost\r\n",
                                            "",
                                            "Host:\r\n",
                                            "Host: evil.example\r\nHost: localhost\r\n",
                                            "Host: localhost\r\nHost: evil\r\n",
                                            "Host: localhost@evil.example\r\n"};
    for (size_t i = 0; i < sizeof strangers / sizeof strangers[0]; i++) {
        char request[256];
        snprintf(request, sizeof request, "GET / HTTP/1.1\r\n%s\r\n", strangers[i]);
        CHECK(ask(request) < page);
        CHECK_TEXT(got, "403 Forbidden");
    }
    ask("GET /etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CHECK_TEXT(got, "404");
    ask("POST / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CHECK_TEXT(got, "405");
    return 0;
}

static int who_waits_holds_up_nobody(void)
{
    int idle[40]; // more than it has places for
    long page = file_size("pendulum.html");
    for (int i = 0; i < 40; i++) CHECK((idle[i] = connect_to()) >= 0);
    CHECK(send(idle[39], "GET / HT", 8, MSG_NOSIGNAL) == 8);
    double start = now();
    CHECK(ask("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n") > page);
    CHECK(now() - start < 3.0);
    for (int i = 0; i < 40; i++) close(idle[i]);
    return 0;
}

static int an_interrupt_ends_it(void)
{
    int code;
    kill(server, SIGINT);
    CHECK(waitpid(server, &code, 0) == server);
    CHECK(WIFEXITED(code) && WEXITSTATUS(code) == 0);
    return 0;
}

TEST_MAIN(TEST(files_start), TEST(serve), TEST(pages_go_to_this_machine_alone),
          TEST(who_waits_holds_up_nobody), TEST(an_interrupt_ends_it), TEST(files_end))
