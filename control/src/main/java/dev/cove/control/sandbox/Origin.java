package dev.cove.control.sandbox;

import dev.cove.control.checkpoint.Checkpoint;
import dev.cove.control.service.Service;
import dev.cove.control.template.TemplateVersion;
import dev.cove.model.LayerId;
import dev.cove.model.ResourceWish;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxTemplate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a new sandbox begins with.
 *
 * @param parent the sandbox whose state it is, if it is one's
 * @param env variables that the request may say otherwise about
 * @param layers what was written over the template's base, the uppermost first
 * @param services what is started whenever it starts, in that order
 * @param limits how much it may use where the request does not say it
 */
record Origin(
    Optional<SandboxId> parent,
    SandboxTemplate template,
    Map<String, String> env,
    List<LayerId> layers,
    List<Service> services,
    ResourceWish limits) {
  static Origin of(TemplateVersion version, String asked) {
    return new Origin(
        Optional.empty(),
        version.template().named(asked),
        version.env(),
        version.layers(),
        Service.of(version.content().service()),
        version.content().limits());
  }

  /** With services that the request names; they take the place of those of the same name. */
  Origin with(List<Service> wanted) {
    if (wanted.isEmpty()) {
      return this;
    }
    var all = new LinkedHashMap<String, Service>();
    services.forEach(service -> all.put(service.name(), service));
    Service.requireTogether(wanted).forEach(service -> all.put(service.name(), service));
    List<Service> together = Service.requireTogether(List.copyOf(all.values()));
    return new Origin(parent, template, env, layers, together, limits);
  }

  static Origin of(Checkpoint checkpoint) {
    return new Origin(
        Optional.of(checkpoint.sandbox()),
        checkpoint.template(),
        checkpoint.env(),
        checkpoint.layers(),
        List.of(),
        ResourceWish.NOTHING);
  }
}
