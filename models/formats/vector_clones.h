// Marks a function to be compiled for several x86 instruction sets, the best one chosen when the
// program starts. Every clone does the same operations in the same order (no contraction to fused
// multiply-add: see CMakeLists.txt), so results do not depend on the machine.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define SPYRE_VECTOR_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define SPYRE_VECTOR_CLONES
#endif
