package dev.cove.guest;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A program for the inside of sandboxes, as it was built with this module for this machine. */
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
    return find("cove-agent");
  }

  /** What asks the agent for a checkpoint. */
  public static AgentBinary checkpointCommand() {
    return find("cove-checkpoint");
  }

  private static AgentBinary find(String program) {
    String arch = System.getProperty("os.arch").equals("aarch64") ? "aarch64" : "x86_64";
    String name = "/native/linux-" + arch + "/" + program;
    try (InputStream in = AgentBinary.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException(
            "This build of Cove has no %s for linux-%s".formatted(program, arch));
      }
      return new AgentBinary(in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException("The program " + program + " can't be read", e);
    }
  }

  public byte[] bytes() {
    return bytes.clone();
  }

  public String sha256() {
    return sha256;
  }
}
