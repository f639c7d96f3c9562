// cmd_check.c - flexion check: read a model, say what it is made of, compute nothing.
#include "cli/cli.h"
#include "cli/plugins.h"

#include <stdlib.h>
#include <string.h>

static const char help_text[] =
    "Usage: flexion check MODEL [--set NAME=VALUE]...\n"
    "\n"
    "Read and check a model without simulating it: bodies, joints and forces (plain,\n"
    "or mixed: the force is an unknown), degrees of freedom, constraints, and those\n"
    "among them that are redundant or singular at the start; the method, with the\n"
    "reason where the program chose it; then the tree: every body with the joint that\n"
    "carries it and the degrees of freedom of that joint, and the joints that close\n"
    "loops. Of finite elements alone: nodes, elements, unknowns, mass. Mistakes are\n"
    "reported with file, line and column.\n"
    "\n"
    "  --set NAME=VALUE  override a parameter; may be repeated\n"
    "\n"
    "Example:\n"
    "  flexion check examples/slider_crank.yaml\n"
    "\n"
    "Exit status: 0 the model can be computed, 2 it is wrong or needs a part of the\n"
    "language that is not supported yet.\n";

#define WIDTH 80
#define INDENT 26
#define MOST_NAMES 60 // of one kind

// Nodes of beams and solids are bodies, too, but none that the model names.
static bool is_node(const flx_model *m, flx_item_kind kind, int i)
{
    const char *type;
    return kind == FLX_ITEM_BODY && flx_model_item(m, kind, i, &type) && strcmp(type, "node") == 0;
}

// Whether two items are of one family and type: link(1) and link(2), leg(1).tube and leg(3).tube.
static bool are_family(const flx_model *m, flx_item_kind kind, int i, int j)
{
    const char *type_a, *type_b;
    const char *a = flx_model_item(m, kind, i, &type_a), *b = flx_model_item(m, kind, j, &type_b);
    bool indexed = false;
    while (*a && *a == *b) {
        if (*a == '(') {
            indexed = true;
            a += strcspn(a, ")");
            b += strcspn(b, ")");
        } else {
            a++;
            b++;
        }
    }
    return indexed && *a == *b && strcmp(type_a, type_b) == 0;
}

// The next item of the family after i; -1: none.
static int next_of_family(const flx_model *m, flx_item_kind kind, int i)
{
    int n = flx_model_item_count(m, kind);
    for (int j = i + 1; j < n; j++) {
        if (are_family(m, kind, i, j)) return j;
    }
    return -1;
}

// "rod (rigid)" or, with all of its family, "link(1) to link(50) (rigid)"; told[] marks them.
static void describe_items(const flx_model *m, flx_item_kind kind, int i, bool *told, char *text,
                           size_t size)
{
    const char *type, *name = flx_model_item(m, kind, i, &type);
    int last = i;
    told[i] = true;
    for (int j = i; (j = next_of_family(m, kind, j)) >= 0; last = j) told[j] = true;
    int used = snprintf(text, size, "%s%s%s", name, last != i ? " to " : "",
                        last != i ? flx_model_item(m, kind, last, &type) : "");
    if (type[0] != '\0' && used >= 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, " (%s)", type);
}

// "  bodies                 3  crank (rigid), rod (rigid)", wrapped.
static void print_items(const flx_model *m, flx_item_kind kind, const char *title)
{
    int n = flx_model_item_count(m, kind), column = INDENT, names = 0, i = 0, nodes = 0;
    bool *told = calloc((size_t)n + 1, sizeof *told);
    for (int k = 0; told && k < n; k++) nodes += told[k] = is_node(m, kind, k);
    if (n > 0) printf("  %-18s%4d  ", title, n - nodes);
    for (; told && i < n && names < MOST_NAMES; i++) {
        char text[256];
        if (told[i]) continue;
        describe_items(m, kind, i, told, text, sizeof text);
        int length = (int)strlen(text) + 2;
        if (names++ > 0) column += printf(",");
        if (column > INDENT && column + length > WIDTH) {
            printf("\n%*s", INDENT, "");
            column = INDENT;
        }
        column += printf("%s%s", column > INDENT ? " " : "", text);
    }
    while (told && i < n && told[i]) i++;
    if (i < n) printf(", ...");
    if (n > 0) printf("\n");
    if (nodes > 0) printf("  %-18s%4d\n", "other nodes", nodes);
    free(told);
}

