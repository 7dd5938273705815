package dev.cove.guest;

/** Numbers of the wire protocol; {@code PROTOCOL.md} says what they mean. */
final class Frame {
  static final int MAGIC = 0x45564f43;
  static final int VERSION = 2;

  /** From here on the agent asks. */
  static final int VERSION_WITH_ASKS = 2;

  static final int MIN_VERSION = 1;
  static final int HEAD = 9;
  static final int PAYLOAD_MAX = 32 * 1024;

  static final byte HELLO = 1;
  static final byte OPEN = 2;
  static final byte ARGS = 3;
  static final byte REPLY = 4;
  static final byte FAIL = 5;
  static final byte DATA = 6;
  static final byte END = 7;
  static final byte CREDIT = 8;
  static final byte EXIT = 9;
  static final byte CLOSE = 10;
  static final byte SIGNAL = 11;
  static final byte RESIZE = 12;
  static final byte ASK = 13;
  static final byte ANSWER = 14;

  static final byte STREAM_IN = 0;
  static final byte STREAM_OUT = 1;
  static final byte STREAM_ERR = 2;

  static final int ASK_CHECKPOINT = 1;
  static final int GRANTED = 0;
  static final int REFUSED = 1;

  private Frame() {}
}
