package dev.cove.edge;

import static dev.cove.edge.RunningEdge.encode;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.edge.RunningEdge.Answer;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class FileApiTest {
  @RegisterExtension static final RunningEdge EDGE = new RunningEdge();
  private static String files = "";

  @BeforeAll
  static void createBox() {
    files = "/api/v1/sandboxes/" + EDGE.create() + "/files";
  }

  private static String at(String verb, Path path) {
    return files + verb + "?path=" + encode(path.toString());
  }

  @Test
  void what_was_written_is_read_back_whole_or_in_part() throws Exception {
    Path file = EDGE.work().resolve("a +%ü😀.bin");
    byte[] content = new byte[100_000];
    new Random(1).nextBytes(content);
    Answer written = EDGE.put(at("", file) + "&mode=0640", content);
    assertThat(written.status()).as(written.toString()).isEqualTo(200);
    assertThat(written.json().get("size").asLong()).isEqualTo(content.length);
    assertThat(written.json().get("mode").asString()).isEqualTo("0640");
    assertThat(written.json().get("name").asString()).isEqualTo("a +%ü😀.bin");
    assertThat(Files.readAllBytes(file)).isEqualTo(content);
    Answer read = EDGE.get(at("", file));
    assertThat(read.bytes()).isEqualTo(content);
    assertThat(read.header("Content-Length")).isEqualTo("100000");
    assertThat(read.header("Content-Type")).isEqualTo("application/octet-stream");
    assertThat(EDGE.get(at("", file) + "&offset=99990&length=100").bytes())
        .isEqualTo(Arrays.copyOfRange(content, 99_990, 100_000));
    assertThat(EDGE.get(at("", file) + "&offset=200000").bytes()).isEmpty();
    assertThat(EDGE.get(at("", file) + "&length=0").bytes()).isEmpty();
  }

  @Test
  void a_file_that_says_it_is_empty_is_read_all_the_same() {
    Answer answer = EDGE.get(files + "?path=/proc/self/status");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text()).contains("Name:");
  }

  @Test
  void folders_and_links_are_made_listed_moved_and_removed() throws Exception {
    Path work = EDGE.work();
    Path folder = work.resolve("a/b");
    assertThat(post("mkdir", "{\"path\":\"" + folder + "\"}").status()).isEqualTo(404);
    assertThat(
            post("mkdir", "{\"path\":\"" + folder + "\",\"parents\":true,\"mode\":\"0700\"}")
                .status())
        .isEqualTo(204);
    assertThat(EDGE.put(at("", folder.resolve("f")), new byte[3]).status()).isEqualTo(200);
    assertThat(
            post("symlink", "{\"path\":\"" + folder.resolve("l") + "\",\"target\":\"f\"}").status())
        .isEqualTo(204);
    var link = EDGE.get(at("/stat", folder.resolve("l")) + "&follow=false").json();
    assertThat(link.get("type").asString()).isEqualTo("symlink");
    assertThat(link.get("linkTarget").asString()).isEqualTo("f");
    assertThat(EDGE.get(at("/stat", folder.resolve("l"))).json().get("type").asString())
        .isEqualTo("file");
    var deep = EDGE.get(at("/list", work) + "&depth=3").json();
    assertThat(deep.get("items").size()).isEqualTo(4);
    assertThat(deep.get("truncated").asBoolean()).isFalse();
    assertThat(EDGE.get(at("/list", work) + "&depth=3&limit=2").json().get("truncated").asBoolean())
        .isTrue();
    assertThat(
            post("chmod", "{\"path\":\"" + folder.resolve("f") + "\",\"mode\":\"0600\"}").status())
        .isEqualTo(204);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("f"))))
        .isEqualTo("rw-------");
    Path moved = work.resolve("moved");
    Files.createFile(moved);
    String move = "{\"from\":\"" + folder.resolve("f") + "\",\"to\":\"" + moved + "\"";
    assertThat(post("move", move + "}").status()).isEqualTo(409);
    assertThat(post("move", move + ",\"overwrite\":true}").status()).isEqualTo(204);
    assertThat(EDGE.delete(at("", work.resolve("a"))).status()).isEqualTo(409);
    assertThat(EDGE.delete(at("", work.resolve("a")) + "&recursive=true").status()).isEqualTo(204);
    assertThat(EDGE.get(at("/stat", work.resolve("a"))).status()).isEqualTo(404);
  }

  private static Answer post(String verb, String body) {
    return EDGE.post(files + "/" + verb, body);
  }

  @Test
  void a_folder_with_thousands_of_entries_is_listed_whole() throws Exception {
    Path folder = EDGE.work();
    for (int i = 0; i < 6_000; i++) {
      Files.createFile(folder.resolve("f" + i));
    }
    var all = EDGE.get(at("/list", folder) + "&limit=100000").json();
    assertThat(all.get("items").size()).isEqualTo(6_000);
    assertThat(all.get("truncated").asBoolean()).isFalse();
    assertThat(EDGE.get(at("/list", folder)).json().get("truncated").asBoolean()).isTrue();
  }

  @Test
  void paths_that_make_no_sense_are_400() {
    for (String path :
        new String[] {
          "relative",
          "",
          "%00",
          "/a%00b",
          "%2Fa%00",
          "/%FF",
          "/%C0%AF",
          "/%ED%A0%80",
          "/" + "x".repeat(4_096),
          "~",
          "../x",
          "%2e%2e"
        }) {
      for (String verb : new String[] {"", "/stat", "/list", "/watch", "/archive"}) {
        Answer answer = EDGE.get(files + verb + "?path=" + path);
        assertThat(answer.status()).as(verb + "?" + path + " -> " + answer).isEqualTo(400);
        assertThat(answer.code()).isEqualTo("invalid_request");
      }
      assertThat(EDGE.put(files + "?path=" + path, new byte[1]).status()).isEqualTo(400);
      assertThat(EDGE.delete(files + "?path=" + path).status()).isEqualTo(400);
    }
    for (String query :
        new String[] {
          "",
          "?path=/a&path=/b",
          "?path=/a&offset=-1",
          "?path=/a&offset=x",
          "?path=/a&offset=99999999999999999999",
          "?path=/a&colour=red",
          "?path=/a&user=a/b"
        }) {
      assertThat(EDGE.get(files + query).status()).as(query).isEqualTo(400);
    }
    for (String mode : new String[] {"8", "99999", "rwx", "-644", "0o644", "1777777"}) {
      assertThat(EDGE.put(files + "?path=/tmp/never&mode=" + mode, new byte[1]).status())
          .isEqualTo(400);
    }
    for (String body :
        new String[] {
          "{}",
          "{\"path\":5}",
          "{\"path\":\"x\"}",
          "{\"path\":\"/a\\u0000\"}",
          "{\"path\":\"/a\",\"mode\":493}",
          "{\"path\":\"/a\",\"parents\":\"yes\"}"
        }) {
      assertThat(post("mkdir", body).status()).as(body).isEqualTo(400);
    }
  }

  @Test
  void what_is_no_file_is_refused_and_never_waited_for() throws Exception {
    Path work = EDGE.work();
    Path pipe = work.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    assertThat(EDGE.get(at("", pipe)).status()).isEqualTo(422);
    assertThat(EDGE.get(files + "?path=/dev/zero").status()).isEqualTo(422);
    assertThat(EDGE.get(at("", work)).status()).isEqualTo(422);
    assertThat(EDGE.get(at("", work.resolve("nothing"))).status()).isEqualTo(404);
  }

  @Test
  void an_upload_that_breaks_off_changes_nothing() throws Exception {
    Path folder = EDGE.work();
    Path file = Files.writeString(folder.resolve("kept"), "before");
    try (var connection = new RawConnection(EDGE.port())) {
      connection
          .head(EDGE, "PUT " + at("", file))
          .send("Content-Length: 1000000\r\n\r\n")
          .send(new byte[500_000]);
    }
    String target = at("/stat", file);
    RunningEdge.await(
        "the temporary file is gone",
        () -> EDGE.get(at("/list", folder)).json().get("items").size() == 1);
    assertThat(EDGE.get(target).json().get("size").asLong()).isEqualTo(6);
    assertThat(Files.readString(file)).isEqualTo("before");
  }

  @Test
  void a_gigabyte_passes_both_ways_in_little_memory() throws Exception {
    Path file = EDGE.work().resolve("large");
    long size = 1L << 30;
    var request =
        HttpRequest.newBuilder(EDGE.uri(at("", file)))
            .header("X-API-Key", EDGE.key())
            .PUT(
                BodyPublishers.fromPublisher(
                    BodyPublishers.ofInputStream(() -> new Zeros(size)), size))
            .build();
    long before = usedMemory();
    var written = EDGE.client().send(request, BodyHandlers.ofString());
    assertThat(written.statusCode()).as(written.body()).isEqualTo(200);
    assertThat(Files.size(file)).isEqualTo(size);
    var read =
        EDGE.client()
            .send(
                HttpRequest.newBuilder(EDGE.uri(at("", file)))
                    .header("X-API-Key", EDGE.key())
                    .build(),
                BodyHandlers.ofInputStream());
    long count = 0;
    byte[] buffer = new byte[1 << 16];
    try (InputStream body = read.body()) {
      for (int n = body.read(buffer); n >= 0; n = body.read(buffer)) {
        count += n;
      }
    }
    assertThat(count).isEqualTo(size);
    assertThat(usedMemory() - before).isLessThan(64L << 20);
    Files.delete(file);
  }

  private static long usedMemory() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  private static final class Zeros extends InputStream {
    private long left;

    Zeros(long length) {
      left = length;
    }

    @Override
    public int read() {
      return left-- > 0 ? 0 : -1;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) {
      int n = (int) Math.min(left, length);
      left -= n;
      return n == 0 ? -1 : n;
    }
  }

  @Test
  void changes_are_told_as_they_happen() throws Exception {
    Path folder = EDGE.work();
    try (var events = new EventReader(EDGE, "GET", at("/watch", folder), "")) {
      assertThat(events.next().name()).isEqualTo("ready");
      Files.writeString(folder.resolve("new"), "x");
      var change = events.next();
      assertThat(change.name()).isEqualTo("change");
      assertThat(change.data().get("kind").asString()).isEqualTo("created");
      assertThat(change.data().get("path").asString()).isEqualTo(folder.resolve("new").toString());
    }
    assertThat(EDGE.get(at("/watch", folder.resolve("nothing"))).status()).isEqualTo(404);
  }

  @Test
  void file_routes_speak_of_the_path_as_utf_8() throws Exception {
    Path folder = EDGE.work();
    Path file = folder.resolve("漢字");
    EDGE.put(at("", file), "x".getBytes(StandardCharsets.UTF_8));
    assertThat(EDGE.get(at("/list", folder)).json().at("/items/0/name").asString()).isEqualTo("漢字");
  }
}
