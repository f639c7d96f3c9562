// Parameters as a vector: N(p) of a varied model against the same model read with these values, for every
// parameter of the examples and of the models of the tests, and its derivatives against differences.
#include "check.h"
#include "expr/expr.h"
#include "flexion/extend/method_table.h"
#include "flexion/flexion.h"
#include "model/model_data.h"
#include "model/numbers.h"
#include "pose.h"

#include <dirent.h>
#include <stdlib.h>

static const char *model_name, *parameter_name;

// ---- expressions ---------------------------------------------------------------------------------

// A value for every leaf that depends on nothing but its code, between 0.5 and 1.5.
static double any_value(flx_leaf leaf)
{
    uint64_t h = (leaf + 1) * 0x9E3779B97F4A7C15u;
    h ^= h >> 29;
    h *= 0xBF58476D1CE4E5B9u;
    h ^= h >> 32;
    return 0.5 + (double)(h >> 11) / 9007199254740992.0;
}

// p NULL: parameters that an analysis of sensitivities keeps open are as read.
static double value_of(const flx_model *m, flx_node node, const double *p)
{
    flx_leaf *leaves = NULL;
    int n = 0;
    flx_program *program = NULL;
    double out = 0;
    if (node < 0) return 0;
    if (flx_graph_leaves(m->graph, 1, &node, &n, &leaves) != FLX_OK) return (double)NAN;
    double *in = calloc((size_t)n + 1, sizeof *in);
    for (int i = 0; i < n; i++) {
        int k = flx_model_tunable(m, leaves[i]);
        flx_leaf_kind kind = flx_leaf_get_kind(leaves[i]);
        in[i] = kind == FLX_LEAF_PARAMETER ? (k < 0 ? (double)NAN
                                              : p   ? p[k]
                                                    : m->tunables[k].value)
                : kind == FLX_LEAF_SWITCH  ? 1
                : kind == FLX_LEAF_FACTOR  ? 1
                                           : any_value(leaves[i]);
    }
    if (flx_program_compile(m->graph, n, leaves, 1, &node, &program) != FLX_OK) out = (double)NAN;
    double *scratch = calloc((size_t)flx_program_scratch(program) + 1, sizeof *scratch);
    flx_program_eval(program, in, scratch, &out);
    flx_program_destroy(&program);
    free(scratch);
    free(in);
    flx_free(leaves);
    return out;
}

static bool is_same(double a, double b)
{
    double size = fmax(1.0, fmax(fabs(a), fabs(b)));
    return (isnan(a) && isnan(b)) || a == b || fabs(a - b) <= 1e-12 * size;
}

static int check_node(const flx_model *a, flx_node na, const double *p, const flx_model *b,
                      flx_node nb, const char *what)
{
    double x = value_of(a, na, p), y = value_of(b, nb, NULL);
    if ((na < 0) == (nb < 0) && is_same(x, y)) return 0;
    printf("%s, %s: %s: %.17g is %.17g when read\n", model_name, parameter_name, what, x, y);
    return 1;
}

#define NODE(member, what)                                                                         \
    if (check_node(a, a->member, p, b, b->member, what)) return 1

