// The main of every test program. libsystemc.so brings a main of its own, which calls sc_main; this
// one wins at link time, and the stub satisfies the library's reference. Tests that use the kernel
// take kernel_test.h.
#include <gtest/gtest.h>

extern "C" int sc_main(int /*argc*/, char** /*argv*/) {
  return 0;
}

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
