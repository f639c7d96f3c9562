// joint.c - plans of joints: the table of types, and the rows that they share.
#include "joint/joint.h"

#include <string.h>

const flx_joint_kind *const flx_joint_kinds[FLX_KINDS_OF_JOINTS + 1] = {
#define FLX_JOINT(name) &flx_joint_##name,
#include "flexion/joints.def"
#undef FLX_JOINT
    NULL};

// ---- what a kind says ---------------------------------------------------------------------------

void flx_joint_kind_words(const char *words[FLX_KINDS_OF_JOINTS + 1])
{
    for (int i = 0; i <= FLX_KINDS_OF_JOINTS; i++) {
        words[i] = flx_joint_kinds[i] ? flx_joint_kinds[i]->says.word : NULL;
    }
}

const flx_joint_kind *flx_joint_kind_named(const char *word)
{
    for (const flx_joint_kind *const *k = flx_joint_kinds; *k; k++) {
        const char *also = (*k)->also.word;
        if (strcmp((*k)->says.word, word) == 0 || (also && strcmp(also, word) == 0)) return *k;
    }
    return NULL;
}

bool flx_joint_kind_exists(const flx_joint_kind *k, int dimension)
{
    return dimension == 2 ? k->plane != NULL : k->space != NULL;
}

const flx_key_row *flx_joint_kind_key(const flx_joint_kind *k, const char *key, int dimension)
{
    for (const flx_key_row *r = k->says.keys; r->key; r++) {
        bool here = r->dimension == 0 || dimension == 0 || r->dimension == dimension;
        if (here && strcmp(r->key, key) == 0) return r;
    }
    return NULL;
}

bool flx_joint_kind_needs_pair(const flx_joint_kind *k)
{
    const flx_key_row *at = flx_joint_kind_key(k, "at", 0);
    return at && at->form[0] == '[';
}

const flx_word_row *flx_joint_row(int i)
{
    if (i < FLX_KINDS_OF_JOINTS) return &flx_joint_kinds[i]->says;
    for (const flx_joint_kind *const *k = flx_joint_kinds; *k; k++) { // then the other words
        if ((*k)->also.word && i-- == FLX_KINDS_OF_JOINTS) return &(*k)->also;
    }
    return NULL;
}

static const char *const signal_names[FLX_SIGNAL_COUNT] = {
    "angle",  "displacement", "rate",  "rotation", "contact",  "reaction",
    "moment", "drive",        "limit", "excess",   "friction", "state"};

void flx_joint_signal_names(unsigned set, const char *names[FLX_SIGNAL_COUNT + 1])
{
    int n = 0;
    for (int i = 0; i < FLX_SIGNAL_COUNT; i++) {
        if (set >> i & 1) names[n++] = signal_names[i];
    }
    names[n] = NULL;
}

unsigned flx_joint_signal_named(const char *name)
{
    for (int i = 0; i < FLX_SIGNAL_COUNT; i++) {
        if (strcmp(signal_names[i], name) == 0) return 1u << i;
    }
    return 0;
}

// ---- rows ---------------------------------------------------------------------------------------

static bool planar(const flx_model *m)
{
    return m->dimension == 2;
}

static void column(const double F[9], int k, double out[3])
{
    for (int i = 0; i < 3; i++) out[i] = F[3 * i + k];
}

// The drawn orientation of a body.
static m33 drawn(const flx_model *m, int body)
{
    return body < 0 ? m33_identity() : m33_load(m->bodies[body].R);
}

v3 flx_joint_initial_direction(const flx_model *m, int body, const double a[3])
{
    return m33_mul_v(drawn(m, body), v3_load(a));
}

// Angle of the second relative to the first initially: coordinates are zero there.
static double initial_angle(const flx_model *m, const int body[2])
{
    double a = body[0] < 0 ? 0.0 : m->bodies[body[0]].angle;
    double b = body[1] < 0 ? 0.0 : m->bodies[body[1]].angle;
    return b - a;
}

static flx_row_spec *new_spec(flx_joint_plan *p, flx_row_kind kind, int nrow)
{
    FLX_ASSERT(p->nspec < FLX_MAX_SPECS);
    flx_row_spec *r = p->spec + p->nspec++;
    *r = (flx_row_spec){.kind = kind, .nrow = nrow};
    memcpy(r->body, p->joint->body, sizeof r->body);
    memcpy(r->s, p->s, sizeof r->s);
    return r;
}

