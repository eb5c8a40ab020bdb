include(FeatureSummary)
include(GNUInstallDirs)

option(RNNADVISOR_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(RNNADVISOR_BENCHMARKS "Build the benchmarks beside the tests" OFF)
option(RNNADVISOR_FUZZ "Build the fuzz targets with libFuzzer (needs clang); without it they are built as replay programs" OFF)
option(RNNADVISOR_WERROR "Warnings are errors" ${PROJECT_IS_TOP_LEVEL})
option(RNNADVISOR_UNITY "Compile the files of a library in groups: faster as a whole, slower after the change of one file" ON)
option(RNNADVISOR_PORTABLE "Link everything but glibc, the CUDA driver, cuDNN and CUPTI statically" OFF)
# AUTO builds the parts that talk to cuDNN and CUPTI when their headers are found. ON makes their
# absence an error, OFF builds without them on any machine.
set(RNNADVISOR_CUDA AUTO CACHE STRING "Build the parts that call CUDA, cuDNN and CUPTI: AUTO, ON, OFF")
set_property(CACHE RNNADVISOR_CUDA PROPERTY STRINGS AUTO ON OFF)
# The same for the window: AUTO builds it when Qt 6.4 or later is found.
set(RNNADVISOR_GUI AUTO CACHE STRING "Build the window, rnnadvisor-gui: AUTO, ON, OFF")
set_property(CACHE RNNADVISOR_GUI PROPERTY STRINGS AUTO ON OFF)
set(RNNADVISOR_SANITIZE "" CACHE STRING "Sanitizers to build with, as in -fsanitize=: address,undefined or thread")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
# With BUILD_SHARED_LIBS an installed program finds its libraries beside itself, wherever the tree is moved.
if(BUILD_SHARED_LIBS)
  set(CMAKE_INSTALL_RPATH "$ORIGIN" "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
  set(CMAKE_C_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()
find_program(MOLD_PROGRAM mold)
if(MOLD_PROGRAM)
  add_link_options(-fuse-ld=mold)
endif()
