// Sum of two vectors of 2048 values on 8 cores: a block of 256 per core.
#block = affine_set<(d0) : (d0 >= 0, d0 <= 255)>
#whole = affine_set<(d0) : (d0 >= 0, 2047 - d0 >= 0)>
#same = affine_map<(d0) -> (d0)>
module {
  func.func @add(%a: index, %b: index, %sum: index) attributes {grid = [8]} {
    %core = ktdp.get_compute_tile_id : index
    %length = arith.constant 256 : index
    %first = arith.muli %core, %length : index

    %a_view = ktdp.construct_memory_view %a, sizes: [2048], strides: [1]
        {coordinate_set = #whole, memory_space = #ktdp.memory_space<global>} : memref<2048xf16>
    %b_view = ktdp.construct_memory_view %b, sizes : [2048], strides : [1]
        {memory_space = #ktdp.memory_space<global>, coordinate_set = #whole} : memref<2048xf16>
    %sum_view = ktdp.construct_memory_view %sum, sizes: [2048], strides: [1]
        {coordinate_set = #whole, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<2048xf16>

    %a_tile = ktdp.construct_access_tile %a_view[%first] {
        access_tile_set = #block, access_tile_order = #same
    } : memref<2048xf16> -> !ktdp.access_tile<256xindex>
    %b_tile = ktdp.construct_access_tile %b_view[%first] {
        access_tile_order = #same, access_tile_set = #block
    } : memref<2048xf16> -> !ktdp.access_tile<256xindex>
    %sum_tile = ktdp.construct_access_tile %sum_view[%first] {
        access_tile_set = #block, access_tile_order = #same
    } : memref<2048xf16> -> !ktdp.access_tile<256xindex>

    %x = ktdp.load %a_tile : !ktdp.access_tile<256xindex> -> tensor<256xf16>
    %y = ktdp.load %b_tile : <256xindex> -> tensor<256xf16>
    %z = arith.addf %x, %y : tensor<256xf16>
    ktdp.store %z, %sum_tile : tensor<256xf16>, <256xindex>
    return
  }
}