static int compare_nodes(const flx_model *a, const double *p, const flx_model *b)
{
    for (int i = 0; i < a->nforce; i++) {
        NODE(forces[i].value, a->forces[i].name);
        for (int k = 0; k < 3; k++) NODE(forces[i].force[k], a->forces[i].name);
        for (int k = 0; k < 3; k++) NODE(forces[i].torque[k], a->forces[i].name);
    }
    for (int i = 0; i < a->nfriction; i++) {
        for (int k = 0; k < 3; k++) NODE(frictions[i].force[k], "friction");
        for (int k = 0; k < 3; k++) NODE(frictions[i].torque[k], "friction");
    }
    for (int i = 0; i < a->njoint; i++) {
        NODE(joints[i].motion_value, a->joints[i].name);
        NODE(joints[i].coordinate, a->joints[i].name);
        NODE(joints[i].rate, a->joints[i].name);
    }
    for (int i = 0; i < a->nvariable; i++) {
        NODE(variables[i].mass, a->variables[i].name);
        NODE(variables[i].force, a->variables[i].name);
    }
    for (int i = 0; i < a->nfirst; i++) NODE(firsts[i].derivative, a->firsts[i].name);
    for (int i = 0; i < a->nconstraint; i++) NODE(constraints[i].value, a->constraints[i].name);
    for (int i = 0; i < a->ncoupling; i++) NODE(couplings[i].value, "coupling");
    for (int i = 0; i < a->nswitch; i++) NODE(switches[i].value, "switch");
    for (int i = 0; i < a->nevent; i++) {
        NODE(events[i].when, a->events[i].name);
        for (int k = 0; k < a->events[i].nset; k++) {
            NODE(events[i].sets[k].node, a->events[i].name);
            NODE(events[i].sets[k].value, a->events[i].name);
        }
    }
    for (int i = 0; i < a->outputs.ncolumn; i++) {
        NODE(outputs.columns[i].node, a->outputs.columns[i].name);
    }
    for (int i = 0; i < a->outputs.nprobe; i++) NODE(outputs.probes[i].node, "probe");
    for (int i = 0; i < a->outputs.nmetric; i++) NODE(outputs.metrics[i].value, "measure");
    for (int i = 0; i < a->ninput; i++) NODE(inputs[i].node, a->inputs[i].name);
    return 0;
}

// ---- numbers that no expression stands beside ------------------------------------------------

static int compare_list(const char *what, int n, const double *a, const double *b)
{
    for (int i = 0; a && b && i < n; i++) {
        double size = fmax(fabs(a[i]), fabs(b[i]));
        if (a[i] == b[i] || fabs(a[i] - b[i]) <= 1e-14 * size || size < 1e-15) continue;
        printf("%s, %s: %s: %.17g is %.17g when read\n", model_name, parameter_name, what, a[i],
               b[i]);
        return 1;
    }
    return 0;
}

#define LIST(what, n, member)                                                                      \
    if (compare_list(what, n, a->member, b->member)) return 1

// Numbers that the model keeps without expressions: whatever is in them is structural.
static int compare_others(const flx_model *a, const flx_model *b)
{
    for (int i = 0; i < a->nbeam; i++) {
        LIST("length of a beam", a->beams[i].nelement, beams[i].lengths);
        LIST("stiffness of a beam", 36, beams[i].stiffness);
        LIST("mass of a beam", 1, beams[i].inertia);
        LIST("damping of a beam", 2, beams[i].rayleigh);
    }
    for (int i = 0; i < a->nsolid; i++) {
        const double x[] = {a->solids[i].lambda, a->solids[i].mu};
        const double y[] = {b->solids[i].lambda, b->solids[i].mu};
        LIST("damping of a solid", 2, solids[i].rayleigh);
        LIST("nodes of a solid", 3 * a->solids[i].nnode, solids[i].x);
        if (compare_list("material", 2, x, y)) return 1;
    }
    for (int i = 0; i < a->nmodal; i++) {
        const flx_elastic *e = a->modals[i].e, *f = b->modals[i].e;
        if (compare_list("flexible body", 1, &e->m, &f->m)) return 1;
        if (compare_list("flexible body", e->n * e->n, e->K, f->K)) return 1;
        if (compare_list("flexible body", e->n * e->n, e->M, f->M)) return 1;
        if (compare_list("flexible body", e->n * e->n, e->D, f->D)) return 1;
    }
    for (int i = 0; i < a->nbeam; i++) {
        const flx_beam *e = a->beams + i, *f = b->beams + i;
        if (compare_list("beam", 36, e->stiffness, f->stiffness)) return 1;
        if (compare_list("beam", 1, &e->mass, &f->mass)) return 1;
        if (compare_list("beam", 2, e->rayleigh, f->rayleigh)) return 1;
    }
    for (int i = 0; i < a->nanalysis; i++) {
        const double x[] = {a->analyses[i].from, a->analyses[i].to, a->analyses[i].time};
        const double y[] = {b->analyses[i].from, b->analyses[i].to, b->analyses[i].time};
        if (compare_list("analysis", 3, x, y)) return 1;
    }
    const double x[] = {a->simulate.until, a->simulate.def.step, a->simulate.def.rtol,
                        a->outputs.every};
    const double y[] = {b->simulate.until, b->simulate.def.step, b->simulate.def.rtol,
                        b->outputs.every};
    LIST("output times", a->outputs.ntimes, outputs.times);
    return compare_list("task", 4, x, y);
}

