# CPack makes packages of what RnnadvisorInstall.cmake and gui/CMakeLists.txt install: one TGZ with everything, and three Debian packages, because a
# server needs neither the window's libraries nor our headers. packaging/release.sh makes and checks them.
set(CPACK_GENERATOR TGZ DEB)
set(CPACK_PACKAGE_NAME rnnadvisor)
set(CPACK_PACKAGE_VENDOR "rnnadvisor")
set(CPACK_PACKAGE_CONTACT "the rnnadvisor maintainers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "rnnadvisor built using CMake")  # CPack's default: each package has a summary of its own
set(CPACK_PACKAGE_FILE_NAME "rnnadvisor-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/package_files.cmake")
set(CPACK_RNNADVISOR_BUILD "${PROJECT_BINARY_DIR}")
set(CPACK_RNNADVISOR_SBOM "${PROJECT_SOURCE_DIR}/packaging/sbom.py")

set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # of CUDA and cuDNN it finds nothing: they are loaded at run time
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME rnnadvisor)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "rnnadvisor-gui, bash-completion")
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "advisor and profiler for cuDNN recurrent networks
Finds out why an LSTM, GRU or RNN is slow under NVIDIA's cuDNN and what to
change, judges recorded profiles and configurations, and can run a program
with faster algorithms of cuDNN without changing it.
.
This package has the command, its manual, the plugin that it loads into
programs, rule cards, samples and documents. CUDA, cuDNN and CUPTI are looked
for at run time; judging works without them.")
set(CPACK_DEBIAN_WINDOW_PACKAGE_NAME rnnadvisor-gui)
set(CPACK_DEBIAN_WINDOW_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_WINDOW_PACKAGE_DEPENDS "rnnadvisor (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_WINDOW_DESCRIPTION "advisor for cuDNN recurrent networks: the window
Shows profiles that rnnadvisor recorded: where the time of a step goes, a
timeline of calls and kernels, findings, and what changes would gain.
.
This package has the program rnnadvisor-gui, its entry in menus, its icon and
the type of .rnnprof files.")
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_NAME rnnadvisor-dev)
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_SECTION libdevel)
list(JOIN RNNADVISOR_EXPORTED_DEBIAN ", " CPACK_DEBIAN_LIBRARIES_PACKAGE_DEPENDS)
set(CPACK_DEBIAN_LIBRARIES_DESCRIPTION "advisor for cuDNN recurrent networks: C++ libraries
Judges configurations and recorded profiles of recurrent layers from C++20
programs.
.
This package has headers, static libraries and the CMake package with the
targets rnnadvisor::core, rnnadvisor::profile and rnnadvisor::advisor.")
if(BUILD_SHARED_LIBS)
  string(APPEND CPACK_DEBIAN_LIBRARIES_PACKAGE_DEPENDS ", rnnadvisor (= ${PROJECT_VERSION})")
endif()
include(CPack)
cpack_add_component_group(program DISPLAY_NAME "rnnadvisor")
cpack_add_component_group(window DISPLAY_NAME "rnnadvisor-gui")
cpack_add_component_group(libraries DISPLAY_NAME "rnnadvisor-dev")
cpack_add_component(Runtime GROUP program)
cpack_add_component(Gui GROUP window)
cpack_add_component(Development GROUP libraries)
