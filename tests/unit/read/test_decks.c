// test_decks.c - decks of Abaqus and Nastran as other programs write them, each solved and set beside its closed form.
#include "check.h"
#include "fe/fe_equations.h"
#include "math/frontal/frontal.h"
#include "read/mesh.h"
#include "read/scan.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A cantilever of one slender beam along x with a force 10 along z or y at its end: E = 2e11, L = 1.
#define NODES "*node, nset=all\n1, 0., 0., 0.\n2, 1., 0., 0.\n"
#define STEEL "*material, name=steel\n*elastic\n2.e11, 0.\n*density\n7800.,\n"
#define HELD "*boundary\n1, 1, 6\n"
#define DOWN(comp) "*step\n*static\n*cload\n2, " comp ", 10.\n*end step\n"
#define BEAM(type, section) NODES "*element, type=" type ", elset=e\n1, 1, 2\n" section STEEL HELD
#define BEND(I) (10 / (3 * 2e11 * (I)))

// A block 2 x 1 x 1 of one element, held at x = 0 so that it may shrink; E = 1000.
#define BLOCK                                                                                      \
    "*NODE\n1,0,0,0\n2,2,0,0\n3,2,1,0\n4,0,1,0\n5,0,0,1\n6,2,0,1\n7,2,1,1\n8,0,1,1\n9,2,0.5,0.5\n" \
    "*NSET,NSET=root\n1,4,5,8\n*MATERIAL,NAME=m\n*ELASTIC\n1000.,0.\n*DENSITY\n3.\n"
#define BLOCK_HELD "*BOUNDARY\nroot,1\n1,2,3\n4,3\n5,2\n"

// Two elements beside each other, the faces at the end of one three times as wide, and a node in front of their middle.
#define TWO_FACES(coupling)                                                                        \
    "*NODE\n1,0,0,0\n2,2,0,0\n3,2,.25,0\n4,0,.25,0\n5,0,0,1\n6,2,0,1\n7,2,.25,1\n8,0,.25,1\n"      \
    "9,2,1,0\n10,0,1,0\n11,2,1,1\n12,0,1,1\n13,3,.5,.5\n*ELEMENT,TYPE=C3D8,ELSET=e\n"              \
    "1,1,2,3,4,5,6,7,8\n2,4,3,9,10,8,7,11,12\n*NSET,NSET=root\n1,4,5,8,10,12\n*MATERIAL,NAME=m\n"  \
    "*ELASTIC\n1000.,0.\n*SOLID SECTION,ELSET=e,MATERIAL=m\n*SURFACE,NAME=tip\ne,S4\n"             \
    "*COUPLING,CONSTRAINT NAME=c,REF NODE=13,SURFACE=tip" coupling BLOCK_HELD                      \
    "*STEP\n*CLOAD\n13,1,5.\n"

#define BULK "MAT1,5,2.+11,,0.,7800.\n"
#define BAR(fields) "GRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nCBAR,1,10,1,2," fields "\n" BULK
#define ROD "GRID,1,,0.,0.,0.,,123\nCROD,1,10,1,2\nPROD,10,5,1.-3\n" BULK
#define CHEXA                                                                                      \
    "GRID,1,,0.,0.,0.\nGRID,2,,2.,0.,0.\nGRID,3,,2.,1.,0.\nGRID,4,,0.,1.,0.\nGRID,5,,0.,0.,1.\n"   \
    "GRID,6,,2.,0.,1.\nGRID,7,,2.,1.,1.\nGRID,8,,0.,1.,1.\nCHEXA,1,9,1,2,3,4,5,6\n,7,8\n"          \
    "PSOLID,9,3\nMAT1,3,1000.,,0.,3.\nSPC1,1,1,1,4,5,8\nSPC1,1,23,1\nSPC1,1,3,4\nSPC1,1,2,5\n"

