package dev.cove.bench.measure;

import dev.cove.bench.report.Finding;
import dev.cove.bench.report.Section;
import dev.cove.sdk.CodeRun;
import dev.cove.sdk.Cove;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.TemplateBuild;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Code in the interpreter of the template that is made for it. */
final class CodeRuns implements Measurement {
  private static final String TEMPLATE = "code-interpreter-v1";
  private static final String SUM = "1 + 1";
  private static final String TABLE = "import pandas\npandas.DataFrame({'a': [2]}).a[0]";
  private static final Duration SETTLING = Duration.ofMillis(100);

  @Override
  public String name() {
    return "code";
  }

  @Override
  public String title() {
    return "Result of code in the interpreter";
  }

  @Override
  public Section measure(Workbench bench) throws IOException, InterruptedException {
    try (BenchServer server = bench.startServer(Map.of())) {
      Cove cove = server.cove();
      cove.templates().build(TemplateBuild.fromRecipe(TEMPLATE));
      try (Sandbox running = create(cove)) {
        run(running, TABLE);
        var rounds = new Rounds(SETTLING);
        rounds.add("first", "1+1 in Python in a sandbox just made", () -> firstIn(cove, SUM));
        rounds.add("new", "create and 1+1 in Python", () -> inNew(cove, SUM));
        rounds.add("new-pandas", "create, import pandas and use it", () -> inNew(cove, TABLE));
        rounds.add("warm", "1+1 in a context that has run before", () -> run(running, SUM));
        rounds.add(
            "context-pandas",
            "a new context that imports pandas, in a sandbox that has run a while",
            () -> inContext(running));
        rounds.run(bench.effort().warmUps(), bench.effort().rounds());
        return new Section(name(), title(), List.<Finding>copyOf(rounds.timings()), rounds.notes());
      }
    }
  }

  private static Sandbox create(Cove cove) {
    return cove.sandboxes().create(CreateOptions.defaults().template(TEMPLATE));
  }

  private static Duration inNew(Cove cove, String code) throws IOException {
    var watch = new Stopwatch();
    try (Sandbox sandbox = create(cove)) {
      run(sandbox, code);
      return watch.elapsed();
    }
  }

  private static Duration firstIn(Cove cove, String code) throws IOException {
    try (Sandbox sandbox = create(cove)) {
      return run(sandbox, code);
    }
  }

  private static Duration inContext(Sandbox sandbox) throws IOException {
    var watch = new Stopwatch();
    var context = sandbox.code().createContext("python");
    requireTwo(sandbox.code().run(CodeRun.in(context, TABLE)).text());
    Duration took = watch.elapsed();
    sandbox.code().remove(context.id());
    return took;
  }

  private static Duration run(Sandbox sandbox, String code) throws IOException {
    var watch = new Stopwatch();
    Optional<String> text = sandbox.runCode("python", code).text();
    Duration took = watch.elapsed();
    requireTwo(text);
    return took;
  }

  private static void requireTwo(Optional<String> text) throws IOException {
    if (!text.equals(Optional.of("2"))) {
      throw new IOException("The code gave " + text.orElse("nothing") + " instead of 2.");
    }
  }
}
