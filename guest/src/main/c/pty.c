#include "agent.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>

#ifndef TIOCGPTPEER
#define TIOCGPTPEER 0x5441
#endif

void pty_resize(int master, int rows, int cols) {
  struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};
  ioctl(master, TIOCSWINSZ, &size);
}

/* The slave is taken from the master itself: a name below /dev/pts could be anything. */
int pty_open(int rows, int cols, uid_t owner, int *slave) {
  int master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (master < 0) return -1;
  int unlock = 0;
  *slave = -1;
  if (ioctl(master, TIOCSPTLCK, &unlock) == 0)
    *slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (*slave < 0) {
    int err = errno;
    close(master);
    errno = err;
    return -1;
  }
  pty_resize(master, rows, cols);
  /* Programs that open their terminal by name need to own it; those that don't work anyway. */
  if (fchown(*slave, owner, (gid_t)-1) == 0) fchmod(*slave, 0620);
  return master;
}

int pty_end_char(int master) {
  struct termios t;
  if (tcgetattr(master, &t) < 0 || !(t.c_lflag & ICANON)) return -1;
  return t.c_cc[VEOF] ? t.c_cc[VEOF] : -1;
}
