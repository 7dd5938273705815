package dev.cove.edge.code;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What the interpreter tells of a cell, one thing at a time. Nothing of it can be relied upon. */
record CodeEvent(String type, ObjectNode content) {
  /** Above what the interpreter shows of one value. */
  private static final int MAX_LINE = 24 * 1024 * 1024;

  private static final JsonMapper MAPPER = JsonMapper.shared();

  /** Events as they come. */
  static final class Reader {
    private final InputStream in;

    Reader(InputStream in) {
      this.in = new BufferedInputStream(in, 32 * 1024);
    }

    /**
     * @return empty at the end
     * @throws IOException it broke off, or is no interpreter
     */
    Optional<CodeEvent> next() throws IOException {
      var line = new ByteArrayOutputStream();
      for (int b = in.read(); b >= 0; b = in.read()) {
        if (b == '\n') {
          return Optional.of(parse(line.toByteArray()));
        }
        if (line.size() == MAX_LINE) {
          throw new IOException("The interpreter says more at once than is passed on");
        }
        line.write(b);
      }
      return Optional.empty();
    }
  }

  private static CodeEvent parse(byte[] line) throws IOException {
    try {
      if (MAPPER.readTree(line) instanceof ObjectNode content) {
        return new CodeEvent(content.path("type").asString(""), content);
      }
    } catch (JacksonException e) {
      throw new IOException("The interpreter does not speak JSON", e);
    }
    throw new IOException("The interpreter does not speak in objects");
  }

  String text(String field) {
    return content.path(field).asString("");
  }

  int executionCount() {
    return content.path("execution_count").asInt(0);
  }

  /** A result in our own words. */
  ObjectNode result() {
    ObjectNode told = MAPPER.createObjectNode();
    told.put("main", content.path("is_main_result").asBoolean(false));
    for (var field : content.properties()) {
      String name = field.getKey();
      JsonNode value = field.getValue();
      if (!name.equals("type") && !name.equals("is_main_result") && !value.isNull()) {
        told.set(name, value);
      }
    }
    return told;
  }

  /** How code failed. */
  record Failure(String name, String value, String traceback) {}

  Failure failure() {
    return new Failure(text("name"), text("value"), text("traceback"));
  }
}
