package dev.cove.edge.process;

import dev.cove.edge.exec.Signals;
import dev.cove.edge.http.Fields;
import dev.cove.edge.http.Json;
import dev.cove.edge.http.Text;
import dev.cove.guest.CommandSpec.TerminalSize;
import org.jspecify.annotations.Nullable;

/** What a client may say in text to a command that it is attached to. */
sealed interface ClientMessage {
  record StdinEnd() implements ClientMessage {}

  record Resize(TerminalSize size) implements ClientMessage {}

  record Signal(int number) implements ClientMessage {}

  static ClientMessage parse(String text) {
    Wire wire = Json.read(text, Wire.class);
    String type = Fields.require("type", wire.type());
    return switch (type) {
      case "stdin-end" -> new StdinEnd();
      case "resize" ->
          new Resize(
              new TerminalSize(
                  Fields.require("rows", wire.rows()), Fields.require("cols", wire.cols())));
      case "signal" -> new Signal(Signals.require(Fields.require("signal", wire.signal())));
      default -> throw new IllegalArgumentException("Unknown message type " + Text.quote(type));
    };
  }

  /** All fields of all messages; which of them are needed depends on the type. */
  record Wire(
      @Nullable String type,
      @Nullable Integer rows,
      @Nullable Integer cols,
      @Nullable Object signal) {}
}
