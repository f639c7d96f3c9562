// write_forces.c - forces of a random model as text.
#include "page.h"

#include <stdlib.h>

static void put_numbers(char *line, int n, const double *x)
{
    for (int i = 0; i < n; i++) put(line, "%s%.17g", i ? ", " : "[", x[i]);
    put(line, "]");
}

// 1 + wave sin(turning t)
static void put_wave(const page *p, char *line, const spec_force *f)
{
    put(line, "(1 + %.17g*sin(%.17g*", f->wave, f->turning);
    put_time(p, line);
    put(line, "))");
}

void put_between(const page *p, char *line, int i)
{
    const spec_force *f = p->s->forces + i;
    put(line, "on: [");
    put_body(line, f->on[0]);
    put(line, ", ");
    put_body(line, f->on[1]);
    put(line, "], at: [");
    for (int k = 0; k < 2; k++) {
        put(line, "%s", k ? ", " : "");
        put_place(p, line, 'f', i, k, f->on[k], f->at[k]);
    }
    put(line, "]");
}

// What a law has beyond the linear one, of u.
static void put_extra(char *line, const spec_force *f, int i, double sign, const char *u)
{
    switch (f->law) {
    case LAW_SPLINE:
    case LAW_LINES:
        put(line, " + %.17g*g%d(%s)", sign, i, u);
        break;
    case LAW_BACKLASH:
        put(line, " + %.17g*if(%s > %.17g, %s - %.17g, if(%s < -%.17g, %s + %.17g, 0))",
            sign * f->k[1], u, f->gap, u, f->gap, u, f->gap, u, f->gap);
        break;
    default:
        put(line, " + %.17g*(%s)^3", sign * f->cubic, u);
        break;
    }
}

static bool has_table(const spec_force *f)
{
    bool acts = f->kind == FORCE_ACTUATOR || f->kind == FORCE_JOINT_EFFORT;
    return f->there && acts && (f->law == LAW_SPLINE || f->law == LAW_LINES);
}

void write_functions(page *p)
{
    int count = 0;
    for (int i = 0; i < p->s->nforce; i++) count += has_table(p->s->forces + i);
    begin_section(p, count ? "functions:\n" : "");
    for (int i = 0; i < p->s->nforce; i++) {
        const spec_force *f = p->s->forces + i;
        if (!has_table(f)) continue;
        char *line = new_line(p);
        put(line, "g%d: {interpolation: %s, extrapolation: linear, points: [", i,
            f->law == LAW_SPLINE ? "cubic" : "linear");
        for (int k = -LAW_POINTS; k <= LAW_POINTS; k++) {
            const double *at = f->table[abs(k) - (k != 0)];
            double sign = k < 0 ? -1 : k > 0;
            put(line, "%s[%.17g, %.17g]", k > -LAW_POINTS ? ", " : "", sign * at[0], sign * at[1]);
        }
        put(line, "]}");
    }
    end_section(p, 5);
}

static void put_effort(const page *p, char *line, const spec_force *f)
{
    put(line, "%.17g + %.17g*sin(%.17g*", f->effort[0], f->effort[1], f->turning);
    put_time(p, line);
    put(line, ")");
}

void write_inputs(page *p)
{
    int count = 0;
    for (int i = 0; i < p->s->nforce; i++) count += p->s->forces[i].there && p->s->forces[i].input;
    begin_section(p, count ? "inputs:\n" : "");
    for (int i = 0; i < p->s->nforce; i++) {
        const spec_force *f = p->s->forces + i;
        if (!f->there || !f->input) continue;
        char *line = new_line(p);
        put(line, "u%d: {lower: %.17g, upper: %.17g, value: \"", i, -f->bound, f->bound);
        put_effort(p, line, f);
        put(line, "\"}");
    }
    end_section(p, 7);
}

// A law of a length or coordinate x with the rate v.
static void put_law(const page *p, char *line, int i, const char *x, const char *v, double sign)
{
    const spec_force *f = p->s->forces + i;
    char u[80];
    snprintf(u, sizeof u, "(%s - %.17g)", x, f->rest);
    put(line, "\"");
    if (f->input) {
        put(line, "u%d", i);
    } else {
        put_effort(p, line, f);
    }
    put(line, " + %.17g*%s + %.17g*%s", sign * f->k[0], u, sign * f->c[0], v);
    put_extra(line, f, i, sign, u);
    if (f->feels >= 0) put(line, " + %.17g*x%d", f->gain, f->feels);
    put(line, "\"");
}

