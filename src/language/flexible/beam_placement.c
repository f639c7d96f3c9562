// beam_placement.c - where a beam is drawn: its line, its sections' axes, its unstressed length.
#include "language/flexible/beam_slack.h"
#include "language/flexible/deformable.h"
#include "language/flexible/section_along.h"
#include "language/scope/nums.h"
#include "math/quadrature.h"
#include "model/nodes.h"
#include "model/structure.h"

#include <string.h>

// The length of a curve: so many panels, each by so many points, and more with many elements.
#define PANELS 64
#define POINTS 6
// Newton's steps for the place of a given length; they converge in a few.
#define ROUNDS 20
#define SAME 1e-12

typedef struct line { // r(s) and the direction of the section's y, with what computes them
    flx_program *program;
    double *scratch, out[9]; // r, r', up
    bool has_up;
    int npanel;
    double *lengths; // (npanel + 1) up to the start of each panel
    double wx[POINTS], ww[POINTS];
} line;

static void line_eval(line *l, double s)
{
    flx_program_eval(l->program, &s, l->scratch, l->out);
}

static double speed_at(line *l, double s)
{
    line_eval(l, s);
    return v3_norm(v3_load(l->out + 3));
}

static double length_between(line *l, double a, double b)
{
    double sum = 0;
    for (int i = 0; i < POINTS; i++) sum += l->ww[i] * speed_at(l, a + (b - a) * l->wx[i]);
    return (b - a) * sum;
}

static flx_status compile_line(flx_env *e, const flx_item *body, line *l)
{
    flx_builder *b = e->b;
    const flx_entry *from = flx_entry_get(body->def, "from"), *to = flx_entry_get(body->def, "to");
    const flx_entry *curve = flx_entry_get(body->def, "curve"),
                    *up = flx_entry_get(body->def, "up");
    flx_leaf along = flx_leaf_make(FLX_LEAF_TIME, 0, 0); // s stands where the time does
    flx_node s = flx_graph_leaf(b->g, along), nodes[9];
    flx_local local = {"s", flx_operand_number(s), body->locals};
    flx_env at = *e;
    at.scope.user = &at;
    at.locals = &local;
    FLX_TRY(flx_space_place(b, e->space));
    if (curve) {
        FLX_TRY(flx_build_node_vector(&at, curve, nodes));
        flx_num9_turn3(b->g, &e->space->R, nodes, nodes);
        for (int i = 0; i < 3; i++) {
            const flx_num3 *p = &e->space->position;
            nodes[i] = node_add(b->g, nodes[i], node_open(b->g, p->x[i], p->n[i]));
        }
    } else {
        flx_place ends[2];
        FLX_TRY(flx_build_place(e, from, &ends[0]));
        FLX_TRY(flx_build_place(e, to, &ends[1]));
        for (int i = 0; i < 3; i++) {
            flx_num3_fix(b, &ends[0].position, body->loc);
            flx_num3_fix(b, &ends[1].position, body->loc);
            double a = ends[0].position.x[i], d = ends[1].position.x[i] - a;
            nodes[i] = node_add(b->g, node_const(b->g, a), node_scale(b->g, d, s));
        }
    }
    for (int i = 0; i < 3; i++) {
        nodes[3 + i] = flx_graph_derive(b->g, nodes[i], flx_leaf_time_rate, b->m);
        nodes[6 + i] = node_const(b->g, 0);
    }
    l->has_up = up != NULL;
    if (up) {
        FLX_TRY(flx_build_node_vector(&at, up, nodes + 6));
        flx_num9_turn3(b->g, &e->space->R, nodes + 6, nodes + 6);
    }
    for (int i = 0; i < 9; i++) {
        nodes[i] = flx_open_fix(b, nodes[i], body->loc);
        if (nodes[i] < 0) return FLX_ERR_MEMORY;
    }
    FLX_TRY(flx_program_compile(b->g, 1, &along, 9, nodes, &l->program));
    l->scratch = flx_take(b, (size_t)flx_program_scratch(l->program), sizeof *l->scratch);
    return l->scratch ? FLX_OK : FLX_ERR_MEMORY;
}

