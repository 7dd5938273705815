/*
 * What the host asks of the machine, a line each; every line is answered with one, in order. A host
 * that comes anew begins with an empty line, which ends what another has left unfinished, and a ping.
 */
#define _GNU_SOURCE
#include "machine.h"

#include <errno.h>
#include <linux/random.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#define MAX_LINE 1024

static int control = -1;
static char line[MAX_LINE];
static size_t used;
static struct order order;
static char answers[8 * MAX_LINE];
static size_t waiting;

/*
 * What a new host has written can be here before the news that there is one, and until then nothing
 * can be answered.
 */
static void flush(void) {
  while (waiting > 0) {
    ssize_t n = write(control, answers, waiting);
    if (n <= 0) return;
    waiting -= (size_t)n;
    memmove(answers, answers + n, waiting);
  }
}

/* An answer that does not fit any more is for a host that has not read the others either. */
static void control_say(const char *text) {
  char message[MAX_LINE];
  int length = snprintf(message, sizeof message, "%s\n", text);
  if (length >= (int)sizeof message) length = sizeof message - 1;
  if (waiting + (size_t)length > sizeof answers) return;
  memcpy(answers + waiting, message, (size_t)length);
  waiting += (size_t)length;
  flush();
}

static void say_result(int result) {
  char text[128];
  snprintf(text, sizeof text, "error %s", strerror(errno));
  control_say(result < 0 ? text : "ok");
}

static int from_hex(const char *text, unsigned char *bytes, int most) {
  int count = 0;
  for (unsigned value; count < most && sscanf(text + 2 * count, "%2x", &value) == 1; count++)
    bytes[count] = (unsigned char)value;
  return count;
}

/* All clones of one machine had the same state: from here on theirs differ. */
static int seed(const char *hex) {
  struct {
    int bits, size;
    unsigned char bytes[32];
  } entropy = {.bits = 256, .size = 32};
  if (from_hex(hex, entropy.bytes, 32) != 32) {
    errno = EINVAL;
    return -1;
  }
  int fd = open("/dev/random", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  int result = ioctl(fd, RNDADDENTROPY, &entropy);
  if (result == 0) result = ioctl(fd, RNDRESEEDCRNG);
  close(fd);
  return result;
}

static int set_clock(const char *text) {
  struct timespec now;
  if (sscanf(text, "%ld %ld", &now.tv_sec, &now.tv_nsec) != 2) {
    errno = EINVAL;
    return -1;
  }
  return clock_settime(CLOCK_REALTIME, &now);
}

static int describe(const char *text) {
  int again;
  unsigned long long shm;
  memset(&order, 0, sizeof order);
  int fields = sscanf(text, "%39s %llu %d %d %d %d", order.id, &shm, &again, &order.layers,
                      &order.sealed, &order.max_processes);
  order.shm_bytes = shm;
  order.again = again != 0;
  if (fields == 6 && order.layers >= 1 && order.layers <= MAX_LAYERS && order.sealed >= 0 &&
      order.sealed <= MAX_SHELVES)
    return 0;
  errno = EINVAL;
  return -1;
}

static int add_graft(const char *target) {
  if (order.grafts >= MAX_GRAFTS || strlen(target) >= sizeof *order.targets) {
    errno = EINVAL;
    return -1;
  }
  strcpy(order.targets[order.grafts++], target);
  return 0;
}

static void start(void) {
  const char *wrong = box_start(&order);
  char text[700];
  snprintf(text, sizeof text, "error %s", wrong ? wrong : "");
  control_say(wrong ? text : "ok");
}

static void obey(char *text) {
  char *rest = text + strcspn(text, " ");
  if (*rest) *rest++ = 0;
  if (strcmp(text, "ping") == 0) {
    char answer[64];
    snprintf(answer, sizeof answer, "pong %.40s", rest);
    control_say(answer);
  } else if (strcmp(text, "clock") == 0) {
    say_result(set_clock(rest));
  } else if (strcmp(text, "seed") == 0) {
    say_result(seed(rest));
  } else if (strcmp(text, "box") == 0) {
    say_result(describe(rest));
  } else if (strcmp(text, "graft") == 0) {
    say_result(add_graft(rest));
  } else if (strcmp(text, "start") == 0) {
    start();
  } else if (strcmp(text, "freeze") == 0) {
    say_result(box_freeze(true));
  } else if (strcmp(text, "thaw") == 0) {
    say_result(box_freeze(false));
  } else if (strcmp(text, "terminate") == 0) {
    box_terminate();
    control_say("ok");
  } else {
    control_say("error unknown");
  }
}

static void take(char next) {
  if (next != '\n') {
    if (used < sizeof line - 1) line[used++] = next;
    return;
  }
  line[used] = 0;
  if (used > 0) obey(line);
  used = 0;
}

void control_ready(int port) {
  control = port;
  flush();
  char text[512];
  for (ssize_t n; (n = read(port, text, sizeof text)) > 0;)
    for (ssize_t i = 0; i < n; i++) take(text[i]);
}
