package dev.cove.edge.exec;

import dev.cove.edge.http.ClientPresence;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Json;
import dev.cove.guest.Command;
import dev.cove.guest.CommandExit;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import tools.jackson.core.JsonGenerator;

/** Collects a command's output and answers once, at its end. */
final class ExecReply {
  /**
   * Many commands end sooner, and then no further thread is needed. One that prints more than fits
   * on the way is held back for this long, once.
   */
  private static final Duration INSTANT = Duration.ofMillis(4);

  /** Most commands end sooner, and then nobody needs to watch the client. */
  private static final Duration SHORT = Duration.ofMillis(50);

  private static final int SMALL = 64 * 1024;

  private final Exchange exchange;
  private final RunningCommand running;
  private final Encoding encoding;
  private final CollectedOutput stdout;
  private final CollectedOutput stderr;

  ExecReply(Exchange exchange, Command command, Encoding encoding, OutputBudget budget) {
    this.exchange = exchange;
    this.encoding = encoding;
    this.stdout = new CollectedOutput(budget);
    this.stderr = new CollectedOutput(budget);
    this.running = new RunningCommand(command, stdout, stderr);
  }

  void run(Optional<byte[]> input, OomWatch oom) throws IOException, InterruptedException {
    try {
      input.ifPresent(running::feed);
      CommandExit exit = awaitExitAndOutput();
      stdout.seal();
      stderr.seal();
      answer(ExitBody.of(exit, oom.killed(exit)));
    } finally {
      stdout.release();
      stderr.release();
    }
  }

  private CommandExit awaitExitAndOutput() throws IOException, InterruptedException {
    Optional<CommandExit> exit = running.await(INSTANT);
    if (exit.isPresent()) {
      running.readAfterExit();
      return exit.get();
    }
    running.start();
    exit = running.await(SHORT);
    if (exit.isPresent()) {
      running.awaitOutput();
      return exit.get();
    }
    try (ClientPresence _ = exchange.watchClient(running::clientGone)) {
      CommandExit late = running.await();
      running.awaitOutput();
      return late;
    }
  }

  private void answer(ExitBody exit) throws IOException {
    if (stdout.size() + stderr.size() <= SMALL) {
      var bytes = new ByteArrayOutputStream(512 + stdout.size() + stderr.size());
      write(exit, bytes);
      exchange.send(200, "application/json", bytes.toByteArray());
    } else {
      OutputStream out = exchange.stream(200, "application/json", OptionalLong.empty());
      // Whoever reads too slowly would keep memory from the others.
      var paced = exchange.paced(out);
      write(exit, new BufferedOutputStream(paced, SMALL));
    }
  }

  private void write(ExitBody exit, OutputStream out) throws IOException {
    // Not closed: the exchange ends the stream, and only when all of this went well.
    JsonGenerator json = Json.generator(out);
    json.writeStartObject();
    json.writeNumberProperty("exitCode", exit.exitCode());
    exit.signal().ifPresent(signal -> json.writeStringProperty("signal", signal));
    json.writeBooleanProperty("timedOut", exit.timedOut());
    json.writeBooleanProperty("oomKilled", exit.oomKilled());
    writeOutput(json, "stdout", stdout);
    writeOutput(json, "stderr", stderr);
    json.writeBooleanProperty("stdoutTruncated", stdout.truncated());
    json.writeBooleanProperty("stderrTruncated", stderr.truncated());
    json.writeNumberProperty("durationMs", exit.durationMs());
    json.writeEndObject();
    json.flush();
    out.flush();
  }

  private void writeOutput(JsonGenerator json, String name, CollectedOutput output) {
    json.writeName(name);
    switch (encoding) {
      case UTF8 ->
          json.writeString(new InputStreamReader(output.bytes(), StandardCharsets.UTF_8), -1);
      case BASE64 -> json.writeBinary(output.bytes(), output.size());
    }
  }
}
