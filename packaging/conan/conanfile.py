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
    options = {name: [True, False] for name in ("shared", "fPIC", "with_zstd", "tools", "inspect")}
    default_options = {"shared": False, "fPIC": True, "with_zstd": False, "tools": False, "inspect": False}

    @property
    def _tree(self):
        return os.path.join(self.recipe_folder, "..", "..")

    @property
    def _inspect(self):
        return bool(self.options.get_safe("inspect"))

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
            "inspect/*",
            "packaging/*",
            "scripts/*",
            "src/*",
            "tools/*",
        ):
            copy(self, pattern, src=self._tree, dst=self.export_sources_folder, excludes="*/node_modules/*")

    def config_options(self):
        if self.settings.os == "Windows":
            del self.options.fPIC
            del self.options.inspect

    def configure(self):
        if self.options.shared:
            self.options.rm_safe("fPIC")
        self.settings.rm_safe("compiler.cppstd")
        self.settings.rm_safe("compiler.libcxx")

    def requirements(self):
        if self.options.with_zstd:
            self.requires("zstd/[>=1.4 <2]")
        if self._inspect:
            self.requires("libmicrohttpd/[>=0.9.71 <2]")
            self.requires("jansson/[>=2.11 <3]")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["COVEY_TESTS"] = False
        toolchain.cache_variables["COVEY_EXAMPLES"] = False
        toolchain.cache_variables["COVEY_INSPECT"] = "ON" if self._inspect else "OFF"
        toolchain.cache_variables["COVEY_INSPECT_NPM"] = False
        toolchain.cache_variables["COVEY_TOOLS"] = bool(self.options.tools)
        toolchain.cache_variables["COVEY_ZSTD"] = "ON" if self.options.with_zstd else "OFF"
        toolchain.generate()
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()  # the requirements are found by pkg-config

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
        self.cpp_info.set_property("cmake_target_name", "covey::all")
        self.cpp_info.set_property("pkg_config_name", "covey-all")
        core = self.cpp_info.components["core"]
        core.set_property("cmake_target_name", "covey::covey")
        core.set_property("pkg_config_name", "covey")
        core.libs = ["covey"]
        core.requires = ["zstd::zstd"] if self.options.with_zstd else []
        if self.options.shared:
            core.defines = ["COVEY_SHARED"]
        elif self.settings.os in ("Linux", "FreeBSD"):
            core.system_libs = ["pthread"]
        if self._inspect:
            inspect = self.cpp_info.components["inspect"]
            inspect.set_property("cmake_target_name", "covey::inspect")
            inspect.set_property("pkg_config_name", "covey-inspect")
            inspect.libs = ["covey-inspect"]
            inspect.requires = ["core", "libmicrohttpd::libmicrohttpd", "jansson::jansson"]
