package dev.cove.egress.secret;

import dev.cove.model.ProjectName;
import dev.cove.model.file.PrivateFile;
import dev.cove.model.secret.SecretName;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The secrets of a server: a file for each, encrypted, and a key file beside them. Values go in and
 * are used; there is no way to ask for them.
 */
public final class Vault {
  /** In each project. */
  public static final int MAX_SECRETS = 1_024;

  private static final String KEY = "vault.key";
  private static final String SUFFIX = ".secret";
  private static final String PREFIX = "coveplaceholder";
  private static final int PLACEHOLDER_DIGEST = 20;
  private static final String ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
  private static final byte VERSION = 1;
  private static final int HEAD_BYTES = 1 + 2 * Long.BYTES;

  /** What may be known of a secret. */
  public record Entry(SecretName name, Instant createdAt, Instant updatedAt) {}

  private record Kept(Entry entry, SecretValue value) {}

  private final Path folder;
  private final Clock clock;
  private final VaultKey key;
  private final Map<SecretName, Kept> secrets = new ConcurrentSkipListMap<>();
  private final AtomicLong version = new AtomicLong();

  private Vault(Path folder, Clock clock, VaultKey key) {
    this.folder = folder;
    this.clock = clock;
    this.key = key;
  }

  /**
   * @throws VaultException the key file is gone, or is not the one that the secrets were written
   *     with
   */
  public static Vault open(Path folder, Clock clock) throws IOException {
    PrivateFile.folder(folder);
    List<SecretName> names = namesIn(folder);
    var vault = new Vault(folder, clock, VaultKey.open(folder.resolve(KEY), !names.isEmpty()));
    for (SecretName name : names) {
      vault.secrets.put(name, vault.read(name));
    }
    return vault;
  }

  /** What had not got its name yet was never set, and goes. */
  private static List<SecretName> namesIn(Path folder) throws IOException {
    List<SecretName> names = new ArrayList<>();
    List<Path> files;
    try (Stream<Path> listed = Files.list(folder)) {
      files = listed.toList();
    }
    for (Path file : files) {
      String name = file.getFileName().toString();
      if (name.endsWith(PrivateFile.UNFINISHED)) {
        Files.delete(file);
      } else if (name.endsWith(SUFFIX)) {
        names.add(SecretName.parse(name.substring(0, name.length() - SUFFIX.length())));
      }
    }
    return names;
  }

  private Kept read(SecretName name) throws IOException {
    byte[] bytes =
        PrivateFile.read(file(name))
            .filter(content -> content.length > HEAD_BYTES && content[0] == VERSION)
            .orElseThrow(() ->
                new VaultException(
                    "The file %s is no secret of this version.".formatted(file(name))));
    ByteBuffer content = ByteBuffer.wrap(bytes, 1, bytes.length - 1);
    var entry =
        new Entry(
            name, Instant.ofEpochMilli(content.getLong()), Instant.ofEpochMilli(content.getLong()));
    byte[] sealed = new byte[content.remaining()];
    content.get(sealed);
    return new Kept(entry, new SecretValue(key.unseal(sealed, associated(entry))));
  }

  private static String associated(Entry entry) {
    return "secret %s of %d and %d"
        .formatted(
            entry.name(), entry.createdAt().toEpochMilli(), entry.updatedAt().toEpochMilli());
  }

  /**
   * Makes a secret, or gives it another value from the next request on.
   *
   * @throws IllegalArgumentException such a value could not be sent
   */
  public synchronized Entry set(SecretName name, byte[] value) throws IOException {
    var checked = new SecretValue(value);
    @Nullable Kept old = secrets.get(name);
    if (old == null && list(name.project()).size() >= MAX_SECRETS) {
      throw new IllegalArgumentException(
          "There are %d secrets already; remove one first".formatted(MAX_SECRETS));
    }
    Instant now = Instant.ofEpochMilli(clock.millis());
    var entry = new Entry(name, old == null ? now : old.entry().createdAt(), now);
    byte[] sealed = key.seal(checked.bytes(), associated(entry));
    PrivateFile.write(
        file(name),
        ByteBuffer.allocate(HEAD_BYTES + sealed.length)
            .put(VERSION)
            .putLong(entry.createdAt().toEpochMilli())
            .putLong(entry.updatedAt().toEpochMilli())
            .put(sealed)
            .array());
    secrets.put(name, new Kept(entry, checked));
    version.incrementAndGet();
    return entry;
  }

  /**
   * No request takes it along from now on.
   *
   * @return whether it was there
   */
  public synchronized boolean remove(SecretName name) throws IOException {
    boolean there = secrets.remove(name) != null;
    version.incrementAndGet();
    PrivateFile.remove(file(name));
    return there;
  }

  /** Those of a project, by name. */
  public List<Entry> list(ProjectName project) {
    return secrets.values().stream()
        .map(Kept::entry)
        .filter(entry -> entry.name().project().equals(project))
        .toList();
  }

  public boolean contains(SecretName name) {
    return secrets.containsKey(name);
  }

  /**
   * What stands for a secret inside sandboxes, be it set or not. It is always the same for a name
   * and tells nothing of the value.
   */
  public String placeholder(SecretName name) {
    byte[] digest = key.digest("placeholder " + name);
    var text = new StringBuilder(PREFIX);
    for (int bit = 0; bit < PLACEHOLDER_DIGEST * 8; bit += 5) {
      int pair = (digest[bit / 8] & 0xFF) << 8 | (digest[bit / 8 + 1] & 0xFF);
      text.append(ALPHABET.charAt(pair >> (11 - bit % 8) & 31));
    }
    return text.toString();
  }

  /** Another one after each change. */
  long version() {
    return version.get();
  }

  Optional<SecretValue> find(SecretName name) {
    return Optional.ofNullable(secrets.get(name)).map(Kept::value);
  }

  VaultKey key() {
    return key;
  }

  private Path file(SecretName name) {
    return folder.resolve(name + SUFFIX);
  }
}
