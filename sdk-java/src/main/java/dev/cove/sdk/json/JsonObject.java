package dev.cove.sdk.json;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** An object; its members keep their order. */
public record JsonObject(Map<String, JsonValue> members) implements JsonValue {
  public JsonObject {
    members = Collections.unmodifiableMap(new LinkedHashMap<>(members));
  }

  public static Builder builder() {
    return new Builder();
  }

  public static JsonObject ofTexts(Map<String, String> texts) {
    var builder = builder();
    texts.forEach(builder::put);
    return builder.build();
  }

  /** The member, unless it is absent or null: callers never need to tell these apart. */
  public Optional<JsonValue> find(String name) {
    return Optional.ofNullable(members.get(name)).filter(value -> !(value instanceof Null));
  }

  public Optional<String> findText(String name) {
    return find(name).map(value -> asText(name, value));
  }

  public String requireText(String name) {
    return asText(name, require(name));
  }

  public long requireLong(String name) {
    String literal = asNumber(name, require(name));
    try {
      return Long.parseLong(literal);
    } catch (NumberFormatException e) {
      throw new JsonShapeException("\"" + name + "\" is not a whole number", e);
    }
  }

  public Optional<Long> findLong(String name) {
    return find(name).map(_ -> requireLong(name));
  }

  public int requireInt(String name) {
    long value = requireLong(name);
    if (value != (int) value) {
      throw new JsonShapeException("\"" + name + "\" does not fit in 32 bits");
    }
    return (int) value;
  }

  public double requireDouble(String name) {
    return Double.parseDouble(asNumber(name, require(name)));
  }

  /** Exactly as it was written. */
  public BigDecimal requireDecimal(String name) {
    return new BigDecimal(asNumber(name, require(name)));
  }

  /** Absent means false. */
  public boolean flag(String name) {
    return find(name)
        .map(value -> {
          if (value instanceof Bool(boolean set)) {
            return set;
          }
          throw new JsonShapeException("\"" + name + "\" is not true or false");
        })
        .orElse(false);
  }

  public Optional<Instant> findInstant(String name) {
    return findText(name)
        .map(text -> {
          try {
            return Instant.parse(text);
          } catch (DateTimeException e) {
            throw new JsonShapeException("\"" + name + "\" is not a time", e);
          }
        });
  }

  public Instant requireInstant(String name) {
    return findInstant(name).orElseThrow(() -> missing(name));
  }

  public JsonObject requireObject(String name) {
    if (require(name) instanceof JsonObject object) {
      return object;
    }
    throw new JsonShapeException("\"" + name + "\" is not an object");
  }

  /** The strings of an array; absent means none. */
  public List<String> texts(String name) {
    return items(name).stream().map(value -> asText(name, value)).toList();
  }

  /** The objects of an array; absent means none. */
  public List<JsonObject> objects(String name) {
    return items(name).stream().map(value -> asObject(name, value)).toList();
  }

  /** The members of an object, all strings; absent means none. */
  public Map<String, String> textMap(String name) {
    var texts = new LinkedHashMap<String, String>();
    find(name)
        .map(value -> asObject(name, value))
        .ifPresent(object -> object.members.forEach((k, v) -> texts.put(k, asText(name, v))));
    return Collections.unmodifiableMap(texts);
  }

  private List<JsonValue> items(String name) {
    Optional<JsonValue> value = find(name);
    if (value.isEmpty()) {
      return List.of();
    }
    if (value.get() instanceof Items(List<JsonValue> values)) {
      return values;
    }
    throw new JsonShapeException("\"" + name + "\" is not an array");
  }

  private JsonValue require(String name) {
    return find(name).orElseThrow(() -> missing(name));
  }

  private static JsonShapeException missing(String name) {
    return new JsonShapeException("\"" + name + "\" is missing");
  }

  private static String asText(String name, JsonValue value) {
    if (value instanceof Text(String text)) {
      return text;
    }
    throw new JsonShapeException("\"" + name + "\" is not a string");
  }

  private static String asNumber(String name, JsonValue value) {
    if (value instanceof Numeral(String literal)) {
      return literal;
    }
    throw new JsonShapeException("\"" + name + "\" is not a number");
  }

  private static JsonObject asObject(String name, JsonValue value) {
    if (value instanceof JsonObject object) {
      return object;
    }
    throw new JsonShapeException("\"" + name + "\" is not an object");
  }

  /** Collects members in order. */
  public static final class Builder {
    private final Map<String, JsonValue> members = new LinkedHashMap<>();

    private Builder() {}

    public Builder put(String name, JsonValue value) {
      members.put(name, value);
      return this;
    }

    public Builder put(String name, String value) {
      return put(name, JsonValue.of(value));
    }

    public Builder put(String name, long value) {
      return put(name, JsonValue.of(value));
    }

    public Builder put(String name, double value) {
      return put(name, JsonValue.of(value));
    }

    public Builder put(String name, boolean value) {
      return put(name, JsonValue.of(value));
    }

    public JsonObject build() {
      return new JsonObject(members);
    }
  }
}
