#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "boundary.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

// Prefers writers, so that a fork waits for running calls but not for later ones, for any number of calling threads.
#ifdef PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP
#define FREE_LOCK PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP
#else
#define FREE_LOCK PTHREAD_RWLOCK_INITIALIZER
#endif

static pthread_rwlock_t lock = FREE_LOCK;

// In a forked child: the thread that called fork(). Its thread ID differs from the one in the parent, which the locks
// of Swift's runtime still store. Other threads must not wait for those locks, so this thread holds the lock above
// exclusively.
static pthread_t forker;
static bool is_child;

static void before_fork(void) { pthread_rwlock_wrlock(&lock); }

static void after_fork_in_parent(void) { pthread_rwlock_unlock(&lock); }

// Resets the lock, because the child's only thread has another thread ID than the thread that locked it.
static void after_fork_in_child(void) {
    static const pthread_rwlock_t free_lock = FREE_LOCK;
    lock = free_lock;
    forker = pthread_self();
    is_child = true;
}

// Runs when the library is loaded, so that the handlers also exist if a fork happens during another thread's first
// call.
__attribute__((constructor)) static void prepare(void) {
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

bool appreceipt_boundary_enter(void) {
    if (is_child && pthread_equal(forker, pthread_self())) return pthread_rwlock_wrlock(&lock) == 0;
    int status;
    while ((status = pthread_rwlock_rdlock(&lock)) == EAGAIN) sched_yield();
    return status == 0;
}

void appreceipt_boundary_leave(void) { pthread_rwlock_unlock(&lock); }

uint32_t appreceipt_boundary_thread(void) {
    static _Atomic uint32_t count;
    // The number plus 1, so that 0 means that the thread has none yet.
    static _Thread_local uint32_t place;
    if (place == 0) place = atomic_fetch_add(&count, 1) + 1;
    return place - 1;
}

bool appreceipt_boundary_has_memory(size_t size) {
    // Volatile, because the compiler would remove both calls otherwise.
    void *volatile block = malloc(size);
    free(block);
    return block != NULL;
}

bool appreceipt_boundary_is_in_program_namespace(void) {
#ifdef __GLIBC__
    Dl_info info;
    void *map = NULL;
    Lmid_t id = LM_ID_BASE;
    if (dladdr1((const void *)&lock, &info, &map, RTLD_DL_LINKMAP) != 0 && map != NULL && dlinfo(map, RTLD_DI_LMID, &id) == 0)
        return id == LM_ID_BASE;
#endif
    return true;
}
