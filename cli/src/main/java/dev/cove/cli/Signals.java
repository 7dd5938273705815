package dev.cove.cli;

import java.util.ArrayList;
import java.util.List;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/**
 * Signals to this process while a command runs; closing puts the former handlers back.
 *
 * <p>sun.misc.Signal is in jdk.unsupported, the JDK's place for internals that have no successor.
 */
final class Signals implements AutoCloseable {
  private record Former(Signal signal, SignalHandler handler) {}

  private final List<Former> formers = new ArrayList<>();

  /** Calls back on a thread of its own. */
  Signals on(String name, Runnable reaction) {
    var signal = new Signal(name);
    formers.add(new Former(signal, Signal.handle(signal, _ -> reaction.run())));
    return this;
  }

  static int numberOf(String name) {
    return new Signal(name).getNumber();
  }

  @Override
  public void close() {
    formers.forEach(former -> Signal.handle(former.signal, former.handler));
    formers.clear();
  }
}
