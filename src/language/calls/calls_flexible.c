// calls_flexible.c - calls that add beams, flexible bodies, solids and meshes.
#include "base/number.h"
#include "language/calls/calls.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One, where the second is not given; else both.
static void put_two(flx_item_maker *k, const char *key, const flx_value v[2])
{
    if (flx_is_given(v[1]))
        flx_put_values(k, key, 2, v);
    else
        flx_put_value(k, key, v[0]);
}

static void put_section(flx_item_maker *k, const flx_section_def *s)
{
    int n = flx_is_given(s->inertia[2]) ? 3 : flx_is_given(s->inertia[1]) ? 2 : 1;
    flx_entry *outer = flx_put_begin(k);
    flx_put_value(k, "width", s->width);
    flx_put_value(k, "height", s->height);
    flx_put_value(k, "radius", s->radius);
    flx_put_value(k, "EA", s->EA);
    put_two(k, "GA", s->GA);
    put_two(k, "EI", s->EI);
    flx_put_value(k, "GJ", s->GJ);
    flx_put_value(k, "mass", s->mass);
    if (n == 1)
        flx_put_value(k, "inertia", s->inertia[0]);
    else
        flx_put_values(k, "inertia", n, s->inertia);
    flx_put_value(k, "area", s->area);
    flx_put_value(k, "thickness", s->thickness);
    flx_put_vector(k, "up", &s->up);
    flx_put_end(k, "section", outer);
}

static void put_material(flx_item_maker *k, const flx_material_def *m)
{
    flx_entry *outer = flx_put_begin(k);
    flx_put_value(k, "E", m->E);
    flx_put_value(k, "nu", m->nu);
    flx_put_value(k, "density", m->density);
    flx_put_end(k, "material", outer);
}

static void put_damping(flx_item_maker *k, const flx_damping_def *d)
{
    flx_entry *outer = flx_put_begin(k);
    flx_put_value(k, "ratio", d->ratio);
    flx_put_values(k, "rayleigh", 2, d->rayleigh);
    flx_put_end(k, "damping", outer);
}

static void put_type(flx_item_maker *k, const char *type, const char *like)
{
    if (like)
        flx_put_text(k, "like", like);
    else
        flx_put_text(k, "type", type);
}

// ---- beams -----------------------------------------------------------------------------------------

int flx_model_add_beam(flx_model *m, const char *name, const flx_beam_def *def)
{
    flx_item_maker k;
    flx_beam_def d;
    FLX_BEGIN_ITEM(&k, m, "bodies", name, def, d);
    put_type(&k, "beam", d.like);
    flx_put_text(&k, "formulation", d.formulation);
    bool drawn = flx_is_vector_given(&d.from) || flx_is_vector_given(&d.to);
    if (drawn) flx_put_place(&k, "from", &d.from);
    if (drawn) flx_put_place(&k, "to", &d.to);
    flx_put_count(&k, "elements", d.elements);
    flx_put_count(&k, "order", d.order);
    flx_put_value(&k, "length", d.length);
    flx_put_vector(&k, "up", &d.up);
    put_section(&k, &d.section);
    put_material(&k, &d.material);
    put_damping(&k, &d.damping);
    flx_put_vector(&k, "velocity", &d.velocity);
    flx_put_turn(&k, "angular_velocity", &d.angular_velocity);
    return flx_item_end(&k);
}

// ---- flexible bodies -------------------------------------------------------------------------------

static void put_elements(flx_item_maker *k, const flx_flexible_def *d)
{
    flx_entry *outer = flx_put_begin(k);
    flx_put_vectors(k, "line", d->nline, d->line);
    flx_put_text(k, "mesh", d->mesh);
    flx_put_value(k, "scale", d->scale);
    flx_put_count(k, "elements", d->elements);
    put_section(k, &d->section);
    put_material(k, &d->material);
    if (d->lumped) flx_put_text(k, "mass_matrix", "lumped");
    flx_put_end(k, "fe", outer);
}

static void put_reduction(flx_item_maker *k, const flx_flexible_def *d)
{
    if (d->data || (d->like && !d->modes && !d->ninterface)) return;
    flx_entry *outer = flx_put_begin(k);
    flx_put_text(k, "type", d->reduction ? d->reduction : "modal");
    flx_put_count(k, "modes", d->modes);
    flx_put_texts(k, "interfaces", d->ninterface, d->interfaces);
    flx_put_end(k, "reduce", outer);
}

