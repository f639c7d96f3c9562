// studio.c - what the page of the workbench asks, and who does it (studio.h). The server itself reads, writes and passes on;
// all that computes is a process of its own (work.h). Requests behind the secret of the address:
//
//     GET  ""        the page             GET  schema    the language, as JSON Schema
//     GET  model     name, text, copy     GET  events    what happens, as long as the page is open
//     POST check     text: messages, picture; check?all: a large picture, too; check?example:NAME: of the gallery
//     POST run, live?NUMBER, analyse?NAME, study?WHAT   text: work begins
//     POST stop      work ends            POST tell?NUMBER   a line for what is live
//     POST save?STAMP   text to the file  POST autosave  text to its copy    POST forget  the copy goes
//     GET  report    that was made        GET  result    of the last run      GET  folder    models, robots, meshes beside it
//     POST open?NAME    another of the models             POST import?NAME   one of the robots as text
//     POST example?NAME the files that an example of the gallery needs are written beside the model
#include "studio/studio.h"
#include "base/number.h"
#include "page/page_template.h"
#include "studio/example_files.h"
#include "studio/scratch_folder.h"
#include "studio/studio_file.h"
#include "studio/work.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_TEXT ((size_t)8 << 20) // bytes of a model file
#define FRAME_ROOM                                                                                 \
    ((size_t)1 << 18)   // bytes on the way to the page beyond which frames are left out
#define MOST_MODELS 500 // in a folder
#define FLX_RUNS 4      // side by side

struct flx_studio {
    flx_ctx *ctx;
    flx_http *http;
    flx_studio_file file;
    char scratch[1024]; // folder
    flx_job check;
    flx_job work[FLX_RUNS]; // a run, an analysis, or what is live: several side by side
    bool ended[FLX_RUNS];   // the work has said that it is done
    flx_chore task;         // of the process that is started; its texts are those of the request
    unsigned long asker;    // who waits for the check
    unsigned long stream;   // who listens
    char *result;           // owned: of the last work
    size_t nresult;
    char seen[FLX_STAMP]; // of the file, when the page was last told
};

static void push(flx_studio *s, const char *event, const char *data, size_t n)
{
    flx_guest *g = flx_http_find(s->http, s->stream);
    size_t room = strcmp(event, "frame") == 0 ? FRAME_ROOM : (size_t)-1;
    if (g) flx_http_push(g, event, data, n, room);
}

static void give_json(flx_guest *g, flx_text *t)
{
    if (t->failed) {
        flx_http_refuse(g, "503 Service Unavailable");
    } else {
        flx_http_give(g, "200 OK", "application/json", t->data, t->length);
    }
    flx_text_clear(t);
}

// What went wrong, of the messages in the context.
static void give_errors(flx_studio *s, flx_guest *g, const char *status)
{
    const flx_message *m = flx_ctx_error(s->ctx, flx_ctx_error_count(s->ctx) - 1);
    const char *text = m ? m->text : "out of memory";
    flx_http_give(g, status, "text/plain", text, strlen(text));
    flx_ctx_clear_messages(s->ctx);
}

static void end_work(flx_studio *s)
{
    for (int i = 0; i < FLX_RUNS; i++) flx_job_end(&s->work[i]);
}

// ---- the file -----------------------------------------------------------------------------------

static void give_model(flx_studio *s, flx_guest *g)
{
    char *text = NULL, *copy = NULL;
    flx_text t;
    flx_text_start(&t, s->ctx);
    size_t n = 0;
    bool there = flx_studio_read(s->file.path, MOST_TEXT, &text, &n);
    flx_studio_stamp(s->file.path, s->file.stamp);
    memcpy(s->seen, s->file.stamp, sizeof s->seen);
    if (!there && strcmp(s->file.stamp, "none") != 0) {
        flx_http_refuse(g, "413 Content Too Large: the model file cannot be read, or is too large");
        return;
    }
    flx_studio_read(s->file.copy, MOST_TEXT, &copy, NULL);
    bool whole = !text || flx_studio_is_text(text, n);
    for (size_t i = 0; !whole && i < n; i++) {
        if (text[i] == '\0') text[i] = '\xff'; // so that what follows is seen
    }
    flx_text_put(&t, "{\"name\": ");
    flx_text_put_string(&t, s->file.name);
    flx_text_put(&t, ", \"stamp\": ");
    flx_text_put_string(&t, s->file.stamp);
    flx_text_put(&t, ", \"text\": ");
    flx_text_put_string(&t, text ? text : "");
    flx_text_print(&t, ", \"damaged\": %s, \"copy\": ", whole ? "false" : "true");
    if (copy && strcmp(copy, text ? text : "") != 0) {
        flx_text_put_string(&t, copy);
    } else {
        flx_text_put(&t, "null");
    }
    flx_text_put(&t, "}");
    free(text);
    free(copy);
    give_json(g, &t);
}

