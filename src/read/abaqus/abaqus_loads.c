// abaqus_loads.c - supports and loads of Abaqus' input, along the axes of their nodes.
#include "base/letters.h"
#include "math/small.h"
#include "read/abaqus/abaqus_parts.h"

#include <string.h>

// ---- axes of nodes ------------------------------------------------------------------------------

// Rows; false: the node lies on the axis of its cylinder, or the given places on one line.
static bool find_axes(const flx_abaqus_transform *t, const double *x, double axes[9])
{
    v3 a = v3_load(t->a), b = v3_load(t->b), row[3];
    if (t->cylindrical) { // radial, around, along
        v3 arm = v3_sub(v3_load(x), a);
        row[2] = v3_sub(b, a);
        row[0] = v3_axpy(-v3_dot(arm, row[2]) / v3_dot(row[2], row[2]), row[2], arm);
    } else { // a and b: along the first, and in the plane of the first two
        row[0] = a;
        row[2] = v3_cross(a, b);
    }
    row[1] = v3_cross(row[2], row[0]);
    for (int i = 0; i < 3; i++) {
        double size = v3_norm(row[i]);
        if (!(size > 0)) return false;
        v3_store(axes + 3 * i, v3_scale(1 / size, row[i]));
    }
    return true;
}

static flx_status set_axes(flx_abaqus *r, int node, const void *user)
{
    (void)user;
    FLX_SCAN_GROW(r, r->axes, r->naxes, node + 1);
    r->axes[node] = r->ntransform;
    return FLX_OK;
}

flx_status flx_abaqus_transform_read(flx_abaqus *r, const flx_abaqus_keyword *k)
{
    const flx_abaqus_field *name, *type = flx_abaqus_option(k, "TYPE");
    flx_abaqus_transform t = {0};
    double v[6] = {0};
    int n;
    FLX_TRY(flx_abaqus_need(r, k, "NSET", &name));
    t.cylindrical = type && flx_abaqus_is(*type, "C");
    if (type && !t.cylindrical && !flx_abaqus_is(*type, "R")) {
        return ABAQUS_FAIL(r, k->line, "*TRANSFORM is of the type R or C here");
    }
    if (!flx_abaqus_next_data(r)) return ABAQUS_FAIL(r, k->line, "*TRANSFORM has no places");
    FLX_TRY(flx_abaqus_numbers(r, 6, "a coordinate", v, &n));
    memcpy(t.a, v, sizeof t.a);
    memcpy(t.b, v + 3, sizeof t.b);
    FLX_SCAN_GROW(r, r->transforms, r->transform_capacity, r->ntransform + 1);
    r->transforms[r->ntransform++] = t;
    FLX_TRY(flx_abaqus_for_nodes(r, *name, set_axes, NULL));
    return flx_abaqus_pass(r);
}

// The axes of a node; *turned false: those of the structure.
static flx_status axes_of(const flx_abaqus *r, int node, bool *turned, double axes[9])
{
    *turned = node < r->naxes && r->axes[node] > 0;
    if (!*turned) return FLX_OK;
    if (find_axes(r->transforms + r->axes[node] - 1, r->s->x + 3 * (size_t)node, axes))
        return FLX_OK;
    return ABAQUS_FAIL(r, r->number, "the axes of node %d by *TRANSFORM are not defined",
                       r->s->label[node]);
}

// ---- supports -----------------------------------------------------------------------------------

static flx_status add_support(flx_abaqus *r, int node, const void *user)
{
    flx_support p = *(const flx_support *)user;
    p.node = node;
    FLX_TRY(axes_of(r, node, &p.turned, p.axes));
    return flx_structure_add_support(r->s, &p);
}

