# How every library, test and program of the project is declared.
include(GNUInstallDirs)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(SPYRE_EMU_CCACHE ccache)
mark_as_advanced(SPYRE_EMU_CCACHE)
if(SPYRE_EMU_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${SPYRE_EMU_CCACHE}")
endif()

# Warnings and sanitizers apply to the project's own sources only; they are not part of what is exported.
add_library(spyre_build_options INTERFACE)
target_compile_options(spyre_build_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns about overlapping copies inside std::string's own operator+ (GCC bug 105651).
  target_compile_options(spyre_build_options INTERFACE -Wno-restrict)
endif()
if(SPYRE_EMU_SANITIZE)
  target_compile_options(spyre_build_options INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(spyre_build_options INTERFACE -fsanitize=address,undefined)
endif()
if(SPYRE_EMU_COVERAGE)
  target_compile_options(spyre_build_options INTERFACE --coverage)
  target_link_options(spyre_build_options INTERFACE --coverage)
endif()

# spyre_library(name SOURCES a.cpp ... HEADERS a.h ... LINK lib ...): a static library spyre_<name> with the
# alias spyre::<name>, whose headers are included by their path from the root and installed under include/spyre_emu.
function(spyre_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;HEADERS;LINK;PRIVATE_LINK" ${ARGN})
  add_library(spyre_${name} STATIC)
  add_library(spyre::${name} ALIAS spyre_${name})
  target_sources(spyre_${name}
    PRIVATE ${ARG_SOURCES}
    PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${ARG_HEADERS})
  target_compile_features(spyre_${name} PUBLIC cxx_std_20)
  target_link_libraries(spyre_${name}
    PUBLIC ${ARG_LINK}
    PRIVATE ${ARG_PRIVATE_LINK} "$<BUILD_INTERFACE:spyre_build_options>")
  set_target_properties(spyre_${name} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS spyre_${name} EXPORT spyre_emu_targets
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
    FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/spyre_emu")
endfunction()

# spyre_room(name LINK lib ...): spyre::<name>, everything of one top-level folder under one name.
function(spyre_room name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(spyre_${name} INTERFACE)
  add_library(spyre::${name} ALIAS spyre_${name})
  target_link_libraries(spyre_${name} INTERFACE ${ARG_LINK})
  set_target_properties(spyre_${name} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS spyre_${name} EXPORT spyre_emu_targets)
endfunction()