static bool is_text(const flx_http_request *r)
{
    return strlen(r->body) == r->length;
}

// Where the file is another one than the page knows (the stamp in the query), it is kept: "over" does not mind. One that was
// deleted takes nothing with it.
static void save(flx_studio *s, flx_guest *g, const flx_http_request *r)
{
    char now[FLX_STAMP];
    flx_studio_stamp(s->file.path, now);
    bool there = strcmp(now, "none") != 0;
    if (there && strcmp(r->query, "over") != 0 && strcmp(r->query, now) != 0) {
        flx_http_refuse(g, "409 Conflict: the file was changed on the disk");
        return;
    }
    if (flx_studio_save(&s->file, r->body, r->length) != FLX_OK) {
        give_errors(s, g, "500 Internal Server Error");
        return;
    }
    memcpy(s->seen, s->file.stamp, sizeof s->seen);
    flx_http_give(g, "200 OK", "text/plain", s->file.stamp, strlen(s->file.stamp));
}

static void autosave(flx_studio *s, flx_guest *g, const flx_http_request *r)
{
    if (flx_studio_autosave(&s->file, r->body, r->length) != FLX_OK) {
        give_errors(s, g, "500 Internal Server Error");
        return;
    }
    flx_http_give(g, "200 OK", "text/plain", "", 0);
}

static void give_folder(flx_studio *s, flx_guest *g)
{
    char *path = flx_studio_beside(&s->file, ".");
    DIR *folder = path ? opendir(path) : NULL;
    flx_text t;
    flx_text_start(&t, s->ctx);
    flx_text_put(&t, "[");
    int n = 0;
    for (const struct dirent *e; folder && n < MOST_MODELS && (e = readdir(folder)) != NULL;) {
        if (flx_studio_kind(e->d_name) == FLX_FILE_NONE) continue;
        if (n++ > 0) flx_text_put(&t, ", ");
        flx_text_put_string(&t, e->d_name);
    }
    flx_text_put(&t, "]");
    if (folder) closedir(folder);
    free(path);
    give_json(g, &t);
}

static void open_other(flx_studio *s, flx_guest *g, const char *name)
{
    flx_studio_file next;
    bool model = flx_studio_kind(name) == FLX_FILE_MODEL;
    char *path = model ? flx_studio_beside(&s->file, name) : NULL;
    if (!path) {
        flx_http_refuse(g, "403 Forbidden: a model of this folder has a plain name, as "
                           "crank.yaml");
        return;
    }
    flx_status status = flx_studio_file_open(s->ctx, path, &next);
    free(path);
    if (status != FLX_OK) {
        flx_studio_file_clear(&next);
        give_errors(s, g, "500 Internal Server Error");
        return;
    }
    end_work(s);
    flx_studio_file_clear(&s->file);
    s->file = next;
    give_model(s, g);
}

static void put_example(flx_studio *s, flx_guest *g, const flx_http_request *r)
{
    if (flx_example_files_write(s->ctx, r->query, s->file.path) == FLX_OK) {
        flx_http_give(g, "200 OK", "text/plain", "", 0);
    } else {
        give_errors(s, g, "409 Conflict");
    }
}

// ---- work ---------------------------------------------------------------------------------------

