/* Tolerances and constants that kernels and Python share: each is written here and nowhere else. */
#pragma once

#define HB_SLACK 1e-6
#define HB_AVERAGE_SLACK 1e-3
#define HB_LEAF_MARGIN 0.1
#define HB_LEAST_SHARE 1e-6
#define HB_TIE 1e-6
#define HB_HALF_LOG_2_PI 0.91893853320467274178
