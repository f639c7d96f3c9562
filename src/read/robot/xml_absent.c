// xml_absent.c - a build without expat: robot files are refused.
#include "read/robot/xml.h"

flx_status flx_xml_parse(flx_ctx *ctx, flx_arena *arena, const char *file, const char *text,
                         size_t length, flx_xml **root)
{
    (void)arena, (void)text, (void)length;
    *root = NULL;
    return FLX_FAIL(
        ctx, FLX_ERR_UNAVAILABLE, ((flx_loc){file, 0, 0, NULL}),
        "robot files (URDF, MJCF, SDF) need expat, which this build of Flexion has not: "
        "install libexpat1-dev and build again");
}
