// write.c - a random model as text of the model language.
#include "page.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void append(page *p, const char *text)
{
    size_t n = strlen(text);
    if (p->n + n + 1 > p->room) {
        p->room = 2 * (p->n + n + 1);
        p->text = realloc(p->text, p->room);
        if (!p->text) abort();
    }
    memcpy(p->text + p->n, text, n + 1);
    p->n += n;
}

// ---- pieces of lines ----------------------------------------------------------------------------

void put(char *line, const char *format, ...)
{
    va_list list;
    size_t n = strlen(line);
    va_start(list, format);
    vsnprintf(line + n, LINE - n, format, list);
    va_end(list);
}

char *new_line(page *p)
{
    char *line = p->lines[p->nline++];
    line[0] = 0;
    return line;
}

void put_vector(const page *p, char *line, v3 a)
{
    if (p->s->dimension == 2) {
        put(line, "[%.17g, %.17g]", a.x, a.y);
    } else {
        put(line, "[%.17g, %.17g, %.17g]", a.x, a.y, a.z);
    }
}

// A torque, an angular velocity: planar a number.
static void put_spin(const page *p, char *line, v3 a)
{
    if (p->s->dimension == 2) {
        put(line, "%.17g", a.z);
    } else {
        put_vector(p, line, a);
    }
}

void put_body(char *line, int body)
{
    if (body < 0) {
        put(line, "ground");
    } else {
        put(line, "b%d", body);
    }
}

// A place of joint or force number i, side k.
void put_place(const page *p, char *line, char kind, int i, int k, int body, v3 at)
{
    if (body < 0) {
        put_vector(p, line, at);
    } else if (p->s->bodies[body].kind == BODY_POINT) {
        put(line, "b%d", body);
    } else if (p->s->bodies[body].kind == BODY_SOLID) {
        put(line, "b%d.node(%d)", body, node_at(&p->s->bodies[body].mesh, at) + 1);
    } else if (is_flexible(p->s, body)) {
        put(line, "b%d.%s", body, v3_norm(at) > 0 ? "end" : "start");
    } else {
        put(line, "b%d.%c%d%c", body, kind, i, 'a' + k);
    }
}

static void put_points(const page *p, char *line, int body)
{
    const spec *s = p->s;
    const char *comma = "";
    put(line, ", points: {");
    for (int i = 0; i < s->njoint; i++) {
        const spec_joint *j = s->joints + i;
        for (int k = 0; k < 2 && j->there && j->kind != JOINT_GEAR; k++) {
            if (j->on[k] != body) continue;
            put(line, "%sj%d%c: ", comma, i, 'a' + k);
            put_vector(p, line, j->at[k]);
            comma = ", ";
        }
    }
    for (int i = 0; i < s->nforce; i++) {
        const spec_force *f = s->forces + i;
        for (int k = 0; k < 2 + f->further && f->there && !acts_on_joint(f); k++) {
            if (f->on[k] != body) continue;
            put(line, "%sf%d%c: ", comma, i, 'a' + k);
            put_vector(p, line, f->at[k]);
            comma = ", ";
        }
    }
    put(line, "%so: ", comma);
    put_vector(p, line, v3_make(0, 0, 0));
    put(line, "}");
}

// The time of the original model, in the units of this one.
void put_time(const page *p, char *line)
{
    if (p->s->time == 0.0) {
        put(line, "t");
    } else {
        put(line, "(t + %.17g)", p->s->time);
    }
}

// ---- sections -----------------------------------------------------------------------------------

void begin_section(page *p, const char *title)
{
    append(p, title);
    p->nline = 0;
}

void end_section(page *p, uint64_t salt)
{
    int order[LINES];
    uint64_t state = p->s->order ^ salt;
    for (int i = 0; i < p->nline; i++) order[i] = i;
    for (int i = p->nline - 1; i > 0 && p->s->order; i--) {
        int k = below(&state, i + 1), keep = order[i];
        order[i] = order[k];
        order[k] = keep;
    }
    for (int i = 0; i < p->nline; i++) {
        append(p, "  ");
        append(p, p->lines[order[i]]);
        append(p, "\n");
    }
}

