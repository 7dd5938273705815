package dev.cove.edge.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.exc.InputCoercionException;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.type.LogicalType;

/**
 * The one way to read and write JSON here.
 *
 * <p>Reading is strict: a field we do not know, a field given twice, a number where text belongs or
 * a lone surrogate is refused, because whoever sent it meant something that we would not do.
 */
public final class Json {
  private static final int MAX_DEPTH = 16;
  private static final int MAX_NUMBER = 32;
  private static final int MAX_NAME = 1_024;

  private static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(MAX_DEPTH)
                          .maxNumberLength(MAX_NUMBER)
                          .maxNameLength(MAX_NAME)
                          .build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
          .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
          .withCoercionConfigDefaults(config -> {
            for (var shape : CoercionInputShape.values()) {
              config.setCoercion(shape, CoercionAction.Fail);
            }
          })
          .withCoercionConfig(
              LogicalType.Float,
              config -> config.setCoercion(CoercionInputShape.Integer, CoercionAction.TryConvert))
          .changeDefaultPropertyInclusion(
              included -> included.withValueInclusion(JsonInclude.Include.NON_ABSENT))
          .addModule(new SimpleModule().addDeserializer(String.class, new StrictText()))
          .build();

  private static final JsonMapper LOOSE =
      MAPPER.rebuild().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();

  private Json() {}

  /** Reads a body of the caller's. */
  public static <T> T read(byte[] body, Class<T> type) {
    return read(decode(body), type);
  }

  public static <T> T read(String text, Class<T> type) {
    return read(MAPPER, text, type);
  }

  /** The same for what clients of another API send: what is not understood here says nothing. */
  public static <T> T readLoosely(byte[] body, Class<T> type) {
    return read(LOOSE, decode(body), type);
  }

  private static <T> T read(JsonMapper mapper, String text, Class<T> type) {
    @Nullable T value;
    try {
      value = mapper.readValue(text, type);
    } catch (JacksonException e) {
      throw new CoveException(ErrorCode.INVALID_REQUEST, explain(e), e);
    }
    if (value == null) {
      throw new CoveException(ErrorCode.INVALID_REQUEST, "The body must be a JSON object");
    }
    return value;
  }

  public static byte[] write(Object value) {
    return MAPPER.writeValueAsBytes(value);
  }

  /** Writes to a stream and leaves it open. */
  static void write(Object value, OutputStream out) throws IOException {
    var buffered = new BufferedOutputStream(out, 32 * 1024);
    MAPPER.writer().without(StreamWriteFeature.AUTO_CLOSE_TARGET).writeValue(buffered, value);
    buffered.flush();
  }

  public static String writeText(Object value) {
    return MAPPER.writeValueAsString(value);
  }

  public static JsonGenerator generator(OutputStream out) {
    return MAPPER.createGenerator(out);
  }

  // Jackson would guess at UTF-16 and UTF-32 and lets some malformed UTF-8 pass.
  private static String decode(byte[] body) {
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .onUnmappableCharacter(CodingErrorAction.REPORT)
          .decode(ByteBuffer.wrap(body))
          .toString();
    } catch (CharacterCodingException e) {
      throw new CoveException(ErrorCode.INVALID_REQUEST, "The body is not valid UTF-8", e);
    }
  }

  private static String explain(JacksonException e) {
    String field = field(e);
    return switch (e) {
      case UnrecognizedPropertyException _ -> "Unknown field " + field;
      case StreamConstraintsException _ ->
          "The body is nested deeper than %d, or has a name over %d or a number over %d characters"
              .formatted(MAX_DEPTH, MAX_NAME, MAX_NUMBER);
      case InputCoercionException _ -> field + " is a number out of range";
      case StreamReadException s when isDuplicate(s) -> "A field is given twice" + at(s);
      case StreamReadException s -> "The body is not valid JSON" + at(s);
      case MismatchedInputException m when m.getTargetType() != null ->
          "%s must be %s".formatted(field, kind(m.getTargetType()));
      default -> field + " is not valid";
    };
  }

  private static boolean isDuplicate(StreamReadException e) {
    return e.getOriginalMessage().startsWith("Duplicate");
  }

  private static String at(JacksonException e) {
    var location = e.getLocation();
    return location == null
        ? ""
        : ", line %d column %d".formatted(location.getLineNr(), location.getColumnNr());
  }

  private static String field(JacksonException e) {
    var name = new StringBuilder();
    for (var step : e.getPath()) {
      if (step.getPropertyName() == null) {
        name.append('[').append(step.getIndex()).append(']');
      } else {
        name.append(name.isEmpty() ? "" : ".").append(step.getPropertyName());
      }
    }
    return name.isEmpty() ? "The body" : Text.quote(name.toString());
  }

  private static String kind(Class<?> type) {
    if (type == String.class) {
      return "text that is valid Unicode";
    }
    if (type == Integer.class || type == Long.class || type == int.class || type == long.class) {
      return "a whole number";
    }
    if (type == Double.class || type == double.class) {
      return "a number";
    }
    if (type == Boolean.class || type == boolean.class) {
      return "true or false";
    }
    if (Iterable.class.isAssignableFrom(type) || type.isArray()) {
      return "a list";
    }
    return "an object";
  }
}
