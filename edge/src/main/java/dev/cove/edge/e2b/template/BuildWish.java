package dev.cove.edge.e2b.template;

import dev.cove.control.build.BuildContext;
import dev.cove.control.build.BuildPlan;
import dev.cove.control.build.BuildRequest;
import dev.cove.control.build.Dockerfile;
import dev.cove.control.build.Stage;
import dev.cove.control.build.Step;
import dev.cove.control.build.Variables;
import dev.cove.control.template.TemplateVersion.Service;
import dev.cove.edge.e2b.sandbox.TemplateNames;
import dev.cove.edge.http.Fields;
import dev.cove.model.life.LifeRules;
import dev.cove.node.image.Credentials;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What a build is to do, in E2B's five kinds of steps. */
record BuildWish(
    @Nullable String fromImage,
    @Nullable String fromTemplate,
    @Nullable Registry fromImageRegistry,
    @Nullable String startCmd,
    @Nullable String readyCmd,
    @Nullable Boolean force,
    @Nullable List<@Nullable StepBody> steps) {
  private static final String USER = "user";
  private static final String THEIR_BASE = "e2bdev/base";

  /** An account that images do not have, with the tools that they have. */
  private static final String MAKE_USER =
      "id user >/dev/null 2>&1 || useradd -m -s /bin/bash user 2>/dev/null"
          + " || adduser -D -s /bin/bash user";

  record Registry(@Nullable String type, @Nullable String username, @Nullable String password) {
    Credentials credentials() {
      if (!"registry".equals(type)) {
        throw new IllegalArgumentException("Only registries with user and password are supported");
      }
      return new Credentials(
          Fields.require("fromImageRegistry.username", username),
          Fields.require("fromImageRegistry.password", password));
    }

    @Override
    public String toString() {
      return "credentials";
    }
  }

  record StepBody(
      @Nullable String type,
      @Nullable List<@Nullable String> args,
      @Nullable String filesHash,
      @Nullable Boolean force) {}

  List<StepBody> list() {
    List<@Nullable StepBody> given = steps == null ? List.of() : steps;
    if (given.size() > Dockerfile.MAX_STEPS / 4) {
      throw new IllegalArgumentException("There are too many steps");
    }
    return given.stream().map(step -> Fields.require("An item of steps", step)).toList();
  }

  /** The archives that its COPY steps take files from. */
  List<String> archives() {
    return list().stream().map(StepBody::filesHash).filter(Objects::nonNull).distinct().toList();
  }

  private boolean isImage() {
    return fromImage != null && !fromImage.startsWith(THEIR_BASE);
  }

  /** What the steps are carried out on. */
  String base(TemplateNames names) {
    return isImage()
        ? Objects.requireNonNull(fromImage)
        : names.foundation(fromTemplate == null ? "base" : fromTemplate);
  }

  BuildRequest request(BuildJob job, TemplateNames names, Optional<BuildContext> context) {
    boolean image = isImage();
    String from = base(names);
    var stage =
        new Stage(Optional.empty(), from, translated(image, image || names.hasFolder(from)));
    var plan =
        new BuildPlan.Stages(
            new Dockerfile(List.of(stage), Map.of()),
            Map.of(),
            context,
            Optional.ofNullable(fromImageRegistry).map(Registry::credentials),
            afresh());
    return new BuildRequest(
        job.template(),
        job.tags(),
        plan,
        Map.of(),
        Optional.empty(),
        Optional.empty(),
        service(),
        Optional.empty(),
        LifeRules.SILENT,
        job.limits());
  }

  /** Steps have their number for a line; clients force all that follow one that is forced. */
  private OptionalInt afresh() {
    if (Boolean.TRUE.equals(force)) {
      return OptionalInt.of(1);
    }
    List<StepBody> all = list();
    return IntStream.range(0, all.size())
        .filter(i -> Boolean.TRUE.equals(all.get(i).force()))
        .map(i -> i + 1)
        .findFirst();
  }

  private Service service() {
    if (startCmd == null || startCmd.isBlank()) {
      return Service.NONE;
    }
    return new Service(
        List.of("/bin/bash", "-l", "-c", startCmd),
        readyCmd == null || readyCmd.isBlank()
            ? List.of()
            : List.of("/bin/bash", "-l", "-c", readyCmd));
  }

  /**
   * @param placed whether there is a working folder; without one, a relative path begins at home
   */
  private List<Step> translated(boolean image, boolean placed) {
    var all = new ArrayList<Step>();
    if (image) {
      all.add(new Step.User(1, "user root", "root"));
      all.add(new Step.Run(1, "add user", List.of("/bin/sh", "-c", MAKE_USER)));
      all.add(new Step.User(1, "user " + USER, USER));
      all.add(new Step.Workdir(1, "workdir /home/user", "/home/user"));
    }
    String user = USER;
    boolean settled = placed;
    List<StepBody> list = list();
    for (int i = 0; i < list.size(); i++) {
      int line = i + 1;
      StepBody step = list.get(i);
      List<String> args = Fields.textList("args", step.args());
      switch (Fields.require("type", step.type())) {
        case "RUN" -> {
          String command = argument(args, 0);
          String as = args.size() > 1 && !args.get(1).isEmpty() ? args.get(1) : user;
          var run = new Step.Run(line, "RUN " + command, List.of("/bin/bash", "-l", "-c", command));
          if (as.equals(user)) {
            all.add(run);
          } else {
            all.add(new Step.User(line, "as " + as, Variables.literal(as)));
            all.add(run);
            all.add(new Step.User(line, "as " + user, Variables.literal(user)));
          }
        }
        case "COPY" -> all.add(copy(line, args, user, settled));
        case "ENV" -> all.add(env(line, args));
        case "WORKDIR" -> {
          String folder = settled ? argument(args, 0) : atHome(argument(args, 0), user);
          settled = true;
          all.add(new Step.Workdir(line, "WORKDIR " + folder, Variables.literal(folder)));
        }
        case "USER" -> {
          user = argument(args, 0);
          all.add(new Step.User(line, "USER " + user, Variables.literal(user)));
        }
        default ->
            throw new IllegalArgumentException(
                "Step %d is none of RUN, COPY, ENV, WORKDIR and USER".formatted(line));
      }
    }
    return all;
  }

  private static String atHome(String path, String user) {
    String home = user.equals("root") ? "/root" : "/home/" + user;
    return path.startsWith("/") ? path : home + "/" + path;
  }

  private static Step copy(int line, List<String> args, String user, boolean settled) {
    String source = argument(args, 0);
    String target = settled ? argument(args, 1) : atHome(argument(args, 1), user);
    String owner = args.size() > 2 && !args.get(2).isEmpty() ? args.get(2) : user;
    OptionalInt mode =
        args.size() > 3 && args.get(3).matches("0?[0-7]{3,4}")
            ? OptionalInt.of(Integer.parseInt(args.get(3), 8))
            : OptionalInt.empty();
    return new Step.Copy(
        line,
        "COPY " + source + " " + target,
        Optional.empty(),
        List.of(Variables.literal(source)),
        Variables.literal(target),
        Optional.of(Variables.literal(owner)),
        mode,
        false);
  }

  private static Step env(int line, List<String> args) {
    var values = new LinkedHashMap<String, String>();
    for (int i = 0; i + 1 < args.size(); i += 2) {
      values.put(args.get(i), args.get(i + 1));
    }
    return new Step.Env(line, "ENV " + String.join(" ", values.keySet()), values);
  }

  private static String argument(List<String> args, int index) {
    if (args.size() <= index) {
      throw new IllegalArgumentException("A step has too few args");
    }
    return args.get(index);
  }
}
