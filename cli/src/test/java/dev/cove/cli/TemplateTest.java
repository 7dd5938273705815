package dev.cove.cli;

import static dev.cove.cli.CannedServer.json;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.cli.CannedServer.Reply;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The verbs of templates against a server that answers what a test wants. */
@Timeout(60)
class TemplateTest {
  private static final String WEB =
      """
      {"name":"web","version":3,"reference":"web@3","tags":["latest","v1"],\
      "origin":"a Dockerfile over host","createdAt":"2026-11-16T06:00:00Z","builtIn":false,\
      "base":"host","user":"user","cwd":"","entrypoint":["echo","two words"],\
      "env":{"B":"2","A":"1"},"start":[],"ready":[],"layers":2}\
      """;
  private static final String NOT_FOUND =
      "{\"status\":404,\"code\":\"not_found\",\"detail\":\"There is no template x.\"}";

  @TempDir private Path folder;
  private final CannedServer server = new CannedServer();
  private final List<String> requests = server.requests();

  @AfterEach
  void stop() {
    server.close();
  }

  private void answer(Reply... replies) {
    server.answer(replies);
  }

  private static Reply events(String... events) {
    return new Reply(200, "text/event-stream", String.join("", events));
  }

  private static String event(String name, String data) {
    return "event: " + name + "\ndata: " + data + "\n\n";
  }

  private static String step(int number, String text, boolean cached) {
    return event(
        "step",
        "{\"number\":%d,\"of\":2,\"text\":\"%s\",\"cached\":%b}".formatted(number, text, cached));
  }

  private static String output(String text) {
    return event("output", "{\"text\":\"" + text + "\"}");
  }

  private CommandRun cove(String... args) {
    return CommandRun.of(server.environment(), args);
  }

  private CommandRun build(String... args) {
    var all = new ArrayList<>(List.of("template", "build"));
    all.addAll(List.of(args));
    return cove(all.toArray(String[]::new));
  }

  private String body(int request) {
    return new String(server.body(request), StandardCharsets.UTF_8);
  }

