package dev.cove.egress;

import dev.cove.egress.ask.Questions;
import dev.cove.egress.decision.Decider;
import dev.cove.egress.dial.Checked;
import dev.cove.egress.dial.Dialer;
import dev.cove.egress.group.Entrance;
import dev.cove.egress.group.Member;
import dev.cove.egress.group.Peers;
import dev.cove.egress.intake.Grants;
import dev.cove.egress.intake.Intake;
import dev.cove.egress.intake.Services;
import dev.cove.egress.limit.ByteBudget;
import dev.cove.egress.limit.RateLimit;
import dev.cove.egress.log.Journal;
import dev.cove.egress.name.NameListener;
import dev.cove.egress.name.NameServer;
import dev.cove.egress.name.NameTable;
import dev.cove.egress.relay.Connections;
import dev.cove.egress.relay.Relay;
import dev.cove.model.ProjectName;
import dev.cove.model.SandboxId;
import dev.cove.model.network.Answer;
import dev.cove.model.network.Destination;
import dev.cove.model.network.Destination.Named;
import dev.cove.model.network.Explanation;
import dev.cove.model.network.GroupMembership;
import dev.cove.model.network.InsideAddresses;
import dev.cove.model.network.LoggedDecision;
import dev.cove.model.network.NetworkLimits;
import dev.cove.model.network.NetworkPolicy;
import dev.cove.model.network.NetworkRule;
import dev.cove.model.network.Question;
import dev.cove.model.network.Verdict;
import dev.cove.model.network.Verdict.Outcome;
import dev.cove.model.secret.SecretBinding;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/** The way out of one sandbox, until it is closed. */
public final class SandboxNetwork implements AutoCloseable {
  private static final Destination NAME_SERVER =
      Destination.of(InsideAddresses.GATEWAY, InsideAddresses.DNS_PORT);
  private static final Verdict TOO_MANY_QUERIES = new Verdict(Outcome.DENIED, "limit name queries");

  private final SandboxId id;
  private final Gateway gateway;
  private final NameTable names;
  private final Decider decider;
  private final Questions questions;
  private final Grants grants;
  private final Dialer dialer;
  private final Connections connections;
  private final RateLimit newConnections;
  private final RateLimit nameQueries;
  private final ByteBudget bytes;
  private final Semaphore visits;
  private final Peers peers;
  private final Journal journal;
  private final NameServer nameServer;
  private final NameListener nameListener;
  private final Intake intake;
  private volatile ProjectName project;
  private volatile List<SecretBinding> secrets = List.of();

  SandboxNetwork(
      SandboxId id,
      NetworkSockets sockets,
      ProjectName project,
      NetworkPolicy policy,
      Gateway gateway,
      NameTable names) {
    this.id = id;
    this.project = project;
    this.gateway = gateway;
    this.names = names;
    GatewayLimits limits = gateway.settings().limits();
    peers = new Peers(gateway.groups());
    visits = new Semaphore(limits.visits());
    decider = new Decider(gateway.guard(), gateway.settings().floor(), peers, policy);
    questions =
        new Questions(
            limits.waiting(), limits.answer(), question -> gateway.owner().asked(id, question));
    grants = new Grants(decider, questions);
    dialer = new Dialer(gateway.resolver(), decider, limits.dial());
    connections = new Connections(limits.connections());
    newConnections = twiceAtOnce(limits.newConnections());
    nameQueries = twiceAtOnce(limits.nameQueries());
    bytes = new ByteBudget(limits.bytesPerHour());
    journal = new Journal(bytes, gateway.toll(id), gateway.day(project));
    nameServer =
        new NameServer(
            names,
            gateway.resolver(),
            nameQueries,
            decider::best,
            name -> peers.find(new Named(name)).isPresent(),
            () -> journal.denied(NAME_SERVER, TOO_MANY_QUERIES));
    nameListener = new NameListener(sockets.names(), nameServer);
    var services =
        new Services(
            id,
            decider,
            grants,
            dialer,
            new Relay(gateway.buffers(), gateway.lanes()),
            gateway.interception(),
            this::secretsAt,
            limits.head());
    intake =
        new Intake(
            sockets.connections(),
            gateway.asked(),
            names,
            nameListener,
            connections,
            newConnections,
            journal,
            services);
  }

  private static RateLimit twiceAtOnce(int perSecond) {
    return new RateLimit(perSecond, 2 * perSecond);
  }

  void start() {
    nameListener.start();
    intake.start();
  }

  ProjectName project() {
    return project;
  }

  /** Whose it is from now on, who was nobody's before. */
  public void belong(ProjectName owner) {
    project = owner;
    journal.charge(gateway.day(owner));
  }

