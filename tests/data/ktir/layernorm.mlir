// Layer norm of 64 rows of 384 in f32, a row per turn on 8 cores; the statistics by linalg.generic.
#row = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 383 >= 0)>
#whole = affine_map<(d0, d1) -> (d0, d1)>
#per_row = affine_map<(d0, d1) -> (d0)>
#per_column = affine_map<(d0, d1) -> (d1)>
module {
  func.func @layernorm(%in: index, %weight: index, %bias: index, %out: index, %eps: f32)
      attributes {grid = [8]} {
    %core = ktdp.get_compute_tile_id : index
    %rows = arith.constant 64 : index
    %cores = arith.constant 8 : index
    %columns = arith.constant 3.840000e+02 : f32
    %X = ktdp.construct_memory_view %in, sizes: [64, 384], strides: [384, 1] {
      memory_space = #ktdp.memory_space<global>} : memref<64x384xf16>
    %Y = ktdp.construct_memory_view %out, sizes: [64, 384], strides: [384, 1] {
      memory_space = #ktdp.memory_space<global>} : memref<64x384xf16>
    %W = ktdp.construct_memory_view %weight, sizes: [384], strides: [1] {
      memory_space = #ktdp.memory_space<global>} : memref<384xbf16>
    %B = ktdp.construct_memory_view %bias, sizes: [384], strides: [1] {
      memory_space = #ktdp.memory_space<global>} : memref<384xbf16>
    %tw = ktdp.construct_access_tile %W[0] {access_tile_set = affine_set<(i) : (i >= 0, i <= 383)>,
      access_tile_order = affine_map<(i) -> (i)>} : memref<384xbf16> -> !ktdp.access_tile<384xindex>
    %tb = ktdp.construct_access_tile %B[0] {access_tile_set = affine_set<(i) : (i >= 0, i <= 383)>,
      access_tile_order = affine_map<(i) -> (i)>} : memref<384xbf16> -> !ktdp.access_tile<384xindex>
    %w16 = ktdp.load %tw : <384xindex> -> tensor<384xbf16>
    %b16 = ktdp.load %tb : <384xindex> -> tensor<384xbf16>
    %w = arith.extf %w16 : tensor<384xbf16> to tensor<384xf32>
    %b = arith.extf %b16 : tensor<384xbf16> to tensor<384xf32>
    scf.for %row = %core to %rows step %cores {
      %tile = ktdp.construct_access_tile %X[%row, 0] {access_tile_set = #row,
        access_tile_order = #whole} : memref<64x384xf16> -> !ktdp.access_tile<1x384xindex>
      %x16 = ktdp.load %tile : <1x384xindex> -> tensor<1x384xf16>
      %x = arith.extf %x16 : tensor<1x384xf16> to tensor<1x384xf32>
      %zero = arith.constant dense<0.0> : tensor<1xf32>
      %sums:2 = linalg.generic {
          indexing_maps = [#whole, #per_row, #per_row],
          iterator_types = ["parallel", "reduction"]
        } ins(%x : tensor<1x384xf32>) outs(%zero, %zero : tensor<1xf32>, tensor<1xf32>) {
        ^bb0(%v: f32, %sum: f32, %squares: f32):
          %s = arith.addf %sum, %v : f32
          %v2 = arith.mulf %v, %v : f32
          %q = arith.addf %squares, %v2 : f32
          linalg.yield %s, %q : f32, f32
        } -> (tensor<1xf32>, tensor<1xf32>)
      %n = tensor.splat %columns : tensor<1xf32>
      %mean = arith.divf %sums#0, %n : tensor<1xf32>
      %square = arith.divf %sums#1, %n : tensor<1xf32>
      %init = tensor.empty() : tensor<1x384xf16>
      %y = linalg.generic {
          iterator_types = ["parallel", "parallel"],
          indexing_maps = [#whole, #per_row, #per_row, #per_column, #per_column, #whole]
        } ins(%x, %mean, %square, %w, %b : tensor<1x384xf32>, tensor<1xf32>, tensor<1xf32>,
              tensor<384xf32>, tensor<384xf32>) outs(%init : tensor<1x384xf16>) {
        ^bb0(%v: f32, %m: f32, %q: f32, %g: f32, %o: f32, %unused: f16):
          %m2 = arith.mulf %m, %m : f32
          %variance = arith.subf %q, %m2 : f32
          %safe = arith.addf %variance, %eps : f32
          %r = math.rsqrt %safe : f32
          %d = arith.subf %v, %m : f32
          %h = arith.mulf %d, %r : f32
          %result = math.fma %h, %g, %o : f32
          %rounded = arith.truncf %result : f32 to f16
          linalg.yield %rounded : f16
        } -> tensor<1x384xf16>
      %target = ktdp.construct_access_tile %Y[%row, 0] {access_tile_set = #row,
        access_tile_order = #whole} : memref<64x384xf16> -> !ktdp.access_tile<1x384xindex>
      ktdp.store %y, %target : tensor<1x384xf16>, <1x384xindex>
    }
    return
  }
}
