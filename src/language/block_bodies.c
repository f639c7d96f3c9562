// block_bodies.c - bodies: points, mass, inertia, initial motion.
//
// An inertia is that of a real body when its principal moments are not negative and each is at most
// the sum of the other two (x^2 + y^2 against y^2 + z^2 and z^2 + x^2 under the integral).
#include "language/flexible/deformable.h"
#include "language/scope/nums.h"
#include "model/nodes.h"

#include <string.h>

// Tolerance of the checks of inertia: numbers in files have been rounded to a few digits.
#define ROUNDED 1e-6

static const char *const body_words[] = {"rigid", "point", "flexible", "beam",
                                         "solid", "shell", NULL};

// ---- points -------------------------------------------------------------------------------------

flx_status flx_body_make_point(flx_builder *b, flx_item *body, const char *name, const double at[3],
                               flx_item **out)
{
    flx_item *p = flx_take(b, 1, sizeof *p);
    flx_point_data *d = flx_take(b, 1, sizeof *d);
    if (!p || !d) return FLX_ERR_MEMORY;
    *p = (flx_item){.kind = FLX_KIND_POINT,
                    .name = name,
                    .base = name,
                    .loc = body->loc,
                    .space = body->space,
                    .locals = body->locals,
                    .number = -1,
                    .data = d};
    p->full = flx_arena_printf(b->m->arena, "%s.%s", body->full, name);
    if (!p->full) return FLX_ERR_MEMORY;
    d->body = body;
    d->node = -1;
    if (at) {
        d->at = flx_num3_of(at);
        d->R = flx_num9_identity();
        d->state = FLX_ITEM_DONE;
    }
    *out = p;
    return FLX_OK;
}

static flx_status declare_point(flx_builder *b, flx_item *body, const flx_entry *points, int i,
                                const char *prefix)
{
    flx_body_data *d = body->data;
    const flx_entry *key = points->keys[i];
    if (strcmp(key->text, "com") == 0) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, key->loc,
                        "the point 'com' is the centre of mass; give it by the body's key 'com'");
    }
    if (flx_is_body_signal(key->text)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, key->loc,
                        "'%s' is a signal of every body and cannot be the name of a point",
                        key->text);
    }
    return flx_item_declare(b, body->space, FLX_KIND_POINT, key, points->items[i], points,
                            body->locals, prefix, &d->points, &d->ordered, body);
}

flx_status flx_body_declare_points(flx_builder *b, flx_item *body)
{
    flx_body_data *d = body->data;
    const flx_entry *type = NULL, *points = NULL;
    int word = 0;
    FLX_TRY(flx_build_need(b, body, "type", &type));
    FLX_TRY(flx_build_word(b, type, "type of body", body_words, &word));
    d->word = body_words[word];
    d->def.type = strcmp(d->word, "point") == 0 ? FLX_BODY_POINT : FLX_BODY_RIGID;
    d->deformable = word >= 2;
    d->def.name = body->full;
    d->def.loc = body->loc;
    FLX_TRY(flx_body_make_point(b, body, "com", NULL, &d->com));
    if (d->def.type == FLX_BODY_RIGID) d->com->def = flx_entry_get(body->def, "com");
    points = flx_entry_get(body->def, "points");
    if (!points || points->kind != FLX_ENTRY_MAP) return FLX_OK;
    const char *prefix = flx_arena_printf(b->scratch, "%s.", body->full);
    if (!prefix) return FLX_ERR_MEMORY;
    for (int i = 0; i < points->count; i++) FLX_TRY(declare_point(b, body, points, i, prefix));
    return FLX_OK;
}

static flx_status finish_points(flx_builder *b, flx_item *body)
{
    flx_body_data *d = body->data;
    flx_body *def = &d->def;
    FLX_TRY(flx_point_resolve(b, d->com, body->loc));
    FLX_TRY(flx_num3_store(&((flx_point_data *)d->com->data)->at, def->com, def->com_open));
    def->npoint = d->ordered.count;
    def->points = flx_arena_take(b->m->arena, (size_t)def->npoint, sizeof *def->points);
    if (!def->points) return FLX_ERR_MEMORY;
    for (int i = 0; i < def->npoint; i++) {
        flx_item *p = d->ordered.items[i];
        const flx_point_data *pd = p->data;
        FLX_TRY(flx_point_resolve(b, p, p->loc));
        def->points[i].name = flx_intern(b->ctx, p->name);
        if (!def->points[i].name) return FLX_ERR_MEMORY;
        FLX_TRY(flx_num3_store(&pd->at, def->points[i].at, def->points[i].at_open));
        FLX_TRY(flx_num9_store(&pd->R, def->points[i].R, def->points[i].R_open));
    }
    return FLX_OK;
}

