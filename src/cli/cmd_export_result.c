// cmd_export_result.c - flexion export vtk, frames, film: results for other programs to show.
#include "cli/cli.h"
#include "cli/export_result.h"
#include "draw/drawings.h"

#include <stdlib.h>
#include <string.h>

static const char vtk_help[] =
    "Usage: flexion export vtk RESULT [-o FILE.pvd] [--frames N]\n"
    "\n"
    "Write the motion as a series of files for ParaView: shapes of bodies where they\n"
    "are, elastic lines and meshes deformed, with displacement, stress and von Mises'\n"
    "stress at the nodes of meshes. FILE.pvd names the files, which are in a folder\n"
    "beside it that has its name.\n"
    "\n"
    "  -o FILE.pvd   the series (default: the result's name with .pvd, in the current\n"
    "                folder)\n"
    "  --frames N    at most so many, evenly over the rows (200)\n"
    "\n"
    "Example:\n"
    "  flexion export vtk elastic_crank.h5 --frames 100\n"
    "\n"
    "Exit status: 0 done, 1 it could not be written, 2 the input is wrong.\n";

static int run_vtk(flx_ctx *ctx, int argc, char **argv)
{
    cli_list rest = {0};
    const char *path = NULL, *count = NULL;
    flx_result *r = NULL;
    int frames = 0, written = 0;
    const cli_option options[] = {{.name = "--output", .letter = 'o', .value = &path},
                                  {.name = "--frames", .value = &count}};
    cli_parsed parsed = cli_parse(&cmd_export_vtk, argc, argv, 2, options, &rest);
    if (parsed != CLI_GO) return (int)parsed;
    if (count && !cli_read_count("export vtk", "--frames", count, &frames)) return EXIT_WRONG;
    if (!cli_is_one_result(&cmd_export_vtk, &rest)) return EXIT_WRONG;
    if (!path) path = cli_named_after(rest.items[0], ".pvd");
    if (!path) return EXIT_FAILED;
    flx_status status = cli_open_result(ctx, rest.items[0], &r);
    if (status == FLX_OK) status = flx_vtk_series_write(r, path, frames, &written);
    if (status == FLX_OK) {
        int nmotion;
        bool bodies = flx_result_motion(r, &nmotion) != NULL;
        printf("%s  %d of %d %s\n", path, written,
               bodies ? flx_result_rows(r) : flx_result_frames(r),
               bodies ? "rows" : "frames of particles");
    }
    flx_result_close(&r);
    cli_print_errors(ctx);
    return cli_exit_of(status);
}

const cli_command cmd_export_vtk = {
    .name = "export vtk",
    .summary = "write the motion for ParaView",
    .help = vtk_help,
    .run = run_vtk,
};

static const char frames_help[] =
    "Usage: flexion export frames RESULT [-o FOLDER] [OPTIONS]\n"
    "\n"
    "Draw the motion as pictures, FOLDER/frame_0000.png and so on, without a browser.\n"
    "\n"
    "  -o FOLDER         where they go (default: the result's name with _frames, in\n"
    "                    the current folder)\n"
    "  --frames N        at most so many, evenly over the rows (200)\n"
    "  --size WxH        of a picture in pixels (960x600)\n"
    "  --from VIEW       x, y, z or slant (default: as the page of flexion view)\n"
    "  --exaggerate X    deformations larger than they are\n"
    "  --colour WHAT     of flexible bodies: displacement (default) or stress\n"
    "\n"
    "Example:\n"
    "  flexion export frames crank.h5 --frames 250\n"
    "\n"
    "Exit status: 0 done, 1 they could not be made, 2 the input is wrong.\n";

typedef struct frames_request {
    const char *folder, *count, *size, *exaggeration, *colour;
    flx_frames_def def;
} frames_request;

// false: a value is wrong, which was said.
static bool read_frames_options(const char *name, frames_request *q)
{
    if (q->count && !cli_read_count(name, "--frames", q->count, &q->def.frames)) return false;
    if (q->size) {
        char rest;
        if (sscanf(q->size, "%dx%d%c", &q->def.width, &q->def.height, &rest) != 2 ||
            q->def.width < 1 || q->def.height < 1) {
            cli_complain(name, "--size needs width and height, as 1280x720, not '%s'", q->size);
            return false;
        }
    }
    if (!cli_read_positive(name, "--exaggerate", q->exaggeration, &q->def.exaggeration))
        return false;
    if (!q->colour || strcmp(q->colour, "displacement") == 0) return true;
    q->def.stress = strcmp(q->colour, "stress") == 0;
    if (!q->def.stress) {
        cli_complain(name, "--colour is displacement or stress, not '%s'", q->colour);
    }
    return q->def.stress;
}

