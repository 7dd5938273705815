package dev.cove.guest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.guest.GuestFiles.PackRules;
import dev.cove.guest.GuestFiles.UnpackRules;
import dev.cove.model.ErrorCode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(120)
class PackTest {
  private static final PackRules ENOUGH = new PackRules(10_000);

  @RegisterExtension final RunningAgent agent = new RunningAgent();

  private Path source = Path.of("/nonexistent");

  @BeforeEach
  void makeFolder() throws IOException {
    source = Files.createDirectory(agent.work().resolve("source"));
  }

  private byte[] pack(PackRules rules) throws IOException {
    try (InputStream tar = agent.link().files("root").pack(source.toString(), rules)) {
      return tar.readAllBytes();
    }
  }

  private List<String> names(byte[] tar) throws Exception {
    Path file = Files.write(agent.work().resolve("a.tar"), tar);
    return run(agent.work(), "tar", "-tf", file.toString()).lines().toList();
  }

  private static String run(Path folder, String... command) throws Exception {
    Process process =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(output).isZero();
    return output;
  }

  /** A bit of everything that packing knows. */
  private void fill() throws Exception {
    String longName = "l".repeat(90) + "/" + "ö".repeat(100) + "/" + "x".repeat(200);
    Files.createDirectories(source.resolve(longName).getParent());
    byte[] random = new byte[300_001];
    new Random(7).nextBytes(random);
    Files.write(source.resolve(longName), random);
    Files.createLink(source.resolve("zhard"), source.resolve(longName));
    Files.createSymbolicLink(source.resolve("soft"), Path.of("t".repeat(300)));
    Files.createSymbolicLink(source.resolve("short"), Path.of("soft"));
    Files.createFile(source.resolve("empty"));
    Files.createDirectories(source.resolve("b/c/d"));
    Files.writeString(source.resolve("b/set"), "s");
    Files.setAttribute(source.resolve("b/set"), "unix:uid", 3_000_000);
    Files.setAttribute(source.resolve("b/set"), "unix:gid", 42);
    Files.setAttribute(source.resolve("b/set"), "unix:mode", 06755);
    Files.setLastModifiedTime(source.resolve("b/set"), FileTime.fromMillis(-5000));
    Files.setLastModifiedTime(source.resolve("b/c"), FileTime.fromMillis(9_000));
    run(source, "mkfifo", "fifo");
  }

  private static String looks(Path folder) throws Exception {
    String format = "%p %y %m %U %G %s %n %Ts %l\\n";
    String found = run(folder, "find", ".", "-mindepth", "1", "-printf", format);
    return found.lines().sorted().collect(Collectors.joining("\n"));
  }

  @Test
  void gnu_tar_extracts_what_was_packed() throws Exception {
    fill();
    byte[] tar = pack(ENOUGH);
    assertThat(names(tar)).contains("b/", "b/c/", "b/c/d/", "b/set", "empty", "fifo");
    Path target = Files.createDirectory(agent.work().resolve("target"));
    String archive = agent.work().resolve("a.tar").toString();
    run(target, "tar", "-xpf", archive, "--numeric-owner");
    run(
        agent.work(),
        "diff",
        "-r",
        "-x",
        "fifo",
        "--no-dereference",
        source.toString(),
        target.toString());
    assertThat(looks(target)).isEqualTo(looks(source)).contains("./b/set f 6755 3000000 42 1");
    assertThat(Files.getAttribute(target.resolve("b/set"), "unix:uid")).isEqualTo(3_000_000);
    assertThat(Files.getAttribute(target.resolve("zhard"), "unix:nlink")).isEqualTo(2);
    assertThat(Files.getLastModifiedTime(target.resolve("b/set")).toMillis()).isEqualTo(-5000);
  }

  @Test
  void what_was_packed_can_be_unpacked_and_packed_to_the_same_bytes() throws Exception {
    fill();
    Files.setAttribute(source.resolve("b/set"), "unix:uid", 1000); // or it becomes nobody's
    byte[] first = pack(ENOUGH);
    Path target = Files.createDirectory(agent.work().resolve("target"));
    GuestFiles files = agent.link().files("root");
    files.unpack(
        target.toString(),
        new ByteArrayInputStream(first),
        new UnpackRules(true, 10_000, 1L << 30));
    try (InputStream again = files.pack(target.toString(), ENOUGH)) {
      assertThat(again.readAllBytes()).isEqualTo(first);
    }
  }

  @Test
  void names_come_in_order_and_a_folder_before_its_content() throws Exception {
    for (String name : List.of("b/2", "b/1", "a", "c/z/y", "B", "b.d")) {
      Files.createDirectories(source.resolve(name).getParent());
      Files.writeString(source.resolve(name), name);
    }
    assertThat(names(pack(ENOUGH)))
        .containsExactly("B", "a", "b/", "b/1", "b/2", "b.d", "c/", "c/z/", "c/z/y");
  }

