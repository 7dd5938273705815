package dev.cove.server;

import dev.cove.control.ledger.LedgerUnusableException;
import dev.cove.model.CoveException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * {@code cove restore-backup}: exit code 0 when the home is the one of the backup, 1 when nothing
 * was changed, 2 when it was asked for something that makes no sense.
 */
public final class RestoreMain {
  private RestoreMain() {}

  public static void main(String[] arguments) {
    System.exit(run(List.of(arguments), System.getenv(), System.out, System.err));
  }

  static int run(
      List<String> arguments, Map<String, String> environment, PrintStream out, PrintStream err) {
    var rest = new ArrayList<>(arguments);
    boolean replace = rest.remove("--replace");
    List<String> files =
        rest.isEmpty() || rest.getLast().startsWith("--") ? List.of() : List.of(rest.removeLast());
    ServerConfig config;
    try {
      config = ServerConfig.read(rest, environment);
    } catch (ConfigException e) {
      e.faults().forEach(fault -> err.println("cove restore-backup: " + fault + "."));
      return 2;
    }
    if (files.isEmpty() || !Files.isRegularFile(Path.of(files.getFirst()))) {
      err.println("cove restore-backup: Name the file that 'cove backup' wrote.");
      return 2;
    }
    try {
      new BackupRestore(config.home(), out).run(Path.of(files.getFirst()), replace);
      return 0;
    } catch (StartException | LedgerUnusableException | CoveException e) {
      err.println("cove restore-backup: " + e.getMessage());
    } catch (IOException e) {
      err.println("cove restore-backup: Nothing was changed: " + e);
    }
    return 1;
  }
}
