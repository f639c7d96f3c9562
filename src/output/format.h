// format.h - what writer and reader of result files agree on.
#pragma once

#define FLX_RESULT_FORMAT "flexion-result 1"
