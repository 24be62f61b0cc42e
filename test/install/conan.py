"""Runs the recipe with stand-ins for the classes of Conan, which do what its documentation says of them, as far as the
recipe relies on it:

    conan.py RECIPE_DIR WORK_DIR
"""

import collections
import fnmatch
import os
import py_compile
import shutil
import subprocess
import sys
import types


class Values(types.SimpleNamespace):
    def rm_safe(self, name):
        self.__dict__.pop(name, None)

    def get_safe(self, name):
        return self.__dict__.get(name)


class ConanFile:
    pass


class CMakeToolchain:
    def __init__(self, conanfile):
        self.conanfile = conanfile
        self.cache_variables = {}

    def generate(self):
        self.conanfile.variables = self.cache_variables


class Generator:
    def __init__(self, conanfile):
        pass

    def generate(self):
        pass


class CMake:
    def __init__(self, conanfile):
        self.conanfile = conanfile

    def configure(self):
        values = {True: "ON", False: "OFF"}
        options = [f"-D{name}={values.get(value, value)}" for name, value in self.conanfile.variables.items()]
        shared = values[self.conanfile.options.shared]
        run("-S", self.conanfile.source_folder, "-B", self.conanfile.build_folder, f"-DBUILD_SHARED_LIBS={shared}",
            "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_INSTALL_LIBDIR=lib", *options)

    def build(self):
        run("--build", self.conanfile.build_folder)

    def install(self):
        run("--install", self.conanfile.build_folder, "--prefix", self.conanfile.package_folder)


class CppInfo:
    def __init__(self):
        self.properties, self.libs, self.defines, self.system_libs, self.requires = {}, [], [], [], []
        self.components = collections.defaultdict(CppInfo)

    def set_property(self, name, value):
        self.properties[name] = value


def run(*arguments):
    subprocess.run(["cmake", *arguments], check=True)


def copy(conanfile, pattern, src, dst, excludes=""):
    found = False
    for folder, folders, files in os.walk(src):
        folders[:] = [name for name in folders if name not in ("build", ".git")]
        for file in files:
            path = os.path.relpath(os.path.join(folder, file), src)
            if fnmatch.fnmatch(path, pattern) and not fnmatch.fnmatch(path, excludes):
                found = True
                os.makedirs(os.path.dirname(os.path.join(dst, path)), exist_ok=True)
                shutil.copy2(os.path.join(src, path), os.path.join(dst, path))
    assert found, f"{pattern} names no file"


def load(conanfile, path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def provide(name, **members):
    module = types.ModuleType(name)
    module.__dict__.update(members)
    sys.modules[name] = module


def load_recipe(recipe):
    provide("conan", ConanFile=ConanFile)
    provide("conan.tools")
    provide("conan.tools.cmake", CMake=CMake, CMakeDeps=Generator, CMakeToolchain=CMakeToolchain,
            cmake_layout=lambda conanfile: None)
    provide("conan.tools.files", copy=copy, load=load, rmdir=lambda conanfile, path: shutil.rmtree(path, True))
    provide("conan.tools.gnu", PkgConfigDeps=Generator)
    scope = {"__name__": "conanfile"}
    exec(compile(load(None, os.path.join(recipe, "conanfile.py")), "conanfile.py", "exec"), scope)
    return scope["CoveyConan"]()


def build_and_run(package, components, names, source, *libraries):
    used = [components[name] for name in names]
    program = os.path.join(package, "consumer")
    subprocess.run([os.environ["CC"], source, f"-I{package}/include", f"-L{package}/lib",
                    *(f"-D{name}" for info in used for name in info.defines),
                    *(f"-l{name}" for info in used for name in info.libs), *libraries,
                    *(f"-l{name}" for info in used for name in info.system_libs), "-o", program], check=True)
    return subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True).stdout


def main(recipe, work):
    py_compile.compile(os.path.join(recipe, "test_package", "conanfile.py"), os.path.join(work, "test.pyc"), doraise=True)
    conanfile = load_recipe(recipe)
    assert all(value in conanfile.options[name] for name, value in conanfile.default_options.items())
    inspect = subprocess.run(["pkg-config", "--exists", "libmicrohttpd", "jansson"]).returncode == 0
    conanfile.options = Values(**{**conanfile.default_options, "tools": True, "inspect": inspect})
    conanfile.settings = Values(os="Linux", **{"compiler.cppstd": "17", "compiler.libcxx": "libstdc++"})
    conanfile.recipe_folder = recipe
    conanfile.requires = lambda reference: None
    for folder in ("export_sources", "build", "package"):
        setattr(conanfile, f"{folder}_folder", os.path.join(work, folder))
    conanfile.source_folder = conanfile.export_sources_folder
    conanfile.cpp_info = CppInfo()
    conanfile.set_version()
    conanfile.export_sources()
    for step in ("config_options", "configure", "requirements", "layout", "generate", "build", "package", "package_info"):
        getattr(conanfile, step)()

    # The program of the package's test, and one with the inspector, by what package_info says.
    package, components = conanfile.package_folder, conanfile.cpp_info.components
    for file in ("licenses/LICENSE", "bin/covey-snap"):
        assert os.path.exists(os.path.join(package, file)), file
    assert not os.path.exists(os.path.join(conanfile.source_folder, "inspect", "page", "node_modules"))
    own = os.path.join(recipe, "..", "..", "test", "install", "consumer", "inspect.c")
    said = build_and_run(package, components, ["core"], os.path.join(recipe, "test_package", "main.c"))
    if inspect:
        assert components["inspect"].requires == ["core", "libmicrohttpd::libmicrohttpd", "jansson::jansson"]
        assert build_and_run(package, components, ["inspect", "core"], own, "-lmicrohttpd", "-ljansson")
    major, minor, patch = (int(part) for part in conanfile.version.split("."))
    assert said == f"covey {major * 10000 + minor * 100 + patch}: ok\n", said


main(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]))
