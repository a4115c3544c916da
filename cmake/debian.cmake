# The Debian packages: torqued (component Runtime), libtorqued-dev (component
# Development) and python3-torqued (component Python). Loaded where
# TORQUED_DEBIAN_PACKAGE is on, with the prefix /usr.
if(NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  message(FATAL_ERROR "TORQUED_DEBIAN_PACKAGE needs CMAKE_INSTALL_PREFIX=/usr")
endif()
set(debian ${PROJECT_SOURCE_DIR}/deploy/debian)

# A changelog of another version would go unnoticed.
file(STRINGS ${debian}/changelog newest LIMIT_COUNT 1)
if(NOT newest MATCHES "^torqued \\(${PROJECT_VERSION}\\) ")
  message(FATAL_ERROR
    "deploy/debian/changelog does not begin with ${PROJECT_VERSION}")
endif()

find_program(GZIP_PROGRAM gzip REQUIRED)

# Compresses SOURCE to OUTPUT, the same bytes every time.
function(torqued_compress SOURCE OUTPUT)
  add_custom_command(
    OUTPUT ${OUTPUT}
    COMMAND ${GZIP_PROGRAM} -9 -n -c ${SOURCE} > ${OUTPUT}
    DEPENDS ${SOURCE}
    VERBATIM)
endfunction()

set(changelog ${CMAKE_CURRENT_BINARY_DIR}/changelog.gz)
torqued_compress(${debian}/changelog ${changelog})
add_custom_target(torqued_debian_changelog ALL DEPENDS ${changelog})
foreach(package Runtime:torqued Development:libtorqued-dev
        Python:python3-torqued)
  string(REGEX MATCH "^(.*):(.*)$" unused ${package})
  install(FILES ${debian}/copyright ${changelog}
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CMAKE_MATCH_2}
    COMPONENT ${CMAKE_MATCH_1})
endforeach()

# The service, which has its places: a prefix that may move has none for it.
install(FILES ${PROJECT_SOURCE_DIR}/deploy/systemd/torqued.service
  DESTINATION lib/systemd/system COMPONENT Runtime)
install(FILES ${PROJECT_SOURCE_DIR}/deploy/systemd/torqued.toml
  DESTINATION /etc/torqued COMPONENT Runtime)

# The Python package, beside those of the distribution. What Python is told of it
# has no list of files: it is dpkg that removes it.
if(NOT TORQUED_BUILD_PYTHON)
  message(FATAL_ERROR "TORQUED_DEBIAN_PACKAGE needs TORQUED_BUILD_PYTHON=ON")
endif()
set(modules lib/python3/dist-packages)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/client/python/torqued
  DESTINATION ${modules} COMPONENT Python
  FILES_MATCHING PATTERN *.py PATTERN py.typed
  PATTERN *_pb2* EXCLUDE PATTERN __pycache__ EXCLUDE)
install(FILES ${PROJECT_BINARY_DIR}/python/torqued/contract.py
  ${PROJECT_BINARY_DIR}/python/torqued/report.html
  DESTINATION ${modules}/torqued COMPONENT Python)
install(DIRECTORY ${PROJECT_BINARY_DIR}/python/torqued/v1
  DESTINATION ${modules}/torqued COMPONENT Python
  FILES_MATCHING PATTERN *_pb2*.py PATTERN *_pb2.pyi
  PATTERN __pycache__ EXCLUDE)
set(metadata ${CMAKE_CURRENT_BINARY_DIR}/METADATA)
file(CONFIGURE OUTPUT ${metadata} CONTENT "Metadata-Version: 2.1
Name: torqued
Version: @PROJECT_VERSION@
Summary: Robot dynamics from a torqued server, with numpy in and out
License: Apache-2.0
Requires-Python: >=3.11
" @ONLY)
install(FILES ${metadata}
  DESTINATION ${modules}/torqued-${PROJECT_VERSION}.dist-info
  COMPONENT Python)

set(CPACK_GENERATOR DEB)
# Each package below has a first line of its own.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(CPACK_PACKAGE_CONTACT "torqued founders <founders@torqued.dev>")
# Into a staging directory also what has an absolute path, which is /etc.
set(CPACK_SET_DESTDIR ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
  WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL Runtime Development Python)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME torqued)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION science)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS adduser)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA
  ${debian}/conffiles ${debian}/postinst ${debian}/prerm ${debian}/postrm)
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "robot dynamics as a service
torqued holds robots as versioned models and answers inverse dynamics, mass
matrix, forward dynamics and operational-space requests over gRPC, for one
state or for millions, in any language.
.
This package holds the server, run by systemd as a user of its own, its command
line torquectl, the contract as .proto files, and example robots.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libtorqued-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
# gRPC's CMake files insist on its plugins.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "libeigen3-dev (>= 3.4), libgrpc++-dev, libprotobuf-dev, libtinyxml2-dev, pkg-config, protobuf-compiler-grpc")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "torqued, cmake")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "robot dynamics in C++
The library that the torqued server computes with, for use in process, and the
client library of the server: static libraries, headers, and the files by which
CMake's find_package(torqued) finds them.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-torqued)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
  "python3 (>= 3.11), python3-grpcio (>= 1.51), python3-numpy, python3-protobuf (>= 3.21)")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "torqued, python3-yaml")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
  ${debian}/python/postinst ${debian}/python/prerm)
set(CPACK_DEBIAN_PYTHON_DESCRIPTION "robot dynamics from a torqued server, in Python
The Python client of torqued: inverse and forward dynamics, mass matrices,
operational-space quantities and verdicts on trajectories, with numpy in and
out, blocking or with asyncio.
.
A server is in the package torqued, here or on another machine. Trajectories in
YAML take python3-yaml.")

include(CPack)
