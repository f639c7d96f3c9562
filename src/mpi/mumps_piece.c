// mumps_piece.c - factors by parallel MUMPS, a piece on each rank.
#include "mpi/mumps_piece.h"

#include <dmumps_c.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmumps_c.h>

#define ZERO_PIVOT                                                                                 \
    1e-12 // of the norm of the scaled matrix: what rounding leaves of a pivot that is zero
#define MESSAGE 1000000 // entries
#define ICNTL(m, i) ((m)->icntl[(i)-1])

struct mumps_piece {
    int n;
    int64_t count;                        // entries of this rank
    MUMPS_INT *row, *column;              // from 1
    void *value;                          // while factoring
    int64_t *first;                       // (ranks + 1) on rank 0: first entry of each
    bool there[2], ordered[2], counts[2]; // real, complex
    int last;                             // which was factored last
    DMUMPS_STRUC_C real;
    ZMUMPS_STRUC_C pairs;
};

#define STRUCT DMUMPS_STRUC_C
#define MUMPS_NUMBER double
#define CALL dmumps_c
#define INDEX 0
#define NAME(name) real_##name
#include "mpi/mumps_instance.inc.h"
#undef STRUCT
#undef MUMPS_NUMBER
#undef CALL
#undef INDEX
#undef NAME
#define STRUCT ZMUMPS_STRUC_C
#define MUMPS_NUMBER mumps_double_complex
#define CALL zmumps_c
#define INDEX 1
#define NAME(name) pairs_##name
#include "mpi/mumps_instance.inc.h"

