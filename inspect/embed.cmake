# Writes the files of a folder as a C file, so that they are part of the library:
#
#     cmake -D FOLDER=... -D OUTPUT=... -P embed.cmake
#
# FILE.gz beside FILE is its packed form. Paths are those below the folder. The file `sources` is left out: it says what the
# others were made of.
file(GLOB_RECURSE files LIST_DIRECTORIES OFF RELATIVE ${FOLDER} ${FOLDER}/*)
list(SORT files)
list(FILTER files EXCLUDE REGEX "^sources$|\\.(gz|map)$")

function(type_of file result)
    if(file MATCHES "\\.html$")
        set(type "text/html; charset=utf-8")
    elseif(file MATCHES "\\.js$")
        set(type "text/javascript; charset=utf-8")
    elseif(file MATCHES "\\.css$")
        set(type "text/css; charset=utf-8")
    elseif(file MATCHES "\\.svg$")
        set(type "image/svg+xml")
    elseif(file MATCHES "\\.png$")
        set(type "image/png")
    elseif(file MATCHES "\\.json$")
        set(type "application/json")
    else()
        set(type "application/octet-stream")
    endif()
    set(${result} ${type} PARENT_SCOPE)
endfunction()

function(bytes_of name file result)
    file(READ ${FOLDER}/${file} bytes HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(REGEX REPLACE "((0x..,){32})" "\\1\n" bytes "${bytes}")
    set(${result} "static const unsigned char ${name}[] = {\n${bytes} 0 };\n" PARENT_SCOPE)
endfunction()

set(arrays "")
set(table "")
set(count 0)
foreach(file IN LISTS files)
    bytes_of(file_${count} ${file} array)
    string(APPEND arrays "${array}")
    type_of(${file} type)
    set(packed "NULL, 0")
    if(EXISTS ${FOLDER}/${file}.gz)
        bytes_of(packed_${count} ${file}.gz array)
        string(APPEND arrays "${array}")
        set(packed "packed_${count}, sizeof packed_${count} - 1")
    endif()
    string(APPEND table "    { \"/${file}\", \"${type}\", file_${count}, sizeof file_${count} - 1, ${packed} },\n")
    math(EXPR count "${count} + 1")
endforeach()

file(WRITE ${OUTPUT}.new
    "/* Made by embed.cmake. */\n#include \"inspector.h\"\n\n${arrays}\nconst inspect__file inspect__page_files[] = {\n${table}};\n"
    "const uint32_t inspect__page_file_count = ${count};\n")
file(RENAME ${OUTPUT}.new ${OUTPUT})