int flx_model_add_flexible(flx_model *m, const char *name, const flx_flexible_def *def)
{
    flx_item_maker k;
    flx_flexible_def d;
    FLX_BEGIN_ITEM(&k, m, "bodies", name, def, d);
    put_type(&k, "flexible", d.like);
    flx_put_text(&k, "data", d.data);
    put_elements(&k, &d);
    put_reduction(&k, &d);
    flx_put_text(&k, "frame", d.frame);
    flx_put_flag(&k, "stiffening", d.stiffening);
    flx_put_pose(&k, &d.position, &d.orientation, &d.velocity, &d.angular_velocity);
    put_damping(&k, &d.damping);
    return flx_item_end(&k);
}

// ---- solids ----------------------------------------------------------------------------------------

static void put_attached(flx_item_maker *k, const flx_solid_def *d)
{
    const flx_description *of = k->status == FLX_OK ? k->m->description : NULL;
    if (!flx_item_has_array(k, "attach", d->nattach, d->attach) ||
        !flx_item_has_array(k, "attach", d->nattach, d->attached))
        return;
    flx_entry *outer = flx_put_begin(k);
    for (int i = 0; i < d->nattach && k->status == FLX_OK; i++) {
        int id = d->attach[i];
        if (id <= FLX_GROUND || id > of->nadded) {
            flx_item_refuse(k, "attach", "%d is no id of a body of this model", id);
        } else if (!d->attached[i]) {
            flx_item_refuse(k, "attach", "the set of body %d is NULL", i);
        } else {
            flx_put_text(k, of->added[id - 1].name, d->attached[i]);
        }
    }
    flx_put_end(k, "attach", outer);
}

int flx_model_add_solid(flx_model *m, const char *name, const flx_solid_def *def)
{
    flx_item_maker k;
    flx_solid_def d;
    FLX_BEGIN_ITEM(&k, m, "bodies", name, def, d);
    put_type(&k, "solid", d.like);
    flx_put_text(&k, "mesh", d.mesh);
    flx_put_value(&k, "scale", d.scale);
    put_material(&k, &d.material);
    if (d.neo_hookean) flx_put_text(&k, "law", "neo-hookean");
    flx_put_texts(&k, "fixed", d.nfixed, d.fixed);
    put_attached(&k, &d);
    flx_put_pose(&k, &d.position, &d.orientation, &d.velocity, &d.angular_velocity);
    put_damping(&k, &d.damping);
    return flx_item_end(&k);
}

// ---- files and meshes in memory --------------------------------------------------------------------

// Takes the text, also on failure.
static flx_status keep_file(flx_model *m, const char *name, char *text, size_t length)
{
    flx_description *d = m->description;
    flx_given_file *f = text ? flx_alloc(d->ctx, 1, sizeof *f) : NULL;
    const char *own = f ? flx_intern(d->ctx, name) : NULL;
    if (!own || !flx_description_open(m)) {
        flx_free(f);
        flx_free(text);
        return flx_call_end(m, FLX_ERR_MEMORY);
    }
    *f = (flx_given_file){own, own, text, length, d->files};
    d->files = f; // the last of a name counts
    return FLX_OK;
}

flx_status flx_model_add_file(flx_model *m, const char *name, const char *text, size_t length)
{
    FLX_TRY(flx_call_begin(m));
    if (!name || !name[0]) return FLX_REFUSE(m, NULL, "a file in memory has no name");
    const flx_trail at = {NULL, name, -1};
    if (!text) return FLX_REFUSE(m, &at, "the text of the file is NULL");
    char *own = flx_alloc(m->ctx, length + 1, 1);
    if (own) memcpy(own, text, length);
    return keep_file(m, name, own, length);
}

// Nodes of an element of Gmsh's type; 0: none of ours.
static int node_count(int type)
{
    switch (type) {
    case FLX_LINE_2:
        return 2;
    case FLX_TRIANGLE_3:
        return 3;
    case FLX_QUADRILATERAL_4:
    case FLX_TETRAHEDRON_4:
        return 4;
    case FLX_HEXAHEDRON_8:
    case FLX_QUADRILATERAL_8:
        return 8;
    case FLX_TRIANGLE_6:
        return 6;
    case FLX_TETRAHEDRON_10:
        return 10;
    case FLX_HEXAHEDRON_20:
        return 20;
    default:
        return 0;
    }
}

static int dimension_of(int type)
{
    return type == FLX_LINE_2 ? 1
           : type == FLX_TETRAHEDRON_4 || type == FLX_TETRAHEDRON_10 || type == FLX_HEXAHEDRON_8 ||
                   type == FLX_HEXAHEDRON_20
               ? 3
               : 2;
}