// ---- numbers with expressions --------------------------------------------------------------------

typedef struct numbers {
    int n, capacity;
    double *x;
    const char **what, **name;
} numbers;

static void gather(void *user, const char *what, const char *name, int n, const double *x)
{
    numbers *all = user;
    if (all->n + n > all->capacity) {
        all->capacity = 2 * (all->n + n);
        all->x = realloc(all->x, (size_t)all->capacity * sizeof *all->x);
        all->what = realloc(all->what, (size_t)all->capacity * sizeof *all->what);
        all->name = realloc(all->name, (size_t)all->capacity * sizeof *all->name);
    }
    for (int i = 0; i < n; i++, all->n++) {
        all->x[all->n] = x[i];
        all->what[all->n] = what;
        all->name[all->n] = name;
    }
}

static void clear(numbers *n)
{
    free(n->x);
    free(n->what);
    free(n->name);
}

// Where a difference of nearly equal numbers is compared, its rounding is that of those: entries of a
// vector or matrix by the largest of the item.
static int compare_numbers(const flx_model *a, const flx_model *b)
{
    numbers x = {0}, y = {0};
    int bad = 0;
    flx_model_each_number(a, gather, &x);
    flx_model_each_number(b, gather, &y);
    if (x.n != y.n)
        bad = printf("%s, %s: %d and %d numbers\n", model_name, parameter_name, x.n, y.n);
    for (int i = 0; i < x.n && !bad; i++) {
        double size = 0;
        for (int k = i - 20 < 0 ? 0 : i - 20; k < x.n && k < i + 20; k++) {
            if (x.what[k] == x.what[i] && x.name[k] == x.name[i]) size = fmax(size, fabs(y.x[k]));
        }
        if (x.x[i] == y.x[i] || fabs(x.x[i] - y.x[i]) <= 1e-14 * size) continue;
        if (fabs(x.x[i] - y.x[i]) <= 2e-16) continue; // of lengths and directions near 1
        printf("%s, %s: %s of '%s': %.17g is %.17g when read\n", model_name, parameter_name,
               x.what[i], x.name[i] ? x.name[i] : "", x.x[i], y.x[i]);
        bad = 1;
    }
    clear(&x);
    clear(&y);
    return bad;
}

// dN/dp_k against the differences of N.
static int check_slopes(flx_model *own, double *p, int k)
{
    int n = flx_model_number_count(own);
    double at = p[k], scale = at == 0 ? 1e-3 : fabs(at), h = 1e-4 * scale;
    double *slopes = calloc((size_t)n + 1, sizeof *slopes),
           *sum = calloc((size_t)n + 1, sizeof *sum);
    static const double weights[] = {1.0 / 12, -8.0 / 12, 0, 8.0 / 12, -1.0 / 12};
    int bad = flx_model_set_parameters(own, p) != FLX_OK;
    if (bad) printf("%s, %s: not set\n", model_name, parameter_name);
    flx_model_number_slopes(own, k, slopes);
    double most = 0; // of the numbers, whose rounding the differences have
    for (int j = 0; j < 5 && !bad; j++) {
        p[k] = at + (j - 2) * h;
        bad = flx_model_set_parameters(own, p) != FLX_OK;
        for (int i = 0; i < n; i++) sum[i] += weights[j] / h * *flx_model_numbers(own)[i];
    }
    p[k] = at;
    if (flx_model_set_parameters(own, p) != FLX_OK) bad = 1;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(*flx_model_numbers(own)[i]));
    for (int i = 0; i < n && !bad; i++) {
        double size = fmax(fabs(slopes[i]), fabs(*flx_model_numbers(own)[i]) / scale);
        if (fabs(slopes[i] - sum[i]) <= 1e-9 * size + 2e-15 * most / h) continue;
        printf("%s, %s: slope %.15g of number %d, by differences %.15g\n", model_name,
               parameter_name, slopes[i], i, sum[i]);
        bad = 1;
    }
    free(slopes);
    free(sum);
    return bad;
}

