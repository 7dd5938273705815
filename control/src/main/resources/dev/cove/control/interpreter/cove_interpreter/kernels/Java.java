import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import java.util.stream.Collectors;
import jdk.jshell.EvalException;
import jdk.jshell.JShell;
import jdk.jshell.JShellException;
import jdk.jshell.Snippet;
import jdk.jshell.SnippetEvent;
import jdk.jshell.SourceCodeAnalysis.CompletionInfo;
import jdk.jshell.VarSnippet;

/** Runs cells of Java by JShell, in this very process. Run from its source. */
final class Java {
  private static final PrintStream EVENTS = open();
  private static final JShell SHELL = JShell.builder().executionEngine("local").build();
  private static volatile boolean running;

  private static PrintStream open() {
    try {
      return new PrintStream(new FileOutputStream("/dev/fd/4"), true, StandardCharsets.US_ASCII);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  public static void main(String[] arguments) throws IOException {
    // The handler of the system's own, since a cell is to end and not this program.
    sun.misc.Signal.handle(
        new sun.misc.Signal("INT"),
        signal -> {
          if (running) {
            SHELL.stop();
          }
        });
    evaluateAll(
        "import java.io.*; import java.math.*; import java.util.*; import java.util.stream.*;"
            + " import java.util.function.*; import java.nio.file.*;",
        false);
    try (var lines =
        new BufferedReader(
            new InputStreamReader(new FileInputStream("/dev/fd/3"), StandardCharsets.US_ASCII))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        running = true;
        evaluateAll(unpack(line.split(" ")[2]), true);
        running = false;
        System.out.flush();
        System.err.flush();
        EVENTS.println("done");
      }
    }
    System.exit(0);
  }

  /** One snippet after another, until one fails; the value of the last is shown. */
  private static void evaluateAll(String code, boolean told) {
    String rest = code;
    SnippetEvent last = null;
    while (!rest.isBlank()) {
      CompletionInfo next = SHELL.sourceCodeAnalysis().analyzeCompletion(rest);
      String source = next.completeness().isComplete() ? next.source() : rest;
      for (SnippetEvent event : SHELL.eval(source)) {
        if (event.causeSnippet() == null) {
          if (!succeeded(event, source)) {
            return;
          }
          last = event;
        }
      }
      rest = next.completeness().isComplete() ? next.remaining() : "";
    }
    if (told && last != null && isValue(last)) {
      EVENTS.println("result 1 text/plain " + pack(last.value()));
    }
  }

  private static boolean isValue(SnippetEvent event) {
    return event.value() != null
        && !event.value().isEmpty()
        && !event.value().equals("null")
        && (event.snippet().kind() == Snippet.Kind.EXPRESSION
            || event.snippet() instanceof VarSnippet variable && variable.name().startsWith("$"));
  }

  private static boolean succeeded(SnippetEvent event, String source) {
    JShellException thrown = event.exception();
    if (thrown instanceof EvalException failure) {
      String trace =
          Arrays.stream(failure.getStackTrace())
              .map(frame -> "\n\tat " + frame)
              .collect(Collectors.joining());
      String name = failure.getExceptionClassName();
      tell(name, String.valueOf(failure.getMessage()), name + ": " + failure.getMessage() + trace);
      return false;
    }
    if (thrown != null) {
      tell(
          thrown.getClass().getSimpleName(),
          String.valueOf(thrown.getMessage()),
          thrown.toString());
      return false;
    }
    if (event.status() == Snippet.Status.REJECTED) {
      String why =
          SHELL
              .diagnostics(event.snippet())
              .map(one -> one.getMessage(Locale.ROOT))
              .collect(Collectors.joining("\n"));
      tell("CompilationError", why, why + "\n" + source.strip());
      return false;
    }
    if (event.value() == null && event.status() == Snippet.Status.NONEXISTENT) {
      tell("Interrupted", "The code was interrupted", "");
      return false;
    }
    return true;
  }

  private static void tell(String name, String value, String trace) {
    EVENTS.println("error " + pack(name) + " " + pack(value) + " " + pack(trace));
  }

  private static String pack(String text) {
    String packed = Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    return packed.isEmpty() ? "=" : packed;
  }

  private static String unpack(String word) {
    return word.equals("=")
        ? ""
        : new String(Base64.getDecoder().decode(word), StandardCharsets.UTF_8);
  }
}
