package dev.cove.control.template;

import dev.cove.control.layer.LayerHolder;
import dev.cove.control.layer.Layers;
import dev.cove.control.ledger.Ledger;
import dev.cove.control.ledger.Micros;
import dev.cove.control.project.Scope;
import dev.cove.control.template.TemplateVersion.Content;
import dev.cove.control.template.TemplateVersion.Service;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.LayerId;
import dev.cove.model.ProjectName;
import dev.cove.model.ResourceWish;
import dev.cove.model.SandboxTemplate;
import dev.cove.model.crash.FailPoint;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;

/** The templates that there are, as the ledger knows them. Safe for use by many threads. */
public final class Catalogue implements LayerHolder {
  /** Needs no making and cannot be removed. */
  public static final TemplateVersion HOST =
      new TemplateVersion(
          ProjectName.DEFAULT,
          SandboxTemplate.HOST.name(),
          1,
          "this host's own programs",
          Instant.EPOCH,
          new Content(
              SandboxTemplate.HOST, Map.of(), List.of(), Service.NONE, ResourceWish.NOTHING));

  private static final int MAX_VERSIONS = 10_000;

  private final TemplateLedger rows;
  private final Layers layers;
  private final Clock clock;
  private final Map<OwnName, Entry> entries = new TreeMap<>();

  /** Two projects may call theirs the same. */
  private record OwnName(ProjectName project, String name) implements Comparable<OwnName> {
    private static final Comparator<OwnName> ORDER =
        Comparator.comparing(OwnName::name).thenComparing(OwnName::project);

    static OwnName of(TemplateVersion version) {
      return new OwnName(version.project(), version.name());
    }

    @Override
    public int compareTo(OwnName other) {
      return ORDER.compare(this, other);
    }
  }

  private static final class Entry {
    private final NavigableMap<Integer, TemplateVersion> versions = new TreeMap<>();
    private final Map<String, Integer> tags = new TreeMap<>();

    Optional<TemplateVersion> find(TemplateReference reference) {
      Integer number =
          reference
              .version()
              .orElseGet(() -> tags.get(reference.tag().orElse(TemplateReference.LATEST)));
      return number == null ? Optional.empty() : Optional.ofNullable(versions.get(number));
    }
  }

  public Catalogue(Ledger ledger, Layers layers, Clock clock) {
    this.rows = new TemplateLedger(ledger);
    this.layers = layers;
    this.clock = clock;
    for (TemplateVersion version : rows.versions()) {
      entry(OwnName.of(version)).versions.put(version.number(), version);
    }
    rows.tags()
        .forEach(tag ->
            entry(new OwnName(tag.project(), tag.name())).tags.put(tag.tag(), tag.version()));
    layers.register(this);
  }

  private Entry entry(OwnName name) {
    return entries.computeIfAbsent(name, _ -> new Entry());
  }

  @Override
  public String kind() {
    return "template";
  }

  @Override
  public synchronized Map<String, Set<LayerId>> holds() {
    var held = new HashMap<String, Set<LayerId>>();
    for (Entry entry : entries.values()) {
      for (TemplateVersion version : entry.versions.values()) {
        String prefix = version.project().isDefault() ? "" : version.project() + "/";
        held.put(prefix + version.reference(), Set.copyOf(version.layers()));
      }
    }
    return held;
  }

  /** Does something with a version, whose layers stay meanwhile. */
  public <T> T using(String reference, Function<TemplateVersion, T> work) {
    return layers.using(() -> work.apply(require(reference)));
  }

  /**
   * The version that is meant.
   *
   * @throws CoveException INVALID_REQUEST when it is no reference, NOT_FOUND when there is none
   */
  public TemplateVersion require(String reference) {
    return find(reference)
        .orElseThrow(() ->
            new CoveException(
                ErrorCode.NOT_FOUND,
                "There is no template %s; cove template ls shows those that there are, and cove"
                        .formatted(reference)
                    + " template build makes one."));
  }

  /** The caller's own comes first; those of the default project are for all to begin with. */
  public synchronized Optional<TemplateVersion> find(String text) {
    TemplateReference reference = valid(() -> TemplateReference.parse(text));
    if (reference.name().equals(HOST.name())) {
      return Optional.of(HOST);
    }
    Entry entry = entries.get(new OwnName(Scope.here(), reference.name()));
    if (entry == null) {
      entry = entries.get(new OwnName(ProjectName.DEFAULT, reference.name()));
    }
    return entry == null ? Optional.empty() : entry.find(reference);
  }

  /**
   * A version with the tags that point to it.
   *
   * @param builtIn it cannot be removed
   */
  public record Listed(TemplateVersion version, Set<String> tags, boolean builtIn) {}

