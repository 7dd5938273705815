/* How a child tells what it has done, or the step that failed. */
#define _GNU_SOURCE
#include "spawner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

const char *step = "start";
const char *step_name;
static int report_fd = -1;

void report_to(int fd) { report_fd = fd; }

void report_from(int lowest) {
  int moved = check(fcntl(report_fd, F_DUPFD_CLOEXEC, lowest));
  close(report_fd);
  report_fd = moved;
}

void child_fail(int error) {
  unsigned char message[8 + 512];
  uint32_t head[2] = {REPORT_ERROR, (uint32_t)error};
  memcpy(message, head, sizeof head);
  int length = snprintf((char *)message + 8, 512, step_name ? "%s %s" : "%s", step, step_name);
  if (length > 511) length = 511;
  ssize_t ignored = write(report_fd, message, 8 + (size_t)length);
  (void)ignored;
  _exit(111);
}

int check(int result) {
  if (result < 0) child_fail(errno);
  return result;
}

void report_values(const uint64_t *values, int count) {
  unsigned char message[8 + 8 * 8];
  uint32_t head[2] = {REPORT_VALUES, (uint32_t)count};
  memcpy(message, head, sizeof head);
  if (count > 0) memcpy(message + 8, values, sizeof(uint64_t) * (size_t)count);
  size_t size = 8 + sizeof(uint64_t) * (size_t)count;
  check(write(report_fd, message, size) == (ssize_t)size ? 0 : -1);
}

void report_end(void) {
  close(report_fd);
  report_fd = -1;
}

/* A mount that outlives the child: the descriptor travels with the message. */
void report_mount(uint64_t value, int mount) {
  unsigned char message[16];
  uint32_t head[2] = {REPORT_VALUES, 1};
  memcpy(message, head, sizeof head);
  memcpy(message + 8, &value, sizeof value);
  struct iovec data = {message, sizeof message};
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr align;
  } control;
  struct msghdr packet = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control,
                          .msg_controllen = sizeof control};
  struct cmsghdr *rights = CMSG_FIRSTHDR(&packet);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(int));
  memcpy(CMSG_DATA(rights), &mount, sizeof(int));
  check(sendmsg(report_fd, &packet, MSG_NOSIGNAL) == sizeof message ? 0 : -1);
}
