#include "runtime/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>

#include "models/diagnostics/diagnostics.h"
#include "models/diagnostics/yaml_reader.h"
#include "runtime/npy_header.h"
#include "traces/atomic_file.h"

namespace spyre::runtime {
namespace {

using kernels::ktir::ScalarKind;
using kernels::ktir::ScalarType;
using models::InputError;

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kLongestHeader = std::size_t{1} << 20;
constexpr std::size_t kLongestVersion1 = 65535;

struct NpyType {
  std::string_view name;  ///< without the byte order
  ScalarType element;
};

constexpr std::array<NpyType, 12> kTypes{{
    {"f2", {ScalarKind::f16, 16}},
    {"f4", {ScalarKind::f32, 32}},
    {"f8", {ScalarKind::f64, 64}},
    {"i1", {ScalarKind::integer, 8}},
    {"i2", {ScalarKind::integer, 16}},
    {"i4", {ScalarKind::integer, 32}},
    {"i8", {ScalarKind::integer, 64}},
    {"u1", {ScalarKind::unsigned_integer, 8}},
    {"u2", {ScalarKind::unsigned_integer, 16}},
    {"u4", {ScalarKind::unsigned_integer, 32}},
    {"u8", {ScalarKind::unsigned_integer, 64}},
    {"b1", {ScalarKind::integer, 1}},
}};

std::string type_names() {
  std::vector<std::string_view> names;
  for (const NpyType& type : kTypes) names.push_back(type.name);
  return fmt::format("{}", fmt::join(names, " "));
}

ScalarType element_named(const std::string& descriptor, const std::string& file) {
  const char order = descriptor.empty() ? ' ' : descriptor[0];
  const std::string_view name =
      descriptor.empty() ? std::string_view() : std::string_view(descriptor).substr(1);
  for (const NpyType& type : kTypes) {
    if (type.name != name) continue;
    if (order == '<' || order == '=' || type.element.width <= 8) return type.element;
    if (order == '>') {
      throw InputError(
          fmt::format("{}: the elements are big endian ('{}'); save them as array.astype('<{}')",
                      file, descriptor, name));
    }
  }
  std::string shown;
  for (const char c : descriptor.substr(0, 20)) shown += c >= 0x20 && c < 0x7f ? c : '?';
  throw InputError(fmt::format("{}: the elements are of type '{}'; valid are {}, little endian",
                               file, shown, type_names()));
}

/// Bytes of `shape`, or nothing where they do not fit in 63 bits.
std::optional<std::uint64_t> data_bytes(const std::vector<std::int64_t>& shape,
                                        std::int64_t element) {
  std::int64_t bytes = element;
  for (const std::int64_t size : shape) {
    if (size == 0) return 0;
  }
  for (const std::int64_t size : shape) {
    if (bytes > std::numeric_limits<std::int64_t>::max() / size) return std::nullopt;
    bytes *= size;
  }
  return static_cast<std::uint64_t>(bytes);
}

/// Fortran order has the first index innermost.
std::vector<std::byte> row_major(const std::vector<std::byte>& from,
                                 const std::vector<std::int64_t>& shape, std::size_t step) {
  std::vector<std::byte> to(from.size());
  std::vector<std::int64_t> stride(shape.size(), 1);
  for (std::size_t i = 1; i < shape.size(); ++i) stride[i] = stride[i - 1] * shape[i - 1];
  std::vector<std::int64_t> index(shape.size(), 0);
  std::int64_t source = 0;
  for (std::size_t target = 0; target + step <= to.size(); target += step) {
    std::memcpy(&to[target], &from[static_cast<std::size_t>(source) * step], step);
    for (std::size_t i = shape.size(); i-- > 0;) {
      source += stride[i];
      if (++index[i] < shape[i]) break;
      source -= stride[i] * shape[i];
      index[i] = 0;
    }
  }
  return to;
}

const char* type_of_bits(const ScalarType& element) {
  switch (element.kind) {
    case ScalarKind::bf16:
    case ScalarKind::df16:
      return "u2";
    case ScalarKind::f8_e4m3:
    case ScalarKind::f8_e5m2:
      return "u1";
    default:
      return nullptr;
  }
}

std::string descriptor_of(const ScalarType& element) {
  const int bytes = (element.width + 7) / 8;
  const char order = bytes == 1 ? '|' : '<';
  if (const char* bits = type_of_bits(element)) return fmt::format("{}{}", order, bits);
  if (element.is_float()) return fmt::format("{}f{}", order, bytes);
  if (element.width == 1) return "|b1";
  if (element.width != 8 && element.width != 16 && element.width != 32 && element.width != 64) {
    throw std::invalid_argument(fmt::format("{} has no type in NumPy", to_string(element)));
  }
  const bool is_unsigned = element.kind == ScalarKind::unsigned_integer;
  return fmt::format("{}{}{}", order, is_unsigned ? 'u' : 'i', bytes);
}

}  // namespace

HostArray parse_npy(std::string_view bytes, const std::string& file) {
  if (bytes.size() < kMagic.size() + 4 || !bytes.starts_with(kMagic)) {
    throw InputError(
        fmt::format("{}: this is no .npy file (it does not start with \\x93NUMPY); "
                    "numpy.save() writes them",
                    file));
  }
  const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(bytes[at]); };
  const unsigned version = byte(6);
  if (version < 1 || version > 3) {
    throw InputError(fmt::format("{}: .npy version {}.{}; valid are 1, 2 and 3", file, version,
                                 unsigned{byte(7)}));
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const std::size_t start = 8 + length_bytes;
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes && 8 + i < bytes.size(); ++i) {
    length |= std::size_t{byte(8 + i)} << (8 * i);
  }
  if (bytes.size() < start || length > bytes.size() - start || length > kLongestHeader) {
    throw InputError(
        fmt::format("{}: the header is said to have {} bytes, but the file has {} in all; headers "
                    "have up to {}",
                    file, length, bytes.size(), kLongestHeader));
  }
  const NpyHeader header = parse_npy_header(bytes.substr(start, length), file);
  HostArray array{element_named(header.type, file), header.shape, {}};
  const auto step = static_cast<std::size_t>(element_bytes(array.element));
  const std::string_view data = bytes.substr(start + length);
  const auto needed = data_bytes(header.shape, static_cast<std::int64_t>(step));
  if (!needed || *needed != data.size()) {
    throw InputError(fmt::format(
        "{}: shape ({}) of '{}' takes {} bytes, but {} follow the header; the file is {}", file,
        fmt::join(header.shape, ", "), header.type,
        needed ? fmt::format("{}", *needed) : std::string("more than 2^63"), data.size(),
        needed && *needed < data.size() ? "too long" : "cut short"));
  }
  array.bytes.resize(data.size());
  if (!data.empty()) std::memcpy(array.bytes.data(), data.data(), data.size());
  if (header.fortran_order && header.shape.size() > 1) {
    array.bytes = row_major(array.bytes, header.shape, step);
  }
  return array;
}

