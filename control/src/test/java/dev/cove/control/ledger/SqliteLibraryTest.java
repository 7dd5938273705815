package dev.cove.control.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqliteLibraryTest {
  @TempDir Path folder;

  @Test
  void a_process_that_is_killed_leaves_no_library_in_the_temporary_folder() throws Exception {
    Path temporary = Files.createDirectory(folder.resolve("tmp"));
    for (int round = 0; round < 2; round++) {
      Process child =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "--enable-native-access=ALL-UNNAMED",
                  "-Djava.io.tmpdir=" + temporary,
                  "-cp",
                  System.getProperty("java.class.path"),
                  OpensAndHalts.class.getName(),
                  folder.toString())
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("out").toFile())
              .start();
      assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(child.exitValue()).as(Files.readString(folder.resolve("out"))).isEqualTo(7);
    }
    assertThat(temporary).isEmptyDirectory();
    try (var unpacked = Files.walk(folder.resolve("lib"))) {
      assertThat(unpacked.filter(Files::isRegularFile)).hasSize(1);
    }
  }

  static final class OpensAndHalts {
    private OpensAndHalts() {}

    public static void main(String[] arguments) throws IOException {
      Path folder = Path.of(arguments[0]);
      SqliteLibrary.loadFrom(folder.resolve("lib"));
      Ledger ledger = Ledger.open(folder.resolve("ledger.db"));
      ledger.write(session ->
          session.run("insert into host (one, boot_id) values (1, 'x') on conflict do nothing"));
      Runtime.getRuntime().halt(7);
    }
  }
}
