package dev.cove.egress.name;

import dev.cove.model.network.DomainName;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A line for each name that got an address, added as they come. It is for a server that ends and
 * starts again while sandboxes run on. When the whole machine ends so do they, so nothing waits for
 * the disk.
 */
final class NameFile implements AutoCloseable {
  private static final Pattern LINE = Pattern.compile("([0-9]{1,6}) (\\S{1,253})");
  private static final int LONG = 2 * NameTable.CAPACITY;

  /** What a line says. */
  interface Reader {
    void take(int offset, DomainName name);
  }

  private final Path file;
  private @Nullable FileChannel channel;
  private int lines;

  NameFile(Path file) {
    this.file = file;
  }

  /** A last line without an end was being written when somebody pulled the plug: it is cut off. */
  void read(Reader reader) throws IOException {
    String text;
    try {
      text = Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (NoSuchFileException e) {
      return;
    }
    String whole = text.substring(0, text.lastIndexOf('\n') + 1);
    whole.lines().forEach(line -> read(line, reader));
    if (whole.length() < text.length()) {
      try (FileChannel cut = FileChannel.open(file, StandardOpenOption.WRITE)) {
        cut.truncate(whole.length());
      }
    }
  }

  private void read(String line, Reader reader) {
    lines++;
    Matcher parts = LINE.matcher(line);
    if (parts.matches()) {
      try {
        reader.take(Integer.parseInt(parts.group(1)), new DomainName(parts.group(2)));
      } catch (IllegalArgumentException e) {
        // Not written by us: it stands for nothing.
      }
    }
  }

  void append(int offset, DomainName name) throws IOException {
    if (channel == null) {
      channel =
          FileChannel.open(
              file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
    }
    long end = channel.size();
    try {
      write(channel, line(offset, name));
      lines++;
    } catch (IOException e) {
      channel.truncate(end);
      throw e;
    }
  }

  /** Whether most of its lines are of names that have gone. */
  boolean isLong() {
    return lines >= LONG;
  }

  void replace(Map<DomainName, Integer> held) throws IOException {
    var text = new StringBuilder();
    held.forEach((name, offset) -> text.append(line(offset, name)));
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    Files.writeString(fresh, text);
    close();
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    lines = held.size();
  }

  private static String line(int offset, DomainName name) {
    return offset + " " + name.value() + "\n";
  }

  private static void write(FileChannel to, String text) throws IOException {
    ByteBuffer bytes = StandardCharsets.US_ASCII.encode(text);
    while (bytes.hasRemaining()) {
      to.write(bytes);
    }
  }

  @Override
  public void close() throws IOException {
    FileChannel open = channel;
    channel = null;
    if (open != null) {
      open.close();
    }
  }
}
