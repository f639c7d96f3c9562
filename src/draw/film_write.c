// film_write.c - the motion of a result as one film.
#include "base/number.h"
#include "base/output_file.h"
#include "draw/film.h"
#include "draw/gif.h"

#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEFAULT_RATE 25.0
#define MOST_FRAMES 20000

extern char **environ;

typedef struct camera_man {
    flx_result *r;
    const flx_film_def *def;
    flx_output *output;
    double rate, speed;
    int row; // that was shown last
    flx_gif *gif;
    pid_t pid;    // of ffmpeg
    int pictures; // where it takes them from; -1: closed
    FILE *said;
} camera_man;

static bool has_ending(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);
    return n > m && strcmp(path + n - m, ending) == 0;
}

// The last row that is not after the time of the frame.
static int row_of(void *user, int frame)
{
    camera_man *c = user;
    const double *t = c->r->data[0];
    double now = t[0] + frame * c->speed / c->rate;
    while (c->row + 1 < c->r->rows && t[c->row + 1] <= now + 1e-9 * c->speed / c->rate) c->row++;
    return c->row;
}

// ---- ffmpeg ---------------------------------------------------------------------------------------

static flx_status start_ffmpeg(camera_man *c, const flx_raster *raster)
{
    char size[32], rate[32];
    flx_snprintf(size, sizeof size, "%dx%d", raster->width, raster->height);
    flx_snprintf(rate, sizeof rate, "%.6g", c->rate);
    const char *ending = strrchr(c->def->path, '.') + 1;
    const char *format = strcmp(ending, "mkv") == 0 ? "matroska" : ending;
    // Colours at half the pixels, as every player takes them: so width and height are even.
    char *const argv[] = {"ffmpeg",
                          "-y",
                          "-loglevel",
                          "error",
                          "-f",
                          "rawvideo",
                          "-pix_fmt",
                          "rgb24",
                          "-s",
                          size,
                          "-r",
                          rate,
                          "-i",
                          "-",
                          "-an",
                          "-vf",
                          "crop=trunc(iw/2)*2:trunc(ih/2)*2",
                          "-pix_fmt",
                          "yuv420p",
                          "-f",
                          (char *)(uintptr_t)format,
                          c->output->part,
                          NULL};
    posix_spawn_file_actions_t files;
    int ends[2];
    c->said = tmpfile();
    if (!c->said || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
        return FLX_FAIL(c->r->ctx, FLX_ERR_IO, FLX_NOWHERE, "cannot start ffmpeg: %s",
                        flx_error_text(errno));
    }
    c->pictures = ends[0];
    int e = posix_spawn_file_actions_init(&files);
    if (e == 0) {
        e = posix_spawn_file_actions_adddup2(&files, ends[1], STDIN_FILENO);
        if (e == 0) e = posix_spawn_file_actions_adddup2(&files, fileno(c->said), STDERR_FILENO);
        if (e == 0) e = posix_spawn_file_actions_adddup2(&files, fileno(c->said), STDOUT_FILENO);
        for (int i = 0; i < 2 && e == 0; i++) {
            e = posix_spawn_file_actions_addclose(&files, ends[i]);
        }
        if (e == 0) e = posix_spawnp(&c->pid, argv[0], &files, NULL, argv, environ);
        posix_spawn_file_actions_destroy(&files);
    }
    close(ends[1]);
    if (e == 0) return FLX_OK;
    c->pid = 0;
    return e == ENOENT || e == EACCES
               ? FLX_FAIL(
                     c->r->ctx, FLX_ERR_UNAVAILABLE, FLX_NOWHERE,
                     "films of this kind need the program ffmpeg, which was not found; install "
                     "it (Debian: apt-get install ffmpeg) or write a .gif")
               : FLX_FAIL(c->r->ctx, FLX_ERR_IO, FLX_NOWHERE, "cannot start ffmpeg: %s",
                          flx_error_text(e));
}

// A reader that is gone is noticed at the end, by its status.
static void send_picture(camera_man *c, const flx_raster *raster)
{
    size_t n = 3 * (size_t)raster->width * (size_t)raster->height, sent = 0;
    while (sent < n) {
        ssize_t k = send(c->pictures, raster->pixels + sent, n - sent, MSG_NOSIGNAL);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) return;
        sent += (size_t)k;
    }
}

static flx_status end_ffmpeg(camera_man *c)
{
    char text[300] = "";
    int status = 0;
    if (c->pictures >= 0) close(c->pictures);
    if (c->pid > 0) {
        while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR) {
        }
        rewind(c->said);
        text[fread(text, 1, sizeof text - 1, c->said)] = '\0';
        text[strcspn(text, "\n")] = '\0';
    }
    if (c->said) fclose(c->said);
    if (c->pid <= 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) return FLX_OK;
    return FLX_FAIL(c->r->ctx, FLX_ERR_IO, FLX_NOWHERE, "ffmpeg failed: %s",
                    text[0] ? text : "no reason given");
}

// ---- the film -------------------------------------------------------------------------------------

static flx_status take(void *user, int frame, const flx_raster *raster)
{
    camera_man *c = user;
    flx_ctx *ctx = c->r->ctx;
    if (has_ending(c->def->path, ".gif")) {
        if (frame == 0) {
            FLX_TRY(flx_output_create(ctx, "the film", c->def->path, &c->output));
            FLX_TRY(flx_gif_create(ctx, flx_output_file(c->output), raster->width, raster->height,
                                   (int)lround(100.0 / c->rate), &c->gif));
        }
        return flx_gif_add(c->gif, raster->pixels);
    }
    if (frame == 0) {
        FLX_TRY(flx_output_reserve(ctx, "the film", c->def->path, &c->output));
        FLX_TRY(start_ffmpeg(c, raster));
    }
    send_picture(c, raster);
    return FLX_OK;
}

static flx_status check(camera_man *c, int *frames)
{
    static const char *const endings[] = {".gif", ".mp4", ".webm", ".mkv"};
    flx_ctx *ctx = c->r->ctx;
    bool known = false;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        known = known || has_ending(c->def->path, endings[i]);
    }
    if (!known) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "a film's name ends in .gif, .mp4, .webm or .mkv, not as '%s'",
                        c->def->path);
    }
    if (!(c->rate >= 1 && c->rate <= 100 && c->speed > 0 && isfinite(c->speed))) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "a film has 1 to 100 pictures per second and a positive speed");
    }
    if (c->r->rows == 0) return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "there is no motion");
    // A picture of a GIF is shown for hundredths of a second.
    if (has_ending(c->def->path, ".gif")) c->rate = 100.0 / fmax(2.0, round(100.0 / c->rate));
    const double *t = c->r->data[0];
    double n = floor((t[c->r->rows - 1] - t[0]) / c->speed * c->rate + 1e-9) + 1;
    if (!(n <= MOST_FRAMES)) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "the film would have %.3g pictures, more than %d: give a higher speed", n,
                        MOST_FRAMES);
    }
    *frames = (int)n;
    return FLX_OK;
}

flx_status flx_film_write(flx_result *r, const flx_film_def *def, int *written)
{
    camera_man c = {.r = r, .def = def, .pictures = -1};
    c.rate = def->rate == 0 ? DEFAULT_RATE : def->rate;
    c.speed = def->speed == 0 ? 1.0 : def->speed;
    FLX_TRY(check(&c, written));
    flx_status status = flx_frames_draw(r, &def->picture, *written, row_of, take, &c);
    flx_gif_destroy(&c.gif);
    flx_status ended = end_ffmpeg(&c);
    if (status == FLX_OK) status = ended;
    return c.output ? flx_output_close(&c.output, status) : status;
}