static void init_scalar(const flx_model *m, int number, flx_scalar_kind kind, flx_scalar *s)
{
    const flx_joint *j = m->joints + number;
    *s = (flx_scalar){.kind = kind, .turn = number};
    memcpy(s->body, j->body, sizeof s->body);
    for (int i = 0; i < 2; i++) {
        const flx_body *b = j->body[i] < 0 ? NULL : m->bodies + j->body[i];
        if (b && b->type == FLX_BODY_POINT) continue; // it has no other place than its own
        for (int k = 0; k < 3; k++) s->s[i][k] = j->at[i][k] - (b ? b->com[k] : 0.0);
    }
}

void flx_plan_point(flx_joint_plan *p)
{
    flx_row_spec *r = new_spec(p, FLX_ROW_POINT, planar(p->model) ? 2 : 3);
    r->metres = true;
    r->part[0] = "x", r->part[1] = "y", r->part[2] = "z";
}

void flx_plan_axis(flx_joint_plan *p)
{
    flx_row_spec *r = new_spec(p, FLX_ROW_AXIS, 2);
    column(p->joint->frame[0], 0, r->a[0]);
    column(p->joint->frame[0], 1, r->a[1]);
    column(p->joint->frame[1], 2, r->b);
    r->part[0] = "axis x", r->part[1] = "axis y";
}

flx_row_spec *flx_plan_scalar(flx_joint_plan *p, flx_scalar_kind kind, const char *part)
{
    flx_row_spec *r = new_spec(p, FLX_ROW_SCALAR, 1);
    r->nterm = 1;
    r->coefficient[0] = 1.0;
    r->part[0] = part;
    init_scalar(p->model, p->number, kind, r->term);
    return r;
}

void flx_plan_dot(flx_joint_plan *p, const double a[3], const double b[3], double value,
                  const char *part)
{
    flx_scalar *s = flx_plan_scalar(p, FLX_SCALAR_DOT, part)->term;
    memcpy(s->a[0], a, sizeof s->a[0]);
    memcpy(s->b, b, sizeof s->b);
    s->offset = value;
}

void flx_plan_plane(flx_joint_plan *p, const double a[3], const char *part)
{
    bool flat = planar(p->model);
    flx_row_spec *r = flx_plan_scalar(p, flat ? FLX_SCALAR_PLANE2 : FLX_SCALAR_PLANE, part);
    r->metres = true;
    memcpy(r->term[0].a[0], a, sizeof r->term[0].a[0]);
}

void flx_plan_line(flx_joint_plan *p)
{
    double x[3], y[3], axis[3];
    column(p->joint->frame[0], 0, x);
    column(p->joint->frame[0], 1, y);
    column(p->joint->frame[0], 2, axis);
    if (planar(p->model)) {
        flx_plan_plane(p, (double[3]){-axis[1], axis[0], 0.0}, "across");
        return;
    }
    flx_plan_plane(p, x, "across x");
    flx_plan_plane(p, y, "across y");
}

void flx_plan_curve(const flx_model *m, int number, int along, flx_scalar *s)
{
    const flx_joint *j = m->joints + number;
    init_scalar(m, number, FLX_SCALAR_CURVE, s);
    s->along = along;
    s->curve = j->curve;
    for (int k = 0; k < 3;
         k++) { // in the frame of the first, whose places are from its centre of mass
        bool from_centre = j->body[0] >= 0 && m->bodies[j->body[0]].type != FLX_BODY_POINT;
        s->s[0][k] = from_centre ? -m->bodies[j->body[0]].com[k] : 0.0;
    }
}

void flx_plan_rotation(flx_joint_plan *p)
{
    if (planar(p->model)) {
        flx_scalar *s = flx_plan_scalar(p, FLX_SCALAR_ANGLE2, "rotation")->term;
        s->offset = initial_angle(p->model, p->joint->body);
        return;
    }
    double x[3], y[3];
    column(p->joint->frame[0], 0, x);
    column(p->joint->frame[1], 1, y);
    flx_plan_axis(p);
    flx_plan_dot(p, x, y, 0.0, "rotation about the axis");
}

// Angle about the joint's axis, or displacement along it.
static void coordinate_scalar(const flx_model *m, int number, bool angle, flx_scalar *s)
{
    const flx_joint *j = m->joints + number;
    bool flat = planar(m);
    if (angle) {
        init_scalar(m, number, flat ? FLX_SCALAR_ANGLE2 : FLX_SCALAR_ANGLE, s);
        column(j->frame[0], 0, s->a[0]);
        column(j->frame[0], 1, s->a[1]);
        column(j->frame[1], 0, s->b);
        if (flat) s->offset = initial_angle(m, j->body);
        return;
    }
    // Zero initially: the two places of a pair may be apart along the axis.
    init_scalar(m, number, flat ? FLX_SCALAR_PLANE2 : FLX_SCALAR_PLANE, s);
    column(j->frame[0], 2, s->a[0]);
    double apart[3];
    for (int i = 0; i < 2; i++) {
        v3 at = m33_mul_v(drawn(m, j->body[i]), v3_load(j->at[i]));
        if (j->body[i] >= 0) at = v3_add(at, v3_load(m->bodies[j->body[i]].position));
        for (int k = 0; k < 3; k++) {
            double x = k == 0 ? at.x : k == 1 ? at.y : at.z;
            apart[k] = i ? x - apart[k] : x;
        }
    }
    s->offset = v3_dot(m33_mul_v(drawn(m, j->body[0]), v3_load(s->a[0])), v3_load(apart));
}