static flx_status measure_line(flx_env *e, const flx_item *body, int elements, line *l)
{
    flx_builder *b = e->b;
    const flx_entry *curve = flx_entry_get(body->def, "curve");
    l->npanel = curve ? PANELS + elements : 1;
    l->lengths = flx_take(b, (size_t)l->npanel + 1, sizeof *l->lengths);
    if (!l->lengths) return FLX_ERR_MEMORY;
    flx_quadrature_gauss(POINTS, l->wx, l->ww);
    for (int i = 0; i < l->npanel; i++) {
        double part = length_between(l, (double)i / l->npanel, (double)(i + 1) / l->npanel);
        l->lengths[i + 1] = l->lengths[i] + part;
        if (part > 0) continue;
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, curve ? curve->loc : body->loc,
                        curve ? "the curve of '%s' stands still, or has no direction"
                              : "'%s' starts where it ends, and has no direction",
                        body->full);
    }
    return FLX_OK;
}

// s where a part of the length lies behind.
static double place_of(line *l, double part)
{
    double length = part * l->lengths[l->npanel];
    int i = 0, high = l->npanel;
    while (high - i > 1) {
        int mid = (i + high) / 2;
        *(l->lengths[mid] <= length ? &i : &high) = mid;
    }
    double s0 = (double)i / l->npanel, s1 = (double)(i + 1) / l->npanel,
           left = length - l->lengths[i];
    double s = s0 + (s1 - s0) * left / (l->lengths[i + 1] - l->lengths[i]);
    if (part <= 0 || part >= 1) return part;
    for (int k = 0; k < ROUNDS && l->npanel > 1; k++) {
        double step = (left - length_between(l, s0, s)) / speed_at(l, s);
        s += step;
        if (fabs(step) <= SAME * (s1 - s0)) break;
    }
    return s;
}

// Axes of the section: x along the line, y as near to `up` as can be. Without that those of every section at the
// start, then turned by the line alone. before: the last axes.
static bool set_axes(const line *l, const m33 *before, int dimension, m33 *R)
{
    double up[3], rows[9];
    const double *near = l->has_up ? l->out + 6 : NULL;
    if (!l->has_up && before) { // the rotation that takes the last x to this one
        v3 a = m33_col(*before, 0), x = v3_unit(v3_load(l->out + 3)), axis = v3_cross(a, x);
        double c = v3_dot(a, x);
        if (!(c > -1 + 1e-9)) return false;
        v3 y = m33_col(*before, 1);
        v3_store(up, v3_add(v3_scale(c, y),
                            v3_add(v3_cross(axis, y), v3_scale(v3_dot(axis, y) / (1 + c), axis))));
        near = up;
    }
    if (!flx_section_axes(l->out + 3, near, dimension, rows)) return false;
    *R = m33_from_cols(v3_load(rows), v3_load(rows + 3), v3_load(rows + 6));
    return true;
}

// Nodes of a slack line, and the angles of their sections: places and directions (n + 1, 6).
static flx_status draw_slack_nodes(flx_env *e, const flx_slack *s, double GA, const m33 *axes,
                                   v3 at, double *out)
{
    v3 across = m33_col(*axes, 0), up = m33_col(*axes, 1);
    double *turn = flx_take(e->b, (size_t)s->n + 1, sizeof *turn);
    if (!turn) return FLX_ERR_MEMORY;
    FLX_TRY(flx_slack_turn(e->b->ctx, s, GA, turn));
    for (int i = 0; i <= s->n; i++) {
        v3_store(out + 6 * i, at);
        v3_store(out + 6 * i + 3, v3_axpy(cos(turn[i]), across, v3_scale(sin(turn[i]), up)));
        if (i == s->n) break;
        v3 x = v3_axpy(cos(s->a[i]), across, v3_scale(sin(s->a[i]), up));
        at = v3_axpy(s->rest[i] * s->stretch[i], x, at);
    }
    return FLX_OK;
}