flx_status flx_abaqus_boundary(flx_abaqus *r, const flx_abaqus_keyword *k)
{
    static const struct {
        const char *word;
        unsigned mask;
    } words[] = {{"ENCASTRE", 077}, {"PINNED", 07},  {"XSYMM", 061},  {"YSYMM", 052},
                 {"ZSYMM", 034},    {"XASYMM", 016}, {"YASYMM", 025}, {"ZASYMM", 043}};
    const flx_abaqus_field *type = flx_abaqus_option(k, "TYPE");
    if (type && !flx_abaqus_is(*type, "DISPLACEMENT")) {
        return ABAQUS_FAIL(r, k->line, "*BOUNDARY prescribes displacements here, not %.*s",
                           type->length, type->text);
    }
    while (flx_abaqus_next_data(r)) {
        flx_abaqus_fields f;
        int first = 0, last;
        flx_support p = {.loc = flx_structure_loc(r->s, r->number)};
        flx_abaqus_split(r, &f);
        for (size_t i = 0; f.n > 1 && i < sizeof words / sizeof words[0]; i++) {
            if (flx_abaqus_is(f.item[1], words[i].word)) p.mask = words[i].mask;
        }
        if (p.mask == 0) {
            double value = 0;
            FLX_TRY(flx_abaqus_int(r, &f, 1, "a component from 1 to 6", &first));
            last = first;
            if (f.n > 2 && f.item[2].length > 0) {
                FLX_TRY(flx_abaqus_int(r, &f, 2, "a component from 1 to 6", &last));
            }
            if (f.n > 3) FLX_TRY(flx_abaqus_number(r, &f, 3, "a displacement", &value));
            if (first < 1 || last > 6 || last < first) {
                return flx_abaqus_refuse(r, f.item[1], "a component from 1 to 6");
            }
            for (int c = first - 1; c < last; c++) {
                p.mask |= 1u << c;
                p.value[c] = value;
            }
        }
        FLX_TRY(flx_abaqus_for_nodes(r, f.item[0], add_support, &p));
    }
    return FLX_OK;
}

// ---- forces -------------------------------------------------------------------------------------

static flx_status add_load(flx_abaqus *r, int node, const void *user)
{
    const flx_nodal_load *own = user;
    flx_nodal_load l = {.node = node};
    double axes[9];
    bool turned;
    FLX_TRY(axes_of(r, node, &turned, axes));
    for (int c = 0; c < 6; c++) {
        for (int i = 0; i < 3; i++) {
            double e = turned ? axes[3 * i + c % 3] : i == c % 3;
            l.force[c] += e * own->force[c / 3 * 3 + i];
        }
    }
    return flx_structure_add_load(r->s, &l);
}

flx_status flx_abaqus_cload(flx_abaqus *r, const flx_abaqus_keyword *k)
{
    (void)k;
    while (flx_abaqus_next_data(r)) {
        flx_abaqus_fields f;
        int comp;
        flx_nodal_load l = {0};
        double value;
        flx_abaqus_split(r, &f);
        FLX_TRY(flx_abaqus_int(r, &f, 1, "a component from 1 to 6", &comp));
        FLX_TRY(flx_abaqus_number(r, &f, 2, "a force", &value));
        if (comp < 1 || comp > 6) return flx_abaqus_refuse(r, f.item[1], "a component from 1 to 6");
        l.force[comp - 1] = value;
        FLX_TRY(flx_abaqus_for_nodes(r, f.item[0], add_load, &l));
    }
    return FLX_OK;
}

// ---- distributed loads --------------------------------------------------------------------------

typedef struct face_load {
    int face;
    flx_pressure p;
} face_load;

static flx_status add_pressure(flx_abaqus *r, int element, const void *user)
{
    const face_load *own = user;
    flx_pressure p = own->p;
    FLX_TRY(flx_abaqus_add_face(r, element, own->face));
    p.element = r->s->nelement - 1;
    return flx_structure_add_pressure(r->s, &p);
}

static flx_status add_line(flx_abaqus *r, int element, const void *user)
{
    flx_line_load l = *(const flx_line_load *)user;
    const flx_element *e = r->s->elements + element;
    l.element = element;
    if (e->family != FLX_FAMILY_BEAM && e->family != FLX_FAMILY_TRUSS) {
        return ABAQUS_FAIL(r, r->number,
                           "element %d is no beam: its loads are P1 to P6 on its faces", e->label);
    }
    return flx_structure_add_line_load(r->s, &l);
}

static flx_status read_numbers(const flx_abaqus *r, const flx_abaqus_fields *f, int from, int n,
                               const char *what, double *v)
{
    for (int i = 0; i < n; i++) FLX_TRY(flx_abaqus_number(r, f, from + i, what, &v[i]));
    return FLX_OK;
}

// Of direction v and a size; refused when it has no length.
static flx_status scale(const flx_abaqus *r, double size, double v[3])
{
    double length = v3_norm(v3_load(v));
    if (!(length > 0)) return ABAQUS_FAIL(r, r->number, "the direction of this load has no length");
    for (int c = 0; c < 3; c++) v[c] *= size / length;
    return FLX_OK;
}

