package dev.cove.sdk;

import java.util.ArrayList;
import java.util.Optional;

/**
 * Which usage is wanted. Begin with {@link #by}; each method gives a copy.
 *
 * @param group sandbox, project, hour, day, total, or label: and the name of a label
 * @param from a day such as 2026-11-01 or a time such as 2026-11-01T08:00:00Z; else this month
 * @param to the same, exclusive; else now
 * @param sandbox id or name, also of one that is gone
 */
public record UsageQuery(
    String group, Optional<String> from, Optional<String> to, Optional<String> sandbox) {
  public static UsageQuery by(String group) {
    return new UsageQuery(group, Optional.empty(), Optional.empty(), Optional.empty());
  }

  public UsageQuery from(String dayOrTime) {
    return new UsageQuery(group, Optional.of(dayOrTime), to, sandbox);
  }

  public UsageQuery to(String dayOrTime) {
    return new UsageQuery(group, from, Optional.of(dayOrTime), sandbox);
  }

  public UsageQuery sandbox(String idOrName) {
    return new UsageQuery(group, from, to, Optional.of(idOrName));
  }

  String path(String format, Optional<String> cursor) {
    var parameters = new ArrayList<String>();
    parameters.add("group=" + Api.encode(group));
    parameters.add("format=" + format);
    from.ifPresent(text -> parameters.add("from=" + Api.encode(text)));
    to.ifPresent(text -> parameters.add("to=" + Api.encode(text)));
    sandbox.ifPresent(text -> parameters.add("sandbox=" + Api.encode(text)));
    cursor.ifPresent(text -> parameters.add("cursor=" + Api.encode(text)));
    return Api.ROOT + "/usage?" + String.join("&", parameters);
  }
}
