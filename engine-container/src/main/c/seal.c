/*
 * Turns what a sandbox has written into a sealed image, while all of its processes stand still.
 *
 * Where nobody but the agent runs, the image itself is sealed and the sandbox goes on with a fresh
 * one above it, which costs the same whatever was written. Processes hold on to the files that they
 * have open, so where there are some, the image is copied and the sandbox keeps its own.
 */
#define _GNU_SOURCE
#include "spawner.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOREPLACE 1

static int reach(const struct seal *seal) {
  char name[64];
  snprintf(name, sizeof name, "%s/image", seal->id);
  return check(image_mount(host.sandboxes, name, seal->loop_number));
}

static int open_image(const struct seal *seal) {
  char name[64];
  snprintf(name, sizeof name, "%s/image", seal->id);
  return check(openat(host.sandboxes, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
}

static void flush(int mount) {
  step = "flush the image";
  int root = check(openat(mount, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  check(syncfs(root));
  close(root);
}

static uint64_t bytes_of(int image) {
  struct stat info;
  check(fstat(image, &info));
  return (uint64_t)info.st_blocks * 512;
}

/* Ahead of the freeze, so that little is left to be flushed during it. */
void seal_sync(const struct seal *seal) {
  flush(reach(seal));
  /* To the disk as well: what is written out now, nobody waits for later. */
  step = "write the image to the disk";
  check(fdatasync(open_image(seal)));
  report_values(NULL, 0);
  _exit(0);
}

/*
 * Takes back a move that did not come to its end, also when the process that made it is gone. The
 * loop device still belonging to the image shows that the sandbox still stands on it.
 */
void seal_undo(const struct seal *seal) {
  close(check(image_mount(host.sealed, seal->layer, seal->loop_number)));
  char name[64], next[64];
  snprintf(name, sizeof name, "%s/image", seal->id);
  snprintf(next, sizeof next, "%s/image.next", seal->id);
  step = "put the image back";
  check(renameat(host.sealed, seal->layer, host.sandboxes, name));
  unlinkat(host.sandboxes, next, 0);
  shelf_drop(seal->layer);
  report_values(NULL, 0);
  _exit(0);
}

void seal_copy(const struct seal *seal) {
  flush(reach(seal));
  int from = open_image(seal);
  step = "copy the image", step_name = seal->layer;
  int to = check(openat(host.sealed, seal->layer, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  copy_sparse(from, to);
  uint64_t values[] = {bytes_of(to)};
  report_values(values, 1);
  _exit(0);
}

/* An open descriptor of one of the agent's namespaces. */
static int namespace_of(int pid, const char *kind) {
  char name[48];
  snprintf(name, sizeof name, "%d/ns/%s", pid, kind);
  return check(openat(host.proc, name, O_RDONLY | O_CLOEXEC));
}

/*
 * The new root, with the sandbox's own /dev, /proc and /sys, takes the place of the old one for
 * the whole namespace: the kernel moves the agent's root and folder with it.
 */
static void change_root(int tree, int mount_ns) {
  step = "enter the sandbox's mount namespace";
  check(setns(mount_ns, CLONE_NEWNS));
  static const char *const kept[] = {"/dev", "/proc", "/sys"};
  int mounts[3];
  for (int i = 0; i < 3; i++) {
    step = "keep a mount", step_name = kept[i];
    mounts[i] = check(open_tree_at(AT_FDCWD, kept[i], OPEN_TREE_CLONE | AT_RECURSIVE));
  }
  step = "attach the new root", step_name = NULL;
  check((int)syscall(SYS_move_mount, tree, "", AT_FDCWD, "/", MOVE_MOUNT_F_EMPTY_PATH));
  for (int i = 0; i < 3; i++) {
    step = "move a mount", step_name = kept[i];
    int target = walk(tree, kept[i]);
    check(move_mount_to(mounts[i], target));
    close(target);
    close(mounts[i]);
  }
  step = "change to the new root", step_name = NULL;
  check(fchdir(tree));
  check((int)syscall(SYS_pivot_root, ".", "."));
}

/* Puts the sandbox on the image that is plan's spare, or a fresh one, over plan's layers. */
static uint32_t stand_on(const struct seal *seal, const struct plan *plan) {
  char name[64];
  snprintf(name, sizeof name, "%s/image", seal->id);
  uint32_t loop_number = plan->spare >= 0 ? plan->spare_loop : UINT32_MAX;
  int image = plan->spare;
  if (image >= 0) {
    char spare[64];
    snprintf(spare, sizeof spare, "%s/image.next", seal->id);
    step = "take the spare image";
    check(renameat(host.sandboxes, spare, host.sandboxes, name));
  } else {
    image = image_attach(plan, &loop_number);
  }
  int mount_ns = namespace_of(seal->agent_pid, "mnt");
  int user_ns = namespace_of(seal->agent_pid, "user");
  struct trees trees;
  trees_open(plan, &trees);
  workspaces_map(plan, &trees, host.proc);
  take_overlay_rights();
  overlays(plan, &trees, image, user_ns);
  setfsuid(0);
  setfsgid(0);
  step = "take the new root along";
  int tree = check(open_tree_at(AT_FDCWD, "/root", OPEN_TREE_CLONE | AT_RECURSIVE));
  change_root(tree, mount_ns);
  return loop_number;
}

/*
 * plan has the new image as a spare or the name of a base, and all sealed layers below it, with the
 * one that is being made first.
 */
void seal_move(const struct seal *seal, const struct plan *plan) {
  int old = reach(seal);
  uint64_t bytes = bytes_of(open_image(seal));
  /*
   * After this nothing writes to the image: the processes stand still, and when they go on they
   * stand on another. All that its end will still write is that it was closed in order.
   */
  flush(old);
  char name[64];
  snprintf(name, sizeof name, "%s/image", seal->id);
  step = "put the image with the sealed ones";
  check((int)syscall(SYS_renameat2, host.sandboxes, name, host.sealed, seal->layer, NOREPLACE));
  shelf_keep(seal->layer, old);
  uint64_t values[] = {bytes, stand_on(seal, plan)};
  report_values(values, 2);
  report_end();
  umount2(".", MNT_DETACH); /* takes milliseconds, and the sandbox need not wait for it */
  shelf_close(seal->layer);
  _exit(0);
}

static int is_empty(int folder) {
  DIR *entries = fdopendir(folder);
  if (!entries) child_fail(errno);
  int count = 0;
  struct dirent *entry;
  while ((entry = readdir(entries)))
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) count++;
  closedir(entries);
  return count == 0;
}

/* The kernel's lists begin with a line of headings. */
static int lists_nothing(const char *name) {
  char text[4096];
  int fd = check(openat(host.proc, name, O_RDONLY | O_CLOEXEC));
  ssize_t size = check((int)read(fd, text, sizeof text - 1));
  close(fd);
  text[size] = 0;
  char *end = strchr(text, '\n');
  return end && !end[1];
}

/* What programs that have ended can leave in memory goes only with the cage. */
static void require_nothing_left(const struct seal *seal) {
  static const char *const lists[] = {"sysvipc/shm", "sysvipc/sem", "sysvipc/msg"};
  step = "enter the sandbox's memory namespace";
  check(setns(namespace_of(seal->agent_pid, "ipc"), CLONE_NEWIPC));
  static const char *const options[] = {"source", "mqueue", NULL};
  int queues = check(mount_detached("mqueue", options, MOUNT_ATTR_RDONLY));
  step = "find nothing left in memory";
  int left = !is_empty(check(openat(queues, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
  close(queues);
  for (int i = 0; i < 3; i++) left |= !lists_nothing(lists[i]);
  int mount_ns = namespace_of(seal->agent_pid, "mnt");
  check(setns(mount_ns, CLONE_NEWNS));
  int root = check(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  int shared = walk(root, "dev/shm");
  left |= !is_empty(check(openat(shared, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
  close(shared);
  close(root);
  close(mount_ns);
  if (left) child_fail(ENOTEMPTY);
  check(setns(host.own_mount_ns, CLONE_NEWNS));
}

/* Nobody will read the image again: its data go with it. */
void seal_change(const struct seal *seal, const struct plan *plan) {
  int old = reach(seal);
  require_nothing_left(seal);
  char name[64];
  snprintf(name, sizeof name, "%s/image", seal->id);
  step = "drop the image";
  if (plan->spare < 0) check(unlinkat(host.sandboxes, name, 0)); /* a spare takes its place */
  uint64_t values[] = {stand_on(seal, plan)};
  report_values(values, 1);
  report_end();
  image_shut(old);
  close(old);
  umount2(".", MNT_DETACH);
  _exit(0);
}
