package dev.cove.control.interpreter;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The interpreter as a program of this machine, without a sandbox around it. */
class InterpreterTest {
  @TempDir private static Path folder;
  private static HttpClient client;
  private static Process process;
  private static URI address;

  @BeforeAll
  static void start() throws IOException {
    client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    for (var source : Interpreter.sources().entrySet()) {
      Path file = folder.resolve(source.getKey());
      Files.createDirectories(file.getParent());
      Files.writeString(file, source.getValue());
    }
    var builder = new ProcessBuilder("/usr/bin/python3", folder.toString(), "--port", "0");
    builder
        .environment()
        .putAll(
            Map.of(
                "HOME",
                folder.toString(),
                "COVE_INTERPRETER_PRELOAD",
                "",
                "PYTHONUNBUFFERED",
                "1"));
    process = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    var lines =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String first = lines.readLine();
    address = URI.create("http://127.0.0.1:" + first.substring(first.lastIndexOf(':') + 1));
  }

  @AfterAll
  static void stop() throws InterruptedException {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly().waitFor();
    client.close();
  }

  private static HttpResponse<String> send(String method, String path, String body)
      throws IOException, InterruptedException {
    var request = HttpRequest.newBuilder(address.resolve(path));
    return client.send(
        request.method(method, BodyPublishers.ofString(body)).build(), BodyHandlers.ofString());
  }

  private static String execute(String body) throws IOException, InterruptedException {
    HttpResponse<String> reply = send("POST", "/execute", body);
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(200);
    return reply.body();
  }

  @Test
  void all_of_its_files_are_listed() throws Exception {
    Path sources = Path.of("src/main/resources/dev/cove/control/interpreter");
    var found = new TreeMap<String, String>();
    try (var files = Files.walk(sources)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        found.put(sources.relativize(file).toString(), Files.readString(file));
      }
    }
    assertThat(new TreeSet<>(Interpreter.sources().keySet())).isEqualTo(found.keySet());
  }

  @Test
  void a_cell_is_told_of_in_lines_from_its_number_to_its_end() throws Exception {
    String[] lines = execute("{\"code\":\"print('a')\\n'b'\",\"context_id\":null}").split("\n");
    assertThat(lines[0]).startsWith("{\"type\": \"number_of_executions\", \"execution_count\": ");
    assertThat(lines[1]).startsWith("{\"type\": \"stdout\", \"text\": \"a\\n\", \"timestamp\": \"");
    assertThat(lines[2])
        .isEqualTo("{\"type\": \"result\", \"is_main_result\": true, \"text\": \"b\"}");
    assertThat(lines[3]).isEqualTo("{\"type\": \"end_of_execution\"}");
  }

  @Test
  void a_line_is_told_of_when_it_is_printed() throws Exception {
    String told =
        execute("{\"code\":\"import time\\nprint('one', 1)\\ntime.sleep(0.5)\\nprint('two', 2)\"}");
    assertThat(told).contains("\"text\": \"one 1\\n\"").contains("\"text\": \"two 2\\n\"");
  }

  @Test
  void a_copy_that_code_makes_of_itself_says_nothing_in_its_name() throws Exception {
    execute("{\"code\":\"import os\\nchild = os.fork()\\nif child: _ = os.waitpid(child, 0)\"}");
    assertThat(execute("{\"code\":\"2 + 3\"}")).contains("\"text\": \"5\"");
  }

  @Test
  void python_may_await_and_import_what_comes_later() throws Exception {
    assertThat(execute("{\"code\":\"import asyncio\\nawait asyncio.sleep(0, 'slept')\"}"))
        .contains("\"text\": \"slept\"");
  }

  @Test
  void javascript_imports_last() throws Exception {
    execute("{\"language\":\"js\",\"code\":\"import {join as j} from 'path'\"}");
    assertThat(execute("{\"language\":\"JavaScript\",\"code\":\"j('a', 'b')\"}"))
        .contains("\"text\": \"a/b\"");
    assertThat(execute("{\"language\":\"js\",\"code\":\"display.html('<i>')\"}"))
        .contains("\"is_main_result\": false, \"html\": \"<i>\"");
  }

  @Test
  void both_default_contexts_are_listed_and_made_again() throws Exception {
    String all = send("GET", "/contexts", "").body();
    assertThat(all).contains("\"python\"").contains("\"javascript\"");
    HttpResponse<String> made = send("POST", "/contexts", "{}");
    assertThat(made.body()).contains("\"language\": \"python\"").contains(folder.toString());
    String id = made.body().substring(8, 44);
    assertThat(send("POST", "/contexts/" + id + "/restart", "").statusCode()).isEqualTo(200);
    assertThat(send("DELETE", "/contexts/" + id, "").statusCode()).isEqualTo(204);
    HttpResponse<String> gone = send("DELETE", "/contexts/" + id, "");
    assertThat(gone.statusCode()).isEqualTo(404);
    assertThat(gone.body()).isEqualTo("Context " + id + " not found");
  }

  @Test
  void what_makes_no_sense_is_refused_with_a_sentence() throws Exception {
    assertThat(send("POST", "/execute", "{").statusCode()).isEqualTo(400);
    assertThat(send("POST", "/execute", "[]").statusCode()).isEqualTo(400);
    assertThat(send("POST", "/execute", "{\"code\":7}").statusCode()).isEqualTo(400);
    String both = "{\"code\":\"1\",\"language\":\"r\",\"context_id\":\"x\"}";
    assertThat(send("POST", "/execute", both).statusCode()).isEqualTo(400);
    assertThat(send("POST", "/execute", "{\"code\":\"1\",\"env_vars\":{\"A\":1}}").statusCode())
        .isEqualTo(400);
    String large = "{\"code\":\"" + "x".repeat(5 << 20) + "\"}";
    assertThat(send("POST", "/execute", large).statusCode()).isEqualTo(413);
    assertThat(send("GET", "/execute", "").statusCode()).isEqualTo(405);
    assertThat(send("GET", "/nothing", "").statusCode()).isEqualTo(404);
    assertThat(send("GET", "/health", "").statusCode()).isEqualTo(200);
  }
}
