// problem_response.c - frequency responses of a structure between its nodes: by the Ritz model of its ports, whose error is
// known, or by one factorisation per frequency. Theory: docs/theory/body_reduction.md.
#include "base/refuse.h"
#include "fe/fe_parts.h"
#include "fe/problem.h"
#include "reduce/ritz/ritz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-8 // of the estimate

typedef struct search {
    flx_fe_problem *p;
    const flx_fe_response_def *def;
    flx_arena *arena;
    flx_fe_response *out;
    int nface;
    flx_interface *faces; // (inputs and outputs, at the most) those of a node are one
    int *nodes;           // ... and which they are
    int *input, *output;  // (ninput), (noutput) 6 face + component, then the port
    flx_free_structure s;
    flx_basis basis;
    flx_shape_search q;
} search;

// ---- ports --------------------------------------------------------------------------------------

static const char *const components[6] = {"x", "y", "z", "rx", "ry", "rz"};

static flx_status refuse(const search *a, const char *port, const char *why)
{
    return FLX_FAIL(a->p->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "'%s' %s", port, why);
}

// The node of a word of `length` letters.
static flx_status find_node(const search *a, const char *port, size_t length, int *node)
{
    const flx_structure *s = a->p->fe->s;
    char *word = flx_arena_copy(a->arena, port, length);
    int label = 0;
    if (!word) return FLX_ERR_MEMORY;
    if (flx_structure_node_word(word, &label)) {
        *node = flx_structure_node_of(s, label);
        return *node >= 0 ? FLX_OK : refuse(a, port, "names a node that the mesh does not have");
    }
    const flx_mesh_set *set = flx_structure_find_set(s, word);
    if (!set || set->nnode == 0) {
        return refuse(a, port,
                      "is no port: it is a component of a node, such as node(7).z, or of "
                      "a set with one node, such as tip.z");
    }
    if (set->nnode > 1) {
        return refuse(a, port, "has several nodes: tie them to one by a link, and name that");
    }
    *node = set->nodes[0];
    return FLX_OK;
}

static flx_status find_component(const search *a, const char *port, const char **dot,
                                 int *component)
{
    *dot = strrchr(port, '.');
    for (*component = 0; *dot && *component < 6; ++*component) {
        if (strcmp(*dot + 1, components[*component]) == 0) return FLX_OK;
    }
    return refuse(a, port, "is no port: write the component after a dot: x, y, z, rx, ry or rz");
}

// The face of a node, or a new one.
static flx_status find_face(search *a, int node, const char *name, int *face)
{
    for (*face = 0; *face < a->nface; ++*face) {
        if (a->nodes[*face] == node) return FLX_OK;
    }
    a->nodes[a->nface] = node;
    a->faces[a->nface].name = name;
    a->nface++;
    return FLX_OK;
}

static flx_status add_unknown(search *a, const char *port, int *out)
{
    static const char word[] = "unknown(";
    bool named = strncmp(port, word, sizeof word - 1) == 0;
    long number = named ? strtol(port + sizeof word - 1, NULL, 10) : 0;
    int face = 0, *unknown = flx_arena_take(a->arena, 1, sizeof *unknown);
    double *one = flx_arena_take(a->arena, 1, sizeof *one);
    if (!unknown || !one) return FLX_ERR_MEMORY;
    if (number < 1 || number > a->p->n) {
        return refuse(a, port,
                      "is no port: matrices have unknowns, such as unknown(7), counted "
                      "from 1");
    }
    FLX_TRY(find_face(a, (int)number, port, &face));
    *unknown = (int)number - 1;
    *one = 1;
    a->faces[face].count[0] = 1;
    a->faces[face].unknown[0] = unknown;
    a->faces[face].weight[0] = one;
    *out = 6 * face;
    return FLX_OK;
}

