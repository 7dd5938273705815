package dev.cove.control.ledger;

import dev.cove.model.LayerId;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Rows that belong to rows of another table: all are read at once, by whom they belong to. */
public final class OwnedRows {
  private OwnedRows() {}

  /**
   * @param select owner, name and value
   */
  public static Map<String, Map<String, String>> maps(Session session, String select)
      throws SQLException {
    record Entry(String name, String value) {}
    var maps = new HashMap<String, Map<String, String>>();
    lists(session, select, row -> new Entry(row.getString(2), row.getString(3)))
        .forEach((owner, entries) -> {
          var map = new HashMap<String, String>();
          entries.forEach(entry -> map.put(entry.name(), entry.value()));
          maps.put(owner, map);
        });
    return maps;
  }

  /**
   * @param select owner and layer, in order
   */
  public static Map<String, List<LayerId>> layers(Session session, String select)
      throws SQLException {
    return lists(session, select, row -> new LayerId(row.getString(2)));
  }

  /**
   * @param select the owner first; {@code rest} reads the other columns
   */
  public static <T> Map<String, List<T>> lists(Session session, String select, Session.Row<T> rest)
      throws SQLException {
    record Owned<T>(String owner, T value) {}
    var lists = new HashMap<String, List<T>>();
    for (Owned<T> row :
        session.query(select, row -> new Owned<>(row.getString(1), rest.read(row)))) {
      lists.computeIfAbsent(row.owner(), _ -> new ArrayList<>()).add(row.value());
    }
    return lists;
  }
}
