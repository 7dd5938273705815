package dev.cove.edge.code;

import dev.cove.control.sandbox.AutomaticCheckpoints;
import dev.cove.control.sandbox.Sandbox;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.edge.http.ClientPresence;
import dev.cove.edge.http.EventStream;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Json;
import dev.cove.edge.http.Problem;
import dev.cove.edge.http.Pulse;
import dev.cove.edge.http.Route;
import dev.cove.edge.port.InsideReply;
import dev.cove.edge.sandbox.SandboxRoutes;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Runs code in contexts, and tells what came of it, at its end or as it goes. */
public final class CodeRoutes {
  private static final String RUN = SandboxRoutes.ONE + "/code";
  private static final String CONTEXTS = RUN + "/contexts";
  private static final String CONTEXT = CONTEXTS + "/{context}";

  /** Whoever expects more of one cell takes it as it comes. */
  private static final int MAX_COLLECTED = 32 * 1024 * 1024;

  private static final int MAX_REFUSAL = 2_000;
  private static final int MAX_LIST = 1024 * 1024;
  private static final Pattern ID = Pattern.compile("[0-9a-f-]{1,64}");
  private static final byte[] NOTHING = new byte[0];

  private final SandboxLifecycle lifecycle;
  private final AutomaticCheckpoints automatic;
  private final CodeInterpreter interpreter;

