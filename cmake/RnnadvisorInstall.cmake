# cmake --install: the program, its documents, the rule cards and samples to read, and for C++ programmers the libraries
# with a CMake package (find_package(rnnadvisor), rnnadvisor::core, rnnadvisor::profile, rnnadvisor::advisor).
include(CMakePackageConfigHelpers)

install(TARGETS rnnadvisor RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT Runtime)
# The part for other people's programs, beside the program: bin/../lib/rnnadvisor is where it is looked for.
if(TARGET rnnadvisor_plugin)
  install(TARGETS rnnadvisor_plugin LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/rnnadvisor" COMPONENT Runtime)
endif()
install(FILES LICENSE README.md CHANGELOG.md DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT Runtime)
install(DIRECTORY docs/ DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT Runtime)
install(DIRECTORY rules samples DESTINATION "${CMAKE_INSTALL_DATADIR}/rnnadvisor" COMPONENT Runtime
        FILES_MATCHING PATTERN "*.toml" PATTERN "*.rnnprof" PATTERN "*.md")

install(TARGETS core profile advisor rnnadvisor_fmt rnnadvisor_toml rnnadvisor_sqlite rnnadvisor_zlib
        EXPORT rnnadvisor LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT Runtime
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT Development)
foreach(folder core/base core/config core/device core/model profiler/kernels profiler/profile profiler/merge profiler/classify
        advisor/change advisor/facts advisor/rules advisor/whatif advisor/judge advisor/report advisor/compare advisor/reproduce)
  install(DIRECTORY ${folder} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/rnnadvisor/${folder}/.." COMPONENT Development
          FILES_MATCHING PATTERN "*.h")
endforeach()
install(FILES advisor/fit/fit.h advisor/fit/question.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/rnnadvisor/advisor/fit" COMPONENT Development)
install(FILES core/cudnn/machine.h core/cudnn/run_options.h core/cudnn/run_result.h
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/rnnadvisor/core/cudnn" COMPONENT Development)
set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/rnnadvisor")
install(EXPORT rnnadvisor NAMESPACE rnnadvisor:: FILE rnnadvisorTargets.cmake DESTINATION "${package_folder}" COMPONENT Development)
configure_package_config_file(cmake/rnnadvisorConfig.cmake.in "${CMAKE_CURRENT_BINARY_DIR}/rnnadvisorConfig.cmake"
                              INSTALL_DESTINATION "${package_folder}")
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/rnnadvisorConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/rnnadvisorConfig.cmake" "${CMAKE_CURRENT_BINARY_DIR}/rnnadvisorConfigVersion.cmake"
        DESTINATION "${package_folder}" COMPONENT Development)
