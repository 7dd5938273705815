package dev.cove.node;

import dev.cove.egress.Gateway;
import dev.cove.engine.Cage;
import dev.cove.engine.CagePlan;
import dev.cove.engine.Engine;
import dev.cove.engine.RootFs;
import dev.cove.guest.InsideRequests;
import dev.cove.model.Base;
import dev.cove.model.CoveException;
import dev.cove.model.LayerId;
import dev.cove.model.ProjectName;
import dev.cove.model.Resources;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxSpec;
import dev.cove.model.StopReason;
import dev.cove.model.Tier;
import dev.cove.model.crash.FailPoint;
import dev.cove.model.network.NetworkSettings;
import dev.cove.model.observe.Step;
import dev.cove.node.network.CageNetwork;
import dev.cove.node.network.LocalNetworks;
import dev.cove.node.supervisor.SandboxSupervisor;
import dev.cove.node.template.Bases;
import dev.cove.node.workspace.LocalWorkspaces;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Has cages built and puts each into the hands of a supervisor, with its network. */
final class Cages {
  private final Engines engines;
  private final Gateway gateway;
  private final LocalNetworks networks;
  private final Bases bases;
  private final LocalWorkspaces workspaces;
  private final Hearer hearer;

  /** Hears of everything that happens in cages by itself. */
  interface Hearer {
    void lost(Cage cage, StopReason reason, boolean filesKept);

    void wanted(SandboxId id);

    String checkpointAsked(SandboxId id, String name);
  }

  Cages(
      Engines engines,
      Gateway gateway,
      LocalNetworks networks,
      Bases bases,
      LocalWorkspaces workspaces,
      Hearer hearer) {
    this.engines = engines;
    this.gateway = gateway;
    this.networks = networks;
    this.bases = bases;
    this.workspaces = workspaces;
    this.hearer = hearer;
  }

  /** One of the most common shape, for whoever comes. */
  SandboxSupervisor warm(Tier tier) {
    var root = bases.rootOf(Base.HOST);
    SandboxSupervisor built =
        build(
            engines.of(tier),
            new CagePlan(SandboxId.random(), root, Resources.DEFAULT),
            ProjectName.DEFAULT,
            NetworkSettings.NOTHING);
    FailPoint.WARM_CAGE_BUILT.reached();
    return built;
  }

  SandboxSupervisor build(SandboxId id, SandboxSpec spec, List<LayerId> layers) {
    SandboxSupervisor built =
        build(engines.of(spec.tier()), plan(id, spec, layers), spec.project(), spec.network());
    return prepared(built, spec.network(), built::remove);
  }

  private SandboxSupervisor prepared(
      SandboxSupervisor built, NetworkSettings network, Runnable undo) {
    boolean done = false;
    try {
      networks.prepare(built, network);
      done = true;
      return built;
    } finally {
      if (!done) {
        undo.run();
      }
    }
  }

  private CagePlan plan(SandboxId id, SandboxSpec spec, List<LayerId> layers) {
    RootFs root =
        bases
            .rootOf(spec.template().base())
            .over(layers)
            .with(workspaces.open(id, spec.workspaces(), layers));
    return new CagePlan(id, root, spec.resources(), spec.volumes());
  }

  private SandboxSupervisor build(
      Engine engine, CagePlan plan, ProjectName project, NetworkSettings network) {
    Cage cage = Step.START_CAGE.run(() -> engine.start(plan));
    try {
      return supervise(cage, Optional.of(CageNetwork.open(cage, gateway, project, network)));
    } catch (CoveException e) {
      cage.destroy();
      throw e;
    }
  }

  /** On the files that a sandbox has left; when it throws, they are as they were. */
  SandboxSupervisor again(SandboxId id, SandboxSpec spec, List<LayerId> layers) {
    Cage cage = Step.START_CAGE.run(() -> engines.of(spec.tier()).restart(plan(id, spec, layers)));
    SandboxSupervisor built;
    try {
      built = supervise(cage, Optional.of(network(cage, spec)));
    } catch (CoveException e) {
      cage.halt();
      throw e;
    }
    return prepared(built, spec.network(), () -> built.halt(Duration.ZERO));
  }

  /** For a cage in which nobody's programs run. */
  SandboxSupervisor alone(CagePlan plan) {
    Cage cage = engines.own().start(plan);
    try {
      return supervise(cage, Optional.empty());
    } catch (CoveException e) {
      cage.destroy();
      throw e;
    }
  }

  /** One that an earlier server has built and that still runs. */
  Optional<SandboxSupervisor> adopt(SandboxId id, SandboxSpec spec) {
    return engines
        .of(spec.tier())
        .adopt(id)
        .map(cage -> supervise(cage, Optional.of(networkAgain(cage, spec))));
  }

  Optional<SandboxSupervisor> adoptPaused(SandboxId id, SandboxSpec spec) {
    return engines
        .of(spec.tier())
        .adoptPaused(id)
        .map(cage ->
            SandboxSupervisor.ofPaused(cage, Optional.of(networkAgain(cage, spec)), hearerOf(id)));
  }

  private CageNetwork network(Cage cage, SandboxSpec spec) {
    return CageNetwork.open(cage, gateway, spec.project(), spec.network());
  }

  private CageNetwork networkAgain(Cage cage, SandboxSpec spec) {
    return CageNetwork.reopen(cage, gateway, spec.project(), spec.network());
  }

  private SandboxSupervisor supervise(Cage cage, Optional<CageNetwork> network) {
    boolean supervised = false;
    try {
      SandboxSupervisor supervisor = SandboxSupervisor.of(cage, network, hearerOf(cage.id()));
      supervised = true;
      return supervisor;
    } finally {
      if (!supervised) {
        network.ifPresent(CageNetwork::close);
      }
    }
  }

  private SandboxSupervisor.Hearer hearerOf(SandboxId id) {
    return new SandboxSupervisor.Hearer() {
      @Override
      public void lost(Cage cage, StopReason reason, boolean filesKept) {
        hearer.lost(cage, reason, filesKept);
      }

      @Override
      public void wanted() {
        hearer.wanted(id);
      }

      @Override
      public InsideRequests inside() {
        return name -> hearer.checkpointAsked(id, name);
      }
    };
  }
}
