// surface_pieces.c - see surface_pieces.h.
#include "contact/surface_pieces.h"

#include <string.h>

bool flx_surface_has_pieces(const flx_surface_kind *kind, bool inside)
{
    switch (kind->number) {
    case FLX_SURFACE_NUMBER_sphere:
    case FLX_SURFACE_NUMBER_capsule:
    case FLX_SURFACE_NUMBER_cylinder:
    case FLX_SURFACE_NUMBER_box:
        return true;
    case FLX_SURFACE_NUMBER_plane:
    case FLX_SURFACE_NUMBER_mesh:
        return !inside;
    default:
        return false;
    }
}

static flx_surface_piece make(const flx_surface *s, flx_piece_shape shape)
{
    flx_surface_piece p = {.shape = shape};
    memcpy(p.at, s->at, sizeof p.at);
    memcpy(p.axes, s->axes, sizeof p.axes);
    return p;
}

// A plane across an axis of the surface, `shift` along it, that looks back.
static flx_surface_piece make_end(const flx_surface *s, int axis, double shift)
{
    flx_surface_piece p = make(s, FLX_PIECE_END);
    for (int i = 0; i < 3; i++) {
        double n = s->axes[3 * i + axis];
        p.at[i] = s->at[i] + shift * n;
        p.axes[3 * i + 2] = shift > 0.0 ? -n : n;
    }
    return p;
}

static int get_inside(const flx_surface *s, flx_surface_piece *to)
{
    const double half = 0.5 * s->size[1];
    switch (s->kind->number) {
    case FLX_SURFACE_NUMBER_box:
        for (int k = 0; k < 6; k++) {
            double shift = k % 2 ? 0.5 * s->size[k / 2] : -0.5 * s->size[k / 2];
            to[k] = make_end(s, k / 2, shift);
        }
        return 6;
    case FLX_SURFACE_NUMBER_cylinder:
        to[0] = make(s, FLX_PIECE_TUBE);
        to[0].size[0] = s->size[0];
        to[0].size[1] = half;
        to[1] = make_end(s, 2, half);
        to[2] = make_end(s, 2, -half);
        return 3;
    default: // a sphere has no length
        to[0] = make(s, FLX_PIECE_SHELL);
        to[0].size[0] = s->size[0];
        to[0].size[1] = s->kind->number == FLX_SURFACE_NUMBER_sphere ? 0.0 : half;
        return 1;
    }
}

// Rounded solids keep their size: what is inside of the skin is smaller by it.
static int get_outside(const flx_surface *s, flx_surface_piece *to)
{
    if (s->kind->number == FLX_SURFACE_NUMBER_mesh) return FLX_PIECES_ARE_TRIANGLES;
    *to = make(s, FLX_PIECE_PLANE);
    to->size[0] = s->size[0];
    to->size[1] = 0.5 * s->size[1];
    switch (s->kind->number) {
    case FLX_SURFACE_NUMBER_sphere:
        to->size[1] = 0.0;
        to->shape = FLX_PIECE_CAPSULE;
        break;
    case FLX_SURFACE_NUMBER_capsule:
        to->shape = FLX_PIECE_CAPSULE;
        break;
    case FLX_SURFACE_NUMBER_cylinder:
        to->shape = FLX_PIECE_CYLINDER;
        to->skin = s->skin;
        break;
    case FLX_SURFACE_NUMBER_box:
        to->shape = FLX_PIECE_BOX;
        to->skin = s->skin;
        for (int k = 0; k < 3; k++) to->size[k] = 0.5 * s->size[k];
        break;
    default:
        break;
    }
    for (int k = 0; k < 3; k++) to->size[k] -= to->skin;
    return 1;
}

int flx_surface_get_pieces(const flx_surface *s, bool inside,
                           flx_surface_piece pieces[FLX_SURFACE_PIECES])
{
    if (!flx_surface_has_pieces(s->kind, inside)) return 0;
    return inside ? get_inside(s, pieces) : get_outside(s, pieces);
}
