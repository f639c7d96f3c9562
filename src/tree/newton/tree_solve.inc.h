// tree_solve.inc.h - solving with the fronts of tree_factor.c for one type of number, one pass inwards and one outwards.
// Included with the macros of tree_factor.inc.h, behind it.

// An unknown that was taken out itself, inwards and outwards.
static void TREE(solve_other_inwards)(const factors *x, const flx_front *front, NUMBER *rest)
{
    const NUMBER *over = (const NUMBER *)x->gains + front->gain, *col = over + 1;
    NUMBER value = rest[front->own] = TIMES(*over, rest[front->own]), *force = x->force;
    for (int p = 0; p < front->npartner; p++, col += 6) {
        NUMBER *to = force + 6 * front->partner[p];
        for (int r = 0; r < 6; r++) to[r] += TIMES(value, col[r]);
    }
    for (int p = 0; p < front->nother; p++) rest[front->other[p]] -= TIMES(value, col[p]);
}

static void TREE(solve_other_outwards)(const factors *x, const flx_front *front, NUMBER *rest)
{
    const NUMBER *row = (const NUMBER *)x->gains + front->gain + front->rows, *y = x->motion;
    NUMBER sum = rest[front->own];
    for (int p = 0; p < front->npartner; p++, row += FLX_TREE_MOTION) {
        const NUMBER *with = y + FLX_TREE_MOTION * front->partner[p];
        for (int j = 0; j < FLX_TREE_MOTION; j++) sum -= TIMES(row[j], with[j]);
    }
    for (int p = 0; p < front->nother; p++) sum -= TIMES(row[p], rest[front->other[p]]);
    rest[front->own] = sum;
}

// Inwards: what is left of the right-hand side, after each link.
static void TREE(solve_inwards)(const flx_tree *t, const factors *x, NUMBER *d)
{
    const flx_tree_fronts *f = &t->fronts;
    NUMBER *force = x->force, *rest = d + flx_tree_first_other(t);
    const flx_blocks kept = {x->g0, x->g1, x->g2};
    memset(force, 0, (size_t)f->n * 6 * sizeof *force);
    for (int front_number = f->nfront - 1; front_number >= 0; front_number--) {
        const flx_front *front = f->fronts + front_number;
        if (front->link < 0) {
            TREE(solve_other_inwards)(x, front, rest);
            continue;
        }
        const flx_link *l = t->t.links + front->link;
        int freedom = flx_link_freedom(l->kind, t->t.k.planar);
        flx_geometry geo = flx_geometry_of(&kept, front->link);
        TREE(gains) g = TREE(gains_of)(front, freedom, x->gains);
        NUMBER in[3] = {0}, *F = force + 6 * front->link;
        for (int k = 0; k < freedom; k++) {
            flx_axis a = flx_axis_of(l, &geo, k);
            in[k] = d[l->v + k] - a.turns * (a.J.x * F[0] + a.J.y * F[1] + a.J.z * F[2]) -
                    a.slides * (a.J.x * F[3] + a.J.y * F[4] + a.J.z * F[5]);
        }
        TREE(move_forces)(geo.g0 + 9, 1, 6, F);
        for (int k = 0; k < freedom; k++) {
            NUMBER sum = 0.0;
            for (int j = 0; j < freedom; j++) sum += TIMES(g.over[freedom * k + j], in[j]);
            d[l->v + k] = sum;
            const NUMBER *col = g.col + k * front->rows;
            for (int r = 0; r < 6; r++) F[r] += TIMES(sum, col[r]);
            col += 6;
            for (int p = 0; p < front->npartner; p++, col += 6) {
                NUMBER *to = force + 6 * front->partner[p];
                for (int r = 0; r < 6; r++) to[r] += TIMES(sum, col[r]);
            }
            for (int p = 0; p < front->nother; p++) {
                rest[front->other[p]] -= TIMES(sum, col[p]);
            }
        }
        if (l->parent < 0) continue;
        for (int r = 0; r < 6; r++) force[6 * l->parent + r] += F[r];
    }
}

// out += size theta x r
static inline void TREE(carry)(const NUMBER *theta, const double *r, double size, NUMBER *out)
{
    out[0] += size * (theta[1] * r[2] - theta[2] * r[1]);
    out[1] += size * (theta[2] * r[0] - theta[0] * r[2]);
    out[2] += size * (theta[0] * r[1] - theta[1] * r[0]);
}

// Outwards: motion of every link, increment of every joint.
static void TREE(solve_outwards)(const flx_tree *t, const factors *x, NUMBER *d)
{
    const flx_tree_fronts *f = &t->fronts;
    NUMBER *y = x->motion, *rest = d + flx_tree_first_other(t);
    const flx_blocks kept = {x->g0, x->g1, x->g2};
    for (int front_number = 0; front_number < f->nfront; front_number++) {
        const flx_front *front = f->fronts + front_number;
        if (front->link < 0) {
            TREE(solve_other_outwards)(x, front, rest);
            continue;
        }
        const flx_link *l = t->t.links + front->link;
        int freedom = flx_link_freedom(l->kind, t->t.k.planar);
        flx_geometry geo = flx_geometry_of(&kept, front->link);
        TREE(gains) g = TREE(gains_of)(front, freedom, x->gains);
        NUMBER *own = y + FLX_TREE_MOTION * front->link;
        if (l->parent >= 0) {
            memcpy(own, y + FLX_TREE_MOTION * l->parent, FLX_TREE_MOTION * sizeof *own);
        } else {
            memset(own, 0, FLX_TREE_MOTION * sizeof *own);
        }
        for (int k = 0; k < freedom; k++) {
            const NUMBER *row = g.row + k * front->cols;
            NUMBER sum = d[l->v + k];
            for (int j = 0; j < FLX_TREE_MOTION; j++) sum -= TIMES(row[j], own[j]);
            row += FLX_TREE_MOTION;
            for (int p = 0; p < front->npartner; p++, row += FLX_TREE_MOTION) {
                const NUMBER *with = y + FLX_TREE_MOTION * front->partner[p];
                for (int j = 0; j < FLX_TREE_MOTION; j++) sum -= TIMES(row[j], with[j]);
            }
            for (int p = 0; p < front->nother; p++) {
                sum -= TIMES(row[p], rest[front->other[p]]);
            }
            d[l->v + k] = sum;
        }
        const double *r = geo.g0 + 9, *dr = geo.g1 + 6, *ddr = geo.g2 + 3;
        TREE(carry)(own + 12, r, 1.0, own + 15); // the parent's motion at the link's origin
        TREE(carry)(own + 6, dr, 2.0, own + 15);
        TREE(carry)(own, ddr, 1.0, own + 15);
        TREE(carry)(own + 6, r, 1.0, own + 9);
        TREE(carry)(own, dr, 1.0, own + 9);
        TREE(carry)(own, r, 1.0, own + 3);
        for (int k = 0; k < freedom; k++) {
            NUMBER step = d[l->v + k];
            for (int j = 0; j < FLX_TREE_MOTION; j++) {
                own[j] += TIMES(step, g.B[FLX_TREE_MOTION * k + j]);
            }
        }
    }
}

static void TREE(solve)(const flx_tree *t, const factors *x, NUMBER *d)
{
    TREE(solve_inwards)(t, x, d);
    TREE(solve_border)(t, x, d + flx_tree_first_other(t));
    TREE(solve_outwards)(t, x, d);
}
