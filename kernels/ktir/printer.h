// Canonical KTIR text of a module. Reading it gives the same module, and printing that the same
// text.
//
// Names are kept where they are unambiguous and numbered otherwise; aliases are written out; the
// types that may be left out are written; every terminator is written.
#pragma once

#include <string>

#include "kernels/ktir/ir.h"

namespace spyre::kernels::ktir {

struct PrintOptions {
  bool locations = true;  ///< loc(...) of what carries one
};

/// The module must have passed the verifier.
[[nodiscard]] std::string print_module(const Module& module, const PrintOptions& options = {});

}  // namespace spyre::kernels::ktir