static flx_status check_set(flx_model *m, const flx_trail *at, const flx_mesh_def *d, int i)
{
    const flx_mesh_group *s = d->sets + i;
    long n = (long)node_count(s->type) * s->count;
    if (!node_count(s->type))
        return FLX_REFUSE(m, at, "set %d: %d is no type of element", i, s->type);
    if (s->count < 0 || (s->count > 0 && !s->nodes)) {
        return FLX_REFUSE(m, at, "set %d: its elements are missing", i);
    }
    if (s->name && (!s->name[0] || strpbrk(s->name, "\"\n\r"))) {
        return FLX_REFUSE(m, at, "set %d: its name is no name", i);
    }
    for (long k = 0; k < n; k++) {
        if (s->nodes[k] >= 0 && s->nodes[k] < d->nnode) continue;
        return FLX_REFUSE(m, at, "set %d: element %ld has node %d; there are %d, from 0", i,
                          k / node_count(s->type), s->nodes[k], d->nnode);
    }
    return FLX_OK;
}

static flx_status check_mesh(flx_model *m, const flx_trail *at, const flx_mesh_def *d)
{
    if (d->nnode < 1 || !d->x) return FLX_REFUSE(m, at, "the mesh has no nodes");
    if (d->nset < 1 || !d->sets) return FLX_REFUSE(m, at, "the mesh has no elements");
    for (long i = 0; i < 3 * (long)d->nnode; i++) {
        if (!isfinite(d->x[i])) return FLX_REFUSE(m, at, "node %ld is at no finite place", i / 3);
    }
    for (int i = 0; i < d->nset; i++) FLX_TRY(check_set(m, at, d, i));
    return FLX_OK;
}

// As a text of Gmsh's format 2.2: read by the same reader as files.
static void write_mesh(FILE *f, const flx_mesh_def *d)
{
    int named = 0, total = 0, number = 0;
    char x[3][FLX_NUMBER_SIZE];
    for (int i = 0; i < d->nset; i++) {
        named += d->sets[i].name != NULL;
        total += d->sets[i].count;
    }
    flx_fprintf(f, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n%d\n", named);
    for (int i = 0; i < d->nset; i++) {
        if (!d->sets[i].name) continue;
        flx_fprintf(f, "%d %d \"%s\"\n", dimension_of(d->sets[i].type), i + 1, d->sets[i].name);
    }
    flx_fprintf(f, "$EndPhysicalNames\n$Nodes\n%d\n", d->nnode);
    for (int i = 0; i < d->nnode; i++) {
        const double *at = d->x + 3 * (size_t)i;
        for (int c = 0; c < 3; c++) flx_number_text(at[c], x[c]);
        flx_fprintf(f, "%d %s %s %s\n", i + 1, x[0], x[1], x[2]);
    }
    flx_fprintf(f, "$EndNodes\n$Elements\n%d\n", total);
    for (int i = 0; i < d->nset; i++) {
        const flx_mesh_group *s = d->sets + i;
        int n = node_count(s->type), group = s->name ? i + 1 : 0;
        for (int e = 0; e < s->count; e++) {
            flx_fprintf(f, "%d %d 2 %d %d", ++number, s->type, group, i + 1);
            for (int a = 0; a < n; a++) flx_fprintf(f, " %d", s->nodes[(size_t)n * e + a] + 1);
            flx_fprintf(f, "\n");
        }
    }
    flx_fprintf(f, "$EndElements\n");
}

flx_status flx_model_add_mesh(flx_model *m, const char *name, const flx_mesh_def *def)
{
    FLX_TRY(flx_call_begin(m));
    const flx_trail at = {NULL, name && name[0] ? name : "mesh", -1};
    if (!name || !name[0] || !def) return FLX_REFUSE(m, &at, "a mesh has a name and a definition");
    size_t n = strlen(name), length = 0;
    if (n < 5 || strcmp(name + n - 4, ".msh") != 0) {
        return FLX_REFUSE(m, &at, "the name of a mesh ends with .msh");
    }
    FLX_TRY(check_mesh(m, &at, def));
    char *text = NULL;
    FILE *f = open_memstream(&text, &length);
    if (!f) {
        return flx_call_end(m, FLX_FAIL(m->ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory"));
    }
    write_mesh(f, def);
    bool failed = ferror(f) != 0;
    failed = fclose(f) != 0 || failed;
    flx_status status = failed ? FLX_FAIL(m->ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory")
                               : flx_model_add_file(m, name, text, length);
    free(text);
    return flx_call_end(m, status);
}