// Of segments: centres and directions of the pieces, and where the nodes are on them. What a piece is longer by is
// in the hinges beside it, by the half elements that it stands for.
static void draw_slack_pieces(const flx_beam_data *d, const flx_slack *s, const m33 *axes, v3 at,
                              double *out)
{
    v3 across = m33_col(*axes, 0), up = m33_col(*axes, 1);
    for (int i = 0; i < s->n; i++) {
        v3 x = v3_axpy(cos(s->a[i]), across, v3_scale(sin(s->a[i]), up));
        double before = i > 0 ? 0.5 * d->def.lengths[i - 1] : 0, after = s->rest[i] - before;
        double strain = s->stretch[i] - 1, half = 0.5 * s->rest[i];
        at = v3_axpy(before * strain + half, x, at);
        d->def.pieces[i] = s->rest[i];
        v3_store(out + 6 * i, at);
        v3_store(out + 6 * i + 3, x);
        v3_store(d->def.arms + 3 * i, v3_scale(before - half, x)); // ground axes for now
        at = v3_axpy(half + after * strain, x, at);
    }
}

// How a line hangs depends on its section: the parameters in it are structural then.
static flx_status read_fixed(flx_env *e, const flx_item *body, flx_beam_data *d)
{
    FLX_TRY(flx_beam_read_section(e, body, d));
    flx_beam_fix_section(e->b, &d->def);
    return FLX_OK;
}

// A line that is longer than the distance of its ends: places (n, 3) and directions (n, 3) of its nodes.
static flx_status hang_slack(flx_env *e, const flx_item *body, flx_beam_data *d, line *l,
                             double length, double *out)
{
    flx_builder *b = e->b;
    const double *g = b->m->gravity, *C = d->def.stiffness;
    bool segments = d->def.formulation == FLX_BEAM_SEGMENTS;
    int n = segments ? d->nnode : d->nnode - 1; // rigid pieces, or what is between two nodes
    double *work = flx_take(b, 5 * (size_t)n, sizeof *work), *h = work, *apart = work + n;
    double *beyond = work + 2 * n, *a = work + 3 * n, *stretch = work + 4 * n;
    if (!work) return FLX_ERR_MEMORY;
    FLX_TRY(read_fixed(e, body, d));
    double left = d->def.mass * length;
    line_eval(l, 0);
    v3 chord = v3_load(l->out + 3), up = v3_scale(-1.0, v3_load(g));
    double weight = v3_norm(up);
    v3 start = v3_load(l->out);
    if (!(weight > 0)) up = b->m->dimension == 2 ? v3_make(0, 1, 0) : v3_make(0, 0, 1);
    up = v3_unit(up);
    v3 across = v3_axpy(-v3_dot(chord, up), up, chord);
    if (!(v3_norm(across) > 1e-9 * v3_norm(chord))) { // upright: any side
        across = v3_cross(v3_make(0, 0, 1), up);
        if (!(v3_norm(across) > 0.1)) across = v3_cross(v3_make(0, 1, 0), up);
    }
    across = v3_unit(across);
    for (int i = 0; i < n; i++) { // half of a piece's mass is at its end
        h[i] = segments ? flx_beam_share(&d->def, i) : length * (d->at[i + 1] - d->at[i]);
        if (i > 0) apart[i - 1] = segments ? d->def.lengths[i - 1] : 0.5 * (h[i - 1] + h[i]);
        beyond[i] = left - 0.5 * d->def.mass * h[i];
        left -= d->def.mass * h[i];
    }
    flx_slack s = {.n = n,
                   .rest = h,
                   .apart = apart,
                   .first = segments ? 0 : 0.5 * h[0],
                   .beyond = beyond,
                   .EA = C[0],
                   .g = {0, -weight},
                   .chord = {v3_dot(chord, across), v3_dot(chord, up)},
                   .a = a,
                   .stretch = stretch};
    // bent about the normal of the plane, sheared across it
    m33 R = m33_identity();
    v3 normal = {0, 0, 1}, own;
    if (set_axes(l, NULL, b->m->dimension, &R) && b->m->dimension == 3)
        normal = v3_unit(v3_cross(across, up));
    own = b->m->dimension == 3 ? m33_tmul_v(R, normal) : normal;
    s.EI = own.y * own.y * C[28] + own.z * own.z * C[35];
    double GA = own.z * own.z * C[7] + own.y * own.y * C[14];
    FLX_TRY(flx_slack_solve(b->ctx, &s));
    m33 axes = m33_from_cols(across, up, normal);
    if (!segments) return draw_slack_nodes(e, &s, GA, &axes, start, out);
    draw_slack_pieces(d, &s, &axes, start, out);
    return FLX_OK;
}

