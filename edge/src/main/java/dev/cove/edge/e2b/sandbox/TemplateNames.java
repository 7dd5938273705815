package dev.cove.edge.e2b.sandbox;

import dev.cove.control.build.Builds;
import dev.cove.control.build.Recipes;
import dev.cove.control.template.Catalogue;
import dev.cove.edge.http.HttpRefusal;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.util.Locale;

/** Templates by the names that E2B's clients give them. */
public final class TemplateNames {
  /** What its clients ask for when nobody has said anything. */
  private static final String BASE = Recipes.BASE;

  private static final String DEFAULT_TAG = ":default";

  private final Catalogue templates;
  private final boolean makesBase;

  /**
   * @param makesBase whether E2B's base is made of packages when somebody wants it
   */
  public TemplateNames(Catalogue templates, boolean makesBase) {
    this.templates = templates;
    this.makesBase = makesBase;
  }

  /**
   * What to build upon. A build is awaited for minutes anyway, so it may have to wait for its base.
   */
  public String foundation(String asked) {
    return makesBase && isBase(asked) ? BASE : ours(asked);
  }

  /** Whether the host's files stand in for a base that could be made meanwhile. */
  boolean isStandIn(String asked) {
    return makesBase && isBase(asked) && templates.find(BASE).isEmpty();
  }

  private static boolean isBase(String asked) {
    return plain(asked).equals(BASE);
  }

  private static String plain(String asked) {
    String name = asked.toLowerCase(Locale.ROOT);
    return name.endsWith(DEFAULT_TAG)
        ? name.substring(0, name.length() - DEFAULT_TAG.length())
        : name;
  }

  /** The host's files stand in for E2B's base, until there is a template of that name. */
  public String ours(String asked) {
    String name = plain(asked);
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
