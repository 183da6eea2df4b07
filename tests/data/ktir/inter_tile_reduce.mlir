// Largest value and its place over the rows of 8 cores in two groups: two payloads per future, in the
// upstream spelling; then a sum over each group in the older spelling.
#group = affine_set<(core)[g] : (core - 4 * g >= 0, core <= 4 * g + 3)>
#needed = affine_set<(p)[c, g] : (p - 4 * g >= 0, p <= 4 * g + 3)>
#groups = affine_set<(g) : (g >= 0, 1 - g >= 0)>
#row = affine_set<(r, i) : (r == 0, i >= 0, i <= 127)>
#plain = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @largest(%in: index, %out: index) attributes {grid = [8]} {
    %core = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %rows = ktdp.construct_memory_view %in, sizes: [8, 128], strides: [128, 1] {
      memory_space = #ktdp.memory_space<global>} : memref<8x128xf16>
    %local = ktdp.construct_memory_view %c0, sizes: [1, 128], strides: [128, 1] {
      memory_space = #ktdp.memory_space<ct_local, ct_id = 7>} : memref<1x128xf16>
    %tile = ktdp.construct_access_tile %rows[%core, 0] {access_tile_set = #row,
      access_tile_order = #plain} : memref<8x128xf16> -> !ktdp.access_tile<1x128xindex>
    %x = ktdp.load %tile : <1x128xindex> -> tensor<1x128xf16>
    %mine = arith.index_cast %core : index to i32
    %place = tensor.splat %mine : tensor<1x128xi32>
    %best = ktdp.inter_tile_produce producer_tiles_per_group = #group
        -> <(tensor<1x128xf16>, tensor<1x128xi32>), groups = #groups> {
      ^bb0(%g: index):
        ktdp.yield_partial %x, %place : tensor<1x128xf16>, tensor<1x128xi32>
    }
    %lowest = arith.constant dense<0xFC00> : tensor<1x128xf16>
    %nowhere = arith.constant dense<-1> : tensor<1x128xi32>
    %value, %where = ktdp.inter_tile_reduce(%best) consumer_tiles_per_group = #group,
        producer_dependency_per_consumer = #needed,
        identity(%lowest, %nowhere : tensor<1x128xf16>, tensor<1x128xi32>)
        : <(tensor<1x128xf16>, tensor<1x128xi32>), groups = #groups>
        -> (tensor<1x128xf16>, tensor<1x128xi32>) {
      ^bb0(%a: tensor<1x128xf16>, %ai: tensor<1x128xi32>, %b: tensor<1x128xf16>, %bi: tensor<1x128xi32>):
        %wins = arith.cmpf oge, %a, %b : tensor<1x128xf16>
        %v = arith.select %wins, %a, %b : tensor<1x128xi1>, tensor<1x128xf16>
        %w = arith.select %wins, %ai, %bi : tensor<1x128xi1>, tensor<1x128xi32>
        ktdp.yield_reduced %v, %w : tensor<1x128xf16>, tensor<1x128xi32>
    }
    %share = ktdp.inter_tile_produce producer_tiles_per_group = #group
        : tensor<1x128xf16> -> !ktdp.tile_future<tensor<1x128xf16>, groups = #groups> {
      ^bb0(%g: index):
        ktdp.yield_partial %value : tensor<1x128xf16>
    }
    %zero = arith.constant dense<0.0> : tensor<1x128xf16>
    %total = ktdp.inter_tile_reduce(%share) consumer_tiles_per_group = #group,
        identity(%zero : tensor<1x128xf16>)
        : !ktdp.tile_future<tensor<1x128xf16>, groups = #groups> -> tensor<128xf16> {
      ^bb0(%a: tensor<1x128xf16>, %b: tensor<1x128xf16>):
        %s = arith.addf %a, %b : tensor<1x128xf16>
        ktdp.yield_reduced %s : tensor<1x128xf16>
    }
    %lane = arith.remui %core, %c4 : index
    %writes = arith.cmpi eq, %lane, %c0 : index
    scf.if %writes {
      %group = arith.divui %core, %c4 : index
      %O = ktdp.construct_memory_view %out, sizes: [2, 128], strides: [128, 1] {
        memory_space = #ktdp.memory_space<global>} : memref<2x128xf16>
      %to = ktdp.construct_access_tile %O[%group, 0] {access_tile_set = #row,
        access_tile_order = #plain} : memref<2x128xf16> -> !ktdp.access_tile<1x128xindex>
      %wide = tensor.expand_shape %total [[0, 1]] output_shape [1, 128]
          : tensor<128xf16> into tensor<1x128xf16>
      ktdp.store %wide, %to : tensor<1x128xf16>, <1x128xindex>
    } else {
      scf.yield
    }
    return
  }
}
