# cmake -P: install, configure, build and run. Any step that fails stops the script with a non-zero exit.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\nended with ${result}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${WORK_DIR}")
set(prefix "${WORK_DIR}/prefix")
run("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${prefix}" --config "${CONFIG}")
foreach(path bin/spyre-emu include/spyre_emu/models/machine/machine.h
    share/spyre_emu/machines/spyre.yaml share/spyre_emu/models/granite-3.3-8b.json)
  if(NOT EXISTS "${prefix}/${path}")
    message(FATAL_ERROR "${path} was not installed")
  endif()
endforeach()

run("${CMAKE_COMMAND}" -S "${CONSUMER_DIR}" -B "${WORK_DIR}/build" -G "${GENERATOR}"
  "-DCMAKE_BUILD_TYPE=${CONFIG}" "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_CXX_COMPILER=${CXX}"
  "-DCMAKE_EXE_LINKER_FLAGS=${LINK_FLAGS}")
run("${CMAKE_COMMAND}" --build "${WORK_DIR}/build")
run("${WORK_DIR}/build/consumer")
if(NOT output MATCHES "peak DRAM bandwidth: 204\\.8 GB/s")
  message(FATAL_ERROR "the consumer printed: ${output}")
endif()
message(STATUS "${output}")