// ---- models --------------------------------------------------------------------------------------

static int tunable_count, structural_count;

static int check_parameter(const char *path, const flx_model *m, int k)
{
    char setting[256];
    const char *list[] = {setting};
    double p[400];
    if (m->ntunable > 400) return 1;
    for (int i = 0; i < m->ntunable; i++) p[i] = m->tunables[i].value;
    p[k] = p[k] == 0 ? 0.01 : 1.01 * p[k];
    parameter_name = m->tunables[k].name;
    snprintf(setting, sizeof setting, "%s=%.17g", parameter_name, p[k]); // an entry of a list, too
    flx_ctx *ctx = flx_ctx_create();
    flx_model *own = NULL, *fresh = NULL;
    flx_status read = flx_model_read(ctx, path, 1, list, &fresh);
    int bad = flx_model_vary(m, ctx, &own) != FLX_OK;
    if (bad) printf("%s cannot be varied\n", model_name);
    if (!bad) bad = compare_numbers(m, own);
    flx_status set = bad ? FLX_ERR_MODEL : flx_model_set_parameters(own, p);
    if (read == FLX_OK && set != FLX_OK) {
        const flx_message *e = flx_ctx_error(ctx, 0);
        printf("%s, %s: %s\n", model_name, parameter_name, e ? e->text : "refused");
        bad = 1;
    }
    if (read == FLX_OK && !bad) bad = compare_numbers(own, fresh);
    if (read == FLX_OK && !bad) bad = compare_others(own, fresh);
    if (read == FLX_OK && !bad) bad = compare_nodes(own, p, fresh);
    if (read == FLX_OK && !bad) bad = check_slopes(own, p, k);
    tunable_count++;
    flx_model_destroy(&own);
    flx_model_destroy(&fresh);
    flx_ctx_destroy(&ctx);
    return bad;
}

static int check_model(const char *path)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    int bad = 0;
    flx_read_def def = flx_read_def_default();
    model_name = strrchr(path, '/') + 1;
    parameter_name = "";
    if (flx_model_read_by(ctx, path, &def, &m) != FLX_OK) {
        flx_model *plain = NULL; // not a model by itself: then neither without open parameters
        bad = flx_model_read(ctx, path, 0, NULL, &plain) == FLX_OK;
        const flx_message *e = flx_ctx_error(ctx, 0);
        if (bad) printf("%s:%d: %s\n", model_name, e ? e->loc.line : 0, e ? e->text : "");
        flx_model_destroy(&plain);
        flx_ctx_destroy(&ctx);
        return bad;
    }
    for (int k = 0; k < m->ntunable; k++) bad += check_parameter(path, m, k);
    for (int i = 0; i < m->nparameter; i++) {
        const flx_parameter *q = m->parameters + i;
        if (!q->needed.file) continue;
        structural_count++;
        if (getenv("FLX_TELL"))
            printf("%s: '%s' is structural: %d:%d\n", model_name, q->name, q->needed.line,
                   q->needed.column);
    }
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return bad;
}

static int check_folder(const char *folder)
{
    DIR *d = opendir(folder);
    int bad = 0;
    CHECK(d);
    for (struct dirent *f; (f = readdir(d));) {
        const char *end = strrchr(f->d_name, '.');
        char path[1000];
        if (!end || strcmp(end, ".yaml") != 0) continue;
        snprintf(path, sizeof path, "%s/%s", folder, f->d_name);
        int wrong = check_model(path);
        if (wrong) printf("%s: %d wrong\n", f->d_name, wrong);
        bad += wrong;
    }
    closedir(d);
    CHECK(bad == 0);
    return 0;
}

