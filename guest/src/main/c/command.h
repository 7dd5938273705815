/* A command and the list of them; shared by process.c (its life) and start.c (its birth). */
#ifndef COVE_COMMAND_H
#define COVE_COMMAND_H

#include "agent.h"

struct command {
  uint64_t id;
  pid_t pid;
  bool running;  /* forked and not yet reaped */
  bool starting; /* exec is not known to have worked */
  bool keep, terminal, timed_out, exit_sent;
  struct channel *reader;
  struct channel *opener; /* while starting: who waits for the answer */
  struct source status;
  struct output out, err;
  struct input in;
  int64_t started_ns, deadline_ns, duration_ns, started_ms;
  int code, signal;
  char *user, *cwd;
  struct buf argv; /* encoded for the listing, cut where it is long */
  uint32_t argc;
  uint64_t finished; /* order of ending; 0 while it runs */
  struct command *next, *next_by_pid;
};

extern const struct channel_kind command_kind;

bool command_room(void);
void command_add(struct command *);
void command_free(struct command *); /* one that was never added */
void command_attach(struct command *, struct channel *);
void command_kill(struct command *);

#endif
