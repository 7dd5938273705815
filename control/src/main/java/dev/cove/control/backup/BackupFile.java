package dev.cove.control.backup;

import dev.cove.control.move.CheckedFile;
import dev.cove.model.CoveException;
import dev.cove.model.file.FileRanges;
import dev.cove.model.file.FileSink;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;

/** The form of a backup: files with the names that they have in a home, one after the other. */
public final class BackupFile {
  private static final CheckedFile FORM = new CheckedFile("cove backup 1", "backup of Cove's");
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}");
  private static final int MAX_DEPTH = 4;
  private static final int MAX_FILES = 5_000_000;
  private static final int END = 0;
  private static final int FILE = 1;

  private BackupFile() {}

  /** Hands files to a sink. */
  interface Source {
    void writeTo(FileSink sink) throws IOException;
  }

  static void write(Source source, OutputStream target) throws IOException {
    FORM.write(
        out -> {
          var data = new DataOutputStream(out);
          source.writeTo((name, size, content) -> {
            requireName(name);
            data.writeByte(FILE);
            data.writeUTF(name);
            data.writeLong(size);
            content.writeTo(data);
          });
          data.writeByte(END);
          data.flush();
        },
        target);
  }

  /** Refuses a file of which any byte is missing or another. */
  public static void verify(Path file) throws IOException {
    FORM.verify(file);
  }

  /**
   * Makes the files anew below a folder, which is empty, and forces them to the disk.
   *
   * @return their names
   */
  public static Set<String> unpack(Path file, Path folder) throws IOException {
    var names = new HashSet<String>();
    var folders = new HashSet<Path>();
    try (var in = new DataInputStream(FORM.open(file))) {
      while (in.readByte() == FILE) {
        String name = in.readUTF();
        requireName(name);
        if (!names.add(name) || names.size() > MAX_FILES) {
          throw refusal("it holds %s twice, or too many files".formatted(name));
        }
        Path target = folder.resolve(name);
        Files.createDirectories(
            target.getParent(),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        FileRanges.read(in, target, in.readLong());
        Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rw-------"));
        folders.add(target.getParent());
      }
    } catch (EOFException e) {
      throw refusal("it ends too early");
    }
    for (Path made : folders) {
      force(made);
    }
    force(folder);
    return names;
  }

  static void force(Path file) throws IOException {
    try (var channel = FileChannel.open(file)) {
      channel.force(true);
    }
  }

  private static void requireName(String name) {
    String[] parts = name.split("/", -1);
    for (String part : parts) {
      if (!NAME.matcher(part).matches() || part.contains("..") || parts.length > MAX_DEPTH) {
        throw refusal("it holds a file with the name " + name);
      }
    }
  }

  private static CoveException refusal(String why) {
    return FORM.refusal(why);
  }
}
