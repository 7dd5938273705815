package dev.cove.edge.e2b.sandbox;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cove.edge.e2b.Timeouts;
import dev.cove.edge.e2b.TrafficAccess;
import dev.cove.edge.http.Fields;
import dev.cove.model.life.OnEnd;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A wish for a sandbox, from clients of both generations. */
record NewSandbox(
    @Nullable String templateID,
    @Nullable Long timeout,
    @Nullable Map<String, @Nullable String> metadata,
    @Nullable Map<String, @Nullable String> envVars,
    @Nullable Boolean autoPause,
    @Nullable Boolean autoPauseMemory,
    @Nullable AutoResume autoResume,
    @JsonProperty("allow_internet_access") @Nullable Boolean allowInternetAccess,
    OutRules.@Nullable Wanted network,
    @Nullable List<@Nullable Mount> volumeMounts) {
  record AutoResume(@Nullable Boolean enabled) {}

  record Mount(@Nullable String name, @Nullable String path) {}

  String template() {
    return Fields.require("templateID", templateID);
  }

  boolean pauses() {
    return Boolean.TRUE.equals(autoPause);
  }

  boolean resumes() {
    return autoResume != null && Boolean.TRUE.equals(autoResume.enabled());
  }

  /** What becomes of it when its time is over. */
  private OnEnd onEnd() {
    if (!pauses()) {
      return OnEnd.DELETE;
    }
    return Boolean.FALSE.equals(autoPauseMemory) ? OnEnd.STOP : OnEnd.PAUSE;
  }

  Timeouts.Wanted timeout(Duration usual) {
    return new Timeouts.Wanted(Timeouts.require(timeout, usual), onEnd(), resumes());
  }

  /** Metadata and what this dialect has to remember. */
  Map<String, String> labels(Timeouts.Wanted wanted) {
    var labels = new HashMap<>(Metadata.toLabels(Fields.textMap("metadata", metadata)));
    labels.putAll(wanted.labels());
    if (network != null) {
      labels.putAll(TrafficAccess.labels(network.allowPublicTraffic(), network.maskRequestHost()));
    }
    return labels;
  }

  void requireConsistent() {
    if (Boolean.FALSE.equals(autoPauseMemory) && (!pauses() || resumes())) {
      throw new IllegalArgumentException(
          "autoPauseMemory false goes with autoPause true and without autoResume");
    }
  }
}
