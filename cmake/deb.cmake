# `make deb`: Debian packages, made by CPack. libcovey<soversion> has the shared library, libcovey-dev what compiling
# needs, covey-snap the tool; libcovey-inspect and libcovey-mpi have the same two packages each, if they are built.
set(soversion ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(components library dev tools)
set(package_library libcovey${soversion})
set(package_dev libcovey-dev)
set(package_tools covey-snap)
set(libraries library)
if(COVEY_HAS_INSPECT)
    list(APPEND libraries inspect)
endif()
if(TARGET covey_mpi)
    list(APPEND libraries mpi)
endif()
foreach(library inspect mpi)
    set(package_${library} libcovey-${library}${soversion})
    set(package_${library}_dev libcovey-${library}-dev)
    if(library IN_LIST libraries)
        list(APPEND components ${library} ${library}_dev)
    endif()
endforeach()

# Each package has the licence and a changelog where Debian looks for them.
find_program(GZIP gzip REQUIRED)
set(contact "The Covey authors <covey@example.org>")
string(TIMESTAMP today "%a, %d %b %Y 00:00:00 +0000" UTC)
file(WRITE ${PROJECT_BINARY_DIR}/changelog
    "covey (${PROJECT_VERSION}) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- ${contact}  ${today}\n")
execute_process(COMMAND ${GZIP} -9nf ${PROJECT_BINARY_DIR}/changelog COMMAND_ERROR_IS_FATAL ANY)
foreach(component IN LISTS components)
    set(doc ${CMAKE_INSTALL_DATADIR}/doc/${package_${component}})
    install(FILES LICENSE DESTINATION ${doc} RENAME copyright COMPONENT ${component})
    install(FILES ${PROJECT_BINARY_DIR}/changelog.gz DESTINATION ${doc} COMPONENT ${component})
endforeach()

# shlibs tells dependent packages which package has the library; the trigger lets the loader find it.
foreach(library IN LISTS libraries)
    set(name libcovey)
    if(NOT library STREQUAL "library")
        set(name libcovey-${library})
    endif()
    file(WRITE ${PROJECT_BINARY_DIR}/control/${library}/shlibs
        "${name} ${soversion} ${package_${library}} (>= ${PROJECT_VERSION})\n")
endforeach()
file(WRITE ${PROJECT_BINARY_DIR}/triggers "activate-noawait ldconfig\n")

# The manual page is compressed.
file(WRITE ${PROJECT_BINARY_DIR}/compress.cmake "
    file(GLOB_RECURSE page \${CPACK_TEMPORARY_INSTALL_DIRECTORY}/covey-snap.1)
    if(page)
        execute_process(COMMAND ${GZIP} -9nf \${page} COMMAND_ERROR_IS_FATAL ANY)
    endif()\n")
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_BINARY_DIR}/compress.cmake)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME covey)
set(CPACK_PACKAGE_VENDOR "The Covey authors")
set(CPACK_PACKAGE_CONTACT ${contact})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "entity component system for C")
set(CPACK_COMPONENTS_ALL ${components})
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS
    ${PROJECT_BINARY_DIR} ${PROJECT_BINARY_DIR}/inspect ${PROJECT_BINARY_DIR}/mpi)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(same_version "(= ${PROJECT_VERSION})")
set(about "Covey keeps the entities and components of a program: in blocks of\nbitmaps, or in sparse sets.")

# covey_package(<component> <section> <last line of the description> [<package that it depends on>...])
function(covey_package component section description)
    string(TOUPPER ${component} upper)
    set(depends ${ARGN})
    list(TRANSFORM depends REPLACE "^(libcovey.*)$" "\\1 ${same_version}")
    list(JOIN depends ", " depends)
    set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package_${component}} PARENT_SCOPE)
    set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section} PARENT_SCOPE)
    set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
    set(CPACK_COMPONENT_${upper}_DESCRIPTION "${about}\n${description}" PARENT_SCOPE)
    if(component IN_LIST libraries)
        set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA
            ${PROJECT_BINARY_DIR}/control/${component}/shlibs ${PROJECT_BINARY_DIR}/triggers PARENT_SCOPE)
    endif()
endfunction()

covey_package(library libs "This package has the shared library.")
covey_package(dev libdevel "This package has what is needed to compile programs." ${package_library})
covey_package(inspect libs "This package has the inspector, which shows a running world in a browser." ${package_library})
covey_package(inspect_dev libdevel "This package has what is needed to compile programs with the inspector."
    ${package_inspect} ${package_dev})
covey_package(mpi libs "This package has worlds over MPI, with OpenMPI." ${package_library})
covey_package(mpi_dev libdevel "This package has what is needed to compile programs with worlds over OpenMPI."
    ${package_mpi} ${package_dev} libopenmpi-dev)
set(tools_libraries ${package_library})
if(COVEY_HAS_INSPECT)
    list(APPEND tools_libraries ${package_inspect})
endif()
covey_package(tools utils "This package has the tool that shows and compares saved files." ${tools_libraries})

include(CPack)