// Where sections resist shear, the tangent in the middle of an element is that of the mean of its ends (ANC-11): with
// another one a slack line would begin with strains of GA. All angles are moved, linearly along the line, until the ends
// are where they were.
static void settle_middles(const flx_slack *s)
{
    for (int round = 0; round < ROUNDS; round++) {
        double gap[2] = {s->chord[0], s->chord[1]}, J[4] = {0}, most = 0;
        for (int k = 1; k < s->n; k += 2) {
            s->a[k] = 0.5 * (s->a[k - 1] + s->a[k + 1]);
            s->stretch[k] = 0.5 * (s->stretch[k - 1] + s->stretch[k + 1]);
        }
        for (int k = 0; k < s->n; k++) {
            double w = s->rest[k] * s->stretch[k], c = w * cos(s->a[k]), t = w * sin(s->a[k]);
            double at = (double)k / (s->n - 1) - 0.5;
            gap[0] -= c, gap[1] -= t;
            J[0] -= t, J[1] -= at * t, J[2] += c, J[3] += at * c;
            most += w;
        }
        double det = J[0] * J[3] - J[1] * J[2];
        if (fabs(gap[0]) + fabs(gap[1]) <= 1e-14 * most || det == 0) return;
        double turn = (J[3] * gap[0] - J[1] * gap[1]) / det;
        double bend = (J[0] * gap[1] - J[2] * gap[0]) / det;
        for (int k = 0; k < s->n; k++) s->a[k] += turn + bend * ((double)k / (s->n - 1) - 0.5);
    }
}

// The same in absolute nodal coordinates: places, and derivatives along the unstressed line. It hangs in the plane of
// its ends and gravity; without that, to where its y axis does not point.
static flx_status hang_ancf(flx_env *e, const flx_item *body, flx_beam_data *d, line *l,
                            double length, double *out)
{
    flx_builder *b = e->b;
    int n = d->nnode, m = 2 * n - 1;
    double *work = flx_take(b, 5 * (size_t)m, sizeof *work), *rest = work, *apart = work + m;
    double *beyond = work + 2 * m, *a = work + 3 * m, *stretch = work + 4 * m, left = length;
    if (!work) return FLX_ERR_MEMORY;
    FLX_TRY(read_fixed(e, body, d));
    m33 R = m33_identity();
    line_eval(l, 0);
    (void)set_axes(l, NULL, b->m->dimension,
                   &R); // what it cannot do is said when the nodes are drawn
    v3 from = v3_load(l->out), x = m33_col(R, 0), y = m33_col(R, 1), g = v3_load(b->m->gravity);
    v3 across = v3_axpy(-v3_dot(g, x), x, g);
    if (v3_norm(across) > 1e-9 * v3_norm(g)) y = v3_scale(-1.0 / v3_norm(across), across);
    for (int k = 0; k < m;
         k++) { // tangents at the ends and in the middle of elements, Simpson's weights
        double h = k + 1 < m ? d->def.lengths[k / 2] : 0.0;
        if (k + 1 < m) apart[k] = 0.5 * h;
        if (k % 2) rest[k] = h * 4.0 / 6.0;
        if (k % 2 == 0) rest[k] = (h + (k > 0 ? d->def.lengths[k / 2 - 1] : 0.0)) / 6.0;
        beyond[k] = d->def.mass * left;
        left -= 0.5 * h;
    }
    flx_slack s = {.n = m,
                   .rest = rest,
                   .apart = apart,
                   .beyond = beyond,
                   .EA = d->def.stiffness[0],
                   .EI = d->def.stiffness[35],
                   .g = {v3_dot(g, x), v3_dot(g, y)},
                   .chord = {l->lengths[l->npanel], 0},
                   .a = a,
                   .stretch = stretch};
    FLX_TRY(flx_slack_solve(b->ctx, &s));
    if (d->def.nslope > 1) settle_middles(&s);
    for (int i = 0; i < n; i++) {
        double c = stretch[2 * i] * cos(a[2 * i]), t = stretch[2 * i] * sin(a[2 * i]);
        v3_store(out + 6 * i, from);
        v3_store(out + 6 * i + 3, v3_axpy(c, x, v3_scale(t, y)));
        for (int k = 2 * i; k < 2 * i + 3 && i + 1 < n; k++) {
            double w = d->def.lengths[i] / 6.0 * (k % 2 ? 4.0 : 1.0) * stretch[k];
            from = v3_axpy(w * cos(a[k]), x, v3_axpy(w * sin(a[k]), y, from));
        }
    }
    return FLX_OK;
}