  @Test
  void capabilities_are_packed_and_unpacked() throws Exception {
    Files.writeString(source.resolve("ping"), "x");
    run(source, "setcap", "cap_net_raw+ep", "ping");
    byte[] tar = pack(ENOUGH);
    Path target = Files.createDirectory(agent.work().resolve("target"));
    agent
        .link()
        .files("root")
        .unpack(target.toString(), new ByteArrayInputStream(tar), new UnpackRules(false, 10, 1000));
    assertThat(run(target, "getcap", "ping")).contains("cap_net_raw");
  }

  @Test
  void sockets_and_other_mounts_are_left_out() throws Exception {
    run(source, "python3", "-c", "import socket; socket.socket(socket.AF_UNIX).bind('socket')");
    Files.createDirectories(source.resolve("mount"));
    Files.writeString(source.resolve("bound"), "below");
    Files.writeString(source.resolve("mount/hidden"), "x");
    run(source, "mount", "-t", "tmpfs", "none", source + "/mount");
    try {
      Files.writeString(source.resolve("mount/on"), "x");
      run(source, "mount", "--bind", "/etc/passwd", source + "/bound");
      try {
        assertThat(names(pack(ENOUGH))).containsExactly("mount/");
      } finally {
        run(source, "umount", source + "/bound");
      }
    } finally {
      run(source, "umount", source + "/mount");
    }
    assertThat(names(pack(ENOUGH))).containsExactly("bound", "mount/", "mount/hidden");
  }

  @Test
  void entries_have_a_limit() throws Exception {
    for (int i = 0; i < 9; i++) {
      Files.createDirectories(source.resolve("d"));
      Files.createFile(source.resolve("d/" + i));
    }
    assertThat(names(pack(new PackRules(10)))).hasSize(10);
    assertThatThrownBy(() -> pack(new PackRules(9)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("more than 9 entries");
    assertThatThrownBy(() -> pack(new PackRules(0)))
        .isInstanceOf(GuestException.class)
        .hasMessageContaining("more than 0 entries");
    assertThatThrownBy(() -> pack(new PackRules(-1))).hasMessageContaining("negative");
  }

  @Test
  void a_folder_that_is_missing_or_closed_is_said_to_be() throws Exception {
    GuestFiles files = agent.link().files("root");
    assertThatThrownBy(() -> files.pack(source + "/none", ENOUGH))
        .extracting(e -> ((GuestException) e).code())
        .isEqualTo(ErrorCode.NOT_FOUND);
    Files.writeString(source.resolve("secret"), "x");
    Files.setAttribute(source.resolve("secret"), "unix:mode", 0600);
    assertThatThrownBy(
            () -> {
              try (InputStream tar = agent.link().files("1000").pack(source.toString(), ENOUGH)) {
                tar.readAllBytes();
              }
            })
        .hasMessageContaining("secret: Permission denied");
  }

  @Test
  void a_file_that_changes_while_it_is_packed_keeps_the_size_in_its_header() throws Exception {
    byte[] large = new byte[24 << 20];
    Arrays.fill(large, (byte) 'x');
    Files.write(source.resolve("a-shrinks"), large);
    Files.write(source.resolve("b-grows"), large);
    Files.writeString(source.resolve("c-after"), "after");
    try (InputStream tar = agent.link().files("root").pack(source.toString(), ENOUGH)) {
      assertThat(tar.readNBytes(512)).hasSize(512);
      Files.write(source.resolve("a-shrinks"), new byte[1000]);
      byte[] rest = tar.readNBytes(24 << 20);
      assertThat(rest[0]).isEqualTo((byte) 'x');
      assertThat(rest[rest.length - 1]).isZero();
      assertThat(tar.readNBytes(512)).startsWith("b-grows".getBytes(UTF_8));
      Files.write(source.resolve("b-grows"), new byte[30 << 20]);
      assertThat(tar.readNBytes(24 << 20)).hasSize(24 << 20);
      assertThat(tar.readNBytes(512)).startsWith("c-after".getBytes(UTF_8));
    }
  }

  @Test
  void a_tree_that_is_deeper_than_descriptors_last_is_packed() throws Exception {
    Path deep = source;
    for (int i = 0; i < 1500; i++) {
      deep = deep.resolve("d");
    }
    Files.createDirectories(deep);
    Files.writeString(deep.resolve("f"), "x");
    Files.writeString(source.resolve("z"), "x");
    assertThat(names(pack(ENOUGH))).hasSize(1502).endsWith("z");
  }

  @Test
  void a_reader_that_stops_stops_the_packing() throws Exception {
    Files.write(source.resolve("large"), new byte[64 << 20]);
    InputStream tar = agent.link().files("root").pack(source.toString(), ENOUGH);
    assertThat(tar.readNBytes(1000)).hasSize(1000);
    tar.close();
    assertThat(names(pack(ENOUGH))).containsExactly("large");
    assertThat(agent.residentKilobytes()).isLessThan(4 * 1024);
  }
}
