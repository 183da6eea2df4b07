// The parser's state and all its rules; parser_*.cpp hold the rules by subject.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/ktir/lexer.h"
#include "kernels/ktir/parser.h"

namespace spyre::kernels::ktir {

class Parser {
 public:
  Parser(const std::string& text, const std::string& file);
  ParsedModule run();

 private:
  /// An SSA name where it is used.
  struct Use {
    ValueId id = 0;
    std::string name;
    TextPosition where;
  };
  struct Argument {
    std::string name;
    Type type;
    TextPosition where;
    SourceMappingPtr source;
  };
  /// An operation under construction and the types of its results.
  struct Draft {
    Operation op;
    std::vector<Type> results;
  };
  struct ResultName {
    std::string name;
    std::uint64_t count = 1;
    TextPosition where;
  };
  struct Alias {
    enum class State { unread, active, read };
    TextPosition start;
    TextPosition end;
    State state = State::unread;
    std::size_t cost = 0;  ///< bytes of text it stands for, aliases inside included
    AttributePtr attribute;
    std::optional<Type> type;
  };
  using Aliases = std::map<std::string, Alias, std::less<>>;
  using Scope = std::map<std::string, std::vector<ValueId>, std::less<>>;
  /// Names of an affine expression's leaves. With `ssa`, %names that are unknown become dimensions
  /// or symbols as they are met.
  struct AffineNames {
    std::vector<std::string> dimensions;
    std::vector<std::string> symbols;
    std::vector<Use>* captured = nullptr;  ///< subscripts: SSA values met, in order
    bool captured_are_symbols = false;
  };
  struct Subscript {
    std::optional<std::size_t> index_view;  ///< of ind(view[...])
    AffineMap map;
  };
  /// [1, %n, 64]: kDynamic stands for a value.
  struct MixedList {
    std::vector<std::int64_t> fixed;
    std::vector<Use> values;
  };
  class Nesting;

  // Tokens (parser_core.cpp)
  void advance() { token_ = lexer_.next(); }
  [[nodiscard]] Token peek();
  bool accept(std::string_view sign);
  bool accept_word(std::string_view word);
  void expect(std::string_view sign);
  void expect_word(std::string_view word);
  Token expect_kind(TokenKind kind, std::string_view what);
  std::int64_t expect_integer(std::string_view what);
  std::uint64_t magnitude(const Token& token) const;
  std::string string_text(const Token& token) const;
  void skip_balanced();
  void seek_into(const Token& token, std::size_t characters);
  [[noreturn]] void fail(const TextPosition& where, std::string message) const;
  [[noreturn]] void fail_expected(std::string_view what) const;
  void note(const TextPosition& where, std::string message);
  void charge(std::size_t cost, const TextPosition& where);
  [[nodiscard]] std::string shown(const Token& token) const;

  // Types (parser_types.cpp)
  [[nodiscard]] bool at_type() const;
  Type parse_type();
  /// A type whose class is known from the operation: "!ktdp.access_tile" may be left out.
  Type parse_type_of(TypeKind kind);
  std::vector<Type> parse_type_list();
  std::vector<Type> parse_result_types();
  void parse_shape(Type& type);
  ScalarType parse_scalar();
  Type parse_tensor();
  Type parse_memref();
  Type parse_access_tile_body();
  Type parse_tile_future_body();
  Type parse_runtime_arg_body();
  StridedLayout parse_strided();
  Type parse_type_alias();

  // Attributes (parser_attributes.cpp)
  AttributePtr parse_attribute();
  AttributePtr parse_number(bool negative, const TextPosition& start, bool typed = true);
  AttributePtr parse_dense();
  void parse_dense_elements(std::vector<AttributePtr>& elements, std::vector<std::int64_t>& shape,
                            std::size_t depth);
  AttributePtr parse_integer_array();
  AttributePtr parse_hash_attribute();
  MemorySpace parse_memory_space();
  std::vector<NamedAttribute> parse_dictionary();
  void parse_optional_dictionary(Operation& op);
  static void merge(Operation& op, std::vector<NamedAttribute> entries);
  AttributePtr literal(AttributePtr number, const ScalarType& type, const TextPosition& where);
  Alias& read_alias(const Token& name, Aliases& aliases);
  void parse_alias_definition();
  std::vector<std::int64_t> parse_integer_list();

  // Locations (parser_attributes.cpp)
  SourceMappingPtr parse_optional_location();
  SourceMappingPtr parse_location_body();

