package dev.cove.control.build;

import dev.cove.guest.GuestException;
import dev.cove.guest.GuestFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Supplier;

/** Who is meant by a name in --chown: looked up where the files will be. */
final class Accounts {
  private static final int MAX_FILE = 1024 * 1024;
  private static final long MAX_ID = 65_535;

  private final Supplier<GuestFiles> files;
  private final int line;

  Accounts(Supplier<GuestFiles> files, int line) {
    this.files = files;
    this.line = line;
  }

  /** The user's number, and that of his group. */
  long[] user(String name) {
    if (isNumber(name)) {
      long id = number(name);
      return new long[] {id, id};
    }
    String[] entry =
        entry("/etc/passwd", name, 4)
            .orElseThrow(() -> new BuildException(line, "There is no user %.64s".formatted(name)));
    return new long[] {number(entry[2]), number(entry[3])};
  }

  long group(String name) {
    if (isNumber(name)) {
      return number(name);
    }
    String[] entry =
        entry("/etc/group", name, 3)
            .orElseThrow(() -> new BuildException(line, "There is no group %.64s".formatted(name)));
    return number(entry[2]);
  }

  private static boolean isNumber(String text) {
    return !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
  }

  private long number(String text) {
    if (!isNumber(text) || text.length() > 9 || Long.parseLong(text) > MAX_ID) {
      throw new BuildException(
          line, "An owner's number is at most %d, not %.64s".formatted(MAX_ID, text));
    }
    return Long.parseLong(text);
  }

  private Optional<String[]> entry(String file, String name, int fields) {
    try (var content = files.get().read(file, 0, MAX_FILE)) {
      String text = new String(content.stream().readAllBytes(), StandardCharsets.UTF_8);
      return text.lines()
          .map(entry -> entry.split(":"))
          .filter(entry -> entry.length >= fields && entry[0].equals(name))
          .findFirst();
    } catch (GuestException _) {
      return Optional.empty(); // there need not be such a file
    } catch (IOException e) {
      throw new BuildException(line, file + " cannot be read: " + e.getMessage());
    }
  }
}
