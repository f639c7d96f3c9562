// test_mesh.c - meshes of Gmsh, Abaqus and Nastran, pairs of matrices; every mistake has its line.
#include "check.h"
#include "fe/fe_equations.h"
#include "math/lowest_modes.h"
#include "read/matrix_market.h"
#include "read/mesh.h"

#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

static char path[64];

static const char *write_file(const char *ending, const char *text)
{
    snprintf(path, sizeof path, "mesh_%ld%s", (long)getpid(), ending);
    FILE *file = fopen(path, "w");
    if (!file) return NULL;
    fputs(text, file);
    fclose(file);
    return path;
}

static flx_status read_text(flx_ctx *ctx, const char *ending, const char *text, flx_structure **s)
{
    flx_status status = flx_mesh_read(ctx, write_file(ending, text), FLX_NOWHERE, s);
    remove(path);
    return status;
}

#define MSH2 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define MSH4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define TET_NODES "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n9 0 0 1\n$EndNodes\n"

static int gmsh_old_and_new_give_one_mesh(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_structure *s[2];
    const char *old =
        MSH2 "$PhysicalNames\n2\n2 7 \"root face\"\n3 8 \"body\"\n$EndPhysicalNames\n" TET_NODES
             "$Elements\n2\n1 2 2 7 1 1 2 3\n5 4 2 8 1 1 2 3 9\n$EndElements\n";
    const char *new = MSH4
        "$PhysicalNames\n2\n2 7 \"root face\"\n3 8 \"body\"\n$EndPhysicalNames\n"
        "$Entities\n0 0 1 1\n3 0 0 0 1 1 0 1 7 0\n4 0 0 0 1 1 1 1 8 1 3\n$EndEntities\n"
        "$Nodes\n2 4 1 9\n2 3 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0\n3 4 0 1\n9\n0 0 1\n$EndNodes\n"
        "$Elements\n2 2 1 5\n2 3 2 1\n1 1 2 3\n3 4 4 1\n5 1 2 3 9\n$EndElements\n"
        "$Comment\nanything\n$EndComment\n";
    CHECK(read_text(ctx, ".msh", old, &s[0]) == FLX_OK);
    CHECK(read_text(ctx, ".msh", new, &s[1]) == FLX_OK);
    for (int k = 0; k < 2; k++) {
        CHECK(s[k]->nnode == 4 && s[k]->nelement == 2);
        CHECK(flx_structure_node_of(s[k], 9) == 3);
        CHECK(s[k]->x[3 * 3 + 2] == 1);
        CHECK(s[k]->elements[1].cell == FLX_CELL_TET4 && s[k]->elements[1].label == 5);
        const flx_mesh_set *root = flx_structure_find_set(s[k], "root face");
        CHECK(root && root->nnode == 3 && root->nelement == 1);
        const flx_mesh_set *body = flx_structure_find_set(s[k], "body");
        CHECK(body && body->nnode == 4 && body->nelement == 1);
        flx_structure_destroy(&s[k]);
    }
    flx_ctx_destroy(&ctx);
    return 0;
}

// The same mesh as bytes: a triangle in the group 7, a tetrahedron in the group 8.
static void put(FILE *file, const char *kinds, ...)
{
    va_list list;
    va_start(list, kinds);
    for (; *kinds; kinds++) {
        int i = va_arg(list, int);
        uint64_t size = (uint64_t)i;
        double number = i;
        if (*kinds == 'i') fwrite(&i, sizeof i, 1, file);
        if (*kinds == 's') fwrite(&size, sizeof size, 1, file);
        if (*kinds == 'd') fwrite(&number, sizeof number, 1, file);
    }
    va_end(list);
}

