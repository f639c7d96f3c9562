// write_meshes.c - bodies of finite elements as text, and their meshes as files of Abaqus.
#include "page.h"

#include "flexion/flexion.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROOM 8000

static const char *const cells[] = {"CPS4", "CPS3", "C3D8", "C3D4", "C3D10"};
static const int sizes[] = {4, 3, 8, 4, 10};

static void add(char *text, const char *format, int i, v3 p)
{
    size_t n = strlen(text);
    snprintf(text + n, ROOM - n, format, i, p.x, p.y, p.z);
}
static void add_number(char *text, const char *format, int i)
{
    size_t n = strlen(text);
    snprintf(text + n, ROOM - n, format, i);
}

static void add_set(char *text, const char *title, unsigned nodes)
{
    strcat(text, title);
    for (int i = 0; i < MESH_NODES; i++) {
        if (nodes & (1u << i)) add_number(text, "%d\n", i + 1);
    }
}

static void mesh_text(const spec_mesh *m, char *text)
{
    strcpy(text, "*NODE\n");
    for (int i = 0; i < m->nnode; i++) add(text, "%d, %.17g, %.17g, %.17g\n", i + 1, m->nodes[i]);
    strcat(text, "*ELEMENT, ELSET=ALL, TYPE=");
    strcat(text, cells[m->cell]);
    strcat(text, "\n");
    for (int i = 0; i < m->ncell; i++) {
        add_number(text, "%d", i + 1);
        for (int k = 0; k < sizes[m->cell]; k++) add_number(text, ", %d", m->cells[i][k] + 1);
        strcat(text, "\n");
    }
    add_set(text, "*NSET, NSET=START\n", m->start);
    if (m->end) add_set(text, "*NSET, NSET=END\n", m->end);
}

// By what is in it: copies have meshes of their own.
static void mesh_name(const char *text, char *name, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325ull;
    for (const char *c = text; *c; c++) hash = (hash ^ (unsigned char)*c) * 0x100000001b3ull;
    snprintf(name, size, "mesh_%016llx.inp", (unsigned long long)hash);
}

static bool has_mesh(const spec_body *b)
{
    return b->there && (b->kind == BODY_MESH || b->kind == BODY_SOLID);
}

// The file of body i and its text. false: it has none.
static bool mesh_file(const spec *s, int i, const char *folder, char text[ROOM], char path[512])
{
    char name[64];
    if (!has_mesh(s->bodies + i)) return false;
    mesh_text(&s->bodies[i].mesh, text);
    mesh_name(text, name, sizeof name);
    snprintf(path, 512, "%s/%s", folder, name);
    return true;
}

void write_meshes(const spec *s, const char *folder)
{
    char text[ROOM], path[512];
    for (int i = 0; i < s->nbody; i++) {
        if (!mesh_file(s, i, folder, text, path)) continue;
        FILE *f = fopen(path, "w");
        if (!f) abort();
        fputs(text, f);
        fclose(f);
    }
}

void remove_meshes(const spec *s, const char *folder)
{
    char text[ROOM], path[512];
    for (int i = 0; i < s->nbody; i++) {
        if (mesh_file(s, i, folder, text, path)) remove(path);
    }
}

static char scratch[256];

static void remove_scratch(void)
{
    rmdir(scratch);
}

const char *scratch_folder(void)
{
    const char *where = getenv("TMPDIR");
    if (scratch[0]) return scratch;
    snprintf(scratch, sizeof scratch, "%s/random_models_XXXXXX", where ? where : "/tmp");
    if (!mkdtemp(scratch)) abort();
    atexit(remove_scratch);
    return scratch;
}

int node_at(const spec_mesh *m, v3 at)
{
    int best = 0;
    for (int i = 1; i < m->nnode; i++) {
        double d = v3_norm(v3_sub(m->nodes[i], at)), least = v3_norm(v3_sub(m->nodes[best], at));
        if (d < least) best = i;
    }
    return best;
}

static void put_mesh(char *line, const spec_body *b)
{
    char text[ROOM], name[64];
    mesh_text(&b->mesh, text);
    mesh_name(text, name, sizeof name);
    put(line, "mesh: %s, material: {E: %.17g, nu: 0.3, density: %.17g}", name, b->E, b->density);
}

void write_mesh_body(const page *p, char *line, const spec_body *b)
{
    static const char *const bases[] = {"type: modal, modes: 3", "type: craig-bampton, modes: 2",
                                        "type: guyan"};
    put(line, "type: flexible, fe: {");
    put_mesh(line, b);
    if (p->s->dimension == 2) put(line, ", section: {thickness: %.17g}", b->height);
    put(line, "}, reduce: {%s, interfaces: {start: {on: START}, end: {on: END}}}, position: ",
        bases[b->formulation]);
    put_vector(p, line, b->position);
    write_orientation(p, line, b->R);
    if (b->damping > 0) put(line, ", damping: {ratio: %.17g}", b->damping);
}

void write_solid(const page *p, char *line, const spec_body *b)
{
    put(line, "type: solid, ");
    put_mesh(line, b);
    put(line, ", law: %s, position: ", b->formulation ? "neo-hookean" : "st-venant-kirchhoff");
    put_vector(p, line, b->position);
    write_orientation(p, line, b->R);
    if (b->held == GROUND) put(line, ", fixed: [START]");
    if (b->held >= 0) put(line, ", attach: {b%d: [START]}", b->held);
    if (b->damping > 0)
        put(line, ", damping: {rayleigh: [0, %.17g]}", 0.01 * p->s->tick * b->damping);
}
