/*
 * Shows the engine what a sandbox has written: its image and the sealed layers below it, read-only,
 * in a mount namespace of this process alone. The engine opens what it needs by way of our /proc entry
 * and ends us; what it has open stays open.
 */
#define _GNU_SOURCE
#include "spawner.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#define LONGEST_SECONDS 60 /* where the engine ends first, nobody else ends us */

static int open_image(const struct reach *reach) {
  char name[64];
  snprintf(name, sizeof name, "%s/image", reach->id);
  if (reach->loop_number != UINT32_MAX)
    return check(image_mount(host.sandboxes, name, reach->loop_number));
  step = "open the image";
  int image = check(openat(host.sandboxes, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  uint32_t loop_number;
  int device = loop_configure(image, &loop_number, 1);
  close(image);
  step = "mount the image";
  int mount = check(ext4_mount(loop_number, 1));
  close(device);
  return mount;
}

void layers_reach(const struct reach *reach) {
  step = "create the mount namespace";
  int shelves[MAX_SHELVES];
  for (int i = 0; i < reach->shelf_count; i++) shelves[i] = shelf_open(reach->shelves[i]);
  int image = strcmp(reach->id, "none") == 0 ? -1 : open_image(reach);
  check(unshare(CLONE_NEWNS));
  step = "show what was written";
  if (image >= 0) {
    check(mount_read_only(image));
    attach_tree(image, "/writable");
  }
  for (int i = 0; i < reach->shelf_count; i++) {
    char name[8];
    snprintf(name, sizeof name, "/s%d", i);
    attach_tree(shelves[i], name);
  }
  uint64_t values[] = {(uint64_t)getpid()};
  alarm(LONGEST_SECONDS);
  report_values(values, 1);
  report_end();
  for (;;) pause();
}
