// contact_mujoco.h - a stack of boxes by MuJoCo, beside ours.
#pragma once

typedef struct mujoco_result {
    double us;     // per step
    double sinks;  // of the top, at the end
    double creeps; // of the top along the slope, over the second half
} mujoco_result;
// 0: it could not.
int mujoco_stack(int n, double tilt, double step, int steps, mujoco_result *out);
