/* What the engine asks for. Nothing here waits: what takes time is a child's work. */
#define _GNU_SOURCE
#include "children.h"
#include "machine.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { OP_START = 1, OP_WATCH = 2, OP_KILL = 3, OP_MEASURE = 4, OP_KEEP_SPARES = 5,
       OP_SHELVE = 6, OP_UNSHELVE = 7, OP_SYNC = 8, OP_SEAL_COPY = 9, OP_SEAL_MOVE = 10,
       OP_SEAL_UNDO = 11, OP_VOLUME_COPY = 12, OP_VOLUME_THAW = 13,
       OP_MERGE = 14, OP_CHANGE = 15, OP_REACH = 16,
       OP_START_MACHINE = 20, OP_LOAD_MEMORY = 21, OP_FORGET_MEMORY = 22 };

static unsigned char requests[MAX_FRAME + 4];
static size_t requests_size;

static const char *take_id(struct reader *reader) {
  const char *id = take_string(reader);
  if (!*id || *id == '.' || strlen(id) > 32 || strchr(id, '/')) reader->bad = 1;
  return id;
}

static const char *take_image_name(struct reader *reader) {
  const char *name = take_string(reader);
  if (*name == '.' || strlen(name) > 32 || strchr(name, '/')) reader->bad = 1;
  return name;
}

static void read_volume(struct reader *reader, struct volume *volume) {
  memset(volume, 0, sizeof *volume);
  volume->name = take_id(reader);
  volume->loop_number = take_u32(reader);
}

static void read_plan(struct reader *reader, struct plan *plan) {
  memset(plan, 0, sizeof *plan);
  plan->first_id = take_u32(reader);
  plan->shm_bytes = take_u64(reader);
  plan->id = take_id(reader);
  plan->base_image = take_image_name(reader);
  plan->layer_count = take_u16(reader);
  if (plan->layer_count < 1 || plan->layer_count > MAX_LAYERS) reader->bad = 1;
  for (int i = 0; !reader->bad && i < plan->layer_count; i++) plan->layers[i] = take_string(reader);
  plan->graft_count = take_u16(reader);
  if (plan->graft_count > MAX_GRAFTS) reader->bad = 1;
  for (int i = 0; !reader->bad && i < plan->graft_count; i++) {
    plan->grafts[i].target = take_string(reader);
    plan->grafts[i].source = take_string(reader);
  }
  plan->shelf_count = take_u16(reader);
  if (plan->shelf_count > MAX_SHELVES) reader->bad = 1;
  for (int i = 0; !reader->bad && i < plan->shelf_count; i++) plan->shelves[i] = take_id(reader);
  plan->volume_count = take_u16(reader);
  if (plan->volume_count > MAX_VOLUMES) reader->bad = 1;
  for (int i = 0; !reader->bad && i < plan->volume_count; i++) {
    read_volume(reader, &plan->volumes[i]);
    plan->volumes[i].target = take_string(reader);
    plan->volumes[i].read_only = take_u16(reader) != 0;
  }
  plan->workspace_count = take_u16(reader);
  if (plan->workspace_count > MAX_WORKSPACES) reader->bad = 1;
  for (int i = 0; !reader->bad && i < plan->workspace_count; i++) {
    plan->workspaces[i].key = take_id(reader);
    plan->workspaces[i].target = take_string(reader);
    plan->workspaces[i].source = take_string(reader);
    plan->workspaces[i].read_only = take_u16(reader) != 0;
  }
  plan->again = take_u16(reader) != 0;
  plan->keeps_identity = plan->again;
  plan->word_count = take_u16(reader);
  if (plan->word_count > MAX_WORDS) reader->bad = 1;
  for (int i = 0; !reader->bad && i < plan->word_count; i++) plan->command[i] = take_string(reader);
  if (plan->first_id < IDS_PER_SANDBOX) reader->bad = 1;
}

