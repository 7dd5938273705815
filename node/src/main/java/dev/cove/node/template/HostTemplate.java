package dev.cove.node.template;

import dev.cove.engine.RootFs;
import dev.cove.engine.RootFs.Graft;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The template {@code host}: the host's own programs, nothing of its people.
 *
 * <p>The host's /usr is grafted as it is. Everything else comes from a skeleton folder made here:
 * the configuration files on {@link HostFiles}' list, the package database, and accounts of its
 * own. The skeleton's folder is named after a fingerprint of what it was made from, so a package
 * that the host installs leads to a new one, and a half-made one is never found.
 */
final class HostTemplate {
  private static final Logger LOG = LoggerFactory.getLogger(HostTemplate.class);
  private static final Duration RECHECK = Duration.ofSeconds(10);
  private static final List<String> USR_MERGED = List.of("bin", "sbin", "lib", "lib32", "lib64");

  private final Path host;
  private final Path folder;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  private @Nullable RootFs current;
  private String fingerprint = "";
  private long checkedAtNanos;

  HostTemplate(Path host, Path folder) {
    this.host = host;
    this.folder = folder;
  }

  RootFs current() {
    lock.lock();
    try {
      RootFs known = current;
      if (known != null && System.nanoTime() - checkedAtNanos < RECHECK.toNanos()) {
        return known;
      }
      var files = new HostFiles(host);
      String now = files.fingerprint();
      checkedAtNanos = System.nanoTime();
      if (known == null || !now.equals(fingerprint)) {
        known = build(files, now);
        current = known;
        fingerprint = now;
      }
      return known;
    } catch (IOException e) {
      throw new CoveException(
          ErrorCode.UNAVAILABLE, "The template host could not be made: " + e.getMessage(), e);
    } finally {
      lock.unlock();
    }
  }

  private RootFs build(HostFiles files, String version) throws IOException {
    Path finished = folder.resolve(version);
    if (!Files.isDirectory(finished)) {
      long start = System.nanoTime();
      Path unfinished = folder.resolve(version + ".partial");
      Trees.remove(unfinished);
      Files.createDirectories(unfinished);
      files.copyTo(unfinished);
      Skeleton.complete(unfinished);
      linkMergedFolders(unfinished);
      Files.move(unfinished, finished, StandardCopyOption.ATOMIC_MOVE);
      LOG.info("template host built in {} ms", (System.nanoTime() - start) / 1_000_000);
    }
    return new RootFs(List.of(finished), grafts());
  }

  /** /bin and friends are links into /usr on merged systems and folders of their own elsewhere. */
  private void linkMergedFolders(Path root) throws IOException {
    for (String name : USR_MERGED) {
      Path onHost = host.resolve(name);
      if (Files.isSymbolicLink(onHost)) {
        Files.createSymbolicLink(root.resolve(name), Files.readSymbolicLink(onHost));
      } else if (Files.isDirectory(onHost)) {
        Files.createDirectory(root.resolve(name));
      }
    }
    Files.createDirectory(root.resolve("usr"));
  }

  private List<Graft> grafts() {
    var grafts = new ArrayList<Graft>();
    grafts.add(new Graft("/usr", host.resolve("usr")));
    for (String name : USR_MERGED) {
      Path onHost = host.resolve(name);
      if (Files.isDirectory(onHost, LinkOption.NOFOLLOW_LINKS)) {
        grafts.add(new Graft("/" + name, onHost));
      }
    }
    return List.copyOf(grafts);
  }

  void removeOldVersions() {
    lock.lock();
    try (var versions = Files.newDirectoryStream(folder)) {
      String wanted = new HostFiles(host).fingerprint();
      for (Path version : versions) {
        if (!version.endsWith(wanted)) {
          Trees.remove(version);
        }
      }
    } catch (NoSuchFileException e) {
      LOG.debug("no template has been built yet");
    } catch (IOException e) {
      LOG.warn("an old version of the template host could not be removed: {}", e.getMessage());
    } finally {
      lock.unlock();
    }
  }
}
