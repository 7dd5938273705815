package dev.cove.guest;

import java.time.Duration;

/** What a channel can be opened for, and how long its first answer may take. */
enum Op {
  START(1, 60),
  ATTACH(2, 30),
  PROCESSES(3, 30),
  SIGNAL(4, 30),
  FORGET(5, 30),
  METRICS(6, 30),
  CONNECT(7, 30),
  READ(16, 30),
  WRITE(17, 60),
  STAT(18, 30),
  LIST(19, 60),
  MKDIR(20, 30),
  MOVE(21, 60),
  REMOVE(22, 600),
  CHMOD(23, 30),
  SYMLINK(24, 30),
  WATCH(25, 60),
  UNPACK(26, 600),
  PACK(27, 60);

  final byte code;
  final Duration patience;

  Op(int code, int patienceSeconds) {
    this.code = (byte) code;
    this.patience = Duration.ofSeconds(patienceSeconds);
  }

  /**
   * Whether its caller waits for all of its bytes, as with a file. What programs say and are told
   * may well take as long as they stand still.
   */
  boolean owesBytes() {
    return switch (this) {
      case START, ATTACH, CONNECT, WATCH -> false;
      default -> true;
    };
  }

  boolean hasExit() {
    return this == START || this == ATTACH;
  }
}