/* To be cloned into; -1 where there is none, -2 when that was answered with an error. */
static int open_cgroup(uint32_t seq, const char *id) {
  if (host.cgroup2 < 0) return -1;
  int cgroup = openat(host.cgroup2, id, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (cgroup >= 0) return cgroup;
  send_error(seq, errno, "open the cgroup");
  return -2;
}

static void start(uint32_t seq, struct reader *reader) {
  struct plan plan;
  read_plan(reader, &plan);
  if (reader->bad) {
    send_error(seq, EINVAL, "read the plan");
    return;
  }
  int cgroup = open_cgroup(seq, plan.id);
  if (cgroup == -2) return;
  plan.net_ns = net_ns_take();
  plan.spare =
      plan.again ? -1 : spare_take(plan.base_image, plan.id, "image", &plan.spare_loop);
  if (child_clone(CAGE, seq, CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS, cgroup) == 1)
    cage_build(&plan);
  if (plan.net_ns >= 0) close(plan.net_ns);
  if (plan.spare >= 0) close(plan.spare);
  if (cgroup >= 0) close(cgroup);
}

static void read_machine(struct reader *reader, struct machine *machine) {
  memset(machine, 0, sizeof *machine);
  machine->id = take_id(reader);
  machine->first_id = take_u32(reader);
  machine->memory = memory_find(take_id(reader));
  machine->state = take_string(reader);
  machine->part_count = take_u16(reader);
  if (machine->part_count > MAX_PARTS) reader->bad = 1;
  for (int i = 0; !reader->bad && i < machine->part_count; i++)
    machine->parts[i] = take_string(reader);
  machine->disk_count = take_u16(reader);
  if (machine->disk_count > MAX_DISKS) reader->bad = 1;
  for (int i = 0; !reader->bad && i < machine->disk_count; i++) {
    machine->disks[i].path = take_string(reader);
    machine->disks[i].read_only = take_u16(reader) != 0;
  }
  int count = take_u16(reader);
  if (count < 1 || count > MAX_ARGUMENTS) reader->bad = 1;
  for (int i = 0; !reader->bad && i < count; i++)
    machine->arguments[i] = (char *)(uintptr_t)take_string(reader);
  if (machine->first_id < IDS_PER_SANDBOX) reader->bad = 1;
}

static void start_machine(uint32_t seq, struct reader *reader) {
  static struct machine machine;
  read_machine(reader, &machine);
  if (reader->bad || machine.memory < 0) {
    send_error(seq, reader->bad ? EINVAL : ESTALE, "find the machine's memory");
    return;
  }
  int cgroup = open_cgroup(seq, machine.id);
  if (cgroup == -2) return;
  if (child_clone(CAGE, seq, CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS, cgroup) == 1)
    machine_build(&machine);
  if (cgroup >= 0) close(cgroup);
}

static void load_memory(uint32_t seq, struct reader *reader) {
  const char *name = take_id(reader), *path = take_string(reader);
  int slot = reader->bad ? -1 : memory_reserve(name);
  if (slot < 0) {
    send_error(seq, reader->bad ? EINVAL : ENFILE, "hold another machine's memory");
    return;
  }
  if (child_clone(MEMORY, seq, 0, -1) == 1) memory_load(slot, path);
}

/* A pidfd first and its start time second: then the pid cannot have been reused in between. */
static int open_process(int pid, uint64_t start_time) {
  int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
  if (pidfd < 0) return -1;
  if (start_time_of(pid) == start_time) return pidfd;
  close(pidfd);
  errno = ESRCH;
  return -1;
}

static void watch(uint32_t seq, struct reader *reader) {
  int pid = (int)take_u32(reader);
  uint64_t start_time = take_u64(reader);
  if (!child_find(pid, start_time)) {
    int pidfd = open_process(pid, start_time);
    if (pidfd < 0) {
      send_error(seq, errno, "find the process");
      return;
    }
    child_watch(pid, pidfd, CAGE)->start_time = start_time;
  }
  send_ok(seq, NULL, 0);
}

/* In a child, because letting the image's data go may take a moment. */
static void kill_cage(uint32_t seq, struct reader *reader) {
  int pid = (int)take_u32(reader);
  uint64_t start_time = take_u64(reader);
  uint32_t loop_number = take_u32(reader);
  const char *id = take_id(reader);
  struct watched *known = child_find(pid, start_time);
  int pidfd = known ? known->pidfd : open_process(pid, start_time);
  if (reader->bad || (pidfd < 0 && errno != ESRCH)) {
    send_error(seq, reader->bad ? EINVAL : errno, "find the process to kill");
    return;
  }
  if (pidfd < 0) {
    send_ok(seq, NULL, 0); /* it is gone */
    return;
  }
  if (child_clone(ERRAND, seq, 0, -1) == 1) {
    if (loop_number != UINT32_MAX) image_abandon(id, loop_number);
    step = "kill the agent";
    if (syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0) < 0 && errno != ESRCH)
      child_fail(errno);
    report_values(NULL, 0);
    _exit(0);
  }
  if (!known) close(pidfd);
}

static void measure(uint32_t seq, struct reader *reader) {
  uint32_t loop_number = take_u32(reader);
  const char *id = take_id(reader);
  if (reader->bad) {
    send_error(seq, EINVAL, "read the request");
    return;
  }
  if (child_clone(ERRAND, seq, 0, -1) == 1) image_measure(id, loop_number);
}

static void keep_spares(uint32_t seq, struct reader *reader) {
  const char *name = take_image_name(reader);
  uint32_t count = take_u32(reader);
  if (reader->bad) {
    send_error(seq, EINVAL, "read the request");
    return;
  }
  spares_keep(name, (int)count);
  send_ok(seq, NULL, 0);
}

static void shelve(uint32_t seq, struct reader *reader, int put) {
  const char *name = take_id(reader);
  if (reader->bad) {
    send_error(seq, EINVAL, "read the request");
    return;
  }
  if (child_clone(ERRAND, seq, 0, -1) == 1) {
    if (put)
      shelf_put(name);
    else
      shelf_drop(name);
    report_values(NULL, 0);
    _exit(0);
  }
}