static flx_status add_port(search *a, const char *port, int *out)
{
    const flx_fe *fe = a->p->fe;
    const char *dot;
    int node = 0, c = 0, face = 0;
    double constant;
    if (!fe) return add_unknown(a, port, out);
    FLX_TRY(find_component(a, port, &dot, &c));
    FLX_TRY(find_node(a, port, (size_t)(dot - port), &node));
    const char *name = flx_arena_copy(a->arena, port, (size_t)(dot - port));
    if (!name) return FLX_ERR_MEMORY;
    FLX_TRY(find_face(a, node, name, &face));
    flx_interface *f = a->faces + face;
    memcpy(f->at, fe->s->x + 3 * (size_t)node, sizeof f->at);
    f->count[c] = flx_fe_terms(fe, node, c, &f->unknown[c], &f->weight[c], &constant);
    if (f->count[c] == 0) return refuse(a, port, "does not move: it is held, or has no stiffness");
    *out = 6 * face + c;
    return FLX_OK;
}

static flx_status find_ports(search *a)
{
    const flx_fe_response_def *d = a->def;
    size_t all = (size_t)(d->ninput + d->noutput);
    if (d->ninput < 1 || d->noutput < 1) {
        return FLX_FAIL(a->p->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "a response needs %s",
                        d->ninput < 1 ? "an input, such as node(7).z" : "an output");
    }
    a->faces = flx_arena_take(a->arena, all, sizeof *a->faces);
    a->nodes = flx_arena_take(a->arena, 2 * all, sizeof *a->nodes);
    if (!a->faces || !a->nodes) return FLX_ERR_MEMORY;
    a->input = a->nodes + all;
    a->output = a->input + d->ninput;
    for (int i = 0; i < d->ninput; i++) FLX_TRY(add_port(a, d->inputs[i], a->input + i));
    for (int i = 0; i < d->noutput; i++) FLX_TRY(add_port(a, d->outputs[i], a->output + i));
    return FLX_OK;
}

// 6 face + component becomes the number of the port.
static void number_ports(const flx_ports *ports, int n, int *list)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < ports->count; j++) {
            if (6 * ports->face[j] + ports->component[j] != list[i]) continue;
            list[i] = j;
            break;
        }
    }
}

// ---- the structure ------------------------------------------------------------------------------

static bool is_held(const flx_structure *s)
{
    for (int i = 0; i < s->nspring; i++) {
        if (s->springs[i].node[1] < 0) return true;
    }
    return s->nsupport > 0;
}

static flx_status take_structure(search *a)
{
    static const double origin[3] = {0, 0, 0};
    flx_fe_problem *p = a->p;
    flx_fe *fe = p->fe;
    const double *rayleigh = p->model->fe.rayleigh;
    bool *free_of_all = flx_arena_take(a->arena, (size_t)a->nface, sizeof *free_of_all);
    if (!free_of_all) return FLX_ERR_MEMORY;
    a->s = (flx_free_structure){.ctx = p->ctx,
                                .loc = p->model->fe.loc,
                                .K = p->K,
                                .M = p->M,
                                .group = p->group,
                                .ninterface = a->nface,
                                .interfaces = a->faces};
    a->basis = (flx_basis){.to = a->def->to,
                           .ncondition = 1,
                           .conditions = free_of_all,
                           .damping = {.alpha = rayleigh[0], .beta = rayleigh[1]}};
    if (fe) {
        if (fe->S.n == 0 && fe->D.n == 0) FLX_TRY(flx_fe_find_damping(fe));
        a->basis.damping.loss = fe->loss;
        a->s.S = fe->S.n > 0 ? &fe->S : NULL;
        a->s.D = fe->D.n > 0 ? &fe->D : NULL;
    }
    if (fe && !is_held(fe->s)) {
        size_t n = (size_t)p->n;
        double *R = flx_arena_take(a->arena, 6 * n, sizeof *R);
        if (!R) return FLX_ERR_MEMORY;
        flx_fe_rigid_motions(fe, origin, R);
        a->s.nrigid = fe->s->dimension == 2 ? 3 : 6;
        if (a->s.nrigid == 3) memcpy(R + 2 * n, R + 5 * n, n * sizeof *R);
        a->s.rigid = R;
        FLX_TRY(flx_fe_check_dashpots(fe, a->s.nrigid, R, p->model->fe.loc));
    }
    const flx_damping *d = &a->basis.damping;
    if (!(d->loss > 0 || d->alpha > 0 || d->beta > 0 || a->s.S || a->s.D)) {
        a->basis.damping = (flx_damping){.loss = FLX_ASSUMED_LOSS, .assumed = true};
    }
    a->q = (flx_shape_search){.s = &a->s, .b = &a->basis, .n = (size_t)p->n};
    return flx_shapes_prepare(&a->q);
}

