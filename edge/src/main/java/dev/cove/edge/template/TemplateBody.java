package dev.cove.edge.template;

import dev.cove.control.template.Catalogue;
import dev.cove.control.template.TemplateVersion;
import dev.cove.edge.network.NetworkBody;
import dev.cove.edge.sandbox.LifeBody;
import dev.cove.edge.sandbox.LimitsBody;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A version of a template as callers see it. */
public record TemplateBody(
    String name,
    int version,
    String reference,
    Set<String> tags,
    String origin,
    Instant createdAt,
    boolean builtIn,
    String base,
    String user,
    String cwd,
    List<String> entrypoint,
    Map<String, String> env,
    List<String> start,
    List<String> ready,
    int layers,
    Optional<NetworkBody.Shown> network,
    Optional<LifeBody> life,
    Optional<LimitsBody.Shown> limits) {
  static TemplateBody of(Catalogue.Listed listed) {
    TemplateVersion version = listed.version();
    return new TemplateBody(
        version.name(),
        version.number(),
        version.reference(),
        listed.tags(),
        version.origin(),
        version.createdAt(),
        listed.builtIn(),
        version.template().base().publicName(),
        version.template().user(),
        version.template().cwd(),
        version.template().entrypoint(),
        version.env(),
        version.content().service().command(),
        version.content().service().ready(),
        version.layers().size(),
        version.template().network().map(NetworkBody.Shown::of),
        LifeBody.said(version.template().life()),
        LimitsBody.Shown.of(version.content().limits()));
  }
}
