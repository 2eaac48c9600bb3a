/* A crew of threads that wait for work: one for a whole fit, so that handing out work costs a microsecond.

   Every thread that arrives in time calls the same function with the same pointer and its own number. The caller is
   number 0 and does the work alone if no other thread arrives. The work is divided into pieces, which the threads
   take (`hb_crew_next`); the caller waits only for pieces that were taken (`hb_crew_done`, `hb_crew_wait`), because
   a busy machine may delay a thread for any length of time. Idle threads poll for work for a short while, then
   sleep. */
#pragma once
#include <stdlib.h>
#include "hornbeam/core/base/compiler.h"

/* ---- threads, locks and conditions of the system: none, Windows, or POSIX ---- */

#if defined(HB_PORTABLE) || (defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__))

typedef int hb_thread, hb_lock, hb_condition;
typedef void* hb_end;
#define HB_CALLED
/* starts nothing: the caller does the work alone */
static inline int hb_thread_start(hb_thread* thread, hb_end (*work)(void*), void* given) {
    (void)thread, (void)work, (void)given;
    return 0;
}
static inline void hb_thread_join(hb_thread thread) { (void)thread; }
static inline void hb_thread_yield(void) {}
static inline void hb_lock_make(hb_lock* lock) { (void)lock; }
static inline void hb_lock_free(hb_lock* lock) { (void)lock; }
static inline void hb_lock_take(hb_lock* lock) { (void)lock; }
static inline void hb_lock_release(hb_lock* lock) { (void)lock; }
static inline void hb_condition_make(hb_condition* condition) { (void)condition; }
static inline void hb_condition_free(hb_condition* condition) { (void)condition; }
static inline void hb_condition_wait(hb_condition* condition, hb_lock* lock) { (void)condition, (void)lock; }
static inline void hb_condition_wake_all(hb_condition* condition) { (void)condition; }

#elif defined(_WIN32)

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#include <process.h>

typedef HANDLE hb_thread;
typedef SRWLOCK hb_lock;
typedef CONDITION_VARIABLE hb_condition;
typedef unsigned hb_end;
#define HB_CALLED __stdcall
static inline int hb_thread_start(hb_thread* thread, hb_end (HB_CALLED *work)(void*), void* given) {
    *thread = (HANDLE)_beginthreadex(NULL, 0, work, given, 0, NULL);
    return *thread != NULL;
}
static inline void hb_thread_join(hb_thread thread) {
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
}
static inline void hb_thread_yield(void) { SwitchToThread(); }
static inline void hb_lock_make(hb_lock* lock) { InitializeSRWLock(lock); }
static inline void hb_lock_free(hb_lock* lock) { (void)lock; }
static inline void hb_lock_take(hb_lock* lock) { AcquireSRWLockExclusive(lock); }
static inline void hb_lock_release(hb_lock* lock) { ReleaseSRWLockExclusive(lock); }
static inline void hb_condition_make(hb_condition* condition) { InitializeConditionVariable(condition); }
static inline void hb_condition_free(hb_condition* condition) { (void)condition; }
static inline void hb_condition_wait(hb_condition* condition, hb_lock* lock) {
    SleepConditionVariableSRW(condition, lock, INFINITE, 0);
}
static inline void hb_condition_wake_all(hb_condition* condition) { WakeAllConditionVariable(condition); }

#else

#include <pthread.h>
#include <sched.h>
#include <signal.h>

typedef pthread_t hb_thread;
typedef pthread_mutex_t hb_lock;
typedef pthread_cond_t hb_condition;
typedef void* hb_end;
#define HB_CALLED
/* returns 0 if the system cannot start a thread; signals are left to the thread that calls this */
static inline int hb_thread_start(hb_thread* thread, hb_end (*work)(void*), void* given) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(thread, NULL, work, given);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return !failed;
}
static inline void hb_thread_join(hb_thread thread) { pthread_join(thread, NULL); }
static inline void hb_thread_yield(void) { sched_yield(); }
static inline void hb_lock_make(hb_lock* lock) { pthread_mutex_init(lock, NULL); }
static inline void hb_lock_free(hb_lock* lock) { pthread_mutex_destroy(lock); }
static inline void hb_lock_take(hb_lock* lock) { pthread_mutex_lock(lock); }
static inline void hb_lock_release(hb_lock* lock) { pthread_mutex_unlock(lock); }
static inline void hb_condition_make(hb_condition* condition) { pthread_cond_init(condition, NULL); }
static inline void hb_condition_free(hb_condition* condition) { pthread_cond_destroy(condition); }
static inline void hb_condition_wait(hb_condition* condition, hb_lock* lock) { pthread_cond_wait(condition, lock); }
static inline void hb_condition_wake_all(hb_condition* condition) { pthread_cond_broadcast(condition); }

