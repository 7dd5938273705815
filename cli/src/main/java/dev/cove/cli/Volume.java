package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.VolumeFiles;
import dev.cove.sdk.Volumes;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** Makes, lists, copies and removes volumes. */
final class Volume {
  private Volume() {}

  static CommandSpec describe(Session session) {
    return Description.ofGroup("Keep files that outlive sandboxes.")
        .verb("create", Create.describe(session))
        .verb("ls", Ls.describe(session))
        .verb("inspect", Inspect.describe(session))
        .verb("cp", Cp.describe(session))
        .verb("checkpoint", Keep.describe(session))
        .verb("fork", Fork.describe(session))
        .verb("rm", Rm.describe(session))
        .examples(
            "cove volume create notes --size 1G",
            "cove run --volume notes:/data -- sh -c 'date >> /data/log'",
            "cove volume cp notes:/log -")
        .note("One sandbox may write to a volume, or any number may read it.")
        .build();
  }

  private static Integer make(Session session, boolean json, Making making) {
    try (Cove cove = session.connect()) {
      dev.cove.sdk.Volume made = making.with(cove.volumes());
      session.println(json ? made.toJson() : made.id());
    }
    return ExitCode.OK;
  }

  private interface Making {
    dev.cove.sdk.Volume with(Volumes volumes);
  }

  private static final class Create implements Callable<Integer> {
    private static final int USUAL_MB = 1_024;

    private final Session session;

    private String name = "";

    private int sizeMb = USUAL_MB;

    private boolean json;

    private Create(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var create = new Create(session);
      return Description.of(create, "Make an empty volume and print its id.")
          .value(
              "--size",
              "SIZE",
              "How much it can hold: 512M, 2G, or a number of megabytes; default 1G.",
              new Megabytes(),
              Megabytes.Size.class,
              size -> create.sizeMb = size.count())
          .flag("--json", "Print the whole volume as JSON.", () -> create.json = true)
          .parameter("NAME", "A name, unique on the server.", name -> create.name = name)
          .build();
    }

    @Override
    public Integer call() {
      return make(session, json, volumes -> volumes.create(name, sizeMb));
    }
  }

  private static final class Fork implements Callable<Integer> {
    private final Session session;

    private String from = "";

    private String name = "";

    private boolean json;

    private Fork(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var fork = new Fork(session);
      return Description.of(fork, "Make a volume that begins with what another holds.")
          .flag("--json", "Print the whole volume as JSON.", () -> fork.json = true)
          .parameter("VOLUME", "A volume's id or name, or a checkpoint's id.", v -> fork.from = v)
          .parameter("NAME", "What to call the new one.", name -> fork.name = name)
          .build();
    }

    @Override
    public Integer call() {
      return make(session, json, volumes -> volumes.fork(from, name));
    }
  }

  private static final class Keep implements Callable<Integer> {
    private final Session session;

    private String volume = "";

    private boolean json;

    private Keep(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var keep = new Keep(session);
      return Description.of(keep, "Keep what a volume holds now, and print the checkpoint's id.")
          .flag("--json", "Print the whole checkpoint as JSON.", () -> keep.json = true)
          .parameter("VOLUME", "The volume's id or name.", volume -> keep.volume = volume)
          .note("'cove volume ls VOLUME' lists them; mount one read-only, or fork it.")
          .build();
    }

    @Override
    public Integer call() {
      return make(session, json, volumes -> volumes.checkpoint(volume));
    }
  }

  private static final class Ls implements Callable<Integer> {
    private final Session session;

    private Optional<String> volume = Optional.empty();

    private boolean json;

    private Ls(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var ls = new Ls(session);
      return Description.of(ls, "List volumes, or the checkpoints of one.")
          .flag("--json", "Print a JSON array.", () -> ls.json = true)
          .optionalParameter(
              "VOLUME",
              "Its checkpoints instead: the volume's id or name.",
              v -> ls.volume = Optional.of(v))
          .build();
    }