static void write_inertia(const page *p, char *line, m33 J)
{
    if (p->s->dimension == 2) {
        put(line, ", inertia: %.17g", J.m[8]);
    } else {
        put(line, ", inertia: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]", J.m[0], J.m[4], J.m[8],
            J.m[1], J.m[5], J.m[2]);
    }
}

void write_orientation(const page *p, char *line, m33 R)
{
    if (p->s->dimension == 2) {
        put(line, ", orientation: %.17g", atan2(R.m[3], R.m[0]));
    } else {
        quat q = quat_from_m33(R);
        double c[4];
        quat_store(c, q);
        put(line, ", orientation: {quaternion: [%.17g, %.17g, %.17g, %.17g]}", c[0], c[1], c[2],
            c[3]);
    }
}

static void write_section(char *line, const spec_body *b)
{
    put(line,
        ", section: {width: %.17g, height: %.17g}, material: {E: %.17g, nu: 0.3, density: %.17g}",
        b->width, b->height, b->E, b->density);
}

static void write_modal(page *p, char *line, const spec_body *b)
{
    put(line, "type: flexible, fe: {line: [");
    put_vector(p, line, v3_make(0, 0, 0));
    put(line, ", ");
    put_vector(p, line, b->line);
    put(line, "], elements: 4");
    write_section(line, b);
    put(line, "}, reduce: {type: modal, modes: 2}, position: ");
    put_vector(p, line, b->position);
    write_orientation(p, line, b->R);
    if (b->damping > 0) put(line, ", damping: {ratio: %.17g}", b->damping);
}

static void write_beam(page *p, char *line, const spec_body *b)
{
    static const char *const words[] = {"geometrically-exact", "ancf-cable", "segments", "ancf"};
    put(line, "type: beam, formulation: %s, elements: 2, from: ", words[b->formulation]);
    put_vector(p, line, b->position);
    put(line, ", to: ");
    put_vector(p, line, v3_add(b->position, m33_mul_v(b->R, b->line)));
    if (p->s->dimension == 3) {
        put(line, ", up: ");
        put_vector(p, line, m33_mul_v(b->R, v3_make(0, 1, 0)));
    }
    write_section(line, b);
    if (b->damping > 0)
        put(line, ", damping: {rayleigh: [0, %.17g]}", 0.01 * p->s->tick * b->damping);
}

static void write_flexible(page *p, int i)
{
    const spec_body *b = p->s->bodies + i;
    char *line = new_line(p);
    put(line, "b%d: {", i);
    if (b->kind == BODY_MODAL) write_modal(p, line, b);
    if (b->kind == BODY_BEAM) write_beam(p, line, b);
    if (b->kind == BODY_MESH) write_mesh_body(p, line, b);
    if (b->kind == BODY_SOLID) write_solid(p, line, b);
    put(line, ", velocity: ");
    put_vector(p, line, b->velocity);
    put(line, ", angular_velocity: ");
    put_spin(p, line, b->omega);
    put(line, "}");
}

static void write_body(page *p, int i)
{
    const spec_body *b = p->s->bodies + i;
    if (is_flexible(p->s, i)) {
        write_flexible(p, i);
        return;
    }
    char *line = new_line(p);
    put(line, "b%d: {type: %s, mass: %.17g, position: ", i,
        b->kind == BODY_POINT ? "point" : "rigid", b->mass);
    put_vector(p, line, b->position);
    put(line, ", velocity: ");
    put_vector(p, line, b->velocity);
    if (b->kind != BODY_POINT) {
        put(line, ", com: ");
        put_vector(p, line, b->com);
        write_inertia(p, line, b->J);
        write_orientation(p, line, b->R);
        put(line, ", angular_velocity: ");
        put_spin(p, line, b->omega);
        put_points(p, line, i);
    }
    put(line, "}");
}

static void write_motion(const page *p, char *line, const spec_joint *j)
{
    double t = p->s->time, *c = (double[3]){j->motion[0], j->motion[1], j->motion[2]};
    if (j->by_rate) {
        put(line, ", motion: {rate: \"%.17g + %.17g*sin(%.17g*", c[0], c[1] * c[2], c[2]);
        put_time(p, line);
        put(line, ")\"}");
        return;
    }
    put(line, ", motion: {%s: \"%.17g*t + %.17g*(%.17g - cos(%.17g*",
        j->kind == JOINT_PRISMATIC ? "displacement" : "angle", c[0], c[1], cos(c[2] * t), c[2]);
    put_time(p, line);
    put(line, "))\"}");
}

