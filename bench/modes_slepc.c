// modes_slepc.c - modes by SLEPc and MUMPS (symmetric, positive definite where it says so).
#include "modes_slepc.h"

#include <slepceps.h>
#include <stdlib.h>

// Upper triangle by rows (SBAIJ): the lower one by columns.
static PetscErrorCode make_matrix(const flx_symmetric *A, Mat *out)
{
    PetscInt n = A->n, *count;
    PetscCall(PetscMalloc1(n, &count));
    for (PetscInt j = 0; j < n; j++) count[j] = (PetscInt)(A->start[j + 1] - A->start[j]);
    PetscCall(MatCreateSeqSBAIJ(PETSC_COMM_SELF, 1, n, n, 0, count, out));
    for (PetscInt j = 0; j < n; j++) {
        PetscCall(MatSetValues(*out, 1, &j, count[j], A->row + A->start[j], A->value + A->start[j],
                               INSERT_VALUES));
    }
    PetscCall(PetscFree(count));
    PetscCall(MatAssemblyBegin(*out, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*out, MAT_FINAL_ASSEMBLY));
    PetscCall(MatSetOption(*out, MAT_SPD, PETSC_TRUE));
    return 0;
}

static PetscErrorCode solve(const flx_symmetric *K, const flx_symmetric *M, int count,
                            double tolerance, double *lambda)
{
    Mat A, B;
    EPS eps;
    ST st;
    KSP ksp;
    PC pc;
    PetscInt found;
    PetscCall(make_matrix(K, &A));
    PetscCall(make_matrix(M, &B));
    PetscCall(EPSCreate(PETSC_COMM_SELF, &eps));
    PetscCall(EPSSetOperators(eps, A, B));
    PetscCall(EPSSetProblemType(eps, EPS_GHEP));
    PetscCall(EPSSetDimensions(eps, count, PETSC_DEFAULT, PETSC_DEFAULT));
    PetscCall(EPSSetTolerances(eps, tolerance, PETSC_DEFAULT));
    PetscCall(EPSSetWhichEigenpairs(eps, EPS_TARGET_MAGNITUDE));
    PetscCall(EPSSetTarget(eps, 0));
    PetscCall(EPSGetST(eps, &st));
    PetscCall(STSetType(st, STSINVERT));
    PetscCall(STGetKSP(st, &ksp));
    PetscCall(KSPSetType(ksp, KSPPREONLY));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, PCCHOLESKY));
    PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
    PetscCall(EPSSetFromOptions(eps));
    PetscCall(EPSSolve(eps));
    PetscCall(EPSGetConverged(eps, &found));
    for (int k = 0; k < count && k < found; k++) {
        PetscScalar re, im;
        PetscCall(EPSGetEigenvalue(eps, k, &re, &im));
        lambda[k] = re;
    }
    PetscCall(EPSDestroy(&eps));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&B));
    return found >= count ? 0 : 1;
}

int slepc_modes(const flx_symmetric *K, const flx_symmetric *M, int count, double tolerance,
                double *lambda)
{
    if (SlepcInitialize(NULL, NULL, NULL, NULL) != 0) return 1;
    int status = solve(K, M, count, tolerance, lambda);
    SlepcFinalize();
    return status;
}