// ---- responses ----------------------------------------------------------------------------------

static flx_status find_frequencies(search *a, double *hz)
{
    const flx_fe_response_def *d = a->def;
    bool rises = d->to > d->from && (d->linear ? d->from >= 0 : d->from > 0) && isfinite(d->to);
    if (!rises || d->count < 2) {
        return FLX_FAIL(a->p->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "a response has at least 2 frequencies that rise from a positive one, or "
                        "from 0 with linear spacing: not %d from %g to %g Hz",
                        d->count, d->from, d->to);
    }
    if (a->s.nrigid > 0 && !(d->from > 0)) {
        return FLX_FAIL(a->p->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "nothing holds the structure: at 0 Hz its response has no bound");
    }
    for (int k = 0; k < d->count; k++) {
        double x = (double)k / (d->count - 1);
        hz[k] = d->linear ? d->from + x * (d->to - d->from) : d->from * pow(d->to / d->from, x);
    }
    hz[d->count - 1] = d->to;
    return FLX_OK;
}

// G of the scaled ports in their own units.
static void put(const search *a, const flx_ports *ports, const double complex *G, double *H)
{
    int p = ports->count;
    for (int i = 0; i < a->def->noutput; i++) {
        for (int j = 0; j < a->def->ninput; j++) {
            int x = a->output[i], y = a->input[j];
            double complex z = G[y * p + x] / (ports->scale[x] * ports->scale[y]);
            *H++ = creal(z);
            *H++ = cimag(z);
        }
    }
}

static flx_status respond_directly(search *a, const double *hz, double *H)
{
    flx_fe_problem *p = a->p;
    flx_ports ports = {0};
    flx_port_work w = {0};
    flx_frontal *f = NULL;
    double complex *X = NULL;
    flx_status status = flx_ports_init(&a->q, &ports);
    if (status == FLX_OK) {
        number_ports(&ports, a->def->ninput, a->input);
        number_ports(&ports, a->def->noutput, a->output);
        X = flx_alloc(p->ctx, (size_t)ports.count * (size_t)p->n, sizeof *X);
        status = X ? flx_port_work_init(p->ctx, 1, ports.count, &w) : FLX_ERR_MEMORY;
    }
    if (status == FLX_OK) status = flx_frontal_create(p->ctx, p->K, p->group, &f);
    if (status == FLX_OK) status = flx_frontal_reserve(f, 2 * ports.count);
    for (int k = 0; k < a->def->count && status == FLX_OK; k++) {
        double omega = 2 * FLX_PI * hz[k];
        const flx_damping *d = &a->basis.damping;
        status = flx_port_respond_directly(&a->s, &ports, d, omega, f, X, w.H);
        if (status == FLX_SINGULAR) {
            status =
                FLX_FAIL(p->ctx, FLX_SINGULAR, a->s.loc,
                         "the structure has no response at %g Hz: it is not held, or not damped "
                         "at all",
                         hz[k]);
        }
        if (status != FLX_OK) break;
        if (a->s.nrigid > 0) flx_port_add_rigid(&ports, d, omega, &w);
        put(a, &ports, a->s.nrigid > 0 ? w.G : w.H,
            H + 2 * (size_t)k * (size_t)(a->def->ninput * a->def->noutput));
        a->out->factorisations++;
        a->out->solutions += ports.count;
    }
    flx_frontal_destroy(&f);
    flx_free(X);
    flx_port_work_clear(&w);
    flx_ports_clear(&ports);
    return status;
}

