/*
 * Work that may wait for a disk: done in steps on worker threads, with a sandbox user's rights.
 *
 * A job belongs to one worker while a step runs (busy) and to the loop in between. A step does a
 * bounded amount: it returns when its output is worth sending, when it needs input, or after a slice
 * of time, so that a job that waits for the host holds no thread.
 */
#ifndef COVE_JOB_H
#define COVE_JOB_H

#include "agent.h"

#include <stdatomic.h>
#include <sys/stat.h>

enum { OUT_ENOUGH = 64 << 10, INPUT_WINDOW = 256 << 10, JOB_MESSAGE = 320 };

enum step {
  STEP_MORE,   /* call again when the output is sent */
  STEP_INPUT,  /* call again when there is input, or its end */
  STEP_WAIT,   /* call again when wait_fd can be read */
  STEP_DONE,   /* that was all */
  STEP_FAILED, /* err and message say why */
};

struct job {
  /* for steps */
  enum step (*step)(struct job *);
  void (*release)(struct job *); /* on a worker, at the end and however it ends */
  void *state;
  struct cursor args;   /* after the user and the path */
  const char *path;
  bool as_root;         /* work of the agent itself */
  struct buf out;       /* goes to STREAM_OUT */
  struct buf reply;     /* sent before what is in out */
  struct buf in;        /* from STREAM_IN, all of it to be taken */
  bool in_ended;
  int wait_fd;
  atomic_bool cancelled; /* the host let go */
  int err;
  char message[JOB_MESSAGE];

  /* for the loop and work.c */
  struct channel *ch;
  uint8_t *arg_bytes;
  const char *user_name;
  struct user *user;
  bool busy, started, has_output, takes_input;
  enum step last;
  struct buf incoming;
  bool incoming_ended;
  size_t sent;
  struct source wait;
  struct job *next;
};

void job_start(struct channel *, struct cursor *, enum step (*step)(struct job *),
               void (*release)(struct job *), int flags);
enum { JOB_OUTPUT = 1, JOB_INPUT = 2, JOB_AS_ROOT = 4 };

enum step job_fail(struct job *, int err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
enum step job_fail_path(struct job *, const char *what); /* with errno */

/* ---- worker.c */
void worker_init(void (*done)(struct job *));
bool worker_run(struct job *);

/* ---- path.c: names inside the sandbox, never through the links that /proc makes of descriptors */
int open_path(int dir, const char *path, int flags, mode_t mode);
int open_beneath(int dir, const char *path, int flags);
int open_parent(const char *path, char name[NAME_MAX_BYTES]);
int make_folders(const char *path, mode_t mode); /* those above the last name, too */
void put_file(struct buf *, const char *path, const struct stat *, const char *target);
void read_link(int dir, const char *name, char target[PATH_BYTES]);

/* ---- operations */
void op_metrics(struct channel *, struct cursor *);
void op_connect(struct channel *, struct cursor *);
void op_read(struct channel *, struct cursor *);
void op_write(struct channel *, struct cursor *);
void op_stat(struct channel *, struct cursor *);
void op_list(struct channel *, struct cursor *);
void op_mkdir(struct channel *, struct cursor *);
void op_move(struct channel *, struct cursor *);
void op_remove(struct channel *, struct cursor *);
void op_chmod(struct channel *, struct cursor *);
void op_symlink(struct channel *, struct cursor *);
void op_watch(struct channel *, struct cursor *);
void op_unpack(struct channel *, struct cursor *);
void op_pack(struct channel *, struct cursor *);

#endif
