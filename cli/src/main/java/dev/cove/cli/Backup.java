package dev.cove.cli;

import dev.cove.sdk.BackupOptions;
import dev.cove.sdk.Cove;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

final class Backup implements Callable<Integer> {
  private static final long TELL_EVERY = 64L << 20;

  private final Session session;

  private String file = "";
  private BackupOptions options = BackupOptions.defaults();

  private Backup(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var backup = new Backup(session);
    return Description.of(backup, "Write all of the server to a file, while everything goes on.")
        .flag(
            "--with-keys",
            "Also the keys that open the secrets: the file is then as secret as they are.",
            () -> backup.options = backup.options.withKeys())
        .flag(
            "--no-sandboxes",
            "Without the sandboxes; their checkpoints are in it.",
            () -> backup.options = backup.options.withoutSandboxes())
        .flag(
            "--only-ledger",
            "Nothing that has files: projects, keys, webhooks, usage, events and secrets alone.",
            () -> backup.options = backup.options.onlyLedger())
        .parameter("FILE", "The file, for its owner alone; '-' for stdout.", v -> backup.file = v)
        .examples(
            "cove backup /backup/cove-$(date +%F)", "cove backup --with-keys - | age -r KEY > FILE")
        .note(
            "'cove restore-backup FILE' makes a server of it again, in which what ran is stopped."
                + " Without --with-keys, keep a copy of the file secrets/vault.key elsewhere:"
                + " nothing else opens the secrets.")
        .build();
  }

  @Override
  public Integer call() {
    try (Cove cove = session.connect()) {
      Optional<String> target = file.equals("-") ? Optional.empty() : Optional.of(file);
      new FileOutput(session)
          .writePrivate(target, out -> cove.moves().backup(options, telling(out)));
    }
    return ExitCode.OK;
  }

  private OutputStream telling(OutputStream out) {
    return session.terminal().isOutput() ? new Telling(out) : out;
  }

  /** Says now and then how far it is. */
  private final class Telling extends FilterOutputStream {
    private long written;
    private long told;

    Telling(OutputStream out) {
      super(out);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      out.write(bytes, offset, length);
      written += length;
      if (written - told >= TELL_EVERY) {
        told = written;
        session.note(Human.bytes(written) + " so far");
      }
    }
  }
}
