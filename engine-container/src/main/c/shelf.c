/*
 * Sealed images, each mounted once and read-only in the spawner's own namespace. A cage that is
 * built on one clones the mount, so that all of them share one file system and its caches.
 */
#define _GNU_SOURCE
#include "spawner.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ATTEMPTS 500 /* ten seconds */

static void place_of(const char *name, char *place, size_t size) {
  snprintf(place, size, "/shelf/%s", name);
}

static void attach(int mount, const char *name) {
  char place[64];
  place_of(name, place, sizeof place);
  step = "mount the sealed image", step_name = name;
  if (mkdir(place, 0700) < 0 && errno != EEXIST) child_fail(errno);
  check((int)syscall(SYS_move_mount, mount, "", AT_FDCWD, place, MOVE_MOUNT_F_EMPTY_PATH));
  step_name = NULL;
}

/* Runs in a child that still shares the spawner's mount namespace. */
void shelf_put(const char *name) {
  step = "open the sealed image", step_name = name;
  int image = check(openat(host.sealed, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  uint32_t loop_number;
  int device = loop_configure(image, &loop_number, 1);
  close(image);
  step = "mount the sealed image", step_name = name;
  int mount = check(ext4_mount(loop_number, 1));
  close(device);
  attach(mount, name);
  close(mount);
}

/*
 * The image of a sandbox has become a sealed one. Its file system stays mounted, with all that its
 * caches hold, and needs no second device; from here on nobody has a mount that can be written to.
 */
void shelf_keep(const char *name, int mount) {
  step = "keep the image mounted", step_name = name;
  check(mount_read_only(mount));
  attach(mount, name);
}

/* -1 where somebody still has a way to write. */
static int make_read_only(const char *place) {
  int fs = (int)syscall(SYS_fspick, AT_FDCWD, place, FSPICK_CLOEXEC);
  if (fs < 0) return -1;
  long result = syscall(SYS_fsconfig, fs, FSCONFIG_SET_FLAG, "ro", NULL, 0);
  if (result == 0) result = syscall(SYS_fsconfig, fs, FSCONFIG_CMD_RECONFIGURE, NULL, NULL, 0);
  int error = errno;
  close(fs);
  errno = error;
  return (int)result;
}

/*
 * Closes the file system itself, so that not even the kernel writes to the image any more; that it
 * did shows in the file's rights. It takes a while, for which nobody waits: until then the layer has
 * no digest. (A device that is set read-only instead would stay so for whoever has it next.)
 */
void shelf_close(const char *name) {
  char place[64];
  place_of(name, place, sizeof place);
  if (setns(host.own_mount_ns, CLONE_NEWNS) < 0) return;
  struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
  int closed = -1;
  for (int i = 0; i < ATTEMPTS && closed < 0; i++) {
    closed = make_read_only(place);
    if (closed < 0 && errno != EBUSY) return; /* it was taken down meanwhile */
    if (closed < 0) nanosleep(&pause, NULL);
  }
  if (closed == 0) fchmodat(host.sealed, name, 0400, 0);
}

/* What still uses it keeps it alive. */
void shelf_drop(const char *name) {
  char place[64];
  place_of(name, place, sizeof place);
  step = "take the sealed image down", step_name = name;
  if (umount2(place, MNT_DETACH) < 0 && errno != EINVAL && errno != ENOENT) child_fail(errno);
  rmdir(place);
  step_name = NULL;
}

int shelf_open(const char *name) {
  char place[64];
  place_of(name, place, sizeof place);
  step = "open the sealed layer", step_name = name;
  int tree = check(open_tree_at(AT_FDCWD, place, OPEN_TREE_CLONE));
  step_name = NULL;
  return tree;
}
