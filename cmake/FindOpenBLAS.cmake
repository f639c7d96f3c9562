# OpenBLAS as PkgConfig::FLX_OPENBLAS, serial where it is there: the threads of the other kinds make
# the bits of results depend on the number of cores, and where memory is limited they wait for each
# other for ever. Debian keeps the kinds side by side under the same names. What is linked names the
# serial BLAS and LAPACK itself, and the way to them, so that LAPACKE gets no others.
set(flx_pkg_config_path "$ENV{PKG_CONFIG_PATH}")
set(ENV{PKG_CONFIG_PATH} "/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-serial/pkgconfig:${flx_pkg_config_path}")
pkg_check_modules(FLX_OPENBLAS REQUIRED IMPORTED_TARGET openblas)
set(ENV{PKG_CONFIG_PATH} "${flx_pkg_config_path}")
string(REGEX REPLACE "/$" "" flx_openblas "${FLX_OPENBLAS_LIBRARY_DIRS}")
if(flx_openblas MATCHES "serial$" AND EXISTS ${flx_openblas}/liblapack.so.3)
  # A target with LAPACKE inside it (FLX_LAPACKE_INSIDE) finds all in OpenBLAS.
  foreach(item -Wl,--push-state,--no-as-needed ${flx_openblas}/libblas.so.3 ${flx_openblas}/liblapack.so.3 -Wl,--pop-state)
    string(REPLACE "," "$<COMMA>" item "${item}")
    set_property(TARGET PkgConfig::FLX_OPENBLAS APPEND PROPERTY INTERFACE_LINK_LIBRARIES
      $<$<NOT:$<BOOL:$<TARGET_PROPERTY:FLX_LAPACKE_INSIDE>>>:${item}>)
  endforeach()
  list(APPEND FLX_OPENBLAS_LDFLAGS -Wl,--push-state,--no-as-needed
    -l:libblas.so.3 -l:liblapack.so.3 -Wl,--pop-state -Wl,-rpath,${flx_openblas})
else()
  message(STATUS "OpenBLAS: no serial one found (Debian: libopenblas-serial-dev); results may depend on the number of cores")
endif()
