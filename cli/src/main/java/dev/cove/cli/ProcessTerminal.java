package dev.cove.cli;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;

/**
 * The terminal on this process's descriptors 0 and 1.
 *
 * <p>The launcher has looked already which descriptors are terminals and says so in a property: the
 * shell's test is free, while linking isatty here would cost milliseconds that most verbs need not
 * pay.
 */
final class ProcessTerminal implements Terminal {
  private static final int STDIN = 0;
  private static final int STDOUT = 1;

  private final boolean input;
  private final boolean output;

  private ProcessTerminal(boolean input, boolean output) {
    this.input = input;
    this.output = output;
  }

  /** The property holds a 0 or 1 for each of descriptors 0 and 1, such as {@code 10}. */
  static ProcessTerminal ofProperty(String property) {
    if (property.length() == 2) {
      return new ProcessTerminal(property.charAt(0) == '1', property.charAt(1) == '1');
    }
    return new ProcessTerminal(TerminalCalls.isTerminal(STDIN), TerminalCalls.isTerminal(STDOUT));
  }

  @Override
  public boolean isInput() {
    return input;
  }

  @Override
  public boolean isOutput() {
    return output;
  }

  @Override
  public Optional<Size> findSize() {
    if (output) {
      return TerminalCalls.findSize(STDOUT);
    }
    return input ? TerminalCalls.findSize(STDIN) : Optional.empty();
  }

  @Override
  public Mode enterRawMode() {
    return enter(TerminalCalls::raw);
  }

  @Override
  public Mode hideInput() {
    return enter(TerminalCalls::withoutEcho);
  }

  private static Mode enter(UnaryOperator<TerminalCalls.Attributes> change) {
    TerminalCalls.Attributes before = TerminalCalls.attributes(STDIN);
    var restored = new AtomicBoolean();
    Mode restore =
        () -> {
          if (restored.compareAndSet(false, true)) {
            TerminalCalls.setAttributes(STDIN, before);
          }
        };
    // Runs on System.exit and on every signal that the JVM can catch.
    Runtime.getRuntime().addShutdownHook(new Thread(restore::close, "restore-terminal"));
    TerminalCalls.setAttributes(STDIN, change.apply(before));
    return restore;
  }
}
