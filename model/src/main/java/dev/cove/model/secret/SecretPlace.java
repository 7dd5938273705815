package dev.cove.model.secret;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Where in a request a secret belongs. Its text is what {@link #of} reads. */
public sealed interface SecretPlace {
  /** {@code Authorization: Bearer …}. */
  record Bearer() implements SecretPlace {
    @Override
    public String toString() {
      return "bearer";
    }
  }

  /**
   * {@code Authorization: Basic …}.
   *
   * @param user who goes with the secret as his password; empty where the secret is user and
   *     password both, with a colon between them
   */
  record Basic(String user) implements SecretPlace {
    private static final Pattern USER = Pattern.compile("[!-9;-~]{0,128}");

    public Basic {
      if (!USER.matcher(user).matches()) {
        throw new IllegalArgumentException(
            "The user of a basic secret has at most 128 visible ASCII characters, and no colon");
      }
    }

    @Override
    public String toString() {
      return "basic:" + user;
    }
  }

  /** A header of its own. */
  record Header(String name) implements SecretPlace {
    private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}");

    /** What says where a message goes or ends, or is meant for the next hop alone. */
    private static final Set<String> RESERVED =
        Set.of(
            "host",
            "content-length",
            "transfer-encoding",
            "connection",
            "keep-alive",
            "proxy-connection",
            "proxy-authorization",
            "proxy-authenticate",
            "te",
            "trailer",
            "upgrade",
            "http2-settings",
            "expect",
            "accept-encoding",
            "content-encoding",
            "content-type",
            "range");

    public Header {
      if (!NAME.matcher(name).matches()) {
        throw new IllegalArgumentException(
            "A header's name has 1 to 128 letters, digits and characters such as -");
      }
      if (RESERVED.contains(name.toLowerCase(Locale.ROOT))) {
        throw new IllegalArgumentException(
            "The header %s can not hold a secret: it steers the request itself".formatted(name));
      }
    }

    @Override
    public String toString() {
      return "header:" + name;
    }
  }

  /** A parameter behind the {@code ?}. */
  record Query(String name) implements SecretPlace {
    public Query {
      requireField(name);
    }

    @Override
    public String toString() {
      return "query:" + name;
    }
  }

  /** A field of a form, or a member of the outermost JSON object. */
  record Body(String name) implements SecretPlace {
    public Body {
      requireField(name);
    }

    @Override
    public String toString() {
      return "body:" + name;
    }
  }

  private static void requireField(String name) {
    if (!name.matches("[A-Za-z0-9_.~-]{1,128}")) {
      throw new IllegalArgumentException(
          "A parameter or field has 1 to 128 letters, digits and characters of _.~-");
    }
  }

  /**
   * {@code bearer}, {@code basic:USER}, {@code header:NAME}, {@code query:NAME} or {@code
   * body:NAME}.
   */
  static SecretPlace of(String text) {
    int colon = text.indexOf(':');
    String rest = text.substring(colon + 1);
    return switch (colon < 0 ? text : text.substring(0, colon + 1)) {
      case "bearer" -> new Bearer();
      case "basic:" -> new Basic(rest);
      case "header:" -> new Header(rest);
      case "query:" -> new Query(rest);
      case "body:" -> new Body(rest);
      default ->
          throw new IllegalArgumentException(
              "A secret's place is bearer, basic:USER, header:NAME, query:NAME or body:NAME");
    };
  }
}
