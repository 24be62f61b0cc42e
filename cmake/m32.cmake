# 32 bits on a 64-bit PC.
set(CMAKE_C_COMPILER gcc)
set(CMAKE_CXX_COMPILER g++)

# The headers of the kernel are the same for both, but Debian's gcc -m32 finds them only with gcc-multilib, which cannot
# be installed beside a cross compiler.
set(flags "-m32 -idirafter /usr/include/x86_64-linux-gnu")
set(CMAKE_C_FLAGS_INIT ${flags})
set(CMAKE_CXX_FLAGS_INIT ${flags})