static void on_volume(uint32_t seq, struct reader *reader, int op) {
  struct volume volume;
  read_volume(reader, &volume);
  const char *copy = op == OP_VOLUME_COPY ? take_id(reader) : "";
  if (reader->bad) {
    send_error(seq, EINVAL, "read the request");
    return;
  }
  if (child_clone(ERRAND, seq, 0, -1) == 1) {
    if (op == OP_VOLUME_THAW) volume_thaw(&volume);
    volume_copy(&volume, copy);
  }
}

static void read_seal(struct reader *reader, struct seal *seal) {
  seal->agent_pid = (int)take_u32(reader);
  seal->loop_number = take_u32(reader);
  seal->id = take_id(reader);
  seal->layer = take_id(reader);
}

static void seal(uint32_t seq, struct reader *reader, int op) {
  struct seal seal;
  struct plan plan;
  read_seal(reader, &seal);
  int new_root = op == OP_SEAL_MOVE || op == OP_CHANGE;
  if (new_root) read_plan(reader, &plan);
  if (reader->bad) {
    send_error(seq, EINVAL, "read the request");
    return;
  }
  plan.spare = -1;
  if (new_root) {
    plan.keeps_identity = op == OP_SEAL_MOVE;
    plan.spare = spare_take(plan.base_image, plan.id, "image.next", &plan.spare_loop);
  }
  if (child_clone(ERRAND, seq, 0, -1) == 1) {
    if (op == OP_SYNC) seal_sync(&seal);
    if (op == OP_SEAL_COPY) seal_copy(&seal);
    if (op == OP_SEAL_UNDO) seal_undo(&seal);
    if (op == OP_CHANGE) seal_change(&seal, &plan);
    seal_move(&seal, &plan);
  }
  if (plan.spare >= 0) close(plan.spare);
}

static void merge(uint32_t seq, struct reader *reader) {
  struct merge merge;
  merge.into = take_id(reader);
  merge.base_image = take_image_name(reader);
  merge.parts = take_u16(reader);
  merge.layer_count = take_u16(reader);
  if (merge.parts > MAX_GRAFTS + 1 || merge.layer_count > MAX_SHELVES) reader->bad = 1;
  for (int i = 0; !reader->bad && i < merge.layer_count; i++) merge.layers[i] = take_id(reader);
  if (reader->bad) {
    send_error(seq, EINVAL, "read the request");
    return;
  }
  if (child_clone(ERRAND, seq, 0, -1) == 1) layers_merge(&merge);
}

static void reach(uint32_t seq, struct reader *reader) {
  struct reach reach;
  reach.loop_number = take_u32(reader);
  reach.id = take_id(reader);
  reach.shelf_count = take_u16(reader);
  if (reach.shelf_count > MAX_SHELVES) reader->bad = 1;
  for (int i = 0; !reader->bad && i < reach.shelf_count; i++) reach.shelves[i] = take_id(reader);
  if (reader->bad) {
    send_error(seq, EINVAL, "read the request");
    return;
  }
  if (child_clone(ERRAND, seq, 0, -1) == 1) layers_reach(&reach);
}

static void serve(const unsigned char *frame, size_t size) {
  struct reader reader = {.at = frame, .left = size};
  uint32_t seq = take_u32(&reader);
  unsigned char op = *reader.at;
  reader.at++;
  reader.left--;
  switch (op) {
    case OP_START: start(seq, &reader); break;
    case OP_WATCH: watch(seq, &reader); break;
    case OP_KILL: kill_cage(seq, &reader); break;
    case OP_MEASURE: measure(seq, &reader); break;
    case OP_KEEP_SPARES: keep_spares(seq, &reader); break;
    case OP_SHELVE: shelve(seq, &reader, 1); break;
    case OP_UNSHELVE: shelve(seq, &reader, 0); break;
    case OP_SYNC:
    case OP_SEAL_COPY:
    case OP_SEAL_UNDO:
    case OP_CHANGE:
    case OP_SEAL_MOVE: seal(seq, &reader, op); break;
    case OP_REACH: reach(seq, &reader); break;
    case OP_MERGE: merge(seq, &reader); break;
    case OP_VOLUME_COPY:
    case OP_VOLUME_THAW: on_volume(seq, &reader, op); break;
    case OP_START_MACHINE: start_machine(seq, &reader); break;
    case OP_LOAD_MEMORY: load_memory(seq, &reader); break;
    case OP_FORGET_MEMORY:
      memory_forget(take_id(&reader));
      send_ok(seq, NULL, 0);
      break;
    default: send_error(seq, ENOSYS, "understand the request");
  }
}

int requests_read(void) {
  ssize_t n = read(STDIN_FILENO, requests + requests_size, sizeof requests - requests_size);
  if (n < 0 && errno == EINTR) return 1;
  if (n <= 0) return 0;
  requests_size += (size_t)n;
  size_t at = 0;
  while (requests_size - at >= sizeof(uint32_t)) {
    uint32_t size;
    memcpy(&size, requests + at, sizeof size);
    if (size < 5 || size > MAX_FRAME) return 0;
    if (requests_size - at < sizeof size + size) break;
    serve(requests + at + sizeof size, size);
    at += sizeof size + size;
  }
  memmove(requests, requests + at, requests_size - at);
  requests_size -= at;
  return 1;
}
