#include "models/diagnostics/yaml_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

namespace spyre::models {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::string message_of(const auto& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// What a reading of `text` finds, in file order.
std::vector<std::string> faults(const std::string& text,
                                const std::function<void(MapReader&)>& read) {
  DiagnosticSink sink("f.yaml");
  MapReader map(parse_yaml(text, "f.yaml"), "", sink);
  read(map);
  map.finish();
  std::vector<std::string> lines;
  try {
    sink.throw_if_any();
  } catch (const InputError& error) {
    for (const Diagnostic& fault : error.diagnostics()) lines.push_back(to_string(fault));
  }
  return lines;
}

TEST(ParseYaml, ReportsThePlaceOfASyntaxError) {
  EXPECT_THAT(message_of([] { (void)parse_yaml("a: 1\nb: [1, 2\n", "f.yaml"); }),
              StartsWith("f.yaml:3:1: error: this is not valid YAML"));
  EXPECT_THAT(message_of([] { (void)parse_yaml("a: {b: 1\n", "f.yaml"); }), StartsWith("f.yaml:"));
}

TEST(ParseYaml, RejectsATextWithoutContent) {
  for (const char* text : {"", "\n\n", "# only a comment\n", "---\n", "~"}) {
    EXPECT_EQ(message_of([&] { (void)parse_yaml(text, "f.yaml"); }),
              "f.yaml:1:1: error: the file is empty")
        << text;
  }
}

TEST(ParseYaml, RejectsASecondDocumentThatWouldBeDropped) {
  EXPECT_THAT(message_of([] { (void)parse_yaml("a: 1\n---\nb: 2\n", "f.yaml"); }),
              StartsWith("f.yaml:3:1: error: a second document"));
  EXPECT_NO_THROW((void)parse_yaml("---\na: 1\n...\n", "f.yaml"));
  EXPECT_NO_THROW((void)parse_yaml("a: 1\n---\n", "f.yaml"));
}

TEST(ParseYaml, EndsOnTextThatYamlCppReadsAsEndlessEmptyDocuments) {
  // A comma where a document should start: LoadAll of yaml-cpp 0.7 never comes back from it.
  EXPECT_EQ(message_of([] { (void)parse_yaml("# note\n\n, slots: 2}\nb: {c: 1}\n", "f.yaml"); }),
            "f.yaml:3:1: error: this is not valid YAML: nothing can start or go on here");
}

TEST(ParseYaml, SurvivesDeepNesting) {
  EXPECT_THAT(message_of([] { (void)parse_yaml(std::string(20'000, '['), "f.yaml"); }),
              HasSubstr("not valid YAML"));
}

TEST(ReadTextFile, NamesTheReasonWhateverFailedBefore) {
  errno = EACCES;
  EXPECT_EQ(message_of([] { (void)read_text_file("/nowhere/x.yaml"); }),
            "error: cannot read '/nowhere/x.yaml': No such file or directory");
  EXPECT_EQ(message_of([] { (void)read_text_file("/"); }),
            "error: cannot read '/': Is a directory");
}

TEST(ReadTextFile, GivesEveryByteOfAFile) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / "read_text_file_test";
  const std::string bytes("a\0b\r\n\xff", 6);
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_EQ(read_text_file(path.string()), bytes);
  std::ofstream(path, std::ios::trunc).flush();
  EXPECT_EQ(read_text_file(path.string()), "");
  std::filesystem::remove(path);
}

TEST(MapReaderTest, ReadsWhatIsThere) {
  EXPECT_THAT(faults("i: -7\nn: 1.5e3\nb: false\nt: \"007\"\n",
                     [](MapReader& map) {
                       EXPECT_EQ(map.integer("i"), -7);
                       EXPECT_EQ(map.number("n", 0, 1e6), 1500);
                       EXPECT_FALSE(map.boolean_or("b", true));
                       EXPECT_EQ(map.text("t"), "007");
                       EXPECT_EQ(map.integer_or("absent", 5), 5);
                       EXPECT_EQ(map.number_or("absent2", 2.5, 0, 10), 2.5);
                       EXPECT_TRUE(map.boolean_or("absent3", true));
                       EXPECT_EQ(map.text_or("absent4", "x"), "x");
                     }),
              IsEmpty());
}

TEST(MapReaderTest, ReportsEveryFaultInFileOrderWithItsPlace) {
  EXPECT_THAT(faults("size: twelve\ncolour: red\nlow: 0\nsize: 3\n",
                     [](MapReader& map) {
                       (void)map.integer("low", 1, 9);
                       (void)map.integer("size");
                       (void)map.text("color");
                     }),
              ElementsAre("f.yaml:1:1: error: missing key 'color'",
                          "f.yaml:1:7: error: 'size' is 'twelve': it must be a whole number",
                          "f.yaml:2:1: error: unknown key 'colour': did you mean 'color'?",
                          "f.yaml:3:6: error: 'low' is 0: it must be from 1 to 9",
                          "f.yaml:4:1: error: the key 'size' stands twice in this map"));
}

TEST(MapReaderTest, TakesNoLookAlikeForAWholeNumber) {
  for (const char* text : {"\"12\"", "'12'", "010", "0x10", "1_000", "1e3", "1.0", "+5", "-0",
                           "true", "[1]", "{a: 1}", "~", "\"\"", "12 cores"}) {
    EXPECT_THAT(faults(std::string("k: ") + text, [](MapReader& map) { (void)map.integer("k"); }),
                ElementsAre(testing::AllOf(StartsWith("f.yaml:1:4: error: 'k' is "),
                                           HasSubstr("it must be a whole number"))))
        << text;
  }
}

TEST(MapReaderTest, TakesNoLookAlikeForANumber) {
  for (const char* text :
       {"\"1.5\"", "0x1p3", ".inf", ".nan", "inf", "nan", "1e999", "1.5s", "~", "[1]"}) {
    EXPECT_THAT(faults(std::string("k: ") + text,
                       [](MapReader& map) { (void)map.number("k", -1e300, 1e300); }),
                ElementsAre(HasSubstr("it must be a number")))
        << text;
  }
}

TEST(MapReaderTest, AcceptsBothEndsOfARangeAndNothingBeyond) {
  const auto read = [](MapReader& map) { (void)map.integer("k", 3, 5); };
  EXPECT_THAT(faults("k: 3", read), IsEmpty());
  EXPECT_THAT(faults("k: 5", read), IsEmpty());
  EXPECT_THAT(faults("k: 2", read),
              ElementsAre("f.yaml:1:4: error: 'k' is 2: it must be from 3 to 5"));
  EXPECT_THAT(faults("k: 6", read),
              ElementsAre("f.yaml:1:4: error: 'k' is 6: it must be from 3 to 5"));
  EXPECT_THAT(
      faults("k: 99999999999999999999", read),
      ElementsAre("f.yaml:1:4: error: 'k' is 99999999999999999999: it must be from 3 to 5"));
  EXPECT_THAT(faults("k: 0", [](MapReader& map) { (void)map.integer("k", 1); }),
              ElementsAre("f.yaml:1:4: error: 'k' is 0: it must be at least 1"));
}

TEST(MapReaderTest, SaysOnceThatAGroupIsMissing) {
  DiagnosticSink sink("f.yaml");
  MapReader map(parse_yaml("a: 1", "f.yaml"), "", sink);
  MapReader inner(map.required("group"), "group", sink);
  EXPECT_FALSE(inner.valid());
  EXPECT_FALSE(inner.has("x"));
  (void)inner.integer("x");
  inner.finish();
  ASSERT_EQ(sink.diagnostics().size(), 1u);
  EXPECT_EQ(sink.diagnostics()[0].message, "missing key 'group'");
}

TEST(MapReaderTest, NamesNestedKeysByTheirPath) {
  DiagnosticSink sink("f.yaml");
  MapReader map(parse_yaml("dram:\n  timing:\n    rcd: x\n", "f.yaml"), "", sink);
  MapReader dram(map.required("dram"), "dram", sink);
  MapReader timing(dram.required("timing"), "dram.timing", sink);
  (void)timing.integer("rcd");
  ASSERT_EQ(sink.diagnostics().size(), 1u);
  EXPECT_EQ(to_string(sink.diagnostics()[0]),
            "f.yaml:3:10: error: 'dram.timing.rcd' is 'x': it must be a whole number");
}

TEST(MapReaderTest, ReportsKeysThatAreNoNames) {
  EXPECT_THAT(faults("[1, 2]: 3\n", [](MapReader&) {}),
              ElementsAre("f.yaml:1:1: error: a key of the document is a list: it must be a name"));
}

TEST(MapReaderTest, ShowsOnlyTheBeginningOfALongText) {
  const std::vector<std::string> found =
      faults("k: \"" + std::string(59, 'a') + "\xc3\xa4" + std::string(100'000, 'b') + "\"",
             [](MapReader& map) { (void)map.integer("k"); });
  EXPECT_THAT(found, ElementsAre("f.yaml:1:4: error: 'k' is the text '" + std::string(59, 'a') +
                                 "...': it must be a whole number"));
}

TEST(MapReaderTest, ReportsADocumentThatIsNoMap) {
  DiagnosticSink sink("f.yaml");
  MapReader map(parse_yaml("- a\n- b\n", "f.yaml"), "", sink);
  EXPECT_FALSE(map.valid());
  ASSERT_EQ(sink.diagnostics().size(), 1u);
  EXPECT_EQ(to_string(sink.diagnostics()[0]),
            "f.yaml:1:1: error: the document must be a map of keys and values");
}

}  // namespace
}  // namespace spyre::models
