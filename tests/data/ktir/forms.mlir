// Forms that the kernels beside this file do not use: one of each.
!scalar = f32
#s = affine_set<(i)[n] : (i >= 0, i <= n - 1)>
#never = affine_set<() : (0 == 0)>
module attributes {tool.version = "1 \"quoted\"", tool.flag, tool.list = [1, -2 : i8, 1.5e-3, @f, unit]} {
  ktdf_arch.device @machine attributes {x = #ktdf_arch.map<"a" = 1>} import("nothing.mlir")
  func.func private @shapes(%t: tensor<2x3x4xf32> {tool.hint = 3 : i64}, %n: index,
      %arg: !ktdp.runtime_arg<i32, granularity=4, upperbound=64>) -> (tensor<6x4xf32>, i32) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %flag = arith.constant true
    %fits = arith.cmpi sle, %n, %c2 : index
    %value = ktdp.runtime_arg_extract value from %arg : <i32, granularity=4, upperbound=64> -> i32
    %bound = ktdp.runtime_arg_extract upperbound from %arg : <i32, granularity=4, upperbound=64> -> i32
    %chosen = scf.if %fits -> (i32) {
      scf.yield %value : i32
    } else {
      scf.yield %bound : i32
    }
    %flat = tensor.collapse_shape %t [[0, 1], [2]] : tensor<2x3x4xf32> into tensor<6x4xf32>
    %again = tensor.expand_shape %flat [[0, 1], [2]] : tensor<6x4xf32> into tensor<2x3x4xf32>
    %shape = arith.constant dense<[6, 4]> : tensor<2xindex>
    %reshaped = tensor.reshape %again(%shape) : (tensor<2x3x4xf32>, tensor<2xindex>) -> tensor<6x4xf32>
    %table = arith.constant dense<[[1.0, -2.5e+00], [0x7F800000, 0.1]]> : tensor<2x2xf32>
    %words = arith.constant dense<[0xFFFFFFFF, -1, 7]> : tensor<3xi32>
    %bits = arith.constant dense<[true, false]> : tensor<2xi1>
    %corner = tensor.extract_slice %reshaped[0, %c1] [1, 2] [1, 1] : tensor<6x4xf32> to tensor<2xf32>
    %square = tensor.insert_slice %corner into %table[1, 0] [1, 2] [1, 1]
        : tensor<2xf32> into tensor<2x2xf32>
    %dynamic = tensor.empty(%n) : tensor<?x4xf32>
    %rows = tensor.dim %dynamic, %c1 : tensor<?x4xf32>
    %fixed = tensor.cast %dynamic : tensor<?x4xf32> to tensor<6x4xf32>
    %one = tensor.extract %square[%c1, %c1] : tensor<2x2xf32>
    %pair = tensor.from_elements %one, %one : tensor<2xf32>
    %triangle = tensor.generate {
      ^bb0(%i: index, %j: index):
        %below = arith.cmpi sge, %i, %j : index
        %low = arith.constant -3.0e+38 : !scalar
        %high = arith.constant 0.0 : f32
        %mask = arith.select %below, %high, %low : f32
        tensor.yield %mask : f32
    } : tensor<6x4xf32>
    %sum = linalg.add ins(%triangle, %fixed : tensor<6x4xf32>, tensor<6x4xf32>)
        outs(%reshaped : tensor<6x4xf32>) -> tensor<6x4xf32>
    linalg.mul ins(%sum, %sum : tensor<6x4xf32>, tensor<6x4xf32>) outs(%fixed : tensor<6x4xf32>)
    %ordered = "arith.cmpf"(%fixed, %sum) <{predicate = 2 : i64}>
        : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xi1>
    %picked = arith.select %ordered, %fixed, %sum : tensor<6x4xi1>, tensor<6x4xf32>
    %integer = arith.constant 0xFF800000 : i32
    %as_float = arith.bitcast %integer : i32 to f32
    %soft = spyreop.softplus %as_float beta 0.2 threshold 0.1 : f32
    %small = arith.constant 0x38 : f8E4M3FN
    %card = arith.constant 0x3E00 : !spyreop.df16
    return %picked, %chosen : tensor<6x4xf32>, i32
  }
  func.func @views(%n: index, %far: memref<?x8xf16, strided<[64, 1], offset: ?>, #ktdp.memory_space<global>>) {
    %c0 = arith.constant 0 : index
    %data = ktdp.construct_memory_view %c0, sizes: [%n], strides: [%n] {
      coordinate_set = #s, memory_space = #ktdp.spyre_memory_space<LX, core = 0>} : memref<?xui8>
    %table = ktdp.construct_memory_view %c0, sizes: [4, 4], strides: [4, 1] {
      memory_space = #ktdp.memory_space<ct_local>} : memref<4x4xi32>
    %part = ktdp.construct_access_tile %data[%n floordiv 2 - 1] symbols(%n) {access_tile_set = #s,
      access_tile_order = affine_map<(d0) -> (d0)>} : memref<?xui8> -> !ktdp.access_tile<?xindex>
    %point = ktdp.construct_indirect_access_tile intermediate_variables()
        %data[ind(%table[%n mod 4, (%n ceildiv 4) * 2])] {variables_space_set = #never,
        variables_space_order = affine_map<() -> ()>}
        : memref<?xui8>, memref<4x4xi32> -> !ktdp.access_tile<index>
    %read = ktdp.load %point : <index> -> tensor<ui8>
    %all = ktdp.construct_distributed_memory_view (%data, %data : memref<?xui8>, memref<?xui8>) : memref<?xui8>
    %rows = memref.dim %far, %c0 : memref<?x8xf16, strided<[64, 1], offset: ?>, #ktdp.memory_space<global>>
    return
  }
}
