package dev.cove.control.ledger;

import dev.cove.model.Base;
import dev.cove.model.SandboxTemplate;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * What a row remembers of a template: its name, and base, user, cwd, entrypoint, network and life
 * in a row.
 */
public final class TemplateColumns {
  private TemplateColumns() {}

  public static SandboxTemplate read(ResultSet row, int name, int base) throws SQLException {
    String word = row.getString(base);
    return new SandboxTemplate(
        row.getString(name),
        Base.find(word)
            .orElseThrow(() -> new IllegalStateException("The ledger has a base " + word)),
        row.getString(base + 1),
        row.getString(base + 2),
        Words.decode(row.getString(base + 3)),
        NetworkText.decode(row.getString(base + 4)),
        LifeText.decode(row.getString(base + 5)));
  }
}
