# Other dynamics libraries: what the tests and the benchmarks compare with.
find_package(orocos_kdl REQUIRED CONFIG)
find_package(urdfdom REQUIRED CONFIG)

# The config file of Debian's package names a library that it does not have.
find_library(MUJOCO_LIBRARY mujoco REQUIRED)
find_path(MUJOCO_INCLUDE_DIR mujoco/mujoco.h REQUIRED)
if(NOT TARGET torqued_mujoco)
  add_library(torqued_mujoco INTERFACE)
  target_link_libraries(torqued_mujoco INTERFACE ${MUJOCO_LIBRARY})
  target_include_directories(torqued_mujoco SYSTEM INTERFACE
    ${MUJOCO_INCLUDE_DIR})
endif()
