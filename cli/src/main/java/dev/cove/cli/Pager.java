package dev.cove.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Shows what is longer than the screen in the pager that the user likes. */
final class Pager {
  private static final int NOT_FOUND = 127;
  private static final Map<String, String> FOR_LESS = Map.of("LESS", "FRX", "LESSCHARSET", "utf-8");

  private final Session session;

  Pager(Session session) {
    this.session = session;
  }

  void show(String text) {
    String pager = session.environment().getOrDefault("PAGER", "less -R");
    if (fits(text) || pager.isBlank() || pager.equals("cat") || !page(pager, text)) {
      session.print(text);
    }
  }

  private boolean fits(String text) {
    if (!session.terminal().isOutput()) {
      return true;
    }
    long lines = text.lines().count();
    return session.terminal().findSize().map(size -> lines < size.rows()).orElse(true);
  }

  /** False where there is no such program. */
  private boolean page(String pager, String text) {
    var builder =
        new ProcessBuilder("sh", "-c", pager)
            .redirectOutput(ProcessBuilder.Redirect.INHERIT)
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    FOR_LESS.forEach(builder.environment()::putIfAbsent);
    // A Ctrl-C is for the pager; it goes on, and so must we, or two would read one terminal.
    try (Signals _ = new Signals().on("INT", () -> {})) {
      Process process = builder.start();
      feed(process, text);
      return process.waitFor() != NOT_FOUND;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  private static void feed(Process process, String text) {
    try (OutputStream to = process.getOutputStream()) {
      to.write(text.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      // The reader has seen enough.
    }
  }
}
