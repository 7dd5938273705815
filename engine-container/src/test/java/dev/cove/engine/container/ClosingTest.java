package dev.cove.engine.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** After an engine's end nobody writes into its home. */
class ClosingTest {
  private static final EngineSettings MANY_SPARES = new EngineSettings(0, 64, true, true);

  @TempDir Path folder;

  @RepeatedTest(3)
  void an_engine_that_is_closed_while_the_first_image_is_made_waits_for_it() throws Exception {
    EngineHome home = home();
    ContainerEngine.open(home, MANY_SPARES).close();
    assertNobodyWritesTo(home);
  }

  @Test
  void a_spawner_that_is_closed_while_it_makes_a_spare_image_waits_for_it() throws Exception {
    EngineHome home = home();
    ContainerEngine.open(home, MANY_SPARES).close(); // from here on there is an image to copy
    for (int round = 0; round < 20; round++) {
      ContainerEngine.open(home, MANY_SPARES).close();
      assertNobodyWritesTo(home);
    }
  }

  private EngineHome home() {
    return new EngineHome(folder.resolve("data"), folder.resolve("run"));
  }

  private void assertNobodyWritesTo(EngineHome home) throws IOException {
    assertThat(processesNaming(folder)).isEmpty();
    assertThat(in(home.spareImages())).isEmpty();
    assertThat(in(home.baseImages())).noneMatch(name -> name.endsWith(UnfinishedFiles.SUFFIX));
  }

  private static List<String> in(Path folder) throws IOException {
    try (var files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  /** The spawner, its children and mkfs are told on their command lines where to work. */
  private static List<String> processesNaming(Path folder) throws IOException {
    var found = new ArrayList<String>();
    try (var processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      for (Path process : processes) {
        try {
          String command = Files.readString(process.resolve("cmdline"));
          if (command.contains(folder.toString())) {
            found.add(command.replace('\0', ' '));
          }
        } catch (IOException _) {
          // it ended meanwhile
        }
      }
    }
    return found;
  }
}
