package dev.cove.engine.container;

import dev.cove.model.file.FileRanges;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Names the content of an image: SHA-256 over its parts, its size, and the place and SHA-256 of
 * each piece in which not every byte is zero. Holes and written zeros are the same.
 */
final class ImageDigest {
  private static final String PREFIX = "sha256:";
  private static final String HEADING = "cove layer 1\n";
  private static final int PIECE = 1 << 20;
  private static final byte[] ZEROS = new byte[PIECE];

  private final Path image;
  private final long size;
  private final int[] pieces;

  /** By position in {@link #pieces}; those that are all zero stay null. */
  private final byte[] @Nullable [] digests;

  private final AtomicInteger next = new AtomicInteger();

  private ImageDigest(Path image) throws IOException {
    this.image = image;
    this.size = Files.size(image);
    this.pieces = piecesOf(SparseFile.extents(image), size);
    this.digests = new byte[pieces.length][];
  }

  /** Computes in the calling thread. */
  static String of(Path image, List<String> parts) throws IOException {
    var work = new ImageDigest(image);
    work.digestPieces();
    return work.combine(parts);
  }

  /** Computes in so many threads at once. */
  static String of(Path image, List<String> parts, ExecutorService threads, int count)
      throws IOException, InterruptedException {
    var work = new ImageDigest(image);
    List<Future<?>> shares = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      shares.add(
          threads.submit(() -> {
            work.digestPieces();
            return true;
          }));
    }
    for (Future<?> share : shares) {
      await(share);
    }
    return work.combine(parts);
  }

  private static void await(Future<?> share) throws IOException, InterruptedException {
    try {
      share.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException cause) {
        throw new IOException(cause.getMessage(), cause);
      }
      throw new IllegalStateException("An image could not be read", e);
    }
  }

  private static int[] piecesOf(List<FileRanges.Range> extents, long size) {
    var pieces = IntStream.builder();
    int next = 0;
    for (var extent : extents) {
      next = Math.max(next, (int) (extent.start() / PIECE));
      for (; (long) next * PIECE < Math.min(extent.end(), size); next++) {
        pieces.add(next);
      }
    }
    return pieces.build().toArray();
  }

  private void digestPieces() throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(PIECE);
    MessageDigest sha = sha();
    try (var channel = FileChannel.open(image, StandardOpenOption.READ)) {
      for (int i = next.getAndIncrement(); i < pieces.length; i = next.getAndIncrement()) {
        read(channel, (long) pieces[i] * PIECE, buffer);
        int length = buffer.position();
        if (!Arrays.equals(buffer.array(), 0, length, ZEROS, 0, length)) {
          sha.update(buffer.array(), 0, length);
          digests[i] = sha.digest();
        }
      }
    }
  }

  private void read(FileChannel channel, long start, ByteBuffer buffer) throws IOException {
    buffer.clear().limit((int) Math.min(PIECE, size - start));
    while (buffer.hasRemaining()) {
      if (channel.read(buffer, start + buffer.position()) < 0) {
        throw new EOFException(image + " became shorter while it was read");
      }
    }
  }

  private String combine(List<String> parts) {
    MessageDigest sha = sha();
    sha.update(HEADING.getBytes(StandardCharsets.UTF_8));
    update(sha, parts.size());
    for (String part : parts) {
      byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
      update(sha, bytes.length);
      sha.update(bytes);
    }
    update(sha, size);
    for (int i = 0; i < pieces.length; i++) {
      byte[] digest = digests[i];
      if (digest != null) {
        update(sha, pieces[i]);
        sha.update(digest);
      }
    }
    return PREFIX + HexFormat.of().formatHex(sha.digest());
  }

  private static void update(MessageDigest sha, long number) {
    sha.update(ByteBuffer.allocate(Long.BYTES).putLong(number).flip());
  }

  private static MessageDigest sha() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256", e);
    }
  }
}
