# Finds SystemC (Debian's libsystemc-dev or an install under SYSTEMC_HOME) and defines SystemC::systemc.
#
# Debian 12's 2.3.4 was built as C++17 and its headers check the language level through a link-time symbol.
# A C++20 program therefore does not link unless SC_CPLUSPLUS names the library's level; the define is added
# only when a plain link fails, so that a library built as C++20 is left alone.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(PC_SYSTEMC QUIET systemc)
endif()

find_path(SystemC_INCLUDE_DIR systemc HINTS $ENV{SYSTEMC_HOME}/include ${PC_SYSTEMC_INCLUDEDIR})
find_library(SystemC_LIBRARY systemc
  HINTS $ENV{SYSTEMC_HOME}/lib $ENV{SYSTEMC_HOME}/lib-linux64 ${PC_SYSTEMC_LIBDIR})

if(SystemC_INCLUDE_DIR AND EXISTS "${SystemC_INCLUDE_DIR}/sysc/kernel/sc_ver.h")
  file(STRINGS "${SystemC_INCLUDE_DIR}/sysc/kernel/sc_ver.h" _systemc_version_lines
    REGEX "^#define SC_VERSION_(MAJOR|MINOR|PATCH)")
  string(REGEX REPLACE ".*MAJOR +([0-9]+).*MINOR +([0-9]+).*PATCH +([0-9]+).*" "\\1.\\2.\\3"
    SystemC_VERSION "${_systemc_version_lines}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SystemC
  REQUIRED_VARS SystemC_LIBRARY SystemC_INCLUDE_DIR
  VERSION_VAR SystemC_VERSION)

if(SystemC_FOUND AND NOT TARGET SystemC::systemc)
  add_library(SystemC::systemc UNKNOWN IMPORTED)
  set_target_properties(SystemC::systemc PROPERTIES
    IMPORTED_LOCATION "${SystemC_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${SystemC_INCLUDE_DIR}")

  # The language level is set both ways: a project's own CMAKE_CXX_STANDARD or CMAKE_CXX_EXTENSIONS would add its
  # -std after the flag and decide the test.
  function(_systemc_check_cxx20)
    set(CMAKE_CXX_STANDARD 20)
    set(CMAKE_CXX_EXTENSIONS OFF)
    set(CMAKE_REQUIRED_FLAGS "-std=c++20")
    set(CMAKE_REQUIRED_INCLUDES "${SystemC_INCLUDE_DIR}")
    set(CMAKE_REQUIRED_LIBRARIES "${SystemC_LIBRARY}")
    set(CMAKE_REQUIRED_QUIET ON)
    check_cxx_source_compiles("#include <systemc>\nint sc_main(int, char**) { return 0; }"
      SystemC_LINKS_AS_CXX20)
  endfunction()
  include(CheckCXXSourceCompiles)
  _systemc_check_cxx20()
  if(NOT SystemC_LINKS_AS_CXX20)
    set_property(TARGET SystemC::systemc APPEND PROPERTY
      INTERFACE_COMPILE_DEFINITIONS "SC_CPLUSPLUS=201703L")
  endif()
endif()
mark_as_advanced(SystemC_INCLUDE_DIR SystemC_LIBRARY)