static flx_status respond_by_model(search *a, const double *hz, double *H, double *estimate)
{
    const flx_ritz_def def = {.to = a->def->to, .tolerance = TOLERANCE};
    flx_ritz *r = NULL;
    flx_port_work w = {0};
    double *proof = flx_alloc(a->p->ctx, (size_t)a->def->count, sizeof *proof);
    flx_status status = proof ? flx_ritz_create(&a->q, &def, &r) : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = flx_port_work_init(a->p->ctx, r->m, r->model.p, &w);
    if (status == FLX_OK)
        status = flx_ritz_certify(r, &r->conditions, a->def->count, hz, estimate, proof);
    if (status == FLX_OK) {
        number_ports(&r->ports, a->def->ninput, a->input);
        number_ports(&r->ports, a->def->noutput, a->output);
        for (int i = 0; i < r->ports.count; i++) {
            if (r->ports.scale[i] > 0) continue;
            status = refuse(a, a->faces[r->ports.face[i]].name,
                            "deforms nothing when it is pushed: take direct solutions");
        }
    }
    for (int k = 0; k < a->def->count && status == FLX_OK; k++) {
        double omega = 2 * FLX_PI * hz[k];
        if (!flx_port_respond(&r->model, &r->damping, omega, &w)) return FLX_SINGULAR;
        if (a->s.nrigid > 0) flx_port_add_rigid(&r->ports, &r->damping, omega, &w);
        put(a, &r->ports, a->s.nrigid > 0 ? w.G : w.H,
            H + 2 * (size_t)k * (size_t)(a->def->ninput * a->def->noutput));
        a->out->known = fmax(a->out->known, estimate[k]);
        if (r->checked == 0) a->out->proved = fmax(a->out->proved, proof[k]);
    }
    if (status == FLX_OK) {
        a->out->vectors = r->m;
        a->out->factorisations = r->factorisations;
        a->out->solutions = r->solutions;
        a->out->checked = r->checked;
        a->out->estimate = estimate;
    }
    flx_port_work_clear(&w);
    flx_ritz_destroy(&r);
    flx_free(proof);
    return status;
}

static flx_status respond(search *a)
{
    const flx_fe_response_def *d = a->def;
    size_t count = d->count > 0 ? (size_t)d->count : 0;
    FLX_TRY(find_ports(a));
    FLX_TRY(take_structure(a));
    flx_fe_response *out = flx_arena_take(a->arena, 1, sizeof *out);
    double *hz = flx_arena_take(a->arena, 2 * count, sizeof *hz);
    double *H = flx_arena_take(a->arena, 2 * count * (size_t)(d->ninput * d->noutput), sizeof *H);
    if (!out || !hz || !H) return FLX_ERR_MEMORY;
    a->out = out;
    FLX_TRY(find_frequencies(a, hz));
    const flx_damping *damping = &a->basis.damping;
    *out = (flx_fe_response){.count = d->count,
                             .ninput = d->ninput,
                             .noutput = d->noutput,
                             .hz = hz,
                             .H = H,
                             .loss = damping->loss,
                             .alpha = damping->alpha,
                             .beta = damping->beta,
                             .assumed = damping->assumed,
                             .other = a->s.S || a->s.D,
                             .rigid = a->s.nrigid};
    return d->direct ? respond_directly(a, hz, H) : respond_by_model(a, hz, H, hz + count);
}

flx_status flx_fe_problem_response(flx_fe_problem *p, const flx_fe_response_def *def,
                                   const flx_fe_response **out)
{
    if (!p || !def || !out) return flx_refuse_null(p ? p->ctx : NULL, __func__);
    bool whole = def->ninput >= 0 && def->noutput >= 0 && (def->ninput == 0 || def->inputs) &&
                 (def->noutput == 0 || def->outputs);
    for (int i = 0; whole && i < def->ninput; i++) whole = def->inputs[i] != NULL;
    for (int i = 0; whole && i < def->noutput; i++) whole = def->outputs[i] != NULL;
    if (!whole) return flx_refuse_null(p->ctx, __func__);
    *out = NULL;
    flx_arena_destroy(&p->response);
    p->response = flx_arena_create(p->ctx);
    if (!p->response) return FLX_ERR_MEMORY;
    search a = {.p = p, .def = def, .arena = p->response};
    flx_status status = respond(&a);
    flx_free(a.q.MR);
    if (status == FLX_OK) *out = a.out;
    return status;
}
