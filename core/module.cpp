// The Python module arcbatt._core: what the compiled core offers to Python.
#include <nanobind/nanobind.h>

#include <string>

namespace nb = nanobind;

namespace {

std::string version(int major, int minor, int patch) {
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

std::string compiler() {
#if defined(__clang__)
  return "clang " + version(__clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  return "gcc " + version(__GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#elif defined(_MSC_VER)
  return "msvc " + version(_MSC_VER / 100, _MSC_VER % 100, _MSC_FULL_VER % 100000);
#else
  return "unknown";
#endif
}

long standard() {
#if defined(_MSVC_LANG)
  return _MSVC_LANG;
#else
  return __cplusplus;
#endif
}

const char* build() {
#if defined(NDEBUG)
  return "release";
#else
  return "debug";
#endif
}

const char* arch() {
#if defined(__x86_64__) || defined(_M_X64)
  return "x86_64";
#elif defined(__aarch64__) || defined(_M_ARM64)
  return "aarch64";
#elif defined(__i386__) || defined(_M_IX86)
  return "x86";
#elif defined(__riscv)
  return "riscv";
#elif defined(__powerpc64__)
  return "ppc64";
#else
  return "unknown";
#endif
}

nb::dict build_info() {
  nb::dict info;
  info["compiler"] = nb::str(compiler().c_str());
  info["standard"] = standard();
  info["build"] = build();
  info["arch"] = arch();
  return info;
}

}  // namespace

NB_MODULE(_core, module) {
  module.doc() = "The compiled core of arcbatt.";
  module.def("build_info", &build_info, "How this module was compiled: compiler, standard, build, arch.");
}
