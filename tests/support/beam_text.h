// beam_text.h - the inextensible cantilever of n links as a model.
#pragma once

// Angles b(1) ... b(n) under a load at the tip, in equations (Hairer, Norsett and Wanner I, II.10
// (10.6); case ivp-beam-inextensible has n = 40), with `simulate: {<simulate>}` and b, b' at t = 5.
// To be freed; NULL: no memory.
char *beam_text(int n, const char *simulate);