  // Affine (parser_affine.cpp)
  AffineMapPtr parse_affine_map();
  IntegerSetPtr parse_integer_set();
  IntegerSetPtr parse_set_or_alias();
  AffineMapPtr parse_map_or_alias();
  AffineNames parse_affine_names();
  AffineExpr parse_sum(AffineNames& names);
  AffineExpr parse_product(AffineNames& names);
  AffineExpr parse_factor(AffineNames& names);
  AffineExpr parse_ssa_leaf(AffineNames& names);
  AffineConstraint parse_constraint(AffineNames& names);
  std::vector<AffineExpr> parse_subscripts(AffineNames& names);

  // Module and functions (parser_module.cpp)
  void scan_aliases();
  void parse_top_level();
  void parse_module_body();
  void parse_function();
  void parse_function_arguments(Function& function);
  void skip_device();
  std::string parse_symbol();
  Region parse_region(const std::vector<Argument>& given = {});
  std::vector<Argument> parse_arguments();
  void parse_operations(std::vector<Operation>& operations);

  // Values (parser_values.cpp)
  ValueId define(std::string_view name, const Type& type, const TextPosition& where,
                 SourceMappingPtr source = nullptr);
  void bind(std::string_view name, std::vector<ValueId> ids);
  Use parse_use();
  std::vector<Use> parse_uses();
  std::vector<Use> parse_optional_uses(std::string_view open, std::string_view close);
  void check_type(const Use& use, const Type& type);
  void check_types(const std::vector<Use>& uses, const std::vector<Type>& types,
                   const TextPosition& where);
  void add_segment(Operation& op, const std::vector<Use>& uses);
  MixedList parse_mixed_list();

  // Operations (parser_operations.cpp)
  void parse_operation(std::vector<Operation>& operations);
  std::vector<ResultName> parse_result_names();
  void name_results(Draft& draft, const std::vector<ResultName>& names);
  void parse_generic_form(Draft& draft);
  void parse_pretty_form(Draft& draft);
  void parse_custom_form(Draft& draft);
  void set_segments(Operation& op, const TextPosition& where);
  static void normalise(Operation& op);
  void parse_elementwise(Draft& draft);
  void parse_compare(Draft& draft);
  void parse_cast(Draft& draft);
  void parse_yield(Draft& draft);
  void parse_constant(Draft& draft);
  void parse_select(Draft& draft);
  void parse_softplus(Draft& draft);
  void skip_flags(Operation& op);

  // scf (parser_scf.cpp)
  void parse_for(Draft& draft);
  void parse_if(Draft& draft);
  void end_region(Region& region, OpCode terminator, const TextPosition& where);

  // linalg (parser_linalg.cpp)
  std::vector<Type> parse_ins_outs(Draft& draft);
  void parse_linalg(Draft& draft);
  void parse_broadcast(Draft& draft, std::string_view attribute);
  void parse_reduce(Draft& draft);
  Region short_combiner(const OpInfo& combiner, const TextPosition& where,
                        const std::vector<Type>& types);
  void parse_generic(Draft& draft);
  void parse_index(Draft& draft);

  // tensor and memref (parser_tensor.cpp)
  void parse_empty(Draft& draft);
  void parse_splat(Draft& draft);
  void parse_extract(Draft& draft);
  void parse_reassociation(Draft& draft);
  void parse_reshape(Draft& draft);
  void parse_generate(Draft& draft);
  void parse_slice(Draft& draft);
  void parse_from_elements(Draft& draft);
  void parse_dim(Draft& draft);

  // ktdp (parser_ktdp.cpp, parser_inter_tile.cpp)
  void parse_tile_id(Draft& draft);
  void parse_memory_view(Draft& draft);
  void parse_distributed_view(Draft& draft);
  void parse_access_tile(Draft& draft);
  void parse_indirect_access_tile(Draft& draft);
  Subscript parse_indirect_subscript(AffineNames& names, std::vector<Use>& views);
  void parse_symbols(Draft& draft);
  void require_attribute_dictionary(Draft& draft);
  void parse_load(Draft& draft);
  void parse_store(Draft& draft);
  void parse_runtime_arg_extract(Draft& draft);
  void parse_produce(Draft& draft);
  void parse_delivery(Draft& draft);

  const std::string& text_;
  Lexer lexer_;
  Token token_;
  int nesting_ = 0;
  std::size_t budget_ = 0;  ///< bytes that aliases may still stand for
  std::size_t charged_ = 0;
  Aliases attribute_aliases_;
  Aliases type_aliases_;
  ParsedModule result_;
  Function* function_ = nullptr;
  std::vector<Scope> scopes_;
  std::size_t inner_findings_ = 0;  ///< findings made inside regions read so far
  std::string rebound_;  ///< the outs name that a named operation without results redefines
};

/// Counts one level of recursion and refuses the one beyond the limit.
class Parser::Nesting {
 public:
  explicit Nesting(Parser& parser);
  ~Nesting() { --parser_.nesting_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  Parser& parser_;
};

}  // namespace spyre::kernels::ktir
