package dev.cove.control.build;

import dev.cove.control.Fingerprint;
import dev.cove.guest.Guest;
import dev.cove.guest.GuestFiles;
import dev.cove.model.CoveException;
import dev.cove.model.LayerId;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;

/** Carries out the steps of one stage, or finds what they gave before. */
final class StageRun {
  private final Builder builder;
  private final BuildPlan.Stages plan;
  private final List<Foundation> done;
  private final int stage;
  private Foundation now;
  private Variables variables;

  StageRun(
      Builder builder, BuildPlan.Stages plan, List<Foundation> done, int stage, Foundation from) {
    this.builder = builder;
    this.plan = plan;
    this.done = done;
    this.stage = stage;
    this.now = from;
    this.variables =
        Variables.atStart(plan.arguments(), plan.dockerfile().globals(), from.settings().env());
  }

  void carryOut(Step raw, BuildLog.Progress progress) {
    Step step = raw.expand(variables);
    try {
      carryOutExpanded(step, progress);
    } catch (BuildException e) {
      throw e;
    } catch (IOException | UncheckedIOException e) {
      throw new BuildException(step.line(), "the files cannot be read: " + e.getMessage());
    } catch (CoveException e) {
      throw new BuildException(
          e.code(), "Line %d (%.200s): %s".formatted(step.line(), step.text(), e.getMessage()));
    }
    variables = variables.after(step);
  }

  private void carryOutExpanded(Step step, BuildLog.Progress progress) throws IOException {
    Settings settings = now.settings();
    switch (step) {
      case Step.Run run -> run(run, progress);
      case Step.Copy copy -> copy(copy, progress);
      case Step.Workdir workdir -> workdir(workdir, progress);
      case Step.Env env -> settle(progress, settings.withEnv(env.values()));
      case Step.User user -> settle(progress, settings.withUser(user.user()));
      case Step.Entrypoint entrypoint ->
          settle(progress, settings.withEntrypoint(entrypoint.argv()));
      case Step.Cmd cmd -> settle(progress, settings.withCommand(cmd.argv()));
      case Step.Argument _, Step.Expose _, Step.Shell _ -> settle(progress, settings);
      case Step.Ignored ignored -> {
        settle(progress, settings);
        builder.log().output(ignored.reason() + "\n");
      }
    }
  }

  private void settle(BuildLog.Progress progress, Settings settings) {
    builder.log().step(progress);
    now = now.with(settings);
  }

  /** Names what a step gives by what goes into it: all that is there, and what the step says. */
  private Fingerprint key(String kind) {
    return new Fingerprint().add(now.key()).add(kind);
  }

  private void run(Step.Run run, BuildLog.Progress progress) throws IOException {
    Settings settings = now.settings();
    String key =
        key("run")
            .add(run.argv())
            .add(settings.user())
            .add(settings.cwd())
            .add(settings.env())
            .add(variables.arguments())
            .hex();
    change(
        key,
        run,
        progress,
        guest ->
            new StepRun(guest, settings, variables.arguments(), builder.log()).run(run.argv()));
  }

  /** A command must find its folder there. */
  private void workdir(Step.Workdir workdir, BuildLog.Progress progress) throws IOException {
    String path = "/" + EntryPath.resolve(now.settings().cwd(), workdir.path());
    String key = key("workdir").add(path).hex();
    change(key, workdir, progress, guest -> guest.files("root").mkdir(path, 0755, true));
    now = now.with(now.settings().withCwd(path));
  }

  private void copy(Step.Copy copy, BuildLog.Progress progress) throws IOException {
    if (copy.fromStage().isPresent()) {
      copyFromStage(copy, progress);
      return;
    }
    BuildContext context =
        plan.context()
            .orElseThrow(() ->
                new BuildException(
                    copy.line(), "COPY needs files, and none were sent with the request"));
    Owner owner = owner(copy);
    String key = key("copy").add(select(context, copy, owner).digest()).hex();
    change(key, copy, progress, guest -> fill(guest.files("root"), context, copy, owner));
  }

  private Selection select(BuildContext context, Step.Copy copy, Owner owner) throws IOException {
    return context.select(copy, cwd(), owner.uid(), owner.gid());
  }

  private void fill(GuestFiles files, BuildContext context, Step.Copy copy, Owner owner)
      throws IOException {
    boolean folder = Targets.isFolder(files, copy, cwd());
    Selection selection = select(context, folder ? copy.intoFolder() : copy, owner);
    Targets.make(files, selection.folder());
    try (InputStream tar = selection.tar()) {
      files.unpack("/", tar, Workplace.FILES);
    }
    for (Selection.Archive archive : selection.archives()) {
      try (InputStream tar = archive.tar()) {
        files.unpack("/", tar, Workplace.FILES);
      }
    }
  }

  private void copyFromStage(Step.Copy copy, BuildLog.Progress progress) throws IOException {
    Foundation from = builder.origin(plan, copy.fromStage().orElseThrow(), stage, done);
    Owner owner = owner(copy);
    String key =
        key("copy from")
            .add(from.key())
            .add(copy.sources())
            .add(CopyTarget.of(copy, cwd()).toString())
            .add(owner.toString())
            .add(copy.mode().toString())
            .hex();
    change(
        key,
        copy,
        progress,
        guest -> {
          try (Workplace there = builder.anotherWorkplace()) {
            GuestFiles source = there.on(from.base(), from.layers()).files("root");
            new StageCopy(source, guest.files("root"), copy, cwd(), owner).run();
          }
        });
  }

  private String cwd() {
    return now.settings().cwd().isEmpty() ? "/" : now.settings().cwd();
  }

  /** Whom the files belong to that a COPY brings. */
  record Owner(long uid, long gid) {}

  private Owner owner(Step.Copy copy) {
    if (copy.owner().isEmpty()) {
      return new Owner(0, 0);
    }
    String[] parts = copy.owner().get().split(":", 2);
    var accounts = new Accounts(() -> guestNow().files("root"), copy.line());
    long[] user = accounts.user(parts[0]);
    long group = parts.length == 2 ? accounts.group(parts[1]) : user[1];
    return new Owner(user[0], group);
  }

  private Guest guestNow() {
    return builder.workplace().on(now.base(), now.layers());
  }

  /** Something that changes files. */
  private interface Work {
    void in(Guest guest) throws IOException;
  }

  private void change(String key, Step step, BuildLog.Progress progress, Work work)
      throws IOException {
    boolean afresh = plan.afresh().isPresent() && step.line() >= plan.afresh().getAsInt();
    Optional<List<LayerId>> known = afresh ? Optional.empty() : builder.layers().find(key);
    builder
        .log()
        .step(
            new BuildLog.Progress(
                progress.number(), progress.of(), progress.text(), known.isPresent()));
    if (known.isPresent()) {
      now = now.on(known.get(), key);
      return;
    }
    boolean whole = false;
    try {
      work.in(guestNow());
      whole = true;
    } finally {
      if (!whole) {
        builder.workplace().close(); // half a step is none
      }
    }
    now = now.on(builder.layers().keep(key, builder.workplace()), key);
  }

  Foundation finish() {
    return now;
  }
}
