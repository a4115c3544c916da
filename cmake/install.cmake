# What `cmake --install` puts where. Two components: Runtime is the programs
# and what they need or come with, Development is the two libraries.
include(CMakePackageConfigHelpers)

# --- Runtime -----------------------------------------------------------------

install(TARGETS torqued torquectl
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT Runtime)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/proto/torqued
  DESTINATION ${CMAKE_INSTALL_DATADIR}/torqued/proto COMPONENT Runtime
  FILES_MATCHING PATTERN *.proto)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples/robots/
  DESTINATION ${CMAKE_INSTALL_DATADIR}/torqued/models COMPONENT Runtime
  FILES_MATCHING PATTERN *.urdf)

# As in the source directory, so that the links between them hold.
file(GLOB pages RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/docs/*.md ${PROJECT_SOURCE_DIR}/docs/*.svg)
foreach(page
    README.md deploy/grafana/torqued.json deploy/haproxy/torqued.cfg
    examples/robots/README.md deploy/nginx/torqued.conf deploy/prometheus/alerts.yml
    ${pages})
  cmake_path(GET page PARENT_PATH directory)
  install(FILES ${PROJECT_SOURCE_DIR}/${page}
    DESTINATION ${CMAKE_INSTALL_DOCDIR}/${directory} COMPONENT Runtime)
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/examples/robots/panda_pick_and_place.py
  DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples COMPONENT Runtime)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT Runtime)

# Manual pages are what the programs say of themselves, which must run here.
set(manual_pages)
function(torqued_manual_page PROGRAM SECTION)
  set(page ${CMAKE_CURRENT_BINARY_DIR}/${PROGRAM}.${SECTION})
  set(writer ${PROJECT_SOURCE_DIR}/cmake/man_page.py)
  add_custom_command(OUTPUT ${page}
    COMMAND /usr/bin/python3 ${writer} $<TARGET_FILE:${PROGRAM}> ${SECTION} ${page}
    DEPENDS ${PROGRAM} ${writer} VERBATIM)
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${SECTION}
    COMPONENT Runtime)
  set(manual_pages ${manual_pages} ${page} PARENT_SCOPE)
endfunction()
torqued_manual_page(torqued 8)
torqued_manual_page(torquectl 1)
install(FILES ${PROJECT_SOURCE_DIR}/docs/torqued.toml.5
  DESTINATION ${CMAKE_INSTALL_MANDIR}/man5 COMPONENT Runtime)
add_custom_target(torqued_manual_pages ALL DEPENDS ${manual_pages})

# All that an installation takes, and nothing else: what `make programs` builds.
add_custom_target(torqued_installed)
add_dependencies(torqued_installed torqued torquectl torqued_core
  torqued_client torqued_proto torqued_manual_pages)
# `make programs` also builds the Python package, which README.md uses.
if(TARGET torqued_python)
  add_dependencies(torqued_installed torqued_python)
endif()

# --- Development -------------------------------------------------------------

set(cmake_files ${CMAKE_INSTALL_LIBDIR}/cmake/torqued)

install(TARGETS torqued_core EXPORT torqued-core
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT Development)
install(TARGETS torqued_client torqued_proto EXPORT torqued-client
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT Development)
install(DIRECTORY ${PROJECT_BINARY_DIR}/proto/torqued/v1
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/torqued COMPONENT Development
  FILES_MATCHING PATTERN *.pb.h PATTERN *.inc)

foreach(part core client)
  install(EXPORT torqued-${part}
    FILE torqued-${part}-targets.cmake NAMESPACE torqued::
    DESTINATION ${cmake_files} COMPONENT Development)
endforeach()
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/torqued-config.cmake.in torqued-config.cmake
  INSTALL_DESTINATION ${cmake_files}
  NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(torqued-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/torqued-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/torqued-config-version.cmake
  DESTINATION ${cmake_files} COMPONENT Development)

# For builds without CMake. The libraries are static, so users link what these need.
file(RELATIVE_PATH prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
function(torqued_pkg_config PART DESCRIPTION NEEDS LIBRARIES)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/torqued-${PART}.pc)
  file(WRITE ${file} "prefix=\${pcfiledir}/${prefix}
Name: torqued-${PART}
Description: ${DESCRIPTION}
Version: ${PROJECT_VERSION}
Requires: ${NEEDS}
Cflags: -I\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}
Libs: -L\${prefix}/${CMAKE_INSTALL_LIBDIR} ${LIBRARIES}
")
  install(FILES ${file} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT Development)
endfunction()
torqued_pkg_config(core "Robot dynamics" "eigen3 tinyxml2" -ltorqued_core)
torqued_pkg_config(client "Client of a torqued server" "eigen3 grpc++ protobuf"
  "-ltorqued_client -ltorqued_proto")