  /** Those that the caller may begin with, by name, then the newest first. */
  public synchronized List<Listed> list() {
    var listed = new ArrayList<Listed>();
    listed.add(new Listed(HOST, Set.of(TemplateReference.LATEST), true));
    entries.forEach((name, entry) -> {
      if (name.project().isDefault() || Scope.covers(name.project())) {
        for (TemplateVersion version : entry.versions.descendingMap().values()) {
          listed.add(new Listed(version, tagsOf(entry, version.number()), false));
        }
      }
    });
    return List.copyOf(listed);
  }

  public synchronized Listed show(String reference) {
    TemplateVersion version = require(reference);
    if (version.equals(HOST)) {
      return new Listed(HOST, Set.of(TemplateReference.LATEST), true);
    }
    return new Listed(version, tagsOf(entry(OwnName.of(version)), version.number()), false);
  }

  private static Set<String> tagsOf(Entry entry, int number) {
    var tags = new TreeSet<String>();
    entry.tags.forEach((tag, pointsTo) -> {
      if (pointsTo == number) {
        tags.add(tag);
      }
    });
    return tags;
  }

  /** Adds the next version of a name; the tags and {@code latest} point to it from now on. */
  public synchronized TemplateVersion add(
      String name, Collection<String> tags, String origin, Content content) {
    valid(() -> TemplateReference.requireName(name));
    requireNotBuiltIn(name);
    if (entries.values().stream().mapToInt(e -> e.versions.size()).sum() >= MAX_VERSIONS) {
      throw new CoveException(
          ErrorCode.NO_ROOM, "There are too many versions of templates; remove some of them.");
    }
    Set<String> all = new TreeSet<>(tags);
    all.forEach(tag -> valid(() -> TemplateReference.requireTag(tag)));
    if (all.isEmpty()) {
      all.add(TemplateReference.LATEST);
    }
    var own = new OwnName(Scope.here(), name);
    Entry known = entries.get(own);
    int number = known == null || known.versions.isEmpty() ? 1 : known.versions.lastKey() + 1;
    var version =
        new TemplateVersion(own.project(), name, number, origin, Micros.now(clock), content);
    rows.insert(version, all);
    FailPoint.TEMPLATE_RECORDED.reached();
    Entry entry = entry(own);
    entry.versions.put(number, version);
    all.forEach(tag -> entry.tags.put(tag, number));
    return version;
  }

  /** Lets a tag point to a version that there is. */
  public synchronized Listed tag(String reference, String tag) {
    TemplateVersion version = require(reference);
    requireNotBuiltIn(version.name());
    valid(() -> TemplateReference.requireTag(tag));
    requireOwn(version);
    rows.tag(version, tag);
    FailPoint.TEMPLATE_TAGGED.reached();
    entry(OwnName.of(version)).tags.put(tag, version.number());
    return show(version.reference());
  }

  /**
   * Removes a tag where one is named, a version where one is named, and all versions of a name
   * otherwise. Sandboxes that began with them are not affected.
   */
  public void remove(String text) {
    TemplateReference reference = valid(() -> TemplateReference.parse(text));
    requireNotBuiltIn(reference.name());
    synchronized (this) {
      removeRows(reference, text);
    }
    FailPoint.TEMPLATE_FORGOTTEN.reached();
    layers.collectSoon();
  }

  private void removeRows(TemplateReference reference, String text) {
    var own = new OwnName(Scope.here(), reference.name());
    Entry entry = entries.get(own);
    if (entry == null) {
      requireOwn(require(text));
      return;
    }
    if (reference.version().isPresent()) {
      TemplateVersion version = require(text);
      rows.removeVersion(version);
      entry.versions.remove(version.number());
      entry.tags.values().removeIf(number -> number == version.number());
    } else if (reference.tag().isPresent()) {
      rows.removeTag(require(text), reference.tag().get());
      entry.tags.remove(reference.tag().get());
    } else {
      rows.removeAll(own.project(), own.name());
      entry.versions.clear();
    }
    if (entry.versions.isEmpty()) {
      entries.remove(own);
    }
  }

  /** What is only there to begin with is for its own project to change. */
  private static void requireOwn(TemplateVersion version) {
    if (!version.project().equals(Scope.here())) {
      throw new CoveException(
          ErrorCode.NOT_FOUND,
          "This project has no template %s of its own.".formatted(version.name()));
    }
  }

  private static void requireNotBuiltIn(String name) {
    if (name.equals(HOST.name())) {
      throw new CoveException(
          ErrorCode.CONFLICT, "The template host is built in; choose another name.");
    }
  }

  private static <T> T valid(Supplier<T> parse) {
    try {
      return parse.get();
    } catch (IllegalArgumentException e) {
      throw new CoveException(ErrorCode.INVALID_REQUEST, e.getMessage() + ".", e);
    }
  }
}