static void print_model(const flx_model *m, const char *path)
{
    const char *title = flx_model_title(m);
    printf("%s%s%s\n", path, title[0] ? ": " : "", title);
    print_items(m, FLX_ITEM_BODY, "bodies");
    print_items(m, FLX_ITEM_JOINT, "joints");
    print_items(m, FLX_ITEM_FORCE, "forces");
    print_items(m, FLX_ITEM_VARIABLE, "variables");
    print_items(m, FLX_ITEM_STATE, "states");
    print_items(m, FLX_ITEM_DISCRETE, "discrete variables");
    print_items(m, FLX_ITEM_EVENT, "events");
    print_items(m, FLX_ITEM_CONSTRAINT, "equations");
    print_items(m, FLX_ITEM_PATH, "paths");
    print_items(m, FLX_ITEM_CONTROL, "controllers");
}

static void print_rows(const flx_simulation *sim, int n,
                       const char *(*name)(const flx_simulation *sim, int i))
{
    for (int i = 0; i < n && name(sim, i); i++) printf("%*s%s\n", INDENT, "", name(sim, i));
}

// "  reachable            4  positions, by 2 velocities: 3 directions with brackets of two, 4 of three"
static void print_reach(flx_simulation *sim)
{
    flx_reach r;
    if (flx_simulation_find_reach(sim, &r) != FLX_OK || r.positions == r.velocities) return;
    if (r.unknown) {
        printf("  %-22s  of %d positions not known: %s\n", "reachable", r.positions, r.unknown);
    } else {
        printf("  %-18s%4d  of %d positions, by %d velocities", "reachable", r.reachable,
               r.positions, r.velocities);
        if (r.reachable > r.velocities)
            printf("; with brackets of two %d, of three %d", r.brackets[0], r.brackets[1]);
        printf("\n");
    }
    if (r.hidden > 0)
        printf("  %-18s%4d  of velocities hold%s positions:\n", "constraints", r.hidden,
               r.hidden == 1 ? "s" : "");
    for (int i = 0; i < r.nrow; i++)
        printf("%*s%s%s\n", INDENT, "", r.rows[i].name,
               r.rows[i].alone ? "" : ", with others of these");
    flx_reach_clear(&r);
}

static void print_summary(flx_simulation *sim)
{
    const flx_summary *s = flx_simulation_summary(sim);
    const flx_result_info *info = flx_simulation_info(sim);
    printf("  %-18s%4d\n", "coordinates", s->coordinates);
    printf("  %-18s%4d\n", "constraints", s->constraints);
    printf("  %-18s%4d%s\n", "redundant", s->redundant,
           s->redundant ? "  left out of the equations:" : "");
    print_rows(sim, s->redundant, flx_simulation_redundant);
    if (s->singular > 0) {
        printf("  %-18s%4d  dependent at the start only, kept:\n", "singular", s->singular);
        print_rows(sim, s->singular, flx_simulation_singular);
    }
    printf("  %-18s%4d\n", "degrees of freedom", s->freedoms);
    print_reach(sim);
    if (s->reduced > 0) {
        printf("  %-18s%4d  their inertia is neglected:\n", "quasi-static", s->reduced);
        print_rows(sim, s->reduced, flx_simulation_reduced);
    }
    if (strcmp(info->method, "none") == 0) return;
    printf("  %-18s%4d\n", "signals", info->ncolumn);
    printf("  %-22s  %s, %s%s%s\n", "method", info->method,
           strcmp(info->formulation, "auto") == 0 ? "" : info->formulation,
           strcmp(info->formulation, "auto") == 0 ? "" : ", ", info->settings);
    if (info->reason) printf("  %-22s  %s\n", "", info->reason);
}

#define FEWEST_STEPS 5.0 // in an impact
#define FEWEST_WAVES 3.0 // of the highest frequency

// "  impact               floor  meets at 2.21 m/s for 0.0036 s: 3.6 steps, too few (below 5)"
static void print_impacts(flx_simulation *sim)
{
    flx_impact_forecast f;
    const char *name;
    for (int i = 0; (name = flx_simulation_impact(sim, i, &f)); i++) {
        if (!(f.speed > 0.0)) continue;
        double waves = f.frequency * f.lasts;
        printf("  %-22s  %s meets at %.3g m/s for %.3g s", "impact", name, f.speed, f.lasts);
        if (f.steps > 0.0) {
            printf(": %.3g steps%s", f.steps, f.steps < FEWEST_STEPS ? ", too few (below 5)" : "");
        }
        if (f.frequency > 0.0) {
            printf("%s highest frequency times duration %.3g%s", f.steps > 0.0 ? "," : ":", waves,
                   waves < FEWEST_WAVES ? ", too few modes (below 3)" : "");
        }
        printf("\n");
    }
}

#define MOST_LINES 40 // of a tree, and of the joints that close its loops
#define DEEPEST 20    // indented

