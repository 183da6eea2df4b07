// .npy files: what NumPy writes is read, what is written reads back, and damage is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "runtime/host_values.h"
#include "runtime/npy.h"
#include "tests/unit/host_data/array_fixture.h"

namespace spyre::runtime::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A file as NumPy lays it out.
std::string file_of(const std::string& header, const std::string& data, int version = 1) {
  std::string text = "\x93NUMPY";
  text += {static_cast<char>(version), '\0'};
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) {
    text += static_cast<char>(header.size() >> (8 * i) & 0xff);
  }
  return text + header + data;
}

std::string fault(const std::string& bytes) {
  return message_of([&] { (void)parse_npy(bytes, "x.npy"); });
}

const std::string kHalves("\x00\x3c\x00\x40\x00\x42\x00\x44\x00\x45\x00\x46", 12);  // 1 .. 6
const std::string kHeader = "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3), }\n";

TEST(Npy, AllVersionsAreRead) {
  for (const int version : {1, 2, 3}) {
    const HostArray array = parse_npy(file_of(kHeader, kHalves, version), "x.npy");
    EXPECT_EQ(array.element, scalar("f16"));
    EXPECT_THAT(array.shape, ElementsAre(2, 3));
    EXPECT_THAT(to_doubles(array), ElementsAre(1, 2, 3, 4, 5, 6));
  }
  EXPECT_THAT(fault(file_of(kHeader, kHalves, 4)), HasSubstr("version 4.0; valid are 1, 2 and 3"));
}

TEST(Npy, FortranOrderBecomesRowMajor) {
  const std::string header = "{'descr': '<f2', 'fortran_order': True, 'shape': (2, 3), }\n";
  EXPECT_THAT(to_doubles(parse_npy(file_of(header, kHalves), "x.npy")),
              ElementsAre(1, 3, 5, 2, 4, 6));
  const std::string cube = "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 2, 3)}";
  EXPECT_THAT(to_doubles(parse_npy(file_of(cube, std::string("\0\1\2\3\4\5\6\7\10\11\12\13", 12)),
                                   "x.npy")),
              ElementsAre(0, 4, 8, 2, 6, 10, 1, 5, 9, 3, 7, 11));
}

TEST(Npy, KeysMayStandInAnyOrderAndScalarsHaveNoDimension) {
  const HostArray array = parse_npy(file_of("{ \"shape\":(),'fortran_order':False,'descr':'<i4' }",
                                            std::string("\xfe\xff\xff\xff", 4)),
                                    "x.npy");
  EXPECT_TRUE(array.shape.empty());
  EXPECT_THAT(to_doubles(array), ElementsAre(-2));
}

TEST(Npy, EveryTypeIsKnownByItsName) {
  const std::vector<std::pair<const char*, const char*>> types{
      {"<f2", "f16"}, {"<f4", "f32"}, {"<f8", "f64"},  {"|i1", "i8"},   {"<i2", "i16"},
      {"<i4", "i32"}, {"<i8", "i64"}, {"|u1", "ui8"},  {"<u2", "ui16"}, {"<u4", "ui32"},
      {"|b1", "i1"},  {"=f4", "f32"}, {"<u8", "ui64"}, {"<b1", "i1"}};
  for (const auto& [name, type] : types) {
    const std::string header =
        std::string("{'descr': '") + name + "', 'fortran_order': False, 'shape': (0,), }";
    EXPECT_EQ(parse_npy(file_of(header, ""), "x.npy").element, scalar(type)) << name;
  }
}

TEST(Npy, WhatIsWrittenIsWhatNumpyWrites) {
  const HostArray array = from_doubles(scalar("f16"), {3}, std::vector<double>{1, 2, 3});
  const std::string text = npy_bytes(array);
  EXPECT_EQ(text.size() % 2, 0U);
  EXPECT_EQ(text.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));  // 118 + 10 = 128
  EXPECT_EQ(text.substr(10, 56), "{'descr': '<f2', 'fortran_order': False, 'shape': (3,), ");
  EXPECT_EQ(text[127], '\n');
  EXPECT_EQ(text.substr(128), std::string("\x00\x3c\x00\x40\x00\x42", 6));
}

