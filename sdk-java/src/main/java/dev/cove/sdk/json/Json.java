package dev.cove.sdk.json;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** Text to tree and back. The nesting limit is jackson-core's own (500 levels). */
public final class Json {
  private static final JsonFactory FACTORY = new JsonFactory();

  private Json() {}

  /** Reads one value; anything after it is an error. */
  public static JsonValue parse(byte[] utf8) {
    try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), utf8)) {
      JsonValue value = read(parser, parser.nextToken());
      if (parser.nextToken() != null) {
        throw new JsonShapeException("There is more than one value");
      }
      return value;
    } catch (JacksonException e) {
      throw new JsonShapeException("It is not valid JSON: " + e.getOriginalMessage(), e);
    }
  }

  public static JsonObject parseObject(byte[] utf8) {
    if (parse(utf8) instanceof JsonObject object) {
      return object;
    }
    throw new JsonShapeException("It is not a JSON object");
  }

  public static byte[] write(JsonValue value) {
    var bytes = new ByteArrayOutputStream(256);
    try (JsonGenerator generator = FACTORY.createGenerator(ObjectWriteContext.empty(), bytes)) {
      write(generator, value);
    }
    return bytes.toByteArray();
  }

  public static String writeText(JsonValue value) {
    return new String(write(value), StandardCharsets.UTF_8);
  }

  private static JsonValue read(JsonParser parser, @Nullable JsonToken token) {
    return switch (token) {
      case START_OBJECT -> readObject(parser);
      case START_ARRAY -> readArray(parser);
      case VALUE_STRING -> new JsonValue.Text(parser.getString());
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> new JsonValue.Numeral(parser.getString());
      case VALUE_TRUE -> new JsonValue.Bool(true);
      case VALUE_FALSE -> new JsonValue.Bool(false);
      case VALUE_NULL -> new JsonValue.Null();
      case null -> throw new JsonShapeException("It is empty");
      case NOT_AVAILABLE, END_OBJECT, END_ARRAY, PROPERTY_NAME, VALUE_EMBEDDED_OBJECT ->
          throw new JsonShapeException("A value was expected, not " + token);
    };
  }

  private static JsonObject readObject(JsonParser parser) {
    Map<String, JsonValue> members = new LinkedHashMap<>();
    while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
      String name = parser.currentName();
      members.put(name, read(parser, parser.nextToken()));
    }
    return new JsonObject(members);
  }

  private static JsonValue readArray(JsonParser parser) {
    List<JsonValue> values = new ArrayList<>();
    for (JsonToken token = parser.nextToken();
        token != JsonToken.END_ARRAY;
        token = parser.nextToken()) {
      values.add(read(parser, token));
    }
    return new JsonValue.Items(values);
  }

  private static void write(JsonGenerator generator, JsonValue value) {
    switch (value) {
      case JsonValue.Text(String text) -> generator.writeString(text);
      case JsonValue.Numeral(String literal) -> generator.writeNumber(literal);
      case JsonValue.Bool(boolean set) -> generator.writeBoolean(set);
      case JsonValue.Null() -> generator.writeNull();
      case JsonValue.Items(List<JsonValue> values) -> {
        generator.writeStartArray();
        values.forEach(item -> write(generator, item));
        generator.writeEndArray();
      }
      case JsonObject(Map<String, JsonValue> members) -> {
        generator.writeStartObject();
        members.forEach((name, member) -> {
          generator.writeName(name);
          write(generator, member);
        });
        generator.writeEndObject();
      }
    }
  }
}
