package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Command;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Sandbox;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** What single instructions of a Dockerfile leave in the template. */
class DockerfilesTest {
  @RegisterExtension static final RunningServer server = RunningServer.shared();
  private static TemplateCalls templates;

  @BeforeAll
  static void open() {
    templates = new TemplateCalls(server);
  }

  @AfterEach
  void removeTemplates() throws Exception {
    templates.removeAll();
  }

  @AfterAll
  static void close() {
    templates.close();
  }

  private static HttpResponse<String> build(String name, String dockerfile, TestImage.Layer context)
      throws Exception {
    return templates.fromContext("name=" + name, context.file("Dockerfile", dockerfile));
  }

  private static Sandbox create(String template) {
    return server.cove().sandboxes().create(CreateOptions.defaults().template(template));
  }

  private static void assertMade(HttpResponse<String> reply) {
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(201);
  }

  private static byte[] gzip(byte[] bytes) throws IOException {
    var packed = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(packed)) {
      gzip.write(bytes);
    }
    return packed.toByteArray();
  }

  private static TestImage.Layer archive() {
    return new TestImage.Layer()
        .folder("inner")
        .file("inner/text", "packed\n")
        .file("inner/run", "#!/bin/sh\n".getBytes(StandardCharsets.UTF_8), 0755)
        .symlink("inner/link", "text");
  }

  @Test
  void add_unpacks_archives_and_copy_leaves_them_whole() throws Exception {
    var context =
        new TestImage.Layer()
            .file("plain.tar", archive().finish(), 0644)
            .file("packed.tgz", gzip(archive().finish()), 0644)
            .file("text.tar", "no archive, whatever its name is\n");
    assertMade(
        build(
            "added",
            """
            FROM host
            USER root
            ADD plain.tar /srv/plain/
            ADD packed.tgz /srv/packed
            ADD --chown=user:user plain.tar /srv/owned/
            ADD text.tar /srv/text.tar
            COPY plain.tar /srv/whole.tar
            """,
            context));
    try (Sandbox box = create("added")) {
      for (String folder : new String[] {"plain", "packed", "owned"}) {
        assertThat(box.files().readString("/srv/" + folder + "/inner/link")).isEqualTo("packed\n");
      }
      assertThat(
              box.exec(Command.shell("cd /srv; stat -c '%U %a' plain/inner/run owned/inner/run"))
                  .stdout())
          .isEqualTo("root 755\nuser 755\n");
      assertThat(box.files().readString("/srv/text.tar")).startsWith("no archive");
      assertThat(box.files().readBytes("/srv/whole.tar")).isEqualTo(archive().finish());
    }
  }

  @Test
  void an_archive_whose_content_changed_is_unpacked_anew() throws Exception {
    String dockerfile = "FROM host\nUSER root\nADD files.tar /srv/\n";
    for (String text : new String[] {"one", "two"}) {
      byte[] inner = new TestImage.Layer().file("text", text).finish();
      assertMade(
          build("changing", dockerfile, new TestImage.Layer().file("files.tar", inner, 0644)));
      try (Sandbox box = create("changing")) {
        assertThat(box.files().readString("/srv/text")).isEqualTo(text);
      }
    }
  }

  @Test
  void a_heredoc_is_a_script_or_the_input_of_a_command() throws Exception {
    assertMade(
        build(
            "here",
            """
            FROM host
            ARG WORD=given
            WORKDIR /home/user
            RUN <<EOF
            set -e
            word="$WORD and $((1 + 1))"
            echo "$word" > script
            EOF
            RUN <<-'END' cat > quoted
            	it's $WORD
            END
            RUN cat <<A > both && cat <<B >> both
            first $WORD
            A
            second
            B
            RUN <<EOF
            #!/usr/bin/env python3
            open("/home/user/python", "w").write("a program of its own\\n")
            EOF
            """,
            new TestImage.Layer()));
    try (Sandbox box = create("here")) {
      assertThat(box.files().readString("/home/user/script")).isEqualTo("given and 2\n");
      assertThat(box.files().readString("/home/user/quoted")).isEqualTo("it's $WORD\n");
      assertThat(box.files().readString("/home/user/both")).isEqualTo("first given\nsecond\n");
      assertThat(box.files().readString("/home/user/python")).isEqualTo("a program of its own\n");
    }
    HttpResponse<String> failed =
        build("failing", "FROM host\nRUN <<EOF\nset -e\nfalse\ntrue\nEOF\n", new TestImage.Layer());
    assertThat(failed.statusCode()).isEqualTo(422);
    assertThat(RawApi.parse(failed).get("detail").asString())
        .contains("Line 2")
        .contains("exit code 1");
  }

  @Test
  void from_scratch_there_is_nothing_but_what_is_copied() throws Exception {
    var context = new TestImage.Layer().file("say", StaticProgram.bytes(), 0755);
    assertMade(
        build(
            "bare",
            """
            FROM scratch
            ENV GREETING=hello
            WORKDIR /work
            COPY say /bin/say
            RUN ["/bin/say", "while", "building"]
            ENTRYPOINT ["/bin/say"]
            CMD ["at", "last"]
            """,
            context));
    try (Sandbox box = create("bare")) {
      JsonNode said =
          RawApi.parse(templates.api().post("/api/v1/sandboxes/" + box.id() + "/exec", "{}"));
      assertThat(said.get("stdout").asString())
          .isEqualTo("uid=0 cwd=/work greeting=hello args=at,last\n");
      assertThat(box.files().exists("/bin/sh")).isFalse();
      assertThat(box.files().exists("/usr")).isFalse();
    }
  }

  @Test
  void without_a_shell_a_shell_command_is_refused_by_its_line() throws Exception {
    HttpResponse<String> reply =
        build("shellless", "FROM scratch\n\nRUN echo no shell\n", new TestImage.Layer());
    assertThat(reply.statusCode()).as(reply.body()).isEqualTo(422);
    assertThat(RawApi.parse(reply).get("detail").asString()).contains("Line 3").contains("/bin/sh");
    assertThat(templates.api().get(TemplateCalls.path("shellless")).statusCode()).isEqualTo(404);
  }
}
