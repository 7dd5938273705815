package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.FileInfo;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SandboxFiles;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Folders go in and out as tar.gz, with all that a folder can hold. */
class ArchivesTest {
  private static final String LONG = "long-".repeat(40);
  private static final String UNICODE = "日本語 – größe 🐚.txt";

  @RegisterExtension static final RunningServer server = RunningServer.shared();

  @Test
  void an_archive_is_unpacked_with_links_modes_empty_folders_and_any_name() throws IOException {
    try (Sandbox box = server.create()) {
      box.files().mkdir("/home/user/in");
      SandboxFiles.Unpacked unpacked =
          box.files().uploadArchive("/home/user/in", new ByteArrayInputStream(sample()));
      assertThat(unpacked.files()).isEqualTo(4);
      assertThat(unpacked.symlinks()).isEqualTo(2);
      assertThat(unpacked.folders()).isGreaterThanOrEqualTo(2);

      SandboxFiles files = box.files();
      assertThat(files.readString("/home/user/in/" + UNICODE)).isEqualTo("unicode");
      assertThat(files.readString("/home/user/in/folder/" + LONG)).isEqualTo("long");
      assertThat(files.stat("/home/user/in/run.sh").mode()).isEqualTo("0755");
      assertThat(files.stat("/home/user/in/private").mode()).isEqualTo("0600");
      assertThat(files.stat("/home/user/in/private").uid()).isEqualTo(1000);
      assertThat(files.stat("/home/user/in/empty").type()).isEqualTo(FileInfo.Type.FOLDER);
      assertThat(files.list("/home/user/in/empty")).isEmpty();
      assertThat(files.statLink("/home/user/in/link").linkTarget()).contains("folder/" + LONG);
      assertThat(files.readString("/home/user/in/link")).isEqualTo("long");
      assertThat(files.statLink("/home/user/in/dangling").linkTarget()).contains("nowhere");
      assertThat(box.exec("/home/user/in/run.sh").stdout()).isEqualTo("ran\n");
    }
  }

  @Test
  void what_was_unpacked_comes_back_the_same() throws IOException {
    try (Sandbox box = server.create()) {
      box.files().mkdir("/home/user/there");
      box.files().uploadArchive("/home/user/there", new ByteArrayInputStream(sample()));
      Map<String, String> back;
      try (InputStream archive = box.files().downloadArchive("/home/user/there")) {
        back = describe(archive);
      }
      assertThat(strip(back)).isEqualTo(strip(describe(new ByteArrayInputStream(sample()))));
    }
  }

  @Test
  void tar_of_the_host_can_read_what_the_server_packs() throws Exception {
    try (Sandbox box = server.create()) {
      box.exec("sh", "-c", "mkdir -p ~/d/e && echo hi > ~/d/e/f && ln -s e/f ~/d/l");
      byte[] archive;
      try (InputStream in = box.files().downloadArchive("/home/user/d")) {
        archive = in.readAllBytes();
      }
      Process tar = new ProcessBuilder("tar", "-tzf", "-").start();
      try (var stdin = tar.getOutputStream()) {
        stdin.write(archive);
      }
      String listed = new String(tar.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(tar.waitFor()).isZero();
      assertThat(listed.lines().map(line -> line.replaceFirst("^(\\./)?(d/)?", "")))
          .contains("e/f", "l");
    }
  }

  @Test
  void a_single_file_can_be_packed() throws IOException {
    try (Sandbox box = server.create()) {
      box.files().write("/home/user/single", "one");
      try (InputStream archive = box.files().downloadArchive("/home/user/single")) {
        assertThat(describe(archive)).containsEntry("single", "file 0644 one");
      }
    }
  }

  @Test
  void many_small_files_go_both_ways() throws IOException {
    var packed = new ByteArrayOutputStream();
    try (var tar = new TarArchiveOutputStream(new GZIPOutputStream(packed), "UTF-8")) {
      for (int i = 0; i < 500; i++) {
        file(tar, "d" + i % 20 + "/f" + i, 0644, "content " + i);
      }
    }
    try (Sandbox box = server.create()) {
      box.files().mkdir("/home/user/many");
      var unpacked =
          box.files()
              .uploadArchive("/home/user/many", new ByteArrayInputStream(packed.toByteArray()));
      assertThat(unpacked.files()).isEqualTo(500);
      assertThat(box.exec("sh", "-c", "find ~/many -type f | wc -l").stdout().strip())
          .isEqualTo("500");
      try (InputStream archive = box.files().downloadArchive("/home/user/many")) {
        Map<String, String> back = strip(describe(archive));
        assertThat(back).containsEntry("d19/f499", "file 0644 content 499");
        assertThat(back.values().stream().filter(value -> value.startsWith("file"))).hasSize(500);
      }
    }
  }

  private static byte[] sample() throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var tar = new TarArchiveOutputStream(new GZIPOutputStream(bytes), "UTF-8")) {
      tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
      tar.setAddPaxHeadersForNonAsciiNames(true);
      folder(tar, "folder/");
      folder(tar, "empty/");
      file(tar, UNICODE, 0644, "unicode");
      file(tar, "folder/" + LONG, 0640, "long");
      file(tar, "run.sh", 0755, "#!/bin/sh\necho ran\n");
      file(tar, "private", 0600, "mine");
      link(tar, "link", "folder/" + LONG);
      link(tar, "dangling", "nowhere");
    }
    return bytes.toByteArray();
  }

  private static void folder(TarArchiveOutputStream tar, String name) throws IOException {
    var entry = new TarArchiveEntry(name);
    entry.setMode(0755);
    tar.putArchiveEntry(entry);
    tar.closeArchiveEntry();
  }

  private static void file(TarArchiveOutputStream tar, String name, int mode, String text)
      throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    var entry = new TarArchiveEntry(name);
    entry.setMode(mode);
    entry.setSize(bytes.length);
    tar.putArchiveEntry(entry);
    tar.write(bytes);
    tar.closeArchiveEntry();
  }

  private static void link(TarArchiveOutputStream tar, String name, String target)
      throws IOException {
    var entry = new TarArchiveEntry(name, TarConstants.LF_SYMLINK);
    entry.setLinkName(target);
    tar.putArchiveEntry(entry);
    tar.closeArchiveEntry();
  }

  /** Name to kind, mode and content. */
  private static Map<String, String> describe(InputStream tarGz) throws IOException {
    var found = new TreeMap<String, String>();
    try (var tar = new TarArchiveInputStream(new GZIPInputStream(tarGz), "UTF-8")) {
      for (var entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        String mode = "%04o".formatted(entry.getMode() & 07777);
        String name = entry.getName().replaceFirst("^\\./", "").replaceFirst("/$", "");
        if (entry.isSymbolicLink()) {
          found.put(name, "link " + entry.getLinkName());
        } else if (entry.isDirectory()) {
          found.put(name, "folder " + mode);
        } else {
          found.put(
              name, "file " + mode + " " + new String(tar.readAllBytes(), StandardCharsets.UTF_8));
        }
      }
    }
    return found;
  }

  /** Without the folder itself, whether or not the names in the archive begin with it. */
  private static Map<String, String> strip(Map<String, String> entries) {
    var stripped = new TreeMap<String, String>();
    entries.forEach(
        (name, value) -> stripped.put(name.replaceFirst("^(there|many)(/|$)", ""), value));
    stripped.remove("");
    stripped.remove(".");
    return stripped;
  }
}
