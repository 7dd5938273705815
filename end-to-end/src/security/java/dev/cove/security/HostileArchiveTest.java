package dev.cove.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.cove.e2e.RunningServer;
import dev.cove.sdk.CoveApiException;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.FileInfo;
import dev.cove.sdk.SandboxFiles;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.apache.commons.compress.archivers.zip.ZipEncodingHelper;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Archives that want to be unpacked elsewhere, never end, or never were archives. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class HostileArchiveTest {
  @RegisterExtension static final RunningServer SERVER = RunningServer.withDefaults();

  private static final String TARGET = "/home/user/target";
  private static final long MEMORY_ROOM = 64L * 1024 * 1024;

  @SuppressWarnings("NullAway.Init") // set before every test
  private Intruder intruder;

  @BeforeEach
  void start() {
    intruder = Intruder.in(SERVER.cove(), CreateOptions.defaults().diskMb(512));
    intruder.files("user").mkdir(TARGET);
    intruder.files("user").write("/home/user/outside", "untouched");
    SandboxFiles.Unpacked good =
        intruder.files("user").uploadArchive(TARGET, Archive.withFile("good", "yes").stream());
    assertThat(good.files()).isEqualTo(1);
    assertThat(intruder.files("user").readString(TARGET + "/good")).isEqualTo("yes");
  }

  @AfterEach
  void end() {
    assertThat(intruder.files("user").readString("/home/user/outside")).isEqualTo("untouched");
    intruder.assertUsable();
    intruder.close();
  }

  private Map<String, Archive> wayOut(HostCanary canary) {
    String host = canary.folder().toString();
    var archives = new HashMap<String, Archive>();
    archives.put("dots", Archive.withFile("../outside", "x"));
    archives.put("dots inside", Archive.withFile("a/../../outside", "x"));
    archives.put("dots of a folder", new Archive().folder("../new-folder/"));
    archives.put("absolute", Archive.withFile("/home/user/outside", "x"));
    archives.put("absolute on the host", Archive.withFile(host + "/new", "x"));
    archives.put(
        "link, then through it",
        new Archive().symlink("link", "/home/user").file("link/outside", "x"));
    archives.put(
        "link to the root, then through it",
        new Archive().symlink("link", "/").file("link" + host + "/new", "x"));
    archives.put(
        "dotted link, then through it",
        new Archive().symlink("a/link", "../..").file("a/link/outside", "x"));
    archives.put(
        "link in disguise",
        new Archive().symlink("link", "/home/user").file("./link//outside", "x"));
    archives.put(
        "link to a link",
        new Archive().symlink("one", "/home").symlink("two", "one").file("two/user/outside", "x"));
    archives.put(
        "folder through a link",
        new Archive().symlink("link", "/home/user").folder("link/new-folder/"));
    archives.put(
        "link through a link",
        new Archive().symlink("link", "/home/user").symlink("link/new", "/etc"));
    archives.put("hard link out", new Archive().hardLink("stolen", "/etc/passwd"));
    archives.put("hard link out by dots", new Archive().hardLink("stolen", "../outside"));
    archives.put(
        "hard link to a link",
        new Archive().symlink("link", "/etc/passwd").hardLink("stolen", "link"));
    archives.put(
        "hard link through a link",
        new Archive().symlink("link", "/etc").hardLink("stolen", "link/passwd"));
    archives.put("character device", new Archive().node(TarConstants.LF_CHR, "mem", 1, 1));
    archives.put("block device", new Archive().node(TarConstants.LF_BLK, "disk", 254, 0));
    archives.put("fifo", new Archive().node(TarConstants.LF_FIFO, "pipe", 0, 0));
    archives.put("NUL in a name", Archive.withFile("../outside\0good", "x"));
    return archives;
  }

  @Test
  void what_leads_out_of_the_folder_is_refused() throws IOException {
    try (var canary = HostCanary.plant()) {
      for (String user : Intruder.USERS) {
        for (var archive : wayOut(canary).entrySet()) {
          try {
            intruder.files(user).uploadArchive(TARGET, archive.getValue().stream());
          } catch (CoveApiException e) {
            assertThat(e.status()).as(archive.getKey()).isBetween(400, 499);
          }
          assertThat(intruder.files("user").readString("/home/user/outside"))
              .as(archive.getKey())
              .isEqualTo("untouched");
          canary.assertUntouched();
        }
        assertThat(
                intruder.must(
                    "root",
                    "find / -xdev -path /proc -prune -o -newer /home/user/outside"
                        + " \\( -name new-folder -o -name stolen -o -name mem -o -name disk -o -name pipe \\)"
                        + " -print"))
            .as("what was let through as %s", user)
            .isEmpty();
      }
    }
  }

  @Test
  void a_link_that_was_planted_before_leads_nowhere_outside_the_sandbox() throws IOException {
    try (var canary = HostCanary.plant()) {
      intruder.files("user").symlink(TARGET + "/planted", canary.folder().toString());
      try {
        intruder.files("user").uploadArchive(TARGET, Archive.withFile("planted/new", "x").stream());
      } catch (CoveApiException e) {
        assertThat(e.status()).isBetween(400, 499);
      }
      canary.assertUntouched();
    }
  }

  @Test
  void set_id_bits_owners_and_odd_times_have_no_effect() {
    var archive = new Archive().file("set-id", "#!/bin/sh\nid -u\n", 06755);
    for (long id : List.of(0L, (1L << 31) - 1, (1L << 32) - 1)) {
      var owned = new TarArchiveEntry("owned-" + id, true);
      owned.setIds((int) Math.min(id, Integer.MAX_VALUE), 0);
      archive.entry(owned, new byte[0]);
    }
    var old = new TarArchiveEntry("old", true);
    old.setLastModifiedTime(FileTime.fromMillis(0));
    archive.entry(old, new byte[0]);

    assertThat(intruder.files("user").uploadArchive(TARGET, archive.stream()).files()).isEqualTo(5);

    for (FileInfo file : intruder.files("user").list(TARGET)) {
      assertThat(file.uid()).as(file.name()).isEqualTo(1000);
      assertThat(file.mode()).as(file.name()).startsWith("0");
    }
    assertThat(intruder.must("user", TARGET + "/set-id")).isEqualTo("1000");
  }

  @Test
  void garbage_is_refused_quickly_and_never_as_our_fault() throws IOException {
    byte[] good = new Archive().folder("a/").file("a/b", "content").symlink("l", "a/b").tarGz();
    var broken = new ArrayList<byte[]>();
    broken.add("this is no archive".getBytes(StandardCharsets.UTF_8));
    broken.add(new byte[] {0x1f, (byte) 0x8b});
    broken.add(Archive.gzip(new byte[] {1, 2, 3}));
    broken.add(Archive.gzip(new byte[511]));
    var random = new Random(20261115);
    for (int i = 0; i < 150; i++) {
      byte[] mutant = good.clone();
      for (int j = 0; j <= i % 4; j++) {
        mutant[random.nextInt(mutant.length)] ^= (byte) (1 << random.nextInt(8));
      }
      broken.add(mutant);
      // Changed before packing, so that the checksum of gzip does not stop it at the door.
      byte[] plain = new GZIPInputStream(new ByteArrayInputStream(good)).readAllBytes();
      for (int j = 0; j <= i % 6; j++) {
        plain[random.nextInt(2048)] = (byte) random.nextInt(256);
      }
      broken.add(Archive.gzip(plain));
      broken.add(Arrays.copyOf(good, random.nextInt(good.length)));
    }
    for (byte[] bytes : broken) {
      try {
        intruder.files("user").uploadArchive(TARGET, new ByteArrayInputStream(bytes));
      } catch (CoveApiException e) {
        assertThat(e.status()).as(e.detail()).isBetween(400, 499);
      }
    }
  }

  @Test
  void bombs_stop_at_the_sandboxs_size_with_little_memory() throws Exception {
    long before = HostView.residentBytes(SERVER.pid());
    var sparse = new TarArchiveEntry("huge", true);
    sparse.setSize(1L << 40);

    assertThat(refusal(zeros(sparse, 3L << 30)).status()).isIn(413, 422);
    var inside = new TarArchiveEntry("large", true);
    inside.setSize(3L << 30);
    assertThat(refusal(zeros(inside, 3L << 30)).status()).isIn(413, 422);

    assertThat(intruder.must("user", "du -sm /home/user | cut -f1"))
        .satisfies(used -> assertThat(Integer.parseInt(used)).isLessThan(512));
    assertThat(HostView.residentBytes(SERVER.pid()) - before).isLessThan(MEMORY_ROOM);
  }

  /** A header and then zeros, which gzip makes a thousand times smaller. */
  private static InputStream zeros(TarArchiveEntry entry, long count) throws IOException {
    var pipe = new PipedInputStream(64 * 1024);
    var out = new PipedOutputStream(pipe);
    Thread.ofVirtual()
        .name("bomb")
        .start(() -> {
          try (var gzip = new GZIPOutputStream(out, 64 * 1024)) {
            byte[] header = new byte[512];
            entry.writeEntryHeader(header, ZipEncodingHelper.getZipEncoding("UTF-8"), true);
            gzip.write(header);
            byte[] zeros = new byte[1 << 20];
            for (long left = count; left > 0; left -= zeros.length) {
              gzip.write(zeros);
            }
          } catch (IOException e) {
            // The server has hung up, as it should.
          }
        });
    return pipe;
  }

  private CoveApiException refusal(InputStream archive) {
    return catchThrowableOfType(
        CoveApiException.class, () -> intruder.files("user").uploadArchive(TARGET, archive));
  }

  @Test
  void names_and_headers_of_any_announced_length_cost_no_memory() throws Exception {
    long before = HostView.residentBytes(SERVER.pid());
    for (byte kind : new byte[] {'L', 'K', 'x', 'g'}) {
      var header = new TarArchiveEntry("././@LongLink", kind, true);
      header.setSize(1L << 30);
      assertThat(refusal(zeros(header, 1L << 30)).status()).isBetween(400, 499);
    }
    assertThat(HostView.residentBytes(SERVER.pid()) - before).isLessThan(MEMORY_ROOM);
  }

  @Test
  void too_many_entries_are_refused() throws Exception {
    var pipe = new PipedInputStream(64 * 1024);
    var out = new PipedOutputStream(pipe);
    Thread.ofVirtual().name("entries").start(() -> manyFolders(out, 100_001));

    assertThat(refusal(pipe).status()).isIn(413, 422);
  }

  /** The archive's own root again and again: what is counted is entries, not work or disk. */
  private static void manyFolders(OutputStream out, int count) {
    try (var tar = new TarArchiveOutputStream(new GZIPOutputStream(out, 64 * 1024), "UTF-8")) {
      for (int i = 0; i < count; i++) {
        tar.putArchiveEntry(new TarArchiveEntry("./", TarConstants.LF_DIR, true));
        tar.closeArchiveEntry();
      }
      tar.finish();
    } catch (IOException e) {
      // The server has hung up, as it should.
    }
  }

  @Test
  void packing_a_hostile_tree_ends_and_follows_nothing() throws Exception {
    try (var canary = HostCanary.plant()) {
      intruder.must(
          "user",
          """
          mkdir /home/user/tree && cd /home/user/tree
          echo plain > plain
          ln -s %s to-canary
          ln -s / to-root
          ln -s . loop
          ln -s /proc/1/root to-agents-root
          mkfifo pipe
          python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'
          echo secret > unreadable && chmod 000 unreadable
          mkdir closed && chmod 000 closed
          (while :; do echo more >> growing; done) > /dev/null 2>&1 &
          """
              .formatted(canary.file()));

      Map<String, TarArchiveEntry> entries = new HashMap<>();
      try (var tar =
          new TarArchiveInputStream(
              new GZIPInputStream(intruder.files("user").downloadArchive("/home/user/tree")))) {
        for (TarArchiveEntry entry = tar.getNextEntry();
            entry != null;
            entry = tar.getNextEntry()) {
          entries.put(entry.getName(), entry);
          canary.assertNotIn(tar.readAllBytes());
        }
      }
      intruder.shell("user", "kill -9 -1");

      assertThat(entries).containsKeys("plain", "to-canary", "to-root", "loop");
      assertThat(entries).doesNotContainKeys("pipe", "socket", "unreadable");
      assertThat(entries.get("to-root"))
          .satisfies(link -> assertThat(link != null && link.isSymbolicLink()).isTrue());
      assertThat(entries.keySet()).noneMatch(name -> name.startsWith("to-root/"));
      canary.assertUntouched();
    }
  }

  @Test
  void packing_endless_content_can_be_left_and_costs_no_memory() throws Exception {
    intruder.must("user", "mkdir /home/user/big && truncate -s 1T /home/user/big/sparse");
    long before = HostView.residentBytes(SERVER.pid());
    try (InputStream packed = intruder.files("user").downloadArchive("/home/user/big")) {
      assertThat(packed.readNBytes(200_000).length).isLessThanOrEqualTo(200_000);
    } catch (CoveApiException e) {
      assertThat(e.status()).isBetween(400, 499);
    }
    intruder.assertUsable();
    assertThat(HostView.residentBytes(SERVER.pid()) - before).isLessThan(MEMORY_ROOM);
  }

  @Test
  void a_body_that_stops_in_the_middle_leaves_whole_files_only() throws Exception {
    byte[] whole =
        new Archive()
            .file("first", "first")
            .file(
                "second",
                new Random(7)
                    .ints(200_000, 'a', 'z')
                    .collect(
                        StringBuilder::new, (b, c) -> b.append((char) c), StringBuilder::append)
                    .toString())
            .tarGz();
    InputStream half =
        new SequenceInputStream(
            new ByteArrayInputStream(whole, 0, whole.length / 2),
            new InputStream() {
              @Override
              public int read() throws IOException {
                throw new IOException("The client is gone");
              }

              @Override
              public int read(byte[] into, int offset, int length) throws IOException {
                return read();
              }
            });
    assertThat(
            catchThrowableOfType(
                RuntimeException.class, () -> intruder.files("user").uploadArchive(TARGET, half)))
        .isNotNull();

    Awaitility.await()
        .untilAsserted(() ->
            assertThat(intruder.files("user").list(TARGET).stream().map(FileInfo::name))
                .contains("good")
                .doesNotContain("second")
                .allMatch(name -> List.of("good", "first").contains(name)));
  }
}