// The rigid pieces of segments, straight between the middles of elements. places (nnode, 6) of the nodes become their
// centres and directions; a line that is drawn longer or shorter than it is gets its pieces at their nodes.
static void draw_pieces(const flx_beam_data *d, line *l, double *places)
{
    double scale = d->def.scale;
    line_eval(l, 0);
    v3 from = v3_load(l->out);
    for (int i = 0; i < d->nnode; i++) {
        double *own = places + 6 * i;
        line_eval(l, place_of(l, flx_beam_piece_start(d, i + 1)));
        v3 to = v3_load(l->out), along = v3_sub(to, from), at = v3_load(own);
        v3 off = v3_sub(v3_scale(0.5, v3_add(from, to)), at);
        d->def.pieces[i] = scale * v3_norm(along);
        v3_store(own, v3_axpy(scale, off, at));
        v3_store(own + 3, along);
        v3_store(d->def.arms + 3 * i, v3_scale(-scale, off)); // ground axes for now
        from = to;
    }
}

// places: (nnode, 6) where the nodes are, and directions there; given: already so.
static flx_status draw_nodes(flx_env *e, const flx_item *body, flx_beam_data *d, line *l,
                             bool given, double *places)
{
    bool planar = e->b->m->dimension == 2;
    double angle = 0;
    m33 R, last;
    for (int i = 0; i < d->nnode && !given; i++) {
        line_eval(l, place_of(l, d->at[i]));
        memcpy(places + 6 * i, l->out, 6 * sizeof *places);
    }
    line_eval(l, 0);
    memcpy(d->origin, l->out, sizeof d->origin);
    if (d->def.formulation == FLX_BEAM_SEGMENTS && !given) draw_pieces(d, l, places);
    for (int i = 0; i < d->nnode; i++) {
        flx_body *node = &((flx_body_data *)d->nodes[i]->data)->def;
        double *arm = d->def.arms + 3 * i;
        line_eval(l, place_of(l, flx_beam_part(d, i)));
        memcpy(l->out, places + 6 * i, 6 * sizeof *places);
        if (!set_axes(l, i ? &last : NULL, e->b->m->dimension, &R)) {
            const flx_entry *up = flx_entry_get(body->def, "up");
            return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, up ? up->loc : body->loc,
                            up ? "'up' of '%s' is along its line"
                               : "the line of '%s' turns back on itself; it needs 'up'",
                            body->full);
        }
        memcpy(node->position, l->out, sizeof node->position);
        m33_store(node->R, R);
        v3_store(arm, m33_tmul_v(R, v3_load(arm)));
        if (d->stretch) d->stretch[i] = given ? v3_norm(v3_load(l->out + 3)) : 1.0 / d->def.scale;
        if (planar) { // continuous along the line
            double next = atan2(l->out[4], l->out[3]);
            angle = i == 0 ? next : angle + remainder(next - angle, 2 * FLX_PI);
            node->angle = angle;
        }
        last = R;
    }
    return FLX_OK;
}

