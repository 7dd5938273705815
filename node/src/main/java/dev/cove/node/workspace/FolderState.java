package dev.cove.node.workspace;

import dev.cove.model.file.ByteText;
import dev.cove.review.base.KeptBases;
import dev.cove.review.hide.HiddenSearch;
import dev.cove.review.tree.TreePath;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What is kept about one folder in one sandbox: when it was opened, what is hidden, and the bases.
 *
 * @param folder for this alone
 */
record FolderState(Path folder) {
  /** A kernel rounds times down to its tick. */
  private static final Duration TICK = Duration.ofMillis(10);

  /**
   * Since when host files count as changed. File systems that can be id-mapped are this machine's
   * own, so their times come from this clock. The first time holds for good: what was written since
   * was made from what was there then.
   */
  Instant openedAt() throws IOException {
    return Instant.parse(Files.readString(folder.resolve("opened")));
  }

  boolean isOpened() {
    return Files.exists(folder.resolve("opened"));
  }

  void open(Instant now) throws IOException {
    if (!isOpened()) {
      Files.createDirectories(folder);
      replace("opened", now.minus(TICK).toString().getBytes(StandardCharsets.US_ASCII));
    }
  }

  /** Of files that come from elsewhere: nothing is known of what they were made from. */
  void openUnknown() throws IOException {
    open(Instant.EPOCH.plus(TICK));
  }

  void hide(HiddenSearch.Hidden hidden) throws IOException {
    Files.createDirectories(folder);
    replace("hidden", encode(hidden.found()));
    replace("hidden-always", encode(hidden.always()));
  }

  private void replace(String name, byte[] bytes) throws IOException {
    Path fresh = folder.resolve(name + ".new");
    Files.write(fresh, bytes);
    Files.move(fresh, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
  }

  private static byte[] encode(List<TreePath> paths) {
    var bytes = new ByteArrayOutputStream();
    for (TreePath path : paths) {
      bytes.writeBytes(ByteText.encode(path.text()));
      bytes.write(0);
    }
    return bytes.toByteArray();
  }

  List<TreePath> hidden() throws IOException {
    return decode("hidden");
  }

  private List<TreePath> decode(String name) throws IOException {
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(folder.resolve(name));
    } catch (NoSuchFileException e) {
      return List.of(); // it never started
    }
    var paths = new ArrayList<TreePath>();
    int from = 0;
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] == 0) {
        paths.add(new TreePath(ByteText.decode(Arrays.copyOfRange(bytes, from, i))));
        from = i + 1;
      }
    }
    return paths;
  }

  /** Which paths of the host the sandbox does not see. */
  Predicate<TreePath> isHidden() throws IOException {
    var all = new HashSet<>(hidden());
    all.addAll(decode("hidden-always"));
    return path -> {
      for (TreePath at = path; !at.isRoot(); at = at.parent()) {
        if (all.contains(at)) {
          return true;
        }
      }
      return false;
    };
  }

  KeptBases bases() throws IOException {
    return KeptBases.open(folder.resolve("bases"));
  }

  Optional<Instant> findOpenedAt() throws IOException {
    return isOpened() ? Optional.of(openedAt()) : Optional.empty();
  }
}
