package dev.cove.cli;

import dev.cove.sdk.CheckpointRules;
import dev.cove.sdk.Cove;
import dev.cove.sdk.CreateOptions;
import dev.cove.sdk.Network;
import dev.cove.sdk.SecretBinding;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a new sandbox is to be. */
final class CreateFlags {
  private Optional<String> name = Optional.empty();

  private Optional<String> template = Optional.empty();

  private Optional<String> image = Optional.empty();

  private Optional<String> checkpoint = Optional.empty();

  private Optional<String> tier = Optional.empty();

  private List<String> required = List.of();

  private final LimitFlags limits = new LimitFlags();

  private Map<String, String> labels = Map.of();

  private List<String> volumes = List.of();

  private final ProjectFolders projects = new ProjectFolders();

  private final NetworkFlags network = new NetworkFlags();

  private List<SecretBinding> secrets = List.of();

  private final List<SecretBinding> moreSecrets = new ArrayList<>();

  private Optional<String> group = Optional.empty();

  private List<String> groupPorts = List.of();

  private Optional<String> start = Optional.empty();

  private Optional<String> idempotencyKey = Optional.empty();

  private final LifeFlags life = new LifeFlags();

  private final RuleFlags rules = new RuleFlags("--checkpoint-");

  void describe(Description verb) {
    verb.text("--name", "NAME", "A name, unique on the server.", v -> name = Optional.of(v))
        .text(
            "--template",
            "TEMPLATE",
            "What its files start from; default 'host': this machine's own programs. 'debian' is"
                + " made on first use.",
            v -> template = Optional.of(v))
        .text(
            "--image",
            "REF",
            "An image of a registry to start from, such as alpine:3.22; fetched on first use.",
            v -> image = Optional.of(v))
        .text(
            "--checkpoint",
            "ID",
            "A checkpoint to start from; template and disk are then its own, and so is the tier"
                + " unless another is named.",
            v -> checkpoint = Optional.of(v))
        .text(
            "--tier",
            "TIER",
            "What holds it: 'container', 'gvisor' or 'microvm'; cove tiers shows what they are"
                + " here.",
            v -> tier = Optional.of(v))
        .texts(
            "--require",
            RequireFlag.LABEL,
            "The least that must hold it, or it is not made; may be given often.",
            v -> required = v)
        .with(limits::describe)
        .texts(
            "--volume",
            "NAME:/PATH[:ro]",
            "A volume at that folder, to write to or read-only; may be given often.",
            v -> volumes = v)
        .with(projects::describe)
        .with(network::describe)
        .values(
            "--secret",
            SecretFlag.LABEL,
            "A secret that goes into what it sends to that host, while inside there is only a"
                + " placeholder; PLACE is bearer (default), basic:USER, header:NAME, query:NAME or"
                + " body:NAME; may be given often.",
            new SecretFlag(),
            SecretBinding.class,
            v -> secrets = v)
        .text(
            "--group",
            "NAME",
            "Sandboxes of one group reach each other by their names.",
            v -> group = Optional.of(v))
        .texts(
            "--group-port",
            "PORT|LOW-HIGH",
            "A port that it offers to its group; may be given often. Without it, all.",
            v -> groupPorts = v)
        .text(
            "--start",
            "COMMAND",
            "A command line for sh that runs from its start on; cove logs shows what it says.",
            v -> start = Optional.of(v))
        .pairs("--label", "A label; may be given often.", v -> labels = v)
        .text(
            "--idempotency-key",
            "KEY",
            "The same key gives the same sandbox, however often it is sent.",
            v -> idempotencyKey = Optional.of(v))
        .with(life::describe)
        .with(rules::describe);
  }

  ProjectFolders projects() {
    return projects;
  }

  NetworkFlags network() {
    return network;
  }

  void template(String reference) {
    template = Optional.of(reference);
  }

  /** One more than was said. */
  void also(SecretBinding binding) {
    moreSecrets.add(binding);
  }

  /**
   * Takes a project's settings where nothing else was said.
   *
   * @return whether it is said what the sandbox starts from
   */
  boolean defaultTo(ProjectSettings settings) {
    if (template.isEmpty() && image.isEmpty() && checkpoint.isEmpty()) {
      template = settings.template();
      image = settings.image();
    }
    limits.defaultTo(settings);
    projects.alsoHide(settings.hide());
    network.also(settings.presets(), settings.allow());
    return template.isPresent() || image.isPresent() || checkpoint.isPresent();
  }

  /** Whether what it starts from may say itself what is to run. */
  boolean mayHaveEntrypoint() {
    return template.isPresent() || image.isPresent();
  }

  /**
   * Makes what the sandbox starts from if that is not there yet and the server knows how. The
   * server would do so by itself, but without a word.
   *
   * @return the template, where it can be known before there is a sandbox
   */
  Optional<dev.cove.sdk.Template> provide(Cove cove, Session session) {
    if (template.isPresent() && image.isPresent()) {
      throw new Misuse("Give --template or --image, not both");
    }
    if (checkpoint.isPresent()) {
      return Optional.empty();
    }
    var firstUse = new FirstUse(cove.templates(), session);
    return image.isPresent()
        ? firstUse.ofImage(image.get())
        : template.flatMap(firstUse::ofTemplate);
  }

  /** Variables come from the verb: they mean the sandbox's in create, the command's in run. */
  CreateOptions options(Map<String, String> env) {
    CreateOptions options = CreateOptions.defaults();
    options = with(options, name, CreateOptions::name);
    options = with(options, template, CreateOptions::template);
    options = with(options, image, CreateOptions::image);
    options = with(options, checkpoint, CreateOptions::checkpoint);
    options = with(options, tier, CreateOptions::tier);
    for (String guarantee : required) {
      options = RequireFlag.apply(guarantee, options);
    }
    options = with(options, limits.limits().cpus(), CreateOptions::cpus);
    options = with(options, limits.limits().memoryMb(), CreateOptions::memoryMb);
    options = with(options, limits.limits().diskMb(), CreateOptions::diskMb);
    options = with(options, limits.limits().maxProcesses(), CreateOptions::maxProcesses);
    options = with(options, idempotencyKey, CreateOptions::idempotencyKey);
    options =
        with(
            options,
            rules.change().map(change -> change.apply(CheckpointRules.usual())),
            CreateOptions::checkpointRules);
    options = with(options, network.change(Network.denying()), CreateOptions::network);
    var bindings = new ArrayList<>(secrets);
    bindings.addAll(moreSecrets);
    for (SecretBinding binding : SecretFlag.merged(bindings)) {
      options = options.secret(binding);
    }
    options = with(options, life.change(), CreateOptions::life);
    options = with(options, start, (o, line) -> o.start("sh", "-c", line));
    options = with(options, group, CreateOptions::group);
    if (!groupPorts.isEmpty()) {
      options = options.groupPorts(groupPorts.toArray(String[]::new));
    }
    options = projects.addTo(options);
    for (String text : volumes) {
      VolumeFlag flag = VolumeFlag.parse(text);
      options = options.volume(flag.volume(), flag.target(), flag.readOnly());
    }
    for (var label : labels.entrySet()) {
      options = options.label(label.getKey(), label.getValue());
    }
    for (var variable : env.entrySet()) {
      options = options.env(variable.getKey(), variable.getValue());
    }
    return options;
  }

  private interface Setter<T> {
    CreateOptions set(CreateOptions options, T value);
  }

  private static <T> CreateOptions with(
      CreateOptions options, Optional<T> value, Setter<T> setter) {
    return value.isPresent() ? setter.set(options, value.get()) : options;
  }
}
