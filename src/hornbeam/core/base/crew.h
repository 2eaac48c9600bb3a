/* A crew of threads that wait for work: one for a whole fit, so that handing out work costs a microsecond.

   Every thread that is there in time calls the same function with the same pointer and its own number; the caller is
   number 0, and does the work alone if no thread comes. So the work is cut into pieces, which the threads take
   (`hb_crew_next`), and one waits only for pieces that were taken (`hb_crew_done`, `hb_crew_wait`): a busy machine may
   keep a thread away for any time. Threads without work look for some for a short while before they go to sleep. */
#pragma once
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#define HB_CREW_PATIENCE 4000  /* looks before sleeping: some 50 microseconds */
#if defined(__x86_64__)
#define hb_pause() __builtin_ia32_pause()
#else
#define hb_pause() ((void)0)
#endif

typedef void (*hb_work)(void* what, int number);
typedef struct {
    int size, started, stop, asleep, open, inside;
    unsigned turn;
    hb_work work;
    void* what;
    pthread_t* threads;
    pthread_mutex_t lock;
    pthread_cond_t wake;
} hb_crew;
typedef struct { hb_crew* crew; int number; } hb_member;

static void* hb_crew_member(void* given) {
    hb_member member = *(hb_member*)given;
    hb_crew* crew = member.crew;
    unsigned seen = 0;
    free(given);
    for (;;) {
        int looks = 0;
        while (__atomic_load_n(&crew->turn, __ATOMIC_ACQUIRE) == seen && ++looks < HB_CREW_PATIENCE) hb_pause();
        if (__atomic_load_n(&crew->turn, __ATOMIC_ACQUIRE) == seen) {
            pthread_mutex_lock(&crew->lock);
            crew->asleep++;
            while (__atomic_load_n(&crew->turn, __ATOMIC_ACQUIRE) == seen)
                pthread_cond_wait(&crew->wake, &crew->lock);
            crew->asleep--;
            pthread_mutex_unlock(&crew->lock);
        }
        seen = __atomic_load_n(&crew->turn, __ATOMIC_ACQUIRE);
        if (crew->stop) return NULL;
        __atomic_add_fetch(&crew->inside, 1, __ATOMIC_SEQ_CST);  /* from here on `open` does not change */
        if (__atomic_load_n(&crew->open, __ATOMIC_SEQ_CST)) crew->work(crew->what, member.number);
        __atomic_sub_fetch(&crew->inside, 1, __ATOMIC_SEQ_CST);
    }
}

static void hb_crew_call(hb_crew* crew) {
    pthread_mutex_lock(&crew->lock);
    __atomic_add_fetch(&crew->turn, 1, __ATOMIC_RELEASE);
    if (crew->asleep) pthread_cond_broadcast(&crew->wake);
    pthread_mutex_unlock(&crew->lock);
}

static void hb_crew_end(hb_crew* crew) {
    if (!crew) return;
    crew->stop = 1;
    if (crew->started) hb_crew_call(crew);
    for (int i = 0; i < crew->started; i++) pthread_join(crew->threads[i], NULL);
    pthread_cond_destroy(&crew->wake);
    pthread_mutex_destroy(&crew->lock);
    free(crew->threads);
    free(crew);
}

/* a crew of `size`, including the caller; fewer if the system has no more threads; NULL: no memory */
static hb_crew* hb_crew_begin(int size) {
    hb_crew* crew = (hb_crew*)calloc(1, sizeof(hb_crew));
    sigset_t all, before;
    if (!crew) return NULL;
    crew->threads = (pthread_t*)calloc((size_t)size, sizeof(pthread_t));
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->wake, NULL);
    if (!crew->threads) { hb_crew_end(crew); return NULL; }
    sigfillset(&all);  /* signals are for the caller */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (int i = 1; i < size; i++) {
        hb_member* member = (hb_member*)malloc(sizeof(hb_member));
        if (!member) break;
        member->crew = crew;
        member->number = i;
        if (pthread_create(&crew->threads[crew->started], NULL, hb_crew_member, member)) { free(member); break; }
        crew->started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    crew->size = crew->started + 1;
    return crew;
}

static void hb_crew_rest(int* looks) {
    if (++*looks < HB_CREW_PATIENCE) hb_pause(); else sched_yield();
}

static void hb_crew_run(hb_crew* crew, hb_work work, void* what) {
    int looks = 0;
    if (crew->size == 1) { work(what, 0); return; }
    crew->work = work;
    crew->what = what;
    __atomic_store_n(&crew->open, 1, __ATOMIC_SEQ_CST);
    hb_crew_call(crew);
    work(what, 0);
    __atomic_store_n(&crew->open, 0, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&crew->inside, __ATOMIC_SEQ_CST)) hb_crew_rest(&looks);
}

/* a piece is done; wait until this many are */
static void hb_crew_done(int* counter) { __atomic_add_fetch(counter, 1, __ATOMIC_ACQ_REL); }
static void hb_crew_wait(int* counter, int wanted) {
    int looks = 0;
    while (__atomic_load_n(counter, __ATOMIC_ACQUIRE) < wanted) hb_crew_rest(&looks);
}

/* the next piece that no thread has taken */
static int hb_crew_next(int* counter) { return __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED); }
