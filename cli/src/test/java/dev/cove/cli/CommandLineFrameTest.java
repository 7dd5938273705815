package dev.cove.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class CommandLineFrameTest {
  @TempDir private Path empty;

  private CommandRun offline(String... args) {
    return CommandRun.of(Map.of("COVE_HOME", empty.toString()), args);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "run",
        "create",
        "ls",
        "exec",
        "shell",
        "cp",
        "ps",
        "top",
        "url",
        "forward",
        "rm",
        "checkpoint",
        "restore",
        "fork",
        "tree",
        "template",
        "export",
        "import",
        "volume",
        "network",
        "secret",
        "up",
        "down",
        "env",
        "e2b",
        "key",
        "system",
        "server",
        "doctor",
        "bench",
        "verify",
        "completion",
        "version"
      })
  void every_verb_has_a_help_text_and_is_in_the_list(String verb) {
    CommandRun help = offline(verb, "--help");
    assertThat(help.code()).isZero();
    assertThat(help.out()).startsWith("Usage: cove " + verb).contains("Show this text.");
    assertThat(offline("help", verb).out()).isEqualTo(help.out());
    assertThat(offline("--help").out()).containsPattern("\n  " + verb + " +[A-Z]");
  }

  @Test
  void a_mistyped_verb_or_option_is_answered_with_what_was_meant() {
    CommandRun verb = offline("creat");
    assertThat(verb.code()).isEqualTo(ExitCode.USAGE);
    assertThat(verb.err()).contains("cove: Unmatched argument").contains("cove create");
    CommandRun option = offline("ls", "--jsn");
    assertThat(option.code()).isEqualTo(ExitCode.USAGE);
    assertThat(option.err()).contains("--json");
  }

  @Test
  void no_verb_at_all_says_what_to_do() {
    CommandRun nothing = offline();
    assertThat(nothing.code()).isEqualTo(ExitCode.FAILED);
    assertThat(nothing.err()).contains("cove --help").doesNotContain("Exception");
  }

  @Test
  void a_mistake_in_a_verb_that_passes_codes_through_is_not_taken_for_the_commands_own() {
    assertThat(offline("exec").code()).isEqualTo(ExitCode.COVE_FAILED);
    assertThat(offline("exec", "box").code()).isEqualTo(ExitCode.COVE_FAILED);
    assertThat(offline("run").code()).isEqualTo(ExitCode.COVE_FAILED);
    assertThat(offline("run", "--memory", "lots", "--", "true").code())
        .isEqualTo(ExitCode.COVE_FAILED);
    assertThat(offline("shell", "box").code()).isEqualTo(ExitCode.COVE_FAILED);
  }

  @Test
  void checkpoint_takes_a_sandbox_or_a_verb_below_it() {
    for (String[] call :
        new String[][] {
          {"checkpoint", "box"},
          {"checkpoint", "box", "--name", "n", "--json"},
          {"checkpoint", "--name", "ls", "box"},
          {"checkpoint", "--", "ls"},
          {"checkpoint", "ls"},
          {"checkpoint", "ls", "--json", "box"},
          {"checkpoint", "rm", "c1", "c2"}
        }) {
      CommandRun understood = offline(call);
      assertThat(understood.err()).startsWith("cove: No Cove server runs here.");
      assertThat(understood.code()).isEqualTo(ExitCode.FAILED);
    }
    assertThat(offline("checkpoint", "--help").out())
        .startsWith(
            "Usage: cove checkpoint [--json] [--name=NAME] BOX\n   or: cove checkpoint VERB")
        .containsPattern("\n  ls +List");
  }

  @Test
  void checkpoint_refuses_what_would_be_lost() {
    for (String[] call :
        new String[][] {
          {"checkpoint"},
          {"checkpoint", "--name", "n"},
          {"checkpoint", "box", "other"},
          {"checkpoint", "box", "ls"},
          {"checkpoint", "--json", "ls"},
          {"checkpoint", "box", "rm", "c1"},
          {"checkpoint", "rm"},
          {"checkpoint", "ls", "box", "other"}
        }) {
      CommandRun misused = offline(call);
      assertThat(misused.code()).as(String.join(" ", call)).isEqualTo(ExitCode.USAGE);
      assertThat(misused.err()).startsWith("cove: ").doesNotContain("Exception");
    }
    assertThat(offline("checkpoint").err())
        .isEqualTo(
            "cove: Say which sandbox: cove checkpoint BOX.\nTry 'cove checkpoint --help'.\n");
  }

  @Test
  void restore_and_fork_want_all_their_words() {
    assertThat(offline("restore", "box").code()).isEqualTo(ExitCode.USAGE);
    assertThat(offline("restore", "box", "c1").code()).isEqualTo(ExitCode.FAILED);
    assertThat(offline("fork").code()).isEqualTo(ExitCode.USAGE);
    assertThat(offline("fork", "--count", "many", "box").code()).isEqualTo(ExitCode.USAGE);
    assertThat(offline("fork", "--count", "3", "box").code()).isEqualTo(ExitCode.FAILED);
  }

  @Test
  void where_no_server_runs_the_message_says_how_to_start_one() {
    CommandRun ls = offline("ls");
    assertThat(ls.code()).isEqualTo(ExitCode.FAILED);
    assertThat(ls.err())
        .isEqualTo(
            "cove: No Cove server runs here. Start one with 'cove up', or set COVE_URL and"
                + " COVE_API_KEY.\n");
  }

  @Test
  void env_quotes_what_a_shell_would_take_apart() {
    CommandRun env =
        CommandRun.of(Map.of("COVE_URL", "http://h:1/a?b", "COVE_API_KEY", "it's $x"), "env");
    assertThat(env.out())
        .isEqualTo("export COVE_URL='http://h:1/a?b' COVE_API_KEY='it'\\''s $x'\n");
  }

  @Test
  void e2b_env_has_the_same_key_behind_the_prefix_that_its_clients_want() {
    CommandRun env =
        CommandRun.of(Map.of("COVE_URL", "http://h:1/", "COVE_API_KEY", "cove_0a"), "e2b", "env");
    assertThat(env.out())
        .isEqualTo(
            """
            export E2B_API_KEY=e2b_0a
            unset E2B_DEBUG E2B_DOMAIN
            export E2B_API_URL=http://h:1/e2b
            export E2B_SANDBOX_URL=http://h:1/e2b
            export E2B_VOLUME_API_URL=http://h:1/e2b
            """);
  }

  @Test
  void a_url_that_makes_no_sense_is_one_sentence() {
    CommandRun ls = CommandRun.of(Map.of("COVE_URL", "ftp://h", "COVE_API_KEY", "k"), "ls");
    assertThat(ls.code()).isEqualTo(ExitCode.FAILED);
    assertThat(ls.err().lines()).hasSize(1);
  }

  @Test
  void the_completion_script_is_one_that_bash_can_read() throws Exception {
    CommandRun script = offline("completion", "bash");
    var process = new ProcessBuilder("bash", "-n").redirectErrorStream(true).start();
    try (var in = process.getOutputStream()) {
      in.write(script.out().getBytes(StandardCharsets.UTF_8));
    }
    assertThat(process.waitFor()).isZero();
    assertThat(script.out()).contains("--idempotency-key");
    for (String verb :
        List.of(
            "checkpoint_ls",
            "checkpoint_rm",
            "restore",
            "fork",
            "tree",
            "template_build",
            "network_explain",
            "secret_bind")) {
      assertThat(script.out()).contains("function _picocli_cove_" + verb + "()");
    }
    assertThat(offline("completion", "fish").code()).isEqualTo(ExitCode.USAGE);
  }
}
