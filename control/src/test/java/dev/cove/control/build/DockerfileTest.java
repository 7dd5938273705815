package dev.cove.control.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DockerfileTest {
  private static Dockerfile parse(String text) {
    return Dockerfile.parse(text, Map.of());
  }

  private static List<Step> steps(String text) {
    return parse("FROM base\n" + text).stages().getFirst().steps();
  }

  private static Step step(String text) {
    List<Step> steps = steps(text);
    assertThat(steps).hasSize(1);
    return steps.getFirst();
  }

  private static List<String> shell(String command) {
    return List.of("/bin/sh", "-c", command);
  }

  private static void assertRefused(String text, String message) {
    assertThatThrownBy(() -> parse(text)).isInstanceOf(BuildException.class).hasMessage(message);
  }

  @Test
  void a_run_in_shell_form_is_given_to_the_shell_with_its_variables_untouched() {
    assertThat(step("RUN echo $HOME \"a  b\"  # no comment"))
        .isEqualTo(
            new Step.Run(
                2,
                "RUN echo $HOME \"a  b\"  # no comment",
                shell("echo $HOME \"a  b\"  # no comment")));
  }

  @Test
  void a_run_in_exec_form_is_its_array() {
    assertThat(((Step.Run) step("run [ \"a\", \"b \\u00e9\\n\\\"\" ] ")).argv())
        .containsExactly("a", "b é\n\"");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "['a']",
        "[\"a\",]",
        "[\"a\"",
        "[\"a\"] && b",
        "[\"a\" \"b\"]",
        "[ -f /x ] && echo \"y\"",
        "[\"\\x\"]",
        "[\"\\u12\"]",
        "[1]"
      })
  void a_broken_array_is_a_command_for_the_shell(String rest) {
    assertThat(((Step.Run) step("RUN " + rest)).argv()).isEqualTo(shell(rest));
  }

  @Test
  void continued_lines_are_joined_over_comments_and_empty_lines() {
    Step.Run run = (Step.Run) step("RUN a && \\\r\n  # why\r\n\r\n  b \\  \r\n c\r\n");
    assertThat(run.argv()).isEqualTo(shell("a &&   b  c"));
  }

  @Test
  void lines_are_counted_where_an_instruction_begins() {
    assertThat(steps("RUN a \\\n b\n\n# c\nRUN d")).extracting(Step::line).containsExactly(2, 6);
  }

  @Test
  void an_escaped_escape_at_the_end_of_a_line_continues_nothing() {
    assertThat(steps("RUN a \\\\\nRUN b")).hasSize(2);
  }

  @Test
  void another_escape_character_can_be_chosen() {
    List<Step> steps =
        parse("# syntax=docker/dockerfile:1\n#escape = `\nFROM base\nRUN a `\n b\nENV x=C:\\y`$z")
            .stages()
            .getFirst()
            .steps();
    assertThat(((Step.Run) steps.getFirst()).argv()).isEqualTo(shell("a  b"));
    assertThat(steps.get(1).expand(nothing()))
        .extracting("values")
        .isEqualTo(Map.of("x", "C:\\y$z"));
  }

  @Test
  void a_directive_after_a_comment_is_a_comment() {
    assertThat(
            ((Step.Run)
                    parse("# hi\n# escape=`\nFROM a\nRUN x \\\n y")
                        .stages()
                        .getFirst()
                        .steps()
                        .getFirst())
                .argv())
        .isEqualTo(shell("x  y"));
  }

  private static Variables nothing() {
    return Variables.atStart(Map.of(), Map.of(), Map.of());
  }

  @Test
  void a_heredoc_alone_is_a_script_for_the_shell() {
    List<Step> steps = steps("RUN <<EOF\nset -e\n# kept\necho $X\nEOF\nRUN b");
    assertThat(((Step.Run) steps.getFirst()).argv()).isEqualTo(shell("set -e\n# kept\necho $X\n"));
    assertThat(steps.getFirst().text()).isEqualTo("RUN <<EOF\nset -e\n# kept\necho $X\nEOF");
    assertThat(steps.get(1).line()).isEqualTo(7);
  }

  @Test
  void a_heredoc_with_a_dash_loses_its_tabs() {
    assertThat(((Step.Run) step("RUN <<-'EOF'\n\ta\n\t\tb\n\tEOF")).argv())
        .isEqualTo(shell("a\nb\n"));
  }

  @Test
  void heredocs_in_a_command_are_left_to_the_shell() throws Exception {
    Step.Run run = (Step.Run) step("RUN cat <<ONE - <<\"TWO\" | tr a-z A-Z\none\nONE\n$two\nTWO");
    assertThat(output(run)).isEqualTo("$TWO\n");
    assertThat(run.argv().getLast())
        .isEqualTo("cat <<ONE - <<\"TWO\" | tr a-z A-Z\none\nONE\n$two\nTWO\n");
  }

  @Test
  void a_script_that_names_its_interpreter_is_run_by_it() throws Exception {
    Step.Run run =
        (Step.Run)
            step("RUN <<EOF\n#!/bin/bash -e\na=(1 2)\necho ${#a[@]} '$x'\nfalse\necho no\nEOF");
    assertThat(output(run)).isEqualTo("2 $x\n");
  }

  private static String output(Step.Run run) throws Exception {
    Process process = new ProcessBuilder(run.argv()).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return output;
  }

  @Test
  void shifts_and_here_strings_are_no_heredocs() {
    assertThat(steps("RUN echo $((1 << 2)) $((1 <<2))\nRUN bash -c 'cat <<<x'\nRUN b")).hasSize(3);
  }

  @Test
  void a_shell_counts_for_what_follows_and_for_stages_that_start_from_there() {
    Dockerfile file =
        parse(
            """
            FROM a AS One
            SHELL ["/bin/bash", "-ec"]
            RUN x
            CMD y
            FROM one
            ENTRYPOINT z
            FROM a
            RUN x
            """);
    assertThat(file.stages().get(0).steps())
        .containsExactly(
            new Step.Shell(2, "SHELL [\"/bin/bash\", \"-ec\"]", List.of("/bin/bash", "-ec")),
            new Step.Run(3, "RUN x", List.of("/bin/bash", "-ec", "x")),
            new Step.Cmd(4, "CMD y", List.of("/bin/bash", "-ec", "y")));
    assertThat(file.stages().get(1))
        .isEqualTo(
            new Stage(
                Optional.empty(),
                "one",
                List.of(new Step.Entrypoint(6, "ENTRYPOINT z", List.of("/bin/bash", "-ec", "z")))));
    assertThat(((Step.Run) file.stages().get(2).steps().getFirst()).argv()).isEqualTo(shell("x"));
  }

  @Test
  void an_empty_array_takes_a_command_back_and_runs_nothing() {
    assertThat(((Step.Cmd) step("CMD []")).argv()).isEmpty();
    assertThat(((Step.Entrypoint) step("ENTRYPOINT []")).argv()).isEmpty();
    assertRefused("FROM a\nRUN []", "Line 2: RUN needs a command");
    assertRefused("FROM a\nSHELL []", "Line 2: SHELL needs a command");
  }

  @Test
  void copies_have_sources_a_target_and_flags() {
    assertThat(step("COPY --from=build --chown=app:$G --chmod=0755 --link a b/* /c/"))
        .isEqualTo(
            new Step.Copy(
                2,
                "COPY --from=build --chown=app:$G --chmod=0755 --link a b/* /c/",
                Optional.of("build"),
                List.of("a", "b/*"),
                "/c/",
                Optional.of("app:${G}"),
                OptionalInt.of(0755),
                false));
    assertThat(((Step.Copy) step("ADD [\"a b\", \"c d\"]")))
        .satisfies(copy -> {
          assertThat(copy.sources()).containsExactly("a b");
          assertThat(copy.target()).isEqualTo("c d");
          assertThat(copy.unpackArchives()).isTrue();
        });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "ENV a=1 b=\"x y\" c='$q' d=e\\ f   | {a=1, b=x y, c=$q, d=e f}",
        "ENV a b c  d                       | {a=b c  d}",
        "ENV a \"b c\"                      | {a=b c}",
        "ENV a=                             | {a=}",
        "ENV a=$X b=${X} c=$Xy d=$X\"y\"    | {a=ex, b=ex, c=, d=exy}",
        "ENV a=${N:-none} b=${N-none} c=${E:-e} d=${E-e} | {a=none, b=none, c=e, d=}",
        "ENV a=${X:+set} b=${N:+set} c=${E:+set} d=${E+set} | {a=set, b=, c=, d=set}",
        "ENV a=${N:-${X}-\"q }\"} b=${N:-a\\}b} | {a=ex-q }, b=a}b}",
        "ENV a=\\$X b='\\$X' c=\"\\$X\" d=\\\\$X | {a=$X, b=\\$X, c=$X, d=\\ex}",
        "ENV a=$ b=$, c=\"$\" d=$1x e=$$    | {a=$, b=$,, c=$, d=x, e=}",
        "ENV X=new Y=$X                     | {X=new, Y=ex}",
        "ENV a=\"\\q\"                      | {a=\\q}",
        "ENV a=\"it's\" b='say \"x\"'       | {a=it's, b=say \"x\"}",
      })
  void variables_and_quotes_are_read_as_docker_does(String line, String expected) {
    Variables variables = Variables.atStart(Map.of(), Map.of(), Map.of("X", "ex", "E", ""));
    assertThat(((Step.Env) step(line).expand(variables)).values()).hasToString(expected);
  }

  @Test
  void variables_count_in_the_instructions_where_docker_fills_them_in() {
    Variables variables = Variables.atStart(Map.of(), Map.of(), Map.of("X", "7", "P", "80 81/udp"));
    List<Step> expanded =
        steps(
                """
                WORKDIR "/a b/$X"
                USER u$X
                EXPOSE $P 9$X
                COPY --chown=$X a$X /$X
                ARG Y=$X
                CMD echo $X
                ENTRYPOINT ["$X"]
                """)
            .stream()
            .map(step -> step.expand(variables))
            .toList();
    assertThat(((Step.Workdir) expanded.get(0)).path()).isEqualTo("/a b/7");
    assertThat(((Step.User) expanded.get(1)).user()).isEqualTo("u7");
    assertThat(((Step.Expose) expanded.get(2)).ports()).containsExactly("80", "81/udp", "97");
    assertThat(((Step.Copy) expanded.get(3)))
        .extracting(Step.Copy::sources, Step.Copy::target, Step.Copy::owner)
        .containsExactly(List.of("a7"), "/7", Optional.of("7"));
    assertThat(((Step.Argument) expanded.get(4)).defaultValue()).contains("7");
    assertThat(((Step.Cmd) expanded.get(5)).argv()).isEqualTo(shell("echo $X"));
    assertThat(((Step.Entrypoint) expanded.get(6)).argv()).containsExactly("$X");
  }

  @Test
  void arguments_take_the_callers_value_then_their_own_then_the_global_one() {
    Map<String, String> given = Map.of("A", "given", "UNDECLARED", "x");
    Dockerfile file =
        Dockerfile.parse(
            "ARG A=1\nARG B=2\nARG C=3\nFROM base\nARG A=4 B=5 C D\nARG TARGETARCH\nENV E=$A$B$C$D$UNDECLARED",
            given);
    Variables variables = Variables.atStart(given, file.globals(), Map.of("B", "env"));
    for (Step step : file.stages().getFirst().steps()) {
      variables = variables.after(step.expand(variables));
    }
    assertThat(variables.environment()).containsEntry("E", "givenenv3");
    assertThat(variables.find("TARGETARCH")).contains(DockerfileParser.architecture());
    assertThat(variables.find("D")).isEmpty();
  }

  @Test
  void a_literal_survives_expansion() {
    String value = "\\$x ${y} \\\\ 'q' $";
    assertThat(nothing().expand(1, Variables.literal(value))).isEqualTo(value);
  }

  @Test
  void from_is_filled_in_from_arguments_before_it() {
    String text =
        "ARG TAG=3.12\nARG IMAGE=python:${TAG}-slim\nFROM --platform=$BUILDPLATFORM ${IMAGE} AS Base\nFROM BASE\nFROM scratch";
    assertThat(parse(text).stages())
        .extracting(Stage::from)
        .containsExactly("python:3.12-slim", "base", "scratch");
    assertThat(Dockerfile.parse(text, Map.of("TAG", "3.13")).stages().getFirst())
        .isEqualTo(new Stage(Optional.of("base"), "python:3.13-slim", List.of()));
  }

  @Test
  void stages_are_found_by_name_in_any_case_and_by_number_if_earlier() {
    Dockerfile file =
        parse(
            "FROM a AS one\nFROM b AS two\nCOPY --from=ONE x y\nCOPY --from=0 x y\nCOPY --from=busybox:1 x y");
    assertThat(file.stage("One", 1)).hasValue(0);
    assertThat(file.stage("0", 1)).hasValue(0);
    assertThat(file.stage("two", 1)).isEmpty();
    assertThat(file.stage("1", 1)).isEmpty();
    assertThat(file.stage("busybox", 2)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "LABEL a=b",
        "MAINTAINER me",
        "STOPSIGNAL SIGINT",
        "VOLUME /a",
        "HEALTHCHECK --interval=5s CMD x"
      })
  void what_has_no_effect_is_accepted(String line) {
    assertThat(step(line)).isInstanceOf(Step.Ignored.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "ONBUILD RUN x | ONBUILD is not supported; put its instruction into the Dockerfile that needs it",
        "RUN --mount=type=cache,target=/x y | RUN --mount is not supported",
        "RUN --network=none y | RUN --network is not supported",
        "RUN --security=insecure y | RUN --security is not supported",
        "RUN | RUN needs a value",
        "COPY a | COPY needs a source and a target",
        "COPY --parents a b | COPY --parents is not supported",
        "COPY --chmod=u+x a b | --chmod needs an octal mode, as in 755",
        "COPY --chmod=77777 a b | --chmod needs an octal mode of at most 7777",
        "COPY --chown= a b | --chown needs a value",
        "COPY --from=$X a b | COPY --from takes no variables; give the image a name with FROM ... AS name",
        "COPY --from=1 a b | COPY --from=1 does not name an earlier stage",
        "ADD --from=x a b | ADD --from is not supported",
        "ADD --checksum=x a b | ADD --checksum is not supported",
        "ADD https://example.org/a /a | ADD of 'https://example.org/a' is not supported; fetch it with RUN, or put it into the context",
        "ADD git@example.org:a/b.git /a | ADD of 'git@example.org:a/b.git' is not supported; fetch it with RUN, or put it into the context",
        "COPY <<EOF /a\\nEOF | COPY with a heredoc is not supported; put the file into the context",
        "RUN <<EOF\\nx | No line ends the heredoc: it must hold EOF alone",
        "RUN <<EOF\\nEOF | RUN needs a command: its heredoc is empty",
        "SHELL bash | SHELL needs a JSON array, as in [\"/bin/bash\", \"-c\"]",
        "ENV a | ENV needs a name and a value, as in NAME=value",
        "ENV a=b c | 'c' is not of the form NAME=value; put blanks into quotes",
        "ENV =b | ENV needs a name without '='",
        "ENV a=\"b | A quote is not closed: \"b",
        "ENV a=${b | A '${' has no '}': ${b",
        "ENV a=${} | A '${' has no name: ${}",
        "ENV a=${b/c/d} | '${NAME/...}' is not known; only ':-', ':+' and ':?' are, with and without ':'",
        "ENV a=${b:} | '${NAME}...}' is not known; only ':-', ':+' and ':?' are, with and without ':'",
        "EXPOSE 0 | '0' is no port; write 80, 80/tcp or 8000-8010/udp",
        "EXPOSE 70000 | '70000' is no port; write 80, 80/tcp or 8000-8010/udp",
        "EXPOSE 8080:80 | '8080:80' is no port; write 80, 80/tcp or 8000-8010/udp",
        "FROM | FROM needs an image, or an image, AS and a name",
        "FROM a b | FROM needs an image, or an image, AS and a name",
        "FROM a AS 9b | A stage's name starts with a letter and has letters, digits, '_', '.' and '-' only, at most 128, and is not 'scratch'",
        "FROM a AS ONE | There is a stage 'one' already",
        "FROM $X | FROM $X names no image once its variables are filled in; give each ARG before the first FROM a default or a value",
        "FROM --x=y a | FROM --x is not supported",
        "RUNN x | There is no instruction RUNN",
        "hello | There is no instruction HELLO",
      })
  void what_cannot_be_done_is_refused_by_line(String line, String message) {
    assertRefused("FROM base AS one\n" + line.replace("\\n", "\n"), "Line 2: " + message);
  }

  @Test
  void a_platform_that_this_machine_is_not_is_refused() {
    parse("FROM --platform=linux/amd64 a");
    parse("FROM --platform=${TARGETPLATFORM} a");
    assertThatThrownBy(() -> parse("FROM --platform=windows/amd64 a"))
        .hasMessageStartingWith("Line 1: The platform 'windows/amd64' cannot be built here");
  }

  @Test
  void a_copy_from_a_later_stage_is_refused() {
    assertRefused(
        "FROM a\nCOPY --from=Late x y\nFROM b AS late",
        "Line 2: COPY --from=Late does not name an earlier stage");
  }

  @Test
  void only_arguments_come_before_the_first_from() {
    assertRefused("RUN x\nFROM a", "Line 1: RUN comes before the first FROM; only ARG may");
    assertRefused("ARG x", "There is nothing to build: the Dockerfile has no FROM");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\n\n", "# only\n", "\\", "\uFEFF"})
  void an_empty_file_is_refused(String text) {
    assertThatThrownBy(() -> parse(text)).isInstanceOf(BuildException.class);
  }

  @Test
  void a_zero_byte_is_refused_wherever_it_is() {
    for (String line :
        List.of(
            "RUN a\0", "ENV a=\0", "COPY a\0 b", "WORKDIR /\0", "USER \0", "CMD [\"\\u0000\"]")) {
      assertThatThrownBy(() -> step(line)).hasMessageContaining("must not hold a zero byte");
    }
  }

  @Test
  void size_is_limited() {
    String start = "FROM a\n#";
    parse(start + "x".repeat(Dockerfile.MAX_SIZE - start.length()));
    assertTooLarge(start + "x".repeat(Dockerfile.MAX_SIZE - start.length() + 1));
    assertTooLarge(start + "é".repeat(Dockerfile.MAX_SIZE / 2));
  }

  @Test
  void the_number_of_steps_is_limited_over_all_stages() {
    String half = "FROM a\n" + "RUN x\n".repeat(Dockerfile.MAX_STEPS / 2);
    parse(half + half);
    assertTooLarge(half + half + "RUN x");
    assertTooLarge("FROM a\nARG" + " a".repeat(Dockerfile.MAX_STEPS + 1));
    assertTooLarge("RUN <<a\na\n".repeat(90_000));
  }

  @Test
  void the_number_of_stages_is_limited() {
    parse("FROM a\n".repeat(Dockerfile.MAX_STAGES));
    assertTooLarge("FROM a\n".repeat(Dockerfile.MAX_STAGES + 1));
  }

  private static void assertTooLarge(String text) {
    assertThatThrownBy(() -> parse(text))
        .isInstanceOfSatisfying(
            CoveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TOO_LARGE));
  }

  @Test
  void a_value_that_doubles_itself_ends_at_the_limit() {
    assertThat(nothing().expand(1, "x".repeat(Variables.MAX_VALUE))).hasSize(Variables.MAX_VALUE);
    Variables variables = Variables.atStart(Map.of(), Map.of(), Map.of("a", "x"));
    Step doubling = step("ENV a=$a$a");
    for (int doubled = 0; doubled < 16; doubled++) {
      variables = variables.after(doubling.expand(variables));
    }
    Variables full = variables;
    assertThatThrownBy(() -> doubling.expand(full))
        .hasMessageStartingWith("Line 2: A value has more than 131071 characters");
    Step many = step("COPY" + " $a".repeat(17) + " /");
    assertThatThrownBy(() -> many.expand(full))
        .hasMessageStartingWith("Line 2: All values together have more than 1048576 characters");
  }

  @Test
  void the_environment_has_a_limit() {
    var values = new HashMap<String, String>();
    for (int number = 0; number < Variables.MAX_VARIABLES; number++) {
      values.put("v" + number, "");
    }
    Variables full = nothing().after(new Step.Env(1, "", values));
    assertThatThrownBy(() -> full.after(new Step.Env(1, "", Map.of("w", ""))))
        .hasMessage("Line 1: There are more than 4096 variables");
  }

  @Test
  void nested_variables_have_a_limit() {
    String fifty = "${a:-".repeat(49) + "x" + "}".repeat(49);
    assertThat(((Step.Env) step("ENV b=" + fifty).expand(nothing())).values())
        .containsEntry("b", "x");
    assertThatThrownBy(() -> step("ENV b=" + "${a:-".repeat(150_000)))
        .hasMessage("Line 2: Variables are nested more than 50 deep");
    assertThatThrownBy(() -> nothing().expand(1, "${a:-".repeat(150_000)))
        .hasMessage("Line 1: Variables are nested more than 50 deep");
  }

  @Test
  void steps_made_without_a_dockerfile_are_checked_too() {
    assertThatThrownBy(() -> new Step.Run(3, "", List.of()))
        .hasMessage("Line 3: RUN needs a command");
    assertThatThrownBy(() -> new Step.Workdir(3, "", " "))
        .hasMessage("Line 3: WORKDIR needs a value");
    assertThatThrownBy(() -> new Step.Env(3, "", Map.of()))
        .hasMessage("Line 3: ENV needs a name and a value");
    assertThatThrownBy(() -> new Step.Expose(3, "", List.of()))
        .hasMessage("Line 3: EXPOSE needs a port");
    assertThatThrownBy(() -> nothing().expand(3, "${a")).hasMessageStartingWith("Line 3: ");
  }
}