    @Override
    public Integer call() {
      try (Cove cove = session.connect()) {
        Volumes volumes = cove.volumes();
        List<dev.cove.sdk.Volume> found =
            volume.isPresent() ? volumes.checkpoints(volume.get()) : volumes.list();
        Listing.print(session, json, found, dev.cove.sdk.Volume::toJson, Ls::table);
      }
      return ExitCode.OK;
    }

    private static Table table(List<dev.cove.sdk.Volume> volumes) {
      var table = new Table("ID", "NAME", "SIZE", "ON DISK", "MOUNTED BY", "AGE");
      Instant now = Instant.now();
      for (dev.cove.sdk.Volume volume : volumes) {
        table.row(
            volume.id(),
            volume.name().orElse(""),
            Human.bytes((long) volume.sizeMb() << 20),
            Human.bytes(volume.bytes()),
            String.join(" ", volume.mountedBy()),
            Human.age(volume.createdAt(), now));
      }
      return table;
    }
  }

  private static final class Inspect implements Callable<Integer> {
    private final Session session;

    private String volume = "";

    private Inspect(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var inspect = new Inspect(session);
      return Description.of(inspect, "Print what is known of a volume as JSON.")
          .parameter(
              "VOLUME", "A volume's id or name, or a checkpoint's id.", v -> inspect.volume = v)
          .build();
    }

    @Override
    public Integer call() {
      try (Cove cove = session.connect()) {
        session.println(cove.volumes().require(volume).toJson());
      }
      return ExitCode.OK;
    }
  }

  private static final class Rm implements Callable<Integer> {
    private final Session session;

    private List<String> volumes = List.of();

    private Rm(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var rm = new Rm(session);
      return Description.of(rm, "Remove volumes that no sandbox has, or checkpoints of them.")
          .parameters("1..*", "VOLUME", "Ids or names.", volumes -> rm.volumes = volumes)
          .build();
    }

    @Override
    public Integer call() {
      return new OneByOne(session).of(volumes, (cove, volume) -> cove.volumes().delete(volume));
    }
  }

  /** One file at a time; whole trees go through a sandbox that has the volume. */
  private static final class Cp implements Callable<Integer> {
    private final Session session;

    private String from = "";

    private String to = "";

    private Cp(Session session) {
      this.session = session;
    }

    private static CommandSpec describe(Session session) {
      var cp = new Cp(session);
      return Description.of(cp, "Copy a file into a volume, or out of it, without a sandbox.")
          .parameter("FROM", "A file, VOLUME:/path, or - for our input.", v -> cp.from = v)
          .parameter("TO", "A file, VOLUME:/path, or - for our output.", v -> cp.to = v)
          .note("For folders use 'cove cp' with a sandbox that has the volume.")
          .examples("cove volume cp model.bin models:/model.bin", "cove volume cp notes:/log -")
          .build();
    }

    @Override
    public Integer call() throws IOException {
      Optional<BoxPath> source = BoxPath.find(from);
      Optional<BoxPath> target = BoxPath.find(to);
      if (source.isPresent() == target.isPresent()) {
        throw new UserError(
            "One of the two must be in a volume: cove volume cp FILE VOLUME:/path, or back");
      }
      try (Cove cove = session.connect()) {
        if (target.isPresent()) {
          copyIn(cove.volumes().files(target.get().box()), target.get().path());
        } else if (source.isPresent()) {
          copyOut(cove.volumes().files(source.get().box()), source.get().path());
        }
      }
      return ExitCode.OK;
    }

    private void copyIn(VolumeFiles files, String path) throws IOException {
      try (InputStream stream = FileInput.open(session, from)) {
        files.write(path, stream);
      }
    }

    private void copyOut(VolumeFiles files, String path) throws IOException {
      try (InputStream stream = files.read(path)) {
        if (to.equals("-")) {
          stream.transferTo(session.out());
        } else if (Files.isDirectory(Path.of(to))) {
          throw new UserError(to + " is a folder; say what the file is to be called");
        } else {
          Files.copy(stream, Path.of(to), StandardCopyOption.REPLACE_EXISTING);
        }
      }
    }
  }
}
