// C = A x B, 128x256 times 256x512, output tiles of 32x64 on a 4x8 grid, K in steps of 64, sums in f32.
#full = affine_map<(d0, d1) -> (d0, d1)>
module @matmul_module {
  func.func public @matmul(%a: index, %b: index, %c: index) attributes {grid = [4, 8]} {
    %m, %n = ktdp.get_compute_tile_id : index, index
    %begin = arith.constant 0 : index
    %end = arith.constant 256 : index
    %step = arith.constant 64 : index
    %A = ktdp.construct_memory_view %a, sizes: [128, 256], strides: [256, 1] {
      memory_space = #ktdp.memory_space<global>} : memref<128x256xf16>
    %B = ktdp.construct_memory_view %b, sizes: [256, 512], strides: [512, 1] {
      memory_space = #ktdp.memory_space<global>} : memref<256x512xf16>
    %C = ktdp.construct_memory_view %c, sizes: [128, 512], strides: [512, 1] {
      memory_space = #ktdp.memory_space<global>} : memref<128x512xf16>
    %none = arith.constant dense<0.000000e+00> : tensor<32x64xf32>
    %sum = scf.for %k = %begin to %end step %step iter_args(%partial = %none) -> tensor<32x64xf32> {
      %ta = ktdp.construct_access_tile %A[%m * 32, %k] {
        access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
        access_tile_order = #full} : memref<128x256xf16> -> !ktdp.access_tile<32x64xindex>
      %tb = ktdp.construct_access_tile %B[%k, 64 * %n] {
        access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
        access_tile_order = #full} : memref<256x512xf16> -> !ktdp.access_tile<64x64xindex>
      %pa = ktdp.load %ta : <32x64xindex> -> tensor<32x64xf16>
      %pb = ktdp.load %tb : <64x64xindex> -> tensor<64x64xf16>
      %next = linalg.matmul ins(%pa, %pb : tensor<32x64xf16>, tensor<64x64xf16>)
          outs(%partial : tensor<32x64xf32>) -> tensor<32x64xf32>
      scf.yield %next : tensor<32x64xf32>
    } {loop_type = "reduction"}
    %rounded = arith.truncf %sum : tensor<32x64xf32> to tensor<32x64xf16>
    %tc = ktdp.construct_access_tile %C[%m * 32, %n * 64] {
      access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 31 >= 0, d1 >= 0, -d1 + 63 >= 0)>,
      access_tile_order = #full} : memref<128x512xf16> -> !ktdp.access_tile<32x64xindex>
    ktdp.store %rounded, %tc : tensor<32x64xf16>, <32x64xindex>
    return
  }
}
