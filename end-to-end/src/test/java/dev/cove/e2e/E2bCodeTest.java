package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** E2B's own client of code interpreters, as it is published, with the interpreter of ours. */
class E2bCodeTest {
  @RegisterExtension static final RunningServer server = RunningServer.shared();

  @Test
  void the_published_client_runs_code_unmodified_and_every_method_of_it_is_used() throws Exception {
    try (var templates = new TemplateCalls(server)) {
      InterpreterTemplate.make(templates);
      try {
        var environment = new HashMap<>(E2bPackage.environment(server));
        environment.put("LIBRARY", "@e2b/code-interpreter");
        environment.put("INTERPRETER", InterpreterTemplate.NAME);
        String said = E2bPackage.of("code-interpreter-2.8.0").run("code.cjs", environment);
        assertThat(said).contains("checks passed").doesNotContain("not ok");
        var table = new E2bTable("");
        table.add("2.8.0", List.of(said));
        assertThat(table.gaps()).isEmpty();
      } finally {
        templates.removeAll();
      }
    }
  }
}
