/* Constants that several kernels share. */
#pragma once

#define HB_SLACK 1e-6  /* weights and class probabilities closer than this are equal */
#define HB_HALF_LOG_2_PI 0.91893853320467274178
