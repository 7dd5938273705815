package dev.cove.cli;

import dev.cove.model.file.ByteText;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** What git's fast-import reads: blobs and commits that touch neither index nor files. */
final class GitStream implements AutoCloseable {
  private static final int BLANK_TO_DELETE = 0x7f;

  private final Path file;
  private final OutputStream out;

  private GitStream(Path file, OutputStream out) {
    this.file = file;
    this.out = out;
  }

  static GitStream open() throws IOException {
    Path file = Files.createTempFile("cove-git", null);
    return new GitStream(file, new BufferedOutputStream(Files.newOutputStream(file)));
  }

  /**
   * @param author with the time, as git writes it; so is the committer
   */
  void commit(String branch, String author, String committer, String message, Optional<String> on)
      throws IOException {
    line("commit refs/heads/" + branch);
    line("author " + author);
    line("committer " + committer);
    data(message.getBytes(StandardCharsets.UTF_8));
    if (on.isPresent()) {
      line("from " + on.get());
    }
  }

  void modify(String mode, String path, byte[] content) throws IOException {
    line("M " + mode + " inline " + quoted(path));
    data(content);
  }

  void delete(String path) throws IOException {
    line("D " + quoted(path));
  }

  /** Has the blob's id printed. */
  void blob(int number, byte[] content) throws IOException {
    line("blob");
    line("mark :" + number);
    data(content);
    line("get-mark :" + number);
  }

  /** Has all of it done, or none: without its end git takes nothing of a stream. */
  Git.Answer importInto(Git git) throws IOException {
    line("done");
    out.close();
    return git.requireFed(file, "fast-import", "--quiet", "--done");
  }

  private void data(byte[] content) throws IOException {
    line("data " + content.length);
    out.write(content);
    line("");
  }

  private void line(String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.UTF_8));
    out.write('\n');
  }

  private static String quoted(String path) {
    var quoted = new StringBuilder("\"");
    for (byte one : ByteText.encode(path)) {
      int value = Byte.toUnsignedInt(one);
      if (value == '"' || value == '\\' || value < ' ' || value >= BLANK_TO_DELETE) {
        quoted.append("\\%03o".formatted(value));
      } else {
        quoted.append((char) value);
      }
    }
    return quoted.append('"').toString();
  }

  @Override
  public void close() throws IOException {
    out.close();
    Files.deleteIfExists(file);
  }
}
