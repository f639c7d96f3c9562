// flexion/flexion.h - everything a user of the library includes.
#pragma once

#include "flexion/analysis.h"
#include "flexion/base.h"
#include "flexion/certificate.h"
#include "flexion/compare.h"
#include "flexion/dynamics.h"
#include "flexion/export.h"
#include "flexion/fe.h"
#include "flexion/integrator.h"
#include "flexion/methods.h"
#include "flexion/model.h"
#include "flexion/output.h"
#include "flexion/results.h"
#include "flexion/scene.h"
#include "flexion/simulation.h"
#include "flexion/study.h"
#include "flexion/system.h"
