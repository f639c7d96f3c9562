# KLU and AMD of SuiteSparse: targets KLU::KLU and KLU::AMD. Headers may lie in a folder of their own.
find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse)
find_library(KLU_LIBRARY klu)
find_library(AMD_LIBRARY amd)
mark_as_advanced(KLU_INCLUDE_DIR KLU_LIBRARY AMD_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(KLU REQUIRED_VARS KLU_LIBRARY AMD_LIBRARY KLU_INCLUDE_DIR)

if(KLU_FOUND AND NOT TARGET KLU::KLU)
  foreach(name KLU AMD)
    add_library(KLU::${name} UNKNOWN IMPORTED)
    set_target_properties(KLU::${name} PROPERTIES
      IMPORTED_LOCATION "${${name}_LIBRARY}"
      INTERFACE_INCLUDE_DIRECTORIES "${KLU_INCLUDE_DIR}")
  endforeach()
endif()