static void write_vector_force(page *p, char *line, int i)
{
    const spec_force *f = p->s->forces + i;
    bool torque = f->kind == FORCE_TORQUE;
    put(line, "type: %s, ", torque ? "torque" : "force");
    if (f->between && !torque) {
        put_between(p, line, i);
    } else {
        put(line, "on: %s", f->between ? "[" : "");
        if (f->between) put_body(line, f->on[0]);
        put(line, "%s", f->between ? ", " : "");
        put_body(line, f->on[1]);
        put(line, "%s", f->between ? "]" : "");
    }
    if (!torque && !f->between) {
        put(line, ", at: ");
        put_place(p, line, 'f', i, 1, f->on[1], f->at[1]);
    }
    put(line, ", value: ");
    double c[3];
    v3_store(c, f->value);
    int first = torque && p->s->dimension == 2 ? 2 : 0, last = torque ? 3 : p->s->dimension;
    bool single = last - first == 1;
    put(line, "%s", single ? "" : "[");
    for (int k = first; k < last; k++) {
        put(line, "%s\"%.17g*", k > first ? ", " : "", c[k]);
        put_wave(p, line, f);
        put(line, "\"");
    }
    put(line, "%s", single ? "" : "]");
    bool point = p->s->bodies[f->on[1]].kind == BODY_POINT;
    if (f->in_body && !point && !single) put(line, ", frame: b%d", f->on[1]);
}

static void write_drag(page *p, char *line, int i)
{
    const spec_force *f = p->s->forces + i;
    const spec_body *b = p->s->bodies + f->on[1];
    put(line, "type: expression, on: b%d, force: \"-%.17g*b%d.velocity\"", f->on[1], f->c[0],
        f->on[1]);
    if (b->kind == BODY_POINT) return;
    if (p->s->dimension == 2) {
        put(line, ", torque: \"-%.17g*b%d.rate\"", f->c[1], f->on[1]);
    } else {
        put(line, ", torque: \"-%.17g*b%d.angular_velocity\"", f->c[1], f->on[1]);
    }
}

static void put_shape(const page *p, char *line, const spec_shape *a)
{
    static const char *const names[SHAPE_KINDS] = {"plane", "sphere", "capsule", "cylinder",
                                                   "disc",  "box",    "nodes"};
    put(line, "{%s: ", names[a->kind]);
    switch (a->kind) {
    case SHAPE_PLANE:
        put_vector(p, line, a->axis);
        break;
    case SHAPE_SPHERE:
        put(line, "%.17g", a->size[0]);
        break;
    case SHAPE_NODES:
        put(line, "true");
        break;
    case SHAPE_BOX:
        put_vector(p, line, v3_load(a->size));
        write_orientation(p, line, a->R);
        break;
    default:
        put(line, "{radius: %.17g, ", a->size[0]);
        if (a->kind != SHAPE_DISC) put(line, "length: %.17g, ", a->size[1]);
        put(line, "axis: ");
        put_vector(p, line, a->axis);
        put(line, "}");
        break;
    }
    if (a->round > 0.0) put(line, ", round: %.17g", a->round);
}

static void put_surface(const page *p, char *line, int i, int k)
{
    const spec_force *f = p->s->forces + i;
    if (f->shaped) {
        put_shape(p, line, f->shape + k);
    } else if (k == 0 && f->plane) {
        put(line, "{plane: ");
        put_vector(p, line, f->value);
    } else {
        put(line, "{sphere: %.17g", f->radius[k]);
    }
    bool point = f->on[k] >= 0 && p->s->bodies[f->on[k]].kind == BODY_POINT;
    point = point || (f->shaped && f->shape[k].kind == SHAPE_NODES);
    if (!point) put(line, ", at: ");
    if (!point) put_place(p, line, 'f', i, k, f->on[k], f->at[k]);
    put(line, "}");
}

