package dev.cove.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.engine.EngineException;
import dev.cove.engine.EngineReport.Severity;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DoctorTest {
  @TempDir Path folder;

  @Test
  void an_engine_that_cannot_even_look_is_a_finding_and_makes_the_machine_unusable() {
    var diagnosis =
        Doctor.examine(
            folder,
            () -> {
              throw new EngineException("Cages are built by root");
            });
    assertThat(diagnosis.usable()).isFalse();
    assertThat(diagnosis.findings())
        .anySatisfy(finding -> {
          assertThat(finding.severity()).isEqualTo(Severity.MISSING);
          assertThat(finding.detail()).contains("built by root");
        })
        .anySatisfy(finding -> assertThat(finding.subject()).isEqualTo("JDK"))
        .anySatisfy(finding -> assertThat(finding.subject()).isEqualTo("KVM"));
  }

  @Test
  void a_folder_that_is_still_to_be_made_has_the_disk_of_its_parent() {
    assertThat(Doctor.disk(folder.resolve("not/yet/there")).detail()).contains("MB free");
  }
}
