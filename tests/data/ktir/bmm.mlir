// Batched product, one batch of four per core; the right side comes in transposed.
!left = tensor<4x16x64xf16>
func.func @bmm(%a: index, %b: index, %c: index) attributes {grid = [2, 2, 2]} {
  %x, %y, %z = ktdp.get_compute_tile_id : index, index, index
  %A = ktdp.construct_memory_view %a, sizes: [32, 16, 64], strides: [1024, 64, 1] {
    memory_space = #ktdp.memory_space<global>} : memref<32x16x64xf16>
  %B = ktdp.construct_memory_view %b, sizes: [32, 128, 64], strides: [8192, 64, 1] {
    memory_space = #ktdp.memory_space<global>} : memref<32x128x64xf16>
  %C = ktdp.construct_memory_view %c, sizes: [32, 16, 128], strides: [2048, 128, 1] {
    memory_space = #ktdp.memory_space<global>} : memref<32x16x128xf16>
  %ta = ktdp.construct_access_tile %A[%z * 16 + %y * 8 + %x * 4, 0, 0] {
    access_tile_set = affine_set<(b, r, c) : (b >= 0, b <= 3, r >= 0, r <= 15, c >= 0, c <= 63)>,
    access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
  } : memref<32x16x64xf16> -> !ktdp.access_tile<4x16x64xindex>
  %tb = ktdp.construct_access_tile %B[%z * 16 + %y * 8 + %x * 4, 0, 0] {
    access_tile_set = affine_set<(b, r, c) : (b >= 0, b <= 3, r >= 0, r <= 127, c >= 0, c <= 63)>,
    access_tile_order = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
  } : memref<32x128x64xf16> -> !ktdp.access_tile<4x64x128xindex>
  %va = ktdp.load %ta : <4x16x64xindex> -> !left
  %vb = ktdp.load %tb : <4x64x128xindex> -> tensor<4x64x128xf16>
  %empty = tensor.empty() : tensor<4x16x128xf16>
  %vc = "linalg.batch_matmul"(%va, %vb, %empty) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%p: f16, %q: f16, %r: f16):
      %pq = arith.mulf %p, %q : f16
      %s = arith.addf %r, %pq : f16
      linalg.yield %s : f16
  }) : (!left, tensor<4x64x128xf16>, tensor<4x16x128xf16>) -> tensor<4x16x128xf16>
  %tc = ktdp.construct_access_tile %C[%z * 16 + %y * 8 + %x * 4, 0, 0] {
    access_tile_set = affine_set<(b, r, c) : (b >= 0, b <= 3, r >= 0, r <= 15, c >= 0, c <= 127)>,
    access_tile_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
  } : memref<32x16x128xf16> -> !ktdp.access_tile<4x16x128xindex>
  "ktdp.store"(%vc, %tc) : (tensor<4x16x128xf16>, !ktdp.access_tile<4x16x128xindex>) -> ()
  func.return
}