static int examples_are_read_again_by_their_parameters(void)
{
    int bad = check_folder(FLX_EXAMPLES);
    printf("%d tunable, %d structural\n", tunable_count, structural_count);
    return bad;
}

static int models_are_read_again_by_their_parameters(void)
{
    return check_folder(FLX_TESTS "/models");
}

// Those that are named are open, whatever their values are made of; others are numbers.
static int parameters_are_opened_by_name(void)
{
    static const char text[] = "flexion: 1\n"
                               "parameters: {a: 2, b: 3*a, c: 4}\n"
                               "bodies: {ball: {type: point, mass: b + c, position: [a, b, c]}}\n"
                               "outputs: {metrics: {far: \"maximum(ball.position.x)/b\"}}\n";
    const char *names[] = {"b", "d"};
    flx_read_def def = flx_read_def_default();
    def.text = text;
    def.length = strlen(text);
    def.nopen = 1;
    def.open = names;
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL, *own = NULL;
    CHECK(flx_model_read_by(ctx, "x.yaml", &def, &m) == FLX_OK);
    CHECK(m->ntunable == 1 && strcmp(m->tunables[0].name, "b") == 0 && m->tunables[0].value == 6);
    CHECK(flx_model_vary(m, ctx, &own) == FLX_OK);
    double p = 7;
    CHECK(flx_model_set_parameters(own, &p) == FLX_OK);
    CHECK(own->bodies[0].mass == 11 && own->bodies[0].position[0] == 2 &&
          own->bodies[0].position[1] == 7 && m->bodies[0].mass == 10);
    p = -5; // a negative mass: nothing has changed
    CHECK(flx_model_set_parameters(own, &p) == FLX_ERR_MODEL && own->bodies[0].mass == 11);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "the mass of 'ball' is -1; it must not be negative");
    p = (double)NAN;
    CHECK(flx_model_set_parameters(own, &p) == FLX_ERR_MODEL && own->bodies[0].mass == 11);
    flx_model_destroy(&own);
    flx_model_destroy(&m);
    def.nopen = 2;
    CHECK(flx_model_read_by(ctx, "x.yaml", &def, &m) == FLX_ERR_MODEL && !m);
    CHECK_TEXT(flx_ctx_error(ctx, 2)->text, "the model has no parameter 'd'");
    flx_ctx_destroy(&ctx);
    return 0;
}

// What a section cannot be is refused, and the beam stays as it was.
static int sections_of_beams_follow(void)
{
    static const char text[] =
        "flexion: 1\n"
        "dimension: 2\n"
        "parameters: {rho: 1000, h: 0.02, nu: 0.3, zeta: 0.01}\n"
        "bodies:\n"
        "  rod: {type: beam, from: [0, 0], to: [2, 0], elements: 2, section: {width: 0.03, height: "
        "h},\n"
        "        material: {E: 2e9, density: rho, nu: nu}, damping: {ratio: zeta}}\n";
    flx_read_def def = flx_read_def_default();
    def.text = text;
    def.length = strlen(text);
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL, *own = NULL;
    CHECK(flx_model_read_by(ctx, "x.yaml", &def, &m) == FLX_OK && m->ntunable == 4);
    CHECK(flx_model_vary(m, ctx, &own) == FLX_OK);
    const flx_beam *b = own->beams, *shared = m->beams;
    double p[4] = {2000, 0.04, 0.2, 0.02}, damping = shared->rayleigh[1];
    CHECK(flx_model_set_parameters(own, p) == FLX_OK);
    CHECK_NEAR(b->stiffness[0], 2e9 * 0.03 * 0.04, 1e-8);
    CHECK_NEAR(b->stiffness[35], 2e9 * 0.03 * pow(0.04, 3) / 12, 1e-10);
    CHECK_NEAR(b->mass, 2000 * 0.03 * 0.04, 1e-14);
    CHECK_NEAR(b->rayleigh[1], 2 * damping / sqrt(2.0),
               1e-15); // of sqrt(2) times the frequency
    double mass = 0;
    for (int i = 0; i < b->nnode; i++) mass += own->bodies[b->nodes[i]].mass;
    CHECK_NEAR(mass, 2 * b->mass, 1e-14);
    CHECK_NEAR(shared->mass, 1000 * 0.03 * 0.02, 1e-14);
    p[0] = 0;
    CHECK(flx_model_set_parameters(own, p) == FLX_ERR_MODEL && b->mass == 2000 * 0.03 * 0.04);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "the section needs 'mass'");
    p[0] = 1000, p[1] = -0.01;
    CHECK(flx_model_set_parameters(own, p) == FLX_ERR_MODEL && b->size[1] == 0.04);
    CHECK_TEXT(flx_ctx_error(ctx, 1)->text, "the size of the section of 'rod' is -0.01");
    p[1] = 0.02, p[2] = 0.5;
    CHECK(flx_model_set_parameters(own, p) == FLX_ERR_MODEL && b->nu == 0.2);
    CHECK_TEXT(flx_ctx_error(ctx, 2)->text, "it must lie between -1 and 0.5");
    flx_model_destroy(&own);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

