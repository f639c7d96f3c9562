// write_lines.c - cables, muscles, tyres, loads along beams, springs by a law as text.
#include "page.h"

static void put_through(const page *p, char *line, int i)
{
    const spec_force *f = p->s->forces + i;
    put(line, "through: [");
    for (int k = 0; k < 2 + f->further; k++) {
        put(line, "%s", k ? ", " : "");
        put_place(p, line, 'f', i, k, f->on[k], f->at[k]);
    }
    put(line, "]");
}

static void put_sine(const page *p, char *line, const spec_force *f)
{
    put(line, "sin(%.17g*", f->turning);
    put_time(p, line);
    put(line, ")");
}

static void write_cable(const page *p, char *line, int i)
{
    const spec_force *f = p->s->forces + i;
    put(line, "type: cable, ");
    put_through(p, line, i);
    put(line, ", stiffness: %.17g, exponent: %.17g, damping: %.17g, length: ", f->k[0], f->exponent,
        f->c[0]);
    if (f->wave == 0.0) {
        put(line, "%.17g", f->rest);
    } else {
        put(line, "\"%.17g*(1 + %.17g*", f->rest, f->wave);
        put_sine(p, line, f);
        put(line, ")\"");
    }
}

static void write_muscle(const page *p, char *line, int i)
{
    const spec_force *f = p->s->forces + i;
    const spec_muscle *m = &f->muscle;
    put(line, "type: muscle, ");
    put_through(p, line, i);
    put(line, ", force: %.17g, fibre: %.17g, tendon: %.17g, pennation: %.17g, speed: %.17g",
        m->force, m->fibre, m->tendon, m->pennation, m->speed);
    put(line, ", rise: %.17g, decay: %.17g, activation: %.17g, excitation: \"%.17g + %.17g*",
        m->rise, m->decay, m->activation, m->excitation[0], m->excitation[1]);
    put_sine(p, line, f);
    put(line, "\"");
}

static void put_curve(char *line, const char *name, const double *c)
{
    put(line, ", %s: {B: %.17g, C: %.17g, D: %.17g, E: %.17g}", name, c[0], c[1], c[2], c[3]);
}

static void write_tyre(const page *p, char *line, int i)
{
    static const char *const laws[] = {"linear", "linear", "fiala", "magic"};
    const spec_force *f = p->s->forces + i;
    const spec_tyre *y = &f->tyre;
    bool space = p->s->dimension == 3;
    // a road lies where the ground is, wherever the part is that the tyre belongs to
    v3 under = p->s->in_part ? v3_add(f->at[0], p->s->part_at) : f->at[0];
    put(line, "type: tyre, on: [ground, b%d], at: ", f->on[1]);
    put_place(p, line, 'f', i, 1, f->on[1], f->at[1]);
    if (space) put(line, ", axis: ");
    if (space) put_vector(p, line, f->value);
    put(line, ", road: {level: %.17g}, radius: %.17g, stiffness: %.17g, damping: %.17g, law: %s",
        space ? under.z : under.y, y->radius, f->k[0], f->c[0], laws[y->law]);
    if (y->law == TYRE_MAGIC) {
        put_curve(line, "longitudinal", y->curve[0]);
        if (space) put_curve(line, "lateral", y->curve[1]);
    } else {
        put(line, ", slip_stiffness: %.17g", y->slope[0]);
        if (space) put(line, ", cornering_stiffness: %.17g", y->slope[1]);
        if (y->law != TYRE_LINEAR) put(line, ", friction: %.17g", y->friction);
    }
    if (space) {
        put(line, ", relaxation: [%.17g, %.17g], trail: %.17g", y->way[0], y->way[1], y->trail);
    } else {
        put(line, ", relaxation: %.17g", y->way[0]);
    }
}

// In the axes of the section: along the line, `up`, across both.
static v3 in_section(const page *p, const spec_force *f)
{
    v3 along = v3_unit(p->s->bodies[f->on[1]].line), up = v3_make(0, 1, 0);
    if (p->s->dimension == 2) up = v3_cross(v3_make(0, 0, 1), along);
    return v3_make(v3_dot(along, f->value), v3_dot(up, f->value),
                   v3_dot(v3_cross(along, up), f->value));
}

static void write_load(const page *p, char *line, int i)
{
    const spec_force *f = p->s->forces + i;
    double c[3];
    v3_store(c, f->in_body ? in_section(p, f) : f->value);
    bool traction = f->kind == FORCE_TRACTION;
    put(line, "type: %s, on: b%d, value: [", traction ? "traction" : "distributed", f->on[1]);
    for (int n = 0; n < p->s->dimension; n++) {
        put(line, "%s\"%.17g*(1 + %.17g*", n ? ", " : "", c[n], f->wave);
        put_sine(p, line, f);
        put(line, ")\"");
    }
    put(line, "]%s", f->in_body ? ", frame: body" : "");
}

static void write_pressure(const page *p, char *line, int i)
{
    const spec_force *f = p->s->forces + i;
    put(line, "type: pressure, on: b%d, value: \"%.17g*(1 + %.17g*", f->on[1], f->value.x, f->wave);
    put_sine(p, line, f);
    put(line, ")\"");
}

static void write_law(const page *p, char *line, int i)
{
    const spec_force *f = p->s->forces + i;
    put(line, "type: spring, ");
    put_between(p, line, i);
    put(line, ", length: %.17g, force: \"%.17g*x + %.17g*x^3 + %.17g*v\"", f->rest, f->k[0],
        f->cubic, f->c[0]);
}

void write_line(page *p, char *line, int i)
{
    switch (p->s->forces[i].kind) {
    case FORCE_CABLE:
        write_cable(p, line, i);
        break;
    case FORCE_MUSCLE:
        write_muscle(p, line, i);
        break;
    case FORCE_TYRE:
        write_tyre(p, line, i);
        break;
    case FORCE_LOAD:
    case FORCE_TRACTION:
        write_load(p, line, i);
        break;
    case FORCE_PRESSURE:
        write_pressure(p, line, i);
        break;
    default:
        write_law(p, line, i);
        break;
    }
}
