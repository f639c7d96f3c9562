// sink.c - what all sinks share.
#include "flexion/extend/sink.h"
#include "base/common.h"

void flx_sink_destroy(flx_sink **s)
{
    if (!s || !*s) return;
    (*s)->type->destroy(*s);
    *s = NULL;
}