static const struct {
    const char *ending, *text;
    int node, comp;
    double value;
} decks[] = {
    // the first size of RECT is along -z where no axis is given, along the given one otherwise
    {".inp",
     BEAM("B33", "*beam section, elset=e, material=steel, section=rect\n0.02, 0.05\n") DOWN("2"), 2,
     1, BEND(0.02 * 0.05 * 0.05 * 0.05 / 12)},
    {".inp",
     BEAM("B33", "*beam section, elset=e, material=steel, section=rect\n0.02, 0.05\n0., 1., 0.\n")
         DOWN("2"),
     2, 1, BEND(0.05 * 0.02 * 0.02 * 0.02 / 12)},
    // in the plane the second size is the height
    {".inp",
     BEAM("B23", "*beam section, elset=e, material=steel, section=rect\n0.02, 0.05\n") DOWN("2"), 2,
     1, BEND(0.02 * 0.05 * 0.05 * 0.05 / 12)},
    {".inp",
     BEAM("B33", "*beam section, elset=e, material=steel, section=pipe\n0.05, 0.01\n") DOWN("3"), 2,
     2, BEND(FLX_PI / 4 * (6.25e-6 - 2.56e-6))},
    {".inp",
     BEAM("B33", "*beam section, elset=e, material=steel, section=box\n0.1, 0.2, 0.01, 0.02, 0.01, "
                 "0.02\n0,0,-1\n") DOWN("2"),
     2, 1, BEND((0.1 * 0.008 - 0.08 * 0.16 * 0.16 * 0.16) / 12)},
    {".inp",
     BEAM("B33", "*beam section, elset=e, material=steel, section=I\n0.1, 0.2, 0.1, 0.1, 0.01, "
                 "0.01, 0.008\n0,0,-1\n") DOWN("2"),
     2, 1, BEND((0.1 * 0.008 - 0.092 * 0.18 * 0.18 * 0.18) / 12)},
    {".inp",
     BEAM("B33",
          "*beam general section, elset=e, section=general, density=7800.\n1.e-3, 3.e-7, 0., "
          "5.e-7, 1.e-7\n0., 0., -1.\n2.e11, 8.e10\n") DOWN("2"),
     2, 1, BEND(3e-7)},
    // a beam of three nodes is two; one in an instance is shifted, then turned
    {".inp",
     NODES "3, 0.5, 0., 0.\n*element, type=B32, elset=e\n1, 1, 3, 2\n"
           "*beam general section, elset=e\n1.e-3, 3.e-7, 0., 5.e-7, 1.e-7\n0., 0., -1.\n2.e11, "
           "8.e10\n" HELD DOWN("2"),
     2, 1, BEND(3e-7)},
    {".inp",
     "*Part, name=Arm\n" NODES
     "*Element, type=B33\n 7, 1, 2\n*Elset, elset=Set-1\n 7,\n*Nset, nset=root\n 1,\n*Nset, "
     "nset=tip\n 2\n"
     "*Beam Section, elset=Set-1, material=Steel, temperature=GRADIENTS,\nsection=RECT\n0.02, "
     "0.05\n0.,0.,-1.\n*End Part\n"
     "*Assembly, name=Assembly\n*Instance, name=Other, part=Arm\n 0., 0., 5.\n*End Instance\n"
     "*Instance, name=Arm-1, part=Arm\n 1., 0., 0.\n 0., 0., 0., 0., 0., 1., 90.\n*End "
     "Instance\n*Node\n 1, 0., 2.5, 0.\n*Nset, nset=\"m_Set-2\", internal\n 1\n"
     "*Nset, nset=Held, instance=Other, generate\n 1, 2, 1\n*End Assembly\n"
     "** comment\n*Material, name=STEEL\n*Elastic, type=ISOTROPIC\n2.e11, 0.\n*Boundary\n"
     "Arm-1.root, ENCASTRE\nHeld, 1, 6\n*Step, name=Step-1, nlgeom=NO\n*Static\n1., 1., 1e-05, 1.\n"
     "*Cload\nArm-1.2, 1, 10.\n*End Step\n*Step\n*Cload\nArm-1.tip, 1, 99.\n*End Step\n",
     12, 0, BEND(0.02 * 0.05 * 0.05 * 0.05 / 12)},
    // loads along beams and bars
    {".inp",
     BEAM("B33",
          "*beam section, elset=e, material=steel, section=rect\n0.02, 0.05\n") "*step\n*dload\ne, "
                                                                                "PY, 80.\n*end "
                                                                                "step\n",
     2, 1, 10 / (2e11 * 0.02 * 0.05 * 0.05 * 0.05 / 12)},
    {".inp",
     NODES
     "*element, type=T3D2, elset=e\n1, 1, 2\n*solid section, elset=e, material=steel\n1.e-3\n" STEEL
     "*boundary\n1, 1, 3\n2, 2, 3\n*step\n*dload\ne, CENTRIF, 1.e4, 0,0,0, 0,0,2\n",
     2, 0, 7800 * 1e4 / (3 * 2e11)},
    // a roller along x = y, pushed along it; a spring along its line
    {".inp",
     NODES
     "*element, type=T3D2, elset=e\n1, 1, 2\n*solid section, elset=e, material=steel\n1.e-3\n" STEEL
     "*nset, nset=n\n2\n*transform, nset=n\n1., 1., 0., -1., 1., 0.\n*boundary\n1, 1, "
     "3\n2, 2, 3\n*step\n*cload\n2, 1, 1000.\n",
     2, 1, 1000 / (2e8 * 0.70710678118654752)},
    {".inp",
     NODES "*element, type=SPRINGA, elset=e\n1, 1, 2\n*spring, elset=e\n\n 500.\n*boundary\n1, 1, "
           "3\n2, 2, 3\n*step\n*cload\n2, 1, 10.\n",
     2, 0, 0.02},
    // the end of a spring moves twice as far as another: u2 = 2 u1, of 100 (u1) and 50 (u2)
    {".inp",
     NODES "*element, type=SPRING1, elset=a\n1, 1\n*element, type=SPRING1, elset=b\n2, 2\n"
           "*spring, elset=a\n1\n100.\n*spring, elset=b\n1\n50.\n*equation\n2\n2, 1, 1., 1, 1, "
           "-2.\n*step\n*cload\n2, 1, 30.\n",
     1, 0, 30 * 2 / (100 + 4 * 50.0)},
    // faces: pulled by a surface, by a kinematic and a distributing coupling; bent without locking
    {".inp",
     BLOCK "*ELEMENT,TYPE=C3D8,ELSET=e\n1,1,2,3,4,5,6,7,8\n*SOLID SECTION,ELSET=e,MATERIAL=m\n"
           "*SURFACE,NAME=tip\ne,S4\n" BLOCK_HELD "*STEP\n*DSLOAD\ntip,P,-5.\n",
     7, 0, 5 * 2 / 1000.0},
    {".inp",
     BLOCK "*ELEMENT,TYPE=C3D8,ELSET=e\n1,1,2,3,4,5,6,7,8\n*SOLID SECTION,ELSET=e,MATERIAL=m\n"
           "*SURFACE,NAME=tip\ne,S4\n" BLOCK_HELD "*STEP\n*DSLOAD\ntip,TRVEC,5.,2.,0.,0.\n",
     7, 0, 5 * 2 / 1000.0},
    {".inp",
     BLOCK "*ELEMENT,TYPE=C3D8I,ELSET=e\n1,1,2,3,4,5,6,7,8\n*SOLID SECTION,ELSET=e,MATERIAL=m\n"
           "*SURFACE,NAME=tip\ne,S4\n*COUPLING,CONSTRAINT NAME=c,REF "
           "NODE=9,SURFACE=tip\n*KINEMATIC\n" BLOCK_HELD "*STEP\n*CLOAD\n9,6,3.\n",
     9, 1, 3 * 2 * 2 / (2 * 1000.0 / 12)},
    {".inp",
     BLOCK "*ELEMENT,TYPE=C3D8R,ELSET=e\n1,1,2,3,4,5,6,7,8\n*SOLID SECTION,ELSET=e,MATERIAL=m\n"
           "*SURFACE,NAME=tip\ne,S4\n*COUPLING,CONSTRAINT NAME=c,REF NODE=9,SURFACE=tip\n"
           "*DISTRIBUTING\n" BLOCK_HELD "*STEP\n*CLOAD\n9,6,3.\n",
     9, 5, 3 * 2 / (1000.0 / 12)},
    // the mean over the area of two faces, one three times as wide: a pull in its middle turns nothing
    {".inp", TWO_FACES("\n*DISTRIBUTING\n"), 11, 0, 5 * 2 / 1000.0},
    {".inp", TWO_FACES(",INFLUENCE RADIUS=9.\n*DISTRIBUTING,WEIGHTING METHOD=UNIFORM\n"), 13, 0,
     5 * 2 / 1000.0},
    // the edge of a plate is pulled over its thickness
    {".inp",
     "*NODE\n1,0,0\n2,2,0\n3,2,1\n4,0,1\n*ELEMENT,TYPE=CPS4I,ELSET=e\n1,1,2,3,4\n*MATERIAL,NAME=m\n"
     "*ELASTIC\n1000.,0.\n*SOLID SECTION,ELSET=e,MATERIAL=m\n0.05\n*BOUNDARY\n1,1,2\n4,1\n"
     "*STEP\n*DLOAD\ne,P2,-5.\n",
     3, 0, 5 * 2 / 1000.0},
    {".inp",
     "*NODE\n1,0,0\n2,2,0\n3,2,1\n4,0,1\n*ELEMENT,TYPE=CPS4R,ELSET=e\n1,1,2,3,4\n*MATERIAL,NAME=m\n"
     "*ELASTIC\n1000.,0.\n*SOLID SECTION,ELSET=e,MATERIAL=m\n0.5\n*BOUNDARY\n1,1,2\n4,1\n"
     "*STEP\n*CLOAD\n2,1,-3.\n3,1,3.\n",
     3, 1, -3 * 2 * 2 / (2 * 1000.0 * 0.5 / 12)},
    // places in a cylinder's coordinates; chosen sets, with their factors
    {".bdf",
     "SOL 101\nCEND\nSPC = 7\n  LOAD=20 $ of three\nBEGIN BULK\n"
     "CORD2C  5               0.      0.      0.      0.      0.      1.\n"
     "        1.      0.      0.\n"
     "GRID    1       5       0.      90.     0.\n"
     "GRID*                  2               5              1.             90.\n"
     "*                     0.\n"
     "CBAR,1,10,1,2,0.,0.,1.\nPBAR,10,5,1.-3,3.-7,5.-7,1.-7\n" BULK
     "SPC1,1,123456,2\nSPC1,8,123456,1\nSPCADD,7,8\nFORCE,1,2,0,5.,0.,0.,1.\n"
     "FORCE,2,2,0,99.,0.,0.,1.\nLOAD,20,2.,1.,1\nENDDATA\n",
     2, 2, BEND(3e-7)},
    // a bar beside its nodes bends when they are pulled apart
    {".bdf",
     BAR("0.,1.,0.,,+\n+,,,0.,.1,0.,0.,.1,0.") "PBAR,10,5,1.-3,2.-7,2.-7,4.-7\nSPC1,1,123456,"
                                               "1\nFORCE,1,2,,1000.,1.,0.,0.\nENDDATA\n",
     2, 0, 1000 / 2e8 + 0.1 * 100 / 4e4},
    {".bdf",
     BAR("0.,1.,0.") "PBARL,10,5,,TUBE\n,.05,.04\nSPC,1,1,123456\nPLOAD1,1,1,FY,FR,0.,80.,1.,80.\n",
     2, 1,
     10 / (2e11 * FLX_PI / 4 * (6.25e-6 - 2.56e-6)) +
         80 * 0.5 / (1e11 * FLX_PI * 9e-4 * 6 * 1.3 * 2.6896 / (8.8 * 2.6896 + 23.6 * 0.64))},
    {".bdf",
     BAR("0.,1.,0.") "PBEAM,10,5,1.-3,3.-7,5.-7,,1.-7\n,,,,,,,,\n,0.,0.\nSPC,1,1,123456\n"
                     "FORCE,1,2,,10.,0.,1.,0.\n",
     2, 1, BEND(3e-7)},
    // rollers by CD, held by GRID and moved by SPCD; spun by RFORCE
    {".bdf",
     "CORD2R,3,,0.,0.,0.,0.,0.,1.\n,1.,1.,0.\n" ROD "GRID,2,,1.,0.,0.,3,23\n"
     "FORCE,1,2,3,1000.,1.,0.,0.\nENDDATA\n",
     2, 1, 1000 / (2e8 * 0.70710678118654752)},
    {".bdf",
     ROD
     "GRID,2,,1.,0.,0.,,23\nGRID,3,,2.,0.,0.,,23\nCROD,2,10,2,3\nSPC,1,3,1,0.\nSPCD,1,3,1,.004\n",
     2, 0, 0.002},
    {".bdf", ROD "GRID,2,,1.,0.,0.,,23\nRFORCE,1,0,,2.,0.,0.,1.\n", 2, 0,
     7800 * 16 * FLX_PI *FLX_PI / (3 * 2e11)},
    // the same, held by GRDSET
    {".bdf", "GRDSET,,,,,,,23\n" ROD "GRID,2,,1.,0.,0.\nRFORCE,1,0,,2.,0.,0.,1.\n", 2, 0,
     7800 * 16 * FLX_PI *FLX_PI / (3 * 2e11)},
    // faces of solids; equations; rigid bars; means with two weights; springs of all components
    {".bdf", CHEXA "PLOAD4,1,1,-5.,,,,2,7\n", 3, 0, 5 * 2 / 1000.0},
    {".bdf", CHEXA "PLOAD4,1,1,5.,,,,2,7\n,0,3.,0.,0.\n", 3, 0, 5 * 2 / 1000.0},
    {".bdf", CHEXA "PLOAD,1,5.,2,3,7,6\n", 3, 0, 5 * 2 / 1000.0},
    {".bdf",
     "GRID,1,,0.,0.,0.\nGRID,2,,0.,0.,0.\nCELAS2,1,100.,1,1\nCELAS2,2,50.,,,2,1\n"
     "MPC,4,2,1,1.,1,1,-2.\nFORCE,1,2,,30.,1.,0.,0.\n",
     1, 0, 30 * 2 / (100 + 4 * 50.0)},
    {".bdf",
     BAR("0.,1.,0.") "GRID,3,,1.,1.,0.\nRBAR,9,2,3,123456\nPBAR,10,5,1.-3,2.-7,2.-7,4.-7\n"
                     "SPC1,1,123456,1\nFORCE,1,3,,4.,1.,0.,0.\n",
     2, 5, -4.0 / 4e4},
    {".bdf",
     "GRID,1,,0.,0.,0.\nGRID,2,,4.,0.,0.\nGRID,3,,0.,3.,0.\nGRID,9,,1.,0.,0.\n"
     "CELAS2,1,10.,1,3\nCELAS2,2,10.,2,3\nCELAS2,3,10.,3,3\nCELAS2,4,10.,1,1\nCELAS2,5,10.,1,2\n"
     "CELAS2,6,10.,2,2\nCELAS2,7,10.,2,1\nCELAS2,8,10.,3,1\nCELAS2,9,10.,3,2\n"
     "RBE3,1,,9,123456,3.,123,1\n,1.,123,2,3\nFORCE,1,9,,20.,0.,0.,1.\n",
     2, 2, 20 * 0.25 / 10},
    {".bdf",
     "GRID,1,,0.,0.,0.\nCBUSH,1,7,1,,,,,0\nPBUSH,7,K,10.,20.,30.,40.,50.,60.\n"
     "MOMENT,1,1,,5.,0.,0.,1.\nFORCE,1,1,,5.,0.,1.,0.\n",
     1, 5, 5 / 60.0},
};

