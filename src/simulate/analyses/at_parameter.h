// at_parameter.h - an analysis of the same model with another value of a parameter: the model is read anew.
#pragma once

#include "simulate/analyses/performer.h"

// Refused where the model has no text: `what` ("a Campbell diagram") is in the message.
flx_status flx_analysis_check_text(const flx_task *t, const char *what);
// call gets the same analysis as a task of the other model, whose simulation is not run.
flx_status flx_analysis_at(const flx_task *t, const char *parameter, double value,
                           flx_status (*call)(void *user, flx_task *other), void *user);