static void give_schema(flx_studio *s, flx_guest *g)
{
    char *text = NULL, *path = flx_work_scratch(&s->task, "schema.json");
    if (path && flx_language_write_schema(s->ctx, path) == FLX_OK &&
        flx_studio_read(path, MOST_TEXT, &text, NULL)) {
        flx_http_give(g, "200 OK", "application/json", text, strlen(text));
        unlink(path);
    } else {
        give_errors(s, g, "500 Internal Server Error");
    }
    free(text);
    free(path);
}

// Of the last run, where one was asked for.
static void give_report(flx_studio *s, flx_guest *g)
{
    char *path = flx_work_beside(&s->task, "_report.html");
    if (path) {
        flx_http_give_file(g, path, "text/html; charset=utf-8");
    } else {
        flx_http_refuse(g, "503 Service Unavailable");
    }
    free(path);
}

static void heard_check(void *user, const char *name, const char *bytes, size_t n)
{
    flx_studio *s = user;
    flx_guest *g = flx_http_find(s->http, s->asker);
    if (g && strcmp(name, "answer") == 0) flx_http_give(g, "200 OK", "application/json", bytes, n);
    s->asker = 0;
}

typedef struct speaker {
    flx_studio *studio;
    int number; // of its work
} speaker;

static void heard_work(void *user, const char *name, const char *bytes, size_t n)
{
    const speaker *k = user;
    flx_studio *s = k->studio;
    if (strcmp(name, "result") == 0) {
        char *copy = malloc(n);
        if (!copy) return;
        memcpy(copy, bytes, n);
        free(s->result);
        s->result = copy;
        s->nresult = n;
        return;
    }
    if (strcmp(name, "done") == 0) s->ended[k->number] = true;
    push(s, name, bytes, n);
}

// Which of what is live a request is about: "1" to "4"; "": the first. -1: none of them.
static int run_number(const char *query)
{
    if (query[0] == '\0') return 0;
    return query[1] == '\0' && query[0] > '0' && query[0] <= '0' + FLX_RUNS ? query[0] - '1' : -1;
}

// The one that asked before is told that a newer question came.
static void check(flx_studio *s, flx_guest *g, const flx_http_request *r)
{
    static const char late[] = "{\"ok\": false, \"superseded\": true, \"messages\": []}";
    flx_guest *before = flx_http_find(s->http, s->asker);
    if (before) flx_http_give(before, "200 OK", "application/json", late, sizeof late - 1);
    s->task.text = r->body;
    s->task.option = r->query;
    s->asker = flx_http_wait(g);
    if (flx_job_start(&s->check, s->http, flx_work_check, &s->task)) return;
    s->asker = 0;
    flx_http_refuse(g, "503 Service Unavailable");
}

static void start_work(flx_studio *s, flx_guest *g, const flx_http_request *r, int i,
                       flx_work_function work)
{
    s->task.text = r->body;
    s->task.option = r->query;
    s->ended[i] = false;
    if (flx_job_start(&s->work[i], s->http, work, &s->task)) {
        flx_http_give(g, "200 OK", "text/plain", "", 0);
    } else {
        flx_http_refuse(g, "503 Service Unavailable");
    }
}

// What worked before ends.
static void begin_work(flx_studio *s, flx_guest *g, const flx_http_request *r,
                       flx_work_function work)
{
    end_work(s);
    start_work(s, g, r, 0, work);
}

static void begin_import(flx_studio *s, flx_guest *g, const flx_http_request *r)
{
    if (flx_studio_kind(r->query) == FLX_FILE_ROBOT) {
        begin_work(s, g, r, flx_work_import);
    } else {
        flx_http_refuse(g, "403 Forbidden: a robot of this folder has a plain name, as arm.urdf");
    }
}

// The first ends what worked before; the others go on beside it.
static void begin_live(flx_studio *s, flx_guest *g, const flx_http_request *r)
{
    int i = run_number(r->query);
    if (i < 0 || (i > 0 && s->work[0].pid == 0)) {
        flx_http_refuse(g, "409 Conflict: nothing is live that it could run beside");
        return;
    }
    if (i == 0) end_work(s);
    start_work(s, g, r, i, flx_work_live);
}

