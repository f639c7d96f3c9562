// The stack of bench_contact by MuJoCo, where it is installed.
#include "contact_mujoco.h"

#include <mujoco/mujoco.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static mjModel *read_text(const char *text)
{
    static mjVFS vfs;
    char error[500];
    mj_defaultVFS(&vfs);
    if (mj_makeEmptyFileVFS(&vfs, "m.xml", (int)strlen(text)) != 0) return NULL;
    memcpy(vfs.filedata[mj_findFileVFS(&vfs, "m.xml")], text, strlen(text));
    mjModel *m = mj_loadXML("m.xml", &vfs, error, sizeof error);
    mj_deleteVFS(&vfs);
    if (!m) printf("MuJoCo: %s\n", error);
    return m;
}

int mujoco_stack(int n, double tilt, double step, int steps, mujoco_result *out)
{
    static char text[100000];
    int at = snprintf(text, sizeof text,
                      "<mujoco><size nconmax='2000' njmax='10000'/><option timestep='%.17g' "
                      "gravity='%.17g 0 %.17g'/><worldbody>"
                      "<geom type='plane' size='10 10 1' friction='%g 0 0'/>",
                      step, 9.81 * sin(tilt), -9.81 * cos(tilt), tilt > 0 ? 0.4 : 0.5);
    for (int i = 0; i < n; i++)
        at += snprintf(
            text + at, sizeof text - (size_t)at,
            "<body pos='0 0 %.17g'><freejoint/><geom type='box' size='0.5 0.5 0.1' mass='1' "
            "friction='%g 0 0'/></body>",
            0.2 * i + 0.1, tilt > 0 ? 0.4 : 0.5);
    snprintf(text + at, sizeof text - (size_t)at, "</worldbody></mujoco>");
    mjModel *m = read_text(text);
    if (!m) return 0;
    mjData *d = mj_makeData(m);
    clock_t begin = clock();
    double half = 0;
    for (int k = 0; k < steps; k++) {
        mj_step(m, d);
        if (k == steps / 2) half = d->qpos[7 * (n - 1)];
    }
    out->us = 1e6 * (double)(clock() - begin) / CLOCKS_PER_SEC / steps;
    out->sinks = 0.2 * n - 0.1 - d->qpos[7 * (n - 1) + 2];
    out->creeps = (d->qpos[7 * (n - 1)] - half) / (0.5 * steps * step);
    mj_deleteData(d);
    mj_deleteModel(m);
    return 1;
}
