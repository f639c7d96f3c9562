# KLU and AMD of SuiteSparse: targets KLU::KLU and KLU::AMD, and KLU::COLAMD where it is. Headers may lie in a folder of their own.
find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse)
find_library(KLU_LIBRARY klu)
find_library(AMD_LIBRARY amd)
find_library(COLAMD_LIBRARY colamd)
mark_as_advanced(KLU_INCLUDE_DIR KLU_LIBRARY AMD_LIBRARY COLAMD_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(KLU REQUIRED_VARS KLU_LIBRARY AMD_LIBRARY KLU_INCLUDE_DIR)

if(KLU_FOUND AND NOT TARGET KLU::KLU)
  foreach(name KLU AMD COLAMD)
    if(NOT ${name}_LIBRARY)
      continue()
    endif()
    add_library(KLU::${name} UNKNOWN IMPORTED)
    set_target_properties(KLU::${name} PROPERTIES
      IMPORTED_LOCATION "${${name}_LIBRARY}"
      INTERFACE_INCLUDE_DIRECTORIES "${KLU_INCLUDE_DIR}")
  endforeach()
endif()
