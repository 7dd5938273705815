package dev.cove.edge.template;

import dev.cove.control.build.BuildLog;
import dev.cove.control.build.Cancellation;
import dev.cove.edge.http.EventStream;
import java.io.IOException;

/** Passes a build's news on to whoever asked for it; ends the build when nobody hears them. */
final class BuildEvents implements BuildLog {
  private final EventStream events;
  private final Cancellation cancellation;

  BuildEvents(EventStream events, Cancellation cancellation) {
    this.events = events;
    this.cancellation = cancellation;
  }

  @Override
  public void step(Progress progress) {
    send("step", progress);
  }

  @Override
  public void output(String text) {
    send("output", new Output(text));
  }

  private void send(String event, Object data) {
    try {
      events.send(event, data);
    } catch (IOException _) {
      cancellation.cancel("the caller went away");
    }
  }

  record Output(String text) {}
}
