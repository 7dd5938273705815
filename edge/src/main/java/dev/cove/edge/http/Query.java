package dev.cove.edge.http;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The parameters behind the question mark, each known and well-formed. */
public final class Query {
  private static final int MAX_PARAMETERS = 256;

  private final Map<String, List<String>> values;

  private Query(Map<String, List<String>> values) {
    this.values = values;
  }

  /**
   * @param strict whether others than those that are allowed are refused, or else left out
   */
  static Query parse(String raw, Set<String> allowed, boolean strict) {
    var values = new LinkedHashMap<String, List<String>>();
    int count = 0;
    for (int from = 0; from < raw.length(); ) {
      int end = raw.indexOf('&', from);
      if (end < 0) {
        end = raw.length();
      }
      if (end > from) {
        if (++count > MAX_PARAMETERS) {
          throw refuse("The query has more than " + MAX_PARAMETERS + " parameters");
        }
        add(values, raw.substring(from, end), allowed, strict);
      }
      from = end + 1;
    }
    return new Query(values);
  }

  private static void add(
      Map<String, List<String>> values, String pair, Set<String> allowed, boolean strict) {
    int equals = pair.indexOf('=');
    String name = Percent.decodeForm("query", equals < 0 ? pair : pair.substring(0, equals));
    String value = equals < 0 ? "" : Percent.decodeForm("query", pair.substring(equals + 1));
    if (!allowed.contains(name)) {
      if (strict) {
        throw refuse("Unknown query parameter " + Text.quote(name));
      }
      return;
    }
    values.computeIfAbsent(name, _ -> new ArrayList<>(1)).add(value);
  }

  public Optional<String> find(String name) {
    List<String> all = all(name);
    if (all.size() > 1) {
      throw refuse("Query parameter " + name + " is given more than once");
    }
    return all.stream().findFirst();
  }

  public List<String> all(String name) {
    return values.getOrDefault(name, List.of());
  }

  public String require(String name) {
    return find(name).orElseThrow(() -> refuse("Query parameter " + name + " is missing"));
  }

  public boolean flag(String name, boolean otherwise) {
    return find(name)
        .map(value ->
            switch (value) {
              case "true" -> true;
              case "false" -> false;
              default -> throw refuse("Query parameter " + name + " must be true or false");
            })
        .orElse(otherwise);
  }

  public long number(String name, long otherwise, long min, long max) {
    return find(name).map(value -> parse(name, value, min, max)).orElse(otherwise);
  }

  private static long parse(String name, String value, long min, long max) {
    // Long.parseLong would take a plus sign and digits of other scripts.
    if (value.matches("-?[0-9]{1,18}")) {
      long number = Long.parseLong(value);
      if (number >= min && number <= max) {
        return number;
      }
    }
    throw refuse(
        "Query parameter %s must be a whole number between %d and %d".formatted(name, min, max));
  }

  private static CoveException refuse(String message) {
    return new CoveException(ErrorCode.INVALID_REQUEST, message);
  }
}
