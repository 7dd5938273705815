package dev.cove.cli;

import dev.cove.cli.review.Board;
import dev.cove.cli.review.Key;
import dev.cove.cli.review.Screen;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** A board on the terminal that we were started in, which is as before when it ends. */
final class ReviewTerminal {
  private static final Terminal.Size USUAL = new Terminal.Size(24, 80);

  /** The other screen, no cursor, and lines that end at the edge. */
  private static final String BEGIN = "\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[2J";

  private static final String END = "\u001b[?7h\u001b[?25h\u001b[?1049l";

  private final Session session;
  private final Board board;
  private final Screen screen;

  ReviewTerminal(Session session, Board board) {
    this.session = session;
    this.board = board;
    this.screen = new Screen(Escapes::visibleLine, session.colours());
  }

  /**
   * Until somebody leaves it.
   *
   * @param decided called after each decision
   * @return whether what is taken is to be applied
   */
  boolean run(Runnable decided) {
    try (Terminal.Mode mode = session.terminal().enterRawMode();
        Signals _ =
            new Signals()
                .on("WINCH", this::draw)
                .on("TERM", () -> end(mode, "TERM"))
                .on("HUP", () -> end(mode, "HUP"))) {
      session.print(BEGIN);
      try {
        return follow(decided);
      } finally {
        session.print(END);
      }
    }
  }

  private void end(Terminal.Mode mode, String signal) {
    session.print(END);
    mode.close();
    Runtime.getRuntime().halt(ExitCode.SIGNAL + Signals.numberOf(signal));
  }

  private boolean follow(Runnable decided) {
    while (true) {
      draw();
      Optional<Key> key = key();
      if (key.isEmpty()) {
        return false;
      }
      Board.Outcome outcome;
      synchronized (this) {
        outcome = board.press(key.get(), Screen.page(size().rows()));
      }
      switch (outcome) {
        case GOES_ON -> {}
        case DECIDED -> decided.run();
        case APPLY -> {
          return true;
        }
        case QUIT -> {
          return false;
        }
      }
    }
  }

  private Optional<Key> key() {
    try {
      return Key.read(session.in());
    } catch (IOException e) {
      return Optional.empty(); // the terminal is gone
    }
  }

  /** Also called when the window changes its size, on another thread. */
  private synchronized void draw() {
    Terminal.Size size = size();
    List<String> lines = screen.draw(board, size.rows(), size.cols());
    var text = new StringBuilder("\u001b[H");
    text.append(String.join("\r\n", lines)).append("\u001b[J");
    try {
      session.out().write(text.toString().getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      // The terminal is gone, which the next key tells as well.
    }
  }

  private Terminal.Size size() {
    return session.terminal().findSize().orElse(USUAL);
  }
}
