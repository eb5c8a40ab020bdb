# rnnadvisor_library(name [INSTALLED] [OPTIMISED] SOURCES … PUBLIC … PRIVATE …)
# One library with the house's warnings; headers are included from the top of the tree
# ("core/config/rnn_config.h"), so that an include line names its layer. INSTALLED: other programs can link it, and it is a shared library where
# BUILD_SHARED_LIBS is on, as in the preset dev and those of the sanitizers: a hundred test programs with copies of it take 8 GB. All others are static.
# OPTIMISED: also by the preset gcc, whose properties compute much in it; of the others it compiles faster than it runs slower.
add_library(rnnadvisor_options INTERFACE)
target_compile_features(rnnadvisor_options INTERFACE cxx_std_20)
target_compile_options(rnnadvisor_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Wformat=2 -Wundef -Wcast-align
  $<$<BOOL:${RNNADVISOR_WERROR}>:-Werror>
  # GCC 12 reports std::string and std::variant internals as uninitialised or out of bounds when it
  # inlines them at -O2 (GCC bugs 105329, 105562); the sanitizer presets watch for the real thing.
  # std::stable_sort of libstdc++ 12 uses what newer clangs know as deprecated.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow>
  # A type in an anonymous namespace is no mistake where the including file is one that CMake made.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${RNNADVISOR_UNITY}>>:-Wno-subobject-linkage>)
# Indices, iterators, optionals and pointers of the standard library that are used wrongly end the program.
target_compile_definitions(rnnadvisor_options INTERFACE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
# Tests are not optimised where assertions are on, also where the product is: compiling them takes longer than running them.
add_library(rnnadvisor_test_options INTERFACE)
target_link_libraries(rnnadvisor_test_options INTERFACE rnnadvisor_options)
target_compile_options(rnnadvisor_test_options INTERFACE $<$<CONFIG:Debug>:-O0>)
# What the sanitizers watch: the product, and with the thread sanitizer the tests, too, because it must see every atomic. The address sanitizer
# finds what the product does wrong from within; compiling the tests with it would take as long as everything else together.
add_library(rnnadvisor_sanitized INTERFACE)
if(RNNADVISOR_SANITIZE)
  target_compile_options(rnnadvisor_sanitized INTERFACE
    -fsanitize=${RNNADVISOR_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all
    $<$<CXX_COMPILER_ID:Clang>:-fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/cmake/sanitizer_ignorelist.txt>)
  target_link_options(rnnadvisor_options INTERFACE -fsanitize=${RNNADVISOR_SANITIZE})
  if(RNNADVISOR_SANITIZE MATCHES thread)
    target_link_libraries(rnnadvisor_options INTERFACE rnnadvisor_sanitized)
  endif()
endif()

# rnnadvisor_headers(name PROGRAM|LIBRARY HEADERS … LIBRARIES … DEFINITIONS …): headers that most files need, compiled once for all of them. What
# has them is a program for programs and a library for libraries, because the two differ in flags that GCC compares.
function(rnnadvisor_headers name)
  cmake_parse_arguments(ARG "PROGRAM;LIBRARY" "" "HEADERS;LIBRARIES;DEFINITIONS" ${ARGN})
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/${name}.cpp" CONTENT "int main() {}\n")
  if(ARG_PROGRAM)
    add_executable(${name} "${PROJECT_BINARY_DIR}/${name}.cpp")
    target_link_libraries(${name} PRIVATE rnnadvisor_test_options)
  else()
    add_library(${name} STATIC "${PROJECT_BINARY_DIR}/${name}.cpp")
    target_link_libraries(${name} PRIVATE rnnadvisor_options rnnadvisor_sanitized)
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES})
  target_compile_definitions(${name} PRIVATE ${ARG_DEFINITIONS})
  target_precompile_headers(${name} PRIVATE <algorithm> <filesystem> <fstream> <functional> <map> <optional> <set> <sstream> <string> <vector>
                            ${ARG_HEADERS})
endfunction()

# For the libraries with clang alone: files compiled in groups share what they include anyway, and GCC reads its 100 to 300 MB as slowly as the
# headers. With clang the window's files take 0.7 of the time.
set(qt_definitions QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII QT_NO_FOREACH)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  rnnadvisor_headers(rnnadvisor_library_headers LIBRARY HEADERS <fmt/format.h> <nlohmann/json.hpp>
                     LIBRARIES rnnadvisor_fmt nlohmann_json::nlohmann_json tl::expected)
  if(RNNADVISOR_HAVE_GUI)
    rnnadvisor_headers(rnnadvisor_gui_headers LIBRARY HEADERS <fmt/format.h> <QtGui> LIBRARIES rnnadvisor_fmt Qt6::Gui DEFINITIONS ${qt_definitions})
  endif()
endif()

function(rnnadvisor_library name)
  cmake_parse_arguments(ARG "INSTALLED;OPTIMISED" "HEADERS" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  if(ARG_INSTALLED)
    # Beside the libraries of everybody else, librnnadvisor_core.a says whose it is. Who links it compiles our headers, which are C++20.
    add_library(${name} ${ARG_SOURCES})
    set_target_properties(${name} PROPERTIES OUTPUT_NAME rnnadvisor_${name})
    target_compile_features(${name} PUBLIC cxx_std_20)
  else()
    add_library(${name} STATIC ${ARG_SOURCES})
  endif()
  if(NOT ARG_OPTIMISED)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Debug>:-O0>)
  endif()
  add_library(rnnadvisor::${name} ALIAS ${name})
  target_include_directories(${name} PUBLIC
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/rnnadvisor>")
  target_link_libraries(${name} PUBLIC ${ARG_PUBLIC} PRIVATE $<BUILD_INTERFACE:rnnadvisor_options> $<BUILD_INTERFACE:rnnadvisor_sanitized>
                        ${ARG_PRIVATE})
  # Several files as one: the templates of JSON, TOML and CLI11 are instantiated once for all of them, in about a third of the time.
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${RNNADVISOR_UNITY} UNITY_BUILD_BATCH_SIZE 20)
  if(NOT ARG_HEADERS)
    set(ARG_HEADERS rnnadvisor_library_headers)
  endif()
  if(TARGET ${ARG_HEADERS})
    target_precompile_headers(${name} REUSE_FROM ${ARG_HEADERS})
  endif()
endfunction()

# rnnadvisor_gui_library(name SOURCES … PUBLIC … PRIVATE …): the same for code that includes Qt. moc runs over its headers.
function(rnnadvisor_gui_library name)
  rnnadvisor_library(${name} HEADERS rnnadvisor_gui_headers ${ARGN})
  set_target_properties(${name} PROPERTIES AUTOMOC ON)
  # What is deprecated in later Qt versions is still the way in 6.4.
  target_compile_definitions(${name} PUBLIC ${qt_definitions})
endfunction()

# rnnadvisor_gui_test(name SOURCES … LIBRARIES … LABELS …): a test with an application object and no screen.
function(rnnadvisor_gui_test name)
  rnnadvisor_test(${name} HEADERS rnnadvisor_gui_test_headers ${ARGN})
  set_target_properties(${name} PROPERTIES AUTOMOC ON)
  target_sources(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests/gui/main.cpp")
  target_link_libraries(${name} PRIVATE Qt6::Widgets Qt6::Test)
endfunction()

# Programs that take longest, whatever the number of their files: they go first, in this order.
set(long_tests agreement_properties_test gui_views_test cli_test consistency_test time_tables_test output_paths_test judge_test experiment_runner_test torch_command_test)

# rnnadvisor_unsanitized(name): a program that only runs in other presets than those of the sanitizers, where it is built when it is asked for.
function(rnnadvisor_unsanitized name)
  if(RNNADVISOR_SANITIZE)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

# rnnadvisor_test(name SOURCES … LIBRARIES … LABELS …): one GoogleTest program, one CTest entry. The target LABEL_tests builds all tests
# of a label. Those labelled slow, which only repeat much of what others run, and gpu are not built with the sanitizers.
function(rnnadvisor_test name)
  cmake_parse_arguments(ARG "" "HEADERS" "SOURCES;LIBRARIES;LABELS" ${ARGN})
  if(NOT ARG_LABELS)
    message(FATAL_ERROR "rnnadvisor_test(${name}): LABELS is missing; CONTRIBUTING.md has the list")
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  # Those with many draws parse much JSON: they are compiled as the product is, and so without the headers of the other tests.
  if("properties" IN_LIST ARG_LABELS)
    set(options rnnadvisor_options)
  else()
    set(options rnnadvisor_test_options)
  endif()
  target_link_libraries(${name} PRIVATE ${options} ${ARG_LIBRARIES} GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE RNNADVISOR_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(NOT ARG_HEADERS)
    set(ARG_HEADERS rnnadvisor_test_headers)
  endif()
  if(NOT "properties" IN_LIST ARG_LABELS)
    target_precompile_headers(${name} REUSE_FROM ${ARG_HEADERS})
  endif()
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${RNNADVISOR_UNITY} UNITY_BUILD_BATCH_SIZE 16)
  foreach(label IN LISTS ARG_LABELS)
    if(NOT TARGET ${label}_tests)
      add_custom_target(${label}_tests COMMENT "All tests with the label ${label}")
    endif()
    add_dependencies(${label}_tests ${name})
  endforeach()
  if("slow" IN_LIST ARG_LABELS OR "gpu" IN_LIST ARG_LABELS)
    rnnadvisor_unsanitized(${name})
  endif()
  if("slow" IN_LIST ARG_LABELS AND RNNADVISOR_SANITIZE)
    return()
  endif()
  if("gpu" IN_LIST ARG_LABELS)
    # One entry for the whole program: without a GPU it is one loud skip rather than hundreds.
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES LABELS gpu TIMEOUT 600 SKIP_REGULAR_EXPRESSION "NEEDS A GPU, NOT RUN")
    return()
  endif()
  add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
  # The longest go first, so that none is left alone at the end; of the others the number of files stands for the time.
  list(FIND long_tests ${name} place)
  if(place EQUAL -1)
    list(LENGTH ARG_SOURCES cost)
  else()
    math(EXPR cost "900 - ${place}")
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 1200 COST ${cost})
endfunction()

