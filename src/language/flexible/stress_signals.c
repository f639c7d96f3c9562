// stress_signals.c - stresses and strains of flexible bodies as signals, in body axes: sums of stress modes (MSH-6).
#include "language/flexible/deformable.h"
#include "model/nodes.h"

#include <string.h>

bool flx_is_stress(const char *name)
{
    return strcmp(name, "stress") == 0 || strcmp(name, "strain") == 0 ||
           strcmp(name, "von_mises") == 0;
}

// Six sums of modes (6 x n) with the elastic coordinates, and what is there without them.
static void sum_modes(flx_builder *b, const flx_item *body, const double *modes,
                      const double rest[6], flx_node out[6])
{
    int n = ((const flx_body_data *)body->data)->elastic.e->n;
    for (int c = 0; c < 6; c++) {
        out[c] = node_const(b->g, rest[c]);
        for (int k = 0; k < n; k++) {
            if (modes[c * n + k] == 0) continue;
            flx_node q = flx_elastic_body_mode(b, body, k);
            out[c] = node_add(b->g, out[c], node_scale(b->g, modes[c * n + k], q));
        }
    }
}

static flx_node von_mises(flx_graph *g, const flx_node s[6])
{
    flx_node sum = node_const(g, 0);
    for (int c = 0; c < 3; c++) {
        flx_node d = node_sub(g, s[c], s[(c + 1) % 3]);
        sum = node_add(g, sum, node_scale(g, 0.5, node_mul(g, d, d)));
        sum = node_add(g, sum, node_scale(g, 3, node_mul(g, s[3 + c], s[3 + c])));
    }
    return node_sqrt(g, sum);
}

static bool is_zero(const double *x, int n)
{
    for (int i = 0; i < n; i++) {
        if (x[i] != 0) return false;
    }
    return true;
}

flx_status flx_stress_member(flx_env *e, const flx_item *point, const char *name, flx_loc loc,
                             flx_operand *out)
{
    const flx_point_data *d = point->data;
    const flx_elastic *el = ((const flx_body_data *)d->body->data)->elastic.e;
    const flx_elastic_node *node = el->nodes + d->node;
    static const double none[6] = {0};
    bool strain = strcmp(name, "strain") == 0;
    const double *modes = strain ? node->eps : node->sigma;
    flx_node s[6];
    FLX_TRY(flx_env_require(e, FLX_MODE_MOVING, point->full, name, loc));
    if (!modes || is_zero(modes, 6 * el->n)) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_MODEL, loc,
                        "the %s at '%s' is not known: nodes of solids and plane elements have one, "
                        "frames and beams do not",
                        name[0] == 'v' ? "stress" : name, point->full);
    }
    sum_modes(e->b, d->body, modes, strain ? none : node->sigma_rest, s);
    if (name[0] == 'v') {
        return flx_operand_set_node(von_mises(e->b->g, s), out);
    }
    flx_operand *list = flx_take(e->b, 1, sizeof *list);
    if (!list) return FLX_ERR_MEMORY;
    *out = (flx_operand){
        .kind = FLX_OPERAND_HANDLE, .handle = list, .tag = FLX_TAG_TENSOR, .node = -1};
    return flx_env_list(e, 6, s, list);
}

flx_status flx_stress_largest(flx_env *e, flx_item *body, flx_loc loc, flx_operand *out)
{
    flx_builder *b = e->b;
    FLX_TRY(flx_env_require(e, FLX_MODE_OUTPUT, body->full, "von_mises", loc));
    FLX_TRY(flx_elastic_body_ready(b, body, loc));
    const flx_elastic *el = ((const flx_body_data *)body->data)->elastic.e;
    if (!el->mesh) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc,
                        "the stresses of '%s' are not known: a mesh of solids or plane elements "
                        "has them",
                        body->full);
    }
    int number = 0;
    while (b->elastic.items[number] != body) number++;
    return flx_operand_set_node(node_leaf(b->g, FLX_LEAF_STRESS, number, 0), out);
}
