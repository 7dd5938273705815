package dev.cove.cli;

import dev.cove.sdk.CodeFailure;
import dev.cove.sdk.CodeListener;
import dev.cove.sdk.CodeResult;
import dev.cove.sdk.CodeRun;
import dev.cove.sdk.CodeValue;
import dev.cove.sdk.Cove;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** Runs code in a sandbox's interpreter. */
final class Code implements Callable<Integer> {
  /** As much as the server takes. */
  private static final int MAX_CODE = 1024 * 1024;

  private static final Map<String, String> BY_ENDING =
      Map.of(
          "py", "python",
          "js", "javascript",
          "mjs", "javascript",
          "ts", "typescript",
          "sh", "bash",
          "bash", "bash",
          "java", "java",
          "jsh", "java",
          "r", "r");

  private final Session session;
  private String box = "";
  private String file = "";
  private Optional<String> language = Optional.empty();
  private Optional<String> context = Optional.empty();
  private Optional<Duration> timeout = Optional.empty();
  private Map<String, String> env = Map.of();

  private Code(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var code = new Code(session);
    return Description.of(
            code, "Run code in a sandbox, in a context that remembers what ran before.")
        .text(
            "--language",
            "NAME",
            "python, javascript, typescript, bash, java or r; default by the file's ending.",
            v -> code.language = Optional.of(v))
        .text(
            "--context",
            "ID",
            "A context that was made before.",
            v -> code.context = Optional.of(v))
        .pairs("-e --env", "A variable for this run; may be given often.", v -> code.env = v)
        .value(
            "--timeout",
            "TIME",
            "Interrupt it after so long: 500ms, 30s, 5m or 2h.",
            new CommandFlags.Time(),
            Duration.class,
            v -> code.timeout = Optional.of(v))
        .parameter("BOX", "The sandbox's id or name.", v -> code.box = v)
        .parameter("FILE", "The code; - is our input.", v -> code.file = v)
        .examples(
            "cove create --name lab --template code-interpreter-v1",
            "echo 'x = 41' | cove code lab -",
            "echo 'x + 1' | cove code lab -",
            "cove code lab plot.py")
        .note("The exit code is 1 when the code fails. Pictures are named and not shown.")
        .build();
  }

  @Override
  public Integer call() {
    if (language.isPresent() && context.isPresent()) {
      throw new Misuse("A context has its language; give --language or --context");
    }
    String text = read();
    try (Cove cove = session.connect()) {
      CodeResult result =
          cove.sandboxes().require(box).code().run(run(text), new Printing(session));
      return result.failure().isPresent() ? ExitCode.FAILED : ExitCode.OK;
    }
  }

  private CodeRun run(String text) {
    CodeRun run =
        context
            .map(id -> CodeRun.inContext(id, text))
            .orElseGet(() -> CodeRun.of(language.orElseGet(this::byEnding), text));
    for (var variable : env.entrySet()) {
      run = run.env(variable.getKey(), variable.getValue());
    }
    return timeout.map(run::timeout).orElse(run);
  }

  private String byEnding() {
    int dot = file.lastIndexOf('.');
    String ending = dot < 0 ? "" : file.substring(dot + 1).toLowerCase(Locale.ROOT);
    return BY_ENDING.getOrDefault(ending, "python");
  }

  private String read() {
    try (InputStream in = FileInput.open(session, file)) {
      byte[] bytes = in.readNBytes(MAX_CODE + 1);
      if (bytes.length > MAX_CODE) {
        throw new UserError("The code has more than %d bytes".formatted(MAX_CODE));
      }
      return new String(bytes, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw UserError.of(file + " cannot be read", e);
    }
  }

  /** Text where there is one, else what kind of thing it is. */
  private record Printing(Session session) implements CodeListener {
    @Override
    public void stdout(String text) {
      session.print(text);
    }

    @Override
    public void stderr(String text) {
      session.prompt(text);
    }

    @Override
    public void value(CodeValue value) {
      String kinds = "<" + String.join(", ", value.shown().keySet()) + ">";
      session.println(value.text().orElse(kinds));
    }

    @Override
    public void failure(CodeFailure failure) {
      String trace = failure.traceback().stripTrailing();
      session.note(trace.isEmpty() ? failure.name() + ": " + failure.value() : trace);
    }
  }
}
