// peer_mujoco.c - the chain in MuJoCo: contacts and constraints are switched off, so that what is left is
// kinematics, the mass matrix by composite bodies, its factors and one solution.
#define _DEFAULT_SOURCE // mkstemps
#include "peers.h"

#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct chain {
    mjModel *m;
    mjData *d;
    mjtNum *full;
} chain;

// As URDF, whose links are not nested: the parser of MJCF stops at a depth of 100.
static void write_links(FILE *f, int n)
{
    fprintf(f,
            "<robot name=\"chain\"><mujoco><compiler fusestatic=\"true\"/><size "
            "nstack=\"%ld\"/></mujoco>"
            "<link name=\"l0\"/>\n",
            1000000 + 10 * (long)n * n); // room for the scratch of dense matrices
    for (int i = 0; i < n; i++) {
        fprintf(f,
                "<link name=\"l%d\"><inertial><origin xyz=\"0.5 0 0\"/><mass value=\"1\"/><inertia "
                "ixx=\"0.005\" iyy=\"0.085\" izz=\"0.085\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/>"
                "</inertial></link>\n<joint name=\"j%d\" type=\"continuous\"><parent "
                "link=\"l%d\"/><child link=\"l%d\"/><origin xyz=\"%d 0 0\"/><axis xyz=\"0 %d "
                "%d\"/></joint>\n",
                i + 1, i + 1, i, i + 1, i > 0, i % 2 == 0, i % 2);
    }
    fputs("</robot>\n", f);
}

static void destroy(void *chain_in)
{
    chain *c = chain_in;
    mj_deleteData(c->d);
    mj_deleteModel(c->m);
    free(c->full);
    free(c);
}

static mjModel *load(int n, char *error, int size)
{
    char path[] = "chain_XXXXXX.urdf";
    int file = mkstemps(path, 5);
    if (file < 0) return NULL;
    mjModel *m = NULL;
    FILE *f = fdopen(file, "w");
    if (f) {
        write_links(f, n);
        fclose(f);
        m = mj_loadXML(path, NULL, error, size);
    } else {
        close(file);
    }
    unlink(path);
    return m;
}

static void *create(int n)
{
    char error[500] = "";
    chain *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->m = load(n, error, sizeof error);
    if (c->m) {
        c->m->opt.gravity[0] = c->m->opt.gravity[1] = 0.0;
        c->m->opt.gravity[2] = -9.81;
        c->m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_CONSTRAINT;
        c->d = mj_makeData(c->m);
    }
    c->full = calloc((size_t)n * (size_t)n, sizeof *c->full);
    if (c->m && c->d && c->full) return c;
    fprintf(stderr, "MuJoCo: %s\n", error);
    destroy(c);
    return NULL;
}

static void set(chain *c, const double *q, const double *v)
{
    size_t n = (size_t)c->m->nv * sizeof *q;
    memcpy(c->d->qpos, q, n);
    if (v) memcpy(c->d->qvel, v, n);
}

static void forward(void *chain_in, const double *q, const double *v, double *a)
{
    chain *c = chain_in;
    set(c, q, v);
    mj_forward(c->m, c->d);
    memcpy(a, c->d->qacc, (size_t)c->m->nv * sizeof *a);
}

static void inverse(void *chain_in, const double *q, const double *v, const double *a, double *tau)
{
    chain *c = chain_in;
    set(c, q, v);
    memcpy(c->d->qacc, a, (size_t)c->m->nv * sizeof *a);
    mj_inverse(c->m, c->d);
    memcpy(tau, c->d->qfrc_inverse, (size_t)c->m->nv * sizeof *tau);
}

static void mass(void *chain_in, const double *q, double *M)
{
    chain *c = chain_in;
    set(c, q, NULL);
    mj_kinematics(c->m, c->d);
    mj_comPos(c->m, c->d);
    mj_crb(c->m, c->d);
    mj_fullM(c->m, M ? M : c->full, c->d->qM);
}

const peer peer_mujoco = {"MuJoCo", create, destroy, forward, inverse, mass};
