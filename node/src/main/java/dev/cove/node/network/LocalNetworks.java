package dev.cove.node.network;

import dev.cove.egress.Gateway;
import dev.cove.egress.NetworkUse;
import dev.cove.egress.SandboxNetwork;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.ProjectName;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxSpec;
import dev.cove.model.crash.FailPoint;
import dev.cove.model.network.Answer;
import dev.cove.model.network.Destination;
import dev.cove.model.network.Explanation;
import dev.cove.model.network.LoggedDecision;
import dev.cove.model.network.NetworkLimits;
import dev.cove.model.network.NetworkSettings;
import dev.cove.model.network.Question;
import dev.cove.node.NodeNetworks;
import dev.cove.node.supervisor.SandboxSupervisor;
import dev.cove.node.trust.SandboxTrust;
import java.io.IOException;
import java.time.LocalDate;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The networks of the sandboxes that run here. */
public final class LocalNetworks implements NodeNetworks {
  private static final Logger LOG = LoggerFactory.getLogger(LocalNetworks.class);

  private final Gateway gateway;
  private final Function<SandboxId, Optional<SandboxSupervisor>> residents;

  /** Of paused sandboxes, whose agents cannot be asked for it until they run again. */
  private final Map<SandboxId, NetworkSettings> postponed = new ConcurrentHashMap<>();

  public LocalNetworks(
      Gateway gateway, Function<SandboxId, Optional<SandboxSupervisor>> residents) {
    this.gateway = gateway;
    this.residents = residents;
  }

  @Override
  public void change(SandboxId id, NetworkSettings settings) {
    residents.apply(id).ifPresent(supervisor -> change(supervisor, settings));
  }

  @Override
  public void prepare(SandboxId id, NetworkSettings settings) {
    residents.apply(id).ifPresent(supervisor -> prepare(supervisor, settings));
  }

  /**
   * The same for a cage that is about to be somebody's.
   *
   * @throws CoveException GUEST_REFUSED when its files do not allow it
   */
  public void prepare(SandboxSupervisor supervisor, NetworkSettings settings) {
    if (!gateway.looksIntoTls(settings)) {
      postponed.remove(supervisor.id());
      return;
    }
    if (supervisor.isPaused()) {
      postponed.put(supervisor.id(), settings);
      return;
    }
    try {
      gateway
          .caCertificate(supervisor.id())
          .ifPresent(pem -> new SandboxTrust(supervisor.guest().files("root"), pem).establish());
      FailPoint.NETWORK_TRUSTED.reached();
    } catch (IOException e) {
      throw new CoveException(
          ErrorCode.UNAVAILABLE,
          "The certificate authority of sandbox %s cannot be used: %s"
              .formatted(supervisor.id(), e.getMessage()),
          e);
    }
  }

  /** Does for a sandbox that has been resumed what could not be done while it was paused. */
  public void prepareIfPostponed(SandboxSupervisor supervisor) {
    NetworkSettings settings = postponed.remove(supervisor.id());
    if (settings != null) {
      prepare(supervisor, settings);
    }
  }

  private void change(SandboxSupervisor supervisor, NetworkSettings settings) {
    supervisor.network().ifPresent(network -> network.change(settings));
  }

  /** For a cage that was built before anybody knew who would have it. */
  public void give(SandboxSupervisor supervisor, SandboxSpec spec) {
    supervisor.network().ifPresent(network -> network.belong(spec.project()));
    change(supervisor, spec.network());
  }

  @Override
  public void limit(ProjectName project, OptionalLong bytesPerDay) {
    gateway.day(project).limit(bytesPerDay);
  }

  @Override
  public void passedBefore(ProjectName project, LocalDate day, long bytes) {
    gateway.day(project).begin(day, bytes);
  }

  @Override
  public long bytesToday(ProjectName project) {
    return gateway.day(project).spentToday();
  }

  @Override
  public NetworkLimits most() {
    return gateway.most();
  }

  @Override
  public List<LoggedDecision> log(SandboxId id) {
    return require(id).log();
  }

  @Override
  public Explanation explain(SandboxId id, Destination destination) {
    try {
      return require(id).explain(destination);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CoveException(ErrorCode.UNAVAILABLE, "The server is shutting down.", e);
    }
  }

  @Override
  public List<Question> questions(SandboxId id) {
    return require(id).asked();
  }

  @Override
  public boolean answer(SandboxId id, String question, Answer answer) {
    return require(id).answer(question, answer);
  }

  private SandboxNetwork require(SandboxId id) {
    SandboxSupervisor supervisor =
        residents
            .apply(id)
            .orElseThrow(
                () -> new CoveException(ErrorCode.CONFLICT, "Sandbox " + id + " is not running."));
    return supervisor
        .network()
        .flatMap(CageNetwork::served)
        .orElseThrow(() ->
            new CoveException(
                ErrorCode.UNAVAILABLE,
                "Sandbox %s has no network just now; cove doctor says why.".formatted(id)));
  }

  /** What a sandbox has sent and received since this server started. */
  public Optional<NetworkUse> use(SandboxId id) {
    return gateway.use(id);
  }

  /** Removes what is kept of a sandbox that is gone. */
  public void forget(SandboxId id) {
    postponed.remove(id);
    try {
      gateway.forget(id);
    } catch (IOException e) {
      LOG.warn("sandbox {}: what is known of its network could not be removed", id, e);
    }
  }

  /** The same for all that are not among these. */
  public void forgetAllBut(Set<SandboxId> kept) {
    try {
      var gone = new HashSet<>(gateway.remembered());
      gone.removeAll(kept);
      gone.forEach(this::forget);
    } catch (IOException e) {
      LOG.warn("what is known of networks of former sandboxes could not be removed", e);
    }
  }
}