// A run ends by itself, with what it has; what is live at once.
static void stop(flx_studio *s, flx_guest *g)
{
    for (int i = 0; i < FLX_RUNS; i++) flx_job_tell(&s->work[i], "stop\n");
    flx_http_give(g, "200 OK", "text/plain", "", 0);
}

static void tell(flx_studio *s, flx_guest *g, const flx_http_request *r)
{
    int i = run_number(r->query);
    bool line = r->length > 0 && r->length < 1000 && r->body[r->length - 1] == '\n';
    if (!line || i < 0 || !flx_job_tell(&s->work[i], r->body)) {
        flx_http_refuse(g, "409 Conflict: nothing is live");
        return;
    }
    flx_http_give(g, "200 OK", "text/plain", "", 0);
}

// ---- requests -----------------------------------------------------------------------------------

static void listen_to(flx_studio *s, flx_guest *g)
{
    flx_guest *before = flx_http_find(s->http, s->stream);
    if (before) { // one user
        flx_http_push(before, "taken", "{}", 2, (size_t)-1);
        flx_http_end(before);
    }
    s->stream = flx_http_stream(g);
}

static void get(flx_studio *s, flx_guest *g, const flx_http_request *r)
{
    if (r->path[0] == '\0') {
        flx_http_give(g, "200 OK", "text/html; charset=utf-8", flx_studio_template,
                      strlen(flx_studio_template));
    } else if (strcmp(r->path, "model") == 0) {
        give_model(s, g);
    } else if (strcmp(r->path, "events") == 0) {
        listen_to(s, g);
    } else if (strcmp(r->path, "folder") == 0) {
        give_folder(s, g);
    } else if (strcmp(r->path, "schema") == 0) {
        give_schema(s, g);
    } else if (strcmp(r->path, "report") == 0) {
        give_report(s, g);
    } else if (strcmp(r->path, "result") == 0 && s->result) {
        flx_http_give(g, "200 OK", "application/json", s->result, s->nresult);
    } else {
        flx_http_refuse(g, "404 Not Found");
    }
}

static void post(flx_studio *s, flx_guest *g, const flx_http_request *r)
{
    if (!is_text(r)) {
        flx_http_refuse(g, "400 Bad Request: the text has a zero byte");
    } else if (strcmp(r->path, "check") == 0) {
        check(s, g, r);
    } else if (strcmp(r->path, "run") == 0) {
        begin_work(s, g, r, flx_work_run);
    } else if (strcmp(r->path, "analyse") == 0) {
        begin_work(s, g, r, flx_work_analyse);
    } else if (strcmp(r->path, "study") == 0) {
        begin_work(s, g, r, flx_work_study);
    } else if (strcmp(r->path, "import") == 0) {
        begin_import(s, g, r);
    } else if (strcmp(r->path, "live") == 0) {
        begin_live(s, g, r);
    } else if (strcmp(r->path, "stop") == 0) {
        stop(s, g);
    } else if (strcmp(r->path, "tell") == 0) {
        tell(s, g, r);
    } else if (strcmp(r->path, "save") == 0) {
        save(s, g, r);
    } else if (strcmp(r->path, "autosave") == 0) {
        autosave(s, g, r);
    } else if (strcmp(r->path, "forget") == 0) {
        unlink(s->file.copy);
        flx_http_give(g, "200 OK", "text/plain", "", 0);
    } else if (strcmp(r->path, "open") == 0) {
        open_other(s, g, r->query);
    } else if (strcmp(r->path, "example") == 0) {
        put_example(s, g, r);
    } else {
        flx_http_refuse(g, "404 Not Found");
    }
}

static void answer(void *user, flx_guest *g, const flx_http_request *r)
{
    flx_studio *s = user;
    s->task.path = s->file.path;
    s->task.scratch = s->scratch;
    s->task.option = "";
    if (strcmp(r->method, "POST") == 0) {
        post(s, g, r);
    } else {
        get(s, g, r);
    }
}

// ---- the workbench ------------------------------------------------------------------------------

// A name that nobody has: model.yaml, model-2.yaml, ...
static void new_name(char *out, size_t size)
{
    char stamp[FLX_STAMP];
    for (int i = 1; i < 1000; i++) {
        flx_snprintf(out, size, i > 1 ? "model-%d.yaml" : "model.yaml", i);
        flx_studio_stamp(out, stamp);
        if (strcmp(stamp, "none") == 0) return;
    }
}

