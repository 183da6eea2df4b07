// Softmax over rows of 256, one row per turn, rows dealt out to 16 cores.
module {
  func.func @softmax(%in: index, %out: index, %rows: index) attributes { grid = [16, 1] } {
    %core, %zero = ktdp.get_compute_tile_id : index, index
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %lowest = arith.constant 0xFC00 : f16
    %nothing = arith.constant -0.0e+00 : f16
    %from = ktdp.construct_memory_view %in, sizes: [%rows, 256], strides: [256, 1] {
      coordinate_set = affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0-1 >= 0, d1 >= 0, -d1 + 255 >= 0)>,
      memory_space = #ktdp.memory_space<global>} : memref<?x256xf16>
    %to = ktdp.construct_memory_view %out, sizes: [%rows, 256], strides: [256, 1] {
      memory_space = #ktdp.memory_space<global>} : memref<?x256xf16>
    scf.for %row = %core to %rows step %c16 {
      %tile = ktdp.construct_access_tile %from[%row, %c0] {
        access_tile_set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 255 >= 0)>,
        access_tile_order = affine_map<(d0, d1) -> (d0, d1)>
      } : memref<?x256xf16> -> !ktdp.access_tile<1x256xindex>
      %x = ktdp.load %tile : <1x256xindex> -> tensor<1x256xf16>
      %start = tensor.splat %lowest : tensor<1xf16>
      %top = linalg.reduce { arith.maximumf } ins(%x : tensor<1x256xf16>)
          outs(%start : tensor<1xf16>) dimensions = [1]
      %wide = tensor.empty() : tensor<1x256xf16>
      %tops = linalg.broadcast ins(%top : tensor<1xf16>) outs(%wide : tensor<1x256xf16>)
          dimensions = [1]
      %shifted = arith.subf %x, %tops : tensor<1x256xf16>
      %e = math.exp %shifted : tensor<1x256xf16>
      %none = tensor.empty() : tensor<1xf16>
      %zeros = linalg.fill ins(%nothing : f16) outs(%none : tensor<1xf16>) -> tensor<1xf16>
      %total = linalg.reduce ins(%e : tensor<1x256xf16>) outs(%zeros : tensor<1xf16>)
          dimensions = [1] (%new: f16, %sofar: f16) {
        %next = arith.addf %new, %sofar : f16
        linalg.yield %next : f16
      }
      %s = tensor.extract %total[%c0] : tensor<1xf16>
      %sums = tensor.splat %s : tensor<1x256xf16>
      %y = arith.divf %e, %sums : tensor<1x256xf16>
      %target = ktdp.construct_access_tile %to[%row, 0] {
        access_tile_set = affine_set<(d0, d1) : (d0 == 0, d1 >= 0, -d1 + 255 >= 0)>,
        access_tile_order = affine_map<(d0, d1) -> (d0, d1)>
      } : memref<?x256xf16> -> !ktdp.access_tile<1x256xindex>
      ktdp.store %y, %target : tensor<1x256xf16>, <1x256xindex>
    }
    return
  }
}
