package dev.cove.control.sandbox;

import dev.cove.control.checkpoint.CheckpointRules;
import dev.cove.control.volume.VolumeWish;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * A create that may be repeated.
 *
 * @param hash of everything that was asked for, to notice a key that is used for something else
 */
record IdempotentRequest(String key, String hash) {
  private static final Pattern SHAPE = Pattern.compile("[\\x20-\\x7e]{1,128}");

  static Optional<IdempotentRequest> of(CreateSandbox request) {
    return request.idempotencyKey().map(key -> new IdempotentRequest(key, hash(request)));
  }

  /** A create that begins with a checkpoint, which may be gone when it is repeated. */
  static Optional<IdempotentRequest> of(String checkpointId, Branches.FromCheckpoint wish) {
    return wish.idempotencyKey().map(key -> new IdempotentRequest(key, hash(checkpointId, wish)));
  }

  IdempotentRequest {
    if (!SHAPE.matcher(key).matches()) {
      throw new CoveException(
          ErrorCode.INVALID_REQUEST,
          "An idempotency key is 1 to 128 printable ASCII characters long.");
    }
  }

  void requireSameAs(String earlierHash) {
    if (!hash.equals(earlierHash)) {
      throw new CoveException(
          ErrorCode.CONFLICT,
          "This idempotency key was used for another request; use a new key for a new request.");
    }
  }

  /** Lengths go in as well, so that no two requests spell the same bytes. */
  private static String hash(CreateSandbox request) {
    MessageDigest digest = sha256();
    add(digest, request.name().isPresent() ? "named" : "unnamed");
    add(digest, request.name().orElse(""));
    add(digest, request.template());
    add(digest, request.tier().publicName());
    add(digest, request.resources().toString());
    add(digest, request.env());
    add(digest, request.labels());
    add(digest, request.volumes(), request.rules());
    return HexFormat.of().formatHex(digest.digest());
  }

  private static String hash(String checkpointId, Branches.FromCheckpoint wish) {
    MessageDigest digest = sha256();
    add(digest, "checkpoint");
    add(digest, checkpointId);
    add(digest, wish.name().isPresent() ? "named" : "unnamed");
    add(digest, wish.name().orElse(""));
    add(digest, wish.milliCpus().toString());
    add(digest, wish.memoryMb().toString());
    add(digest, wish.maxProcesses().toString());
    add(digest, wish.env());
    add(digest, wish.labels());
    add(digest, wish.volumes(), wish.rules());
    return HexFormat.of().formatHex(digest.digest());
  }

  private static void add(
      MessageDigest digest, List<VolumeWish> volumes, Optional<CheckpointRules> rules) {
    for (VolumeWish wish : volumes) {
      add(digest, wish.volume());
      add(digest, wish.target());
      add(digest, Boolean.toString(wish.readOnly()));
    }
    rules.ifPresent(wanted -> add(digest, wanted.toString()));
  }

  private static void add(MessageDigest digest, Map<String, String> entries) {
    add(digest, Integer.toString(entries.size()));
    new TreeMap<>(entries)
        .forEach((name, value) -> {
          add(digest, name);
          add(digest, value);
        });
  }

  private static void add(MessageDigest digest, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).flip());
    digest.update(bytes);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JDK has SHA-256", e);
    }
  }
}
