# The pages of `flexion view` and `flexion studio`: viewer/ bundled to one file each and compiled into the program. Node and npm
# build it; a program built without them says so when a page is asked for.
# Sets FLX_PAGE_TEMPLATE, the C source with the page.
set(FLX_PAGE_TEMPLATE ${PROJECT_SOURCE_DIR}/src/page/page_template_absent.c)
set(viewer ${PROJECT_SOURCE_DIR}/viewer)
if(FLX_VIEWER STREQUAL "OFF")
  return()
endif()

# An archive of a release has them built.
if(EXISTS ${viewer}/built/page_template.c)
  set(FLX_PAGE_TEMPLATE ${viewer}/built/page_template.c)
  return()
endif()

function(flx_viewer_missing why)
  if(FLX_VIEWER STREQUAL "ON")
    message(FATAL_ERROR "the page of flexion view cannot be built: ${why}")
  endif()
  message(WARNING "flexion view will be missing: ${why}")
endfunction()

find_program(FLX_NODE node)
find_program(FLX_NPM npm)
mark_as_advanced(FLX_NODE FLX_NPM)
if(NOT FLX_NODE OR NOT FLX_NPM)
  flx_viewer_missing("node or npm is not installed")
  return()
endif()

# What the lock file names, fetched once; the tests want a driver of browsers besides.
set(needed esbuild three uplot @codemirror/view)
set(omit --omit=dev)
if(FLX_TESTS)
  list(APPEND needed playwright-core typescript)
  set(omit)
endif()
set(fetch ${viewer}/package-lock.json IS_NEWER_THAN ${viewer}/node_modules/.package-lock.json)
foreach(package ${needed})
  list(APPEND fetch OR NOT EXISTS ${viewer}/node_modules/${package})
endforeach()
if(${fetch})
  execute_process(COMMAND ${FLX_NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error ${omit}
    WORKING_DIRECTORY ${viewer} RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE complaint)
  if(failed)
    flx_viewer_missing("npm ci failed in viewer/: ${complaint}")
    return()
  endif()
  file(TOUCH ${viewer}/node_modules/.package-lock.json)
endif()

file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${viewer}/src/* ${PROJECT_SOURCE_DIR}/examples/*)
set(FLX_PAGE_TEMPLATE ${PROJECT_BINARY_DIR}/viewer/page_template.c)
add_custom_command(OUTPUT ${FLX_PAGE_TEMPLATE}
  COMMAND ${FLX_NODE} ${viewer}/build.mjs ${PROJECT_BINARY_DIR}/viewer
  DEPENDS ${viewer}/build.mjs ${viewer}/package-lock.json ${sources}
  COMMENT "Bundling the viewer" VERBATIM)
