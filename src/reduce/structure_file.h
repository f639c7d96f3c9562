// structure_file.h - the matrices of a structure as Matrix Market files, for other programs and for checks.
#pragma once

#include "reduce/basis.h"

// PREFIX_K.mtx and _M.mtx (symmetric), _S.mtx and _D.mtx where there are losses and dashpots, _B.mtx (unit loads at the
// interfaces), _ports.csv (the names of its columns) and, where they are known, _unknowns.csv.
flx_status flx_structure_write(const flx_free_structure *s, const char *prefix);