  /** The names in a request's tar.gz, sorted. */
  private List<String> names(int request) throws IOException {
    var names = new ArrayList<String>();
    try (var tar =
        new TarArchiveInputStream(
            new GZIPInputStream(new ByteArrayInputStream(server.body(request))))) {
      for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        names.add(entry.getName());
      }
    }
    return names.stream().sorted().toList();
  }

  private Path write(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.writeString(file, text);
  }

  @Test
  void ls_lists_for_people_and_for_programs() {
    String host =
        WEB.replace("\"builtIn\":false", "\"builtIn\":true").replace("\"web\"", "\"host\"");
    answer(
        json(200, "{\"items\":[" + host + "," + WEB + "]}"),
        json(200, "{\"items\":[" + WEB + "]}"));
    List<String> lines = cove("template", "ls").out().lines().toList();
    assertThat(lines.get(0)).matches("NAME +VERSION +TAGS +LAYERS +AGE +MADE OF");
    assertThat(lines.get(1)).matches("host +3 +latest,v1 +2 +- +a Dockerfile over host");
    assertThat(lines.get(2)).startsWith("web ").contains("latest,v1");
    assertThat(cove("template", "ls", "--json").out()).isEqualTo("[" + WEB + "]\n");
  }

  @Test
  void inspect_shows_all_and_lets_nothing_drive_the_terminal() {
    answer(json(200, WEB.replace("two words", "it's\\u001b[2J")), json(200, WEB));
    assertThat(cove("template", "inspect", "team/web:v1").out())
        .contains("Reference   web@3\n")
        .contains("Folder      the user's home\n")
        .contains("Entrypoint  echo 'it'\\''s\ufffd[2J'\n")
        .contains("Service     -\n")
        .contains("Variables   A=1 B=2\n");
    assertThat(cove("template", "inspect", "--json", "web").out()).isEqualTo(WEB + "\n");
    assertThat(requests.getFirst()).isEqualTo("GET /api/v1/templates/team%2Fweb%3Av1");
  }

  @Test
  void rm_goes_on_after_one_that_is_not_there() {
    answer(json(404, NOT_FOUND), json(204, ""));
    CommandRun rm = cove("template", "rm", "x", "web");
    assertThat(rm.code()).isEqualTo(ExitCode.FAILED);
    assertThat(rm.err()).isEqualTo("cove: x: There is no template x.\n");
    assertThat(requests)
        .containsExactly("DELETE /api/v1/templates/x", "DELETE /api/v1/templates/web");
  }

  @Test
  void tag_says_nothing_when_it_is_done() {
    answer(json(200, WEB));
    assertThat(cove("template", "tag", "web@3", "stable")).isEqualTo(new CommandRun(0, "", ""));
    assertThat(requests).containsExactly("PUT /api/v1/templates/web%403/tags/stable");
  }

  @Test
  void a_folder_is_sent_without_what_dockerignore_names_plainly() throws IOException {
    write("Dockerfile", "FROM host");
    write("src/a", "a");
    write("src/deep/b", "b");
    write("node_modules/x/y", "y");
    write("kept*", "k");
    write(
        ".dockerignore", "# comment\n/node_modules/\nsrc/deep\nkept*\n.dockerignore\nDockerfile\n");
    Files.createSymbolicLink(folder.resolve("link"), Path.of("src/a"));
    answer(events(step(1, "FROM host", true), event("done", WEB)));
    CommandRun built =
        build("-t", "web:v1", "-t", "web", "--build-arg", "A=b=c", folder.toString());
    assertThat(built.code()).as(built.err()).isZero();
    assertThat(built.out()).isEqualTo("web@3\n");
    assertThat(built.err()).isEqualTo("[1/2] FROM host (cached)\n");
    assertThat(requests)
        .containsExactly(
            "POST /api/v1/templates/from-context?name=web&dockerfile=Dockerfile&tag=v1&tag=latest"
                + "&argument=A%3Db%3Dc");
    assertThat(names(0))
        .containsExactly(".dockerignore", "Dockerfile", "kept*", "link", "src/", "src/a");
  }

  @Test
  void where_dockerignore_keeps_something_all_is_sent() throws IOException {
    write("Dockerfile", "FROM host");
    write("a/b", "b");
    write(".dockerignore", "a\n!a/b\n");
    answer(events(event("done", WEB)));
    build("-t", "web", folder.toString());
    assertThat(names(0)).contains("a/b");
  }

  @Test
  void the_dockerfile_may_be_elsewhere_in_the_folder_but_not_outside(@TempDir Path other)
      throws IOException {
    Path file = write("ops/File", "FROM host");
    write(".dockerignore", "ops");
    answer(events(event("done", WEB)), events(event("done", WEB)));
    build("-t", "web", "-f", file.toString(), folder.toString());
    build("-t", "web", "-f", "ops/File", "--target", "two", folder.toString());
    assertThat(requests)
        .containsExactly(
            "POST /api/v1/templates/from-context?name=web&dockerfile=ops%2FFile&tag=latest",
            "POST /api/v1/templates/from-context?name=web&dockerfile=ops%2FFile&tag=latest"
                + "&target=two");
    assertThat(names(0)).contains("ops/File");
    CommandRun outside = build("-t", "web", "-f", file.toString(), other.toString());
    assertThat(outside.code()).isEqualTo(ExitCode.FAILED);
    assertThat(outside.err()).contains("must be somewhere in");
    assertThat(build("-t", "web", other.toString()).err()).contains("There is no file");
    assertThat(build("-t", "web", other.resolve("none").toString()).err())
        .contains("There is no folder");
    assertThat(requests).hasSize(2);
  }

  @Test
  void every_other_source_sends_what_was_said() throws IOException {
    var done = events(event("done", WEB));
    answer(done, done, done, done, done);
    build("--image", "alpine:3.22");
    build("--debian", "--suite", "sid", "--package", "git", "--package", "jq", "-t", "tools");
    build("--checkpoint", "c1", "-t", "web:v1", "--start", "serve &", "--ready", "probe");
    build("--image", "alpine", "-t", "a", "--env", "A=b", "--user", "u", "--cwd", "/srv");
    Path archive = write("image.tar", "an image");
    build("--archive", archive.toString(), "-t", "host:5000/a/b:c");
    assertThat(body(0)).isEqualTo("{\"image\":\"alpine:3.22\"}");
    assertThat(body(1))
        .isEqualTo(
            "{\"debian\":{\"suite\":\"sid\",\"packages\":[\"git\",\"jq\"]},\"name\":\"tools\","
                + "\"tags\":[\"latest\"]}");
    assertThat(body(2))
        .isEqualTo(
            "{\"checkpoint\":\"c1\",\"name\":\"web\",\"tags\":[\"v1\"],"
                + "\"start\":[\"/bin/sh\",\"-c\",\"serve &\"],"
                + "\"ready\":[\"/bin/sh\",\"-c\",\"probe\"]}");
    assertThat(body(3))
        .isEqualTo(
            "{\"image\":\"alpine\",\"name\":\"a\",\"tags\":[\"latest\"],\"env\":{\"A\":\"b\"},"
                + "\"user\":\"u\",\"cwd\":\"/srv\"}");
    assertThat(requests.getLast())
        .isEqualTo("POST /api/v1/templates/from-archive?name=host%3A5000%2Fa%2Fb&tag=c");
    assertThat(body(4)).isEqualTo("an image");
  }

  @Test
  void a_password_comes_from_the_input() {
    answer(events(event("done", WEB)));
    CommandRun built =
        CommandRun.fed(
            "hush\n",
            server.environment(),
            "template",
            "build",
            "--image",
            "a",
            "--username",
            "me",
            "--password-stdin");
    assertThat(built.code()).isZero();
    assertThat(body(0))
        .isEqualTo("{\"image\":\"a\",\"registry\":{\"username\":\"me\",\"password\":\"hush\"}}");
    assertThat(built.out() + built.err()).doesNotContain("hush");
  }

  @Test
  void a_call_that_makes_no_sense_asks_the_server_for_nothing() {
    answer();
    for (String[] call :
        new String[][] {
          {},
          {"--image", "a", "--debian"},
          {"--image", "a", "."},
          {"."},
          {"--checkpoint", "c1"},
          {"--archive", "-"},
          {"-t", "a", "-t", "b", "."},
          {"--image", "a", "--target", "x"},
          {"--image", "a", "--build-arg", "A=b"},
          {"--image", "a", "--package", "git"},
          {"--image", "a", "--username", "u"},
          {"--image", "a", "--password-stdin"},
          {"--debian", "--username", "u", "--password-stdin"},
          {"-t", "a", "--env", "A=b", "."},
          {"-t", "a", "--start", "x", "--archive", "-"}
        }) {
      CommandRun misused = build(call);
      assertThat(misused.code()).as(String.join(" ", call)).isEqualTo(ExitCode.USAGE);
      assertThat(misused.err()).startsWith("cove: ").contains("cove template build --help");
    }
    assertThat(requests).isEmpty();
  }

  @Test
  void a_build_that_fails_is_told_after_its_output_and_prints_no_reference() {
    answer(
        events(
            step(1, "FROM host", false),
            step(2, "RUN make\\n  more", false),
            output("one\\nt"),
            output("wo\\r\\n\\tthree\\u001b[31m red\\u001b[0m \\u0007"),
            event(
                "error",
                "{\"status\":422,\"code\":\"guest_refused\",\"detail\":\"Line 2: no make\"}")));
    CommandRun failed = build("--image", "a");
    assertThat(failed.code()).isEqualTo(ExitCode.FAILED);
    assertThat(failed.out()).isEmpty();
    assertThat(failed.err())
        .isEqualTo(
            """
            [1/2] FROM host
            [2/2] RUN make
                one
                two
                    three red \ufffd
            cove: Line 2: no make.
            """);
  }

  @Test
  void a_line_without_end_is_printed_in_parts_and_a_bar_once() {
    String bar = output("10%\\r50%\\r100%\\n");
    answer(events(output("x".repeat(20_000)), output("\\n"), bar, event("done", WEB)));
    List<String> lines = build("--image", "a").err().lines().toList();
    assertThat(lines).hasSize(4);
    assertThat(lines.get(0)).hasSize(4 + 8 * 1024);
    assertThat(lines.get(3)).isEqualTo("    100%");
  }

  @Test
  void create_makes_debian_and_images_first_and_shows_how_it_goes() {
    String box =
        """
        {"id":"abc","name":"n","state":"running","template":"debian","tier":"container","cpus":1,\
        "memoryMb":64,"diskMb":128,"maxProcesses":32,"labels":{},\
        "createdAt":"2026-11-15T23:00:00Z"}\
        """;
    answer(
        json(404, NOT_FOUND),
        events(step(1, "Debian trixie", false), event("done", WEB)),
        json(201, box),
        json(404, NOT_FOUND),
        events(event("done", WEB)),
        json(201, box),
        json(200, WEB),
        json(201, box));
    CommandRun first = cove("create", "--template", "debian");
    assertThat(first).isEqualTo(new CommandRun(0, "abc\n", "[1/2] Debian trixie\n"));
    assertThat(cove("create", "--image", "alpine").code()).isZero();
    assertThat(cove("create", "--image", "alpine").code()).isZero();
    assertThat(requests)
        .containsExactly(
            "GET /api/v1/templates/debian",
            "POST /api/v1/templates",
            "POST /api/v1/sandboxes",
            "GET /api/v1/templates/docker.io%2Flibrary%2Falpine%3Alatest",
            "POST /api/v1/templates",
            "POST /api/v1/sandboxes",
            "GET /api/v1/templates/docker.io%2Flibrary%2Falpine%3Alatest",
            "POST /api/v1/sandboxes");
    assertThat(body(1)).isEqualTo("{\"debian\":{}}");
    assertThat(body(5)).isEqualTo("{\"image\":\"alpine\"}");
  }

  @Test
  void another_template_that_is_missing_is_left_to_the_server_to_refuse() {
    answer(json(404, NOT_FOUND), json(404, NOT_FOUND));
    CommandRun create = cove("create", "--template", "x");
    assertThat(create.code()).isEqualTo(ExitCode.FAILED);
    assertThat(create.err()).isEqualTo("cove: There is no template x.\n");
    assertThat(requests.getLast()).isEqualTo("POST /api/v1/sandboxes");
  }

  @Test
  void run_without_a_command_needs_a_template_that_has_one() {
    answer(json(200, WEB.replace("[\"echo\",\"two words\"]", "[]")));
    CommandRun run = cove("run", "--template", "web");
    assertThat(run.code()).isEqualTo(ExitCode.COVE_FAILED);
    assertThat(run.err()).contains("web@3 does not say what to run").hasLineCount(1);
    assertThat(requests).hasSize(1);
    assertThat(cove("run").err()).contains("Say which command to run");
    assertThat(cove("run", "--template", "a", "--image", "b").err()).contains("not both");
    assertThat(requests).hasSize(1);
  }
}