  /** Cuts everything, since nothing is left of what the project may send and receive today. */
  void cutSpent(Verdict why) {
    connections.cutIf(connection -> {
      connection.right().ifPresent(right -> journal.denied(right.destination(), why));
      return true;
    });
  }

  public NetworkPolicy policy() {
    return decider.policy();
  }

  /** From now on; connections that it does not allow are cut before this returns. */
  public void change(NetworkPolicy policy) {
    decider.change(policy);
    reconsider();
  }

  /** From now on: of what is open, as much stays as there is. */
  public void limit(NetworkLimits wanted) {
    NetworkLimits limits = wanted.within(gateway.most());
    connections.change(limits.connections());
    newConnections.change(limits.newConnections(), 2 * limits.newConnections());
    nameQueries.change(limits.nameQueries(), 2 * limits.nameQueries());
    bytes.change(limits.bytesPerHour());
  }

  /**
   * Lets the sandbox reach those of its group, and them reach it, in place of those before;
   * connections that are no longer within a group are cut before this returns.
   */
  public void join(GroupMembership membership, Entrance entrance) {
    peers.join(
        new Member(id, membership, membership.allHosts(id), entrance, visits, this::reconsider));
    reconsider();
  }

  /** Ends what {@link #join} began. */
  public void leave() {
    peers.leave();
    reconsider();
  }

  /**
   * Which secrets go out from the next request on. Connections into which nobody looked, to hosts
   * that one is bound to now, are cut: the programs come again, and then it goes with them.
   */
  public void bind(List<SecretBinding> bindings) {
    secrets = List.copyOf(bindings);
    connections.cutIf(connection ->
        connection
            .right()
            .filter(right -> !right.byRequest() && !secretsAt(right.destination()).isEmpty())
            .isPresent());
  }

  private List<SecretBinding> secretsAt(Destination destination) {
    return secrets.stream().filter(binding -> binding.concerns(destination)).toList();
  }

  /** Cuts what is not allowed any more, and lets those decide anew who wait for an answer. */
  private void reconsider() {
    connections.cutIf(connection -> !grants.stillHold(connection));
    questions.reconsider(destination -> decider.decide(destination).outcome() == Outcome.ASK);
  }

  /** The last decisions, oldest first. */
  public List<LoggedDecision> log() {
    return journal.log();
  }

  /** What would become of a connection now. A name that may be reached is looked up for it. */
  public Explanation explain(Destination destination) throws InterruptedException {
    Optional<Verdict> absolute = decider.absolute(destination);
    if (absolute.isPresent()) {
      return new Explanation(absolute.get(), true, Optional.empty());
    }
    Verdict verdict = decider.decide(destination);
    Optional<Verdict> spent = journal.spentToday();
    if (!verdict.denied() && spent.isPresent()) {
      return new Explanation(spent.get(), false, Optional.empty());
    }
    if (!verdict.denied()
        && decider.peer(destination).isEmpty()
        && dialer.check(destination) instanceof Checked.Forbidden(Verdict forbidden)) {
      return new Explanation(forbidden, forbidden.rule().startsWith("never"), Optional.empty());
    }
    return new Explanation(verdict, false, decider.remedy(destination));
  }

  /** What waits for the owner. */
  public List<Question> asked() {
    return questions.asked();
  }

  /**
   * Lets the connections go on that wait for it, or refuses them.
   *
   * @return whether the question was still open
   */
  public boolean answer(String questionId, Answer answer) {
    Optional<Destination> destination = questions.answer(questionId, answer);
    if (destination.isPresent() && answer == Answer.ALWAYS) {
      gateway.owner().always(id, NetworkRule.of(destination.get().toString()));
    }
    return destination.isPresent();
  }

  /** Whether there is an owner who could answer; else questions are denied at once. */
  public void attend(boolean attended) {
    questions.attend(attended);
  }

  public NetworkCounters counters() {
    return new NetworkCounters(
        connections.size(),
        journal.connections(),
        journal.denied(),
        journal.bytesSent(),
        journal.bytesReceived(),
        nameServer.asked(),
        nameServer.refused(),
        journal.faults());
  }

  /** Bytes in both directions; cheap. */
  public long bytes() {
    return journal.bytesSent() + journal.bytesReceived();
  }

  void cutIdle(long nanos) {
    connections.cutIf(connection -> connection.idleNanos() > nanos);
  }

  /** Cuts everything; what is remembered of names stays. */
  @Override
  public void close() throws IOException {
    gateway.detach(id, this);
    try (names;
        nameListener;
        intake) {
      peers.leave();
      questions.close();
      connections.close();
    }
  }
}
