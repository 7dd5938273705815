package dev.cove.control.build;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The {@code --name=value} between a keyword and what it is about.
 *
 * @param rest the instruction without them
 */
record Flags(Map<String, String> values, Instruction rest) {
  static Flags of(Instruction instruction, Set<String> allowed) {
    var values = new LinkedHashMap<String, String>();
    String rest = instruction.rest();
    while (rest.startsWith("--")) {
      int end = 0;
      while (end < rest.length() && !Character.isWhitespace(rest.charAt(end))) {
        end++;
      }
      String flag = rest.substring(2, end);
      rest = rest.substring(end).strip();
      if (flag.isEmpty()) {
        break;
      }
      int equals = flag.indexOf('=');
      String name = equals < 0 ? flag : flag.substring(0, equals);
      if (!allowed.contains(name)) {
        throw instruction.refused(
            "%s --%s is not supported".formatted(instruction.keyword(), name));
      }
      if (values.put(name, equals < 0 ? "" : flag.substring(equals + 1)) != null) {
        throw instruction.refused("--%s is given twice".formatted(name));
      }
    }
    return new Flags(values, instruction.withRest(rest));
  }

  /** Empty if the flag is not there; a flag that is there has a value. */
  Optional<String> find(String name) {
    Optional<String> value = Optional.ofNullable(values.get(name));
    if (value.isPresent() && value.get().isEmpty()) {
      throw rest.refused("--%s needs a value".formatted(name));
    }
    return value;
  }
}
