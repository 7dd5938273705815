package dev.cove.guest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.guest.GuestFiles.UnpackRules;
import dev.cove.guest.GuestFiles.Unpacked;
import dev.cove.model.ErrorCode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class UnpackTest {
  private static final UnpackRules PLAIN = new UnpackRules(false, 10_000, 1L << 30);
  private static final UnpackRules LAYER = new UnpackRules(true, 10_000, 1L << 30);

  @RegisterExtension final RunningAgent agent = new RunningAgent();

  private Path root = Path.of("/nonexistent");
  private Path outside = Path.of("/nonexistent");

  @BeforeEach
  void makeFolders() throws IOException {
    root = Files.createDirectory(agent.work().resolve("root"));
    outside = Files.createDirectory(agent.work().resolve("outside"));
    Files.writeString(outside.resolve("secret"), "secret");
  }

  private Unpacked unpack(InputStream tar, UnpackRules rules) throws IOException {
    return agent.link().files("root").unpack(root.toString(), tar, rules);
  }

  private Unpacked unpack(TarBytes tar) throws IOException {
    return unpack(tar.end().stream(), PLAIN);
  }

  private Unpacked layer(TarBytes tar) throws IOException {
    return unpack(tar.end().stream(), LAYER);
  }

  private void assertRefused(byte[] tar, UnpackRules rules, String because) {
    assertThatThrownBy(() -> unpack(new ByteArrayInputStream(tar), rules))
        .isInstanceOf(GuestException.class)
        .hasMessageContaining(because)
        .extracting(e -> ((GuestException) e).code())
        .isEqualTo(ErrorCode.GUEST_REFUSED);
    assertOutsideIsAsItWas();
  }

  private void assertRefused(TarBytes tar, String because) {
    assertRefused(tar.end().bytes(), PLAIN, because);
  }

  private void assertOutsideIsAsItWas() {
    try (Stream<Path> files = Files.list(outside)) {
      assertThat(files).containsExactly(outside.resolve("secret"));
      assertThat(outside.resolve("secret")).hasContent("secret");
      assertThat(Files.getAttribute(outside.resolve("secret"), "unix:nlink")).isEqualTo(1);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private String content(String name) throws IOException {
    return Files.readString(root.resolve(name));
  }

  private boolean exists(String name) {
    return Files.exists(root.resolve(name), LinkOption.NOFOLLOW_LINKS);
  }

  private Object attribute(String name, String attribute) throws IOException {
    return Files.getAttribute(root.resolve(name), "unix:" + attribute, LinkOption.NOFOLLOW_LINKS);
  }

  private static void run(Path folder, String... command) throws Exception {
    Process process = new ProcessBuilder(command).directory(folder.toFile()).inheritIO().start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(String.join(" ", command)).isZero();
  }

  // What an archive says is there afterwards.

  @Test
  void entries_come_with_content_mode_owner_and_time() throws Exception {
    Unpacked done =
        unpack(
            new TarBytes()
                .owner(12, 34)
                .folder("d/")
                .mode(04751)
                .file("d/f", "hello")
                .symlink("d/s", "f")
                .hardLink("d/h", "d/f")
                .header('6', "d/p", "", 0));
    assertThat(done).isEqualTo(new Unpacked(5, 5, 0, ""));
    assertThat(content("d/f")).isEqualTo("hello");
    assertThat(((Integer) attribute("d/f", "mode")) & 07777).isEqualTo(04751);
    for (String name : List.of("d", "d/f", "d/s", "d/p")) {
      assertThat(attribute(name, "uid")).as(name).isEqualTo(12);
      assertThat(attribute(name, "gid")).as(name).isEqualTo(34);
      assertThat(attribute(name, "lastModifiedTime").toString())
          .as(name)
          .isEqualTo("2001-09-09T01:46:40Z");
    }
    assertThat(attribute("d/h", "ino")).isEqualTo(attribute("d/f", "ino"));
    assertThat(Files.readSymbolicLink(root.resolve("d/s"))).hasToString("f");
  }

  @Test
  void missing_folders_are_made_for_everybody_to_enter() throws Exception {
    Files.setAttribute(root, "unix:mode", 02755);
    Files.setAttribute(root, "unix:gid", 77);
    unpack(new TarBytes().owner(5, 5).file("a/b/c", "x"));
    assertThat(((Integer) attribute("a/b", "mode")) & 07777).isIn(0755, 02755);
    assertThat(attribute("a/b", "uid")).isEqualTo(0);
    assertThat(attribute("a/b", "gid")).isEqualTo(0);
    assertThat(attribute("a/b/c", "gid")).isEqualTo(5);
  }

  @Test
  void the_folder_itself_takes_the_looks_of_dot() throws Exception {
    unpack(new TarBytes().owner(3, 4).mode(0700).header('5', "./", "", 0).file("./f", "x"));
    assertThat(attribute("", "uid")).isEqualTo(3);
    assertThat(((Integer) attribute("", "mode")) & 07777).isEqualTo(0700);
    assertThat(attribute("", "lastModifiedTime").toString()).isEqualTo("2001-09-09T01:46:40Z");
    assertRefused(new TarBytes().file(".", "x"), "only a folder");
  }

  @Test
  void what_is_there_gives_way_to_what_comes() throws Exception {
    unpack(
        new TarBytes()
            .folder("kept")
            .file("kept/in", "1")
            .folder("tofile")
            .file("tofile/sub/in", "1")
            .file("tofolder", "1")
            .symlink("linktofile", "kept/in")
            .symlink("linktofolder", "kept")
            .file("implied", "1"));
    unpack(
        new TarBytes()
            .mode(0700)
            .header('5', "kept", "", 0)
            .mode(0600)
            .file("tofile", "2")
            .folder("tofolder")
            .file("linktofile", "2")
            .folder("linktofolder")
            .file("implied/below", "2"));
    assertThat(content("kept/in")).isEqualTo("1");
    assertThat(((Integer) attribute("kept", "mode")) & 07777).isEqualTo(0700);
    assertThat(content("tofile")).isEqualTo("2");
    assertThat(root.resolve("tofolder")).isEmptyDirectory();
    assertThat(content("linktofile")).isEqualTo("2");
    assertThat(Files.isDirectory(root.resolve("linktofolder"), LinkOption.NOFOLLOW_LINKS)).isTrue();
    assertThat(root.resolve("linktofolder")).isEmptyDirectory();
    assertThat(content("implied/below")).isEqualTo("2");
  }

  @Test
  void a_name_that_leads_elsewhere_since_is_followed_anew() throws Exception {
    unpack(
        new TarBytes()
            .folder("one")
            .folder("two")
            .symlink("link", "one")
            .file("link/a", "1")
            .symlink("link", "two")
            .file("link/a", "2")
            .folder("link")
            .file("link/a", "3"));
    assertThat(content("one/a")).isEqualTo("1");
    assertThat(content("two/a")).isEqualTo("2");
    assertThat(content("link/a")).isEqualTo("3");
  }

  @Test
  void long_names_sizes_and_times_come_from_extended_headers() throws Exception {
    String name = "n".repeat(200) + "/" + "ä".repeat(100);
    String target = "t".repeat(3000);
    unpack(
        new TarBytes()
            .extended('g', "comment=all", "path=everywhere")
            .pax("path=" + name, "mtime=-1.25", "uid=7", "gid=8", "comment=x")
            .file("short", "x")
            .pax("path=link", "linkpath=" + target, "size=")
            .symlink("short", "short")
            .pax("size=3")
            .header('0', "sized", "", 0)
            .content("abc".getBytes(UTF_8)));
    assertThat(content(name)).isEqualTo("x");
    assertThat(attribute(name, "uid")).isEqualTo(7);
    assertThat(attribute(name, "lastModifiedTime").toString()).isEqualTo("1969-12-31T23:59:58.75Z");
    assertThat(Files.readSymbolicLink(root.resolve("link"))).hasToString(target);
    assertThat(content("sized")).isEqualTo("abc");
    assertThat(exists("short")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"gnu", "ustar", "pax", "v7", "oldgnu"})
  void archives_of_gnu_tar_are_understood(String format) throws Exception {
    Path source = Files.createDirectory(agent.work().resolve("source"));
    String deep = "d".repeat(60) + "/" + "e".repeat(60);
    boolean large = format.equals("gnu") || format.equals("pax");
    Files.createDirectories(source.resolve(large ? deep + "/" + deep + "/" + deep : "d/e"));
    String file = large ? deep + "/" + "f".repeat(250) : "d/file";
    byte[] random = new byte[1_000_003];
    new Random(1).nextBytes(random);
    Files.write(source.resolve(file), random);
    Files.setAttribute(source.resolve(file), "unix:uid", 1234);
    Files.createLink(source.resolve("hard"), source.resolve(file));
    Files.createSymbolicLink(source.resolve("soft"), Path.of(large ? "x".repeat(150) : "x"));
    Files.writeString(source.resolve("ünï\ncode"), "u");
    Files.createFile(source.resolve("empty"));
    if (!format.equals("v7")) {
      run(source, "mkfifo", "fifo");
    }
    run(agent.work(), "tar", "--format=" + format, "-C", source.toString(), "-cf", "a.tar", ".");
    try (InputStream tar = Files.newInputStream(agent.work().resolve("a.tar"))) {
      assertThat(unpack(tar, PLAIN).skipped()).isZero();
    }
    run(agent.work(), "tar", "-C", root.toString(), "--compare", "-f", "a.tar");
    assertThat(attribute("hard", "nlink")).isEqualTo(2);
    assertThat(Files.readAllBytes(root.resolve(file))).isEqualTo(random);
  }

  @Test
  void an_archive_may_come_byte_by_byte() throws Exception {
    byte[] tar =
        new TarBytes().pax("path=named").file("x", "a".repeat(700)).folder("d").end().bytes();
    InputStream slow =
        new ByteArrayInputStream(tar) {
          @Override
          public int read(byte[] target, int offset, int length) {
            return super.read(target, offset, Math.min(length, 1));
          }

          @Override
          public int read(byte[] target) {
            return read(target, 0, target.length);
          }
        };
    unpack(slow, PLAIN);
    assertThat(content("named")).isEqualTo("a".repeat(700));
    assertThat(root.resolve("d")).isDirectory();
  }

  @Test
  void what_follows_the_end_is_ignored() throws Exception {
    byte[] more = new TarBytes().file("late", "x").end().bytes();
    TarBytes tar = new TarBytes().file("f", "x").end().raw(more).raw(new byte[3_000_000]);
    assertThat(unpack(tar.stream(), PLAIN).entries()).isEqualTo(1);
    assertThat(exists("late")).isFalse();
  }

  @Test
  void only_attributes_without_power_are_set() throws Exception {
    assertThat(
            unpack(
                    new TarBytes()
                        .pax(
                            "SCHILY.xattr.user.color=red",
                            "SCHILY.xattr.trusted.overlay.opaque=y",
                            "SCHILY.xattr.security.selinux=x")
                        .file("f", "x"))
                .entries())
        .isEqualTo(1);
    Process list =
        new ProcessBuilder(
                "python3", "-c", "import os,sys; print(os.listxattr(sys.argv[1]))", root + "/f")
            .start();
    assertThat(new String(list.getInputStream().readAllBytes(), UTF_8))
        .doesNotContain("trusted", "selinux");
  }

  @Test
  void only_root_unpacks() throws Exception {
    GuestFiles user = agent.link().files("1000");
    assertThatThrownBy(() -> user.unpack(root.toString(), new TarBytes().end().stream(), PLAIN))
        .hasMessageContaining("Only root");
    assertThatThrownBy(() ->
            agent.link().files("root").unpack(root + "/none", new TarBytes().end().stream(), PLAIN))
        .extracting(e -> ((GuestException) e).code())
        .isEqualTo(ErrorCode.NOT_FOUND);
  }

  // Attacks.

  @ParameterizedTest
  @ValueSource(strings = {"../outside/x", "a/../../outside/x", "..", "/../outside/x", "a/.."})
  void a_name_that_climbs_is_refused(String name) throws Exception {
    assertRefused(new TarBytes().file(name, "evil"), "\"..\"");
    assertRefused(new TarBytes().pax("path=" + name).file("ok", "evil"), "\"..\"");
    assertThat(exists("ok")).isFalse();
  }

  @Test
  void an_absolute_name_lies_inside() throws Exception {
    unpack(new TarBytes().file("//" + outside + "/secret", "evil"));
    assertThat(content(outside.toString().substring(1) + "/secret")).isEqualTo("evil");
    assertOutsideIsAsItWas();
  }

  @Test
  void a_link_on_the_way_is_followed_inside_only() throws Exception {
    Files.createSymbolicLink(root.resolve("climbs"), Path.of("../outside"));
    unpack(
        new TarBytes()
            .folder("usr/bin")
            .symlink("bin", "usr/bin")
            .file("bin/ls", "1")
            .symlink("absolute", outside.toString())
            .folder(outside.toString())
            .file("absolute/secret", "evil")
            .folder("outside")
            .file("climbs/secret", "evil"));
    assertThat(content("usr/bin/ls")).isEqualTo("1");
    assertThat(content(outside.toString().substring(1) + "/secret")).isEqualTo("evil");
    assertThat(content("outside/secret")).isEqualTo("evil");
    assertOutsideIsAsItWas();
  }

  @Test
  void a_link_to_nowhere_on_the_way_is_refused() throws Exception {
    assertRefused(
        new TarBytes().symlink("d", outside.toString()).file("d/x", "evil"), "Not a directory");
    assertRefused(new TarBytes().symlink("a", "b").symlink("b", "a").file("a/x", "1"), "a/x");
  }

  @Test
  void a_link_as_the_last_name_is_replaced_and_never_followed() throws Exception {
    String secret = outside.resolve("secret").toString();
    unpack(
        new TarBytes()
            .symlink("f", secret)
            .file("f", "evil")
            .symlink("d", outside.toString())
            .folder("d")
            .file("d/secret", "evil")
            .symlink("s", secret)
            .symlink("s", "other")
            .symlink("p", secret)
            .header('6', "p", "", 0));
    assertThat(content("f")).isEqualTo("evil");
    assertThat(Files.isSymbolicLink(root.resolve("d"))).isFalse();
    assertOutsideIsAsItWas();
  }

  @Test
  void a_hard_link_leads_inside_only() throws Exception {
    String secret = outside.resolve("secret").toString();
    assertRefused(new TarBytes().hardLink("h", secret), "not there");
    assertRefused(new TarBytes().hardLink("h", "../outside/secret"), "not allowed");
    assertRefused(new TarBytes().hardLink("h", ""), "not allowed");
    assertRefused(
        new TarBytes().symlink("way", outside.toString()).hardLink("h", "way/secret"), "not there");
    assertRefused(new TarBytes().folder("d").hardLink("h", "d"), "no file");
    assertThat(exists("h")).isFalse();
    unpack(
        new TarBytes()
            .symlink("s", secret)
            .hardLink("h", "s")
            .pax("path=h2")
            .hardLink("x", "./h")
            .hardLink("h", "h"));
    assertThat(Files.isSymbolicLink(root.resolve("h2"))).isTrue();
    assertOutsideIsAsItWas();
  }

  @Test
  void a_hard_link_to_what_it_replaces_is_refused() throws Exception {
    assertRefused(new TarBytes().file("d/f", "x").hardLink("d", "d/f"), "takes the place");
  }

  @Test
  void devices_are_skipped_and_counted() throws Exception {
    Unpacked done =
        unpack(
            new TarBytes()
                .header('3', "dev/zero", "", 0)
                .header('4', "dev/disk", "", 0)
                .file("f", "x"));
    assertThat(done).isEqualTo(new Unpacked(3, 1, 2, "dev/zero"));
    assertThat(exists("dev")).isFalse();
  }

  @Test
  void what_would_land_on_another_mount_is_skipped() throws Exception {
    Path mount = Files.createDirectories(root.resolve("sub/mount"));
    Files.writeString(root.resolve("bound"), "below");
    run(root, "mount", "-t", "tmpfs", "none", mount.toString());
    try {
      run(root, "mount", "--bind", outside.resolve("secret").toString(), root + "/bound");
      try {
        Unpacked done =
            layer(
                new TarBytes()
                    .folder("sub/mount")
                    .file("sub/mount/f", "x")
                    .file("sub", "x")
                    .hardLink("h", "sub/mount/f")
                    .file("bound", "x")
                    .file("sub/.wh.mount", "")
                    .file(".wh.bound", "")
                    .file("fine", "x"));
        assertThat(done).isEqualTo(new Unpacked(8, 1, 7, "sub/mount"));
        assertThat(mount).isEmptyDirectory();
        assertThat(content("fine")).isEqualTo("x");
      } finally {
        run(root, "umount", root + "/bound");
      }
    } finally {
      run(root, "umount", mount.toString());
    }
    assertThat(content("bound")).isEqualTo("below");
    assertOutsideIsAsItWas();
  }

  @Test
  void ids_that_a_sandbox_has_not_become_nobodys() throws Exception {
    unpack(
        new TarBytes()
            .owner(65535, 65536)
            .file("a", "x")
            .owner(1L << 40, -1)
            .file("b", "x")
            .pax("uid=4294967296", "gid=65535")
            .file("c", "x"));
    assertThat(attribute("a", "uid")).isEqualTo(65535);
    assertThat(attribute("a", "gid")).isEqualTo(65534);
    assertThat(attribute("b", "uid")).isEqualTo(65534);
    assertThat(attribute("b", "gid")).isEqualTo(65534);
    assertThat(attribute("c", "uid")).isEqualTo(65534);
    assertThat(attribute("c", "gid")).isEqualTo(65535);
  }

  @ParameterizedTest
  @ValueSource(chars = {'S', 'M', 'V', 'D', 'N', 'Z'})
  void types_that_are_not_understood_are_refused_by_name(char type) throws Exception {
    assertRefused(new TarBytes().header(type, "odd", "", 0), "odd");
  }

  @Test
  void sparse_files_in_extended_headers_are_refused() throws Exception {
    assertRefused(new TarBytes().pax("GNU.sparse.major=1").file("f", "x"), "sparse");
  }

  @Test
  void a_wrong_checksum_is_refused() throws Exception {
    byte[] tar = new TarBytes().file("a", "x").file("b", "x").end().bytes();
    tar[1024 + 5] ^= 1;
    assertRefused(tar, PLAIN, "byte 1024: the checksum");
  }

  @Test
  void an_archive_that_ends_anywhere_but_at_its_end_is_refused() throws Exception {
    byte[] tar =
        new TarBytes().pax("path=abc").file("a", "x".repeat(600)).file("b", "x").end().bytes();
    for (int length = 0; length < tar.length; length += 256) {
      assertRefused(Arrays.copyOf(tar, length), PLAIN, "ends too soon");
    }
    assertRefused(new TarBytes().pax("path=abc"), "middle of an entry");
    assertRefused(new TarBytes().raw(new byte[512]).file("a", "x"), "after a block of zeros");
  }

  @Test
  void malformed_extended_headers_are_refused() throws Exception {
    for (String bad :
        new String[] {"", "x", "9 a=b\n", "5 a=b\n", "99999999999999 a=b\n", "6 a=b", "4 =\n\n"}) {
      byte[] bytes = bad.getBytes(UTF_8);
      TarBytes tar = new TarBytes().header('x', "p", "", bytes.length).content(bytes);
      if (bad.isEmpty()) {
        unpack(tar.file("f", "x"));
      } else {
        assertRefused(tar.file("f", "x"), "f: its extended header is malformed");
      }
    }
    assertRefused(new TarBytes().pax("size=-1").file("f", "x"), "number");
    assertRefused(new TarBytes().pax("size=99999999999999999999").file("f", "x"), "number");
    assertRefused(new TarBytes().pax("mtime=x").file("f", "x"), "number");
    assertRefused(new TarBytes().pax("path=a\0b").file("f", "x"), "NUL");
    assertRefused(new TarBytes().pax("path=" + "a/".repeat(2048)).file("f", "x"), "too long");
    assertRefused(new TarBytes().pax("path=x").pax("path=y").file("f", "x"), "two extended");
    assertRefused(new TarBytes().file("", "x"), "empty");
  }

  @Test
  void an_extended_header_has_a_limit() throws Exception {
    int room = 64 * 1024 - "65536 comment=\n".length();
    unpack(new TarBytes().pax("comment=" + "c".repeat(room)).file("f", "x"));
    assertRefused(new TarBytes().pax("comment=" + "c".repeat(room + 1)).file("g", "x"), "64 KiB");
    assertRefused(new TarBytes().header('L', "x", "", 1L << 33), "64 KiB");
    assertRefused(new TarBytes().header('g', "x", "", 1L << 40), "64 KiB");
    assertThat(exists("g")).isFalse();
  }

  @Test
  void numbers_that_are_none_are_refused() throws Exception {
    byte[] block = Arrays.copyOf(new TarBytes().file("f", "").bytes(), 512);
    TarBytes.text(block, 124, 12, "0000000009x");
    assertRefused(new TarBytes().raw(TarBytes.sealed(block)), "malformed");
    assertRefused(new TarBytes().header('0', "f", "", -5), "negative");
  }

  @Test
  void broken_archives_harm_neither_the_agent_nor_anything_outside() throws Exception {
    byte[] whole =
        new TarBytes()
            .folder("d")
            .pax("path=d/long", "mtime=1.5", "SCHILY.xattr.user.a=b")
            .file("x", "y".repeat(700))
            .symlink("s", outside.toString())
            .hardLink("h", "d/long")
            .header('L', "././@LongLink", "", 6)
            .content("named\0".getBytes(UTF_8))
            .file("x", "")
            .file("s/.wh.secret", "")
            .file("d/.wh..wh..opq", "")
            .folder("s")
            .end()
            .bytes();
    GuestFiles files = agent.link().files("root");
    int unpacked = 0;
    for (int seed = 0; seed < 600; seed++) {
      byte[] tar = broken(whole.clone(), new Random(seed));
      try {
        files.unpack(root.toString(), new ByteArrayInputStream(tar), LAYER);
        unpacked++;
      } catch (GuestException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.GUEST_REFUSED);
      }
    }
    assertThat(unpacked).isBetween(20, 580);
    assertThat(agent.isAlive()).isTrue();
    assertOutsideIsAsItWas();
  }

  /** Bytes are changed; most headers get a checksum that fits again, or none would be read. */
  private static byte[] broken(byte[] tar, Random random) {
    for (int i = random.nextInt(4); i >= 0; i--) {
      int block = random.nextInt(tar.length / 512) * 512;
      int at = block + random.nextInt(random.nextBoolean() ? 512 : 160);
      tar[at] = (byte) (random.nextBoolean() ? random.nextInt() : "0/.x5L7".charAt(at % 7));
      byte[] header = Arrays.copyOfRange(tar, block, block + 512);
      boolean isHeader = header[257] == 'u' && header[258] == 's';
      if (isHeader && random.nextInt(8) > 0) {
        System.arraycopy(TarBytes.sealed(header), 0, tar, block, 512);
      }
    }
    return tar;
  }

  // Limits.

  @Test
  void entries_have_a_limit_that_counts_what_is_made_on_the_way() throws Exception {
    byte[] tar = new TarBytes().folder("a").file("a/b", "x").file("c/d/e", "x").end().bytes();
    assertRefused(tar, new UnpackRules(false, 4, 1000), "more entries");
    assertThat(exists("c/d/e")).isFalse();
    assertThat(unpack(new ByteArrayInputStream(tar), new UnpackRules(false, 7, 1000)).entries())
        .isEqualTo(3);
    byte[] flat = new TarBytes().file("1", "").file("2", "").file("3", "").end().bytes();
    assertRefused(flat, new UnpackRules(false, 2, 1000), "3: there are more entries");
    assertThat(unpack(new ByteArrayInputStream(flat), new UnpackRules(false, 3, 1000)).entries())
        .isEqualTo(3);
    byte[] fresh = new TarBytes().file("x/y/z", "").end().bytes();
    assertRefused(fresh, new UnpackRules(false, 2, 1000), "more entries");
    unpack(new ByteArrayInputStream(fresh), new UnpackRules(false, 3, 1000));
  }

  @Test
  void bytes_have_a_limit_that_is_met_before_they_are_written() throws Exception {
    byte[] tar = new TarBytes().file("a", "x".repeat(600)).file("b", "x".repeat(400)).end().bytes();
    assertRefused(tar, new UnpackRules(false, 10, 999), "more bytes");
    assertThat(exists("b")).isFalse();
    assertThat(unpack(new ByteArrayInputStream(tar), new UnpackRules(false, 10, 1000)).bytes())
        .isEqualTo(1000);
    assertRefused(
        new TarBytes().header('0', "huge", "", Long.MAX_VALUE - 1).bytes(), PLAIN, "more bytes");
    assertThatThrownBy(() -> unpack(new TarBytes().stream(), new UnpackRules(false, -1, 1)))
        .hasMessageContaining("negative");
  }

  @Test
  void a_full_disk_is_said_to_be_full() throws Exception {
    Path mount = Files.createDirectory(agent.work().resolve("small"));
    run(root, "mount", "-t", "tmpfs", "-o", "size=1m", "none", mount.toString());
    try {
      byte[] tar = new TarBytes().file("big", "x".repeat(3_000_000)).end().bytes();
      assertThatThrownBy(() ->
              agent
                  .link()
                  .files("root")
                  .unpack(mount.toString(), new ByteArrayInputStream(tar), PLAIN))
          .isInstanceOf(GuestException.class)
          .hasMessageContaining("big: No space left")
          .extracting(e -> ((GuestException) e).errno())
          .isEqualTo(28);
    } finally {
      run(root, "umount", mount.toString());
    }
  }

  @Test
  void an_archive_that_fails_to_come_leaves_the_agent_well() throws Exception {
    byte[] beginning = new TarBytes().header('0', "f", "", 10_000_000).bytes();
    InputStream failing =
        new InputStream() {
          private int count;

          @Override
          public int read() throws IOException {
            throw new IOException("unused");
          }

          @Override
          public int read(byte[] target, int offset, int length) throws IOException {
            if (count++ == 0) {
              System.arraycopy(beginning, 0, target, offset, 512);
              return 512;
            }
            if (count > 20) {
              throw new IOException("the registry went away");
            }
            return length;
          }
        };
    assertThatThrownBy(() -> unpack(failing, PLAIN)).hasMessageContaining("can't be read");
    assertThat(unpack(new TarBytes().file("g", "x")).entries()).isEqualTo(1);
    Await.until("no file of it is open", () -> openBelow(root) == 0);
  }

  private long openBelow(Path folder) throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc/" + agent.pid() + "/fd"))) {
      return open.filter(fd -> leadsBelow(fd, folder)).count();
    }
  }

  private static boolean leadsBelow(Path descriptor, Path folder) {
    try {
      return Files.readSymbolicLink(descriptor).startsWith(folder);
    } catch (IOException e) {
      return false; // closed meanwhile
    }
  }

  // Layers.

  @Test
  void whiteouts_remove_what_lies_beside_them() throws Exception {
    layer(new TarBytes().file("d/a", "1").file("d/b/c", "1").file("d/k", "1").symlink("d/s", "k"));
    Unpacked done =
        layer(
            new TarBytes()
                .file("d/.wh.a", "ignored content")
                .file("d/.wh.b", "")
                .file("d/.wh.s", "")
                .file("d/.wh.none", "")
                .file("nofolder/.wh.x", "")
                .file("d/k/.wh.x", ""));
    assertThat(done).isEqualTo(new Unpacked(6, 0, 0, ""));
    assertThat(tree("d")).containsExactly("d", "d/k");
    assertThat(exists("nofolder")).isFalse();
  }

  @Test
  void without_layers_a_whiteout_is_a_file() throws Exception {
    unpack(new TarBytes().file("a", "1").file(".wh.a", "2").file(".wh..wh..opq", "3"));
    assertThat(content("a")).isEqualTo("1");
    assertThat(content(".wh.a")).isEqualTo("2");
    assertThat(content(".wh..wh..opq")).isEqualTo("3");
  }

  @Test
  void a_whiteout_of_nothing_in_particular_is_refused() throws Exception {
    for (String trick : new String[] {".wh.", ".wh..", ".wh...", "d/.wh..", "d/.wh..."}) {
      byte[] tar = new TarBytes().folder("d").file(trick, "").end().bytes();
      assertRefused(tar, LAYER, "not allowed");
    }
    assertRefused(new TarBytes().file(".wh.../x/..", "").end().bytes(), LAYER, "\"..\"");
    assertRefused(
        new TarBytes().pax("path=.wh.a/../../outside/secret").file("x", "").end().bytes(),
        LAYER,
        "\"..\"");
  }

  @Test
  void a_whiteout_reaches_through_links_inside_only() throws Exception {
    Files.createSymbolicLink(root.resolve("way"), outside);
    Files.createSymbolicLink(root.resolve("climb"), Path.of("../outside"));
    layer(
        new TarBytes()
            .file("way/.wh.secret", "")
            .file("climb/.wh.secret", "")
            .file("way/.wh..wh..opq", "")
            .file("climb/.wh..wh..opq", ""));
    assertOutsideIsAsItWas();
    Files.createSymbolicLink(root.resolve("victim"), outside);
    layer(new TarBytes().file(".wh.victim", ""));
    assertThat(exists("victim")).isFalse();
    assertOutsideIsAsItWas();
  }

  @Test
  void an_opaque_folder_keeps_what_its_own_layer_brings_in_any_order() throws Exception {
    TarBytes lower =
        new TarBytes()
            .file("d/old", "1")
            .file("d/both", "1")
            .file("d/sub/old", "1")
            .file("d/sub/deep/old", "1")
            .file("d/gone/old", "1")
            .folder("d/empty")
            .file("e/old", "1");
    layer(lower);
    layer(
        new TarBytes()
            .folder("d")
            .file("d/both", "2")
            .file("d/early", "2")
            .file("d/sub/deep/new", "2")
            .folder("d/fresh")
            .file("d/.wh..wh..opq", "")
            .file("d/late", "2"));
    assertThat(tree("d"))
        .containsExactly(
            "d", "d/both", "d/early", "d/fresh", "d/late", "d/sub", "d/sub/deep", "d/sub/deep/new");
    assertThat(content("d/both")).isEqualTo("2");
    assertThat(content("e/old")).isEqualTo("1");
  }

  @Test
  void a_whiteout_does_not_touch_its_own_layer() throws Exception {
    layer(new TarBytes().file("a", "1").file("b/old", "1").file("c", "1"));
    layer(
        new TarBytes()
            .file("a", "2")
            .file(".wh.a", "")
            .file("b/new", "2")
            .file(".wh.b", "")
            .file(".wh.c", "")
            .file("c", "2"));
    assertThat(tree("")).containsExactly("", "a", "b", "b/new", "c");
    assertThat(content("a")).isEqualTo("2");
    assertThat(content("c")).isEqualTo("2");
  }

  @Test
  void the_whole_root_may_be_opaque_and_deep() throws Exception {
    TarBytes lower = new TarBytes();
    TarBytes upper = new TarBytes();
    for (int i = 0; i < 5; i++) {
      String deep = "d" + i + "/" + "n/".repeat(150);
      for (String old : List.of("old", "z/old", "a/old")) {
        lower.pax("path=" + deep + old).file("x", "1");
      }
      for (String fresh : List.of("new", "m/new")) {
        upper.pax("path=" + deep + fresh).file("x", "2");
      }
    }
    layer(lower);
    layer(upper.file(".wh..wh..opq", ""));
    List<String> left = tree("");
    assertThat(left).noneMatch(name -> name.endsWith("old"));
    assertThat(left.stream().filter(name -> name.endsWith("new"))).hasSize(10);
    assertThat(left).noneMatch(name -> name.endsWith("/z") || name.endsWith("/a"));
  }

  private List<String> tree(String name) throws IOException {
    try (Stream<Path> all = Files.walk(root.resolve(name))) {
      return all.map(path -> root.relativize(path).toString()).sorted().toList();
    }
  }

  @Test
  void many_folders_keep_their_times_in_bounded_memory() throws Exception {
    TarBytes tar = new TarBytes();
    for (int i = 0; i < 5000; i++) {
      tar.time(1_000_000 + i).folder("d" + i).time(5).file("d" + i + "/f", "x");
    }
    Unpacked done = unpack(tar.end().stream(), LAYER);
    assertThat(done.entries()).isEqualTo(10_000);
    for (int i = 0; i < 5000; i += 499) {
      assertThat(Files.getLastModifiedTime(root.resolve("d" + i)).toMillis())
          .isEqualTo((1_000_000L + i) * 1000);
    }
    assertThat(agent.residentKilobytes()).isLessThan(6 * 1024);
    assertThat(Files.getPosixFilePermissions(root.resolve("d1")))
        .isEqualTo(PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
