// peers.h - other programs on the chain of bench_tree.c: n links of 1 m and 1 kg, centre of mass at 0.5 m,
// inertia 0.005, 0.085, 0.085, axes alternately y and z, gravity along -z. A program that was not there
// when this was built has a NULL entry in the list.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

typedef struct peer {
    const char *name;
    void *(*create)(int n); // NULL: it cannot
    void (*destroy)(void *chain);
    void (*forward)(void *chain, const double *q, const double *v, double *a);
    void (*inverse)(void *chain, const double *q, const double *v, const double *a, double *tau);
    void (*mass)(void *chain, const double *q, double *M); // M: (n x n) or unused
} peer;

extern const peer peer_mujoco, peer_simbody;

#ifdef __cplusplus
}
#endif
