package dev.cove.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.cove.e2e.RunningServer;
import dev.cove.sdk.Command;
import dev.cove.sdk.CoveApiException;
import dev.cove.sdk.RunningCommand;
import dev.cove.sdk.SandboxFiles;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Links planted inside so that a file request leads out. */
class PlantedLinkTest {
  @RegisterExtension static final RunningServer SERVER = RunningServer.withDefaults();

  private static final int RACES = 400;

  @SuppressWarnings("NullAway.Init") // set before every test
  private Intruder intruder;

  @SuppressWarnings("NullAway.Init") // set before every test
  private HostCanary canary;

  @BeforeEach
  void start() throws IOException {
    intruder = Intruder.in(SERVER.cove());
    canary = HostCanary.plant();
  }

  @AfterEach
  void end() throws IOException {
    intruder.close();
    canary.close();
  }

  /** Something done to a path; it may be refused. */
  private interface Verb {
    void on(String path) throws IOException;
  }

  @ParameterizedTest
  @ValueSource(strings = {"user", "root"})
  void a_link_to_an_inner_file_is_followed_and_none_leads_to_the_host(String user)
      throws IOException {
    SandboxFiles files = intruder.files(user);
    files.write("/tmp/inner", "inner");
    files.symlink("/tmp/to-inner", "/tmp/inner");
    assertThat(files.readString("/tmp/to-inner")).isEqualTo("inner");

    Map<String, Verb> verbs = verbs(files);
    for (String path : plant(user)) {
      for (var verb : verbs.entrySet()) {
        String what = "%s %s as %s".formatted(verb.getKey(), path, user);
        try {
          verb.getValue().on(path);
        } catch (CoveApiException e) {
          assertThat(e.status()).as("%s: %s", what, e.detail()).isBetween(400, 499);
          assertThat(e.detail()).doesNotContain(canary.secret());
        }
      }
      canary.assertUntouched();
    }
    intruder.assertUsable();
  }

  /** The file, then through its folder, by each way of naming either. */
  private Set<String> plant(String user) {
    String file = canary.file().toString();
    String folder = canary.folder().toString();
    List<String> ways =
        List.of(
            "",
            "../../../../../../../..",
            "/proc/1/root",
            "/proc/self/root",
            "/proc/1/cwd",
            "/proc/1/fd/3",
            "/proc/self/fd/3/../../../..",
            "/proc/1/task/1/root");
    var paths = new TreeSet<String>();
    SandboxFiles files = intruder.files(user);
    for (int i = 0; i < ways.size(); i++) {
      files.symlink("/tmp/final" + i, ways.get(i) + file);
      files.symlink("/tmp/folder" + i, ways.get(i) + folder);
      paths.add("/tmp/final" + i);
      paths.add("/tmp/folder" + i + "/canary");
      paths.add(ways.get(i).startsWith("/") ? ways.get(i) + file : "/tmp/" + ways.get(i) + file);
    }
    files.symlink("/tmp/key", SERVER.home().resolve("data/local.key").toString());
    paths.add("/tmp/key");
    paths.add("/proc/1/root" + SERVER.home().resolve("data/local.key"));
    return paths;
  }

  private Map<String, Verb> verbs(SandboxFiles files) {
    var verbs = new LinkedHashMap<String, Verb>();
    verbs.put("read", path -> assertHarmless(files.readBytes(path)));
    verbs.put(
        "read part of",
        path -> {
          try (InputStream in = files.read(path, 0, 64)) {
            assertHarmless(in.readAllBytes());
          }
        });
    verbs.put("stat", path -> assertInner(files.stat(path).size()));
    verbs.put("stat without following", files::statLink);
    verbs.put("list", path -> files.list(path).forEach(info -> assertInner(info.size())));
    verbs.put(
        "pack",
        path -> {
          try (InputStream in = files.downloadArchive(path)) {
            assertHarmless(new GZIPInputStream(in).readAllBytes());
          }
        });
    verbs.put("watch", path -> files.watch(path, true).close());
    verbs.put("write", path -> files.write(path, "planted"));
    verbs.put(
        "write with parents",
        path -> files.write(path + "/new", new ByteArrayInputStream(new byte[] {1}), "0644", true));
    verbs.put("mkdir", path -> files.mkdir(path + "/new"));
    verbs.put("chmod", path -> files.chmod(path, "0777"));
    verbs.put("symlink", path -> files.symlink(path + "/new-link", "/etc/passwd"));
    verbs.put("unpack", path -> files.uploadArchive(path, Archive.withFile("new", "x").stream()));
    verbs.put("move away", path -> files.move(path, "/tmp/taken", true));
    verbs.put(
        "move over",
        path -> {
          files.write("/tmp/mine", "planted");
          files.move("/tmp/mine", path, true);
        });
    verbs.put("remove", files::remove);
    verbs.put("remove with all in it", files::removeTree);
    return verbs;
  }

