package dev.cove.edge.system;

import dev.cove.control.backup.BackupWish;
import dev.cove.control.backup.Backups;
import dev.cove.edge.http.Exchange;
import dev.cove.edge.http.Route;
import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;

/** All of the server in one file. */
public final class BackupRoutes {
  private static final String MEDIA_TYPE = "application/vnd.cove.backup";

  private final Backups backups;

  public BackupRoutes(Backups backups) {
    this.backups = backups;
  }

  public List<Route> routes() {
    return List.of(
        Route.of("GET", "/api/v1/system/backup", this::backup)
            .query("keys", "sandboxes", "onlyLedger")
            .forOperators());
  }

  private void backup(Exchange exchange) throws IOException {
    var wish =
        new BackupWish(
            exchange.query().flag("keys", false),
            exchange.query().flag("sandboxes", true),
            exchange.query().flag("onlyLedger", false));
    backups.write(
        wish,
        () -> {
          exchange.withHeader("Content-Disposition", "attachment");
          exchange.withHeader("Cache-Control", "no-store");
          return exchange.stream(200, MEDIA_TYPE, OptionalLong.empty());
        });
  }
}
