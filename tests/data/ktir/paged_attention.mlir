// Decode attention of one token over a paged cache: 4 KV heads on 4 cores, pages of 32 positions whose
// numbers stand in a table, head size 64, one query head per KV head, online softmax.
#cache = affine_set<(p, t, h, d) : (p >= 0, p <= 255, t >= 0, t <= 31, h >= 0, h <= 3, d >= 0, d <= 63)>
#page = affine_set<(p, t, h, d) : (p == 0, t >= 0, t <= 31, h == 0, d >= 0, d <= 63)>
#plain = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#vector = affine_set<(r, d) : (r == 0, d >= 0, d <= 63)>
#plain2 = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @decode(%query: index, %keys: index, %values: index, %table: index, %out: index,
                    %pages: index, %length: index, %scale: f32) attributes {grid = [4]} {
    %head = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %lowest = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %Q = ktdp.construct_memory_view %query, sizes: [4, 64], strides: [64, 1] {
      memory_space = #ktdp.memory_space<global>} : memref<4x64xf16>
    %K = ktdp.construct_memory_view %keys, sizes: [256, 32, 4, 64], strides: [8192, 256, 64, 1] {
      coordinate_set = #cache, memory_space = #ktdp.memory_space<global>} : memref<256x32x4x64xf16>
    %V = ktdp.construct_memory_view %values, sizes: [256, 32, 4, 64], strides: [8192, 256, 64, 1] {
      coordinate_set = #cache, memory_space = #ktdp.memory_space<global>} : memref<256x32x4x64xf16>
    %T = ktdp.construct_memory_view %table, sizes: [64], strides: [1] {
      memory_space = #ktdp.memory_space<global>} : memref<64xsi32>
    %O = ktdp.construct_memory_view %out, sizes: [4, 64], strides: [64, 1] {
      memory_space = #ktdp.memory_space<global>} : memref<4x64xf16>
    %tq = ktdp.construct_access_tile %Q[%head, %c0] {access_tile_set = #vector,
      access_tile_order = #plain2} : memref<4x64xf16> -> !ktdp.access_tile<1x64xindex>
    %q16 = ktdp.load %tq : <1x64xindex> -> tensor<1x64xf16>
    %q = arith.extf %q16 : tensor<1x64xf16> to tensor<1x64xf32>
    %m_start = tensor.splat %lowest : tensor<1xf32>
    %l_start = tensor.splat %zero : tensor<1xf32>
    %o_start = tensor.splat %zero : tensor<1x64xf32>
    %top, %weight, %sum = scf.for %page = %c0 to %pages step %c1
        iter_args(%m = %m_start, %l = %l_start, %o = %o_start)
        -> (tensor<1xf32>, tensor<1xf32>, tensor<1x64xf32>) {
      %tk = ktdp.construct_indirect_access_tile intermediate_variables(%p, %t, %h, %d)
          %K[ind(%T[%page + %p]), (%t), (%head + %h), %d] {
            variables_space_set = #page, variables_space_order = #plain
          } : memref<256x32x4x64xf16>, memref<64xsi32> -> !ktdp.access_tile<1x32x1x64xindex>
      %tv = ktdp.construct_indirect_access_tile intermediate_variables(%p, %t, %h, %d)
          %V[ind(%T[%page + %p]), (%t), (%head + %h), (%d)] {
            variables_space_order = #plain, variables_space_set = #page
          } : memref<256x32x4x64xf16>, memref<64xsi32> -> !ktdp.access_tile<1x32x1x64xindex>
      %k4 = ktdp.load %tk : <1x32x1x64xindex> -> tensor<1x32x1x64xf16>
      %v4 = ktdp.load %tv : <1x32x1x64xindex> -> tensor<1x32x1x64xf16>
      %k2 = tensor.collapse_shape %k4 [[0, 1], [2, 3]] : tensor<1x32x1x64xf16> into tensor<32x64xf16>
      %v2 = tensor.collapse_shape %v4 [[0, 1], [2, 3]] : tensor<1x32x1x64xf16> into tensor<32x64xf16>
      %room = tensor.empty() : tensor<64x32xf16>
      %kt = linalg.transpose ins(%k2 : tensor<32x64xf16>) outs(%room : tensor<64x32xf16>)
          permutation = [1, 0]
      %kf = arith.extf %kt : tensor<64x32xf16> to tensor<64x32xf32>
      %vf = arith.extf %v2 : tensor<32x64xf16> to tensor<32x64xf32>
      %none = tensor.splat %zero : tensor<1x32xf32>
      %scores = linalg.matmul ins(%q, %kf : tensor<1x64xf32>, tensor<64x32xf32>)
          outs(%none : tensor<1x32xf32>) -> tensor<1x32xf32>
      %masked = linalg.generic {indexing_maps = [#plain2, #plain2],
          iterator_types = ["parallel", "parallel"]}
          ins(%scores : tensor<1x32xf32>) outs(%none : tensor<1x32xf32>) {
        ^bb0(%s: f32, %old: f32):
          %column = linalg.index 1 : index
          %before = arith.muli %page, %c32 : index
          %position = arith.addi %before, %column : index
          %valid = arith.cmpi ult, %position, %length : index
          %scaled = arith.mulf %s, %scale : f32
          %kept = arith.select %valid, %scaled, %lowest : f32
          linalg.yield %kept : f32
      } -> tensor<1x32xf32>
      %m_new = linalg.reduce { arith.maximumf } ins(%masked : tensor<1x32xf32>)
          outs(%m : tensor<1xf32>) dimensions = [1]
      %m_wide = linalg.broadcast ins(%m_new : tensor<1xf32>) outs(%none : tensor<1x32xf32>)
          dimensions = [1]
      %shifted = arith.subf %masked, %m_wide : tensor<1x32xf32>
      %e = math.exp %shifted : tensor<1x32xf32>
      %change = arith.subf %m, %m_new : tensor<1xf32>
      %alpha = math.exp %change : tensor<1xf32>
      %l_old = arith.mulf %l, %alpha : tensor<1xf32>
      %l_new = linalg.reduce { arith.addf } ins(%e : tensor<1x32xf32>)
          outs(%l_old : tensor<1xf32>) dimensions = [1]
      %alpha_wide = linalg.broadcast ins(%alpha : tensor<1xf32>) outs(%o_start : tensor<1x64xf32>)
          dimensions = [1]
      %o_old = arith.mulf %o, %alpha_wide : tensor<1x64xf32>
      %o_new = linalg.matmul ins(%e, %vf : tensor<1x32xf32>, tensor<32x64xf32>)
          outs(%o_old : tensor<1x64xf32>) -> tensor<1x64xf32>
      scf.yield %m_new, %l_new, %o_new : tensor<1xf32>, tensor<1xf32>, tensor<1x64xf32>
    }
    %weights = linalg.broadcast ins(%weight : tensor<1xf32>) outs(%o_start : tensor<1x64xf32>)
        dimensions = [1]
    %mean = arith.divf %sum, %weights : tensor<1x64xf32>
    %result = arith.truncf %mean : tensor<1x64xf32> to tensor<1x64xf16>
    %to = ktdp.construct_access_tile %O[%head, %c0] {access_tile_set = #vector,
      access_tile_order = #plain2} : memref<4x64xf16> -> !ktdp.access_tile<1x64xindex>
    ktdp.store %result, %to : tensor<1x64xf16>, <1x64xindex>
    return
  }
}
