package dev.cove.engine.oci;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class TierDocumentTest {
  @Test
  void the_document_has_every_difference_and_its_reason() throws IOException {
    assertThat(Files.readString(Path.of("../docs/tiers.md")))
        .as("between the marks in docs/tiers.md stands:%n%s", GvisorDifferences.table())
        .contains(GvisorDifferences.table());
  }
}
