/*
 * Sealed images, each mounted once and read-only in the spawner's own namespace. A cage that is
 * built on one clones the mount, so that all of them share one file system and its caches.
 */
#define _GNU_SOURCE
#include "spawner.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void place_of(const char *name, char *place, size_t size) {
  snprintf(place, size, "/shelf/%s", name);
}

/* Runs in a child that still shares the spawner's mount namespace. */
void shelf_put(const char *name) {
  char place[64];
  place_of(name, place, sizeof place);
  step = "open the sealed image", step_name = name;
  int image = check(openat(host.sealed, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  uint32_t loop_number;
  int device = loop_configure(image, &loop_number, 1);
  close(image);
  step = "mount the sealed image", step_name = name;
  int mount = check(ext4_mount(loop_number, 1));
  close(device);
  if (mkdir(place, 0700) < 0 && errno != EEXIST) child_fail(errno);
  check((int)syscall(SYS_move_mount, mount, "", AT_FDCWD, place, MOVE_MOUNT_F_EMPTY_PATH));
  close(mount);
  step_name = NULL;
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
