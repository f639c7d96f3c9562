// contact_surface.c - the list of kinds of surfaces.
#include "contact/contact_surface.h"

static const flx_surface_kind *const kinds[] = {
#define X(name) &flx_surface_##name,
    FLX_SURFACE_KINDS(X)
#undef X
};

const flx_surface_kind *flx_surface_get_kind(int i)
{
    return i >= 0 && i < (int)(sizeof kinds / sizeof kinds[0]) ? kinds[i] : NULL;
}
