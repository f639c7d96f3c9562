// mumps_engine.h - factors of all ranks: rank 0 has an engine, the others wait for what it says.
#pragma once

#include "math/frontal/engine.h"

const flx_engine *mumps_engine(void); // of rank 0
void mumps_engine_end(void);          // ... which ends the others
void mumps_engine_serve(void);        // of another rank: until rank 0 ends
