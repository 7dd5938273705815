#include "job.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>

/*
 * The threads. None while there is nothing to do: they come with the work and leave after a while
 * without it. A thread takes a user's rights for files only (fsuid, fsgid, groups), with raw calls:
 * the C library would change all threads. gVisor has no such rights, so there it is the effective
 * ids: whoever may signal or trace us is told by the real and the saved ones.
 */
enum { THREADS_MAX = 4, STACK = 128 << 10, IDLE_SECONDS = 5 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work_there = PTHREAD_COND_INITIALIZER;
static struct job *queue_first, *queue_last, *finished;
static int threads, idle;
static struct source bell;
static void (*on_done)(struct job *);

/* Groups first, while we may still set them; a refusal must not leave us with more than asked. */
static bool become(const struct user *u) {
  if (!agent_is_root()) return u->uid == getuid();
  if (syscall(SYS_setgroups, u->group_count, u->groups) < 0) return false;
  if (syscall(SYS_setfsgid, u->gid) < 0 && errno == ENOSYS)
    return syscall(SYS_setresgid, -1, u->gid, -1) == 0 && syscall(SYS_setresuid, -1, u->uid, -1) == 0;
  syscall(SYS_setfsuid, u->uid);
  return (gid_t)syscall(SYS_setfsgid, -1) == u->gid && (uid_t)syscall(SYS_setfsuid, -1) == u->uid;
}

static void become_root(void) {
  if (!agent_is_root()) return;
  if (syscall(SYS_setfsuid, 0) < 0 && errno == ENOSYS) {
    syscall(SYS_setresuid, -1, 0, -1);
    syscall(SYS_setresgid, -1, 0, -1);
  }
  syscall(SYS_setfsgid, 0);
  syscall(SYS_setgroups, 0, NULL);
}

static enum step prepare(struct job *j) {
  if (j->as_root || j->user) return STEP_MORE;
  j->user = malloc(sizeof *j->user);
  if (!j->user) return job_fail(j, ENOMEM, "The agent has no memory for this");
  int err = user_find(j->user_name, j->user);
  if (!err) return STEP_MORE;
  free(j->user);
  j->user = NULL;
  return job_fail(j, err, "There is no user %.60s in this sandbox", j->user_name);
}

static void run_step(struct job *j) {
  enum step result = prepare(j);
  if (result != STEP_FAILED) {
    if (j->as_root || become(j->user)) {
      if (!atomic_load(&j->cancelled)) result = j->step(j);
      bool over = result == STEP_DONE || result == STEP_FAILED || atomic_load(&j->cancelled);
      if (over && j->release) j->release(j);
      if (over && result != STEP_FAILED) result = STEP_DONE;
    } else {
      result = job_fail(j, EPERM, "The agent can't act as user %.60s", j->user_name);
    }
    if (!j->as_root) become_root();
  }
  j->last = result;
}

static void *worker(void *arg) {
  (void)arg;
  pthread_mutex_lock(&lock);
  for (;;) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += IDLE_SECONDS;
    int waited = 0;
    idle++;
    while (!queue_first && waited == 0) waited = pthread_cond_timedwait(&work_there, &lock, &until);
    idle--;
    if (!queue_first) break;
    struct job *j = queue_first;
    queue_first = j->next;
    if (!queue_first) queue_last = NULL;
    pthread_mutex_unlock(&lock);
    run_step(j);
    pthread_mutex_lock(&lock);
    j->next = finished;
    finished = j;
    uint64_t one = 1;
    ssize_t ignored = write(bell.fd, &one, sizeof one);
    (void)ignored;
  }
  threads--;
  pthread_mutex_unlock(&lock);
  return NULL;
}

static bool start_thread(void) {
  pthread_attr_t attr;
  pthread_t thread;
  pthread_attr_init(&attr);
  pthread_attr_setstacksize(&attr, STACK);
  pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
  return pthread_create(&thread, &attr, worker, NULL) == 0;
}

static void bell_rang(struct source *s, uint32_t events) {
  (void)events;
  uint64_t count;
  ssize_t ignored = read(s->fd, &count, sizeof count);
  (void)ignored;
  pthread_mutex_lock(&lock);
  struct job *list = finished;
  finished = NULL;
  pthread_mutex_unlock(&lock);
  while (list) {
    struct job *j = list;
    list = j->next;
    j->next = NULL;
    on_done(j);
  }
}

/* False when there is no thread and none can be made, as under a fork bomb. */
bool worker_run(struct job *j) {
  if (bell.ready == NULL) {
    bell = (struct source){.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), .ready = bell_rang};
    if (bell.fd < 0 || !loop_watch(&bell, EPOLLIN)) _exit(75);
  }
  pthread_mutex_lock(&lock);
  if (idle == 0 && threads < THREADS_MAX && start_thread()) threads++;
  bool possible = threads > 0;
  if (possible) {
    j->next = NULL;
    if (queue_last) queue_last->next = j;
    else queue_first = j;
    queue_last = j;
    pthread_cond_signal(&work_there);
  }
  pthread_mutex_unlock(&lock);
  return possible;
}

void worker_init(void (*done)(struct job *)) { on_done = done; }
