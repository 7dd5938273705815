#ifndef COVE_SPAWNER_MACHINE_H
#define COVE_SPAWNER_MACHINE_H

#include <stdint.h>

#define MAX_DISKS 130 /* a writable one, layers, grafts, sealed layers */
#define MAX_PARTS 16
#define MAX_ARGUMENTS 1024
#define MAX_MEMORIES 16

struct machine {
  const char *id;
  uint32_t first_id; /* of the user that QEMU is */
  int memory;        /* that it goes on with, from the table */
  const char *state; /* and the state of its devices, a file */
  const char *parts[MAX_PARTS]; /* of the host's files, what QEMU is made of */
  int part_count;
  struct {
    const char *path;
    int read_only;
  } disks[MAX_DISKS];
  int disk_count;
  char *arguments[MAX_ARGUMENTS + 1];
};

__attribute__((noreturn)) void machine_build(const struct machine *machine);

int memory_find(const char *name);
int memory_reserve(const char *name);
void memory_forget(const char *name);
void memory_arrived(int slot, int fd);
__attribute__((noreturn)) void memory_load(int slot, const char *path);

#endif
