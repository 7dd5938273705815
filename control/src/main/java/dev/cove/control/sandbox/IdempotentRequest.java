package dev.cove.control.sandbox;

import dev.cove.control.Fingerprint;
import dev.cove.control.checkpoint.CheckpointRules;
import dev.cove.control.ledger.LifeText;
import dev.cove.control.project.Scope;
import dev.cove.control.service.Service;
import dev.cove.control.volume.VolumeWish;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.ProjectName;
import dev.cove.model.Resources;
import dev.cove.model.Tier;
import dev.cove.model.boundary.Guarantees;
import dev.cove.model.life.LifeRules;
import dev.cove.model.network.GroupMembership;
import dev.cove.model.network.NetworkLimits;
import dev.cove.model.network.NetworkSettings;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A create that may be repeated.
 *
 * @param project whose key it is
 * @param hash of everything that was asked for, to notice a key that is used for something else
 */
record IdempotentRequest(ProjectName project, String key, String hash) {
  private static final Pattern SHAPE = Pattern.compile("[\\x20-\\x7e]{1,128}");

  static Optional<IdempotentRequest> of(CreateSandbox request) {
    return request
        .idempotencyKey()
        .map(key -> new IdempotentRequest(Scope.here(), key, hash(request)));
  }

  /** A create that begins with a checkpoint, which may be gone when it is repeated. */
  static Optional<IdempotentRequest> of(String checkpointId, Branches.FromCheckpoint wish) {
    return wish.idempotencyKey()
        .map(key -> new IdempotentRequest(Scope.here(), key, hash(checkpointId, wish)));
  }

  IdempotentRequest {
    if (!SHAPE.matcher(key).matches()) {
      throw new CoveException(
          ErrorCode.INVALID_REQUEST,
          "An idempotency key is 1 to 128 printable ASCII characters long.");
    }
  }

  void requireSameAs(String earlierHash) {
    if (!hash.equals(earlierHash)) {
      throw new CoveException(
          ErrorCode.CONFLICT,
          "This idempotency key was used for another request; use a new key for a new request.");
    }
  }

  /** Its bytes must stay as they are: rows of earlier versions hold it. */
  private static String hash(CreateSandbox request) {
    var fingerprint =
        new Fingerprint()
            .add(request.name().isPresent() ? "named" : "unnamed")
            .add(request.name().orElse(""))
            .add(request.template())
            .add(request.tier().tier().orElse(Tier.CONTAINER).publicName())
            .add(request.resources().over(Resources.DEFAULT).toString())
            .add(request.env())
            .add(request.labels());
    with(fingerprint, request.volumes(), request.rules(), request.network(), request.group());
    with(fingerprint, request.life());
    with(fingerprint, request.tier().requires());
    request.budget().ifPresent(budget -> fingerprint.add("budget").add(budget.toString()));
    request.workspaces().forEach(one -> fingerprint.add("project").add(one.toString()));
    return with(fingerprint, request.services()).hex();
  }

  private static String hash(String checkpointId, Branches.FromCheckpoint wish) {
    var fingerprint =
        new Fingerprint()
            .add("checkpoint")
            .add(checkpointId)
            .add(wish.name().isPresent() ? "named" : "unnamed")
            .add(wish.name().orElse(""))
            .add(wish.milliCpus().toString())
            .add(wish.memoryMb().toString())
            .add(wish.maxProcesses().toString())
            .add(wish.env())
            .add(wish.labels());
    with(fingerprint, wish.volumes(), wish.rules(), wish.network(), wish.group());
    with(fingerprint, wish.life());
    wish.tier().tier().ifPresent(tier -> fingerprint.add("tier").add(tier.publicName()));
    with(fingerprint, wish.tier().requires());
    wish.budget().ifPresent(budget -> fingerprint.add("budget").add(budget.toString()));
    wish.workspaces().forEach(one -> fingerprint.add("project").add(one.toString()));
    return with(fingerprint, wish.services()).hex();
  }

  private static Fingerprint with(Fingerprint fingerprint, List<Service> services) {
    for (Service service : services) {
      fingerprint
          .add("service")
          .add(service.name())
          .add(String.join("\0", service.command()))
          .add(service.env())
          .add(service.cwd().toString())
          .add(service.user().toString())
          .add(service.ready().toString())
          .add(service.restart().publicName());
    }
    return fingerprint;
  }

  private static Fingerprint with(Fingerprint fingerprint, LifeRules life) {
    return life.equals(LifeRules.SILENT)
        ? fingerprint
        : fingerprint.add("life").add(LifeText.encode(life));
  }

  private static void with(Fingerprint fingerprint, Guarantees requires) {
    if (!requires.equals(Guarantees.NONE)) {
      fingerprint.add("requires").add(requires.toString());
    }
  }

  private static void with(
      Fingerprint fingerprint,
      List<VolumeWish> volumes,
      Optional<CheckpointRules> rules,
      Optional<NetworkSettings> network,
      Optional<GroupMembership> group) {
    for (VolumeWish wish : volumes) {
      fingerprint.add(wish.volume()).add(wish.target()).add(Boolean.toString(wish.readOnly()));
    }
    rules.ifPresent(wanted -> fingerprint.add(wanted.toString()));
    network.ifPresent(wanted ->
        fingerprint
            .add("network")
            .add(wanted.policy().text())
            .add(Boolean.toString(wanted.attended())));
    // Nothing where there are none: rows of earlier versions must stay as they are.
    network.stream()
        .flatMap(wanted -> wanted.secrets().stream())
        .forEach(binding -> fingerprint.add(SecretRows.text(binding)));
    network
        .map(NetworkSettings::limits)
        .filter(limits -> !limits.equals(NetworkLimits.NONE))
        .ifPresent(limits -> fingerprint.add("limits").add(limits.toString()));
    group.ifPresent(wanted -> fingerprint.add("group").add(wanted.group()).add(wanted.portsText()));
  }
}
