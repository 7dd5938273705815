/* Disks are SCSI targets; the number of one is what the host has called it. */
#define _GNU_SOURCE
#include "machine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ATTEMPTS 1000
#define PAUSE_US 2000

/* The disk may have come after the controller was looked through. */
static void scan(int number) {
  step = "look for the disk";
  int fd = check(open("/sys/class/scsi_host/host0/scan", O_WRONLY | O_CLOEXEC));
  char text[32];
  int length = snprintf(text, sizeof text, "0 %d 0", number);
  check(write(fd, text, (size_t)length) == length ? 0 : -1);
  close(fd);
}

static void device_name(int number, char *source, size_t size) {
  char path[96];
  snprintf(path, sizeof path, "/sys/class/scsi_device/0:0:%d:0/device/block", number);
  for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
    DIR *blocks = opendir(path);
    for (struct dirent *one = blocks ? readdir(blocks) : NULL; one; one = readdir(blocks)) {
      if (one->d_name[0] == '.') continue;
      snprintf(source, size, "/dev/%.32s", one->d_name);
      closedir(blocks);
      if (access(source, F_OK) == 0) return;
      blocks = NULL;
      break;
    }
    if (blocks) closedir(blocks);
    usleep(PAUSE_US);
  }
  child_fail(ENODEV);
}

int disk_mount(int number, bool read_only) {
  scan(number);
  char source[64];
  device_name(number, source, sizeof source);
  step = "mount the disk";
  /* Without barriers, as in the spawner: what is flushed goes to the host, which outlives us. */
  const char *writable[] = {"source",        source, "discard",   NULL,
                            "noinit_itable", NULL,   "nobarrier", NULL, NULL};
  const char *fixed[] = {"source", source, "ro", NULL, NULL};
  unsigned attributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOATIME |
                        (read_only ? MOUNT_ATTR_RDONLY : 0);
  int mounted = -1;
  for (int attempt = 0; attempt < ATTEMPTS && mounted < 0; attempt++) {
    mounted = mount_detached("ext4", read_only ? fixed : writable, attributes);
    if (mounted < 0 && errno != ENXIO) break;
    if (mounted < 0) usleep(PAUSE_US); /* its name comes before its driver has looked at it */
  }
  return check(mounted);
}
