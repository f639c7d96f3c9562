// urdf_words.h - what of URDF is not read.
#pragma once

#include "read/robot/robot.h"
#include "read/robot/xml.h"

// Notes for what stands in links and joints, but in their pictures, and is no word of URDF.
void flx_urdf_check_words(flx_robot *robot, const flx_xml *root);