static void write_contact(page *p, char *line, int i)
{
    static const char *const laws[TOUCHES] = {"hertz", "hunt-crossley", "hunt-crossley", "penalty",
                                              "restitution"};
    const spec_force *f = p->s->forces + i;
    bool rigid = f->touch == TOUCH_RIGID, damped = f->touch == TOUCH_DAMPED;
    put(line, "type: contact, connected: true, on: [");
    put_body(line, f->on[0]);
    put(line, ", ");
    put_body(line, f->on[1]);
    put(line, "], surfaces: [");
    put_surface(p, line, i, 0);
    put(line, ", ");
    put_surface(p, line, i, 1);
    put(line, "], law: %s", laws[f->touch]);
    if (!rigid) put(line, ", stiffness: %.17g", f->k[0]);
    if (damped || f->touch == TOUCH_PENALTY) put(line, ", damping: %.17g", f->c[0]);
    if (rigid || f->touch == TOUCH_RESTITUTION) put(line, ", restitution: %.17g", f->restitution);
    if (f->friction[0] == 0.0) return;
    put(line, ", friction: {coefficient: %.17g", f->friction[0]);
    if (!rigid && f->rubs == RUBS_ROUNDED) put(line, ", velocity: %.17g", f->friction[1]);
    if (!rigid && f->rubs == RUBS_SPRING) {
        put(line, ", stiffness: %.17g, damping: %.17g", f->grip[0], f->grip[1]);
    }
    put(line, "}");
}

void write_force(page *p, int i)
{
    const spec_force *f = p->s->forces + i;
    int planar = p->s->dimension == 2;
    bool slides = p->s->joints[acts_on_joint(f) ? f->on[0] : 0].kind == JOINT_PRISMATIC;
    char *line = new_line(p), x[32], v[32];
    put(line, "f%d: {", i);
    switch (f->kind) {
    case FORCE_SPRING:
        put(line, "type: spring, ");
        put_between(p, line, i);
        put(line, ", stiffness: %.17g, damping: %.17g, length: %.17g", f->k[0], f->c[0], f->rest);
        if (f->mixed) put(line, ", form: mixed");
        break;
    case FORCE_JOINT_SPRING:
        put(line, "type: spring, on: j%d, stiffness: %.17g, damping: %.17g, %s: %.17g", f->on[0],
            f->k[0], f->c[0], slides ? "displacement" : "angle", f->rest);
        if (f->mixed) put(line, ", form: mixed");
        break;
    case FORCE_ACTUATOR:
        put(line, "type: actuator, ");
        put_between(p, line, i);
        put(line, ", value: ");
        snprintf(x, sizeof x, "f%d.length", i);
        snprintf(v, sizeof v, "f%d.length'", i);
        put_law(p, line, i, x, v, 1);
        break;
    case FORCE_JOINT_EFFORT:
        put(line, "type: %s, on: j%d, value: ", slides ? "force" : "torque", f->on[0]);
        snprintf(x, sizeof x, "j%d.%s", f->on[0], slides ? "displacement" : "angle");
        snprintf(v, sizeof v, "j%d.rate", f->on[0]);
        put_law(p, line, i, x, v, -1);
        break;
    case FORCE_FORCE:
    case FORCE_TORQUE:
        write_vector_force(p, line, i);
        break;
    case FORCE_BUSHING:
        put(line, "type: bushing, ");
        put_between(p, line, i);
        put(line, ", stiffness: ");
        put_numbers(line, planar ? 3 : 6, f->k);
        put(line, ", damping: ");
        put_numbers(line, planar ? 3 : 6, f->c);
        if (f->mixed) put(line, ", form: mixed");
        break;
    case FORCE_GRAVITATION:
        put(line, "type: gravitation, G: %.17g", f->k[0]);
        break;
    case FORCE_CONTACT:
        write_contact(p, line, i);
        break;
    case FORCE_CABLE:
    case FORCE_MUSCLE:
    case FORCE_TYRE:
    case FORCE_LOAD:
    case FORCE_BY_LAW:
    case FORCE_PRESSURE:
    case FORCE_TRACTION:
        write_line(p, line, i);
        break;
    default:
        write_drag(p, line, i);
        break;
    }
    put(line, "}");
}
