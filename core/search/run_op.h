// One op of the language, run by the machine. The machine with all its ops is compiled elsewhere, so that the
// search is a small unit of its own.
#pragma once

#include "values/lane.h"

namespace arcbatt::search {

// The value, or none with the status of the lane set.
Value run_op(Lane<Solo>& lane, u32 op, const Value* args, u32 count);

}  // namespace arcbatt::search