// The initial direction b of a body, in the axes of another.
static v3 carried(const flx_model *m, int body, const double b[3], int by)
{
    return m33_tmul_v(drawn(m, by), flx_joint_initial_direction(m, body, b));
}

// Angle of a cross about the axis in one of its bodies, zero initially: of the other axis about this one. Seen from
// the second body it is the first that turns, backwards.
static void cross_scalar(const flx_model *m, int number, int own, flx_scalar *s)
{
    const flx_joint *j = m->joints + number;
    int other = 1 - own;
    v3 axis = v3_load(j->axis[own]), x = carried(m, j->body[other], j->axis[other], j->body[own]);
    v3 y = own ? v3_cross(x, axis) : v3_cross(axis, x);
    x = v3_axpy(-v3_dot(axis, x), axis, x);
    init_scalar(m, number, FLX_SCALAR_ANGLE, s);
    s->body[0] = j->body[own];
    s->body[1] = j->body[other];
    v3_store(s->a[0], x);
    v3_store(s->a[1], y);
    memcpy(s->b, j->axis[other], sizeof s->b);
}

// Swing and twist of a ball about the axis that it was given, zero initially.
static void ball_scalar(const flx_model *m, int number, bool twist, flx_scalar *s)
{
    const flx_joint *j = m->joints + number;
    init_scalar(m, number, twist ? FLX_SCALAR_TURN : FLX_SCALAR_SWING, s);
    if (!twist) {
        memcpy(s->a[0], j->axis[0], sizeof s->a[0]);
        memcpy(s->b, j->axis[1], sizeof s->b);
        return;
    }
    for (int k = 0; k < 2; k++) {
        column(j->frame[0], k, s->a[k]);
        column(j->frame[1], k, s->s[k]);
    }
}

static bool is_position(void *user, flx_leaf leaf)
{
    (void)user;
    return flx_leaf_get_kind(leaf) == FLX_LEAF_BODY_POSITION;
}

// A joint with two has chosen one as its own when the model was built: angles depend on rotations
// alone.
flx_coordinate flx_joint_own_coordinate(const flx_model *m, int joint)
{
    const flx_joint *j = m->joints + joint;
    const flx_joint_kind *k = j->kind;
    if (!k->angle || !k->displacement || j->coordinate < 0) return k->own;
    bool slides = flx_graph_depends(m->graph, j->coordinate, is_position, NULL);
    return slides ? FLX_COORDINATE_DISPLACEMENT : FLX_COORDINATE_ANGLE;
}

bool flx_joint_scalar(const flx_model *m, int joint, flx_coordinate which, flx_scalar *s)
{
    const flx_joint_kind *k = m->joints[joint].kind;
    if (which == FLX_COORDINATE_NONE) which = flx_joint_own_coordinate(m, joint);
    if (which == FLX_COORDINATE_NONE) return false;
    if (which == FLX_COORDINATE_FIRST || which == FLX_COORDINATE_SECOND) {
        if (!(k->signals & FLX_SIGNAL_CROSS)) return false;
        cross_scalar(m, joint, which == FLX_COORDINATE_SECOND, s);
        return true;
    }
    if (which == FLX_COORDINATE_SWING || which == FLX_COORDINATE_TWIST) {
        if (!(k->signals & FLX_SIGNAL_BALL) || !m->joints[joint].has_axis) return false;
        ball_scalar(m, joint, which == FLX_COORDINATE_TWIST, s);
        return true;
    }
    if (which == FLX_COORDINATE_ANGLE && !k->angle) return false;
    if (which == FLX_COORDINATE_DISPLACEMENT && !k->displacement) return false;
    coordinate_scalar(m, joint, which == FLX_COORDINATE_ANGLE, s);
    return true;
}

bool flx_joint_kept(const flx_model *m, int joint, flx_scalar *s)
{
    const flx_joint *j = m->joints + joint;
    if (j->kind->curve) {
        flx_plan_curve(m, joint, 2, s);
        return true;
    }
    return !planar(m) && flx_joint_scalar(m, joint, FLX_COORDINATE_ANGLE, s);
}

