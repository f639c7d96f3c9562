# IDA and CVODE of SUNDIALS, version 6: target SUNDIALS::SUNDIALS. Its own package files also ask for
# MPI and PETSc, which none of what is used here needs.
find_path(SUNDIALS_INCLUDE_DIR ida/ida.h)
set(SUNDIALS_LIBRARIES)
foreach(name ida cvode nvecserial sunnonlinsolfixedpoint)
  find_library(SUNDIALS_${name}_LIBRARY sundials_${name})
  mark_as_advanced(SUNDIALS_${name}_LIBRARY)
  list(APPEND SUNDIALS_LIBRARIES ${SUNDIALS_${name}_LIBRARY})
endforeach()
mark_as_advanced(SUNDIALS_INCLUDE_DIR)

if(SUNDIALS_INCLUDE_DIR)
  file(STRINGS ${SUNDIALS_INCLUDE_DIR}/sundials/sundials_config.h SUNDIALS_VERSION_LINE
    REGEX "define SUNDIALS_VERSION ")
  string(REGEX MATCH "[0-9.]+" SUNDIALS_VERSION "${SUNDIALS_VERSION_LINE}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SUNDIALS
  REQUIRED_VARS SUNDIALS_ida_LIBRARY SUNDIALS_cvode_LIBRARY SUNDIALS_nvecserial_LIBRARY
    SUNDIALS_sunnonlinsolfixedpoint_LIBRARY SUNDIALS_INCLUDE_DIR
  VERSION_VAR SUNDIALS_VERSION HANDLE_VERSION_RANGE)

if(SUNDIALS_FOUND AND NOT TARGET SUNDIALS::SUNDIALS)
  add_library(SUNDIALS::SUNDIALS INTERFACE IMPORTED)
  set_target_properties(SUNDIALS::SUNDIALS PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${SUNDIALS_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${SUNDIALS_LIBRARIES}")
endif()
