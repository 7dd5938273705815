package dev.cove.edge;

import dev.harrel.jsonschema.JsonNode;
import dev.harrel.jsonschema.JsonNodeFactory;
import dev.harrel.jsonschema.SimpleType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Lets the schema checker read our own JSON library's values. */
final class SchemaNode implements JsonNode {
  private final tools.jackson.databind.JsonNode node;
  private final String pointer;

  private SchemaNode(tools.jackson.databind.JsonNode node, String pointer) {
    this.node = node;
    this.pointer = pointer;
  }

  static final class Factory implements JsonNodeFactory {
    @Override
    public JsonNode wrap(Object node) {
      return node instanceof JsonNode wrapped
          ? wrapped
          : new SchemaNode((tools.jackson.databind.JsonNode) node, "");
    }

    @Override
    public JsonNode create(String json) {
      return new SchemaNode(RunningEdge.JSON.readTree(json), "");
    }
  }

  @Override
  public String getJsonPointer() {
    return pointer;
  }

  @Override
  public SimpleType getNodeType() {
    return switch (node.getNodeType()) {
      case NULL -> SimpleType.NULL;
      case BOOLEAN -> SimpleType.BOOLEAN;
      case STRING -> SimpleType.STRING;
      case NUMBER -> isWhole() ? SimpleType.INTEGER : SimpleType.NUMBER;
      case ARRAY -> SimpleType.ARRAY;
      case OBJECT -> SimpleType.OBJECT;
      default -> throw new IllegalStateException(node.toString());
    };
  }

  private boolean isWhole() {
    return node.isIntegralNumber() || asNumber().stripTrailingZeros().scale() <= 0;
  }

  @Override
  public boolean asBoolean() {
    return node.asBoolean();
  }

  @Override
  public String asString() {
    return node.asString();
  }

  @Override
  public BigInteger asInteger() {
    return asNumber().toBigInteger();
  }

  @Override
  public BigDecimal asNumber() {
    return node.decimalValue();
  }

  @Override
  public List<JsonNode> asArray() {
    var items = new ArrayList<JsonNode>();
    for (int i = 0; i < node.size(); i++) {
      items.add(new SchemaNode(node.get(i), pointer + "/" + i));
    }
    return items;
  }

  @Override
  public Map<String, JsonNode> asObject() {
    var properties = new LinkedHashMap<String, JsonNode>();
    for (var property : node.properties()) {
      String at = pointer + "/" + JsonNode.encodeJsonPointer(property.getKey());
      properties.put(property.getKey(), new SchemaNode(property.getValue(), at));
    }
    return properties;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof SchemaNode that && node.equals(that.node);
  }

  @Override
  public int hashCode() {
    return node.hashCode();
  }
}
