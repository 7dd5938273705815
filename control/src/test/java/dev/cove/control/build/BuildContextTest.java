package dev.cove.control.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BuildContextTest {
  @TempDir Path folder;

  /** Packs entries: {@code name}, {@code name/}, {@code name -> target}, {@code name = content}. */
  private byte[] tar(String... entries) throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var out = new TarArchiveOutputStream(bytes, "UTF-8")) {
      out.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
      for (String entry : entries) {
        String[] link = entry.split(" -> ");
        String[] file = entry.split(" = ", 2);
        if (link.length == 2) {
          var header = new TarArchiveEntry(link[0], TarConstants.LF_SYMLINK);
          header.setLinkName(link[1]);
          put(out, header, "");
        } else if (entry.endsWith("/")) {
          put(out, new TarArchiveEntry(entry), "");
        } else {
          put(out, new TarArchiveEntry(file[0], true), file.length == 2 ? file[1] : file[0]);
        }
      }
    }
    return bytes.toByteArray();
  }

  private static void put(TarArchiveOutputStream out, TarArchiveEntry header, String content)
      throws IOException {
    byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
    header.setSize(bytes.length);
    header.setIds(1234, 1234);
    out.putArchiveEntry(header);
    out.write(bytes);
    out.closeArchiveEntry();
  }

  private BuildContext context(String... entries) throws IOException {
    return open(tar(entries));
  }

  private BuildContext open(byte[] tar) throws IOException {
    Path file = Files.createTempFile(folder, "context", ".tar");
    Files.write(file, tar);
    return BuildContext.open(file);
  }

  private static Step.Copy copy(String line) {
    return (Step.Copy)
        Dockerfile.parse("FROM a\n" + line, Map.of()).stages().getFirst().steps().getFirst();
  }

  private static Selection select(BuildContext context, String line) throws IOException {
    return context.select(copy(line), "/work", 7, 8);
  }

  /** {@code name=content}, {@code name/} or {@code name->target}, as they come. */
  private static List<String> read(InputStream tar) throws IOException {
    var found = new ArrayList<String>();
    try (var in = new TarArchiveInputStream(tar, "UTF-8")) {
      for (TarArchiveEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
        assertThat(entry.isCheckSumOK()).isTrue();
        if (entry.isSymbolicLink() || entry.isLink()) {
          found.add(entry.getName() + "->" + entry.getLinkName());
        } else if (entry.isDirectory()) {
          found.add(entry.getName());
        } else {
          found.add(entry.getName() + "=" + new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
      }
    }
    return found;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "COPY a.txt /x/y          | x/y=a.txt",
        "COPY a.txt /x/           | x/a.txt=a.txt",
        "COPY a.txt .             | work/a.txt=a.txt",
        "COPY a.txt ..            | a.txt=a.txt",
        "COPY a.txt b             | work/b=a.txt",
        "COPY ./a.txt ../b        | b=a.txt",
        "COPY /a.txt /            | a.txt=a.txt",
        "COPY src/../a.txt /      | a.txt=a.txt",
        "COPY src /x              | x/deep/ x/deep/c.c=c x/main.c=m x/up->../a.txt",
        "COPY src/ /x/            | x/deep/ x/deep/c.c=c x/main.c=m x/up->../a.txt",
        "COPY src/deep .          | work/c.c=c",
        "COPY *.txt /x/           | x/a.txt=a.txt x/b.txt=b.txt",
        "COPY a.t* /x             | x=a.txt",
        "COPY [a-b].txt b?txt /x/ | x/a.txt=a.txt x/b.txt=b.txt",
        "COPY [^b].txt /x/        | x/a.txt=a.txt",
        "COPY s*/*.c /x/          | x/main.c=m",
        "COPY s*/deep /x/         | x/c.c=c",
        "COPY src a.txt /x/       | x/a.txt=a.txt x/deep/ x/deep/c.c=c x/main.c=m x/up->../a.txt",
        "COPY src/up /x/          | x/up=a.txt",
        "COPY gone /x             | x->/nowhere",
      })
  void sources_go_where_docker_puts_them(String line, String expected) throws IOException {
    BuildContext context =
        context(
            "a.txt",
            "b.txt",
            "src/main.c = m",
            "src/deep/c.c = c",
            "src/up -> ../a.txt",
            "gone -> /nowhere");
    assertThat(read(select(context, line).tar())).containsExactly(expected.split(" "));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "COPY nothing /x      | Nothing in the build context matches 'nothing'",
        "COPY a.txt *.go /x/  | Nothing in the build context matches '*.go'",
        "COPY a.txt/b /x      | Nothing in the build context matches 'a.txt/b'",
        "COPY a.txt b.txt /x  | Several sources need a target that ends with '/'",
        "COPY *.txt /x        | Several sources need a target that ends with '/'",
        "COPY ../a.txt /x     | '../a.txt' is outside of the build context",
        "COPY [a /x           | '[a' is no pattern: a '[' or '\\' is not complete",
        "COPY one two /x/     | '/x/k' is a folder in one source and none in another",
        "COPY two one /x/     | '/x/k' is a folder in one source and none in another",
      })
  void what_cannot_be_selected_is_refused_by_line(String line, String message) throws IOException {
    BuildContext context = context("a.txt", "b.txt", "one/k", "two/k/l");
    assertThatThrownBy(() -> select(context, line))
        .isInstanceOf(BuildException.class)
        .hasMessage("Line 2: " + message);
  }

  @Test
  void owner_and_mode_are_as_asked_and_links_keep_theirs() throws IOException {
    BuildContext context = context("d/f", "d/l -> f");
    try (var in =
        new TarArchiveInputStream(select(context, "COPY --chmod=4711 d /x").tar(), "UTF-8")) {
      TarArchiveEntry file = in.getNextEntry();
      assertThat(file.getMode() & 07777).isEqualTo(04711);
      assertThat(file.getLongUserId()).isEqualTo(7);
      assertThat(file.getLongGroupId()).isEqualTo(8);
      assertThat(file.getUserName()).isEmpty();
      assertThat(in.getNextEntry().getMode() & 07777).isNotEqualTo(04711);
    }
  }

  @Test
  void the_folder_that_must_be_there_is_named() throws IOException {
    BuildContext context = context("a", "d/f");
    assertThat(select(context, "COPY a /x/y").folder()).isEqualTo("x");
    assertThat(select(context, "COPY a /x/y/").folder()).isEqualTo("x/y");
    assertThat(select(context, "COPY d /x/y").folder()).isEqualTo("x/y");
    assertThat(select(context, "COPY a /").folder()).isEmpty();
    assertThat(context.select(copy("COPY a /x").intoFolder(), "/", 0, 0).names())
        .containsExactly("x/a");
  }

  @Test
  void the_digest_changes_with_whatever_ends_up_in_the_template_and_with_nothing_else()
      throws IOException {
    String digest = select(context("d/a = 1", "d/b = 2", "d/c -> x"), "COPY d /x").digest();
    assertThat(digest).matches("[0-9a-f]{64}");
    assertThat(select(context("other", "d/c -> x", "d/b = 2", "d/a = 1"), "COPY d/ /x/").digest())
        .isEqualTo(digest);
    assertThat(
            List.of(
                select(context("d/a = 2", "d/b = 2", "d/c -> x"), "COPY d /x").digest(),
                select(context("d/a = 1", "d/bb = 2", "d/c -> x"), "COPY d /x").digest(),
                select(context("d/a = 1", "d/b = 2", "d/c -> y"), "COPY d /x").digest(),
                select(context("d/a = 1", "d/b = 2", "d/c = x"), "COPY d /x").digest(),
                select(context("d/a = 1", "d/b = 2", "d/c -> x"), "COPY d /y").digest(),
                select(context("d/a = 1", "d/b = 2", "d/c -> x"), "COPY --chmod=700 d /x")
                    .digest()))
        .doesNotContain(digest)
        .doesNotHaveDuplicates();
  }

  @Test
  void times_do_not_count() throws IOException {
    byte[] early = tar("a = 1");
    byte[] late = tar("a = 1");
    assertThat(select(open(early), "COPY a /").digest())
        .isEqualTo(select(open(withModified(late)), "COPY a /").digest());
  }

  private static byte[] withModified(byte[] tar) throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var in = new TarArchiveInputStream(new ByteArrayInputStream(tar), "UTF-8");
        var out = new TarArchiveOutputStream(bytes, "UTF-8")) {
      TarArchiveEntry entry = in.getNextEntry();
      entry.setModTime(0);
      out.putArchiveEntry(entry);
      in.transferTo(out);
      out.closeArchiveEntry();
    }
    return bytes.toByteArray();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "*.md;!README.md           | README.md src/ src/a.md src/x.go src/x.tmp tmp/ tmp/a tmp/b",
        "**/*.md                   | src/ src/x.go src/x.tmp tmp/ tmp/a tmp/b",
        "**.md                     | src/ src/x.go src/x.tmp tmp/ tmp/a tmp/b",
        "tmp;#src;  ;!tmp/b        | CHANGES.md README.md src/ src/a.md src/x.go src/x.tmp tmp/ tmp/b",
        "/tmp/                     | CHANGES.md README.md src/ src/a.md src/x.go src/x.tmp",
        "tmp/**                    | CHANGES.md README.md src/ src/a.md src/x.go src/x.tmp tmp/",
        "*;!src/**;src/*.tmp       | src/ src/a.md src/x.go",
        "**;!**/*.go               | src/ src/x.go",
        "s?c/x.*                   | CHANGES.md README.md src/ src/a.md tmp/ tmp/a tmp/b",
      })
  void ignored_files_are_not_copied(String rules, String expected) throws IOException {
    BuildContext context =
        context(
            ".dockerignore = .dockerignore\n" + rules.replace(";", "\n") + "\n.dockerignore",
            "README.md",
            "CHANGES.md",
            "src/a.md",
            "src/x.go",
            "src/x.tmp",
            "tmp/a",
            "tmp/b");
    List<String> names =
        read(select(context, "COPY . /").tar()).stream()
            .map(entry -> entry.replaceFirst("=.*", ""))
            .toList();
    assertThat(names).containsExactly(expected.split(" "));
  }

  @Test
  void an_ignored_dockerfile_can_be_read_and_not_be_copied() throws IOException {
    BuildContext context = context(".dockerignore = Dockerfile", "./Dockerfile = FROM é");
    assertThat(context.text("Dockerfile")).contains("FROM é");
    assertThat(context.text("./Dockerfile")).contains("FROM é");
    assertThat(context.text("Other")).isEmpty();
    assertThatThrownBy(() -> select(context, "COPY Dockerfile /"))
        .hasMessage("Line 2: Nothing in the build context matches 'Dockerfile'");
  }

  @Test
  void broken_ignore_rules_name_their_line() {
    assertThatThrownBy(() -> context(".dockerignore = a\n[b"))
        .hasMessage(".dockerignore, line 2: '[b' is no pattern: a '[' or '\\' is not complete");
  }

  @Test
  void ignore_rules_have_a_limit() throws IOException {
    context(".dockerignore = " + "a\n".repeat(IgnoreRules.MAX_RULES));
    assertTooLarge(".dockerignore = " + "a\n".repeat(IgnoreRules.MAX_RULES + 1));
  }

  @Test
  void patterns_made_to_be_slow_are_given_up() throws IOException {
    String name = "a".repeat(255);
    var entries = new ArrayList<String>();
    for (int number = 0; number < 300; number++) {
      entries.add(name.substring(String.valueOf(number).length()) + number);
    }
    String slow = "*" + "a".repeat(127) + "b";
    entries.add("a".repeat(127) + "b");
    BuildContext context = context(entries.toArray(String[]::new));
    String line = "COPY a* " + (slow + " ").repeat(900) + "/x/";
    assertThatThrownBy(() -> select(context, line))
        .hasMessageStartingWith("Line 2: COPY takes too long to compare with all names");
    entries.add(".dockerignore = " + (slow + "\n").repeat(500));
    assertTooLarge(entries.toArray(String[]::new));
  }

  private void assertTooLarge(String... entries) {
    assertThatThrownBy(() -> context(entries))
        .isInstanceOfSatisfying(
            CoveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TOO_LARGE));
  }

  @Test
  void a_text_has_a_limit() throws IOException {
    assertThat(context("f = " + "x".repeat(Dockerfile.MAX_SIZE)).text("f").orElseThrow())
        .hasSize(Dockerfile.MAX_SIZE);
    BuildContext larger = context("f = " + "x".repeat(Dockerfile.MAX_SIZE + 1));
    assertThatThrownBy(() -> larger.text("f")).hasMessage("'f' has more than 1048576 bytes");
  }

  @Test
  void the_number_of_entries_is_limited() throws IOException {
    Path file = folder.resolve("many.tar");
    writeFolders(file, TarEntries.MAX_ENTRIES);
    assertThat(BuildContext.open(file).text("none")).isEmpty();
    writeFolders(file, TarEntries.MAX_ENTRIES + 1);
    assertThatThrownBy(() -> BuildContext.open(file))
        .hasMessage("The build context has more than 200000 entries");
  }

  private static void writeFolders(Path file, int count) throws IOException {
    try (var out =
        new TarArchiveOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
      for (int number = 0; number < count; number++) {
        out.putArchiveEntry(new TarArchiveEntry(number + "/"));
        out.closeArchiveEntry();
      }
    }
  }

  @Test
  void folders_that_are_only_implied_count_too() {
    var entries = new ArrayList<String>();
    for (int number = 0; number < 20; number++) {
      entries.add(number + "/" + "a/".repeat(1_500) + "f");
    }
    assertTooLarge(entries.toArray(String[]::new));
  }

  @ParameterizedTest
  @ValueSource(strings = {"../a", "a/../../b", "a/.."})
  void names_that_climb_are_refused(String name) {
    assertThatThrownBy(() -> context(name))
        .hasMessage("The build context: the name '%s' holds '..'".formatted(name));
  }

  @Test
  void absolute_and_long_names_are_refused() throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var out = new TarArchiveOutputStream(bytes)) {
      put(out, new TarArchiveEntry("/etc/passwd", true), "");
    }
    assertThatThrownBy(() -> open(bytes.toByteArray())).hasMessageEndingWith("is absolute");
    String longest = "a/".repeat(2_047) + "ab";
    assertThat(longest).hasSize(EntryPath.MAX_NAME);
    context(longest);
    assertThatThrownBy(() -> context(longest + "c")).hasMessageEndingWith("4096 characters");
    context("a".repeat(255));
    assertThatThrownBy(() -> context("a".repeat(256))).hasMessageEndingWith("255 characters");
  }

  @ParameterizedTest
  @CsvSource({
    "1, hard link",
    "3, neither a file",
    "4, neither a file",
    "6, neither a file",
    "S, sparse"
  })
  void other_kinds_of_entries_are_refused(char flag, String message) throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var out = new TarArchiveOutputStream(bytes)) {
      var entry = new TarArchiveEntry("odd", (byte) flag);
      entry.setLinkName(flag == '1' ? "a" : "");
      put(out, entry, "");
    }
    assertThatThrownBy(() -> open(bytes.toByteArray()))
        .isInstanceOf(BuildException.class)
        .hasMessageContaining(message);
  }

  @Test
  void a_file_above_another_entry_is_refused() {
    assertThatThrownBy(() -> context("a", "a/b"))
        .hasMessage("The build context has 'a/b' inside of 'a', which is no folder");
    assertThatThrownBy(() -> context("a -> /etc", "a/b/c"))
        .hasMessage("The build context has 'a/b/c' inside of 'a', which is no folder")
        .isInstanceOf(BuildException.class);
  }

  @Test
  void the_last_of_two_entries_with_one_name_counts() throws IOException {
    assertThat(read(select(context("a = 1", "./a = 2"), "COPY a /").tar())).containsExactly("a=2");
  }

  @Test
  void what_is_no_archive_is_refused_wherever_it_breaks() throws IOException {
    byte[] whole = tar("a = " + "x".repeat(2_000), "b/c", "d -> e");
    for (int length = 1; length < 3 * 1024; length += 97) {
      byte[] cut = Arrays.copyOf(whole, length);
      try {
        open(cut);
      } catch (BuildException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
      }
    }
    for (int at = 0; at < 4 * 1024; at += 7) {
      byte[] changed = whole.clone();
      changed[at] ^= 0x55;
      try {
        select(open(changed), "COPY . /x").digest();
      } catch (BuildException e) {
        assertThat(e.getMessage()).isNotEmpty();
      }
    }
    assertThatThrownBy(() -> open("x".repeat(2_048).getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(BuildException.class)
        .hasMessageStartingWith("The build context is no tar archive");
  }

  @Test
  void headers_that_do_not_end_are_refused() throws IOException {
    for (byte flag : new byte[] {'x', 'g', 'L', 'K'}) {
      var bytes = new ByteArrayOutputStream();
      bytes.write(raw(flag, "3000000 comment=" + "x".repeat(2_999_983) + "\n"));
      bytes.write(tar("a"));
      assertThatThrownBy(() -> open(bytes.toByteArray()))
          .isInstanceOf(BuildException.class)
          .hasMessage("An entry of the archive has headers of more than 1048576 bytes");
    }
  }

  /** One entry, of any kind, that need not make sense. */
  private static byte[] raw(byte flag, String content) {
    var entry = new TarArchiveEntry("raw", flag);
    entry.setSize(content.length());
    byte[] header = new byte[512];
    entry.writeEntryHeader(header);
    byte[] all = Arrays.copyOf(header, 512 + (content.length() + 511) / 512 * 512);
    byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
    System.arraycopy(bytes, 0, all, 512, bytes.length);
    return all;
  }

  @Test
  void attributes_for_all_entries_do_not_pile_up() throws IOException {
    var bytes = new ByteArrayOutputStream();
    for (int number = 100; number < 103; number++) {
      bytes.write(raw((byte) 'g', "400000 k" + number + "=" + "x".repeat(399_987) + "\n"));
      bytes.write(raw((byte) '0', ""));
    }
    assertThatThrownBy(() -> open(bytes.toByteArray()))
        .hasMessage("The build context has attributes of more than 1048576 characters");
  }

  @Test
  void a_large_file_passes_through_without_being_held() throws IOException {
    Path file = folder.resolve("large.tar");
    long size = (1L << 31) + 512;
    var entry = new TarArchiveEntry("large", true);
    entry.setSize(size);
    byte[] header = new byte[512];
    entry.writeEntryHeader(header);
    try (var sparse = new RandomAccessFile(file.toFile(), "rw")) {
      sparse.write(header);
      sparse.setLength(size + 3 * 512);
    }
    try (InputStream tar = select(BuildContext.open(file), "COPY large /").tar()) {
      assertThat(tar.transferTo(OutputStream.nullOutputStream())).isEqualTo(size + 3 * 512);
    }
  }

  @Test
  void an_added_archive_is_unpacked_with_its_owners() throws IOException {
    byte[] inner = tar("./", "bin/", "bin/sh = #", "bin/ash -> sh");
    for (byte[] packed : List.of(inner, gzipped(inner))) {
      BuildContext context = withFile("root.bin", packed);
      Selection selection = select(context, "ADD root.bin /x");
      assertThat(read(selection.tar())).isEmpty();
      assertThat(selection.folder()).isEqualTo("x");
      assertThat(read(selection.archives().getFirst().tar()))
          .containsExactly("x/bin/", "x/bin/sh=#", "x/bin/ash->sh");
      assertThat(owner(selection)).isEqualTo(1234);
      assertThat(owner(select(context, "ADD --chown=7:8 root.bin /x"))).isEqualTo(7);
      assertThat(select(context, "ADD --chown=7:8 root.bin /x").digest())
          .isNotEqualTo(selection.digest());
      assertThat(select(context, "COPY root.bin /x").archives()).isEmpty();
    }
  }

  private static long owner(Selection selection) throws IOException {
    try (var in = new TarArchiveInputStream(selection.archives().getFirst().tar())) {
      return in.getNextEntry().getLongUserId();
    }
  }

  private static byte[] gzipped(byte[] bytes) throws IOException {
    var out = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(out)) {
      gzip.write(bytes);
    }
    return out.toByteArray();
  }

  private BuildContext withFile(String name, byte[] content) throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var out = new TarArchiveOutputStream(bytes)) {
      var entry = new TarArchiveEntry(name, true);
      entry.setSize(content.length);
      out.putArchiveEntry(entry);
      out.write(content);
      out.closeArchiveEntry();
    }
    return open(bytes.toByteArray());
  }

  @Test
  void an_added_file_that_only_looks_like_an_archive_is_copied() throws IOException {
    byte[] text = "hello".getBytes(StandardCharsets.UTF_8);
    for (byte[] content :
        List.of(text, gzipped(text), new byte[] {0x1F, (byte) 0x8B, 1}, new byte[0])) {
      Selection selection = select(withFile("a.tar.gz", content), "ADD a.tar.gz /x/");
      assertThat(selection.archives()).isEmpty();
      assertThat(selection.names()).containsExactly("x/a.tar.gz");
    }
    assertThatThrownBy(() -> select(withFile("a.tar.xz", text), "ADD a.tar.xz /x/"))
        .hasMessage(
            "Line 2: ADD unpacks tar and tar.gz only; COPY 'a.tar.xz' and unpack it with RUN");
  }

  @Test
  void hard_links_of_an_added_archive_follow_its_target_and_devices_stay_out() throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var out = new TarArchiveOutputStream(bytes)) {
      put(out, new TarArchiveEntry("a", true), "1");
      var link = new TarArchiveEntry("b", TarConstants.LF_LINK);
      link.setLinkName("./a");
      put(out, link, "");
      put(out, new TarArchiveEntry("null", TarConstants.LF_CHR), "");
    }
    Selection selection = select(withFile("a.tar", bytes.toByteArray()), "ADD a.tar /x/");
    assertThat(read(selection.archives().getFirst().tar())).containsExactly("x/a=1", "x/b->x/a");
  }

  @Test
  void an_added_archive_that_climbs_is_refused() throws IOException {
    BuildContext context = withFile("a.tar", tar("ok", "../evil"));
    Selection selection = select(context, "ADD a.tar /x/");
    assertThatThrownBy(() -> read(selection.archives().getFirst().tar()))
        .hasMessage("The archive 'a.tar': the name '../evil' holds '..'");
  }

  @Test
  void what_another_stage_packed_gets_the_targets_names() throws IOException {
    byte[] packedFolder = tar("f = 1", "d/", "d/g = 2", "l -> f");
    assertThat(rewritten(packedFolder, true, "COPY --from=x /out /app"))
        .containsExactly("app/f=1", "app/d/", "app/d/g=2", "app/l->f");
    assertThat(rewritten(packedFolder, true, "COPY --from=x /out ."))
        .containsExactly("work/f=1", "work/d/", "work/d/g=2", "work/l->f");
    byte[] packedFile = tar("server = 3");
    assertThat(rewritten(packedFile, false, "COPY --from=x /out/server /bin/app"))
        .containsExactly("bin/app=3");
    assertThat(rewritten(packedFile, false, "COPY --from=x /out/server /bin/"))
        .containsExactly("bin/server=3");
  }

  private static List<String> rewritten(byte[] packed, boolean isFolder, String line)
      throws IOException {
    return read(
        TarRewriter.rewrite(new ByteArrayInputStream(packed), isFolder, copy(line), "/work", 7, 8));
  }

  @Test
  void rewritten_entries_have_the_owner_and_mode_asked_for() throws IOException {
    var copy =
        new Step.Copy(
            1,
            "",
            Optional.of("x"),
            List.of("/a"),
            "/b/",
            Optional.empty(),
            OptionalInt.of(0500),
            false);
    var packed = new ByteArrayInputStream(tar("f"));
    try (var in =
        new TarArchiveInputStream(
            TarRewriter.rewrite(packed, true, copy, "/", 3_000_000_000L, 8))) {
      TarArchiveEntry entry = in.getNextEntry();
      assertThat(entry.getLongUserId()).isEqualTo(3_000_000_000L);
      assertThat(entry.getMode() & 07777).isEqualTo(0500);
    }
  }

  @Test
  void a_hostile_stage_cannot_write_elsewhere() {
    assertThatThrownBy(() -> rewritten(tar("../../etc/passwd"), true, "COPY --from=x /o /app"))
        .hasMessage("What was copied: the name '../../etc/passwd' holds '..'");
  }

  @Test
  void an_input_that_breaks_off_is_an_error_of_the_stream() throws IOException {
    byte[] packed = Arrays.copyOf(tar("f = " + "x".repeat(5_000)), 2_000);
    assertThatThrownBy(() -> rewritten(packed, true, "COPY --from=x /o /app"))
        .isInstanceOf(IOException.class);
  }

  @Test
  void long_and_foreign_names_survive() throws IOException {
    String name = "é".repeat(120) + "/" + "x".repeat(200);
    assertThat(read(select(context(name + " = 1"), "COPY . /").tar()))
        .containsExactly("é".repeat(120) + "/", name + "=1");
    for (int length = 95; length < 110; length++) {
      String near = "n".repeat(length);
      assertThat(read(select(context("d/" + near + " -> /" + near), "COPY d /").tar()))
          .containsExactly(near + "->/" + near);
    }
  }

  @Test
  void the_tar_of_the_system_reads_what_is_written() throws Exception {
    String name = "ü".repeat(100) + "/" + "x".repeat(200);
    Path file = folder.resolve("selected.tar");
    try (InputStream tar = select(context(name + " = 1", "a b"), "COPY . /x/").tar()) {
      Files.copy(tar, file);
    }
    Process process =
        new ProcessBuilder("tar", "-tf", file.toString(), "--quoting-style=literal")
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    assertThat(output.lines()).containsExactly("x/a b", "x/" + "ü".repeat(100) + "/", "x/" + name);
  }
}
