// flexion/version.h - the version of these headers; CMake reads it here. flx_version() tells that of the library.
//
// Until 1.0 a change of MINOR may change everything, and the name of the shared library with it
// (libflexion.so.0.MINOR); a change of PATCH adds at most.
#pragma once

#define FLX_VERSION_MAJOR 0
#define FLX_VERSION_MINOR 5
#define FLX_VERSION_PATCH 0

// As one number that can be compared in #if: FLX_VERSION_NUMBER >= FLX_VERSION_OF(0, 2, 0)
#define FLX_VERSION_OF(major, minor, patch) ((major)*1000000 + (minor)*1000 + (patch))
#define FLX_VERSION_NUMBER FLX_VERSION_OF(FLX_VERSION_MAJOR, FLX_VERSION_MINOR, FLX_VERSION_PATCH)

// As text: "0.2.0"
#define FLX_VERSION_QUOTED(major, minor, patch) #major "." #minor "." #patch
#define FLX_VERSION_QUOTED_OF(major, minor, patch) FLX_VERSION_QUOTED(major, minor, patch)
#define FLX_VERSION FLX_VERSION_QUOTED_OF(FLX_VERSION_MAJOR, FLX_VERSION_MINOR, FLX_VERSION_PATCH)