TEST(Npy, RandomArraysReadBack) {
  std::mt19937 random(11);
  for (const char* type :
       {"f16", "f32", "f64", "i1", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32"}) {
    for (int round = 0; round < 40; ++round) {
      const HostArray array = random_array(scalar(type), random);
      const std::string text = npy_bytes(array);
      ASSERT_EQ((text.size() - array.bytes.size()) % 64, 0U);
      const HostArray again = parse_npy(text, "x.npy");
      ASSERT_EQ(again.element, array.element) << type;
      ASSERT_EQ(again.shape, array.shape);
      ASSERT_EQ(again.bytes, array.bytes);
    }
  }
}

TEST(Npy, TypesThatNumpyLacksAreWrittenAsTheirBits) {
  const HostArray array = from_doubles(scalar("bf16"), {2}, std::vector<double>{1, -2});
  const HostArray again = parse_npy(npy_bytes(array), "x.npy");
  EXPECT_EQ(again.element, scalar("ui16"));
  EXPECT_EQ(again.bytes, array.bytes);
  EXPECT_EQ(npy_remark(scalar("bf16")), "bf16 has no type in NumPy: its bits are written as u2");
  EXPECT_EQ(npy_remark(scalar("f16")), "");
}

TEST(Npy, FaultsNameTheFileAndWhatIsValid) {
  EXPECT_THAT(fault("PK\x03\x04 something else"), HasSubstr("x.npy: this is no .npy file"));
  EXPECT_THAT(fault(""), HasSubstr("this is no .npy file"));
  EXPECT_THAT(fault(file_of("{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", "1234")),
              HasSubstr("big endian ('>f4'); save them as array.astype('<f4')"));
  EXPECT_THAT(fault(file_of("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "1")),
              HasSubstr("of type '|O'; valid are f2 f4 f8 i1"));
  EXPECT_THAT(fault(file_of("{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", "1")),
              HasSubstr("of type '<c8'"));
  EXPECT_THAT(fault(file_of("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}", "")),
              HasSubstr("the elements are structures"));
  EXPECT_THAT(fault(file_of(kHeader, kHalves.substr(1))),
              HasSubstr("takes 12 bytes, but 11 follow the header; the file is cut short"));
  EXPECT_THAT(fault(file_of(kHeader, kHalves + "x")), HasSubstr("the file is too long"));
  EXPECT_THAT(fault(file_of(kHeader, kHalves).substr(0, 40)), HasSubstr("the header is said to"));
  EXPECT_THAT(fault(file_of("{'descr': '<f2', 'fortran_order': False}", "")),
              HasSubstr("a key is missing; valid is {'descr': '<f2', "));
  EXPECT_THAT(fault(file_of("{'descr': '<f2', 'fortran_order': 0, 'shape': (2,)}", "1234")),
              HasSubstr("True or False is due at '0, "));
  EXPECT_THAT(fault(file_of("{'descr': '<f2', 'fortran_order': False, 'shape': (-2,)}", "")),
              HasSubstr("a size is due at '-2,)}'"));
  EXPECT_THAT(fault(file_of("{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, "
                            "4294967296)}",
                            "")),
              HasSubstr("takes more than 2^63 bytes"));
}

class NpyFiles : public Folder {};

TEST_F(NpyFiles, AreWrittenWholeAndReadBack) {
  const HostArray array = from_doubles(scalar("i32"), {2, 2}, std::vector<double>{1, 2, 3, -4});
  write_npy(path("a.npy"), array);
  EXPECT_EQ(read_npy(path("a.npy")).bytes, array.bytes);
  EXPECT_THAT(message_of([&] { write_npy(path("none/a.npy"), array); }),
              HasSubstr("cannot write '" + path("none/a.npy")));
  EXPECT_THAT(message_of([&] { (void)read_npy(path("b.npy")); }),
              HasSubstr("cannot read '" + path("b.npy")));
}

TEST(Npy, DamagedFilesAreReadOrRefusedButNeverCrash) {
  std::mt19937 random(2025);
  int read = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text = npy_bytes(random_array(scalar(round % 2 == 0 ? "f16" : "i32"), random));
    for (std::size_t changes = 1 + random() % 4; changes > 0 && !text.empty(); --changes) {
      const std::size_t at = random() % std::min<std::size_t>(text.size(), 80);
      switch (random() % 4) {
        case 0:
          text[at] = static_cast<char>(random() % 256);
          break;
        case 1:
          text[at] = "'(){}:,<>|0123456789 \n"[random() % 22];
          break;
        case 2:
          text.erase(at, 1 + random() % 4);
          break;
        default:
          text.resize(random() % (text.size() + 1));
      }
    }
    try {
      const HostArray array = parse_npy(text, "mutant.npy");
      ASSERT_EQ(static_cast<std::int64_t>(array.bytes.size()),
                array.elements() * element_bytes(array.element));
      ++read;
    } catch (const models::InputError& error) {
      ASSERT_THAT(error.what(), HasSubstr("mutant.npy: "));
    }
  }
  EXPECT_GT(read, 50);  // some changes hit the padding
}

}  // namespace
}  // namespace spyre::runtime::test
