package dev.cove.edge.network;

import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Fields;
import dev.cove.edge.http.Route;
import dev.cove.edge.sandbox.SandboxRoutes;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.SandboxId;
import dev.cove.model.network.Answer;
import dev.cove.model.network.Destination;
import dev.cove.model.network.Explanation;
import dev.cove.model.network.LoggedDecision;
import dev.cove.model.network.NetworkPolicy;
import dev.cove.model.network.NetworkRule;
import dev.cove.model.network.NetworkSettings;
import dev.cove.model.network.Question;
import dev.cove.node.NodeNetworks;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a sandbox may reach, what it tried, and what it asks for. */
public final class NetworkRoutes {
  private static final String NETWORK = SandboxRoutes.ONE + "/network";
  private static final int MAX_LINES = 1_000;

  private final SandboxLifecycle lifecycle;
  private final NodeNetworks networks;

  public NetworkRoutes(SandboxLifecycle lifecycle, NodeNetworks networks) {
    this.lifecycle = lifecycle;
    this.networks = networks;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("GET", NETWORK, this::show),
        Route.of("PUT", NETWORK, this::replace),
        Route.of("POST", NETWORK + "/rules", this::add),
        Route.of("GET", NETWORK + "/log", this::log).query("limit"),
        Route.of("GET", NETWORK + "/explain", this::explain).query("destination"),
        Route.of("GET", NETWORK + "/questions", this::questions),
        Route.of("POST", NETWORK + "/questions/{question}", this::answer));
  }

  private SandboxId sandbox(Exchange exchange) {
    return lifecycle.require(exchange.path("box")).id();
  }

  private void show(Exchange exchange) {
    send(exchange, lifecycle.require(exchange.path("box")).spec().network());
  }

  private static void send(Exchange exchange, NetworkSettings settings) {
    exchange.send(200, NetworkBody.Shown.of(settings));
  }

  private void replace(Exchange exchange) throws IOException {
    NetworkSettings wanted = exchange.json(NetworkBody.class).toSettings();
    send(
        exchange,
        lifecycle
            .changeNetwork(
                exchange.path("box"), now -> wanted.in(now.membership()).with(now.secrets()))
            .spec()
            .network());
  }

  private void add(Exchange exchange) throws IOException {
    RulesBody body = exchange.json(RulesBody.class);
    List<NetworkRule> allow = NetworkBody.rulesOf("allow", body.allow());
    List<NetworkRule> deny = NetworkBody.rulesOf("deny", body.deny());
    send(
        exchange,
        lifecycle
            .changeNetwork(exchange.path("box"), now -> now.with(with(now.policy(), allow, deny)))
            .spec()
            .network());
  }

  private static NetworkPolicy with(
      NetworkPolicy policy, List<NetworkRule> allow, List<NetworkRule> deny) {
    NetworkPolicy now = policy;
    for (NetworkRule rule : allow) {
      now = now.alsoAllowing(rule);
    }
    for (NetworkRule rule : deny) {
      now = now.alsoDenying(rule);
    }
    return now;
  }

  private void log(Exchange exchange) {
    int limit = (int) exchange.query().number("limit", 100, 1, MAX_LINES);
    List<LoggedDecision> all = networks.log(sandbox(exchange));
    List<LoggedDecision> last = all.subList(Math.max(0, all.size() - limit), all.size());
    exchange.send(200, new Listing<>(last.stream().map(LineBody::of).toList()));
  }

  private void explain(Exchange exchange) {
    String text =
        exchange
            .query()
            .find("destination")
            .orElseThrow(
                () -> new IllegalArgumentException("Query parameter destination is missing"));
    Destination destination = Destination.parse(text);
    Explanation explanation = networks.explain(sandbox(exchange), destination);
    exchange.send(
        200,
        new ExplanationBody(
            destination.toString(),
            outcome(explanation.verdict().outcome()),
            explanation.verdict().rule(),
            explanation.remedy().map(NetworkRule::toString)));
  }

  private void questions(Exchange exchange) {
    exchange.send(
        200,
        new Listing<>(
            networks.questions(sandbox(exchange)).stream().map(QuestionBody::of).toList()));
  }

  private void answer(Exchange exchange) throws IOException {
    String word = Fields.require("answer", exchange.json(AnswerBody.class).answer());
    Answer answer =
        Answer.find(word)
            .orElseThrow(
                () -> new IllegalArgumentException("answer must be once, session, always or no"));
    if (!networks.answer(sandbox(exchange), exchange.path("question"), answer)) {
      throw new CoveException(
          ErrorCode.NOT_FOUND, "That question is not open any more, or never was.");
    }
    exchange.sendNothing(204);
  }

  private static String outcome(Enum<?> outcome) {
    return outcome.name().toLowerCase(Locale.ROOT);
  }

  record RulesBody(@Nullable List<@Nullable String> allow, @Nullable List<@Nullable String> deny) {}

  record AnswerBody(@Nullable String answer) {}

  record Listing<T>(List<T> items) {}

  record ExplanationBody(
      String destination, String outcome, String rule, Optional<String> remedy) {}

  record QuestionBody(String id, String destination, Instant since, int waiting) {
    private static QuestionBody of(Question question) {
      return new QuestionBody(
          question.id(), question.destination().toString(), question.since(), question.waiting());
    }
  }

  record LineBody(
      Instant time,
      String destination,
      String dialled,
      String outcome,
      String rule,
      long count,
      long sentBytes,
      long receivedBytes,
      long durationMs) {
    private static LineBody of(LoggedDecision line) {
      return new LineBody(
          line.time(),
          line.destination().toString(),
          line.dialled(),
          NetworkRoutes.outcome(line.verdict().outcome()),
          line.verdict().rule(),
          line.count(),
          line.bytesSent(),
          line.bytesReceived(),
          line.duration().toMillis());
    }
  }
}