# rnnadvisor_embed(target symbol FILES … BASE dir): files become constants in the program, found by name with
# rnnadvisor::EmbeddedFiles (core/base/embedded.h). What ships with rnnadvisor needs no path at run time.
function(rnnadvisor_embed target symbol)
  cmake_parse_arguments(ARG "" "BASE" "FILES" ${ARGN})
  set(output "${CMAKE_CURRENT_BINARY_DIR}/embedded_${symbol}.cpp")
  set(script "${PROJECT_SOURCE_DIR}/cmake/embed.cmake")
  string(REPLACE ";" "|" joined "${ARG_FILES}")
  add_custom_command(OUTPUT "${output}"
    COMMAND ${CMAKE_COMMAND} "-DOUTPUT=${output}" "-DSYMBOL=${symbol}" "-DBASE=${ARG_BASE}" "-DFILES=${joined}" -P "${script}"
    DEPENDS ${ARG_FILES} "${script}" VERBATIM)
  # The target may have been defined in another directory, which does not know the command above: a custom target brings
  # it into the build, and the property tells the other directory not to look for the file.
  add_custom_target(embed_${symbol} DEPENDS "${output}")
  add_dependencies(${target} embed_${symbol})
  set_source_files_properties("${output}" TARGET_DIRECTORY ${target} PROPERTIES GENERATED ON SKIP_UNITY_BUILD_INCLUSION ON
                              SKIP_PRECOMPILE_HEADERS ON)
  target_sources(${target} PRIVATE "${output}")
endfunction()
