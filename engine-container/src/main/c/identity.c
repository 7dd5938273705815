/*
 * Who a sandbox is: its host name, and a machine id that no other has; and whom it asks for the
 * addresses of others. Written straight into the writable layer before the overlay exists, so
 * nothing in the image can redirect it.
 */
#define _GNU_SOURCE
#include "spawner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* The uppermost layer that has /etc decides its rights; a whiteout counts as having none. */
static struct stat find_etc(const struct plan *plan, const struct trees *trees) {
  struct stat info;
  for (int i = 0; i < plan->shelf_count; i++) {
    if (fstatat(trees->shelves[i], "u0/etc", &info, AT_SYMLINK_NOFOLLOW) == 0) {
      if (S_ISDIR(info.st_mode)) return info;
      child_fail(ENOTDIR);
    }
  }
  for (int i = 0; i < plan->layer_count; i++) {
    if (fstatat(trees->layers[i], "etc", &info, AT_SYMLINK_NOFOLLOW) == 0) {
      if (S_ISDIR(info.st_mode)) return info;
      if (S_ISCHR(info.st_mode)) break;
      child_fail(ENOTDIR);
    }
  }
  return (struct stat){.st_mode = S_IFDIR | 0755};
}

static int open_etc(const struct plan *plan, const struct trees *trees, int writable) {
  char name[16] = "u0/etc";
  for (int i = 0; i < plan->graft_count; i++) {
    if (strcmp(plan->grafts[i].target, "/etc") == 0) {
      snprintf(name, sizeof name, "u%d", i + 1);
      return check(openat(writable, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    }
  }
  struct stat info = find_etc(plan, trees);
  check(mkdirat(writable, name, 0700));
  check(fchownat(writable, name, info.st_uid, info.st_gid, 0));
  check(fchmodat(writable, name, info.st_mode & 07777, 0));
  return check(openat(writable, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

static void write_file(int folder, const char *name, const char *text) {
  step_name = name;
  int fd = check(openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  check(write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -1);
  close(fd);
}

void identity_write(const struct plan *plan, const struct trees *trees, int writable) {
  step = "write the sandbox's own /etc", step_name = "";
  int etc = open_etc(plan, trees, writable);
  char text[256];
  snprintf(text, sizeof text, "%s\n", plan->id);
  write_file(etc, "hostname", text);
  snprintf(text, sizeof text,
           "127.0.0.1\tlocalhost\n127.0.1.1\t%s\n::1\tlocalhost ip6-localhost ip6-loopback\n",
           plan->id);
  write_file(etc, "hosts", text);
  write_file(etc, "resolv.conf", "nameserver 198.18.0.1\noptions timeout:3 attempts:2\n");
  uint64_t random[2];
  check(getrandom(random, sizeof random, 0) == sizeof random ? 0 : -1);
  snprintf(text, sizeof text, "%016llx%016llx\n", (unsigned long long)random[0],
           (unsigned long long)random[1]);
  write_file(etc, "machine-id", text);
  close(etc);
  step_name = NULL;
}
