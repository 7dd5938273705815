package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The code interpreter over the host's own programs: there in a moment, while the one that is made
 * of packages takes minutes.
 */
final class InterpreterTemplate {
  static final String NAME = "lab";

  private static final Path SOURCES =
      Path.of("../control/src/main/resources/dev/cove/control/interpreter");

  private InterpreterTemplate() {}

  static void make(TemplateCalls templates) throws IOException, InterruptedException {
    var context = new TestImage.Layer();
    List<Path> files;
    try (var found = Files.walk(SOURCES)) {
      files = found.filter(Files::isRegularFile).sorted().toList();
    }
    for (Path file : files) {
      context.file("interpreter/" + SOURCES.relativize(file), Files.readString(file));
    }
    context.file("Dockerfile", "FROM host\nCOPY interpreter /opt/cove-interpreter\n");
    HttpResponse<String> reply = templates.fromContext("name=" + NAME, context);
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(201);
  }
}