static void write_friction(const page *p, char *line, const spec_joint *j)
{
    bool radius = j->kind != JOINT_PRISMATIC;
    (void)p;
    put(line, ", friction: {coefficient: %.17g, viscous: %.17g", j->friction[0], j->viscous);
    if (j->sticks && j->friction[0] > 0) {
        put(line, ", stick: true, static: %.17g", j->held);
    } else {
        put(line, ", velocity: %.17g", j->friction[2]);
    }
    if (radius) put(line, ", radius: %.17g", j->friction[1]);
    put(line, "}");
}

static void write_stop(char *line, const spec_stop *stop)
{
    put(line, ", limits: {%s: %.17g", stop->side > 0 ? "upper" : "lower", stop->at);
    if (stop->rigid) {
        put(line, ", restitution: %.17g}", stop->restitution);
    } else {
        put(line, ", stiffness: %.17g, exponent: %.17g, damping: %.17g}", stop->stiffness,
            stop->exponent, stop->damping);
    }
}

static void write_curve(const page *p, char *line, const spec_joint *j)
{
    put(line, ", closed: true, curve: [");
    for (int i = 0; i < CURVE_POINTS; i++) {
        put(line, "%s", i ? ", " : "");
        put_vector(p, line, j->curve[i]);
    }
    put(line, "]");
    if (j->on[0] >= 0) put(line, ", frame: b%d", j->on[0]);
}

static bool has_two_axes(joint_kind k)
{
    return k == JOINT_UNIVERSAL || k == JOINT_CONSTANT_VELOCITY || k == JOINT_PERPENDICULAR;
}

static void write_joint(page *p, int i)
{
    const spec *s = p->s;
    const spec_joint *j = s->joints + i;
    char *line = new_line(p);
    put(line, "j%d: {type: %s, on: [", i, joint_type(j->kind));
    if (j->kind == JOINT_GEAR) {
        put(line, "j%d, j%d], ratio: %.17g}", j->on[0], j->on[1], j->ratio);
        return;
    }
    put_body(line, j->on[0]);
    put(line, ", ");
    put_body(line, j->on[1]);
    bool curve = j->kind == JOINT_ON_CURVE;
    put(line, "], at: ");
    if (!curve) {
        put(line, "[");
        put_place(p, line, 'j', i, 0, j->on[0], j->at[0]);
        put(line, ", ");
    }
    put_place(p, line, 'j', i, 1, j->on[1], j->at[1]);
    put(line, "%s", curve ? "" : "]");
    if (curve) write_curve(p, line, j);
    bool axis = j->kind != JOINT_FIXED && j->kind != JOINT_SPHERICAL && j->kind != JOINT_FREE &&
                j->kind != JOINT_DISTANCE && !curve && !has_two_axes(j->kind) &&
                !(j->kind == JOINT_REVOLUTE && s->dimension == 2);
    if (axis) {
        put(line, j->kind == JOINT_ROLLING ? ", normal: " : ", axis: ");
        put_vector(p, line, j->axis);
    }
    if (has_two_axes(j->kind)) {
        put(line, ", axes: [");
        put_vector(p, line, j->axis);
        put(line, ", ");
        put_vector(p, line, j->axis2);
        put(line, "]");
    }
    if (j->kind == JOINT_SCREW) put(line, ", pitch: %.17g", j->pitch);
    if (j->kind == JOINT_ROLLING) put(line, ", radius: %.17g", j->radius);
    if (j->stop.there) write_stop(line, &j->stop);
    if (j->moves) write_motion(p, line, j);
    if (j->viscous != 0.0) write_friction(p, line, j);
    if (j->starts) {
        put(line, ", initial: {%s: %.17g, rate: %.17g}",
            j->kind == JOINT_PRISMATIC ? "displacement" : "angle", j->start[0], j->start[1]);
    }
    put(line, "}");
}

