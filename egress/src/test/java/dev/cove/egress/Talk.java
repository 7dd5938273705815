package dev.cove.egress;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;

/** What programs inside say and hear. */
final class Talk {
  /** Fatal, access denied. */
  static final String ALERT = "\u0015\u0003\u0003\u0000\u0002\u00021";

  static final String RESET = "(reset)";

  private Talk() {}

  static void say(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  static String hear(Socket socket, int length) throws IOException {
    return new String(socket.getInputStream().readNBytes(length), StandardCharsets.ISO_8859_1);
  }

  /** Everything up to the end, or that it was reset. */
  static String hearAll(Socket socket) throws IOException {
    var heard = new StringBuilder();
    try {
      for (int c; (c = socket.getInputStream().read()) >= 0; ) {
        heard.append((char) c);
      }
      return heard.toString();
    } catch (SocketException e) {
      return heard + RESET;
    }
  }

  /** What comes back when that is said first. */
  static String answer(Socket socket, String text) throws IOException {
    try (socket) {
      try {
        say(socket, text);
      } catch (SocketException e) {
        return RESET;
      }
      return hearAll(socket);
    }
  }

  /** Opens connections. */
  interface Dial {
    Socket dial() throws IOException;
  }

  /** The same, anew when that was said too late for an answer in words, as on a busy machine. */
  static String answerInWords(Dial dial, String text) throws IOException {
    String heard = RESET;
    for (int i = 0; i < 20 && heard.equals(RESET); i++) {
      heard = answer(dial.dial(), text);
    }
    return heard;
  }
}
