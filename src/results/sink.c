// sink.c - what all sinks share.
#include "base/common.h"
#include "flexion/extend/sink_table.h"

void flx_sink_destroy(flx_sink **s)
{
    if (!s || !*s) return;
    (*s)->type->destroy(*s);
    *s = NULL;
}
