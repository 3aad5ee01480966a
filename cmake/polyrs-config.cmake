# find_package(polyrs): compiles targets with the plugin.
#
#   find_package(polyrs REQUIRED)
#   polyrs_optimize(TARGET.. [OPTIONS -polyrs-OPTION..])
#
# The compilers must be clang, clang++ or flang of LLVM 22. The plugin is the one that the environment variable
# POLYRS_PLUGIN names, else the installed one, else the release build of the repository that this file lies in.

set(_polyrs_known
    "${CMAKE_CURRENT_LIST_DIR}/../../polyrs/libpolyrs.so"
    "${CMAKE_CURRENT_LIST_DIR}/../target/release/libpolyrs.so")
if(NOT "$ENV{POLYRS_PLUGIN}" STREQUAL "")
  set(_polyrs_known "$ENV{POLYRS_PLUGIN}")
endif()
set(POLYRS_PLUGIN)
foreach(_polyrs_path IN LISTS _polyrs_known)
  if(NOT POLYRS_PLUGIN AND EXISTS "${_polyrs_path}")
    get_filename_component(POLYRS_PLUGIN "${_polyrs_path}" REALPATH)
  endif()
endforeach()
if(NOT POLYRS_PLUGIN)
  set(polyrs_FOUND FALSE)
  set(polyrs_NOT_FOUND_MESSAGE "libpolyrs.so is missing: set the environment variable POLYRS_PLUGIN, or run cargo build --release")
  return()
endif()

function(polyrs_optimize)
  cmake_parse_arguments(PARSE_ARGV 0 POLYRS "" "" "OPTIONS")
  foreach(language IN ITEMS C CXX Fortran)
    if(CMAKE_${language}_COMPILER_LOADED AND NOT (CMAKE_${language}_COMPILER_ID MATCHES "^(Clang|LLVMFlang)$"
                                                  AND CMAKE_${language}_COMPILER_VERSION VERSION_LESS 23
                                                  AND CMAKE_${language}_COMPILER_VERSION VERSION_GREATER_EQUAL 22))
      message(FATAL_ERROR "polyrs needs a compiler of LLVM 22 for ${language} (clang-22, flang-22), "
                          "not ${CMAKE_${language}_COMPILER_ID} ${CMAKE_${language}_COMPILER_VERSION}")
    endif()
  endforeach()
  foreach(target IN LISTS POLYRS_UNPARSED_ARGUMENTS)
    set(ours "$<COMPILE_LANGUAGE:C,CXX,Fortran>")
    target_compile_options(${target} PRIVATE "$<${ours}:-fpass-plugin=${POLYRS_PLUGIN}>")
    foreach(option IN LISTS POLYRS_OPTIONS)
      # SHELL: keeps each option's own -mllvm, of which CMake would leave the first only.
      target_compile_options(${target} PRIVATE "$<${ours}:SHELL:-mllvm ${option}>")
    endforeach()
    if("-polyrs-parallel" IN_LIST POLYRS_OPTIONS)
      target_link_libraries(${target} PRIVATE omp)
    endif()
    if("-polyrs-target=gpu" IN_LIST POLYRS_OPTIONS)
      get_filename_component(folder "${POLYRS_PLUGIN}" DIRECTORY)
      target_link_directories(${target} PRIVATE "${folder}")
      target_link_libraries(${target} PRIVATE polyrs_rt)
    endif()
  endforeach()
endfunction()
