// GELU in its tanh form, 64 rows of 512, two rows per core and turn. As a compiler writes it: aliases
// after their use, i32 arithmetic, locations everywhere.
module {
  func.func @gelu(%in: index loc("in"(#loc1)), %out: index loc("out"(#loc2)),
                  %rows: i32 loc(unknown)) attributes {grid = [4, 2]} {
    %id:2 = ktdp.get_compute_tile_id : index, index loc(#loc3)
    %c4_i32 = arith.constant 4 : i32 loc(#loc)
    %c2_i32 = arith.constant 2 : i32 loc(#loc)
    %c16_i32 = arith.constant 16 : i32 loc(#loc)
    %x = arith.index_cast %id#0 : index to i32 loc(#loc3)
    %y = arith.index_cast %id#1 : index to i32 loc(#loc3)
    %line = arith.muli %y, %c4_i32 : i32 loc(#loc3)
    %core = arith.addi %x, %line overflow<nsw> : i32 loc(#loc3)
    %first = arith.muli %core, %c2_i32 : i32 loc(#loc3)
    %c0 = arith.constant 0 : index loc(#loc)
    %view = ktdp.construct_memory_view %in, sizes: [64, 512], strides: [512, 1] {
      coordinate_set = #rows, memory_space = #ktdp.memory_space<global>} : memref<64x512xf16> loc(#loc1)
    %out_view = ktdp.construct_memory_view %out, sizes: [64, 512], strides: [512, 1] {
      coordinate_set = #rows, memory_space = #ktdp.memory_space<global>} : memref<64x512xf16> loc(#loc2)
    scf.for %row_i32 = %first to %rows step %c16_i32 : i32 {
      %row = arith.index_cast %row_i32 : i32 to index loc(#loc4)
      %tile = ktdp.construct_access_tile %view[%row, %c0] {access_tile_order = #map,
        access_tile_set = #pair} : memref<64x512xf16> -> !ktdp.access_tile<2x512xindex> loc(#loc4)
      %v = ktdp.load %tile : <2x512xindex> -> tensor<2x512xf16> loc(#loc4)
      %half = arith.constant dense<5.000000e-01> : tensor<2x512xf16> loc(#loc)
      %one = arith.constant dense<1.0> : tensor<2x512xf16> loc(#loc)
      %root = arith.constant dense<0x3A62> : tensor<2x512xf16> loc("sqrt(2/pi)")
      %cubic = arith.constant dense<4.471500e-02> : tensor<2x512xf16> loc(#loc)
      %v2 = arith.mulf %v, %v : tensor<2x512xf16> loc(fused[#loc4, "square"])
      %v3 = arith.mulf %v2, %v fastmath<contract> : tensor<2x512xf16> loc(#loc4)
      %k = arith.mulf %v3, %cubic : tensor<2x512xf16> loc(#loc4)
      %inner = arith.addf %v, %k : tensor<2x512xf16> loc(#loc4)
      %scaled = arith.mulf %inner, %root : tensor<2x512xf16> loc(#loc4)
      %t = math.tanh %scaled : tensor<2x512xf16> loc(callsite(#loc4 at #loc3))
      %t1 = arith.addf %t, %one : tensor<2x512xf16> loc(#loc4)
      %h = arith.mulf %v, %half : tensor<2x512xf16> loc(#loc4)
      %g = arith.mulf %h, %t1 : tensor<2x512xf16> loc(#loc4)
      %to = ktdp.construct_access_tile %out_view[%row, %c0] {access_tile_order = #map,
        access_tile_set = #pair} : memref<64x512xf16> -> !ktdp.access_tile<2x512xindex> loc(#loc4)
      ktdp.store %g, %to : tensor<2x512xf16>, <2x512xindex> loc(#loc4)
    } loc(#loc4)
    return loc(#loc)
  } loc(#loc)
} loc(#loc)
#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 63 >= 0, d1 >= 0, -d1 + 511 >= 0)>
#pair = affine_set<(r, c) : (0 <= r, r <= 1, c >= 0, c - 511 <= 0)>
#map = affine_map<(d0, d1) -> (d0, d1)>
#loc = loc("kernels/gelu.py":1:0)
#loc1 = loc("kernels/gelu.py":7:10)
#loc2 = loc("kernels/gelu.py":7:14)
#loc3 = loc("core"("kernels/gelu.py":9:4))
#loc4 = loc("kernels/gelu.py":12:8)
