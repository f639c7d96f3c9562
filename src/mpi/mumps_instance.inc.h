// mumps_instance.inc.h - one instance of MUMPS, of real numbers (MUMPS_NUMBER double) or of complex ones; included by
// mumps_piece.c for each.

static void NAME(end)(STRUCT *m)
{
    m->job = -2;
    CALL(m);
    *m = (STRUCT){0};
}

// General symmetric matrices, without words. count: factors are given up as they are made.
static void NAME(begin)(STRUCT *m, bool count)
{
    *m = (STRUCT){.sym = 2, .par = 1, .job = -1};
    m->comm_fortran = (MUMPS_INT)MPI_Comm_c2f(MPI_COMM_WORLD);
    CALL(m);
    for (int i = 1; i <= 4; i++) ICNTL(m, i) = 0;
    ICNTL(m, 6) = 0;   // no exchanges for large diagonals
    ICNTL(m, 7) = 5;   // METIS
    ICNTL(m, 12) = 1;  // no compressed graph
    ICNTL(m, 13) = 1;  // the root by LDL^T, so that all negative pivots are counted
    ICNTL(m, 14) = 40; // per cent of room beyond the estimate
    ICNTL(m, 18) = 3;  // entries are distributed
    ICNTL(m, 24) = 1;  // pivots that are zero are listed
    ICNTL(m, 28) = 1;  // order by one rank
    ICNTL(m, 31) = count;
    m->cntl[2] = ZERO_PIVOT;
}

// Order and factors; more room where it was too little.
static int NAME(factor)(STRUCT *m, mumps_piece *p)
{
    m->n = p->n;
    m->nnz_loc = p->count;
    m->irn_loc = p->row;
    m->jcn_loc = p->column;
    m->a_loc = p->value;
    if (!p->ordered[INDEX]) {
        m->job = 1;
        CALL(m);
        if (m->infog[0] < 0) return m->infog[0];
        p->ordered[INDEX] = true;
    }
    for (int tries = 0; tries < 6; tries++) {
        m->job = 2;
        CALL(m);
        int error = m->infog[0];
        if (error != -8 && error != -9 && error != -11 && error != -12 && error != -14 &&
            error != -15)
            break;
        ICNTL(m, 14) *= 2;
    }
    return m->infog[0];
}

static void NAME(report)(const STRUCT *m, flx_frontal_report *r)
{
    int64_t fill = m->infog[28];
    *r = (flx_frontal_report){.negative = m->infog[11], .small = m->infog[27], .ratio = 1};
    r->fill = (double)(fill < 0 ? -1000000 * fill : fill);
    r->bytes = r->fill * (double)sizeof(MUMPS_NUMBER);
    r->most = 1e6 * m->infog[18];
    r->flops = m->rinfog[2];
    r->fronts = m->infog[5];
    if (r->small > 0) {
        r->ratio = 0;
        r->smallest = m->pivnul_list[0] - 1;
    }
}

static int NAME(solve)(STRUCT *m, int n, int k, void *X)
{
    m->rhs = X;
    m->nrhs = k;
    m->lrhs = n;
    m->job = 3;
    CALL(m);
    return m->infog[0];
}