// ---- mass and inertia ---------------------------------------------------------------------------

// Eigenvalues of a symmetric matrix by Jacobi's rotations.
static void principal_moments(const double J[9], double out[3])
{
    double a[3][3];
    for (int i = 0; i < 9; i++) a[i / 3][i % 3] = J[i];
    for (int sweep = 0; sweep < 30; sweep++) {
        double off = fabs(a[0][1]) + fabs(a[0][2]) + fabs(a[1][2]);
        if (!(off > 0)) break;
        for (int p = 0; p < 2; p++) {
            for (int q = p + 1; q < 3; q++) {
                if (a[p][q] == 0) continue;
                double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
                double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
                double c = 1 / sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < 3; k++) {
                    double x = a[k][p], y = a[k][q];
                    a[k][p] = c * x - s * y;
                    a[k][q] = s * x + c * y;
                }
                for (int k = 0; k < 3; k++) {
                    double x = a[p][k], y = a[q][k];
                    a[p][k] = c * x - s * y;
                    a[q][k] = s * x + c * y;
                }
            }
        }
    }
    for (int i = 0; i < 3; i++) out[i] = a[i][i];
}

flx_status flx_body_check_inertia(flx_ctx *ctx, int dimension, const flx_body *body, flx_loc loc)
{
    double p[3], largest = 0;
    principal_moments(body->inertia, p);
    for (int i = 0; i < 3; i++) largest = fmax(largest, fabs(p[i]));
    for (int i = 0; i < 3; i++) {
        if (!(p[i] >= -ROUNDED * largest)) {
            return FLX_FAIL(ctx, FLX_ERR_MODEL, loc,
                            "the inertia of body '%s' has a negative principal moment, %g",
                            body->name, p[i]);
        }
        double others = p[(i + 1) % 3] + p[(i + 2) % 3];
        // without a mass it is a rotor, whose inertia may be about its axis alone
        bool real = dimension == 3 && body->mass > 0;
        if (real && !(p[i] <= others + ROUNDED * largest)) {
            return FLX_FAIL(ctx, FLX_ERR_MODEL, loc,
                            "no body has the inertia of '%s': the principal moment %g is larger "
                            "than the sum of the other two, %g",
                            body->name, p[i], others);
        }
    }
    return FLX_OK;
}

static flx_status read_rows(flx_builder *b, const double *x, flx_loc loc, double J[9])
{
    double largest = 0;
    for (int i = 0; i < 9; i++) largest = fmax(largest, fabs(x[i]));
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            if (!(fabs(x[3 * i + j] - x[3 * j + i]) <= ROUNDED * largest)) {
                return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc, "the inertia matrix is not symmetric");
            }
            J[3 * i + j] = 0.5 * (x[3 * i + j] + x[3 * j + i]);
        }
    }
    return FLX_OK;
}

// Where the entries of an inertia stand among its numbers.
static flx_status keep_inertia(flx_builder *b, int n, const double *x, const flx_open *open,
                               flx_open out[9])
{
    static const int of_6[9] = {0, 3, 5, 3, 1, 4, 5, 4, 2};
    bool any = false;
    for (int i = 0; i < n; i++) any = any || open[i];
    if (!any) return FLX_OK;
    if (b->m->dimension == 2) out[8] = open[n - 1];
    for (int i = 0; i < 9 && b->m->dimension == 3; i++) {
        if (n == 3 && i % 4 == 0) out[i] = open[i / 4];
        if (n == 6) out[i] = open[of_6[i]];
        if (n != 9) continue;
        int j = 3 * (i % 3) + i / 3;
        flx_node sum = flx_graph_binary(b->g, FLX_OP_ADD, node_open(b->g, x[i], open[i]),
                                        node_open(b->g, x[j], open[j]));
        sum = flx_graph_binary(b->g, FLX_OP_MUL, flx_graph_const(b->g, 0.5), sum);
        if (sum < 0) return FLX_ERR_MEMORY;
        out[i] = sum + 1;
    }
    return FLX_OK;
}

