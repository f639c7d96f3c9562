// work_live.c - the loop of a run in real time: it computes up to the time that is due, tells the page where everything is, and
// does what the page says. Where it cannot keep up it falls behind, says how fast it is, and hurries after nothing.
//
//     input NAME X, parameter NAME X      set a number        speed X    seconds of the motion a second
//     grab BODY X Y Z, pull X Y Z, let    a spring            pause, go, reset, save, restore, record, stop
#include "base/number.h"
#include "studio/live.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FRAME 0.033 // seconds between frames
#define AHEAD 0.1   // seconds of wall clock that one call computes at most
#define WORDS 6

typedef struct driver {
    flx_live live;
    flx_desk *desk;
    flx_text text;
    double speed;
    bool paused, ended;
    double wall, from;                // clock and time of the motion that belong together
    double last_wall, last_t, factor; // for the factor of real time
    char *record;                     // owned: path
    int number;                       // of several runs side by side, from 1
} driver;

static void begin_here(driver *d)
{
    d->wall = d->last_wall = flx_clock_seconds();
    d->from = d->last_t = flx_run_time(d->live.run);
}

static void tell_note(driver *d, const char *text)
{
    flx_text_clear(&d->text);
    flx_text_put(&d->text, "{\"text\": ");
    flx_text_put_string(&d->text, text);
    flx_text_put(&d->text, "}");
    if (!d->text.failed) flx_desk_tell(d->desk, "note", d->text.data, d->text.length);
}

// The last error; none is left.
static void tell_error(driver *d)
{
    flx_ctx *ctx = d->live.ctx;
    const flx_message *m = flx_ctx_error(ctx, flx_ctx_error_count(ctx) - 1);
    tell_note(d, m ? m->text : "out of memory");
    flx_ctx_clear_messages(ctx);
}

// ---- frames ---------------------------------------------------------------------------------------

static void put_short(flx_text *t, int n, const double *x)
{
    flx_text_put(t, "[");
    for (int i = 0; i < n; i++) {
        if (i > 0) flx_text_put(t, ",");
        if (isfinite(x[i])) {
            flx_text_print(t, "%.7g", x[i]);
        } else {
            flx_text_put(t, "null");
        }
    }
    flx_text_put(t, "]");
}

static void tell_frame(driver *d)
{
    int n = 0, m = 0;
    flx_text *t = &d->text;
    const double *motion = flx_run_motion(d->live.run, &m), *y = flx_run_outputs(d->live.run, &n);
    int columns = flx_system_info(d->live.system)->ncolumn;
    flx_text_clear(t);
    flx_text_print(t,
                   "{\"run\": %d, \"t\": %.9g, \"factor\": %.4g, \"paused\": %s, \"recording\": "
                   "%s, \"motion\": ",
                   d->number, flx_run_time(d->live.run), d->factor, d->paused ? "true" : "false",
                   d->live.record ? "true" : "false");
    put_short(t, motion ? m : 0, motion);
    flx_text_put(t, ", \"outputs\": ");
    put_short(t, y && n >= columns ? columns : 0, y);
    flx_text_put(t, "}");
    if (!t->failed) flx_desk_tell(d->desk, "frame", t->data, t->length);
}

static void put_names(flx_text *t, const char *key, int n, const char *const *names)
{
    flx_text_print(t, ", \"%s\": [", key);
    for (int i = 0; i < n; i++) {
        if (i > 0) flx_text_put(t, ", ");
        flx_text_put_string(t, names[i]);
    }
    flx_text_put(t, "]");
}

static void tell_ready(driver *d)
{
    const flx_result_info *info = flx_system_info(d->live.system);
    flx_text *t = &d->text;
    flx_text_clear(t);
    flx_text_print(t, "{\"run\": %d, \"method\": ", d->number);
    flx_text_put_string(t, info->method);
    put_names(t, "names", info->ncolumn, info->names);
    put_names(t, "units", info->ncolumn, info->units);
    flx_text_put(t, "}");
    if (!t->failed) flx_desk_tell(d->desk, "ready", t->data, t->length);
}

// ---- time -----------------------------------------------------------------------------------------

static void advance(driver *d)
{
    flx_live *l = &d->live;
    double now = flx_clock_seconds(), t = flx_run_time(l->run),
           due = d->from + d->speed * (now - d->wall);
    if (due > t + d->speed * AHEAD) { // it fell behind: from here on
        due = t + d->speed * AHEAD;
        d->wall = now;
        d->from = due;
    }
    if (due <= t) return;
    l->until = now + 2 * AHEAD;
    flx_status status = flx_run_advance(l->run, due);
    if (status == FLX_INTERRUPTED) status = FLX_OK;
    if (status == FLX_STOPPED) {
        const char *by = flx_run_stopped_by(l->run);
        tell_note(d, by ? by : flx_status_text(status));
        d->paused = true;
    } else if (status != FLX_OK) {
        tell_error(d);
        d->paused = true;
    }
    flx_live_put_row(l);
}

