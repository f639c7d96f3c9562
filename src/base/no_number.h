// no_number.h - which function of the user gave no number: what fails later knows bodies alone, and not what they wait for.
#pragma once

// Of this thread: the first since they were forgotten is kept.
void flx_no_number_note(const char *function, int narg, const double *x);
void flx_no_number_forget(void);
// "; the external function 'f' gave no number at (0.3, 2)", or "".
const char *flx_no_number_text(void);
