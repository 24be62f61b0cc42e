# Runs the port with stand-ins for the functions of vcpkg. They do what vcpkg's documentation says, as far as the port
# relies on it:
#
#     cmake -DPORT_DIR=... -DWORK_DIR=... -DCC=... -P vcpkg.cmake
#
# Installs to WORK_DIR/package.
cmake_minimum_required(VERSION 3.21)

set(PORT covey)
set(FEATURES core tools)
find_package(PkgConfig QUIET)
pkg_check_modules(inspect_libraries QUIET "libmicrohttpd>=0.9.71" "jansson>=2.11")
if(inspect_libraries_FOUND)
    list(APPEND FEATURES inspect)
endif()
set(CURRENT_PACKAGES_DIR ${WORK_DIR}/package)

function(run)
    execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(need_file path)
    if(NOT EXISTS ${CURRENT_PACKAGES_DIR}/${path})
        message(FATAL_ERROR "the package has no ${path}")
    endif()
endfunction()

macro(vcpkg_check_features)
    cmake_parse_arguments(arg "" "OUT_FEATURE_OPTIONS" "FEATURES" ${ARGN})
    set(${arg_OUT_FEATURE_OPTIONS} "")
    while(arg_FEATURES)
        list(POP_FRONT arg_FEATURES feature option)
        if(feature IN_LIST FEATURES)
            list(APPEND ${arg_OUT_FEATURE_OPTIONS} -D${option}=ON)
        else()
            list(APPEND ${arg_OUT_FEATURE_OPTIONS} -D${option}=OFF)
        endif()
        set(declared_${feature} ON)
    endwhile()
endmacro()

macro(vcpkg_find_acquire_program name)
    find_program(${name} pkg-config REQUIRED)
endmacro()

function(vcpkg_cmake_configure)
    cmake_parse_arguments(arg "" "SOURCE_PATH" "OPTIONS" ${ARGN})
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
    endif()
    run(${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B ${WORK_DIR}/build -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER=${CC}
        -DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR} -DCMAKE_INSTALL_LIBDIR=lib ${arg_OPTIONS})
endfunction()

function(vcpkg_cmake_install)
    run(${CMAKE_COMMAND} --build ${WORK_DIR}/build --target install)
endfunction()

# The real one moves the files; here they only have to be where the port says.
function(vcpkg_cmake_config_fixup)
    cmake_parse_arguments(arg "" "PACKAGE_NAME;CONFIG_PATH" "" ${ARGN})
    need_file(${arg_CONFIG_PATH}/${arg_PACKAGE_NAME}Config.cmake)
endfunction()

function(vcpkg_fixup_pkgconfig)
    need_file(lib/pkgconfig/covey.pc)
endfunction()

function(vcpkg_copy_tools)
    cmake_parse_arguments(arg "AUTO_CLEAN" "" "TOOL_NAMES" ${ARGN})
    foreach(tool IN LISTS arg_TOOL_NAMES)
        need_file(bin/${tool})
    endforeach()
endfunction()

function(vcpkg_install_copyright)
    cmake_parse_arguments(arg "" "" "FILE_LIST" ${ARGN})
    file(INSTALL ${arg_FILE_LIST} DESTINATION ${CURRENT_PACKAGES_DIR}/share/${PORT})
endfunction()

include(${PORT_DIR}/portfile.cmake)
need_file(share/covey/usage)
need_file(share/covey/LICENSE)

# vcpkg.json: JSON, with the version of the header, and features that the port knows.
file(READ ${PORT_DIR}/vcpkg.json json)
string(JSON version GET ${json} version)
file(STRINGS ${CURRENT_PACKAGES_DIR}/lib/pkgconfig/covey.pc line REGEX "^Version:")
if(NOT line STREQUAL "Version: ${version}")
    message(FATAL_ERROR "vcpkg.json has version ${version}, the library has \"${line}\"")
endif()
string(JSON count LENGTH ${json} features)
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
    string(JSON feature MEMBER ${json} features ${i})
    if(NOT declared_${feature})
        message(FATAL_ERROR "vcpkg.json has a feature ${feature} that the port does not know")
    endif()
endforeach()
