// cmd_new.c - flexion new: a commented model to begin with.
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char help_text[] =
    "Usage: flexion new NAME\n"
    "\n"
    "Write a model to begin with, NAME.yaml: a pendulum that a motor drives, with\n"
    "every block explained. It runs as it is. A file that is there already is kept.\n"
    "\n"
    "Example:\n"
    "  flexion new crank\n"
    "  flexion run crank.yaml\n"
    "\n"
    "Exit status: 0 written, 2 the file is there or cannot be written.\n";

static const char starter[] =
    "# yaml-language-server: $schema=flexion.schema.json\n"
    "# (flexion language --schema flexion.schema.json writes that file: editors then complete "
    "keys)\n"
    "flexion: 1                        # version of the language; units are SI, angles are in "
    "radians\n"
    "title: %s\n"
    "\n"
    "parameters:                       # numbers with names; flexion run %s.yaml --set L=2\n"
    "  L: 1.2\n"
    "  m: 0.8\n"
    "\n"
    "gravity: [0, 0, -9.81]\n"
    "\n"
    "inputs:                           # set by a program, or by --input T=torque.csv\n"
    "  T: {value: 0.5*sin(3*t), unit: N m}\n"
    "\n"
    "bodies:                           # what has mass and moves; `ground` is always there\n"
    "  rod:\n"
    "    type: rigid\n"
    "    mass: m\n"
    "    com: [L/2, 0, 0]              # in the frame of the body\n"
    "    inertia: [1e-4, m*L^2/12, m*L^2/12]\n"
    "    points: {tip: [L, 0, 0]}      # rod.tip elsewhere\n"
    "    shape: {box: [L, 0.04, 0.04], at: [L/2, 0, 0]}\n"
    "\n"
    "joints:                           # what holds bodies together; drawn as at t = 0\n"
    "  hinge: {type: revolute, on: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0], friction: "
    "{viscous: 0.05}}\n"
    "\n"
    "forces:\n"
    "  motor: {type: torque, on: hinge, value: T}\n"
    "\n"
    "simulate: {until: 5}              # the method is chosen; `flexion methods` lists them\n"
    "\n"
    "outputs:\n"
    "  every: 0.02\n"
    "  signals: [hinge.angle, hinge.rate, rod.tip.position, energy]\n"
    "  metrics: {lowest: minimum(rod.tip.position.z)}\n"
    "\n"
    "# Then: flexion plot %s.h5 hinge.angle        flexion view %s.h5\n";

// The name without its folder and ending.
static char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *from = slash ? slash + 1 : path;
    char *name = strdup(from), *dot = name ? strrchr(name, '.') : NULL;
    if (dot && dot != name) *dot = '\0';
    return name;
}

static int run(flx_ctx *ctx, int argc, char **argv)
{
    cli_list rest = {0};
    struct stat known;
    cli_parsed parsed = cli_parse(&cmd_new, argc, argv, 0, NULL, &rest);
    if (parsed != CLI_GO) return (int)parsed;
    if (rest.count != 1 || !rest.items[0][0]) {
        cli_complain("new", "name the model; see 'flexion new --help'");
        return EXIT_WRONG;
    }
    const char *given = rest.items[0], *ending = strrchr(given, '.');
    bool whole = ending && (strcmp(ending, ".yaml") == 0 || strcmp(ending, ".yml") == 0);
    size_t size = strlen(given) + 8;
    char *path = malloc(size), *name = base_of(given);
    int code = EXIT_FAILED;
    if (path && name) {
        flx_output *o = NULL;
        snprintf(path, size, "%s%s", given, whole ? "" : ".yaml");
        code = EXIT_WRONG;
        if (stat(path, &known) == 0) {
            cli_complain("new", "%s is there already, and stays as it is", path);
        } else if (flx_output_create(ctx, "the model", path, &o) == FLX_OK) {
            fprintf(flx_output_file(o), starter, name, name, name, name);
            if (flx_output_close(&o, FLX_OK) == FLX_OK) code = EXIT_DONE;
            if (code == EXIT_DONE) printf("%s: 'flexion run %s' runs it\n", path, path);
        }
    }
    cli_print_errors(ctx);
    free(path);
    free(name);
    return code;
}

const cli_command cmd_new = {
    .name = "new",
    .summary = "write a commented model to begin with",
    .help = help_text,
    .run = run,
};
