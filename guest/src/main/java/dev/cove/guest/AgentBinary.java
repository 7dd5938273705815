package dev.cove.guest;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The agent's program, as it was built with this module for the machine we run on. */
public final class AgentBinary {
  private final byte[] bytes;
  private final String sha256;

  private AgentBinary(byte[] bytes) {
    this.bytes = bytes;
    try {
      this.sha256 = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256", e);
    }
  }

  public static AgentBinary forThisMachine() {
    String arch = System.getProperty("os.arch").equals("aarch64") ? "aarch64" : "x86_64";
    String name = "/native/linux-" + arch + "/cove-agent";
    try (InputStream in = AgentBinary.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("This build of Cove has no agent for linux-" + arch);
      }
      return new AgentBinary(in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException("The agent's program can't be read", e);
    }
  }

  public byte[] bytes() {
    return bytes.clone();
  }

  public String sha256() {
    return sha256;
  }
}
