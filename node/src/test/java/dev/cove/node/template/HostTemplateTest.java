package dev.cove.node.template;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.engine.RootFs;
import dev.cove.engine.RootFs.Graft;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostTemplateTest {
  @TempDir Path temp;

  private Path host;
  private Path folder;

  @BeforeEach
  void a_small_host() throws IOException {
    host = temp.resolve("host");
    folder = temp.resolve("templates");
    Files.createDirectories(host.resolve("usr/bin"));
    Files.createSymbolicLink(host.resolve("bin"), Path.of("usr/bin"));
    write("etc/shells", "/bin/sh\n");
    write("etc/apt/sources.list.d/plain.list", "deb http://packages.test/ stable main\n");
    write("var/lib/dpkg/status", "Package: base\n");
  }

  @Test
  void a_listed_file_is_copied_and_everything_else_stays_outside() throws IOException {
    write("etc/shadow", "root:secret:1::::::\n");
    write("etc/ssh/ssh_host_ed25519_key", "key");
    write("etc/machine-id", "0123456789abcdef0123456789abcdef\n");
    write("etc/profile.d/token.sh", "export TOKEN=secret\n");
    write("root/.ssh/id_ed25519", "key");
    write("home/anna/notes", "personal");

    Path root = rootLayer();

    assertThat(root.resolve("etc/shells")).hasContent("/bin/sh\n");
    assertThat(root.resolve("var/lib/dpkg/status")).exists();
    assertThat(root.resolve("etc/shadow")).doesNotExist();
    assertThat(root.resolve("etc/ssh")).doesNotExist();
    assertThat(root.resolve("etc/machine-id")).doesNotExist();
    assertThat(root.resolve("etc/profile.d")).doesNotExist();
    assertThat(root.resolve("home/anna")).doesNotExist();
    assertThat(root.resolve("root")).isEmptyDirectory();
  }

  @Test
  void a_listed_file_that_not_everybody_may_read_is_left_out() throws IOException {
    Path secret = write("etc/apt/apt.conf.d/99-private", "Acquire::Retries 3;\n");
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-r-----"));

    assertThat(rootLayer().resolve("etc/apt/apt.conf.d/99-private")).doesNotExist();
  }

  @Test
  void a_listed_file_with_a_password_in_a_url_is_left_out() throws IOException {
    write("etc/apt/sources.list.d/private.list", "deb https://anna:pw@packages.test/ x main\n");

    Path sources = rootLayer().resolve("etc/apt/sources.list.d");

    assertThat(sources.resolve("plain.list")).exists();
    assertThat(sources.resolve("private.list")).doesNotExist();
  }

  @Test
  void a_listed_file_with_a_private_key_is_left_out() throws IOException {
    write("etc/ssl/certs/odd.pem", "-----BEGIN PRIVATE KEY-----\nMIIE\n");

    assertThat(rootLayer().resolve("etc/ssl/certs/odd.pem")).doesNotExist();
  }

  @Test
  void the_root_has_an_ordinary_user_with_a_home_of_its_own() throws IOException {
    Path root = rootLayer();

    assertThat(root.resolve("etc/passwd")).content().contains("user:x:1000:1000::/home/user:");
    assertThat(Files.getAttribute(root.resolve("home/user"), "unix:uid")).isEqualTo(1000);
    assertThat((int) Files.getAttribute(root.resolve("tmp"), "unix:mode") & 07777).isEqualTo(01777);
  }

  @Test
  void usr_is_grafted_and_the_links_into_it_are_kept() {
    RootFs root = template().current();

    assertThat(root.grafts()).containsExactly(new Graft("/usr", host.resolve("usr")));
    assertThat(root.layers().getFirst().resolve("bin")).isSymbolicLink();
  }

  @Test
  void a_host_without_merged_usr_gets_a_graft_for_each_program_folder() throws IOException {
    Files.delete(host.resolve("bin"));
    Files.createDirectory(host.resolve("bin"));

    RootFs root = template().current();

    assertThat(root.grafts()).contains(new Graft("/bin", host.resolve("bin")));
    assertThat(
            Files.isDirectory(root.layers().getFirst().resolve("bin"), LinkOption.NOFOLLOW_LINKS))
        .isTrue();
  }

  @Test
  void a_change_of_the_package_database_leads_to_a_new_version() throws IOException {
    Path before = rootLayer();
    Path status = write("var/lib/dpkg/status", "Package: base\nPackage: more\n");
    Files.setLastModifiedTime(status, FileTime.from(Instant.now().plusSeconds(5)));

    Path after = rootLayer();

    assertThat(after).isNotEqualTo(before);
    assertThat(after.resolve("var/lib/dpkg/status")).content().contains("more");
    assertThat(before).exists();
  }

  @Test
  void old_and_half_made_versions_are_removed_when_asked() throws IOException {
    Path half = Files.createDirectories(folder.resolve("0123456789abcdef01234567.partial/etc"));
    HostTemplate template = template();
    Path current = template.current().layers().getFirst();

    template.removeOldVersions();

    assertThat(half).doesNotExist();
    assertThat(current).exists();
  }

  @Test
  void a_version_that_fits_the_host_is_found_again_after_a_restart() throws IOException {
    Path built = rootLayer();
    Path mark = Files.createFile(built.resolve("made-once"));

    HostTemplate afterRestart = template();
    afterRestart.removeOldVersions();

    assertThat(afterRestart.current().layers().getFirst()).isEqualTo(built);
    assertThat(mark).exists();
  }

  private Path rootLayer() {
    return template().current().layers().getFirst();
  }

  private HostTemplate template() {
    return new HostTemplate(host, folder);
  }

  private Path write(String path, String content) throws IOException {
    Path file = host.resolve(path);
    Files.createDirectories(file.resolveSibling("."));
    return Files.writeString(file, content);
  }
}
