package dev.cove.cli;

import static dev.cove.cli.CannedServer.json;
import static dev.cove.cli.NetworkVerbsTest.BOX;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.cli.CannedServer.Reply;
import dev.cove.sdk.SecretBinding;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

/** The verbs of secrets against a server that answers what a test wants. */
@Timeout(60)
class SecretVerbsTest {
  private static final String AT = "/api/v1/sandboxes/abc/secrets";
  private static final String SECRET =
      """
      {"name":"KEY","createdAt":"2026-11-16T03:00:00Z","updatedAt":"2026-11-16T04:00:00Z"}\
      """;
  private static final String BINDING =
      """
      {"secret":"KEY","hosts":["a.example"],"place":"header","name":"X-Key","methods":["GET"],\
      "paths":["/v1/*"],"added":true,"plainHttp":false,"env":"KEY"}\
      """;

  @TempDir private Path folder;
  private final CannedServer server = new CannedServer();

  @AfterEach
  void stop() {
    server.close();
  }

  private CommandRun cove(String... args) {
    return CommandRun.of(server.environment(), args);
  }

  private CommandRun fed(String input, String... args) {
    return CommandRun.fed(input, server.environment(), args);
  }

  private String body(int request) {
    return new String(server.body(request), StandardCharsets.UTF_8);
  }

  private static Reply items(String... items) {
    return json(200, "{\"items\":[" + String.join(",", items) + "]}");
  }

  @Test
  void a_value_comes_from_the_input_or_a_file_without_the_last_line_break() throws IOException {
    Reply kept = json(201, SECRET);
    server.answer(kept, kept, kept, kept);
    CommandRun piped = fed("hunter2\n", "secret", "set", "KEY");
    assertThat(piped).isEqualTo(new CommandRun(0, "", ""));
    assertThat(server.requests().getFirst()).isEqualTo("PUT /api/v1/secrets/KEY");
    assertThat(body(0)).isEqualTo("hunter2");
    fed("two\nlines\r\n", "secret", "set", "KEY");
    assertThat(body(1)).isEqualTo("two\nlines");
    Path file = Files.writeString(folder.resolve("key"), "from a file\n\n");
    CommandRun read = cove("secret", "set", "KEY", "--json", "--file", file.toString());
    assertThat(read.out()).isEqualTo(SECRET + "\n");
    assertThat(body(2)).isEqualTo("from a file\n");
    fed("k".repeat(65_536) + "\n", "secret", "set", "KEY");
    assertThat(body(3)).hasSize(65_536);
  }

  @Test
  void at_a_terminal_the_value_is_asked_for_and_not_shown() {
    server.answer(json(201, SECRET));
    var typist = new Typist("", "hunter2\nmore");
    CommandRun asked = CommandRun.at(typist, server.environment(), "secret", "set", "KEY");
    assertThat(asked).isEqualTo(new CommandRun(0, "", "Value of KEY: \n"));
    assertThat(body(0)).isEqualTo("hunter2");
    assertThat(typist.everShown()).isFalse();
    assertThat(typist.shown()).as("the terminal is as before").isTrue();
  }

  @Test
  void a_value_as_an_argument_is_refused_and_not_repeated() {
    CommandRun given = fed("x", "secret", "set", "KEY", "hunter2");
    assertThat(given.code()).isEqualTo(ExitCode.USAGE);
    assertThat(given.err()).contains("not given as an argument").doesNotContain("hunter2");
    assertThat(cove("secret", "set", "--help").out()).contains("NAME").doesNotContain("WORD");
    assertThat(server.requests()).isEmpty();
  }

  @Test
  void a_value_that_is_none_is_told_in_a_sentence() {
    assertThat(fed("\n", "secret", "set", "KEY").err()).isEqualTo("cove: The value is empty.\n");
    assertThat(fed("k".repeat(65_537), "secret", "set", "KEY").err())
        .isEqualTo("cove: The value has more than 64 KiB.\n");
    CommandRun missing = cove("secret", "set", "KEY", "--file", "/no/such/file");
    assertThat(missing.code()).isEqualTo(ExitCode.FAILED);
    assertThat(missing.err()).isEqualTo("cove: There is no file /no/such/file.\n");
    assertThat(server.requests()).isEmpty();
  }

