package dev.cove.sdk.transport;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Status and headers; names are in lower case, repeated ones joined by a comma. */
record ResponseHead(int status, boolean http11, Map<String, String> headers) {
  private static final int MAX_LINE = 16 * 1024;
  private static final int MAX_HEADERS = 200;
  private static final int MAX_INFORMATIONAL = 16;

  /** Reads the final head; interim answers (100, 103) are passed over. */
  static ResponseHead read(WireInput input) throws IOException {
    for (int i = 0; i < MAX_INFORMATIONAL; i++) {
      ResponseHead head = readOne(input);
      if (head.status >= 200 || head.status == 101) {
        return head;
      }
    }
    throw new ProtocolException("The server sent interim answers without end");
  }

  private static ResponseHead readOne(WireInput input) throws IOException {
    String line = input.readLine(MAX_LINE);
    if (!line.matches("HTTP/1\\.[01] [1-5][0-9][0-9]( .*)?")) {
      throw new ProtocolException("The server's answer does not begin like HTTP/1.1");
    }
    int status = Integer.parseInt(line, 9, 12, 10);
    Map<String, String> headers = new LinkedHashMap<>();
    for (String header = input.readLine(MAX_LINE);
        !header.isEmpty();
        header = input.readLine(MAX_LINE)) {
      if (headers.size() == MAX_HEADERS) {
        throw new ProtocolException("The server sent more than " + MAX_HEADERS + " headers");
      }
      add(headers, header);
    }
    return new ResponseHead(status, line.startsWith("HTTP/1.1"), headers);
  }

  private static void add(Map<String, String> headers, String line) throws IOException {
    int colon = line.indexOf(':');
    if (colon <= 0 || line.charAt(0) == ' ' || line.charAt(0) == '\t') {
      throw new ProtocolException("The server sent a header without a name");
    }
    String name = line.substring(0, colon).toLowerCase(Locale.ROOT);
    String value = line.substring(colon + 1).strip();
    headers.merge(name, value, (before, more) -> before.equals(more) ? more : before + "," + more);
  }

  Optional<String> find(String name) {
    return Optional.ofNullable(headers.get(name));
  }

  boolean chunked() throws IOException {
    Optional<String> encoding = find("transfer-encoding");
    if (encoding.isPresent() && !encoding.get().equalsIgnoreCase("chunked")) {
      throw new ProtocolException("The server used a transfer encoding other than chunked");
    }
    return encoding.isPresent();
  }

  /** The declared length, or -1 when there is none. Two that differ are refused. */
  long contentLength() throws IOException {
    Optional<String> length = find("content-length");
    if (length.isEmpty()) {
      return -1;
    }
    if (!length.get().matches("[0-9]{1,18}")) {
      throw new ProtocolException("The server sent a content length that makes no sense");
    }
    return Long.parseLong(length.get());
  }

  boolean keepsAlive() {
    String connection = find("connection").orElse("").toLowerCase(Locale.ROOT);
    return http11 ? !connection.contains("close") : connection.contains("keep-alive");
  }
}
