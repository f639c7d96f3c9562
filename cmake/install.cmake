# What `cmake --install` puts where: libraries, headers, program, man pages, pkg-config and CMake
# package files. Both package files are relocatable.
include(CMakePackageConfigHelpers)
set(FLX_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/flexion)

install(TARGETS flexion EXPORT flexionTargets)
install(TARGETS flexion_static EXPORT flexionStaticTargets)
install(TARGETS flexion_program)
if(TARGET flexion_fe_mpi)
  install(TARGETS flexion_fe_mpi)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/flexion DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT flexionTargets NAMESPACE flexion:: DESTINATION ${FLX_CMAKE_DIR})
install(EXPORT flexionStaticTargets NAMESPACE flexion:: DESTINATION ${FLX_CMAKE_DIR})

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/flexionConfig.cmake.in
  ${PROJECT_BINARY_DIR}/flexionConfig.cmake INSTALL_DESTINATION ${FLX_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/flexionConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/flexionConfig.cmake
  ${PROJECT_BINARY_DIR}/flexionConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/FindIPOPT.cmake
  ${CMAKE_CURRENT_LIST_DIR}/FindKLU.cmake
  ${CMAKE_CURRENT_LIST_DIR}/FindMETIS.cmake
  ${CMAKE_CURRENT_LIST_DIR}/FindOpenBLAS.cmake
  ${CMAKE_CURRENT_LIST_DIR}/FindSUNDIALS.cmake
  DESTINATION ${FLX_CMAKE_DIR})

# The way from the .pc file back to the prefix, so that the tree may be moved.
file(RELATIVE_PATH FLX_PC_TO_PREFIX
  /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
# What the static library is linked with. Not Requires.private, which would ask a user of the shared
# library for the development files of everything.
list(JOIN FLX_YAML_LDFLAGS " " yaml)
set(hdf5 "")
if(FLX_HDF5 AND FLX_HDF5_FOUND)
  list(JOIN FLX_HDF5_LDFLAGS " " hdf5)
endif()
list(JOIN FLX_LAPACKE_LDFLAGS " " lapacke)
list(JOIN FLX_OPENBLAS_LDFLAGS " " openblas)
list(JOIN FLX_QHULL_LDFLAGS " " qhull)
string(TOLOWER ${FLX_LU} lu)
set(FLX_PC_PRIVATE "${yaml} ${hdf5} ${lapacke} ${openblas} ${qhull} -l${lu} -lamd -lz -lm")
if(SUNDIALS_FOUND)
  string(PREPEND FLX_PC_PRIVATE
    "-lsundials_ida -lsundials_cvode -lsundials_nvecserial -lsundials_sunnonlinsolfixedpoint ")
endif()
if(IPOPT_FOUND)
  string(PREPEND FLX_PC_PRIVATE "-lipopt ")
endif()
if(NLOPT_FOUND)
  string(PREPEND FLX_PC_PRIVATE "-lnlopt ")
endif()
if(METIS_FOUND)
  string(PREPEND FLX_PC_PRIVATE "-lmetis ")
endif()
if(EXPAT_FOUND)
  string(PREPEND FLX_PC_PRIVATE "-lexpat ")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/flexion.pc.in ${PROJECT_BINARY_DIR}/flexion.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/flexion.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# For editors, and for shells, which the program writes itself.
install(FILES ${PROJECT_SOURCE_DIR}/schema/flexion.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/flexion)
set(completions bash:bash-completion/completions/flexion zsh:zsh/vendor-completions/_flexion
  fish:fish/vendor_completions.d/flexion.fish)
foreach(one ${completions})
  string(REGEX MATCH "^[a-z]+" shell ${one})
  string(REGEX REPLACE "^[a-z]+:" "" place ${one})
  get_filename_component(folder ${place} DIRECTORY)
  set(file ${PROJECT_BINARY_DIR}/completion/${place})
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/completion/${folder})
  add_custom_command(OUTPUT ${file} COMMAND flexion_program completion ${shell} > ${file} DEPENDS flexion_program VERBATIM)
  list(APPEND written ${file})
  install(FILES ${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder})
endforeach()
add_custom_target(flexion_completion ALL DEPENDS ${written})

# Man pages, where scdoc is there to make them; an archive of a release has them made.
find_program(FLX_SCDOC scdoc)
foreach(page flexion.1 flexion-model.5)
  set(source ${PROJECT_SOURCE_DIR}/man/${page}.scd)
  set(made ${PROJECT_SOURCE_DIR}/man/built/${page})
  if(NOT EXISTS ${made} AND FLX_SCDOC)
    set(made ${PROJECT_BINARY_DIR}/${page})
    add_custom_command(OUTPUT ${made} COMMAND ${FLX_SCDOC} < ${source} > ${made} DEPENDS ${source} VERBATIM)
    list(APPEND pages ${made})
  endif()
  if(EXISTS ${made} OR FLX_SCDOC)
    string(REGEX MATCH "[0-9]$" section ${page})
    install(FILES ${made} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
  endif()
endforeach()
add_custom_target(flexion_man ALL DEPENDS ${pages})

# What a user wants built: everything but tests and benchmarks.
add_custom_target(product DEPENDS flexion flexion_static flexion_program flexion_completion)
add_dependencies(product flexion_man)
if(TARGET flexion_fmi_packed)
  add_dependencies(product flexion_fmi_packed)
endif()
if(TARGET flexion_python_package)
  add_dependencies(product flexion_python_package)
endif()
if(TARGET flexion_fe_mpi)
  add_dependencies(product flexion_fe_mpi)
endif()
