package dev.cove.edge.e2b.file;

import dev.cove.guest.Guest;
import dev.cove.guest.GuestException;
import dev.cove.guest.GuestLinkException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Who there is inside a sandbox, as its own files say at this moment. */
public final class Accounts {
  private static final int MAX_FILE = 1024 * 1024;
  private static final int MAX_ID = 65_535;

  private final Map<String, Account> byName = new LinkedHashMap<>();
  private final Map<Integer, String> users = new HashMap<>();
  private final Guest guest;

  /** Few want to know of groups, so they are read when somebody does. */
  private Optional<Map<Integer, String>> groups = Optional.empty();

  private Accounts(Guest guest) {
    this.guest = guest;
  }

  /** A user inside. */
  public record Account(String name, int uid, int gid, String home) {}

  public static Accounts of(Guest guest) {
    var accounts = new Accounts(guest);
    for (String[] entry : entries(guest, "/etc/passwd")) {
      Optional<Integer> uid = number(entry, 2);
      Optional<Integer> gid = number(entry, 3);
      if (entry.length > 5 && uid.isPresent() && gid.isPresent()) {
        String home = entry[5].startsWith("/") ? entry[5] : "/";
        accounts.byName.putIfAbsent(entry[0], new Account(entry[0], uid.get(), gid.get(), home));
        accounts.users.putIfAbsent(uid.get(), entry[0]);
      }
    }
    return accounts;
  }

  private Map<Integer, String> readGroups() {
    var names = new HashMap<Integer, String>();
    for (String[] entry : entries(guest, "/etc/group")) {
      number(entry, 2).ifPresent(gid -> names.putIfAbsent(gid, entry[0]));
    }
    return names;
  }

  /** By name, or by number for one that the sandbox's files know. */
  public Optional<Account> find(String user) {
    Account named = byName.get(user);
    if (named != null) {
      return Optional.of(named);
    }
    return byName.values().stream()
        .filter(account -> String.valueOf(account.uid()).equals(user))
        .findFirst();
  }

  String userName(int uid) {
    return users.getOrDefault(uid, String.valueOf(uid));
  }

  synchronized String groupName(int gid) {
    if (groups.isEmpty()) {
      groups = Optional.of(readGroups());
    }
    return groups.get().getOrDefault(gid, String.valueOf(gid));
  }

  private static String[][] entries(Guest guest, String file) {
    try (var content = guest.files("root").read(file, 0, MAX_FILE)) {
      String text = new String(content.stream().readAllBytes(), StandardCharsets.UTF_8);
      return text.lines().map(line -> line.split(":", -1)).toArray(String[][]::new);
    } catch (GuestException _) {
      return new String[0][]; // there need not be such a file
    } catch (IOException e) {
      throw new GuestLinkException("The accounts of the sandbox could not be read", e);
    }
  }

  private static Optional<Integer> number(String[] entry, int field) {
    if (entry.length <= field || !entry[field].matches("[0-9]{1,9}")) {
      return Optional.empty();
    }
    return Optional.of(Integer.parseInt(entry[field])).filter(id -> id <= MAX_ID);
  }
}
