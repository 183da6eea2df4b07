#include "models/isa/tile_op.h"

namespace spyre::models {

std::string_view to_string(Opcode opcode) {
  switch (opcode) {
    case Opcode::load:
      return "load";
    case Opcode::store:
      return "store";
    case Opcode::gather:
      return "gather";
    case Opcode::scatter:
      return "scatter";
    case Opcode::matmul:
      return "matmul";
    case Opcode::vector:
      return "vector";
    case Opcode::send:
      return "send";
    case Opcode::multicast:
      return "multicast";
    case Opcode::receive:
      return "receive";
    case Opcode::reduce:
      return "reduce";
    case Opcode::signal:
      return "signal";
    case Opcode::wait:
      return "wait";
    case Opcode::barrier:
      return "barrier";
  }
  return "";
}

std::string_view to_string(Unit unit) {
  switch (unit) {
    case Unit::load_store:
      return "load_store";
    case Unit::matrix:
      return "matrix";
    case Unit::vector:
      return "vector";
    case Unit::ring:
      return "ring";
  }
  return "";
}

Unit unit_of(Opcode opcode) {
  switch (opcode) {
    case Opcode::load:
    case Opcode::store:
    case Opcode::gather:
    case Opcode::scatter:
      return Unit::load_store;
    case Opcode::matmul:
      return Unit::matrix;
    case Opcode::vector:
      return Unit::vector;
    case Opcode::send:
    case Opcode::multicast:
    case Opcode::receive:
    case Opcode::reduce:
    case Opcode::signal:
    case Opcode::wait:
    case Opcode::barrier:
      break;
  }
  return Unit::ring;
}

}  // namespace spyre::models
