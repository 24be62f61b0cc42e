"""Builds the tree that it lies in: conan create packaging/conan"""

import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir
from conan.tools.gnu import PkgConfigDeps

required_conan_version = ">=2.0"


class CoveyConan(ConanFile):
    name = "covey"
    description = "Entity-component-system library in C11"
    license = "MIT"
    topics = ("ecs", "entity-component-system", "games")
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False], "fPIC": [True, False], "with_zstd": [True, False], "tools": [True, False]}
    default_options = {"shared": False, "fPIC": True, "with_zstd": False, "tools": False}

    @property
    def _tree(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        header = load(self, os.path.join(self._tree, "include", "covey", "covey.h"))
        parts = [re.search(rf"#define COVEY_VERSION_{part} (\d+)", header)[1] for part in ("MAJOR", "MINOR", "PATCH")]
        self.version = ".".join(parts)

    def export_sources(self):
        for pattern in (
            "CMakeLists.txt",
            "LICENSE",
            "cmake/*",
            "common/*",
            "include/*",
            "packaging/*",
            "scripts/*",
            "src/*",
            "tools/*",
        ):
            copy(self, pattern, src=self._tree, dst=self.export_sources_folder)

    def config_options(self):
        if self.settings.os == "Windows":
            del self.options.fPIC

    def configure(self):
        if self.options.shared:
            self.options.rm_safe("fPIC")
        self.settings.rm_safe("compiler.cppstd")
        self.settings.rm_safe("compiler.libcxx")

    def requirements(self):
        if self.options.with_zstd:
            self.requires("zstd/[>=1.4 <2]")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["COVEY_TESTS"] = False
        toolchain.cache_variables["COVEY_EXAMPLES"] = False
        toolchain.cache_variables["COVEY_WERROR"] = False
        toolchain.cache_variables["COVEY_INSPECT"] = "OFF"
        toolchain.cache_variables["COVEY_TOOLS"] = bool(self.options.tools)
        toolchain.cache_variables["COVEY_ZSTD"] = "ON" if self.options.with_zstd else "OFF"
        toolchain.generate()
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()  # zstd is found by pkg-config

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))
        for folder in ("cmake", "pkgconfig"):  # Conan writes its own
            rmdir(self, os.path.join(self.package_folder, "lib", folder))
        rmdir(self, os.path.join(self.package_folder, "share"))

    def package_info(self):
        self.cpp_info.set_property("cmake_target_name", "covey::covey")
        self.cpp_info.set_property("pkg_config_name", "covey")
        self.cpp_info.libs = ["covey"]
        if self.options.shared:
            self.cpp_info.defines = ["COVEY_SHARED"]
        elif self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["pthread"]