// A row for the joint's coordinate.
static flx_status add_coordinate(flx_joint_plan *p, flx_coordinate which, flx_row_role role,
                                 bool velocity, const char *part, flx_loc loc)
{
    const flx_joint *j = p->joint;
    flx_scalar s;
    if (!flx_joint_scalar(p->model, p->number, which, &s)) {
        return FLX_FAIL(p->model->ctx, FLX_ERR_MODEL, loc,
                        "joint '%s' is %s and has no %s that could be prescribed", j->name,
                        j->kind->says.word,
                        which == FLX_COORDINATE_ANGLE          ? "angle"
                        : which == FLX_COORDINATE_DISPLACEMENT ? "displacement"
                                                               : "coordinate");
    }
    flx_row_spec *r = new_spec(p, FLX_ROW_SCALAR, 1);
    r->role = role;
    r->velocity = velocity;
    r->nterm = 1;
    r->coefficient[0] = 1.0;
    r->part[0] = part;
    r->metres = s.kind == FLX_SCALAR_PLANE || s.kind == FLX_SCALAR_PLANE2;
    if (role == FLX_ROLE_START && !velocity) s.offset += j->start_value;
    r->term[0] = s;
    return FLX_OK;
}

static flx_status add_motion(flx_joint_plan *p)
{
    const flx_joint *j = p->joint;
    switch (j->motion) {
    case FLX_MOTION_NONE:
        break;
    case FLX_MOTION_ANGLE:
        return add_coordinate(p, FLX_COORDINATE_ANGLE, FLX_ROLE_MOTION, false, "motion",
                              j->motion_loc);
    case FLX_MOTION_DISPLACEMENT:
        return add_coordinate(p, FLX_COORDINATE_DISPLACEMENT, FLX_ROLE_MOTION, false, "motion",
                              j->motion_loc);
    case FLX_MOTION_RATE:
        return add_coordinate(p, FLX_COORDINATE_NONE, FLX_ROLE_MOTION, true, "motion",
                              j->motion_loc);
    }
    return FLX_OK;
}

static flx_status add_start(flx_joint_plan *p, flx_hold hold)
{
    const flx_joint *j = p->joint;
    bool rate = hold == FLX_HOLD_RATES;
    if (hold == FLX_HOLD_NOTHING || !(rate ? j->start_rate : j->start_coordinate)) return FLX_OK;
    return add_coordinate(p, FLX_COORDINATE_NONE, FLX_ROLE_START, rate,
                          rate ? "initial rate" : "initial value", j->start_loc);
}

// A row that needs the axes of a body which has none.
static bool turns_a_point(const flx_model *m, const flx_row_spec *r, int *body)
{
    bool both = r->kind == FLX_ROW_AXIS;
    if (r->kind == FLX_ROW_SCALAR) {
        flx_scalar_kind k = r->term[0].kind;
        both = k == FLX_SCALAR_DOT || k == FLX_SCALAR_ANGLE || k == FLX_SCALAR_ANGLE2;
    }
    const int *b = r->kind == FLX_ROW_SCALAR ? r->term[0].body : r->body;
    for (int i = 0; both && i < 2; i++) {
        *body = b[i];
        if (b[i] >= 0 && m->bodies[b[i]].type == FLX_BODY_POINT) return true;
    }
    return false;
}

flx_status flx_joint_plan_rows(const flx_model *m, int joint, flx_hold hold, flx_joint_plan *p)
{
    const flx_joint *j = m->joints + joint;
    const flx_joint_kind *k = j->kind;
    p->model = m;
    p->joint = j;
    p->number = joint;
    p->nspec = 0;
    flx_scalar places;
    init_scalar(m, joint, FLX_SCALAR_DOT, &places);
    memcpy(p->s, places.s, sizeof p->s);
    void (*plan)(flx_joint_plan *) = planar(m) ? k->plane : k->space;
    if (!plan) {
        return FLX_FAIL(m->ctx, FLX_ERR_MODEL, j->loc, "joint '%s': there is no %s joint in %s",
                        j->name, j->kind->says.word,
                        planar(m) ? "the plane (dimension: 2)" : "space (dimension: 3)");
    }
    if (k->check) FLX_TRY(k->check(m, j));
    plan(p);
    FLX_TRY(add_motion(p));
    FLX_TRY(add_start(p, hold));
    for (int i = 0; i < p->nspec; i++) {
        int body;
        if (turns_a_point(m, p->spec + i, &body)) {
            return FLX_FAIL(m->ctx, FLX_ERR_MODEL, j->loc,
                            "joint '%s' is %s and needs axes on both sides, but '%s' is a point; "
                            "use spherical, point-on-line, point-on-plane or distance",
                            j->name, j->kind->says.word, m->bodies[body].name);
        }
    }
    return FLX_OK;
}
