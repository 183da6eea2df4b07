#include "runtime/cli/kernel_options.h"

#include <fmt/format.h>

#include <filesystem>

#include "models/diagnostics/diagnostics.h"

namespace spyre::runtime {

void ValueOptions::add_arguments_to(CLI::App& command) {
  command
      .add_option("-a,--arg", arguments,
                  "Value of an argument or tensor: x=x.npy, x=zeros, x=random(1), "
                  "x=random(1):f16[64,64], n=256 (repeatable)")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command.add_option("--function", function, "The kernel's function, where its file has several")
      ->type_name("NAME");
}

void ValueOptions::add_to(CLI::App& command) {
  add_arguments_to(command);
  command
      .add_option("-o,--out", outputs,
                  "Write an argument or tensor as it is after the run: y=y.npy (repeatable)")
      ->type_name("NAME=FILE")
      ->allow_extra_args(false);
  command
      .add_option("--data", data,
                  "off: the same cycles without moving and computing values (default: on for "
                  "kernels, and where --arg or --out is given)")
      ->type_name("on|off")
      ->check(CLI::IsMember({"on", "off"}));
  command.add_option("--numerics", numerics, "Whose 16-bit floating-point format fp16 stands for")
      ->type_name("ieee|spyre")
      ->capture_default_str()
      ->check(CLI::IsMember({"ieee", "spyre"}));
  command
      .add_option("--timing", timing,
                  "ktir-cpu: also report a kernel's cycles by that project's sum of costs")
      ->type_name("card|ktir-cpu")
      ->capture_default_str()
      ->check(CLI::IsMember({"card", "ktir-cpu"}));
}

models::Numerics ValueOptions::chosen_numerics() const {
  return *models::numerics_named(numerics);
}

KernelRequest ValueOptions::kernel_request(const std::string& text, const std::string& file) const {
  KernelRequest request;
  request.text = text;
  request.file = file;
  request.function = function;
  std::vector<NamedSpec> specs;
  std::map<std::string, std::int64_t> integers;
  for (const std::string& argument : arguments) {
    specs.push_back(parse_named_spec(argument));
    const ArgumentSpec& spec = specs.back().spec;
    if (spec.kind == ArgumentSpec::Kind::integer) integers[specs.back().name] = spec.integer;
  }
  const ArrayTypeOf type_of = argument_types(text, file, function, integers);
  for (const NamedSpec& named : specs) {
    if (request.arguments.contains(named.name)) {
      throw models::InputError(fmt::format("--arg {}: it is given twice", named.name));
    }
    request.arguments.emplace(named.name, make_argument(named.name, named.spec, type_of));
  }
  return request;
}

std::map<std::string, std::string> ValueOptions::output_files() const {
  std::map<std::string, std::string> files;
  for (const std::string& output : outputs) {
    const std::size_t equals = output.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == output.size()) {
      throw models::InputError(
          fmt::format("--out {}: write NAME=FILE, as in --out y=y.npy", output));
    }
    files[output.substr(0, equals)] = output.substr(equals + 1);
  }
  return files;
}

bool is_kernel(const std::string& file, const std::string& text) {
  const std::string extension = std::filesystem::path(file).extension().string();
  if (extension == ".mlir" || extension == ".ktir") return true;
  if (extension == ".yaml" || extension == ".yml" || extension == ".json") return false;
  return text.find("func.func") != std::string::npos;
}

}  // namespace spyre::runtime
