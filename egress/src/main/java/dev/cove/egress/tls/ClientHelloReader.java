package dev.cove.egress.tls;

import java.util.Arrays;
import java.util.Optional;

/**
 * Puts a ClientHello together from records and pieces of records, however small. It takes each byte
 * once, so that many small pieces cost no more than one large one.
 */
public final class ClientHelloReader {
  /** Of the bytes on the wire. */
  public static final int MAX = 64 << 10;

  private static final int HANDSHAKE = 22;
  private static final int CLIENT_HELLO = 1;
  private static final int RECORD_HEADER = 5;
  private static final int MESSAGE_HEADER = 4;
  private static final int MAX_RECORD = 1 << 14;

  private final byte[] header = new byte[RECORD_HEADER];
  private byte[] message = new byte[1 << 10];
  private int inMessage;
  private int inHeader;
  private int leftInRecord;
  private int taken;

  /**
   * Takes more bytes.
   *
   * @return the message, once it is complete
   */
  public Optional<ClientHello> take(byte[] bytes, int from, int to) throws BadHelloException {
    int at = from;
    while (at < to) {
      if (++taken > MAX) {
        throw new BadHelloException("too long");
      }
      if (leftInRecord == 0) {
        takeHeader(bytes[at++]);
      } else {
        int length = Math.min(leftInRecord, to - at);
        add(bytes, at, length);
        at += length;
        taken += length - 1;
        leftInRecord -= length;
        Optional<ClientHello> complete = complete();
        if (complete.isPresent()) {
          return complete;
        }
      }
    }
    return Optional.empty();
  }

  private void add(byte[] bytes, int from, int length) {
    if (inMessage + length > message.length) {
      message = Arrays.copyOf(message, Math.max(2 * message.length, inMessage + length));
    }
    System.arraycopy(bytes, from, message, inMessage, length);
    inMessage += length;
  }

  private void takeHeader(byte next) throws BadHelloException {
    header[inHeader++] = next;
    if (header[0] != HANDSHAKE || (inHeader > 1 && header[1] != 3)) {
      throw new BadHelloException("record");
    }
    if (inHeader == RECORD_HEADER) {
      inHeader = 0;
      leftInRecord = ((header[3] & 0xFF) << 8) | (header[4] & 0xFF);
      if (leftInRecord == 0 || leftInRecord > MAX_RECORD) {
        throw new BadHelloException("length of record");
      }
    }
  }

  private Optional<ClientHello> complete() throws BadHelloException {
    if (inMessage < MESSAGE_HEADER) {
      return Optional.empty();
    }
    int length = ((message[1] & 0xFF) << 16) | ((message[2] & 0xFF) << 8) | (message[3] & 0xFF);
    if (message[0] != CLIENT_HELLO || length > MAX) {
      throw new BadHelloException("message");
    }
    int end = MESSAGE_HEADER + length;
    if (inMessage < end) {
      return Optional.empty();
    }
    if (inMessage > end) {
      throw new BadHelloException("something behind it");
    }
    return Optional.of(ClientHello.parse(Arrays.copyOfRange(message, MESSAGE_HEADER, end)));
  }
}