static const char *coordinate_of(const spec *s, int joint)
{
    return s->joints[joint].kind == JOINT_PRISMATIC ? "displacement" : "angle";
}

static void write_variable(page *p, int i)
{
    const spec_variable *x = p->s->variables + i;
    char *line = new_line(p), follows[96] = "0";
    if (x->joint >= 0 && p->s->joints[x->joint].there) {
        snprintf(follows, sizeof follows, "%.17g*(j%d.%s + %.17g)", x->gain, x->joint,
                 coordinate_of(p->s, x->joint), x->offset);
    }
    if (x->kind == PID || x->kind == PID_SAMPLED) {
        put(line,
            "x%d: {type: pid, of: \"%.17g - %s\", p: %.17g, i: %.17g, d: %.17g, filter: %.17g", i,
            x->at, follows, x->k, x->c, x->mass, x->filter);
        if (x->kind == PID_SAMPLED) put(line, ", sample: %.17g", x->sample);
        put(line, ", limits: [%.17g, %.17g]}", -x->rate, x->rate);
        return;
    }
    put(line, "  x%d: {at: %.17g", i, x->at);
    switch (x->kind) {
    case SECOND_ORDER:
        put(line, ", rate: %.17g, mass: %.17g, force: \"-%.17g*(x%d - %s) - %.17g*x%d'\"}", x->rate,
            x->mass, x->k, i, follows, x->c, i);
        break;
    case FIRST_ORDER:
        put(line, ", derivative: \"(%s - x%d)/%.17g\"}", follows, i, x->k);
        break;
    case ALGEBRAIC:
        put(line, ", mass: 0, derivative: \"%s - x%d - %.17g*x%d^3\"}", follows, i, x->c, i);
        break;
    default:
        put(line, "}");
        snprintf(p->events[p->nevent++], LINE, "e%d: {every: %.17g, set: {x%d: \"%s\"}}", i, x->k,
                 i, follows);
        break;
    }
}

// The section of a variable: second order, first order (algebraic ones too), discrete; controllers have one of their own.
static int section_of(const spec_variable *x)
{
    if (x->kind == PID || x->kind == PID_SAMPLED) return 3;
    return x->kind == SECOND_ORDER ? 0 : x->kind == SAMPLED ? 2 : 1;
}

static void put_coordinate(const page *p, char *line, const spec_relation *r, int k)
{
    put(line, "(j%d.%s + %.17g)", r->of[k], coordinate_of(p->s, r->of[k]), r->offset[k]);
}

static void write_relation(page *p, int i)
{
    const spec_relation *r = p->s->relations + i;
    char *line = new_line(p);
    put(line, "  y%d: {value: \"", i);
    put_coordinate(p, line, r, 1);
    put(line, " - %.17g*", r->ratio);
    put_coordinate(p, line, r, 0);
    put(line, " - %.17g*", r->bent);
    put_coordinate(p, line, r, 0);
    put(line, "^2\"}");
}

static void write_relations(page *p)
{
    begin_section(p, "  constraints:\n");
    for (int i = 0; i < p->s->nrelation; i++) {
        if (p->s->relations[i].there) write_relation(p, i);
    }
    end_section(p, 8);
}

static void write_equations(page *p)
{
    static const char *const titles[] = {"  second_order:\n", "  first_order:\n", "  discrete:\n",
                                         "control:\n"};
    bool any[4] = {false, false, false, false}, relates = false;
    for (int i = 0; i < p->s->nrelation; i++) relates = relates || p->s->relations[i].there;
    for (int i = 0; i < p->s->nvariable; i++) {
        if (p->s->variables[i].there) any[section_of(p->s->variables + i)] = true;
    }
    if (any[0] || any[1] || any[2] || relates) append(p, "equations:\n");
    if (relates) write_relations(p);
    for (int section = 0; section < 4; section++) {
        if (!any[section]) continue;
        begin_section(p, titles[section]);
        for (int i = 0; i < p->s->nvariable; i++) {
            const spec_variable *x = p->s->variables + i;
            if (x->there && section_of(x) == section) write_variable(p, i);
        }
        end_section(p, 4);
    }
}