// What a parameter is needed for is said with its place.
static int structural_parameters_have_a_place(void)
{
    static const char text[] = "flexion: 1\n"
                               "parameters: {n: 3, k: 2}\n"
                               "bodies:\n"
                               "  ball: {repeat: {i: [1, n]}, type: point, mass: k,\n"
                               "         position: [i, 0, 0]}\n";
    flx_read_def def = flx_read_def_default();
    def.text = text;
    def.length = strlen(text);
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    CHECK(flx_model_read_by(ctx, "x.yaml", &def, &m) == FLX_OK);
    CHECK(m->ntunable == 1 && strcmp(m->tunables[0].name, "k") == 0);
    CHECK(m->parameters[0].tunable == -1 && m->parameters[1].tunable == 0);
    CHECK(m->parameters[0].needed.line == 4 && m->parameters[0].needed.column == 26);
    CHECK(!m->parameters[1].needed.file);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

// A parameter that is the load of an analysis has a factor beside it, and is open all the same.
static int loads_are_open_too(void)
{
    static const char text[] = "flexion: 1\n"
                               "parameters: {P: 2, k: [3, 4]}\n"
                               "equations:\n"
                               "  second_order: {x: {mass: k(1), force: P*k(2) - x, at: k(2)}}\n"
                               "analyse: {path: {type: static, load: P}}\n";
    flx_read_def def = flx_read_def_default();
    def.text = text;
    def.length = strlen(text);
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL, *own = NULL;
    CHECK(flx_model_read_by(ctx, "x.yaml", &def, &m) == FLX_OK);
    CHECK(m->ntunable == 3 && m->nload == 1 && m->parameters[0].tunable == 0);
    CHECK(strcmp(m->tunables[2].name, "k(2)") == 0 && m->tunables[2].value == 4);
    double p[] = {5, 6, 7}, param[16];
    CHECK(flx_param_hoisted(m, 0) <= 16);
    flx_param_fill(m, param);
    CHECK(param[0] == 1 && param[flx_param_tunable(m, 1)] == 3);
    CHECK_NEAR(value_of(m, m->variables[0].mass, p), 6, 0);
    CHECK_NEAR(value_of(m, m->variables[0].force, p) +
                   any_value(flx_leaf_make(FLX_LEAF_VARIABLE, 0, 0)),
               35, 1e-14);
    CHECK(flx_model_vary(m, ctx, &own) == FLX_OK);
    CHECK(flx_model_set_parameters(own, p) == FLX_OK && own->variables[0].at == 7);
    flx_model_destroy(&own);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(SLOW_TEST(examples_are_read_again_by_their_parameters),
          TEST(models_are_read_again_by_their_parameters), TEST(parameters_are_opened_by_name),
          TEST(sections_of_beams_follow), TEST(structural_parameters_have_a_place),
          TEST(loads_are_open_too))