// GRAV, CENTRIF: accelerations of a set, or of everything.
static flx_status read_body_load(flx_abaqus *r, const flx_abaqus_fields *f, bool spin)
{
    flx_body_load b = {.set = -1};
    char buffer[64];
    double value;
    FLX_TRY(flx_abaqus_number(
        r, f, 2, spin ? "the square of an angular velocity" : "an acceleration", &value));
    if (f->item[0].length > 0 && (b.set = flx_abaqus_find_set(r, f->item[0])) < 0) {
        return ABAQUS_FAIL(r, r->number, "no set of elements is named '%s'",
                           flx_text_quote(f->item[0].text, f->item[0].length, buffer));
    }
    if (!spin) {
        FLX_TRY(read_numbers(r, f, 3, 3, "a direction", b.gravity));
        FLX_TRY(scale(r, value, b.gravity));
    } else {
        b.speed2 = value;
        FLX_TRY(read_numbers(r, f, 3, 3, "a place on the axis", b.centre));
        FLX_TRY(read_numbers(r, f, 6, 3, "the direction of the axis", b.axis));
        FLX_TRY(scale(r, 1, b.axis));
    }
    return flx_structure_add_body_load(r->s, &b);
}

// P, TRVEC on the faces of a surface.
static flx_status read_surface_load(flx_abaqus *r, const flx_abaqus_fields *f)
{
    flx_pressure p = {0};
    char buffer[64];
    int set = flx_abaqus_find_surface(r, f->item[0]);
    if (set < 0 || r->s->sets[set].nelement == 0) {
        return ABAQUS_FAIL(r, r->number, "no surface of faces is named '%s'",
                           flx_text_quote(f->item[0].text, f->item[0].length, buffer));
    }
    flx_abaqus_field kind = f->n > 1 ? f->item[1] : f->item[0];
    p.traction = flx_abaqus_is(kind, "TRVEC");
    if (!p.traction && !flx_abaqus_is(kind, "P")) return flx_abaqus_refuse(r, kind, "P or TRVEC");
    FLX_TRY(flx_abaqus_number(r, f, 2, "a pressure", &p.value));
    if (p.traction) {
        FLX_TRY(read_numbers(r, f, 3, 3, "a direction", p.vector));
        FLX_TRY(scale(r, p.value, p.vector));
    }
    for (int i = 0; i < r->s->sets[set].nelement; i++) {
        p.element = r->s->sets[set].elements[i];
        FLX_TRY(flx_structure_add_pressure(r->s, &p));
    }
    return FLX_OK;
}

static flx_status read_element_load(flx_abaqus *r, const flx_abaqus_fields *f)
{
    flx_abaqus_field kind = f->n > 1 ? f->item[1] : f->item[0];
    face_load face = {0};
    flx_line_load line = {0};
    bool spin = f->n > 1 && flx_abaqus_is(kind, "CENTRIF");
    if (spin || (f->n > 1 && flx_abaqus_is(kind, "GRAV"))) return read_body_load(r, f, spin);
    bool two = f->n > 1 && kind.length == 2 && flx_upper(kind.text[0]) == 'P';
    int axis = two ? flx_upper(kind.text[1]) - 'X' : -1;
    if (axis >= 0 && axis < 3) {
        FLX_TRY(flx_abaqus_number(r, f, 2, "a force per length", &line.force[axis]));
        return flx_abaqus_for_elements(r, f->item[0], add_line, &line);
    }
    if (!two || !flx_text_int(kind.text + 1, 1, &face.face)) {
        return flx_abaqus_refuse(r, kind, "GRAV, CENTRIF, P1 to P6, or PX, PY, PZ of beams");
    }
    face.face--;
    FLX_TRY(flx_abaqus_number(r, f, 2, "a pressure", &face.p.value));
    return flx_abaqus_for_elements(r, f->item[0], add_pressure, &face);
}

flx_status flx_abaqus_dload(flx_abaqus *r, const flx_abaqus_keyword *k)
{
    bool surface = flx_abaqus_is(k->name, "DSLOAD");
    while (flx_abaqus_next_data(r)) {
        flx_abaqus_fields f;
        flx_abaqus_split(r, &f);
        FLX_TRY(surface ? read_surface_load(r, &f) : read_element_load(r, &f));
    }
    return FLX_OK;
}
