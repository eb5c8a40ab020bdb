# Finds the headers of cuDNN 8.9 or later. The library itself is loaded at run time and never linked.
#
#   CUDNN_ROOT, environment CUDNN_ROOT or CUDNN_PATH: where to look first
# Result: CuDNN_FOUND, CuDNN_VERSION, target CuDNN::headers
find_path(CuDNN_INCLUDE_DIR cudnn_version.h
  HINTS "${CUDNN_ROOT}" ENV CUDNN_ROOT ENV CUDNN_PATH
  PATHS ${CUDAToolkit_INCLUDE_DIRS} /usr/include/x86_64-linux-gnu
  PATH_SUFFIXES include)
if(CuDNN_INCLUDE_DIR)
  file(STRINGS "${CuDNN_INCLUDE_DIR}/cudnn_version.h" _cudnn_defines
       REGEX "^#define[ \t]+CUDNN_(MAJOR|MINOR|PATCHLEVEL)[ \t]+[0-9]+")
  foreach(part MAJOR MINOR PATCHLEVEL)
    string(REGEX MATCH "CUDNN_${part}[ \t]+([0-9]+)" _match "${_cudnn_defines}")
    set(_cudnn_${part} "${CMAKE_MATCH_1}")
  endforeach()
  set(CuDNN_VERSION "${_cudnn_MAJOR}.${_cudnn_MINOR}.${_cudnn_PATCHLEVEL}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CuDNN REQUIRED_VARS CuDNN_INCLUDE_DIR VERSION_VAR CuDNN_VERSION)
if(CuDNN_FOUND AND NOT TARGET CuDNN::headers)
  add_library(CuDNN::headers INTERFACE IMPORTED)
  target_include_directories(CuDNN::headers SYSTEM INTERFACE "${CuDNN_INCLUDE_DIR}")
endif()
mark_as_advanced(CuDNN_INCLUDE_DIR)