static int run_frames(flx_ctx *ctx, int argc, char **argv)
{
    cli_list rest = {0};
    frames_request q = {0};
    flx_result *r = NULL;
    int written = 0;
    const cli_option options[] = {
        {.name = "--output", .letter = 'o', .value = &q.folder},
        {.name = "--frames", .value = &q.count},
        {.name = "--size", .value = &q.size},
        {.name = "--from", .value = &q.def.view},
        {.name = "--exaggerate", .value = &q.exaggeration},
        {.name = "--colour", .value = &q.colour},
    };
    cli_parsed parsed = cli_parse(&cmd_export_frames, argc, argv, 6, options, &rest);
    if (parsed != CLI_GO) return (int)parsed;
    if (!read_frames_options("export frames", &q)) return EXIT_WRONG;
    if (!cli_is_one_result(&cmd_export_frames, &rest)) return EXIT_WRONG;
    q.def.folder = q.folder ? q.folder : cli_named_after(rest.items[0], "_frames");
    if (!q.def.folder) return EXIT_FAILED;
    flx_status status = cli_open_result(ctx, rest.items[0], &r);
    if (status == FLX_OK) status = flx_frames_write(r, &q.def, &written);
    if (status == FLX_OK)
        printf("%s  %d pictures of %d rows\n", q.def.folder, written, flx_result_rows(r));
    flx_result_close(&r);
    cli_print_errors(ctx);
    return cli_exit_of(status);
}

const cli_command cmd_export_frames = {
    .name = "export frames",
    .summary = "draw the motion as pictures",
    .help = frames_help,
    .run = run_frames,
};

static const char film_help[] =
    "Usage: flexion export film RESULT [-o FILE] [OPTIONS]\n"
    "\n"
    "Draw the motion as a film, without a browser.\n"
    "\n"
    "  -o FILE           its name ends in .gif, or in .mp4, .webm or .mkv, which the\n"
    "                    program ffmpeg writes (default: the result's name with .gif,\n"
    "                    in the current folder)\n"
    "  --speed X         how fast it runs: 0.1 shows it ten times slower (1)\n"
    "  --rate N          pictures per second (25)\n"
    "  --size WxH        of a picture in pixels (960x600)\n"
    "  --from VIEW       x, y, z or slant (default: as the page of flexion view)\n"
    "  --exaggerate X    deformations larger than they are\n"
    "  --colour WHAT     of flexible bodies: displacement (default) or stress\n"
    "\n"
    "Example:\n"
    "  flexion export film crank.h5 -o crank.gif --size 480x300 --speed 0.25\n"
    "\n"
    "Exit status: 0 done, 1 it could not be made, 2 the input is wrong.\n";

static int run_film(flx_ctx *ctx, int argc, char **argv)
{
    cli_list rest = {0};
    frames_request q = {0};
    flx_film_def film = {0};
    const char *speed = NULL, *rate = NULL;
    flx_result *r = NULL;
    int written = 0;
    const cli_option options[] = {
        {.name = "--output", .letter = 'o', .value = &film.path},
        {.name = "--speed", .value = &speed},
        {.name = "--rate", .value = &rate},
        {.name = "--size", .value = &q.size},
        {.name = "--from", .value = &q.def.view},
        {.name = "--exaggerate", .value = &q.exaggeration},
        {.name = "--colour", .value = &q.colour},
    };
    cli_parsed parsed = cli_parse(&cmd_export_film, argc, argv, 7, options, &rest);
    if (parsed != CLI_GO) return (int)parsed;
    if (!read_frames_options("export film", &q)) return EXIT_WRONG;
    if (!cli_read_positive("export film", "--speed", speed, &film.speed)) return EXIT_WRONG;
    if (!cli_read_positive("export film", "--rate", rate, &film.rate)) return EXIT_WRONG;
    if (!cli_is_one_result(&cmd_export_film, &rest)) return EXIT_WRONG;
    if (!film.path) film.path = cli_named_after(rest.items[0], ".gif");
    if (!film.path) return EXIT_FAILED;
    film.picture = q.def;
    flx_status status = cli_open_result(ctx, rest.items[0], &r);
    if (status == FLX_OK) status = flx_film_write(r, &film, &written);
    if (status == FLX_OK) printf("%s  %d pictures\n", film.path, written);
    flx_result_close(&r);
    cli_print_errors(ctx);
    return cli_exit_of(status);
}

const cli_command cmd_export_film = {
    .name = "export film",
    .summary = "draw the motion as a film",
    .help = film_help,
    .run = run_film,
};