static void write_events(page *p)
{
    for (int i = 0; i < p->s->njoint; i++) {
        const spec_joint *j = p->s->joints + i;
        if (!j->there || !j->bounces) continue;
        snprintf(p->events[p->nevent++], LINE,
                 "w%d: {when: j%d.%s %s %.17g, set: {j%d.rate: -%.17g*j%d.rate}}", i, i,
                 coordinate_of(p->s, i), j->wall[0] > 0 ? ">" : "<", j->wall[0], i, j->wall[1], i);
    }
    begin_section(p, p->nevent ? "events:\n" : "");
    for (int i = 0; i < p->nevent; i++) snprintf(new_line(p), LINE, "%s", p->events[i]);
    end_section(p, 6);
}

// ---- what to do ---------------------------------------------------------------------------------

static void write_outputs(page *p, double every, bool reactions)
{
    signal list[SIGNALS];
    char line[LINE] = "";
    int n = list_signals(p->s, reactions, list);
    put(line, "outputs:\n  every: %.17g\n  signals:\n", every);
    append(p, line);
    for (int i = 0; i < n; i++) {
        line[0] = 0;
        put(line, "  - %s\n", list[i].name);
        append(p, line);
    }
}

static void write_simulation(page *p, const method *m)
{
    const spec *s = p->s;
    char line[LINE] = "";
    double speed = s->length / s->tick, turn = 1.0 / s->tick, atol = fmin(1.0, s->length);
    atol = fmin(atol, fmin(speed, turn)) * m->rtol * 1e-2;
    put(line, "simulate: {until: %.17g, method: %s", s->until, m->name);
    if (m->formulation[0]) put(line, ", formulation: %s", m->formulation);
    if (m->keys[0]) put(line, ", %s", m->keys);
    if (m->step > 0) put(line, ", step: %.17g", m->step * s->tick);
    if (m->rtol > 0) put(line, ", rtol: %.3g, atol: %.3g", m->rtol, atol);
    put(line, "}\n");
    append(p, line);
}

// What was written from `first` on becomes a model that is used as a part.
static void put_in_part(page *p, size_t first)
{
    char *inner = strdup(p->text + first), line[LINE] = "parts:\n  p: {model: m, position: ";
    if (!inner) abort();
    p->n = first;
    append(p, "models:\n  m:\n");
    for (char *at = strtok(inner, "\n"); at; at = strtok(NULL, "\n")) {
        append(p, "    ");
        append(p, at);
        append(p, "\n");
    }
    free(inner);
    put_vector(p, line, p->s->part_at);
    write_orientation(p, line, p->s->part_axes);
    put(line, "}\n");
    append(p, line);
}

char *write_spec(const spec *s, const method *m, double every, bool reactions)
{
    page p = {.s = s};
    char line[LINE] = "";
    p.lines = malloc(2 * LINES * sizeof *p.lines);
    if (!p.lines) abort();
    p.events = p.lines + LINES;
    put(line, "flexion: 1\n%sgravity: ", s->dimension == 2 ? "dimension: 2\n" : "");
    put_vector(&p, line, s->gravity);
    put(line, "\n");
    append(&p, line);
    size_t first = p.n;
    write_functions(&p);
    begin_section(&p, "bodies:\n");
    for (int i = 0; i < s->nbody; i++) {
        if (s->bodies[i].there) write_body(&p, i);
    }
    end_section(&p, 1);
    int count = 0;
    for (int i = 0; i < s->njoint; i++) count += s->joints[i].there;
    begin_section(&p, count ? "joints:\n" : "");
    for (int i = 0; i < s->njoint; i++) {
        if (s->joints[i].there) write_joint(&p, i);
    }
    end_section(&p, 2);
    count = 0;
    for (int i = 0; i < s->nforce; i++) count += s->forces[i].there;
    begin_section(&p, count ? "forces:\n" : "");
    for (int i = 0; i < s->nforce; i++) {
        if (s->forces[i].there) write_force(&p, i);
    }
    end_section(&p, 3);
    write_inputs(&p);
    write_equations(&p);
    write_events(&p);
    if (s->in_part) put_in_part(&p, first);
    write_simulation(&p, m);
    write_outputs(&p, every, reactions);
    if (m->analyses) append(&p, m->analyses);
    free(p.lines);
    return p.text;
}