static int my_rank(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

static int rank_count(void)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

// True on all ranks, or on none.
static bool all(bool mine)
{
    int here = mine, everywhere = 0;
    MPI_Allreduce(&here, &everywhere, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return everywhere;
}

// ---- entries --------------------------------------------------------------------------------------

// Rank 0 has the matrix itself: the others have its entries, where there are others.
static void cut(mumps_piece *p, int64_t entries)
{
    int size = rank_count(), first = size > 1;
    for (int r = 0; r <= size; r++) {
        p->first[r] = r < first ? 0 : entries * (r - first) / (size - first);
    }
}

// Some entries of the pattern: rows and columns from 1.
static void list_entries(const flx_symmetric *A, int64_t from, int count, MUMPS_INT *row,
                         MUMPS_INT *column)
{
    int low = 0, high = A->n;
    while (high - low > 1) { // the column of the first
        int middle = low + (high - low) / 2;
        if (A->start[middle] <= from) {
            low = middle;
        } else {
            high = middle;
        }
    }
    for (int i = 0; i < count; i++) {
        while (A->start[low + 1] <= from + i) low++;
        row[i] = A->row[from + i] + 1;
        column[i] = low + 1;
    }
}

static void add_values(const mumps_sum *sum, int64_t from, int count, double *value)
{
    int parts = sum->complex_sum ? 2 : 1;
    memset(value, 0, (size_t)count * (size_t)parts * sizeof *value);
    for (int t = 0; t < sum->nterm; t++) {
        double part[2] = {creal(sum->terms[t].factor), cimag(sum->terms[t].factor)};
        const double *a = sum->terms[t].A->value + from;
        for (int i = 0; i < count; i++) {
            for (int c = 0; c < parts; c++) value[parts * i + c] += part[c] * a[i];
        }
    }
}

static int least(int64_t a, int b)
{
    return a < b ? (int)a : b;
}

// Rank 0 makes the entries of all, a message at a time. room: of one message, three numbers an entry.
static void hand_out(const mumps_piece *p, const flx_symmetric *A, const mumps_sum *sum, char *room)
{
    int size = rank_count();
    for (int r = 1; r < size; r++) {
        for (int64_t at = p->first[r]; at < p->first[r + 1]; at += MESSAGE) {
            int count = least(p->first[r + 1] - at, MESSAGE);
            if (A) {
                MUMPS_INT *row = (MUMPS_INT *)(void *)room;
                list_entries(A, at, count, row, row + count);
                MPI_Send(row, 2 * count, MPI_INT, r, 0, MPI_COMM_WORLD);
            } else {
                int parts = sum->complex_sum ? 2 : 1;
                add_values(sum, at, count, (double *)(void *)room);
                MPI_Send(room, parts * count, MPI_DOUBLE, r, 0, MPI_COMM_WORLD);
            }
        }
    }
}

static void take_pattern(mumps_piece *p, MUMPS_INT *room)
{
    for (int64_t at = 0; at < p->count; at += MESSAGE) {
        int count = least(p->count - at, MESSAGE);
        MPI_Recv(room, 2 * count, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        memcpy(p->row + at, room, (size_t)count * sizeof *room);
        memcpy(p->column + at, room + count, (size_t)count * sizeof *room);
    }
}

static void take_values(mumps_piece *p, int parts)
{
    double *value = p->value;
    for (int64_t at = 0; at < p->count; at += MESSAGE) {
        int count = least(p->count - at, MESSAGE);
        MPI_Recv(value + parts * at, parts * count, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
}

static bool get_pattern(mumps_piece *p, const flx_symmetric *A)
{
    int size = rank_count();
    size_t message = (size_t)least(A ? A->start[A->n] : p->count, MESSAGE);
    char *room = malloc(2 * message * sizeof *p->row + 1);
    p->row = malloc((size_t)p->count * sizeof *p->row + 1);
    p->column = malloc((size_t)p->count * sizeof *p->column + 1);
    bool there = all(room && p->row && p->column);
    if (there && A && size == 1) {
        for (int64_t at = 0; at < p->count; at += MESSAGE) {
            list_entries(A, at, least(p->count - at, MESSAGE), p->row + at, p->column + at);
        }
    } else if (there && A) {
        hand_out(p, A, NULL, room);
    } else if (there) {
        take_pattern(p, (MUMPS_INT *)(void *)room);
    }
    free(room);
    return there;
}

static bool get_values(mumps_piece *p, const mumps_sum *sum)
{
    int parts = sum->complex_sum ? 2 : 1;
    bool first = my_rank() == 0, alone = rank_count() == 1;
    char *room = first && !alone ? malloc((size_t)parts * MESSAGE * sizeof(double)) : NULL;
    p->value = malloc((size_t)p->count * (size_t)parts * sizeof(double) + 1);
    bool there = all(p->value && (room || !first || alone));
    if (there && first && alone) {
        for (int64_t at = 0; at < p->count; at += MESSAGE) {
            add_values(sum, at, least(p->count - at, MESSAGE), (double *)p->value + parts * at);
        }
    } else if (there && first) {
        hand_out(p, NULL, sum, room);
    } else if (there) {
        take_values(p, parts);
    }
    free(room);
    return there;
}

mumps_piece *mumps_piece_create(int n, const flx_symmetric *A)
{
    mumps_piece *p = calloc(1, sizeof *p);
    int64_t *first = calloc((size_t)rank_count() + 1, sizeof *first);
    if (!all(p && first)) {
        free(p);
        free(first);
        return NULL;
    }
    p->n = n;
    p->first = first;
    if (A) cut(p, A->start[n]);
    MPI_Bcast(p->first, rank_count() + 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    p->count = p->first[my_rank() + 1] - p->first[my_rank()];
    if (!get_pattern(p, A)) {
        mumps_piece_destroy(p);
        return NULL;
    }
    return p;
}

// ---- factors --------------------------------------------------------------------------------------

static void end_instance(mumps_piece *p, int kind)
{
    if (!p->there[kind]) return;
    if (kind == 0) {
        real_end(&p->real);
    } else {
        pairs_end(&p->pairs);
    }
    p->there[kind] = p->ordered[kind] = false;
}

static void begin_instance(mumps_piece *p, int kind, bool count)
{
    if (p->there[kind] && p->counts[kind] == count) return;
    end_instance(p, kind);
    if (kind == 0) {
        real_begin(&p->real, count);
    } else {
        pairs_begin(&p->pairs, count);
    }
    p->there[kind] = true;
    p->counts[kind] = count;
}

static flx_status status_of(int error)
{
    if (error >= 0) return FLX_OK;
    if (error == -10) return FLX_SINGULAR;
    if (my_rank() == 0) fprintf(stderr, "flexion-fe-mpi: MUMPS fails with INFOG(1) = %d\n", error);
    return FLX_ERR_MEMORY;
}

flx_status mumps_piece_factor(mumps_piece *p, const mumps_sum *sum, flx_frontal_report *report)
{
    int kind = sum->complex_sum;
    end_instance(p, !kind); // one at a time
    begin_instance(p, kind, sum->count);
    bool there = get_values(p, sum);
    int error = -13;
    if (there) error = kind == 0 ? real_factor(&p->real, p) : pairs_factor(&p->pairs, p);
    free(p->value);
    p->value = NULL;
    p->last = kind;
    if (report && error >= 0) {
        if (kind == 0) {
            real_report(&p->real, report);
        } else {
            pairs_report(&p->pairs, report);
        }
    }
    if (sum->count || error < 0) end_instance(p, kind);
    return status_of(error);
}

bool mumps_piece_solve(mumps_piece *p, int k, void *X)
{
    if (!p->there[p->last]) return false;
    return status_of(p->last == 0 ? real_solve(&p->real, p->n, k, X)
                                  : pairs_solve(&p->pairs, p->n, k, X)) == FLX_OK;
}

void mumps_piece_release(mumps_piece *p)
{
    end_instance(p, 0);
    end_instance(p, 1);
}

void mumps_piece_destroy(mumps_piece *p)
{
    if (!p) return;
    mumps_piece_release(p);
    free(p->row);
    free(p->column);
    free(p->first);
    free(p);
}
