// All first-order ops.
#pragma once

#include "cells.h"
#include "codes.h"
#include "containers.h"
#include "drawing.h"
#include "functions.h"
#include "grids.h"
#include "numbers.h"
#include "objects.h"
#include "patches.h"
#include "ranks.h"
#include "samples.h"
#include "scaling.h"
#include "search.h"
#include "typed.h"
