// fmu_remote.c - FMUs of models in processes of their own: a crash of one is a message. The two processes exchange a head and an array per call, by a
// pair of sockets; the other one is a copy of this process, so it needs no names, and ends when the sockets do.
#include "cli/fmu/fmu_host.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

typedef enum call {
    CALL_CREATE,
    CALL_SET,
    CALL_START,
    CALL_SET_SLOPES,
    CALL_STEP,
    CALL_GET,
    CALL_GET_SLOPES,
    CALL_SAVE,
    CALL_RESTORE,
    CALL_ROWS,
    CALL_ROW_SLOPES,
    CALL_EVENT,
} call;

typedef struct head {
    int call, n;  // n: ports
    double of[3]; // numbers of the call
    size_t size;  // bytes behind the head
    int status;   // of an answer
    int ended;
} head;

typedef struct buffer {
    unsigned char *bytes; // owned
    size_t room;
} buffer;

typedef struct remote {
    void *here; // an instance in this process instead; NULL: in its own
    pid_t pid;
    int socket;
    flx_fmu_info *info; // borrowed
    bool dead;
    head answer;
    buffer in, out;
    bool exchange; // with these inputs and outputs
    int nin, nout, nvalue;
    const int *in_ports, *out_ports; // borrowed
    char why[600];
} remote;

static char failed[600]; // why the last instance could not be made

// ---- bytes ----------------------------------------------------------------------------------------------

static bool make_room(buffer *b, size_t size)
{
    if (size <= b->room) return true;
    unsigned char *more = realloc(b->bytes, size);
    if (!more) return false;
    b->bytes = more;
    b->room = size;
    return true;
}

