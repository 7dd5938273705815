package dev.cove.edge.exec;

import dev.cove.edge.http.ClientPresence;
import dev.cove.edge.http.EventStream;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Problem;
import dev.cove.edge.http.Pulse;
import dev.cove.guest.Command;
import dev.cove.guest.CommandExit;
import dev.cove.model.CoveException;
import java.io.IOException;
import java.util.Optional;

/** Passes a command's output on as server-sent events. */
final class ExecEvents {
  private final Exchange exchange;
  private final Command command;
  private final Encoding encoding;

  ExecEvents(Exchange exchange, Command command, Encoding encoding) {
    this.exchange = exchange;
    this.command = command;
    this.encoding = encoding;
  }

  void run(Optional<byte[]> input, OomWatch oom) throws IOException, InterruptedException {
    EventStream events = exchange.events();
    events.send("start", new Started(command.processId(), command.pid()));
    var running =
        new RunningCommand(
            command,
            new EventSink(events, "stdout", encoding),
            new EventSink(events, "stderr", encoding));
    input.ifPresent(running::feed);
    try (ClientPresence _ = exchange.watchClient(running::clientGone)) {
      running.start();
      CommandExit exit = awaitExit(running, events);
      running.awaitOutput();
      events.send("exit", ExitBody.of(exit, oom.killed(exit)));
    } catch (CoveException e) {
      events.send("error", Problem.of(e, "exec events"));
    }
  }

  private CommandExit awaitExit(RunningCommand running, EventStream events)
      throws IOException, InterruptedException {
    Pulse pulse = exchange.pulse(events);
    while (true) {
      Optional<CommandExit> exit = running.await(exchange.limits().tick());
      if (exit.isPresent()) {
        return exit.get();
      }
      pulse.beat();
    }
  }

  record Started(long processId, int pid) {}

  record Data(String data) {}

  /** Turns one stream into events. */
  private static final class EventSink implements OutputReader.Sink {
    private final EventStream events;
    private final String event;
    private final TextPieces pieces;

    EventSink(EventStream events, String event, Encoding encoding) {
      this.events = events;
      this.event = event;
      this.pieces = new TextPieces(encoding);
    }

    @Override
    public void accept(byte[] bytes, int length) throws IOException {
      send(pieces.next(bytes, length));
    }

    @Override
    public void end() throws IOException {
      send(pieces.rest());
    }

    private void send(String text) throws IOException {
      if (!text.isEmpty()) {
        events.send(event, new Data(text));
      }
    }
  }
}
