/* The state that kernels poll: flags of groups of threads, and when to look for signals again. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#ifdef CLOCK_MONOTONIC_COARSE
#define HB_CLOCK CLOCK_MONOTONIC_COARSE  /* within 4 milliseconds, and much cheaper */
#else
#define HB_CLOCK CLOCK_MONOTONIC
#endif

/* set once, never cleared; a group of threads within a part of another group has that one as its parent */
typedef struct hb_flag { int set; const struct hb_flag* parent; } hb_flag;

static _Thread_local const hb_flag* hb_own_flag = NULL;  /* NULL: not a thread of ours */
static _Thread_local int64_t hb_next_look = 0;
static _Thread_local int hb_stopped = 0;  /* until it is raised, every further poll says so too */
static int64_t hb_patience = 100000000;  /* nanoseconds */
static int64_t hb_polls_left = -1;  /* for tests: after how many polls to stop; -1: never */

static int hb_flag_set(const hb_flag* flag) {
    for (; flag; flag = flag->parent)
        if (__atomic_load_n(&flag->set, __ATOMIC_RELAXED)) return 1;
    return 0;
}
static void hb_set_flag(hb_flag* flag) { __atomic_store_n(&flag->set, 1, __ATOMIC_RELAXED); }
static const hb_flag* hb_get_own_flag(void) { return hb_own_flag; }
static void hb_put_own_flag(const hb_flag* flag) { hb_own_flag = flag; }

static void hb_put_stopped(int stopped) { hb_stopped = stopped; }

/* 0: go on; 1: stop; 2: it is time to look for signals */
static int hb_ask(void) {
    struct timespec now;
    int64_t ticks;
    if (hb_stopped) return 1;
    if (__atomic_load_n(&hb_polls_left, __ATOMIC_RELAXED) >= 0
        && __atomic_fetch_sub(&hb_polls_left, 1, __ATOMIC_RELAXED) == 0) return hb_stopped = 1;
    if (hb_own_flag) return hb_stopped = hb_flag_set(hb_own_flag);  /* signals are the main thread's */
    clock_gettime(HB_CLOCK, &now);
    ticks = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    if (ticks < hb_next_look) return 0;
    hb_next_look = ticks + hb_patience;
    return 2;
}