  private void assertHarmless(byte[] bytes) {
    canary.assertNotIn(bytes);
    assertThat(new String(bytes, StandardCharsets.ISO_8859_1)).doesNotContain(SERVER.key());
  }

  private void assertInner(long size) {
    assertThat(size).isNotEqualTo(canary.secret().length());
  }

  @ParameterizedTest
  @ValueSource(strings = {"user", "root"})
  void descriptors_and_memory_of_whoever_does_the_file_work_are_out_of_reach(String user)
      throws IOException {
    SandboxFiles files = intruder.files(user);
    assertThat(files.readString("/proc/version")).startsWith("Linux");

    for (String process : List.of("self", "thread-self", "1")) {
      for (int fd = 0; fd < 24; fd++) {
        assertRefusedOrHarmless(files, "/proc/" + process + "/fd/" + fd);
      }
      for (String file : List.of("mem", "environ", "root/etc/passwd", "cwd/etc/passwd", "exe")) {
        String path = "/proc/" + process + "/" + file;
        assertRefusedOrHarmless(files, path);
        try {
          files.write(path, "x");
          fail("%s was written to", path);
        } catch (CoveApiException e) {
          assertThat(e.status()).as(path).isBetween(400, 499);
        }
      }
    }
    intruder.assertUsable();
    files.write("/tmp/after", "works");
    assertThat(files.readString("/tmp/after")).isEqualTo("works");
  }

  private void assertRefusedOrHarmless(SandboxFiles files, String path) throws IOException {
    try (InputStream in = files.read(path, 0, 4096)) {
      assertHarmless(in.readAllBytes());
    } catch (CoveApiException e) {
      assertThat(e.status()).as("%s: %s", path, e.detail()).isBetween(400, 499);
    }
  }

  @Test
  void a_folder_that_turns_into_a_link_all_the_time_never_leads_out() throws Exception {
    String flip = intruder.install("flip");
    String below = canary.file().toString();
    SandboxFiles files = intruder.files("user");
    files.mkdir("/home/user/real" + canary.folder());
    files.mkdir(canary.folder().toString());
    files.write("/home/user/real" + below, "in the folder");
    files.write(below, "through the link");
    files.symlink("/home/user/link", "/");
    assertThat(files.readString("/home/user/link" + below)).isEqualTo("through the link");

    try (RunningCommand flipping =
        intruder.box().start(Command.of(flip, "/home/user/real", "/home/user/link"))) {
      var seen = new TreeSet<String>();
      int done = 0;
      for (int i = 0; i < RACES; i++) {
        String text = i % 2 == 0 ? "in the folder" : "through the link";
        done += attempt(() -> seen.add(files.readString("/home/user/real" + below)));
        done += attempt(() -> files.write("/home/user/link" + below, text));
        done += attempt(() -> files.statLink("/home/user/real" + below));
        done += attempt(() -> files.write("/home/user/link" + canary.folder() + "/new", "x"));
        done += attempt(() -> files.remove("/home/user/real" + canary.folder() + "/new"));
      }
      assertThat(done).as("requests that were let through").isGreaterThan(RACES);
      assertThat(seen).isSubsetOf("in the folder", "through the link");
      assertThat(flipping.waitFor(Duration.ZERO)).as("still flipping").isEmpty();
    }
    canary.assertUntouched();
    intruder.assertUsable();
  }

  /** Losing a race may be refused; 1 when it was not. */
  private static int attempt(Runnable request) {
    try {
      request.run();
      return 1;
    } catch (CoveApiException e) {
      assertThat(e.status()).as(e.detail()).isBetween(400, 499);
      return 0;
    }
  }
}
