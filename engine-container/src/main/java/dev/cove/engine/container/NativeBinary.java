package dev.cove.engine.container;

import dev.cove.engine.EngineException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A program that the build put on the class path, laid out as a file that can be run. */
final class NativeBinary {
  private NativeBinary() {}

  /** The file's name holds its digest, so another version never replaces one that is in use. */
  static Path layOut(String name, byte[] bytes, Path folder) {
    Path file = folder.resolve(name + "-" + digest(bytes));
    try {
      if (!Files.exists(file)) {
        Path fresh = Files.createTempFile(folder, name, UnfinishedFiles.SUFFIX);
        Files.write(fresh, bytes);
        Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rwx------"));
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
      }
      return file;
    } catch (IOException e) {
      throw new EngineException("Could not write the program " + file, e);
    }
  }

  static byte[] spawner() {
    return named("cove-spawner");
  }

  static byte[] named(String program) {
    String arch =
        switch (System.getProperty("os.arch")) {
          case "amd64" -> "x86_64";
          case String other -> other;
        };
    String resource = "/native/linux-" + arch + "/" + program;
    try (var stream = NativeBinary.class.getResourceAsStream(resource)) {
      if (stream == null) {
        throw new EngineException("This build of Cove has no %s for %s".formatted(program, arch));
      }
      return stream.readAllBytes();
    } catch (IOException e) {
      throw new EngineException("Could not read " + resource + " from the class path", e);
    }
  }

  private static String digest(byte[] bytes) {
    try {
      byte[] sum = MessageDigest.getInstance("SHA-256").digest(bytes);
      return HexFormat.of().formatHex(sum, 0, 8);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256", e);
    }
  }
}
