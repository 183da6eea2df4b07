# What `cmake --install` puts where, so that another project can find_package(spyre_emu) and link spyre::machine,
# spyre::models, spyre::kernels ...
include(CMakePackageConfigHelpers)

set(SPYRE_EMU_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/spyre_emu")

install(EXPORT spyre_emu_targets
  FILE spyre_emuTargets.cmake
  NAMESPACE spyre::
  DESTINATION "${SPYRE_EMU_PACKAGE_DIR}")

set(SPYRE_EMU_HEADER_DIR "${CMAKE_INSTALL_INCLUDEDIR}/spyre_emu")
set(SPYRE_EMU_DATA_DIR "${CMAKE_INSTALL_DATADIR}/spyre_emu")
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/models/cmake/spyre_emuConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/spyre_emuConfig.cmake"
  INSTALL_DESTINATION "${SPYRE_EMU_PACKAGE_DIR}"
  PATH_VARS SPYRE_EMU_HEADER_DIR SPYRE_EMU_DATA_DIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/spyre_emuConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/spyre_emuConfig.cmake"
  "${PROJECT_BINARY_DIR}/spyre_emuConfigVersion.cmake"
  "${PROJECT_SOURCE_DIR}/models/cmake/FindSystemC.cmake"
  DESTINATION "${SPYRE_EMU_PACKAGE_DIR}")

install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
