/*
 * The first program of a machine of its own: pid 1 above Debian's kernel, with nothing but what is in
 * the initial memory disk. It is told what to do over a serial port, puts the sandbox's root together
 * from disks just as the spawner does from mounts, starts the agent in it and carries bytes between
 * the agent and the host.
 *
 * Nobody inside the sandbox sees it: the agent has namespaces of its own.
 */
#ifndef COVE_MACHINE_H
#define COVE_MACHINE_H

#include "../spawner.h"

#include <stdbool.h>

/* ports.c */
int port_open(const char *name);

/* modules.c */
void modules_load(void);

/* disks.c: the file system of a disk, by the number that the host gave it. */
int disk_mount(int number, bool read_only);

/* wire.c of the machine: its one network interface. */
void wire_up(void);

/* control.c */
void control_ready(int port);

/* box.c: the sandbox in the machine. */
struct order {
  char id[40];
  int layers, grafts, sealed, max_processes;
  char targets[MAX_GRAFTS][256];
  uint64_t shm_bytes;
  bool again;
};
const char *box_start(const struct order *order); /* NULL, or what went wrong */
int box_freeze(bool freeze);
void box_terminate(void);
void box_reap(void);
bool box_runs(void);
extern const char *const box_socket;

/* relay.c */
void relay_init(int port, int epoll);
void relay_event(int fd);

#endif
