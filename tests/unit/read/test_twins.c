// test_twins.c - whatever a file can say, calls can say: every model of this tree is taken apart by the questions of
// flexion/build.h, made again by its calls alone, and is the same model; written as YAML it reads back the same; a few
// are run, bit for bit. With arguments: these files instead. FLX_SHORT in the environment: every tenth.
#include "flexion/flexion.h"

#include "check.h"

#include "expr/graph.h"
#include "model/model_data.h"

#include <dirent.h>
#include <stdlib.h>

static flx_ctx *ctx;

static int print_errors(const char *file)
{
    const flx_message *e;
    for (int i = 0; (e = flx_ctx_error(ctx, i)) != NULL; i++) {
        printf("%s: %s: %s\n", file, e->path, e->text);
    }
    return 1;
}

// The path of a pair or item of what is at a path.
static void step(char *out, size_t size, const char *path, const char *key, int i)
{
    if (!key)
        snprintf(out, size, "%s[%d]", path, i);
    else if (strpbrk(key, ".[] "))
        snprintf(out, size, "%s%s\"%s\"", path, path[0] ? "." : "", key);
    else
        snprintf(out, size, "%s%s%s", path, path[0] ? "." : "", key);
}

static flx_status make_again(const flx_model *from, flx_model *to, const char *path)
{
    char next[600];
    int kind = flx_model_kind(from, path), n = flx_model_count(from, path);
    if (kind == 1) return flx_model_set_text(to, path, flx_model_get_text(from, path));
    if (n == 0) {
        return kind == 2 ? flx_model_set_list(to, path, 0, NULL) : flx_model_set_map(to, path);
    }
    for (int i = 0; i < n; i++) {
        step(next, sizeof next, path, kind == 3 ? flx_model_key(from, path, i) : NULL, i);
        flx_status status = make_again(from, to, next);
        if (status != FLX_OK) return status;
    }
    return FLX_OK;
}

static bool same_graph(const flx_graph *a, const flx_graph *b)
{
    return a->n == b->n &&
           (a->n == 0 || memcmp(a->nodes, b->nodes, (size_t)a->n * sizeof *a->nodes) == 0);
}

// What the builder made of both: counts, numbers of bodies and joints, all expressions, signals.
static bool same_model(const flx_model *a, const flx_model *b)
{
    bool same = a->nbody == b->nbody && a->njoint == b->njoint && a->nforce == b->nforce &&
                a->nvariable == b->nvariable && a->nfirst == b->nfirst &&
                a->nconstraint == b->nconstraint && a->nevent == b->nevent &&
                a->nswitch == b->nswitch && a->nbeam == b->nbeam && a->nsolid == b->nsolid &&
                a->nmodal == b->nmodal && a->nanalysis == b->nanalysis &&
                a->outputs.ncolumn == b->outputs.ncolumn && a->sweep.nrun == b->sweep.nrun &&
                a->nunavailable == b->nunavailable && strcmp(a->title, b->title) == 0;
    for (int i = 0; same && i < a->nbody; i++) {
        const flx_body *p = a->bodies + i, *q = b->bodies + i;
        same = strcmp(p->name, q->name) == 0 && p->mass == q->mass &&
               memcmp(p->com, q->com, sizeof p->com) == 0 &&
               memcmp(p->inertia, q->inertia, sizeof p->inertia) == 0 &&
               memcmp(p->position, q->position, sizeof p->position) == 0;
    }
    for (int i = 0; same && i < a->njoint; i++) {
        const flx_joint *p = a->joints + i, *q = b->joints + i;
        same = strcmp(p->name, q->name) == 0 && p->kind == q->kind &&
               memcmp(p->at, q->at, sizeof p->at) == 0 &&
               memcmp(p->frame, q->frame, sizeof p->frame) == 0;
    }
    return same && same_graph(a->graph, b->graph);
}

// A twin by calls, of the read model; NULL on failure.
static flx_model *twin_of(const flx_model *read, const char *file)
{
    flx_model *twin = NULL;
    if (flx_model_create(ctx, 3, &twin) != FLX_OK) return NULL;
    flx_status status = flx_model_remove(twin, "dimension");
    if (status == FLX_OK) status = flx_model_set_file(twin, file);
    if (status == FLX_OK) status = make_again(read, twin, "");
    if (status == FLX_OK) status = flx_model_check(twin);
    if (status != FLX_OK) flx_model_destroy(&twin);
    return twin;
}

