// Surfaces of the model language: what is read of boxes, files and grids.
#include "check.h"
#include "contact/contact_surface.h"
#include "contact/convex/polytope.h"
#include "contact/mesh/facets.h"
#include "contact/mesh/heights.h"
#include "flexion/extend/method_table.h"
#include "flexion/flexion.h"
#include "model/model_data.h"

static const char text[] =
    "flexion: 1\n"
    "bodies:\n"
    "  box: {type: rigid, mass: 1, inertia: [1, 1, 1], surface: {box: [1, 0.6, 0.2], round: "
    "0.01}}\n"
    "  gear: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [3, 0, 0], surface: {hull: "
    "shapes/pinion.stl, scale: 2}}\n"
    "  wheel: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [6, 0, 0], surface: {mesh: "
    "shapes/wheel.obj, round: 1e-3}}\n"
    "  ball: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [0, 0, 5], surface: {sphere: "
    "0.1}}\n"
    "forces:\n"
    "  many: {type: contact, among: [box, gear, wheel, ball], law: penalty, stiffness: 1e5}\n"
    "  hill: {type: contact, on: [ground, ball], surfaces: [{heights: {x: [0, 2], y: [0, 1], z: "
    "[[0, 1], [2, 3], [4, 5]]}}, {sphere: 0.1}], "
    "law: penalty, stiffness: 1e5}\n";

static const flx_surface *find(const flx_model *m, const flx_surface_kind *kind)
{
    for (int i = 0; i < m->ncontact; i++) {
        for (int k = 0; k < m->contacts[i].nside; k++) {
            if (m->contacts[i].sides[k].surface->kind == kind)
                return m->contacts[i].sides[k].surface;
        }
    }
    return NULL;
}

static int boxes_files_and_grids_are_read(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_status status =
        flx_model_read_text(ctx, FLX_EXAMPLES "/surfaces.yaml", text, sizeof text - 1, 0, NULL, &m);
    if (status != FLX_OK) printf("%s\n", flx_ctx_error(ctx, 0)->text);
    CHECK(status == FLX_OK);
    const flx_surface *box = find(m, &flx_surface_box), *hull = find(m, &flx_surface_hull);
    const flx_surface *mesh = find(m, &flx_surface_mesh), *heights = find(m, &flx_surface_heights);
    CHECK(box && hull && mesh && heights);
    CHECK(box->size[0] == 1.0 && box->size[1] == 0.6 && box->size[2] == 0.2 && box->skin == 0.01);
    const flx_polytope *p = hull->data;
    CHECK(p->nvertex >= 8 && p->nvertex - p->nedge + p->nface == 2);
    const flx_facets *t = mesh->data;
    CHECK(t->ntriangle > 10 && mesh->skin == 1e-3);
    const flx_heights *h = heights->data;
    flx_height at;
    CHECK(h->n[0] == 3 && h->n[1] == 2 && flx_heights_at(h, 1.0, 1.0, &at));
    CHECK_NEAR(at.z, 3.0, 1e-12);
    CHECK_NEAR(at.x, 2.0, 1e-12);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

// The hull of a list of points, of which one lies within; its places are expressions.
static int hulls_of_listed_points_are_read(void)
{
    static const char points[] =
        "flexion: 1\nparameters: {h: 0.5}\n"
        "bodies:\n"
        "  a: {type: rigid, mass: 1, inertia: [1, 1, 1], surface: {hull: [[0, 0, 0], [h, 0, 0], "
        "[0, h, 0], [0, 0, 2*h], [h/4, h/4, h/4]]}}\n"
        "  b: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [0, 0, 3], surface: {sphere: "
        "0.1}}\n"
        "forces:\n"
        "  c: {type: contact, among: [a, b], law: penalty, stiffness: 1e5}\n";
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_status status =
        flx_model_read_text(ctx, "points.yaml", points, sizeof points - 1, 0, NULL, &m);
    if (status != FLX_OK) printf("%s\n", flx_ctx_error(ctx, 0)->text);
    CHECK(status == FLX_OK);
    const flx_surface *hull = find(m, &flx_surface_hull);
    CHECK(hull);
    const flx_polytope *p = hull->data;
    CHECK(p->nvertex == 4 && p->nface == 4 && p->nedge == 6 && p->vertices[11] == 1.0);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

// In the plane a box is a rectangle without end along z.
static int boxes_of_the_plane_have_two_lengths(void)
{
    static const char plane[] =
        "flexion: 1\ndimension: 2\n"
        "bodies:\n"
        "  a: {type: rigid, mass: 1, inertia: 1, surface: {box: [1, 0.6], round: 0.3}}\n"
        "  b: {type: rigid, mass: 1, inertia: 1, position: [0, 3], surface: {box: [1, 0.6]}}\n"
        "forces:\n"
        "  c: {type: contact, among: [a, b], law: penalty, stiffness: 1e5}\n";
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_status status =
        flx_model_read_text(ctx, "plane.yaml", plane, sizeof plane - 1, 0, NULL, &m);
    if (status != FLX_OK) printf("%s\n", flx_ctx_error(ctx, 0)->text);
    CHECK(status == FLX_OK);
    const flx_surface *box = find(m, &flx_surface_box);
    CHECK(box && isinf(box->size[2]) && box->skin == 0.3);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(boxes_files_and_grids_are_read), TEST(boxes_of_the_plane_have_two_lengths),
          TEST(hulls_of_listed_points_are_read))