static bool send_all(int socket, const void *data, size_t size)
{
    const unsigned char *at = data;
    while (size > 0) {
        ssize_t n = send(socket, at, size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static bool receive_all(int socket, void *data, size_t size)
{
    unsigned char *at = data;
    while (size > 0) {
        ssize_t n = recv(socket, at, size, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static bool send_message(int socket, const head *h, const void *data)
{
    return send_all(socket, h, sizeof *h) && send_all(socket, data, h->size);
}

static bool receive_message(int socket, head *h, buffer *b)
{
    return receive_all(socket, h, sizeof *h) && make_room(b, h->size + 1) &&
           receive_all(socket, b->bytes, h->size);
}

// ---- the other process ----------------------------------------------------------------------------------

static size_t count_values(const flx_fmu_info *info, int n, const int *ports)
{
    size_t count = 0;
    for (int i = 0; i < n; i++) count += (size_t)info->ports[ports[i]].count;
    return count;
}

// Ports, then values, each from a place that is aligned for it.
static size_t ports_size(int n)
{
    return ((size_t)n * sizeof(int) + sizeof(double) - 1) / sizeof(double) * sizeof(double);
}

static size_t row_count(const remote *r)
{
    return (size_t)(r->info->nstate + r->nvalue + r->info->nindicator);
}

// x, then u; what is found: rows, their slopes, or x behind an event and the time of the next one.
static flx_status answer_exchange(void *instance, const remote *r, const head *h, const buffer *in,
                                  buffer *out, head *to, const void **data)
{
    size_t nx = (size_t)r->info->nstate, n = h->call == CALL_EVENT ? nx + 1 : row_count(r);
    if (h->call == CALL_ROW_SLOPES) n *= 1 + nx + (size_t)r->nin;
    double *x = (double *)(void *)in->bytes, *u = x + nx;
    to->size = n * sizeof(double);
    if (!make_room(out, to->size + 1)) return FLX_ERR_MEMORY;
    double *found = (double *)(void *)out->bytes;
    *data = found;
    if (h->call == CALL_ROWS) return cli_fmus_here.rows(instance, h->of[0], x, u, found);
    if (h->call == CALL_ROW_SLOPES)
        return cli_fmus_here.row_slopes(instance, h->of[0], x, u, found);
    memcpy(found, x, nx * sizeof *x);
    return cli_fmus_here.event(instance, h->n, h->of[0], found, u, found + nx, &to->ended);
}

static flx_status answer_call(void **instance, const remote *r, const head *h, const buffer *in,
                              buffer *out, head *to, const void **data)
{
    flx_fmu_info *info = r->info;
    const flx_fmu_host *host = &cli_fmus_here;
    const int *ports = (const int *)(const void *)in->bytes;
    const double *values = (const double *)(const void *)(in->bytes + ports_size(h->n));
    switch ((call)h->call) {
    case CALL_CREATE:
        if (r->exchange)
            return host->create_exchange(NULL, info, 0, r->nin, r->in_ports, r->nout, r->out_ports,
                                         instance);
        return host->create(NULL, info, 0, instance);
    case CALL_SET:
        return host->set(*instance, h->n, ports, values);
    case CALL_START:
        return host->start(*instance, h->of[0], h->of[1], h->of[2]);
    case CALL_SET_SLOPES:
        return host->set_slopes(*instance, h->n, ports, values);
    case CALL_STEP:
        return host->step(*instance, h->of[0], h->of[1], &to->ended);
    case CALL_GET:
    case CALL_GET_SLOPES:
        to->size = count_values(info, h->n, ports) * sizeof(double);
        if (!make_room(out, to->size + 1)) return FLX_ERR_MEMORY;
        *data = out->bytes;
        return (h->call == CALL_GET ? host->get : host->get_slopes)(*instance, h->n, ports,
                                                                    (double *)(void *)out->bytes);
    case CALL_SAVE:
        return host->save(*instance, data, &to->size);
    case CALL_RESTORE:
        return host->restore(*instance, in->bytes, h->size);
    case CALL_ROWS:
    case CALL_ROW_SLOPES:
    case CALL_EVENT:
        return answer_exchange(*instance, r, h, in, out, to, data);
    }
    return FLX_INTERRUPTED;
}

static void serve(int socket, const remote *r)
{
    void *instance = NULL;
    buffer in = {0}, out = {0};
    head h;
    signal(SIGINT, SIG_IGN); // the run is interrupted, and then ends this
    while (receive_message(socket, &h, &in)) {
        head to = {.call = h.call};
        const void *data = NULL;
        to.status = answer_call(&instance, r, &h, &in, &out, &to, &data);
        if (to.status != FLX_OK) {
            data = cli_fmus_here.why(instance);
            to.size = strlen(data) + 1;
        }
        if (!send_message(socket, &to, data)) break;
    }
    if (instance) cli_fmus_here.destroy(instance);
    free(in.bytes);
    free(out.bytes);
    _exit(0);
}

// ---- this process ---------------------------------------------------------------------------------------

static void tell_death(remote *r)
{
    int code = 0;
    r->dead = true;
    if (waitpid(r->pid, &code, 0) == r->pid && WIFSIGNALED(code)) {
        snprintf(r->why, sizeof r->why, "its process was ended by signal %d (%s)", WTERMSIG(code),
                 strsignal(WTERMSIG(code)));
    } else {
        snprintf(r->why, sizeof r->why, "its process has ended by itself");
    }
    r->pid = 0;
}

static flx_status ask(remote *r, head h, const void *data)
{
    if (r->dead) return FLX_INTERRUPTED;
    if (!send_message(r->socket, &h, data) || !receive_message(r->socket, &r->answer, &r->in)) {
        tell_death(r);
        return FLX_INTERRUPTED;
    }
    if (r->answer.status != FLX_OK)
        snprintf(r->why, sizeof r->why, "%.*s", (int)r->answer.size, (const char *)r->in.bytes);
    return (flx_status)r->answer.status;
}

static flx_status ask_ports(remote *r, call what, int n, const int *ports, const double *values)
{
    size_t at = ports_size(n), size = at + (values ? (size_t)n * sizeof *values : 0);
    if (!make_room(&r->out, size + 1)) return FLX_ERR_MEMORY;
    memset(r->out.bytes, 0, at); // what lies between is not left open
    if (n > 0) memcpy(r->out.bytes, ports, (size_t)n * sizeof *ports);
    if (n > 0 && values) memcpy(r->out.bytes + at, values, (size_t)n * sizeof *values);
    return ask(r, (head){.call = (int)what, .n = n, .size = size}, r->out.bytes);
}

static void destroy(void *instance)
{
    remote *r = instance;
    if (r->here) cli_fmus_here.destroy(r->here);
    if (r->socket >= 0) {
        shutdown(r->socket, SHUT_RDWR); // processes that began later have copies of it
        close(r->socket);
    }
    if (r->pid > 0) waitpid(r->pid, NULL, 0); // it sees the end of the socket
    free(r->in.bytes);
    free(r->out.bytes);
    free(r);
}

static flx_status begin(remote *r)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
        snprintf(r->why, sizeof r->why, "no sockets for its process: %s", strerror(errno));
        return FLX_INTERRUPTED;
    }
    fflush(NULL);
    r->pid = fork();
    if (r->pid == 0) {
        close(ends[0]);
        serve(ends[1], r);
    }
    close(ends[1]);
    r->socket = ends[0];
    if (r->pid > 0) return ask(r, (head){.call = CALL_CREATE}, NULL);
    snprintf(r->why, sizeof r->why, "no process for it: %s", strerror(errno));
    return FLX_INTERRUPTED;
}

static flx_status create(void *user, flx_fmu_info *info, int isolate, void **instance)
{
    remote *r = calloc(1, sizeof *r);
    *instance = NULL;
    if (!r) return FLX_ERR_MEMORY;
    r->info = info;
    r->socket = -1;
    flx_status status = isolate ? begin(r) : cli_fmus_here.create(user, info, 0, &r->here);
    if (status == FLX_OK) {
        *instance = r;
        return FLX_OK;
    }
    snprintf(failed, sizeof failed, "%s", isolate ? r->why : cli_fmus_here.why(NULL));
    destroy(r);
    return status;
}

static flx_status create_exchange(void *user, flx_fmu_info *info, int isolate, int nin,
                                  const int *in, int nout, const int *out, void **instance)
{
    remote *r = calloc(1, sizeof *r);
    *instance = NULL;
    if (!r) return FLX_ERR_MEMORY;
    *r = (remote){.info = info,
                  .socket = -1,
                  .exchange = true,
                  .nin = nin,
                  .nout = nout,
                  .nvalue = (int)count_values(info, nout, out),
                  .in_ports = in,
                  .out_ports = out};
    flx_status status =
        isolate ? begin(r)
                : cli_fmus_here.create_exchange(user, info, 0, nin, in, nout, out, &r->here);
    if (status == FLX_OK) {
        *instance = r;
        return FLX_OK;
    }
    snprintf(failed, sizeof failed, "%s", isolate ? r->why : cli_fmus_here.why(NULL));
    destroy(r);
    return status;
}

static flx_status ask_exchange(remote *r, call what, int first, double t, const double *x,
                               const double *u)
{
    size_t nx = (size_t)r->info->nstate * sizeof *x, nu = (size_t)r->nin * sizeof *u;
    if (!make_room(&r->out, nx + nu + 1)) return FLX_ERR_MEMORY;
    if (nx > 0) memcpy(r->out.bytes, x, nx);
    if (nu > 0) memcpy(r->out.bytes + nx, u, nu);
    return ask(r, (head){.call = (int)what, .n = first, .of = {t, 0.0, 0.0}, .size = nx + nu},
               r->out.bytes);
}

static flx_status set(void *instance, int n, const int *ports, const double *values)
{
    remote *r = instance;
    if (r->here) return cli_fmus_here.set(r->here, n, ports, values);
    return ask_ports(r, CALL_SET, n, ports, values);
}

static flx_status start(void *instance, double t, double tolerance, double stop)
{
    remote *r = instance;
    if (r->here) return cli_fmus_here.start(r->here, t, tolerance, stop);
    return ask(r, (head){.call = CALL_START, .of = {t, tolerance, stop}}, NULL);
}

static flx_status set_slopes(void *instance, int n, const int *ports, const double *slopes)
{
    remote *r = instance;
    if (r->here) return cli_fmus_here.set_slopes(r->here, n, ports, slopes);
    return ask_ports(r, CALL_SET_SLOPES, n, ports, slopes);
}

static flx_status step(void *instance, double t, double h, int *ended)
{
    remote *r = instance;
    if (r->here) return cli_fmus_here.step(r->here, t, h, ended);
    flx_status status = ask(r, (head){.call = CALL_STEP, .of = {t, h, 0.0}}, NULL);
    *ended = r->answer.ended;
    return status;
}

static flx_status take(remote *r, flx_status status, double *values)
{
    if (status == FLX_OK) memcpy(values, r->in.bytes, r->answer.size);
    return status;
}

static flx_status get(void *instance, int n, const int *ports, double *values)
{
    remote *r = instance;
    if (r->here) return cli_fmus_here.get(r->here, n, ports, values);
    return take(r, ask_ports(r, CALL_GET, n, ports, NULL), values);
}

static flx_status get_slopes(void *instance, int n, const int *ports, double *slopes)
{
    remote *r = instance;
    if (r->here) return cli_fmus_here.get_slopes(r->here, n, ports, slopes);
    return take(r, ask_ports(r, CALL_GET_SLOPES, n, ports, NULL), slopes);
}

static flx_status save(void *instance, const void **bytes, size_t *size)
{
    remote *r = instance;
    if (r->here) return cli_fmus_here.save(r->here, bytes, size);
    flx_status status = ask(r, (head){.call = CALL_SAVE}, NULL);
    *bytes = r->in.bytes;
    *size = status == FLX_OK ? r->answer.size : 0;
    return status;
}

static flx_status restore(void *instance, const void *bytes, size_t size)
{
    remote *r = instance;
    if (r->here) return cli_fmus_here.restore(r->here, bytes, size);
    return ask(r, (head){.call = CALL_RESTORE, .size = size}, bytes);
}

static flx_status rows(void *instance, double t, const double *x, const double *u, double *out)
{
    remote *r = instance;
    if (r->here) return cli_fmus_here.rows(r->here, t, x, u, out);
    return take(r, ask_exchange(r, CALL_ROWS, 0, t, x, u), out);
}

static flx_status row_slopes(void *instance, double t, const double *x, const double *u,
                             double *slopes)
{
    remote *r = instance;
    if (r->here) return cli_fmus_here.row_slopes(r->here, t, x, u, slopes);
    return take(r, ask_exchange(r, CALL_ROW_SLOPES, 0, t, x, u), slopes);
}

static flx_status event(void *instance, int first, double t, double *x, const double *u,
                        double *next, int *ended)
{
    remote *r = instance;
    if (r->here) return cli_fmus_here.event(r->here, first, t, x, u, next, ended);
    size_t nx = (size_t)r->info->nstate * sizeof *x;
    flx_status status = ask_exchange(r, CALL_EVENT, first, t, x, u);
    *ended = r->answer.ended;
    if (status != FLX_OK) return status;
    if (nx > 0) memcpy(x, r->in.bytes, nx);
    memcpy(next, r->in.bytes + nx, sizeof *next);
    return FLX_OK;
}

static const char *why(void *instance)
{
    remote *r = instance;
    if (!r) return failed;
    return r->here ? cli_fmus_here.why(r->here) : r->why;
}

const flx_fmu_host cli_fmus = {sizeof(flx_fmu_host),
                               NULL,
                               create,
                               destroy,
                               set,
                               start,
                               set_slopes,
                               step,
                               get,
                               get_slopes,
                               save,
                               restore,
                               why,
                               create_exchange,
                               rows,
                               row_slopes,
                               event};
