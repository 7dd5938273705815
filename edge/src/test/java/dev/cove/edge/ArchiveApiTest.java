package dev.cove.edge;

import static dev.cove.edge.RunningEdge.encode;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.edge.RunningEdge.Answer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ArchiveApiTest {
  @RegisterExtension static final RunningEdge EDGE = new RunningEdge();
  private static String archive = "";

  @BeforeAll
  static void createBox() {
    archive = "/api/v1/sandboxes/" + EDGE.create("{\"diskMb\":64}") + "/files/archive?path=";
  }

  /** Builds an archive entry by entry. */
  private static final class Tar {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final TarArchiveOutputStream out;

    Tar() {
      this(TarArchiveOutputStream.LONGFILE_POSIX);
    }

    Tar(int longNames) {
      out = new TarArchiveOutputStream(bytes, "UTF-8");
      out.setLongFileMode(longNames);
      out.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
      out.setAddPaxHeadersForNonAsciiNames(true);
    }

    Tar file(String name, String content) throws IOException {
      byte[] data = content.getBytes(StandardCharsets.UTF_8);
      var entry = new TarArchiveEntry(name, TarConstants.LF_NORMAL, true);
      entry.setSize(data.length);
      entry.setMode(0100644);
      return put(entry, data);
    }

    Tar link(String name, byte type, String target) throws IOException {
      var entry = new TarArchiveEntry(name, type, true);
      entry.setLinkName(target);
      return put(entry, new byte[0]);
    }

    Tar other(String name, byte type, int mode) throws IOException {
      var entry = new TarArchiveEntry(name, type, true);
      entry.setMode(mode);
      return put(entry, new byte[0]);
    }

    Tar put(TarArchiveEntry entry, byte[] data) throws IOException {
      out.putArchiveEntry(entry);
      out.write(data);
      out.closeArchiveEntry();
      return this;
    }

    byte[] gzip() throws IOException {
      return ArchiveApiTest.gzip(plain());
    }

    byte[] plain() throws IOException {
      out.finish();
      return bytes.toByteArray();
    }
  }

  private static byte[] gzip(byte[] plain) throws IOException {
    var zipped = new ByteArrayOutputStream();
    try (OutputStream gzip = new GZIPOutputStream(zipped)) {
      gzip.write(plain);
    }
    return zipped.toByteArray();
  }

  private static Answer unpack(Path folder, byte[] body) {
    return EDGE.put(archive + encode(folder.toString()), body);
  }

  private static Map<String, TarArchiveEntry> entries(byte[] tarGz) throws IOException {
    var found = new HashMap<String, TarArchiveEntry>();
    try (var tar =
        new TarArchiveInputStream(new GZIPInputStream(new ByteArrayInputStream(tarGz)), "UTF-8")) {
      for (var entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        tar.readAllBytes();
        found.put(entry.getName(), entry);
      }
    }
    return found;
  }

  @Test
  void a_tree_goes_up_and_comes_down_the_same() throws Exception {
    Path folder = EDGE.work().resolve("new/folder");
    String longName = "d".repeat(120) + "/" + "e".repeat(120) + "/ü😀 file";
    for (int style :
        new int[] {TarArchiveOutputStream.LONGFILE_POSIX, TarArchiveOutputStream.LONGFILE_GNU}) {
      byte[] body =
          new Tar(style)
              .other("./", TarConstants.LF_DIR, 0755)
              .other("bin/", TarConstants.LF_DIR, 0755)
              .file("bin/tool", "#!/bin/sh\n")
              .file(longName, "long")
              .file("./dotted//name", "x")
              .link("link", TarConstants.LF_SYMLINK, "../../outside")
              .link("hard", TarConstants.LF_LINK, "bin/tool")
              .other("readonly/", TarConstants.LF_DIR, 0555)
              .file("readonly/inside", "y")
              .gzip();
      Answer up = unpack(folder, body);
      assertThat(up.status()).as(up.toString()).isEqualTo(200);
      assertThat(up.json().get("files").asInt()).isEqualTo(5);
      assertThat(up.json().get("folders").asInt()).isEqualTo(2);
      assertThat(up.json().get("symlinks").asInt()).isEqualTo(1);
    }
    assertThat(folder.resolve("bin/tool")).hasContent("#!/bin/sh\n");
    assertThat(folder.resolve("hard")).hasContent("#!/bin/sh\n");
    assertThat(folder.resolve(longName)).hasContent("long");
    assertThat(folder.resolve("dotted/name")).hasContent("x");
    assertThat(Files.readSymbolicLink(folder.resolve("link"))).hasToString("../../outside");
    assertThat(
            PosixFilePermissions.toString(
                Files.getPosixFilePermissions(folder.resolve("readonly"))))
        .isEqualTo("r-xr-xr-x");
    Answer down = EDGE.get(archive + encode(folder.toString()));
    assertThat(down.header("Content-Type")).isEqualTo("application/gzip");
    var packed = entries(down.bytes());
    assertThat(packed.keySet())
        .contains("bin/", "bin/tool", "hard", longName, "dotted/name", "link", "readonly/inside");
    assertThat(packed.values()).allMatch(entry -> entry.getUserName().isEmpty());
    TarArchiveEntry link = requireNonNull(packed.get("link"));
    assertThat(link.isSymbolicLink()).isTrue();
    assertThat(link.getLinkName()).isEqualTo("../../outside");
    assertThat(requireNonNull(packed.get("readonly/")).getMode() & 0777).isEqualTo(0555);
    Path again = EDGE.work().resolve("again");
    assertThat(unpack(again, down.bytes()).status()).isEqualTo(200);
    assertThat(again.resolve(longName)).hasContent("long");
  }

  @Test
  void a_single_file_comes_down_by_its_name() throws Exception {
    Path file = Files.writeString(EDGE.work().resolve("single"), "content");
    assertThat(entries(EDGE.get(archive + encode(file.toString())).bytes()).keySet())
        .containsExactly("single");
    assertThat(EDGE.get(archive + encode(file + "-not-there")).status()).isEqualTo(404);
  }

  @Test
  void what_gnu_tar_and_busybox_style_tools_make_is_understood() throws Exception {
    Path source = EDGE.work();
    Files.createDirectories(source.resolve("a/" + "n".repeat(150)));
    Files.writeString(source.resolve("a/" + "n".repeat(150) + "/file"), "deep");
    Files.createLink(source.resolve("a/hard"), source.resolve("a/" + "n".repeat(150) + "/file"));
    for (String format : new String[] {"gnu", "pax", "oldgnu"}) {
      Path target = EDGE.work();
      Path tgz = EDGE.work().resolve("x.tgz");
      Process tar =
          new ProcessBuilder(
                  "tar", "--format=" + format, "-czf", tgz.toString(), "-C", source.toString(), "a")
              .start();
      assertThat(tar.waitFor()).isZero();
      Answer up = unpack(target, Files.readAllBytes(tgz));
      assertThat(up.status()).as(format + up).isEqualTo(200);
      assertThat(target.resolve("a/" + "n".repeat(150) + "/file")).hasContent("deep");
      assertThat(target.resolve("a/hard")).hasContent("deep");
    }
  }

  @Test
  void pipes_and_devices_are_left_out_on_the_way_down() throws Exception {
    Path folder = EDGE.work();
    Files.writeString(folder.resolve("file"), "x");
    assertThat(new ProcessBuilder("mkfifo", folder.resolve("pipe").toString()).start().waitFor())
        .isZero();
    Files.createSymbolicLink(folder.resolve("loop"), folder);
    try (var connection = new RawConnection(EDGE.port())) {
      connection
          .head(EDGE, "GET " + archive + encode(folder.toString()))
          .send("Connection: close\r\n\r\n");
      var head = connection.readHead();
      assertThat(head.headers()).containsEntry("Trailer", "Cove-Left-Out");
      String line = connection.readLine();
      while (!line.startsWith("Cove-Left-Out")) {
        line = connection.readLine();
      }
      assertThat(line).isEqualTo("Cove-Left-Out: 1");
    }
    assertThat(entries(EDGE.get(archive + encode(folder.toString())).bytes()).keySet())
        .containsExactlyInAnyOrder("file", "loop");
  }

  @Test
  void entries_that_lead_elsewhere_are_refused_by_name() throws Exception {
    Path outside = EDGE.work();
    Map<String, Tar> hostile = new HashMap<>();
    hostile.put("absolute", new Tar().file(outside + "/evil", "x"));
    hostile.put("dots", new Tar().file("a/../../evil", "x"));
    hostile.put("only dots", new Tar().file("..", "x"));
    hostile.put("folder dots", new Tar().other("../evil/", TarConstants.LF_DIR, 0755));
    hostile.put(
        "through a link",
        new Tar().link("l", TarConstants.LF_SYMLINK, outside.toString()).file("l/evil", "x"));
    hostile.put(
        "through a nested link",
        new Tar()
            .other("d/", TarConstants.LF_DIR, 0755)
            .link("d/l", TarConstants.LF_SYMLINK, outside.toString())
            .file("d/./l/evil", "x"));
    hostile.put(
        "folder through a link",
        new Tar()
            .link("l", TarConstants.LF_SYMLINK, outside.toString())
            .other("l/evil/", TarConstants.LF_DIR, 0755));
    hostile.put("hard link outside", new Tar().link("h", TarConstants.LF_LINK, "/etc/passwd"));
    hostile.put("hard link up", new Tar().link("h", TarConstants.LF_LINK, "../../etc/passwd"));
    hostile.put(
        "hard link to a link",
        new Tar()
            .link("l", TarConstants.LF_SYMLINK, "/etc/passwd")
            .link("h", TarConstants.LF_LINK, "l"));
    hostile.put("character device", new Tar().other("evil", TarConstants.LF_CHR, 0644));
    hostile.put("block device", new Tar().other("evil", TarConstants.LF_BLK, 0644));
    hostile.put("pipe", new Tar().other("evil", TarConstants.LF_FIFO, 0644));
    hostile.put("link without target", new Tar().link("l", TarConstants.LF_SYMLINK, ""));
    for (var each : hostile.entrySet()) {
      Path folder = EDGE.work();
      Answer answer = unpack(folder, each.getValue().gzip());
      assertThat(answer.status()).as(each.getKey() + " " + answer).isEqualTo(400);
      assertThat(answer.detail()).as(each.getKey()).contains("unpacked before");
      assertThat(folder.resolve("h")).as(each.getKey()).doesNotExist();
      assertThat(folder.resolve("evil")).as(each.getKey()).doesNotExist();
    }
    assertThat(outside).isEmptyDirectory();
  }

  @Test
  void a_link_may_be_replaced_but_not_followed() throws Exception {
    Path outside = EDGE.work().resolve("outside");
    Files.writeString(outside, "untouched");
    Path folder = EDGE.work();
    Answer answer =
        unpack(
            folder,
            new Tar()
                .link("l", TarConstants.LF_SYMLINK, outside.toString())
                .file("l", "now a file")
                .link("l2", TarConstants.LF_SYMLINK, "x")
                .link("l2", TarConstants.LF_SYMLINK, "y")
                .gzip());
    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
    assertThat(outside).hasContent("untouched");
    assertThat(folder.resolve("l")).hasContent("now a file").isRegularFile();
    assertThat(Files.readSymbolicLink(folder.resolve("l2"))).hasToString("y");
  }

  @Test
  void set_user_id_bits_are_dropped() throws Exception {
    Path folder = EDGE.work();
    var entry = new TarArchiveEntry("tool", TarConstants.LF_NORMAL);
    entry.setMode(0106755);
    assertThat(unpack(folder, new Tar().put(entry, new byte[0]).gzip()).status()).isEqualTo(200);
    assertThat((int) Files.getAttribute(folder.resolve("tool"), "unix:mode") & 07777)
        .isEqualTo(0755);
  }

  @Test
  void what_is_no_archive_is_refused() throws Exception {
    byte[] good = new Tar().file("first", "1").file("second", "x".repeat(5_000)).gzip();
    Map<String, byte[]> broken = new HashMap<>();
    broken.put("empty", new byte[0]);
    broken.put("text", "hello".getBytes(StandardCharsets.UTF_8));
    broken.put("no tar", gzip("x".repeat(2_000).getBytes(StandardCharsets.UTF_8)));
    broken.put("short", gzip(new byte[] {1, 2, 3}));
    broken.put("cut gzip", Arrays.copyOf(good, good.length - 20));
    byte[] flipped = good.clone();
    flipped[good.length / 2] ^= 0x55;
    broken.put("flipped", flipped);
    byte[] plain = new Tar().file("first", "1").file("second", "x".repeat(5_000)).plain();
    broken.put("cut tar", gzip(Arrays.copyOf(plain, 6_000)));
    broken.put("cut header", gzip(Arrays.copyOf(plain, 1_100)));
    for (var each : broken.entrySet()) {
      Answer answer = unpack(EDGE.work(), each.getValue());
      assertThat(answer.status()).as(each.getKey() + " " + answer).isEqualTo(400);
      assertThat(answer.code()).isEqualTo("invalid_request");
    }
    Path folder = EDGE.work();
    Answer cut = unpack(folder, broken.get("cut tar"));
    assertThat(cut.detail()).contains("second").contains("1 files");
    assertThat(folder.resolve("first")).hasContent("1");
    assertThat(folder.resolve("second")).doesNotExist();
  }

  @Test
  void bombs_end_at_a_limit() throws Exception {
    Path folder = EDGE.work();
    var zeros = new TarArchiveEntry("zeros", TarConstants.LF_NORMAL);
    zeros.setSize(4L << 30);
    byte[] header = new byte[512];
    zeros.writeEntryHeader(header);
    Answer large = bomb(folder, header, 4L << 30);
    assertThat(large.status()).as(large.toString()).isEqualTo(413);
    assertThat(large.detail()).contains("zeros");
    assertThat(folder).isEmptyDirectory();
    for (char type : new char[] {'x', 'g', 'L', 'K'}) {
      var meta = new TarArchiveEntry("meta", (byte) type);
      meta.setSize(1L << 30);
      meta.writeEntryHeader(header);
      Answer answer = bomb(folder, header, 1L << 30);
      assertThat(answer.status()).as(type + " " + answer).isEqualTo(400);
    }
    var empty = new TarArchiveEntry("g", (byte) 'g');
    empty.writeEntryHeader(header);
    byte[] chain = new byte[512 * 250_000];
    for (int i = 0; i < chain.length; i += 512) {
      System.arraycopy(header, 0, chain, i, 512);
    }
    assertThat(unpack(folder, gzip(chain)).status()).isEqualTo(413);
    assertThat(unpack(folder, new Tar().file("n".repeat(5_000), "x").gzip()).status())
        .isEqualTo(400);
    var sparse = new TarArchiveEntry("sparse", TarConstants.LF_GNUTYPE_SPARSE);
    sparse.writeEntryHeader(header);
    assertThat(unpack(folder, gzip(header)).status()).isEqualTo(400);
    assertThat(folder).isEmptyDirectory();
  }

  /** Sends a header and then so many compressed zeros, made on the way. */
  private static Answer bomb(Path folder, byte[] header, long zeros) throws IOException {
    var pipe = new PipedInputStream(1 << 16);
    var out = new PipedOutputStream(pipe);
    Thread.ofVirtual()
        .start(() -> {
          try (var gzip = new GZIPOutputStream(out)) {
            gzip.write(header);
            byte[] block = new byte[1 << 16];
            for (long left = zeros; left > 0; left -= block.length) {
              gzip.write(block);
            }
          } catch (IOException e) {
            // The server has had enough, which is the point.
          }
        });
    try (InputStream body = pipe) {
      return EDGE.send(
          archive + encode(folder.toString()),
          request -> request.PUT(BodyPublishers.ofInputStream(() -> body)));
    }
  }

  @Test
  void damaged_archives_never_do_harm() throws Exception {
    byte[] plain =
        new Tar()
            .file("a/b", "content")
            .link("l", TarConstants.LF_SYMLINK, "a")
            .file("n".repeat(200), "long")
            .other("d/", TarConstants.LF_DIR, 0755)
            .plain();
    var random = new Random(7);
    for (int round = 0; round < 150; round++) {
      byte[] damaged = plain.clone();
      for (int i = 0; i < 1 + random.nextInt(4); i++) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
      }
      Path folder = EDGE.work();
      Answer answer = unpack(folder, gzip(damaged));
      assertThat(answer.status()).as("round " + round + " " + answer).isIn(200, 400, 413, 422);
      try (var left = Files.list(folder.getParent())) {
        assertThat(left.map(p -> p.getFileName().toString()))
            .allMatch(name -> name.startsWith("w"));
      }
    }
  }
}