  @Test
  void secrets_are_listed_and_removed() {
    server.answer(
        items(SECRET),
        items(SECRET),
        json(204, ""),
        json(404, "{\"status\":404,\"code\":\"not_found\",\"detail\":\"There is no secret B\"}"));
    assertThat(cove("secret", "ls").out()).startsWith("NAME").contains("\nKEY ");
    assertThat(cove("secret", "ls", "--json").out()).isEqualTo("[" + SECRET + "]\n");
    CommandRun removal = cove("secret", "rm", "KEY", "B");
    assertThat(removal.code()).isEqualTo(ExitCode.FAILED);
    assertThat(removal.err()).isEqualTo("cove: B: There is no secret B\n");
    assertThat(server.requests())
        .endsWith("DELETE /api/v1/secrets/KEY", "DELETE /api/v1/secrets/B");
  }

  @Test
  void what_a_sandbox_may_use_is_listed() {
    server.answer(BOX, items(BINDING), BOX, items(BINDING));
    assertThat(cove("secret", "ls", "box").out().lines().toList().getLast())
        .isEqualTo("KEY     KEY       header:X-Key (added)  a.example  GET /v1/*");
    assertThat(cove("secret", "ls", "--json", "box").out()).isEqualTo("[" + BINDING + "]\n");
  }

  @Test
  void binding_keeps_what_was_bound_and_adds_hosts_to_what_is_the_same() {
    server.answer(BOX, items(BINDING), items(BINDING), BOX, items(BINDING), items(BINDING));
    CommandRun bound =
        cove(
            "secret",
            "bind",
            "box",
            "KEY@b.example=header:X-Key",
            "--method",
            "GET",
            "--path",
            "/v1/*",
            "--added");
    assertThat(bound).isEqualTo(new CommandRun(0, "", ""));
    assertThat(server.requests().get(2)).isEqualTo("PUT " + AT);
    assertThat(body(2))
        .isEqualTo(
            "{\"items\":["
                + BINDING.replace("[\"a.example\"]", "[\"a.example\",\"b.example\"]")
                + "]}");
    cove("secret", "bind", "box", "TOKEN@c.example=query:key", "--plain-http", "--env", "T");
    assertThat(body(5))
        .isEqualTo(
            "{\"items\":["
                + BINDING
                + ",{\"secret\":\"TOKEN\",\"hosts\":[\"c.example\"],\"place\":\"query\","
                + "\"name\":\"key\",\"methods\":[],\"paths\":[],\"added\":false,"
                + "\"plainHttp\":true,\"env\":\"T\"}]}");
  }

  @Test
  void unbinding_takes_away_what_is_bound_and_names_what_is_not() {
    server.answer(BOX, items(BINDING), items());
    CommandRun unbound = cove("secret", "unbind", "box", "KEY", "OTHER");
    assertThat(body(2)).isEqualTo("{\"items\":[]}");
    assertThat(unbound.code()).isEqualTo(ExitCode.FAILED);
    assertThat(unbound.err()).isEqualTo("cove: OTHER: it is not bound to box\n");
  }

  @Test
  void a_binding_is_written_with_its_host_and_place() {
    var flag = new SecretFlag();
    assertThat(flag.convert("K@a.example")).isEqualTo(SecretBinding.bearer("K", "a.example"));
    assertThat(flag.convert("K@[2001:db8::1]:8443=bearer"))
        .isEqualTo(SecretBinding.bearer("K", "[2001:db8::1]:8443"));
    assertThat(flag.convert("K@*.a.example=basic:me@home:x"))
        .isEqualTo(SecretBinding.basic("K", "me@home:x", "*.a.example"));
    assertThat(flag.convert("K@a=query:a=b")).isEqualTo(SecretBinding.query("K", "a=b", "a"));
    assertThat(SecretFlag.place(flag.convert("K@a=body:token"))).isEqualTo("body:token");
    assertThat(SecretFlag.place(flag.convert("K@a"))).isEqualTo("bearer");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "K",
        "@a",
        "K@",
        "K@=bearer",
        "K@a=",
        "K@a=header",
        "K@a=header:",
        "K@a=bearer:x",
        "K@a=cookie:c"
      })
  void what_is_no_binding_is_refused(String text) {
    assertThatThrownBy(() -> new SecretFlag().convert(text))
        .isInstanceOf(TypeConversionException.class);
  }
}
