// Straight-line code: a function value as a short list of steps over registers.
//
// The function of an element, say `fork(add, first, compose(size, last))`, becomes
//
//   r1 = first(r0)    r2 = last(r0)    r3 = size(r2)    r4 = add(r1, r3)
//
// Register 0, and 1 for functions of two arguments, is the element. Values that the function has captured
// have registers, too. Equal steps are there once.
#pragma once

#include "dispatch/loop_frame.h"

namespace arcbatt {

constexpr u32 MOST_REGISTERS = 48;
constexpr u32 MOST_NESTED = 24;  // functions inside of functions
constexpr u32 MOST_CALLS = 256;  // applications for one element
constexpr u8 NO_REGISTER = 255;

enum class Source : u8 { element, captured, step };

// A register, and the step that fills it.
struct Register {
  Source source;
  u16 op;     // of a step; MATCH for the comparison of a matcher
  u16 uses;   // how often the function takes the step for one element
  u16 depth;  // applications that are active where it does
  u8 args[MOST_PARAMETERS];
  Value captured;
};

constexpr u16 MATCH = number::CALL;  // no step calls a function, so its number is free

struct StraightLine {
  Register registers[MOST_REGISTERS];
  u32 count;    // of registers
  u32 inputs;
  u8 result;
  u32 calls;    // applications for one element
  u32 depth;    // how deeply they nest
  bool is_whole;  // false: the function cannot be straight-line code

  // The register of a step, which may be there already. Arguments beyond the op's are 0.
  CALLED u8 step(u16 op, const u8 (&args)[MOST_PARAMETERS], u16 at_depth) {
    for (u32 r = inputs; r < count; ++r) {
      Register& known = registers[r];
      if (known.source != Source::step || known.op != op) continue;
      bool same = true;
      for (u32 k = 0; k < MOST_PARAMETERS; ++k) same = same && known.args[k] == args[k];
      if (!same) continue;
      ++known.uses;
      if (at_depth > known.depth) known.depth = at_depth;
      return u8(r);
    }
    Register* made = add(Source::step);
    if (!made) return NO_REGISTER;
    made->op = op;
    made->uses = 1;
    made->depth = at_depth;
    for (u32 k = 0; k < MOST_PARAMETERS; ++k) made->args[k] = args[k];
    return u8(count - 1);
  }

  // The register of a value that is the same for every element.
  CALLED u8 capture(Value v) {
    for (u32 r = inputs; r < count; ++r) {
      if (registers[r].source == Source::captured && registers[r].captured.same_word(v)) return u8(r);
    }
    Register* made = add(Source::captured);
    if (!made) return NO_REGISTER;
    made->captured = v;
    return u8(count - 1);
  }

  HOST_DEVICE Register* add(Source source) {
    if (count == MOST_REGISTERS) {
      is_whole = false;
      return nullptr;
    }
    registers[count].source = source;
    return &registers[count++];
  }
};

// A function that is being compiled: `phase` of its parts have been, `held` is the result of the first one.
struct OpenFunction {
  Value function;
  u8 args[MOST_PARAMETERS];
  u8 count, phase, held;
  u16 depth;
};

// Whether the applications of an op can be made in columns.
HOST_DEVICE constexpr bool has_columns(const Loop& loop) {
  return loop.over != Over::functions && loop.over != Over::samples && loop.hold != Hold::elements_of_results;
}

// Compiles a function value in one thread, with an explicit stack. With `loops` its steps may apply
// functions.
struct Compiler {
  StraightLine& code;
  OpenFunction* open;
  bool loops;
  u32 top = 0;

  HOST_DEVICE void compile(Value function, u32 inputs) {
    code.count = code.calls = code.depth = 0;
    code.inputs = inputs;
    code.is_whole = true;
    OpenFunction& first = open[top++];
    first = {function, {}, u8(inputs), 0, NO_REGISTER, 0};
    for (u32 k = 0; k < inputs; ++k) {
      code.add(Source::element);
      first.args[k] = u8(k);
    }
    enter(first);
    while (top > 0 && code.is_whole) advance(open[top - 1]);
  }

 private:
  // Count the application of a function.
  CALLED void enter(OpenFunction& it) {
    ++code.calls;
    if (it.depth > code.depth) code.depth = it.depth;
    if (it.count != arity_of(it.function) || code.calls > MOST_CALLS) code.is_whole = false;
  }

  HOST_DEVICE void advance(OpenFunction& it) {
    if (!it.function.is_heap()) {
      const u32 op = function_name(it.function);
      const bool applies = !is_foreign(op) && OPS[op].higher_order;
      if (is_foreign(op) || (applies && !(loops && has_columns(LOOPS[op])))) code.is_whole = false;
      else leave(code.step(u16(op), it.args, it.depth));
      return;
    }
    const Value* parts = content<Value>(it.function.head());
    switch (function_name(it.function)) {
      case number::compose_: return it.phase == 0 ? nest(it, parts[1]) : go_on(it, parts[0]);
      case number::chain_: return it.phase < 2 ? nest(it, parts[2 - it.phase]) : go_on(it, parts[0]);
      case number::fork_: return it.phase < 2 ? nest(it, parts[1 + it.phase]) : go_on(it, parts[0]);
      case number::matcher_: {
        if (it.phase == 0) return nest(it, parts[0]);
        const u8 compared[MOST_PARAMETERS] = {it.args[0], code.capture(parts[1])};
        if (code.is_whole) leave(code.step(MATCH, compared, it.depth));
        return;
      }
      case number::lbind_:
        for (u32 k = MOST_PARAMETERS - 1; k > 0; --k) it.args[k] = it.args[k - 1];
        it.args[0] = code.capture(parts[1]);
        ++it.count;
        return go_on(it, parts[0]);
      case number::rbind_:
        it.args[it.count % MOST_PARAMETERS] = code.capture(parts[1]);
        ++it.count;
        return go_on(it, parts[0]);
      default: code.is_whole = false;
    }
  }

  // Compile a part that comes before others, on the same arguments.
  CALLED void nest(OpenFunction& it, Value part) {
    if (top == MOST_NESTED) {
      code.is_whole = false;
      return;
    }
    OpenFunction& inner = open[top++];
    inner = it;
    inner.function = part;
    inner.phase = 0;
    ++inner.depth;
    enter(inner);
  }

  // Compile the last part of a function in its place.
  CALLED void go_on(OpenFunction& it, Value part) {
    it.function = part;
    it.phase = 0;
    ++it.depth;
    enter(it);
  }

  // A part has the result `made`, which goes to the function it belongs to.
  CALLED void leave(u8 made) {
    --top;
    if (top == 0) {
      code.result = made;
      return;
    }
    OpenFunction& outer = open[top - 1];
    const bool is_fork = function_name(outer.function) == number::fork_;
    ++outer.phase;
    if (is_fork && outer.phase == 1) {
      outer.held = made;  // the arguments are wanted once more
    } else if (is_fork) {
      outer.args[0] = outer.held;
      outer.args[1] = made;
      outer.count = 2;
    } else {
      outer.args[0] = made;
    }
  }
};

}  // namespace arcbatt
