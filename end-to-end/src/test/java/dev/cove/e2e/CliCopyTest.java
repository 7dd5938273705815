package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Sandbox;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class CliCopyTest {
  @RegisterExtension static final RunningServer server = RunningServer.shared();

  private static Sandbox box;

  @BeforeAll
  static void create() {
    box = server.create();
  }

  @AfterAll
  static void delete() {
    box.close();
  }

  @Test
  void a_file_goes_in_and_comes_out_unchanged(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("data.bin");
    byte[] bytes = SampleBytes.array(3 << 20);
    Files.write(file, bytes);
    cli().run("cp", file.toString(), box.id() + ":/home/user/copy.bin").succeeded();
    assertThat(box.files().stat("/home/user/copy.bin").size()).isEqualTo(bytes.length);
    Path back = folder.resolve("back.bin");
    cli().run("cp", box.id() + ":/home/user/copy.bin", back.toString()).succeeded();
    assertThat(Files.readAllBytes(back)).isEqualTo(bytes);
  }

  @Test
  void a_folder_that_exists_is_copied_into(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("script.sh"), "#!/bin/sh\necho copied\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    cli().run("cp", file.toString(), box.id() + ":/home/user/").succeeded();
    assertThat(box.exec("/home/user/script.sh").stdout()).isEqualTo("copied\n");
    cli().run("cp", box.id() + ":/home/user/script.sh", folder.resolve(".").toString()).succeeded();
  }

  @Test
  void a_folder_goes_in_and_comes_out_with_all_that_is_in_it(@TempDir Path folder)
      throws Exception {
    Path tree = Files.createDirectories(folder.resolve("tree"));
    Files.createDirectories(tree.resolve("a/b"));
    Files.createDirectories(tree.resolve("empty"));
    Files.writeString(tree.resolve("a/b/größe – 🐚"), "deep");
    Files.createSymbolicLink(tree.resolve("link"), Path.of("a/b"));
    Path tool = Files.writeString(tree.resolve("tool"), "#!/bin/sh\necho tool\n");
    Files.setPosixFilePermissions(tool, PosixFilePermissions.fromString("rwx------"));

    cli().run("cp", tree.toString(), box.id() + ":/home/user/tree").succeeded();
    assertThat(box.exec("/home/user/tree/tool").stdout()).isEqualTo("tool\n");
    assertThat(box.files().readString("/home/user/tree/link/größe – 🐚")).isEqualTo("deep");
    assertThat(box.files().list("/home/user/tree/empty")).isEmpty();

    Path back = folder.resolve("back");
    cli().run("cp", box.id() + ":/home/user/tree", back.toString()).succeeded();
    assertThat(back.resolve("a/b/größe – 🐚")).hasContent("deep");
    assertThat(back.resolve("empty")).isEmptyDirectory();
    assertThat(Files.readSymbolicLink(back.resolve("link"))).isEqualTo(Path.of("a/b"));
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(back.resolve("tool"))))
        .isEqualTo("rwx------");
  }

  @Test
  void input_and_output_can_be_copied_too() throws Exception {
    byte[] bytes = SampleBytes.array(1 << 20);
    cli().pipe(new ByteArrayInputStream(bytes), "cp", "-", box.id() + ":/tmp/piped").succeeded();
    assertThat(box.files().readBytes("/tmp/piped")).isEqualTo(bytes);
    assertThat(cli().run("cp", box.id() + ":/tmp/piped", "-").succeeded().stdoutBytes())
        .isEqualTo(bytes);
  }

  @Test
  void a_copy_inside_is_made_with_the_rights_of_the_user_named(@TempDir Path folder)
      throws Exception {
    Path file = Files.writeString(folder.resolve("conf"), "x=1\n", StandardCharsets.UTF_8);
    assertThat(cli().run("cp", file.toString(), box.id() + ":/etc/conf").exitCode()).isEqualTo(1);
    cli().run("cp", "--user", "root", file.toString(), box.id() + ":/etc/conf").succeeded();
    assertThat(box.files().stat("/etc/conf").uid()).isZero();
  }

  private static Cli cli() {
    return Cli.of(server);
  }
}