static int check_twin(const char *file)
{
    flx_model *read = NULL, *again = NULL;
    ctx = flx_ctx_create();
    flx_status status = flx_model_read_by(ctx, file, NULL, &read);
    if (status != FLX_OK) { // wrong models are refused either way
        flx_ctx_destroy(&ctx);
        return 0;
    }
    flx_model *twin = twin_of(read, file);
    CHECK(twin || !print_errors(file));
    if (!same_model(read, twin)) printf("%s: the twin differs\n", file);
    CHECK(same_model(read, twin));
    const char *text = flx_model_write_text(twin);
    flx_read_def def = flx_read_def_default();
    def.text = text;
    def.length = text ? strlen(text) : 0;
    CHECK(text && flx_model_read_by(ctx, file, &def, &again) == FLX_OK);
    if (!same_model(read, again)) printf("%s: what is written reads back as another model\n", file);
    CHECK(same_model(read, again));
    char *kept = malloc(strlen(text) + 1);
    strcpy(kept, text);
    const char *once_more = flx_model_write_text(again);
    CHECK(strcmp(kept, once_more) == 0);
    free(kept);
    flx_model_destroy(&read);
    flx_model_destroy(&twin);
    flx_model_destroy(&again);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int is_model(const struct dirent *d)
{
    size_t n = strlen(d->d_name);
    return n > 5 && strcmp(d->d_name + n - 5, ".yaml") == 0;
}

static int check_folder(const char *folder, int least)
{
    struct dirent **files = NULL;
    int failed = 0, n = scandir(folder, &files, is_model, alphasort);
    char path[600];
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]->d_name);
        if (i % 10 == 0 || !short_runs()) failed += check_twin(path);
        free(files[i]);
    }
    free(files);
    CHECK(n >= least);
    return failed;
}

static int examples_have_twins(void)
{
    return check_folder(FLX_EXAMPLES, 60) + check_folder(FLX_EXAMPLES "/fe", 1);
}

static int models_of_tests_have_twins(void)
{
    return check_folder(FLX_TESTS "/models", 5) + check_folder(FLX_TESTS "/cases", 20);
}

// The state at the end of a run.
static int run(flx_model *m, double *out, int *n)
{
    flx_system *s = NULL;
    flx_run *r = NULL;
    int nq = 0, nv = 0;
    if (flx_system_compile(m, NULL, ctx, &s) != FLX_OK) return print_errors("compile");
    CHECK(flx_run_create(s, NULL, ctx, &r) == FLX_OK);
    flx_model_destroy(&m); // a system stands without its model
    flx_status status = flx_run_advance(r, 0.2);
    CHECK(status == FLX_OK);
    const double *q = flx_run_view(r, FLX_VIEW_Q, &nq), *v = flx_run_view(r, FLX_VIEW_V, &nv);
    CHECK(nq + nv <= 400);
    memcpy(out, q, (size_t)nq * sizeof *q);
    memcpy(out + nq, v, (size_t)nv * sizeof *v);
    *n = nq + nv;
    flx_run_destroy(&r);
    flx_system_destroy(&s);
    return 0;
}

static int twins_move_alike(void)
{
    static const char *const names[] = {"four_bar",      "slider_crank",    "elastic_crank",
                                        "bouncing_ball", "sampled_control", "rolling_coin",
                                        "crane_cable",   "car_axis"};
    double a[400], b[400];
    int na = 0, nb = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char file[600];
        flx_model *read = NULL;
        snprintf(file, sizeof file, FLX_EXAMPLES "/%s.yaml", names[i]);
        ctx = flx_ctx_create();
        CHECK(flx_model_read_by(ctx, file, NULL, &read) == FLX_OK);
        flx_model *twin = twin_of(read, file);
        CHECK(twin);
        CHECK(!run(read, a, &na) && !run(twin, b, &nb));
        if (na != nb || memcmp(a, b, (size_t)na * sizeof *a) != 0) printf("%s\n", names[i]);
        CHECK(na == nb && memcmp(a, b, (size_t)na * sizeof *a) == 0);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

static const test_entry tests[] = {TEST(examples_have_twins), TEST(models_of_tests_have_twins),
                                   TEST(twins_move_alike)};

int main(int argc, char **argv)
{
    int failed = 0;
    for (int i = 1; i < argc; i += short_runs() ? 5 : 1) failed += check_twin(argv[i]);
    if (argc > 1) return failed > 0;
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        int bad = tests[i].run();
        printf("%s %s\n", bad ? "FAILED" : "ok    ", tests[i].name);
        failed += bad;
    }
    return failed > 0;
}
