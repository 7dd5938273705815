package dev.cove.edge.e2b.template;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cove.control.template.TemplateVersion;
import dev.cove.edge.e2b.Envd;
import dev.cove.edge.e2b.SandboxFigures;
import dev.cove.edge.e2b.sandbox.TemplateNames;
import dev.cove.model.Resources;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A template in a list. Some clients insist on every field, also on those that nobody counts here.
 *
 * @param cpuCount of a sandbox that is made with it, as the two after it
 */
record ListedTemplate(
    String templateID,
    String buildID,
    int cpuCount,
    int memoryMB,
    int diskSizeMB,
    @JsonProperty("public") boolean isPublic,
    List<String> names,
    List<String> aliases,
    Instant createdAt,
    Instant updatedAt,
    @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable String createdBy,
    @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable Instant lastSpawnedAt,
    long spawnCount,
    int buildCount,
    String envdVersion,
    String buildStatus) {
  static ListedTemplate of(TemplateVersion version, String build) {
    List<String> called = List.of(TemplateNames.shown(version.name()));
    Resources usual = version.content().limits().over(Resources.DEFAULT);
    return new ListedTemplate(
        called.getFirst(),
        build,
        SandboxFigures.cpuCount(usual),
        usual.memoryMb(),
        usual.diskMb(),
        false,
        called,
        called,
        version.createdAt(),
        version.createdAt(),
        null,
        null,
        0,
        1,
        Envd.VERSION,
        "ready");
  }
}
