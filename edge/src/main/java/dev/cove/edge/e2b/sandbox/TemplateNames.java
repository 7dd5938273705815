package dev.cove.edge.e2b.sandbox;

import dev.cove.control.build.Builds;
import dev.cove.control.template.Catalogue;
import dev.cove.edge.http.HttpRefusal;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.util.Locale;

/** Templates by the names that E2B's clients give them. */
public final class TemplateNames {
  /** What its clients ask for when nobody has said anything. */
  private static final String BASE = "base";

  private static final String DEFAULT_TAG = ":default";

  private final Catalogue templates;

  public TemplateNames(Catalogue templates) {
    this.templates = templates;
  }

  /** The host's files stand in for E2B's base, until somebody makes a template of that name. */
  public String ours(String asked) {
    String name = asked.toLowerCase(Locale.ROOT);
    if (name.endsWith(DEFAULT_TAG)) {
      name = name.substring(0, name.length() - DEFAULT_TAG.length());
    }
    try {
      if (isMadeHere(name) || templates.find(name).isPresent()) {
        return name;
      }
    } catch (CoveException _) {
      throw unknown(asked); // not even a name
    }
    if (name.equals(BASE)) {
      return Catalogue.HOST.name();
    }
    throw unknown(asked);
  }

  /** All that is made when it is asked for; of base the host's files are at hand. */
  private static boolean isMadeHere(String name) {
    return Builds.isMadeOnFirstUse(name) && !name.equals(BASE);
  }

  /** Whether commands of a template start elsewhere than at home. */
  public boolean hasFolder(String ours) {
    return templates.find(ours).filter(found -> !found.template().cwd().isEmpty()).isPresent();
  }

  public static String shown(String ours) {
    return ours.equals(Catalogue.HOST.name()) ? BASE : ours;
  }

  private static HttpRefusal unknown(String asked) {
    return new HttpRefusal(
        404, ErrorCode.NOT_FOUND, "template '%.128s' not found".formatted(asked));
  }
}
