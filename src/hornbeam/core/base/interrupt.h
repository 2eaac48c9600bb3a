/* The state that kernels poll: flags of groups of threads, and when to look for signals again. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include "hornbeam/core/base/compiler.h"

/* nanoseconds since some moment, accurate to a few milliseconds */
#if defined(_WIN32)
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
static inline int64_t hb_ticks(void) { return (int64_t)GetTickCount64() * 1000000; }
#else
#ifdef CLOCK_MONOTONIC_COARSE
#define HB_CLOCK CLOCK_MONOTONIC_COARSE  /* much cheaper */
#else
#define HB_CLOCK CLOCK_MONOTONIC
#endif
static inline int64_t hb_ticks(void) {
    struct timespec now;
    clock_gettime(HB_CLOCK, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
#endif

/* set once, never cleared; a group of threads started inside another group has that group as its parent */
typedef struct hb_flag { int set; const struct hb_flag* parent; } hb_flag;

static HB_THREAD_LOCAL const hb_flag* hb_own_flag = NULL;  /* NULL: not one of our threads */
static HB_THREAD_LOCAL int64_t hb_next_look = 0;
static HB_THREAD_LOCAL int hb_stopped = 0;  /* stays set until the exception is raised */
static int64_t hb_patience = 100000000;  /* nanoseconds */
static int hb_polls_left = -1;  /* for tests: after how many polls to stop; -1: never */

static int hb_flag_set(const hb_flag* flag) {
    for (; flag; flag = flag->parent)
        if (hb_shared_get(&flag->set)) return 1;
    return 0;
}
static void hb_set_flag(hb_flag* flag) { hb_shared_set(&flag->set, 1); }
static const hb_flag* hb_get_own_flag(void) { return hb_own_flag; }
static void hb_put_own_flag(const hb_flag* flag) { hb_own_flag = flag; }

static void hb_put_stopped(int stopped) { hb_stopped = stopped; }

/* 0: go on; 1: stop; 2: it is time to look for signals */
static int hb_poll(void) {
    int64_t ticks;
    if (hb_stopped) return 1;
    if (hb_shared_get(&hb_polls_left) >= 0 && hb_shared_add(&hb_polls_left, -1) == 0) return hb_stopped = 1;
    if (hb_own_flag) return hb_stopped = hb_flag_set(hb_own_flag);  /* the main thread handles signals */
    ticks = hb_ticks();
    if (ticks < hb_next_look) return 0;
    hb_next_look = ticks + hb_patience;
    return 2;
}