static void put_mesh(FILE *file, bool new)
{
    static const int label[4] = {1, 2, 3, 9},
                     x[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    fprintf(file, "$MeshFormat\n%s 1 8\n", new ? "4.1" : "2.2");
    put(file, "i", 1);
    fprintf(file, "\n$EndMeshFormat\n$PhysicalNames\n1\n2 7 \"root face\"\n$EndPhysicalNames\n");
    if (new) {
        fprintf(file, "$Entities\n");
        put(file, "ssss", 0, 0, 1, 1);
        put(file, "iddddddsis", 3, 0, 0, 0, 1, 1, 0, 1, 7, 0);
        put(file, "iddddddsisi", 4, 0, 0, 0, 1, 1, 1, 1, 8, 1, 3);
        fprintf(file, "\n$EndEntities\n$Nodes\n");
        put(file, "ssssiiis", 1, 4, 1, 9, 3, 4, 0, 4);
        for (int i = 0; i < 4; i++) put(file, "s", label[i]);
        for (int i = 0; i < 4; i++) put(file, "ddd", x[i][0], x[i][1], x[i][2]);
        fprintf(file, "\n$EndNodes\n$Elements\n");
        put(file, "ssssiiisssss", 2, 2, 1, 5, 2, 3, 2, 1, 1, 1, 2, 3);
        put(file, "iiisssss", 3, 4, 4, 1, 5, 1, 2, 3);
        put(file, "s", 9);
        fprintf(file, "\n$EndElements\n");
    } else {
        fprintf(file, "$Nodes\n4\n");
        for (int i = 0; i < 4; i++) put(file, "iddd", label[i], x[i][0], x[i][1], x[i][2]);
        fprintf(file, "\n$EndNodes\n$Elements\n2\n");
        put(file, "iiiiiiiii", 2, 1, 2, 1, 7, 1, 1, 2, 3);
        put(file, "iiiiiiiiii", 4, 1, 2, 5, 8, 1, 1, 2, 3, 9);
        fprintf(file, "\n$EndElements\n");
    }
}

static int gmsh_in_bytes_is_the_same(void)
{
    for (int k = 0; k < 2; k++) {
        flx_ctx *ctx = flx_ctx_create();
        flx_structure *s = NULL;
        snprintf(path, sizeof path, "mesh_%ld.msh", (long)getpid());
        FILE *file = fopen(path, "wb");
        put_mesh(file, k);
        long whole = ftell(file);
        fclose(file);
        CHECK(flx_mesh_read(ctx, path, FLX_NOWHERE, &s) == FLX_OK);
        CHECK(s->nnode == 4 && s->nelement == 2 && s->x[3 * 3 + 2] == 1);
        CHECK(flx_structure_node_of(s, 9) == 3);
        CHECK(s->elements[1].cell == FLX_CELL_TET4 && s->elements[1].label == 5);
        const flx_mesh_set *root = flx_structure_find_set(s, "root face");
        const flx_mesh_set *body = flx_structure_find_set(s, "8");
        CHECK(root && root->nnode == 3 && root->nelement == 1);
        CHECK(body && body->nnode == 4 && body->nelement == 1);
        flx_structure_destroy(&s);
        for (long cut = whole - 14; cut > 0; cut--) { // any beginning of it is refused
            CHECK(truncate(path, cut) == 0);
            CHECK(flx_mesh_read(ctx, path, FLX_NOWHERE, &s) == FLX_ERR_MODEL);
            flx_ctx_clear_messages(ctx);
        }
        remove(path);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

// Groups without names: two of one number keep apart.
static int gmsh_groups_without_names(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_structure *s = NULL;
    CHECK(
        read_text(ctx, ".msh",
                  MSH2 TET_NODES
                  "$Elements\n3\n1 2 2 1 1 1 2 3\n5 4 2 1 1 1 2 3 9\n6 15 2 4 1 9\n$EndElements\n",
                  &s) == FLX_OK);
    const flx_mesh_set *face = flx_structure_find_set(s, "surface(1)");
    CHECK(face && face->nnode == 3);
    CHECK(flx_structure_find_set(s, "volume(1)") && !flx_structure_find_set(s, "1"));
    CHECK(flx_structure_find_set(s, "4"));
    CHECK(flx_ctx_warning_count(ctx) == 1);
    flx_structure_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Faces that Gmsh writes beside solids into files of other programs are boundaries.
static int boundaries_stand_beside_solids(void)
{
    const char *texts[2] = {
        "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n*ELEMENT,TYPE=CPS3,ELSET=Surface1\n1,1,2,3\n"
        "*ELEMENT,TYPE=T3D2,ELSET=l\n3,1,2\n*ELEMENT,TYPE=C3D4,ELSET=v\n2,1,2,3,4\n*ELSET,ELSET="
        "root\n"
        "1\n",
        "GRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,0.,1.,0.\nGRID,4,,0.,0.,1.\nCTRIA3,1,5,1,2,3\n"
        "CTETRA,2,6,1,2,3,4\n"};
    for (int k = 0; k < 2; k++) {
        flx_ctx *ctx = flx_ctx_create();
        flx_structure *s = NULL;
        CHECK(read_text(ctx, k ? ".bdf" : ".inp", texts[k], &s) == FLX_OK);
        CHECK(s->dimension == 3 && s->elements[0].family == FLX_FAMILY_NONE);
        CHECK(s->elements[s->nelement - 1].family == FLX_FAMILY_SOLID);
        const flx_mesh_set *root = flx_structure_find_set(s, k ? "surface(5)" : "root");
        CHECK(root && root->nnode == 3 && root->nelement == 1);
        flx_structure_destroy(&s);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

static const struct {
    const char *ending, *text, *message;
    int line;
} mistakes[] = {
    {".msh", "hello\n", "this is no mesh of Gmsh", 1},
    {".msh", "$MeshFormat\n4.1 1 8\n$EndMeshFormat\n", "from another kind of machine", 3},
    {".msh", "$MeshFormat\n3.0 0 8\n$EndMeshFormat\n", "version 3 of the format", 2},
    {".msh", MSH4 "$PartitionedEntities\n1\n2000000000\n1 1\n0 0 0 0\n$EndPartitionedEntities\n",
     "a ghost entity is expected", 9},
    {".msh", MSH2 "$Nodes\n2\n1 0 0 0\n", "the file ends where a node's number is expected", 7},
    {".msh", MSH2 "$Nodes\n1\n1 0 0 x\n$EndNodes\n", "'x' where a coordinate of a node", 6},
    {".msh", MSH2 "$Nodes\n1\n1 0 0 nan\n$EndNodes\n", "'nan' where a coordinate of a node", 6},
    {".msh", MSH2 "$Nodes\n1\n1 0 0 0\n2 0 0 0\n$EndNodes\n", "where the end of section $Nodes", 7},
    {".msh", MSH2 "$Nodes\n1\n1 0 0 0\n", "section $Nodes has no end", 4},
    {".msh", MSH2 "$Nodes\n2\n1 0 0 0\n1 0 0 0\n$EndNodes\n", "node 1 is there twice", 7},
    {".msh", MSH2 TET_NODES, "the mesh has no section $Elements", 11},
    {".msh", MSH2 TET_NODES "$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n", "element 1 has node 4",
     13},
    {".msh", MSH2 TET_NODES "$Elements\n1\n1 6 0 1 2 3 9\n$EndElements\n", "(a prism)", 13},
    {".msh", MSH2 TET_NODES "$Elements\n3\n1 4 0 1 2 3 9\n$EndElements\n",
     "'$EndElements' where an element's number", 14},
    {".msh", MSH2 "$Elements\n0\n$EndElements\n", "elements come before the nodes", 5},
    {".msh", MSH2 "$Nodes\n99999999999\n", "'99999999999' where the number of nodes", 5},
    {".inp", "1, 2\n", "where a keyword is expected", 1},
    {".inp", "*NODE\n1, 0, 0, y\n", "'y' where a coordinate is expected", 2},
    {".inp", "*NODE\n1,0,0,0\n*ELEMENT, TYPE=C3D5\n1,1\n",
     "elements of type C3D5 are not known; the nearest are C3D", 3},
    {".inp", "*NODE\n1,0,0,0\n*ELEMENT\n1,1\n", "*ELEMENT needs TYPE=", 3},
    {".inp", "*NODE\n1,0,0,0\n*ELEMENT, TYPE=C3D4\n1,1,1,1,2\n", "element 1 has node 2", 4},
    {".inp", "*NODE\n1,0,0,0\n*ELEMENT, TYPE=C3D4\n1,1,1\n", "element 1 has 2 of the 4 nodes", 4},
    {".inp", "*PART, NAME=a\n", "*PART has no *END PART", 1},
    {".inp",
     "*PART,NAME=a\n*INSTANCE,NAME=i,PART=a\n*END PART\n*INSTANCE,NAME=j,PART=a\n*END INSTANCE\n",
     "*INSTANCE within a part", 2},
    {".nas", "GRID,1,,+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+,0.,0.\n", "where a coordinate is expected",
     1},
    {".inp", "*NODE\n1,0\n*BOUNDARY\nroot, 1\n", "no set of nodes is named 'root'", 4},
    {".inp", "*NODE\n1,0\n*BOUNDARY\n1, 7\n", "where a component from 1 to 6", 4},
    {".inp", "*NODE\n1,0\n2,1\n*ELEMENT,TYPE=T3D2\n1,1,2\n1,2,1\n", "element 1 is there twice", 6},
    {".nas", "GRID,1,,0.,0.,0.\nCTETRA,1,1,1,2,3,4\n", "CTETRA has node 2", 2},
    {".nas", "GRID,1,5,0.,0.,0.\n", "in the coordinate system 5, which is not in the file", 1},
    {".nas", "GRID,1,,0.,zero,0.\n", "'zero' in field 5 where a coordinate", 1},
    {".nas", "GRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nCROD,1,3,1,2\nPROD,4,1,1.\n",
     "element 1 has property 3", 3},
    {".nas", "GRID,1,,0.,0.,0.\nCPENTA,1,1,1,1,1,1,1,1\n",
     "CPENTA: this kind of element is not known", 2},
    {".nas", "$ nothing\n", "the file has no nodes", 1},
    {".obj", "", "is no mesh by its ending", 0},
};

static int every_mistake_has_its_line(void)
{
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        flx_ctx *ctx = flx_ctx_create();
        flx_structure *s = NULL;
        CHECK(read_text(ctx, mistakes[i].ending, mistakes[i].text, &s) == FLX_ERR_MODEL);
        CHECK(s == NULL);
        CHECK_TEXT(flx_ctx_error(ctx, 0)->text, mistakes[i].message);
        if (flx_ctx_error(ctx, 0)->loc.line != mistakes[i].line) {
            printf("%s: line %d\n", mistakes[i].message, flx_ctx_error(ctx, 0)->loc.line);
        }
        CHECK(flx_ctx_error(ctx, 0)->loc.line == mistakes[i].line);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

// A cantilever, tip force: deflection F L^3/(3 E I) in both formats, Euler and Bernoulli.
static const char *const cantilevers[2] = {
    "*HEADING\n a beam\n*NODE, NSET=all\n1, 0., 0., 0.\n2, 0.5, 0., 0.\n3, 1., 0., 0.\n"
    "*ELEMENT, TYPE=B33, ELSET=beam\n1, 1, 2\n2, 2, 3\n*NSET, NSET=tip\n 3,\n"
    "*MATERIAL, NAME=steel\n*ELASTIC\n2.1e11, 0.3\n*DENSITY\n7850.\n"
    "*BEAM SECTION, ELSET=beam, SECTION=RECT, MATERIAL=STEEL\n0.02, 0.01\n0., 1., 0.\n"
    "*STEP\n*STATIC\n*BOUNDARY\n1, ENCASTRE\n*CLOAD\nTIP, 2, 10.\n*END STEP\n",
    "SOL 101\nCEND\nBEGIN BULK\nGRID    1               0.      0.      0.\n"
    "GRID*                  2                              .5              0.\n*                   "
    "  0.\n"
    "GRID,3,,1.,0.,0.\nCBAR,1,10,1,2,0.,1.,0.\nCBAR,2,10,2,3,0.,1.,0.\n"
    "PBAR,10,5,2.-4,6.66666666666667-9,1.66666666666667-9,4.57-9\nMAT1,5,2.1+11,,.3,7850.\n"
    "SPC1,1,123456,1\nFORCE,1,3,0,10.,0.,1.,0.\nENDDATA\n"};

static int whole_models_are_read(void)
{
    for (int k = 0; k < 2; k++) {
        flx_ctx *ctx = flx_ctx_create();
        flx_structure *s = NULL;
        flx_fe *fe = NULL;
        flx_frontal *f = NULL;
        CHECK(read_text(ctx, k ? ".bdf" : ".inp", cantilevers[k], &s) == FLX_OK);
        CHECK(s->nnode == 3 && s->nelement == 2 && s->nmaterial == 1);
        for (int i = 0; i < s->nsection; i++) s->sections[i].shear = false;
        CHECK(flx_fe_create(ctx, s, NULL, &fe) == FLX_OK);
        CHECK(fe->n == 12);
        CHECK_REL(fe->mass, 7850 * 2e-4, 1e-12);
        CHECK(flx_frontal_create(ctx, &fe->K, NULL, &f) == FLX_OK);
        CHECK(flx_frontal_factor(f, 1, &fe->K, 0, NULL) == FLX_OK);
        CHECK(flx_frontal_reserve(f, 1) == FLX_OK);
        flx_frontal_solve(f, 1, fe->f);
        double I = 0.01 * 0.02 * 0.02 * 0.02 / 12;
        CHECK_REL(fe->f[fe->dof[6 * 2 + 1]], 10 / (3 * 2.1e11 * I), 1e-10);
        flx_frontal_destroy(&f);
        flx_fe_destroy(&fe);
        flx_structure_destroy(&s);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

static int faces_carry_pressure(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_structure *s = NULL;
    flx_fe *fe = NULL;
    const char *text =
        "*NODE\n1,0,0,0\n2,2,0,0\n3,2,1,0\n4,0,1,0\n5,0,0,1\n6,2,0,1\n7,2,1,1\n8,0,1,1\n"
        "*ELEMENT,TYPE=C3D8,ELSET=e\n1,1,2,3,4,5,6,7,8\n*MATERIAL,NAME=m\n*ELASTIC\n1,0.3\n"
        "*DENSITY\n3.\n*SOLID SECTION,ELSET=e,MATERIAL=m\n*DLOAD\ne, P2, 5.\n e, GRAV, 9.81, "
        "0.,0.,-1.\n";
    CHECK(read_text(ctx, ".inp", text, &s) == FLX_OK);
    CHECK(flx_fe_create(ctx, s, NULL, &fe) == FLX_OK);
    double sum[3] = {0};
    for (int i = 0; i < fe->n; i++) sum[fe->node_of[i] % 6] += fe->f[i];
    CHECK_NEAR(sum[0], 0, 1e-12);
    CHECK_NEAR(sum[2], -5 * 2 - 3 * 2 * 9.81, 1e-11); // presses the top down
    flx_fe_destroy(&fe);
    flx_structure_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Gravity of a set of masses, of one that has solids and masses, and of one without the masses; amplitudes are told.
static int masses_in_a_set_have_its_weight(void)
{
    static const char *const loads[] = {"*DLOAD\nBALL, GRAV, 10., 0, 0, -1\n",
                                        "*DLOAD, AMPLITUDE=ramp\nBOTH, GRAV, 10., 0, 0, -1\n",
                                        "*DLOAD\ne, GRAV, 10., 0, 0, -1\n",
                                        "*DLOAD\n, GRAV, 10., 0, 0, -1\n"};
    static const double weight[] = {70, 70 + 60, 60, 70 + 60};
    for (int k = 0; k < 4; k++) {
        char text[2000];
        flx_ctx *ctx = flx_ctx_create();
        flx_structure *s = NULL;
        flx_fe *fe = NULL;
        snprintf(text, sizeof text,
                 "*NODE\n1,0,0,0\n2,2,0,0\n3,2,1,0\n4,0,1,0\n5,0,0,1\n6,2,0,1\n7,2,1,1\n8,0,1,1\n"
                 "*ELEMENT,TYPE=C3D8,ELSET=e\n1,1,2,3,4,5,6,7,8\n"
                 "*ELEMENT,TYPE=MASS,ELSET=BALL\n2,7\n3,8\n*MASS,ELSET=BALL\n3.5\n"
                 "*ELSET,ELSET=BOTH\ne,BALL\n*AMPLITUDE,NAME=ramp\n0,0,1,0.5\n"
                 "*MATERIAL,NAME=m\n*ELASTIC\n1,0.3\n*DENSITY\n3.\n"
                 "*SOLID SECTION,ELSET=e,MATERIAL=m\n*STEP\n*STATIC\n%s*END STEP\n",
                 loads[k]);
        CHECK(read_text(ctx, ".inp", text, &s) == FLX_OK);
        CHECK(flx_fe_create(ctx, s, NULL, &fe) == FLX_OK);
        double sum = 0, moment = 0;
        for (int i = 0; i < fe->n; i++) {
            sum += fe->node_of[i] % 6 == 2 ? fe->f[i] : 0;
            moment += fe->node_of[i] % 6 == 2 ? fe->f[i] * s->x[3 * (fe->node_of[i] / 6) + 1] : 0;
        }
        CHECK_NEAR(sum, -weight[k], 1e-11);
        CHECK_NEAR(moment, -(k != 2 ? 70 : 0) - (k != 0 ? 30 : 0), 1e-11);
        CHECK(flx_ctx_warning_count(ctx) == (k == 1));
        if (k == 1) CHECK_TEXT(flx_ctx_warning(ctx, 0)->text, "AMPLITUDE= is passed over");
        flx_fe_destroy(&fe);
        flx_structure_destroy(&s);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

// Nodes in axes of their own: shifted, turned about z, turned, and again without; within an instance that is turned.
static int systems_of_coordinates_place_nodes(void)
{
    static const double places[][3] = {{1, 2, 3}, {11, 22, 33}, {10 - 2, 20 + 1, 30 + 3},
                                       {3, 1, 2}, {1, 2, 3},    {-22, 11, 33},
                                       {-2, 1, 3}};
    flx_ctx *ctx = flx_ctx_create();
    flx_structure *s = NULL;
    const char *text = "*NODE\n1, 1., 2., 3.\n*SYSTEM\n10., 20., 30.,\n*NODE\n2, 1., 2., 3.\n"
                       "*SYSTEM\n10., 20., 30., 10., 21., 30.\n*NODE\n3, 1., 2., 3.\n"
                       "*SYSTEM\n0., 0., 0., 0., 5., 0.\n0., 1., 2.\n*NODE\n4, 1., 2., 3.\n"
                       "*SYSTEM\n*NODE\n5, 1., 2., 3.\n"
                       "*PART, NAME=p\n*SYSTEM\n10., 20., 30.\n*NODE\n1, 1., 2., 3.\n*END PART\n"
                       "*INSTANCE, NAME=i, PART=p\n0., 0., 0.\n0., 0., 0., 0., 0., 1., 90.\n"
                       "*END INSTANCE\n*NODE\n6, -2., 1., 3.\n";
    CHECK(read_text(ctx, ".inp", text, &s) == FLX_OK);
    CHECK(s->nnode == 7);
    for (int i = 0; i < 7; i++) {
        for (int c = 0; c < 3; c++) CHECK_NEAR(s->x[3 * i + c], places[i][c], 1e-12);
    }
    flx_structure_destroy(&s);
    CHECK(read_text(ctx, ".inp", "*SYSTEM\n0,0,0,1,0,0\n2,0,0\n*NODE\n1,0,0,0\n", &s) ==
          FLX_ERR_MODEL);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "the places of *SYSTEM are on one line");
    flx_ctx_destroy(&ctx);
    return 0;
}

static int matrices_come_in_pairs(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_symmetric K, M;
    flx_mode_set *modes = NULL;
    char stiffness[64];
    write_file("_K.mtx", "%%MatrixMarket matrix coordinate real symmetric\n% two springs\n2 2 3\n1 "
                         "1 30\n2 1 -10\n2 2 10\n");
    snprintf(stiffness, sizeof stiffness, "%s", path);
    write_file("_M.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 1\n");
    CHECK(flx_matrix_market_read(ctx, stiffness, path, FLX_NOWHERE, &K, &M) == FLX_OK);
    CHECK(flx_modes_create(ctx, &K, &M, &(flx_modes_def){.count = 2}, &modes) == FLX_OK);
    CHECK_REL(modes->lambda[0], 20 - sqrt(200), 1e-13);
    CHECK_REL(modes->lambda[1], 20 + sqrt(200), 1e-13);
    flx_modes_destroy(&modes);
    flx_symmetric_clear(&K);
    flx_symmetric_clear(&M);
    write_file("_M.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n3 2 1\n");
    CHECK(flx_matrix_market_read(ctx, stiffness, path, FLX_NOWHERE, &K, &M) == FLX_ERR_MODEL);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "entry (3, 2) is outside");
    CHECK(flx_ctx_error(ctx, 0)->loc.line == 4);
    // a number of entries that is not that of the file, a size that cannot be meant
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"2 2 1\n1 1 1\n2 2 1\n", "goes on after its 1 entries"},
        {"2 2 -2\n1 1 1\n2 2 1\n", "number of entries is negative: -2"},
        {"2000000000 2000000000 1\n1 1 1\n", "2000000000 unknowns but only 2 entries"},
    };
    for (int i = 0; i < 3; i++) {
        char text[128];
        snprintf(text, sizeof text, "%%%%MatrixMarket matrix coordinate real symmetric\n%s",
                 wrong[i].text);
        write_file("_M.mtx", text);
        flx_ctx_clear_messages(ctx);
        const char *first = i == 2 ? path : stiffness;
        CHECK(flx_matrix_market_read(ctx, first, path, FLX_NOWHERE, &K, &M) == FLX_ERR_MODEL);
        CHECK_TEXT(flx_ctx_error(ctx, 0)->text, wrong[i].message);
    }
    remove(path);
    remove(stiffness);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Both triangles of a general matrix say the same, to rounding; of a symmetric one there is one.
static int triangles_of_matrices_agree(void)
{
    static const struct {
        const char *text, *message; // NULL: it is taken
        int line;
    } cases[] = {
        {"general\n2 2 4\n1 1 30\n2 1 -10\n1 2 -10.000000000000002\n2 2 10\n", NULL, 0},
        {"general\n2 2 5\n1 1 30\n2 1 -4\n2 1 -6\n1 2 -10\n2 2 10\n", NULL, 0}, // sums
        {"symmetric\n2 2 3\n1 1 30\n1 2 -10\n2 2 10\n", NULL, 0},
        {"general\n2 2 3\n1 1 30\n2 1 -10\n2 2 10\n", "(2, 1) is -10, and (1, 2) is 0", 4},
        {"general\n2 2 4\n1 1 30\n1 2 -10.0000001\n2 2 10\n2 1 -10\n", "write 'symmetric'", 4},
        {"symmetric\n2 2 4\n1 1 30\n2 1 -10\n1 2 -10\n2 2 10\n", "write 'general'", 4},
    };
    flx_ctx *ctx = flx_ctx_create();
    char mass[64], text[200];
    write_file("_M.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 1\n");
    snprintf(mass, sizeof mass, "%s", path);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        flx_symmetric K, M;
        flx_mode_set *modes = NULL;
        snprintf(text, sizeof text, "%%%%MatrixMarket matrix coordinate real %s", cases[i].text);
        write_file("_K.mtx", text);
        flx_ctx_clear_messages(ctx);
        flx_status status = flx_matrix_market_read(ctx, path, mass, FLX_NOWHERE, &K, &M);
        CHECK(status == (cases[i].message ? FLX_ERR_MODEL : FLX_OK));
        if (cases[i].message) {
            CHECK_TEXT(flx_ctx_error(ctx, 0)->text, cases[i].message);
            CHECK(flx_ctx_error(ctx, 0)->loc.line == cases[i].line);
            continue;
        }
        CHECK(flx_modes_create(ctx, &K, &M, &(flx_modes_def){.count = 2}, &modes) == FLX_OK);
        CHECK_REL(modes->lambda[0], 20 - sqrt(200), 1e-13);
        flx_modes_destroy(&modes);
        flx_symmetric_clear(&K);
        flx_symmetric_clear(&M);
    }
    remove(path);
    remove(mass);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int tables_of_nodes_have_points(void)
{
    static const char *const good[] = {"7 0.5 1\n", "7,0.5,1\n",         "7, 0.5, 1\n",
                                       "7;0.5;1\n", "7\t0.5\t1 # 0,5\n", "7 ,0.5 ,1\n"};
    static const char *const bad[] = {"7;0,5;1\n",   "7 0,5 1\n", "7\t0,5\t1\n", "7; 1; 0,5\n",
                                      "1e300 0 0\n", "7 0\n",     "node x y\n"};
    flx_ctx *ctx = flx_ctx_create();
    flx_structure *s = NULL;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        CHECK(flx_mesh_read_nodes(ctx, write_file(".csv", good[i]), FLX_NOWHERE, &s) == FLX_OK);
        CHECK(s->nnode == 1 && s->label[0] == 7 && s->x[0] == 0.5 && s->x[1] == 1.0);
        flx_structure_destroy(&s);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        flx_ctx_clear_messages(ctx);
        CHECK(flx_mesh_read_nodes(ctx, write_file(".csv", bad[i]), FLX_NOWHERE, &s) != FLX_OK);
        CHECK_TEXT(flx_ctx_error(ctx, 0)->text,
                   i < 4 ? "a decimal comma?" : "a node is its number");
    }
    remove(path);
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(gmsh_old_and_new_give_one_mesh), TEST(gmsh_in_bytes_is_the_same),
          TEST(gmsh_groups_without_names), TEST(boundaries_stand_beside_solids),
          TEST(every_mistake_has_its_line), TEST(whole_models_are_read), TEST(faces_carry_pressure),
          TEST(masses_in_a_set_have_its_weight), TEST(systems_of_coordinates_place_nodes),
          TEST(matrices_come_in_pairs), TEST(triangles_of_matrices_agree),
          TEST(tables_of_nodes_have_points))
