# `make deb`: Debian packages, made by CPack. libcovey<soversion> has the shared library, libcovey-dev what compiling
# needs, covey-snap the tool.
set(library_package libcovey${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(package_library ${library_package})
set(package_dev libcovey-dev)
set(package_tools covey-snap)
set(components library dev tools)

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
file(WRITE ${PROJECT_BINARY_DIR}/shlibs
    "libcovey ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} ${library_package} (>= ${PROJECT_VERSION})\n")
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
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(same_version "(= ${PROJECT_VERSION})")
set(about "Covey keeps the entities and components of a program: in blocks of\nbitmaps, or in sparse sets.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${package_library})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/shlibs ${PROJECT_BINARY_DIR}/triggers)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "${about}\nThis package has the shared library.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME ${package_dev})
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${library_package} ${same_version}")
set(CPACK_COMPONENT_DEV_DESCRIPTION "${about}\nThis package has what is needed to compile programs.")

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME ${package_tools})
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "${library_package} ${same_version}")
set(CPACK_COMPONENT_TOOLS_DESCRIPTION
    "${about}\nThis package has the tool that shows and compares saved files.")

include(CPack)
