package dev.cove.egress;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;

/** ClientHellos, right and wrong ones. */
public final class Hello {
  private final List<byte[]> extensions = new ArrayList<>();
  private int recordSize = 1 << 14;
  private int version = 0x0303;

  /** As the JDK sends it. */
  public static byte[] real(String name) throws Exception {
    SSLEngine engine = SSLContext.getDefault().createSSLEngine(name, 443);
    engine.setUseClientMode(true);
    SSLParameters parameters = engine.getSSLParameters();
    parameters.setServerNames(List.of(new SNIHostName(name)));
    engine.setSSLParameters(parameters);
    ByteBuffer out = ByteBuffer.allocate(32 << 10);
    engine.wrap(ByteBuffer.allocate(0), out);
    byte[] bytes = new byte[out.flip().remaining()];
    out.get(bytes);
    return bytes;
  }

  public Hello name(String... names) {
    var list = new ByteArrayOutputStream();
    for (String name : names) {
      byte[] bytes = name.getBytes(StandardCharsets.ISO_8859_1);
      list.write(0);
      put(list, bytes.length);
      list.writeBytes(bytes);
    }
    var body = new ByteArrayOutputStream();
    put(body, list.size());
    body.writeBytes(list.toByteArray());
    return extension(0, body.toByteArray());
  }

  public Hello extension(int type, byte[] body) {
    var bytes = new ByteArrayOutputStream();
    put(bytes, type);
    put(bytes, body.length);
    bytes.writeBytes(body);
    extensions.add(bytes.toByteArray());
    return this;
  }

  public Hello records(int size) {
    recordSize = size;
    return this;
  }

  public Hello version(int other) {
    version = other;
    return this;
  }

  public byte[] bytes() {
    var body = new ByteArrayOutputStream();
    put(body, version);
    body.writeBytes(new byte[32]);
    body.write(0);
    body.writeBytes(new byte[] {0, 4, 0x0A, 0x0A, 0x13, 0x01});
    body.writeBytes(new byte[] {1, 0});
    put(body, extensions.stream().mapToInt(bytes -> bytes.length).sum());
    extensions.forEach(body::writeBytes);
    byte[] message =
        ByteBuffer.allocate(4 + body.size())
            .putInt((1 << 24) | body.size())
            .put(body.toByteArray())
            .array();
    var records = new ByteArrayOutputStream();
    for (int at = 0; at < message.length; at += recordSize) {
      int length = Math.min(recordSize, message.length - at);
      records.writeBytes(new byte[] {22, 3, 1});
      put(records, length);
      records.write(message, at, length);
    }
    return records.toByteArray();
  }

  public String text() {
    return new String(bytes(), StandardCharsets.ISO_8859_1);
  }

  private static void put(ByteArrayOutputStream to, int number) {
    to.write(number >> 8);
    to.write(number);
  }
}