HostArray read_npy(const std::string& path) {
  return parse_npy(models::read_text_file(path), path);
}

std::string npy_bytes(const HostArray& array) {
  std::string header = npy_header_text({descriptor_of(array.element), false, array.shape});
  const bool version1 = kMagic.size() + 4 + header.size() + kAlignment <= kLongestVersion1;
  const std::size_t start = version1 ? 10 : 12;
  const std::size_t unpadded = start + header.size() + 1;  // a newline ends it
  header.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  header += '\n';
  std::string text(kMagic);
  text += {version1 ? '\x01' : '\x02', '\0'};
  for (std::size_t i = 0; i < start - 8; ++i) {
    text += static_cast<char>(header.size() >> (8 * i) & 0xff);
  }
  text += header;
  const std::size_t data = text.size();
  text.resize(data + array.bytes.size());
  if (!array.bytes.empty()) std::memcpy(&text[data], array.bytes.data(), array.bytes.size());
  return text;
}

void write_npy(const std::string& path, const HostArray& array) {
  traces::write_file(path, npy_bytes(array));
}

std::string npy_remark(const ScalarType& element) {
  const char* bits = type_of_bits(element);
  if (bits == nullptr) return {};
  return fmt::format("{} has no type in NumPy: its bits are written as {}", to_string(element),
                     bits);
}

}  // namespace spyre::runtime
