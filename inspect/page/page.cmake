# Builds the page, if its sources have changed since the last build, and writes it as a C file to embed it in the library:
#
#     cmake -D PAGE=inspect/page -D OUTPUT=... -D NPM=... -P page.cmake
#
# The page is built in PAGE/dist, which all build directories share: a lock lets one build at a time. dist/sources has the
# checksum of its sources. A release contains dist, and needs no npm. If npm is missing, or cannot install the packages of
# package-lock.json, an existing dist is used; otherwise PAGE/without, a page that says how to build the real one.
# Without OUTPUT, only builds the page.
cmake_minimum_required(VERSION 3.21)
set(dist ${PAGE}/dist)

# The checksum of all sources of the page.
function(checksum_of_sources result)
    file(GLOB_RECURSE sources LIST_DIRECTORIES OFF RELATIVE ${PAGE} ${PAGE}/src/*)
    list(APPEND sources index.html package-lock.json package.json tsconfig.json vite.config.ts)
    list(SORT sources)
    set(all "")
    foreach(source IN LISTS sources)
        file(SHA256 ${PAGE}/${source} checksum)
        string(APPEND all "${source} ${checksum}\n")
    endforeach()
    string(SHA256 all "${all}")
    set(${result} ${all} PARENT_SCOPE)
endfunction()

function(checksum_of_dist result)
    set(${result} "" PARENT_SCOPE)
    if(EXISTS ${dist}/sources AND EXISTS ${dist}/index.html)
        file(READ ${dist}/sources checksum)
        string(STRIP "${checksum}" checksum)
        set(${result} "${checksum}" PARENT_SCOPE)
    endif()
endfunction()

# Installs the packages of package-lock.json, unless they are installed already.
function(install_packages result)
    set(${result} ON PARENT_SCOPE)
    file(SHA256 ${PAGE}/package-lock.json wanted)
    set(note ${PAGE}/node_modules/.covey)
    if(EXISTS ${note})
        file(READ ${note} found)
        if(found STREQUAL wanted)
            return()
        endif()
    endif()
    message(STATUS "Installing the packages that build the page of the inspector")
    execute_process(COMMAND ${NPM} ci --no-audit --no-fund --loglevel=error WORKING_DIRECTORY ${PAGE} RESULT_VARIABLE status)
    if(status EQUAL 0)
        file(WRITE ${note} ${wanted})
    else()
        set(${result} OFF PARENT_SCOPE)
    endif()
endfunction()

function(build_page checksum)
    install_packages(installed)
    if(NOT installed)
        message(WARNING "npm could not install the packages that build the page of the inspector: the page is not rebuilt")
        return()
    endif()
    message(STATUS "Building the page of the inspector")
    execute_process(COMMAND ${NPM} run --silent build WORKING_DIRECTORY ${PAGE}
        RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "The page of the inspector does not build:\n${text}")
    endif()
    file(WRITE ${dist}/sources "${checksum}\n")
endfunction()

checksum_of_sources(wanted)
checksum_of_dist(found)
if(NPM AND NOT found STREQUAL wanted)
    file(LOCK ${PAGE}/.lock GUARD PROCESS TIMEOUT 300 RESULT_VARIABLE locked)
    checksum_of_dist(found)
    if(NOT locked EQUAL 0)
        message(WARNING "The page of the inspector cannot be built in ${PAGE}: ${locked}")
    elseif(NOT found STREQUAL wanted)
        build_page(${wanted})
    endif()
endif()

if(OUTPUT)
    set(FOLDER ${PAGE}/without)
    if(EXISTS ${dist}/index.html)
        set(FOLDER ${dist})
    endif()
    include(${PAGE}/../embed.cmake)
endif()
