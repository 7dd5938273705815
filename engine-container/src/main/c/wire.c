/* Frames: u32 length of the rest, u32 sequence, u8 kind, then fields in the machine's byte order. */
#include "spawner.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { KIND_HELLO = 1, KIND_OK = 2, KIND_ERROR = 3, KIND_EXIT = 4 };

static const unsigned char *take(struct reader *reader, size_t size) {
  if (reader->left < size) {
    reader->bad = 1;
    return NULL;
  }
  const unsigned char *at = reader->at;
  reader->at += size;
  reader->left -= size;
  return at;
}

uint16_t take_u16(struct reader *reader) {
  uint16_t value = 0;
  const unsigned char *at = take(reader, sizeof value);
  if (at) memcpy(&value, at, sizeof value);
  return value;
}

uint32_t take_u32(struct reader *reader) {
  uint32_t value = 0;
  const unsigned char *at = take(reader, sizeof value);
  if (at) memcpy(&value, at, sizeof value);
  return value;
}

uint64_t take_u64(struct reader *reader) {
  uint64_t value = 0;
  const unsigned char *at = take(reader, sizeof value);
  if (at) memcpy(&value, at, sizeof value);
  return value;
}

/* A u16 length, the bytes, and a NUL that is not counted: usable in place. */
const char *take_string(struct reader *reader) {
  uint16_t size = take_u16(reader);
  const unsigned char *at = take(reader, (size_t)size + 1);
  if (!at || at[size] != 0 || memchr(at, 0, size)) {
    reader->bad = 1;
    return "";
  }
  return (const char *)at;
}

/* The engine always reads, so a blocking write is right; when it is gone, so are we. */
static void send_frame(unsigned char *frame, size_t size) {
  uint32_t rest = (uint32_t)(size - sizeof(uint32_t));
  memcpy(frame, &rest, sizeof rest);
  while (size > 0) {
    ssize_t n = write(STDOUT_FILENO, frame, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) _exit(0);
    frame += n;
    size -= (size_t)n;
  }
}

static size_t begin(unsigned char *frame, uint32_t seq, unsigned char kind) {
  memcpy(frame + 4, &seq, sizeof seq);
  frame[8] = kind;
  return 9;
}

void send_hello(uint32_t facts) {
  unsigned char frame[16];
  size_t size = begin(frame, 0, KIND_HELLO);
  memcpy(frame + size, &facts, sizeof facts);
  send_frame(frame, size + sizeof facts);
}

void send_ok(uint32_t seq, const uint64_t *values, int count) {
  unsigned char frame[9 + 8 * 8];
  size_t size = begin(frame, seq, KIND_OK);
  memcpy(frame + size, values, sizeof(uint64_t) * (size_t)count);
  send_frame(frame, size + sizeof(uint64_t) * (size_t)count);
}

/* The text is ready to be shown: the step, and the kernel's answer in words. */
void send_error(uint32_t seq, int error, const char *what) {
  unsigned char frame[9 + 4 + 640];
  size_t size = begin(frame, seq, KIND_ERROR);
  uint32_t number = (uint32_t)error;
  memcpy(frame + size, &number, sizeof number);
  size += sizeof number;
  int length = snprintf((char *)frame + size, 640, "%.512s: %s", what, strerror(error));
  send_frame(frame, size + (size_t)(length < 640 ? length : 639));
}

void send_exit(int pid, uint64_t start_time, uint32_t status) {
  unsigned char frame[32];
  size_t size = begin(frame, 0, KIND_EXIT);
  uint32_t number = (uint32_t)pid;
  memcpy(frame + size, &number, 4);
  memcpy(frame + size + 4, &start_time, 8);
  memcpy(frame + size + 12, &status, 4);
  send_frame(frame, size + 16);
}
