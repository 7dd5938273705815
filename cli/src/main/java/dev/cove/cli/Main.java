package dev.cove.cli;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.nio.file.Path;
import java.util.Optional;

/** Where the launcher comes in. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    int code = new CommandLineFrame(session()).run(args);
    // Not a return: a thread that waits for input must not keep us. Not System.exit: that sets up
    // the JDK's logging first. Nothing is buffered, and raw mode has ended with its command.
    Runtime.getRuntime().halt(code);
  }

  static Session session() {
    return new Session(
        System.getenv(),
        new FileInputStream(FileDescriptor.in),
        new FileOutputStream(FileDescriptor.out),
        new FileOutputStream(FileDescriptor.err),
        ProcessTerminal.ofProperty(System.getProperty("cove.tty", "")),
        Optional.ofNullable(System.getProperty("cove.launcher")).map(Path::of));
  }
}
