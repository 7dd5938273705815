package dev.cove.edge;

import dev.cove.guest.Command;
import dev.cove.guest.CommandSpec;
import dev.cove.guest.Guest;
import dev.cove.guest.GuestFiles;
import dev.cove.guest.GuestMetrics;
import dev.cove.guest.ProcessInfo;
import dev.cove.guest.TcpStream;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The real link, except that the sandbox's default user is whoever runs the tests. */
final class LocalGuest implements Guest {
  private final Guest link;

  LocalGuest(Guest link) {
    this.link = link;
  }

  private static String local(String user) {
    return user.equals(CommandSpec.DEFAULT_USER) ? System.getProperty("user.name") : user;
  }

  @Override
  public Command start(CommandSpec spec) {
    return link.start(
        new CommandSpec(
            spec.argv(),
            spec.env(),
            spec.cwd(),
            local(spec.user()),
            spec.stdin(),
            spec.terminal(),
            spec.timeout(),
            spec.keep()));
  }

  @Override
  public Command attach(long processId) {
    return link.attach(processId);
  }

  @Override
  public List<ProcessInfo> processes() {
    return link.processes();
  }

  @Override
  public void signal(long processId, int signal, boolean group) {
    link.signal(processId, signal, group);
  }

  @Override
  public void forget(long processId) {
    link.forget(processId);
  }

  @Override
  public GuestFiles files(String user) {
    return link.files(local(user));
  }

  @Override
  public TcpStream connect(int port) {
    return link.connect(port);
  }

  @Override
  public GuestMetrics metrics() {
    return link.metrics();
  }

  @Override
  public CompletableFuture<Void> closed() {
    return link.closed();
  }
}