static flx_status read_inertia(flx_env *e, const flx_entry *y, flx_body *def)
{
    flx_builder *b = e->b;
    int n = 0;
    double *x = NULL, *J = def->inertia;
    flx_open *open = NULL;
    FLX_TRY(flx_build_open_numbers(e, y, &n, &x, &open));
    memset(def->inertia, 0, sizeof def->inertia);
    FLX_TRY(keep_inertia(b, n, x, open, def->inertia_open));
    if (b->m->dimension == 2) {
        if (n != 1 && n != 3) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                            "in a planar model the inertia is one number, not %d", n);
        }
        J[8] = x[n - 1];
    } else if (n == 3 || n == 6) {
        for (int i = 0; i < 3; i++) J[4 * i] = x[i];
        if (n == 6) { // xy yz xz
            J[1] = J[3] = x[3];
            J[5] = J[7] = x[4];
            J[2] = J[6] = x[5];
        }
    } else if (n == 9) {
        FLX_TRY(read_rows(b, x, y->loc, J));
    } else {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                        "an inertia has 3 numbers (xx yy zz), 6 (xx yy zz xy yz xz) or 3 rows, not "
                        "%d",
                        n);
    }
    return flx_body_check_inertia(b->ctx, b->m->dimension, def, y->loc);
}

static flx_status read_mass(flx_env *e, const flx_item *body, flx_body *def)
{
    const flx_entry *mass = NULL, *inertia = NULL;
    if (flx_entry_get(body->def, "density")) return FLX_OK; // it is known with the centre of mass
    FLX_TRY(flx_build_need(e->b, body, "mass", &mass));
    FLX_TRY(flx_build_open(e, mass, &def->mass, &def->mass_open));
    if (!(def->mass >= 0)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, mass->loc,
                        "the mass of body '%s' is negative: %g", body->full, def->mass);
    }
    if (def->type == FLX_BODY_POINT) return FLX_OK;
    FLX_TRY(flx_build_need(e->b, body, "inertia", &inertia));
    return read_inertia(e, inertia, def);
}

// ---- bodies -------------------------------------------------------------------------------------

flx_status flx_bodies_become_nodes(flx_builder *b,
                                   bool (*is)(const flx_builder *b, const flx_item *body),
                                   flx_status (*declare)(flx_builder *b, flx_item *body))
{
    int n = b->bodies.count;
    flx_status status = FLX_OK;
    for (int i = 0; i < n; i++) {
        flx_item *body = b->bodies.items[i];
        if (body->broken || !is(b, body)) continue;
        flx_status own = declare(b, body);
        if (own == FLX_OK) continue;
        if (own == FLX_ERR_MEMORY) return own;
        ((flx_body_data *)body->data)->placed = FLX_ITEM_FAILED;
        status = own;
    }
    return status;
}

flx_status flx_body_finish(flx_builder *b, flx_item *body)
{
    flx_body_data *d = body->data;
    flx_env e;
    FLX_TRY(flx_body_place(b, body, body->loc));
    if (d->beam) {
        FLX_TRY(flx_beam_finish(b, body));
        return flx_body_surfaces(b, body);
    }
    if (d->solid) return flx_solid_finish(b, body);
    if (flx_body_is_beam_node(body)) return FLX_OK;
    FLX_TRY(finish_points(b, body));
    flx_env_of(&e, b, body, FLX_MODE_CONSTANT);
    flx_num3 position;
    flx_num9 R;
    flx_body_frame(body, &position, &R);
    FLX_TRY(flx_build_motion(&e, body->def, &position, &d->def.start));
    if (d->deformable) flx_start_fix(b, &d->def.start, body->loc);
    if (flx_body_is_elastic(body) && b->m->nunavailable == 0) {
        FLX_TRY(flx_elastic_body_ready(b, body, body->loc));
        FLX_TRY(flx_build_shapes(&e, body, &d->def)); // the frame has no mass of its own
        return flx_body_surfaces(b, body);
    }
    if (d->deformable) { // stands for the body until its physics is there
        d->def.mass = d->def.inertia[0] = d->def.inertia[4] = d->def.inertia[8] = 1;
        return FLX_OK;
    }
    FLX_TRY(read_mass(&e, body, &d->def));
    if (d->def.type == FLX_BODY_POINT) {
        const flx_entry *w = flx_entry_get(body->def, "angular_velocity");
        const flx_entry *o = flx_entry_get(body->def, "orientation");
        if (w || o) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, (w ? w : o)->loc,
                            "body '%s' is a point and has no rotation", body->full);
        }
        memset(d->def.start.angular_velocity, 0, sizeof d->def.start.angular_velocity);
        memset(d->def.start.angular_velocity_open, 0, sizeof d->def.start.angular_velocity_open);
        d->def.start.turns = false;
    }
    FLX_TRY(flx_build_shapes(&e, body, &d->def));
    return flx_body_surfaces(b, body);
}