static char path[64];

static const char *write_file(const char *ending, const char *text)
{
    snprintf(path, sizeof path, "deck_%ld%s", (long)getpid(), ending);
    FILE *file = fopen(path, "w");
    if (!file) return NULL;
    fputs(text, file);
    fclose(file);
    return path;
}

// u (nnode, 6) of a deck; NULL: it could not be solved, which was told.
static double *solve(flx_ctx *ctx, const flx_structure *s, flx_fe **fe)
{
    flx_frontal *f = NULL;
    double *u = NULL;
    flx_status status = flx_fe_create(ctx, s, NULL, fe);
    if (status == FLX_OK) status = flx_frontal_create(ctx, &(*fe)->K, NULL, &f);
    if (status == FLX_OK) status = flx_frontal_factor(f, 1, &(*fe)->K, 0, NULL);
    if (status == FLX_OK) status = flx_frontal_reserve(f, 1);
    if (status == FLX_OK) {
        flx_frontal_solve(f, 1, (*fe)->f);
        u = calloc(6 * (size_t)s->nnode, sizeof *u);
        if (u) flx_fe_expand(*fe, (*fe)->f, false, u);
    }
    flx_frontal_destroy(&f);
    return u;
}

// A load that nothing takes is told, with the reason.
static int lost_loads_are_told(void)
{
    static const struct {
        const char *load, *message;
    } lost[] = {
        {"MOMENT,1,7,,5.,1.,0.,0.\n", "the moment on node 7 does nothing: its elements take no"},
        {"MOMENT,1,7,,5.,0.,0.,1.\n", "the moment on node 7 does nothing: its elements take no"},
        {"GRID,9,,5.,5.,5.\nFORCE,1,9,,5.,0.,1.,0.\n",
         "the force on node 9 does nothing: no element reaches it"},
    };
    for (size_t k = 0; k < sizeof lost / sizeof lost[0]; k++) {
        char text[2000];
        flx_ctx *ctx = flx_ctx_create();
        flx_structure *s = NULL;
        flx_fe *fe = NULL;
        snprintf(text, sizeof text, "%s%s", CHEXA, lost[k].load);
        CHECK(flx_mesh_read(ctx, write_file(".bdf", text), FLX_NOWHERE, &s) == FLX_OK);
        remove(path);
        CHECK(flx_fe_create(ctx, s, NULL, &fe) == FLX_OK);
        bool told = false;
        for (int i = 0; i < flx_ctx_warning_count(ctx); i++) {
            told = told || strstr(flx_ctx_warning(ctx, i)->text, lost[k].message);
        }
        CHECK(told);
        flx_fe_destroy(&fe);
        flx_structure_destroy(&s);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

static int decks_have_their_closed_form(void)
{
    for (size_t k = 0; k < sizeof decks / sizeof decks[0]; k++) {
        flx_ctx *ctx = flx_ctx_create();
        flx_structure *s = NULL;
        flx_fe *fe = NULL;
        flx_status status =
            flx_mesh_read(ctx, write_file(decks[k].ending, decks[k].text), FLX_NOWHERE, &s);
        remove(path);
        if (status != FLX_OK) printf("deck %zu: %s\n", k, flx_ctx_error(ctx, 0)->text);
        CHECK(status == FLX_OK);
        double *u = solve(ctx, s, &fe);
        if (!u) printf("deck %zu is not solved\n", k);
        CHECK(u != NULL);
        double own = u[6 * flx_structure_node_of(s, decks[k].node) + decks[k].comp];
        if (fabs(own - decks[k].value) > 1e-9 * fabs(decks[k].value)) printf("deck %zu\n", k);
        CHECK_REL(own, decks[k].value, 1e-9);
        free(u);
        flx_fe_destroy(&fe);
        flx_structure_destroy(&s);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

// Files within files: messages name the file and its line.
static int files_include_files(void)
{
    char inner[64];
    const char *texts[3][2] = {
        {".inp", "*HEADING\n" NODES "*INCLUDE, INPUT=%s\n" STEEL HELD DOWN("2")},
        {".bdf", "GRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nINCLUDE '%s'\n" BULK "SPC1,1,123456,1\n"},
        {".inp", NODES "*ELEMENT, TYPE=B33, ELSET=e, INPUT=%s\n*BEAM SECTION, ELSET=e, "
                       "MATERIAL=steel, SECTION=CIRC\n0.01\n" STEEL HELD DOWN("2")}};
    const char *parts[3][2] = {
        {"*ELEMENT, TYPE=B33, ELSET=e\n1, 1, 2\n*BEAM SECTION, ELSET=e, MATERIAL=steel, "
         "SECTION=CIRC\n0.01\n",
         "*ELEMENT, TYPE=B33, ELSET=e\n1, 1, 3\n"},
        {"CBAR,1,10,1,2,0.,1.,0.\nPBAR,10,5,1.-3,3.-7,5.-7,1.-7\n",
         "$ wrong\nCBAR,1,10,1,3,0.,1.,0.\n"},
        {"1, 1, 2\n", "** wrong\n1, 1, 3\n"}};
    for (int k = 0; k < 6; k++) {
        flx_ctx *ctx = flx_ctx_create();
        flx_structure *s = NULL;
        char text[1024];
        bool wrong = k % 2;
        write_file(" inner", parts[k / 2][k % 2]);
        snprintf(inner, sizeof inner, "%s", path);
        snprintf(text, sizeof text, texts[k / 2][1], inner);
        flx_status status = flx_mesh_read(ctx, write_file(texts[k / 2][0], text), FLX_NOWHERE, &s);
        CHECK((status == FLX_OK) == !wrong);
        if (wrong) {
            CHECK_TEXT(flx_ctx_error(ctx, 0)->loc.file, inner);
            CHECK(flx_ctx_error(ctx, 0)->loc.line == 2);
        } else {
            CHECK(s->nelement == 1 && s->nmaterial == 1 && s->nsupport == 1);
            CHECK(strcmp(flx_structure_loc(s, s->elements[0].line).file, inner) == 0);
        }
        flx_structure_destroy(&s);
        remove(path);
        remove(inner);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

#define HELD_BEAM BEAM("B33", "*beam section, elset=e, material=steel, section=circ\n0.01\n")

// Decks that contradict themselves, each with a word of its message and its line.
static int refused_decks_say_why(void)
{
    static const struct {
        const char *text, *word;
        int line;
        const char *ending; // other than Abaqus'
    } wrong[] = {
        {BAR("0.,1.,0.") "SPC1,1,123456,1\n", "element 1 (line2, beam) has no section", 3, ".bdf"},
        {HELD_BEAM "*mass, elset=e\n5.\n", "element 1 is none that *mass is for", 15, NULL},
        {HELD_BEAM "*element, type=mass, elset=m\n9, 2\n*mass, elset=m\n-5.\n",
         "the mass is negative", 18, NULL},
        {HELD_BEAM "*spring, elset=e\n\n5.\n", "element 1 is none that *spring is for", 15, NULL},
        {NODES "3, 2.\n*element, type=B33, elset=e\n1, 1, 2\n2, 2, 3\n*beam section, elset=e, "
               "material=steel, section=circ\n0.01\n" STEEL HELD
               "*equation\n2\n2,1,1.,3,1,-1.\n2\n3,1,1.,2,1,-1.\n",
         "follow each other", 18, NULL},
        {"*part, name=a\n" NODES "*end part\n*instance, name=x, part=a\n*end instance\n"
         "*instance, name=X, part=a\n*end instance\n",
         "named 'X' is there already", 8, NULL},
    };
    double x;
    int n;
    CHECK(!flx_text_number("", 1, &x) && !flx_text_int("1\0", 2, &n)); // bytes 0 are no digits
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        flx_ctx *ctx = flx_ctx_create();
        flx_structure *s = NULL;
        flx_fe *fe = NULL;
        flx_status status = flx_mesh_read(
            ctx, write_file(wrong[k].ending ? wrong[k].ending : ".inp", wrong[k].text), FLX_NOWHERE,
            &s);
        remove(path);
        if (status == FLX_OK) status = flx_fe_create(ctx, s, NULL, &fe);
        CHECK(status == FLX_ERR_MODEL);
        const flx_message *said = flx_ctx_error(ctx, 0);
        if (!strstr(said->text, wrong[k].word) || said->loc.line != wrong[k].line) {
            printf("deck %zu, line %d: %s\n", k, said->loc.line, said->text);
        }
        CHECK(strstr(said->text, wrong[k].word) != NULL);
        CHECK(said->loc.line == wrong[k].line);
        flx_fe_destroy(&fe);
        flx_structure_destroy(&s);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

// Fifteen files that name the next one eight times each would be 8^15 lines; a mark of UTF-8 is none of the text.
static int files_that_multiply_end(void)
{
    enum { FILES = 15 };
    char names[FILES][64], text[1024];
    flx_ctx *ctx = flx_ctx_create();
    flx_structure *s = NULL;
    for (int k = FILES - 1; k >= 0; k--) {
        size_t n = (size_t)snprintf(text, sizeof text, "\xEF\xBB\xBF** file %d\n", k);
        for (int i = 0; i < 8 && k + 1 < FILES; i++) {
            n += (size_t)snprintf(text + n, sizeof text - n, "*INCLUDE, INPUT=%s\n", names[k + 1]);
        }
        char ending[16];
        snprintf(ending, sizeof ending, "_%d.inp", k);
        CHECK(write_file(ending, text) != NULL);
        snprintf(names[k], sizeof names[k], "%s", path);
    }
    flx_status status = flx_mesh_read(ctx, names[0], FLX_NOWHERE, &s);
    for (int k = 0; k < FILES; k++) remove(names[k]);
    CHECK(status == FLX_ERR_MODEL);
    CHECK(strstr(flx_ctx_error(ctx, 0)->text, "more than 4096 times") != NULL);
    flx_structure_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Masses beside their nodes, of sections, in other units.
static int masses_are_where_they_are_said_to_be(void)
{
    const char *text = BAR("0.,1.,0.") "PBAR,10,5,1.-3,3.-7,5.-7,1.-7,4.\nCONM2,5,2,,6.,0.,2.,0.\n"
                                       "PARAM,WTMASS,.5\nSPC1,1,123456,1\n";
    flx_ctx *ctx = flx_ctx_create();
    flx_structure *s = NULL;
    flx_fe *fe = NULL;
    CHECK(flx_mesh_read(ctx, write_file(".dat", text), FLX_NOWHERE, &s) == FLX_OK);
    remove(path);
    CHECK(flx_fe_create(ctx, s, NULL, &fe) == FLX_OK);
    CHECK_REL(fe->mass, (7.8 + 4 + 6) / 2, 1e-13);
    CHECK_REL(fe->com[0], (11.8 * 0.5 + 6) / 17.8, 1e-13);
    CHECK_REL(fe->com[1], 6 * 2 / 17.8, 1e-13);
    flx_fe_destroy(&fe);
    flx_structure_destroy(&s);
    // without any property, and with a choice that nothing meets
    const char *bare = "SPC = 7\nBEGIN BULK\nGRID,1\nCELAS2,1,100.,1,1\nCONM2,5,1,,6.\n"
                       "PARAM,WTMASS,.5\nSPC1,8,23456,1\n";
    CHECK(flx_ctx_warning_count(ctx) == 0);
    CHECK(flx_mesh_read(ctx, write_file(".dat", bare), FLX_NOWHERE, &s) == FLX_OK);
    remove(path);
    CHECK(s->nmass == 1 && s->masses[0].mass == 3 && s->nsupport == 0);
    CHECK(flx_ctx_warning_count(ctx) == 1);
    CHECK(strstr(flx_ctx_warning(ctx, 0)->text, "SPC = 7") != NULL);
    flx_structure_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Masses in other units where nothing has a property.
static int masses_of_springs_are_scaled(void)
{
    const char *text = "GRID,1,,0.,0.,0.\nCELAS2,1,100.,1,1\nCONM2,5,1,,6.\nPARAM,WTMASS,.5\n";
    flx_ctx *ctx = flx_ctx_create();
    flx_structure *s = NULL;
    CHECK(flx_mesh_read(ctx, write_file(".dat", text), FLX_NOWHERE, &s) == FLX_OK);
    remove(path);
    CHECK(s->nmass == 1 && s->masses[0].mass == 3);
    flx_structure_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

#define CIRCLE "*beam section, elset=e, material=steel, section=circ\n0.01\n"
#define FACE                                                                                       \
    BLOCK "*ELEMENT,TYPE=C3D8,ELSET=e\n1,1,2,3,4,5,6,7,8\n*SOLID SECTION,ELSET=e,MATERIAL=m\n"     \
          "*SURFACE,NAME=tip\ne,S4\n*COUPLING,ORIENTATION=o,REF NODE=9,SURFACE=tip\n*KINEMATIC\n"

// What would make another model of it, and a part of the message.
static const struct {
    const char *ending, *text, *message;
} wrong[] = {
    {".inp", BEAM("B33", CIRCLE) "*tie, name=t\na, b\n", "the model would be another one"},
    {".inp", NODES "*element, type=S4R\n1, 1, 2, 1, 2\n", "there are no shells here"},
    {".inp", BEAM("B33", CIRCLE) "*element, type=T3D2\n1, 1, 2\n", "is there twice"},
    {".inp", "*part, name=a\n" NODES "*end part\n", "no *INSTANCE"},
    {".inp", NODES "*rigid body, ref node=1, elset=e, nset=all\n", "of one set here"},
    {".inp",
     NODES "*element, type=SPRING1, elset=e\n2, 2\n*spring, elset=e, orientation=o\n1\n9.\n",
     "ORIENTATION= is not read"},
    {".inp", FACE "1\n", "ORIENTATION= of the coupling"},
    {".inp", TWO_FACES("\n*DISTRIBUTING,WEIGHTING METHOD=LINEAR\n"), "WEIGHTING METHOD=LINEAR"},
    {".inp", TWO_FACES(",INFLUENCE RADIUS=0.5\n*KINEMATIC\n"), "no nodes to tie to node 13"},
    {".inp",
     BEAM("B33", "*beam general section, elset=e\n1.e-3, 3.e-7, 1.e-7, 5.e-7, 1.e-7\n\n2e11, "
                 "8e10\n"),
     "principal axes"},
    {".inp", NODES "*element, type=B33, input=no_such_file\n", "no_such_file"},
    {".bdf", "GRID,1,,0.,0.,0.\nCPENTA,1,2,1,1,1,1,1,1\n", "kind of element is not known"},
    {".bdf", BAR("0.,1.,0.") "PBAR,11,5,1.-3,3.-7,5.-7,1.-7\n", "has property 10"},
    {".bdf", CHEXA "PLOAD4,1,1,5.,4.,,,2,7\n", "the same on a whole face"},
    {".bdf", CHEXA "PLOAD4,1,1,5.,,,,2,6\n", "opposite to each other"},
    {".bdf", BAR("0.,1.,0.,,+\n+,5") "PBAR,10,5,1.-3,3.-7,5.-7,1.-7\n", "pins at its ends"},
    {".bdf", ROD "GRID,2,,1.,0.,0.\nSPCD,1,2,1,.004\n", "where no SPC holds it"},
    {".bdf", ROD "GRID,2,4,1.,0.,0.\n", "coordinate system 4"},
    {".bdf", "GRDSET,,,,,,,17\n" ROD "GRID,2,,1.,0.,0.\n", "components from 1 to 6"},
    {".bdf", "GRDSET,,,,,,,203\n" ROD "GRID,2,,1.,0.,0.\n", "components from 1 to 6"},
    {".bdf",
     "CORD2R,3,,0.,0.,0.,0.,0.,1.\n,1.,1.,0.\n" ROD "GRID,2,,1.,0.,0.\nGRID,3,,2.,0.,0.,3\n"
     "RBAR,9,2,3,123456,,,1\n",
     "whose displacements are in the coordinate system 3"},
};

static int what_is_not_read_is_refused(void)
{
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        flx_ctx *ctx = flx_ctx_create();
        flx_structure *s = NULL;
        flx_status status =
            flx_mesh_read(ctx, write_file(wrong[k].ending, wrong[k].text), FLX_NOWHERE, &s);
        remove(path);
        if (status == FLX_OK) printf("deck %zu is read\n", k);
        CHECK(status == FLX_ERR_MODEL || status == FLX_ERR_IO);
        CHECK(s == NULL);
        const char *text = flx_ctx_error(ctx, 0)->text;
        if (!strstr(text, wrong[k].message)) printf("deck %zu: %s\n", k, text);
        CHECK(strstr(text, wrong[k].message) != NULL);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

TEST_MAIN(TEST(decks_have_their_closed_form), TEST(lost_loads_are_told), TEST(files_include_files),
          TEST(refused_decks_say_why), TEST(files_that_multiply_end),
          TEST(masses_are_where_they_are_said_to_be), TEST(masses_of_springs_are_scaled),
          TEST(what_is_not_read_is_refused))
