package dev.cove.control.build;

import dev.cove.guest.FileInfo;
import dev.cove.guest.GuestException;
import dev.cove.guest.GuestFiles;
import dev.cove.guest.GuestFiles.PackRules;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Copies files from one root file system to another, as COPY --from asks for. */
final class StageCopy {
  private static final int MAX_LISTED = 10_000;

  private final GuestFiles from;
  private final GuestFiles to;
  private final Step.Copy copy;
  private final String workdir;
  private final StageRun.Owner owner;

  StageCopy(GuestFiles from, GuestFiles to, Step.Copy copy, String workdir, StageRun.Owner owner) {
    this.from = from;
    this.to = to;
    this.copy = copy;
    this.workdir = workdir;
    this.owner = owner;
  }

  void run() {
    List<String> sources = new ArrayList<>();
    for (String source : copy.sources()) {
      sources.addAll(matches(source));
    }
    boolean folder = sources.size() > 1 || Targets.isFolder(to, copy, workdir);
    Step.Copy fitted = folder ? copy.intoFolder() : copy;
    for (String source : sources) {
      copyOne(source, fitted);
    }
  }

  private void copyOne(String source, Step.Copy fitted) {
    FileInfo info = stat(source);
    boolean isFolder = info.type() == FileInfo.Type.FOLDER;
    Targets.make(to, CopyTarget.of(fitted, workdir).folder(!isFolder));
    try (InputStream packed =
            isFolder
                ? from.pack(source, new PackRules(ImageInstall.MAX_ENTRIES))
                : one(source, info);
        InputStream tar =
            TarRewriter.rewrite(packed, isFolder, fitted, workdir, owner.uid(), owner.gid())) {
      to.unpack("/", tar, Workplace.FILES);
    } catch (IOException e) {
      throw new BuildException(copy.line(), "the files cannot be copied: " + e.getMessage());
    }
  }

  private FileInfo stat(String source) {
    try {
      return from.stat(source, true);
    } catch (GuestException e) {
      throw new BuildException(copy.line(), "%.200s is not there to be copied".formatted(source));
    }
  }

  private InputStream one(String source, FileInfo info) {
    var content = from.read(source, 0, -1);
    var item =
        new TarItem(
            EntryPath.base(source),
            TarItem.Kind.FILE,
            info.mode() & TarItem.PERMISSIONS,
            content.info().size(),
            "",
            0,
            0,
            info.modifiedAt().getEpochSecond());
    return new TarStream(
        new TarStream.Source() {
          private boolean given;

          @Override
          public Optional<TarStream.Member> next() {
            boolean first = !given;
            given = true;
            return first
                ? Optional.of(new TarStream.Member(item, content.stream()))
                : Optional.empty();
          }

          @Override
          public void close() throws IOException {
            content.close();
          }
        });
  }

  /** What a source with stars and the like in it means. */
  private List<String> matches(String source) {
    List<String> found = List.of("");
    for (String part : EntryPath.clean(source).split("/")) {
      List<String> next = new ArrayList<>();
      for (String folder : found) {
        if (Glob.isPattern(part)) {
          next.addAll(matches(folder, new Glob(part)));
        } else {
          next.add(part.isEmpty() ? folder : folder + "/" + part);
        }
      }
      found = next;
    }
    if (found.isEmpty()) {
      throw new BuildException(copy.line(), "Nothing matches %.200s".formatted(source));
    }
    return found.stream().map(path -> path.isEmpty() ? "/" : path).toList();
  }

  private List<String> matches(String folder, Glob pattern) {
    try {
      var effort = new Effort("Line %d: a source".formatted(copy.line()));
      GuestFiles.Listing listed = from.list(folder.isEmpty() ? "/" : folder, 1, MAX_LISTED);
      if (listed.truncated()) {
        throw new BuildException(
            copy.line(),
            "%.200s holds more than %d files, too many for a pattern; copy the folder"
                .formatted(folder.isEmpty() ? "/" : folder, MAX_LISTED));
      }
      return listed.entries().stream()
          .map(entry -> EntryPath.base(entry.path()))
          .filter(name -> pattern.matches(name.codePoints().toArray(), effort))
          .sorted()
          .map(name -> folder + "/" + name)
          .toList();
    } catch (GuestException _) {
      return List.of(); // no folder, so nothing in it
    }
  }
}
