package dev.cove.edge.e2b.file;

import dev.cove.control.sandbox.Sandbox;
import dev.cove.edge.e2b.file.Accounts.Account;
import dev.cove.edge.e2b.rpc.RpcCode;
import dev.cove.edge.e2b.rpc.RpcRefusal;
import dev.cove.edge.file.GuestPath;
import dev.cove.edge.http.Exchange;
import dev.cove.guest.Guest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Optional;

/** On whose behalf something is done in a sandbox, and what paths mean to him. */
public final class Person {
  private static final String BASIC = "Basic ";

  private final Accounts accounts;
  private final Account account;

  private Person(Accounts accounts, Account account) {
    this.accounts = accounts;
    this.account = account;
  }

  /** The user that the request names, or the one of the sandbox's template. */
  public static Person of(Exchange exchange, Sandbox sandbox, Guest guest) {
    return named(basicUser(exchange), sandbox, guest);
  }

  /**
   * @param name empty for the user of the sandbox's template
   */
  static Person named(Optional<String> name, Sandbox sandbox, Guest guest) {
    String user = name.orElse(sandbox.spec().template().user());
    Accounts accounts = Accounts.of(guest);
    return new Person(
        accounts,
        accounts
            .find(user)
            .orElseThrow(() ->
                new RpcRefusal(
                    RpcCode.UNAUTHENTICATED, "invalid username: '%.64s'".formatted(user))));
  }

  /**
   * The name of one who is nearly always there, so that nobody need look before he is named to the
   * agent; empty for any other.
   */
  public static Optional<String> usual(Exchange exchange, Sandbox sandbox) {
    String template = sandbox.spec().template().user();
    return Optional.of(basicUser(exchange).orElse(template))
        .filter(user -> user.equals(template) || user.equals("root"));
  }

  /** The name in front of the colon; there are no passwords. */
  static Optional<String> basicUser(Exchange exchange) {
    Optional<String> header =
        exchange
            .header("Authorization")
            .filter(text -> text.regionMatches(true, 0, BASIC, 0, BASIC.length()));
    if (header.isEmpty()) {
      return Optional.empty();
    }
    try {
      byte[] decoded = Base64.getDecoder().decode(header.get().substring(BASIC.length()).strip());
      String pair = new String(decoded, StandardCharsets.UTF_8);
      int colon = pair.indexOf(':');
      return Optional.of(colon < 0 ? pair : pair.substring(0, colon))
          .filter(user -> !user.isEmpty());
    } catch (IllegalArgumentException e) {
      throw new RpcRefusal(
          RpcCode.UNAUTHENTICATED, "Authorization: Basic is not followed by base64");
    }
  }

  public String name() {
    return account.name();
  }

  int uid() {
    return account.uid();
  }

  int gid() {
    return account.gid();
  }

  Accounts accounts() {
    return accounts;
  }

  /** An absolute path: relative ones begin in the home, and so does {@code ~}. */
  public String resolve(String path) {
    if (path.isEmpty() || path.equals("~")) {
      return account.home();
    }
    if (path.startsWith("~/")) {
      return GuestPath.require("path", below(path.substring(2)));
    }
    if (path.startsWith("~")) {
      throw new RpcRefusal(
          RpcCode.INVALID_ARGUMENT,
          "failed to resolve path: the home of another user can not be written as ~NAME");
    }
    return GuestPath.require("path", path.startsWith("/") ? clean(path) : below(path));
  }

  /** Where he has all rights, unless somebody took them. */
  boolean isAtHomeIn(String path) {
    return path.startsWith(account.home() + "/") || path.startsWith("/tmp/");
  }

  private String below(String path) {
    return clean(account.home() + "/" + path);
  }

  /**
   * Without double slashes, dots and what dots take back, as a client that gets it back expects.
   */
  static String clean(String path) {
    var kept = new ArrayDeque<String>();
    for (String step : path.split("/")) {
      switch (step) {
        case "", "." -> {}
        case ".." -> kept.pollLast();
        default -> kept.addLast(step);
      }
    }
    return "/" + String.join("/", kept);
  }
}