static void print_tree_line(const flx_tree_line *l)
{
    int deep = l->depth - 1 < DEEPEST ? l->depth - 1 : DEEPEST;
    printf("%*s%s: ", 4 + 2 * deep, "", l->body);
    if (l->joint) {
        printf("%s (%s), %d\n", l->joint, l->type, l->freedom);
    } else {
        printf("floats, %d\n", l->freedom);
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// The names of nodes, ascending; the caller frees them. NULL: there is no memory, or none of them.
static const char **list_nodes(const flx_model *m, int *n)
{
    const char *type;
    int count = flx_model_item_count(m, FLX_ITEM_BODY);
    const char **names = calloc((size_t)count + 1, sizeof *names);
    *n = 0;
    for (int i = 0; names && i < count; i++) {
        if (is_node(m, FLX_ITEM_BODY, i))
            names[(*n)++] = flx_model_item(m, FLX_ITEM_BODY, i, &type);
    }
    if (names) qsort(names, (size_t)*n, sizeof *names, by_name);
    return names;
}

// Bodies by the joints that carry them with their degrees of freedom, then the joints that are cut. Nodes that
// no joint carries are left to their elements.
static void print_tree(const flx_model *m, const flx_simulation *sim)
{
    flx_tree_line l;
    int i = 0, first = 0, lines = 0, n = 0;
    if (!flx_simulation_tree(sim, 0, &l) || !l.body) return;
    const char **nodes = list_nodes(m, &n);
    printf("  tree\n");
    for (; flx_simulation_tree(sim, i, &l) && l.body; i++) {
        bool node = nodes && bsearch(&l.body, nodes, (size_t)n, sizeof *nodes, by_name);
        if (node && !l.joint) continue;
        if (lines++ < MOST_LINES) print_tree_line(&l);
    }
    free(nodes);
    if (lines > MOST_LINES) printf("    ... and %d more bodies\n", lines - MOST_LINES);
    first = i;
    for (; flx_simulation_tree(sim, i, &l); i++) {
        if (i == first) printf("  closed by\n");
        if (i - first < MOST_LINES) printf("    %s (%s)\n", l.joint, l.type);
    }
    if (i - first > MOST_LINES) printf("    ... and %d more\n", i - first - MOST_LINES);
}

// Whether it has finite elements, or nothing at all, and no part that moves.
static bool is_structure(const flx_model *m)
{
    return flx_model_item_count(m, FLX_ITEM_BODY) + flx_model_item_count(m, FLX_ITEM_VARIABLE) +
               flx_model_item_count(m, FLX_ITEM_STATE) ==
           0;
}

static flx_status check_structure(const flx_model *m, const char *path)
{
    flx_fe_problem *p = NULL;
    flx_status status = flx_fe_problem_create(m, &p);
    if (status == FLX_OK) {
        const char *title = flx_model_title(m);
        printf("%s%s%s\n", path, title[0] ? ": " : "", title);
        cli_print_structure(p);
        printf(
            "  finite elements alone: 'flexion fe static', 'modes' and 'transient' compute them\n");
    }
    flx_fe_problem_destroy(&p);
    return status;
}

static int check_file(flx_ctx *ctx, const char *path, const cli_list *settings)
{
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    flx_status status = cli_model_read(ctx, path, settings->count, settings->items, &model);
    if (status == FLX_OK && is_structure(model)) {
        status = check_structure(model, path);
    } else if (status == FLX_OK) {
        status = flx_simulation_create(model, &sim);
        print_model(model, path);
        if (status == FLX_ERR_UNAVAILABLE) flx_simulation_examine(model, &sim);
        if (sim) {
            print_summary(sim);
            print_impacts(sim);
            print_tree(model, sim);
        }
        fflush(stdout);
    }
    cli_print_warnings(ctx, 0);
    cli_print_errors(ctx);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    if (status == FLX_OK) return EXIT_DONE;
    return status == FLX_ERR_MEMORY ? EXIT_FAILED : EXIT_WRONG;
}

static int run(flx_ctx *ctx, int argc, char **argv)
{
    cli_list rest = {0}, settings = {0};
    const cli_option options[] = {{.name = "--set", .list = &settings}};
    cli_parsed parsed = cli_parse(&cmd_check, argc, argv, 1, options, &rest);
    if (parsed != CLI_GO) return (int)parsed;
    if (!cli_is_one_model(&cmd_check, &rest)) return EXIT_WRONG;
    return check_file(ctx, rest.items[0], &settings);
}

const cli_command cmd_check = {
    .name = "check",
    .summary = "read and check a model, say what it is made of",
    .help = help_text,
    .run = run,
};
