# All of a project with the plugin: polyrs cc, c++ and fc are its compilers.
#
#   cmake -S . -B build -DCMAKE_TOOLCHAIN_FILE=polyrs-toolchain.cmake [-DPOLYRS_OPTIONS="-polyrs-OPTION;.."]

find_program(POLYRS_COMMAND polyrs
             HINTS "${CMAKE_CURRENT_LIST_DIR}/../../../bin" "${CMAKE_CURRENT_LIST_DIR}/../target/release")
if(NOT POLYRS_COMMAND)
  message(FATAL_ERROR "polyrs is not on the PATH")
endif()
set(CMAKE_C_COMPILER "${POLYRS_COMMAND}" cc ${POLYRS_OPTIONS})
set(CMAKE_CXX_COMPILER "${POLYRS_COMMAND}" c++ ${POLYRS_OPTIONS})
set(CMAKE_Fortran_COMPILER "${POLYRS_COMMAND}" fc ${POLYRS_OPTIONS})
# Programs by which CMake tries the compilers are compiled with the same.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES POLYRS_COMMAND POLYRS_OPTIONS)
