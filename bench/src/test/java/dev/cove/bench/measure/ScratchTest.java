package dev.cove.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.bench.peer.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScratchTest {
  @TempDir private Path elsewhere;

  @Test
  void everything_below_is_removed_and_links_are_not_followed() throws Exception {
    Path precious = Files.createFile(elsewhere.resolve("precious"));
    var scratch = new Scratch();
    Files.createFile(scratch.subfolder("a").resolve("file"));
    Files.createSymbolicLink(scratch.folder().resolve("link"), elsewhere);
    scratch.close();
    assertThat(scratch.folder()).doesNotExist();
    assertThat(precious).exists();
  }

  @Test
  void nothing_is_removed_while_something_is_mounted_below() throws Exception {
    Path precious = Files.createFile(elsewhere.resolve("precious"));
    var scratch = new Scratch();
    Path point = scratch.subfolder("point");
    Command.require(List.of("mount", "--bind", elsewhere.toString(), point.toString()));
    try {
      assertThatThrownBy(scratch::close)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("1 mounts are still below");
      assertThat(precious).exists();
    } finally {
      Command.require(List.of("umount", point.toString()));
      scratch.close();
    }
    assertThat(scratch.folder()).doesNotExist();
  }
}