// Where a section that varies is wanted, as the `s` of the curve.
static flx_status place_stations(flx_env *e, const flx_item *body, flx_beam_data *d, line *l,
                                 bool slack)
{
    const flx_entry *y = flx_entry_get(body->def, "section"),
                    *material = flx_entry_get(body->def, "material"),
                    *up = flx_entry_get(body->def, "up");
    if (slack && flx_entry_is_along(up)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, up->loc,
                        "'%s' is longer than the distance of its ends and hangs without twist: "
                        "its 'up' cannot change with 's'. Give its line as a 'curve'",
                        body->full);
    }
    if (!flx_entry_is_along(y) && !flx_entry_is_along(material)) return FLX_OK;
    int n = flx_beam_along_points(&d->def, NULL);
    double *at = flx_take(e->b, (size_t)n, sizeof *at);
    d->along = flx_take(e->b, (size_t)(n * d->def.nelement), sizeof *d->along);
    if (!at || !d->along) return FLX_ERR_MEMORY;
    flx_beam_along_points(&d->def, at);
    for (int i = 0; i < n * d->def.nelement; i++) {
        double from = d->ends[i / n], to = d->ends[i / n + 1];
        d->along[i] = place_of(l, from + (to - from) * at[i % n]);
    }
    if (!slack) return FLX_OK;
    flx_ctx_warn(e->b->ctx, y->loc,
                 "'%s' is longer than the distance of its ends: it begins as a line hangs that has "
                 "the section of its middle all along, and so not at rest",
                 body->full);
    return FLX_OK;
}

flx_status flx_beam_draw(flx_env *e, flx_item *body, flx_beam_data *d)
{
    const flx_entry *length = flx_entry_get(body->def, "length");
    line l = {0};
    double unstressed = 0;
    flx_status status = compile_line(e, body, &l);
    if (status == FLX_OK) status = measure_line(e, body, d->def.nelement, &l);
    if (status == FLX_OK && length) {
        status = flx_build_positive(e, length, "the length", &unstressed);
    }
    if (status != FLX_OK) goto done;
    double drawn = l.lengths[l.npanel]; // as a line from end to end
    if (!length) unstressed = drawn;
    d->def.scale = unstressed / drawn;
    for (int i = 0; i < d->def.nelement; i++) {
        d->def.lengths[i] = unstressed * (d->ends[i + 1] - d->ends[i]);
    }
    // rounding is no slack; one element cannot hang
    bool chord = !flx_entry_get(body->def, "curve"),
         slack = length && chord && unstressed > drawn * (1 + SAME);
    bool twisted = flx_entry_is_along(flx_entry_get(body->def, "up"));
    d->def.straight = slack || (chord && d->def.nslope > 0 && !twisted);
    status = place_stations(e, body, d, &l, slack);
    if (status != FLX_OK) goto done;
    double *places = flx_take(e->b, 6 * (size_t)d->nnode, sizeof *places);
    if (!places) {
        status = FLX_ERR_MEMORY;
    } else if (slack && d->nnode < 3) {
        status = FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, length->loc,
                          "'%s' is longer than the distance of its ends: it needs two elements or "
                          "more",
                          body->full);
    } else if (slack) {
        status = (d->def.nslope > 0 ? hang_ancf : hang_slack)(e, body, d, &l, unstressed, places);
    }
    if (status == FLX_OK) status = draw_nodes(e, body, d, &l, slack, places);

done:
    flx_program_destroy(&l.program);
    return status;
}
