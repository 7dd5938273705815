/*
 * Images of the usual size that are copied, on a loop device and mounted before anybody asks.
 * These steps cross to kernel threads several times and cost 2 ms on a quiet machine, ten on a
 * busy one. A spare is given away once and never comes back.
 */
#define _GNU_SOURCE
#include "children.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAX_SPARES 64
#define MAX_FAILURES 3

static struct {
  char name[16];
  int mount;
  uint32_t loop_number;
} spares[MAX_SPARES];
static int count, wanted, failures;
static char base[64];
static char arriving[16]; /* empty when none is */

/* What a spawner that was killed has left; its mounts and loop devices went with it. */
void spares_clean(void) {
  int folder = openat(host.spares, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *entries = folder < 0 ? NULL : fdopendir(folder);
  if (!entries) return;
  struct dirent *entry;
  while ((entry = readdir(entries)))
    if (*entry->d_name != '.') unlinkat(host.spares, entry->d_name, 0);
  closedir(entries);
}

void spares_keep(const char *image, int number) {
  snprintf(base, sizeof base, "%s", image);
  wanted = number < 0 ? 0 : number > MAX_SPARES ? MAX_SPARES : number;
  failures = 0;
}

int spares_are_low(void) { return count < (wanted + 3) / 4 && failures < MAX_FAILURES; }

int spare_refill(void) {
  static unsigned serial;
  if (count >= wanted || *arriving || failures >= MAX_FAILURES) return 0;
  snprintf(arriving, sizeof arriving, "%u", serial++);
  int clone = child_clone(SPARE, 0, 0, -1);
  if (clone == 1) image_prepare_spare(base, arriving);
  if (clone < 0) spare_arrived(-1, UINT32_MAX);
  return 1;
}

void spare_arrived(int mount, uint32_t loop_number) {
  if (mount >= 0 && loop_number != UINT32_MAX) {
    memcpy(spares[count].name, arriving, sizeof arriving);
    spares[count].mount = mount;
    spares[count].loop_number = loop_number;
    count++;
    failures = 0;
  } else {
    if (mount >= 0) close(mount);
    unlinkat(host.spares, arriving, 0);
    failures++;
  }
  *arriving = 0;
}

int spare_take(const char *image, const char *id, const char *name, uint32_t *loop_number) {
  if (count == 0 || strcmp(image, base) != 0) return -1;
  count--;
  char target[64];
  snprintf(target, sizeof target, "%s/%s", id, name);
  if (renameat(host.spares, spares[count].name, host.sandboxes, target) < 0) {
    close(spares[count].mount);
    unlinkat(host.spares, spares[count].name, 0);
    return -1;
  }
  *loop_number = spares[count].loop_number;
  return spares[count].mount;
}
