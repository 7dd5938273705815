package dev.cove.review.apply;

import dev.cove.model.file.ByteText;
import dev.cove.review.tree.Digests;
import dev.cove.review.tree.TreePath;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What was, or is to be, applied at once.
 *
 * @param undoes the entry whose steps these are the other way round; empty for any other
 */
record JournalEntry(String id, String undoes, List<Step> steps) {
  private static final String KIND = "cove-apply-1";
  private static final int DIGEST_BYTES = 32;
  private static final byte ABSENT = 0;
  private static final byte FOLDER = 1;
  private static final byte FILE = 2;
  private static final byte LINK = 3;

  JournalEntry {
    steps = List.copyOf(steps);
  }

  /** Where contents lie, by digest. */
  byte[] encode(Map<String, Long> places) {
    var bytes = new ByteArrayOutputStream();
    try (var out = new DataOutputStream(bytes)) {
      text(out, KIND);
      text(out, id);
      text(out, undoes);
      out.writeInt(steps.size());
      for (Step step : steps) {
        text(out, step.path().text());
        version(out, step.from(), places);
        version(out, step.to(), places);
      }
      byte[] all = bytes.toByteArray();
      var digest = Digests.begin();
      digest.update(all);
      out.write(digest.digest());
    } catch (IOException e) {
      throw new IllegalStateException("Memory does not fail", e);
    }
    return bytes.toByteArray();
  }

  private static void text(DataOutputStream out, String text) throws IOException {
    byte[] bytes = ByteText.encode(text);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  private static void version(DataOutputStream out, Version version, Map<String, Long> places)
      throws IOException {
    switch (version) {
      case Version.Absent _ -> out.writeByte(ABSENT);
      case Version.Folder(var permissions) -> {
        out.writeByte(FOLDER);
        out.writeInt(permissions);
      }
      case Version.File(var content, var permissions) -> {
        out.writeByte(FILE);
        out.writeInt(permissions);
        out.writeLong(content.size());
        out.write(content.digest().getBytes(StandardCharsets.US_ASCII));
        out.writeLong(Objects.requireNonNull(places.get(content.digest())));
      }
      case Version.Link(var target) -> {
        out.writeByte(LINK);
        text(out, target);
      }
      case Version.Special _ -> throw new IllegalStateException("Nobody plans to make a device");
    }
  }

  /** Gives the content of which this much lies from this place on. */
  @FunctionalInterface
  interface Contents {
    Content at(long place, long size, String digest);
  }

  static JournalEntry decode(byte[] bytes, Contents contents) throws IOException {
    int length = bytes.length - DIGEST_BYTES;
    var digest = Digests.begin();
    if (length > 0) {
      digest.update(bytes, 0, length);
    }
    if (length <= 0
        || !Arrays.equals(digest.digest(), Arrays.copyOfRange(bytes, length, bytes.length))) {
      throw new IOException("A journal of what was applied is damaged");
    }
    var in = new DataInputStream(new ByteArrayInputStream(bytes, 0, length));
    String kind = text(in);
    if (!kind.equals(KIND)) {
      throw new IOException("A journal of what was applied is of another version: " + kind);
    }
    String id = text(in);
    String undoes = text(in);
    int count = in.readInt();
    var steps = new ArrayList<Step>();
    for (int i = 0; i < count; i++) {
      steps.add(new Step(new TreePath(text(in)), version(in, contents), version(in, contents)));
    }
    return new JournalEntry(id, undoes, steps);
  }

  private static String text(DataInputStream in) throws IOException {
    return ByteText.decode(in.readNBytes(in.readInt()));
  }

  private static Version version(DataInputStream in, Contents contents) throws IOException {
    byte kind = in.readByte();
    return switch (kind) {
      case ABSENT -> new Version.Absent();
      case FOLDER -> new Version.Folder(in.readInt());
      case LINK -> new Version.Link(text(in));
      case FILE -> {
        int permissions = in.readInt();
        long size = in.readLong();
        String digest = new String(in.readNBytes(2 * DIGEST_BYTES), StandardCharsets.US_ASCII);
        yield new Version.File(contents.at(in.readLong(), size, digest), permissions);
      }
      default -> throw new IOException("A journal of what was applied is damaged");
    };
  }
}