  public CodeRoutes(
      SandboxLifecycle lifecycle, AutomaticCheckpoints automatic, CodeInterpreter interpreter) {
    this.lifecycle = lifecycle;
    this.automatic = automatic;
    this.interpreter = interpreter;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("POST", RUN, this::run),
        Route.of("GET", CONTEXTS, this::list),
        Route.of("POST", CONTEXTS, this::create),
        Route.of("DELETE", CONTEXT, this::remove),
        Route.of("POST", CONTEXT + "/restart", this::restart));
  }

  private Sandbox sandbox(Exchange exchange) {
    return lifecycle.awake(exchange.path("box"));
  }

  private void run(Exchange exchange) throws IOException {
    byte[] body = exchange.json(CodeBody.class).inside();
    Sandbox sandbox = sandbox(exchange);
    automatic.beforeCommand(sandbox, List.of("code"));
    try (InsideReply reply = interpreter.ask(sandbox, "POST", "/execute", body)) {
      requireWell(reply);
      var events = new CodeEvent.Reader(reply.body());
      if (exchange.accepts("text/event-stream")) {
        stream(exchange, events, reply);
      } else {
        exchange.send(200, collectWatched(exchange, events, reply));
      }
    }
  }

  /** Whoever leaves wants no answer, and what ran for him is interrupted. */
  private static Collected collectWatched(
      Exchange exchange, CodeEvent.Reader events, InsideReply reply) {
    try (ClientPresence _ = exchange.watchClient(reply::close)) {
      return collect(events);
    }
  }

  private static void stream(Exchange exchange, CodeEvent.Reader events, InsideReply reply)
      throws IOException {
    EventStream out = exchange.events();
    try (ClientPresence _ = exchange.watchClient(reply::close);
        Pulse.Beside _ = exchange.pulse(out).beside(_ -> reply.close())) {
      for (var event = next(events); ; event = next(events)) {
        switch (event.type()) {
          case "number_of_executions" -> out.send("start", new Started(event.executionCount()));
          case "stdout", "stderr" -> out.send(event.type(), new Data(event.text("text")));
          case "result" -> out.send("result", event.result());
          case "error" -> out.send("exception", event.failure());
          case "end_of_execution" -> {
            out.send("end", Map.of());
            return;
          }
          default -> {
            // signs of life, for which there is the pulse
          }
        }
      }
    } catch (CoveException e) {
      out.send("error", Problem.of(e, "code events"));
    }
  }

  private static CodeEvent next(CodeEvent.Reader events) {
    try {
      return events.next().orElseThrow(() -> new IOException("It ended too early"));
    } catch (IOException e) {
      throw CodeInterpreter.broken(e);
    }
  }

  private static Collected collect(CodeEvent.Reader events) {
    int count = 0;
    long size = 0;
    var stdout = new StringBuilder();
    var stderr = new StringBuilder();
    var results = new ArrayList<ObjectNode>();
    Optional<CodeEvent.Failure> failure = Optional.empty();
    while (true) {
      CodeEvent event = next(events);
      switch (event.type()) {
        case "number_of_executions" -> count = event.executionCount();
        case "stdout" -> stdout.append(event.text("text"));
        case "stderr" -> stderr.append(event.text("text"));
        case "result" -> {
          ObjectNode result = event.result();
          size += result.toString().length();
          results.add(result);
        }
        case "error" -> failure = Optional.of(event.failure());
        case "end_of_execution" -> {
          return new Collected(count, stdout.toString(), stderr.toString(), results, failure);
        }
        default -> {
          // signs of life
        }
      }
      if (size + stdout.length() + stderr.length() > MAX_COLLECTED) {
        throw new CoveException(
            ErrorCode.TOO_LARGE,
            "The code gives more than %d characters; ask for text/event-stream to have them as they come."
                .formatted(MAX_COLLECTED));
      }
    }
  }

  private void list(Exchange exchange) {
    exchange.send(
        200, new ContextList(List.of(contexts(call(exchange, "GET", "/contexts", NOTHING)))));
  }

  private void create(Exchange exchange) throws IOException {
    ContextWish wish = exchange.json(ContextWish.class);
    var told = new LinkedHashMap<String, String>();
    if (wish.language() != null) {
      told.put("language", wish.language());
    }
    if (wish.cwd() != null) {
      told.put("cwd", wish.cwd());
    }
    byte[] answer = call(exchange, "POST", "/contexts", Json.write(told));
    exchange.send(201, Json.readLoosely(answer, Context.class));
  }

  private static Context[] contexts(byte[] answer) {
    return Json.readLoosely(answer, Context[].class);
  }

  private void remove(Exchange exchange) {
    call(exchange, "DELETE", pathOf(exchange), NOTHING);
    exchange.sendNothing(204);
  }

  private void restart(Exchange exchange) {
    call(exchange, "POST", pathOf(exchange) + "/restart", NOTHING);
    exchange.sendNothing(204);
  }

  private static String pathOf(Exchange exchange) {
    String id = exchange.path("context");
    if (!ID.matcher(id).matches()) {
      throw new CoveException(ErrorCode.NOT_FOUND, "There is no such context.");
    }
    return "/contexts/" + id;
  }

  private byte[] call(Exchange exchange, String method, String path, byte[] body) {
    try (InsideReply reply = interpreter.ask(sandbox(exchange), method, path, body)) {
      requireWell(reply);
      return reply.body().readNBytes(MAX_LIST);
    } catch (IOException e) {
      throw CodeInterpreter.broken(e);
    }
  }

  private static void requireWell(InsideReply reply) {
    if (reply.status() / 100 == 2) {
      return;
    }
    String why;
    try {
      why = new String(reply.body().readNBytes(MAX_REFUSAL), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw CodeInterpreter.broken(e);
    }
    throw new CoveException(
        switch (reply.status()) {
          case 400 -> ErrorCode.INVALID_REQUEST;
          case 404 -> ErrorCode.NOT_FOUND;
          case 413 -> ErrorCode.TOO_LARGE;
          case 429 -> ErrorCode.TOO_MANY_REQUESTS;
          default -> ErrorCode.UNAVAILABLE;
        },
        why + ".");
  }

  record Started(int executionCount) {}

  record Data(String data) {}

  record Collected(
      int executionCount,
      String stdout,
      String stderr,
      List<ObjectNode> results,
      Optional<CodeEvent.Failure> exception) {}

  record ContextWish(@Nullable String language, @Nullable String cwd) {}

  record Context(String id, String language, String cwd) {}

  record ContextList(List<Context> items) {}
}