#endif

/* ---- the crew ---- */

#define HB_CREW_PATIENCE 4000  /* polls before sleeping: about 50 microseconds */
#if HB_GNU && defined(__x86_64__)
#define hb_pause() __builtin_ia32_pause()
#elif HB_GNU && defined(__aarch64__)
#define hb_pause() __asm__ volatile("yield")
#else
#define hb_pause() ((void)0)
#endif

typedef void (*hb_work)(void* what, int number);
typedef struct {
    int size, started, stop, asleep, open, inside, turn;
    hb_work work;
    void* what;
    hb_thread* threads;
    hb_lock lock;
    hb_condition wake;
} hb_crew;
typedef struct { hb_crew* crew; int number; } hb_member;

static hb_end HB_CALLED hb_crew_member(void* given) {
    hb_member member = *(hb_member*)given;
    hb_crew* crew = member.crew;
    int seen = 0;
    free(given);
    for (;;) {
        int looks = 0;
        while (hb_shared_get(&crew->turn) == seen && ++looks < HB_CREW_PATIENCE) hb_pause();
        if (hb_shared_get(&crew->turn) == seen) {
            hb_lock_take(&crew->lock);
            crew->asleep++;
            while (hb_shared_get(&crew->turn) == seen) hb_condition_wait(&crew->wake, &crew->lock);
            crew->asleep--;
            hb_lock_release(&crew->lock);
        }
        seen = hb_shared_get(&crew->turn);
        if (crew->stop) return 0;
        hb_shared_add(&crew->inside, 1);  /* from here on `open` does not change */
        if (hb_shared_get(&crew->open)) crew->work(crew->what, member.number);
        hb_shared_add(&crew->inside, -1);
    }
}

static void hb_crew_call(hb_crew* crew) {
    hb_lock_take(&crew->lock);
    hb_shared_add(&crew->turn, 1);
    if (crew->asleep) hb_condition_wake_all(&crew->wake);
    hb_lock_release(&crew->lock);
}

static void hb_crew_end(hb_crew* crew) {
    if (!crew) return;
    crew->stop = 1;
    if (crew->started) hb_crew_call(crew);
    for (int i = 0; i < crew->started; i++) hb_thread_join(crew->threads[i]);
    hb_condition_free(&crew->wake);
    hb_lock_free(&crew->lock);
    free(crew->threads);
    free(crew);
}

/* a crew of `size`, including the caller; fewer if the system cannot start more; NULL: out of memory */
static hb_crew* hb_crew_begin(int size) {
    hb_crew* crew = (hb_crew*)calloc(1, sizeof(hb_crew));
    if (!crew) return NULL;
    crew->threads = (hb_thread*)calloc((size_t)size, sizeof(hb_thread));
    hb_lock_make(&crew->lock);
    hb_condition_make(&crew->wake);
    if (!crew->threads) { hb_crew_end(crew); return NULL; }
    for (int i = 1; i < size; i++) {
        hb_member* member = (hb_member*)malloc(sizeof(hb_member));
        if (!member) break;
        member->crew = crew;
        member->number = i;
        if (!hb_thread_start(&crew->threads[crew->started], hb_crew_member, member)) { free(member); break; }
        crew->started++;
    }
    crew->size = crew->started + 1;
    return crew;
}

static void hb_crew_rest(int* looks) {
    if (++*looks < HB_CREW_PATIENCE) hb_pause(); else hb_thread_yield();
}

static void hb_crew_run(hb_crew* crew, hb_work work, void* what) {
    int looks = 0;
    if (crew->size == 1) { work(what, 0); return; }
    crew->work = work;
    crew->what = what;
    hb_shared_set(&crew->open, 1);
    hb_crew_call(crew);
    work(what, 0);
    hb_shared_set(&crew->open, 0);
    while (hb_shared_get(&crew->inside)) hb_crew_rest(&looks);
}

/* one piece is done; wait until this many pieces are done */
static void hb_crew_done(int* counter) { hb_shared_add(counter, 1); }
static void hb_crew_wait(int* counter, int wanted) {
    int looks = 0;
    while (hb_shared_get(counter) < wanted) hb_crew_rest(&looks);
}

/* the next piece that no thread has taken */
static int hb_crew_next(int* counter) { return hb_shared_add(counter, 1); }
