"""The dual problem of support vector machines, solved by steps on pairs of rows.

The pair is chosen by the gain of a step to second order (Fan, Chen and Lin 2005, Working set selection using second
order information for training support vector machines). Kernel values are float32, kept in a cache of bounded size;
gradients are float64. A step makes two passes over the active rows: each pass computes missing kernel values and uses
them while they are in the cache. Threads share pieces of rows; results do not depend on the number of threads or on
the size of the cache.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy, memmove, memset

import numpy as np

from hornbeam.core.base.crew cimport hb_crew, hb_crew_begin, hb_crew_end, hb_crew_next, hb_crew_run
from hornbeam.core.base.interrupt cimport poll, stopping
from hornbeam.core.svm.loops cimport (
    HB_RBF, HB_TILE, hb_kernel, hb_m_finish, hb_m_lessen, hb_m_partner, hb_m_step, hb_m_tiles,
)
from hornbeam.core.base.memory cimport hb_pool, hb_pool_free, take, take_raw
from hornbeam.core.base.sparse_rows cimport hb_check_rows

include "rows.pxi"
include "cache.pxi"
include "steps.pxi"
include "class.pxi"