static void measure(driver *d)
{
    double now = flx_clock_seconds(), t = flx_run_time(d->live.run), passed = now - d->last_wall;
    if (passed < 0.5) return;
    d->factor = (t - d->last_t) / passed;
    d->last_wall = now;
    d->last_t = t;
}

// ---- commands -------------------------------------------------------------------------------------

static int cut(char *line, char *words[WORDS])
{
    int n = 0;
    for (char *w = strtok(line, " "); w && n < WORDS; w = strtok(NULL, " ")) words[n++] = w;
    return n;
}

// Numbers from a word on; false: one of them is none.
static bool read_numbers(int n, char *const *words, double *out)
{
    for (int i = 0; i < n; i++) {
        char *end;
        out[i] = flx_number_read(words[i], &end);
        if (end == words[i] || *end || !isfinite(out[i])) return false;
    }
    return true;
}

static flx_status obey_number(driver *d, int n, char *const *w, bool *known)
{
    double x[3];
    flx_live *l = &d->live;
    if (n == 3 && strcmp(w[0], "input") == 0 && read_numbers(1, w + 2, x)) {
        return flx_live_set_input(l, w[1], x[0]);
    }
    if (n == 3 && strcmp(w[0], "parameter") == 0 && read_numbers(1, w + 2, x)) {
        return flx_live_set_parameter(l, w[1], x[0]);
    }
    if (n == 5 && strcmp(w[0], "grab") == 0 && read_numbers(3, w + 2, x)) {
        return flx_live_grab(l, w[1], x);
    }
    if (n == 4 && strcmp(w[0], "pull") == 0 && read_numbers(3, w + 1, x))
        return flx_live_pull(l, x);
    if (n == 2 && strcmp(w[0], "speed") == 0 && read_numbers(1, w + 1, x) && x[0] > 0) {
        d->speed = x[0];
        return FLX_OK;
    }
    *known = false;
    return FLX_OK;
}

static flx_status obey_word(driver *d, const char *word, bool *known)
{
    flx_live *l = &d->live;
    if (strcmp(word, "let") == 0) return flx_live_pull(l, NULL);
    if (strcmp(word, "reset") == 0) return flx_live_reset(l);
    if (strcmp(word, "save") == 0) return flx_live_save(l);
    if (strcmp(word, "restore") == 0) return flx_live_restore(l);
    if (strcmp(word, "record") == 0) return flx_live_record(l, d->record);
    if (strcmp(word, "pause") == 0 || strcmp(word, "go") == 0) {
        d->paused = word[0] == 'p';
        return FLX_OK;
    }
    if (strcmp(word, "stop") == 0) {
        d->ended = true;
        return FLX_OK;
    }
    *known = false;
    return FLX_OK;
}

static void obey(driver *d, const char *line)
{
    char copy[1024], *words[WORDS];
    bool known = true;
    flx_snprintf(copy, sizeof copy, "%s", line);
    int n = cut(copy, words);
    if (n == 0) return;
    flx_status status = n == 1 ? obey_word(d, words[0], &known) : obey_number(d, n, words, &known);
    if (!known) tell_note(d, "this is no command");
    if (status != FLX_OK) tell_error(d);
    begin_here(d);
}

// ---- the loop -------------------------------------------------------------------------------------

static void drive(driver *d)
{
    double next = flx_clock_seconds();
    tell_ready(d);
    begin_here(d);
    while (!d->ended && !d->desk->alone) {
        double wait = next - flx_clock_seconds();
        const char *line = flx_desk_hear(d->desk, wait > 0 ? (int)(1e3 * wait) + 1 : 0);
        if (line) obey(d, line);
        if (flx_clock_seconds() < next) continue;
        next = flx_clock_seconds() + FRAME;
        if (!d->paused) advance(d);
        measure(d);
        tell_frame(d);
    }
}

void flx_work_live(flx_desk *desk, void *user)
{
    const flx_chore *chore = user;
    char ending[32] = "_live.h5";
    driver d = {
        .desk = desk, .speed = 1.0, .number = chore->option[0] ? chore->option[0] - '0' : 1};
    if (d.number > 1) flx_snprintf(ending, sizeof ending, "_live%d.h5", d.number);
    d.record = flx_work_beside(chore, ending);
    flx_text end;
    flx_status status = flx_live_open(chore, &d.live);
    flx_text_start(&d.text, d.live.ctx);
    if (status == FLX_OK) drive(&d);
    flx_text_start(&end, d.live.ctx);
    flx_text_print(&end, "{\"run\": %d, \"ok\": %s, \"status\": ", d.number,
                   status == FLX_OK ? "true" : "false");
    flx_text_put_string(&end, flx_status_text(status));
    flx_text_put(&end, ", \"messages\": ");
    if (d.live.ctx) flx_work_put_messages(&end, d.live.ctx, chore->path);
    flx_text_put(&end, "}");
    if (!end.failed) flx_desk_tell(desk, "done", end.data, end.length);
    flx_text_clear(&end);
    flx_text_clear(&d.text);
    free(d.record);
    flx_live_close(&d.live);
}