static flx_status begin(flx_studio *s, const flx_studio_def *def)
{
    char name[64];
    const flx_http_def http = {
        .port = def->port, .secret = true, .most = MOST_TEXT, .answer = answer, .user = s};
    if (!flx_studio_template) {
        return FLX_FAIL(s->ctx, FLX_ERR_UNAVAILABLE, FLX_NOWHERE,
                        "this program was built without its pages: install node and npm, and build "
                        "it again");
    }
    if (!def->path) new_name(name, sizeof name);
    FLX_TRY(flx_studio_file_open(s->ctx, def->path ? def->path : name, &s->file));
    memcpy(s->seen, s->file.stamp, sizeof s->seen);
    if (!flx_scratch_make(sizeof s->scratch, s->scratch)) {
        FLX_FAIL(s->ctx, FLX_ERR_IO, FLX_NOWHERE, "no folder can be made at '%s'", s->scratch);
        s->scratch[0] = '\0';
        return FLX_ERR_IO;
    }
    return flx_http_open(s->ctx, &http, &s->http);
}

flx_status flx_studio_open(flx_ctx *ctx, const flx_studio_def *def, flx_studio **out)
{
    flx_studio *s = *out = flx_alloc(ctx, 1, sizeof *s);
    if (!s) return FLX_ERR_MEMORY;
    s->ctx = ctx;
    flx_status status = begin(s, def);
    if (status != FLX_OK) flx_studio_close(out);
    return status;
}

const char *flx_studio_address(const flx_studio *s)
{
    return flx_http_address(s->http);
}

// The page is told once that the file is another one.
static void watch_file(flx_studio *s)
{
    char now[FLX_STAMP];
    flx_studio_stamp(s->file.path, now);
    if (strcmp(now, s->seen) == 0) return;
    memcpy(s->seen, now, sizeof now);
    if (strcmp(now, s->file.stamp) == 0) return;
    const char *what = strcmp(now, "none") == 0 ? "{\"deleted\": true}" : "{\"deleted\": false}";
    push(s, "changed", what, strlen(what));
}

// A process that has gone without an answer has failed, and that is said.
static void listen_to_jobs(flx_studio *s, const struct pollfd *ready)
{
    static const char lost[] =
        "{\"ok\": false, \"status\": \"the computation broke off\", \"messages\": []}";
    if (s->check.pid > 0 && ready[0].revents && !flx_job_listen(&s->check, heard_check, s)) {
        flx_guest *g = flx_http_find(s->http, s->asker);
        if (g) flx_http_give(g, "200 OK", "application/json", lost, sizeof lost - 1);
        s->asker = 0;
        flx_job_end(&s->check);
    }
    for (int i = 0; i < FLX_RUNS; i++) {
        speaker k = {s, i};
        if (s->work[i].pid == 0 || !ready[1 + i].revents) continue;
        if (flx_job_listen(&s->work[i], heard_work, &k)) continue;
        if (!s->ended[i]) push(s, "done", lost, sizeof lost - 1);
        flx_job_end(&s->work[i]);
    }
}

void flx_studio_turn(flx_studio *s, int milliseconds)
{
    struct pollfd jobs[1 + FLX_RUNS];
    for (int i = 0; i <= FLX_RUNS; i++) {
        const flx_job *j = i == 0 ? &s->check : &s->work[i - 1];
        jobs[i] = (struct pollfd){.fd = j->pid > 0 ? j->hear : -1, .events = POLLIN};
    }
    flx_http_turn(s->http, 1 + FLX_RUNS, jobs, milliseconds);
    listen_to_jobs(s, jobs);
    watch_file(s);
}

void flx_studio_close(flx_studio **studio)
{
    flx_studio *s = *studio;
    if (!s) return;
    flx_job_end(&s->check);
    end_work(s);
    flx_scratch_remove(s->scratch);
    flx_http_close(&s->http);
    flx_studio_file_clear(&s->file);
    free(s->result);
    flx_free(s);
    *studio = NULL;
}
