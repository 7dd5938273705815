package dev.cove.control.layer;

import dev.cove.model.LayerId;
import dev.cove.node.NodeDisk;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Who takes how much of the disk.
 *
 * @param unused layers that nobody needs
 * @param shares of each sandbox, of each piece of each holder and of whatever else takes room, the
 *     largest of a kind first
 */
public record DiskUse(NodeDisk.Space space, Part layers, Part unused, List<Share> shares) {
  private static final String SANDBOX = "sandbox";
  private static final Comparator<Share> ORDER =
      Comparator.comparing(Share::kind)
          .thenComparing(Share::bytes, Comparator.reverseOrder())
          .thenComparing(Share::id);

  public DiskUse {
    shares = shares.stream().sorted(ORDER).toList();
  }

  /** With what is not made of layers. */
  public DiskUse and(Collection<Share> others) {
    var all = new ArrayList<>(shares);
    all.addAll(others);
    return new DiskUse(space, layers, unused, all);
  }

  /** So many layers, which take so much. */
  public record Part(int count, long bytes) {}

  /**
   * What one piece takes.
   *
   * @param bytes all that it needs, also what others need too
   * @param ownBytes what would be free again if it alone went
   */
  public record Share(String kind, String id, long bytes, long ownBytes) {
    /** Of something that shares nothing. */
    public static Share alone(String kind, String id, long bytes) {
      return new Share(kind, id, bytes, bytes);
    }
  }

  static DiskUse of(
      NodeDisk disk, NodeDisk.Space space, Collection<LayerHolder> holders, Set<LayerId> pinned) {
    List<Claim> claims = new ArrayList<>();
    disk.sandboxes()
        .forEach((id, sandbox) ->
            claims.add(
                new Claim(SANDBOX, id.value(), sandbox.bytes(), Set.copyOf(sandbox.layers()))));
    for (LayerHolder holder : holders) {
      holder.holds().forEach((id, layers) -> claims.add(new Claim(holder.kind(), id, 0, layers)));
    }
    Map<LayerId, Integer> users = new HashMap<>();
    claims.forEach(claim -> claim.layers().forEach(layer -> users.merge(layer, 1, Integer::sum)));
    List<LayerId> unused =
        disk.layers().keySet().stream()
            .filter(layer -> !users.containsKey(layer) && !pinned.contains(layer))
            .toList();
    return new DiskUse(
        space,
        new Part(disk.layers().size(), sum(disk, disk.layers().keySet())),
        new Part(unused.size(), sum(disk, unused)),
        claims.stream().map(claim -> claim.share(disk, users)).toList());
  }

  private static long sum(NodeDisk disk, Collection<LayerId> layers) {
    return layers.stream().mapToLong(layer -> disk.layers().getOrDefault(layer, 0L)).sum();
  }

  private record Claim(String kind, String id, long written, Set<LayerId> layers) {
    Share share(NodeDisk disk, Map<LayerId, Integer> users) {
      List<LayerId> own =
          layers.stream().filter(layer -> users.getOrDefault(layer, 0) == 1).toList();
      return new Share(kind, id, written + sum(disk, layers), written + sum(disk, own));
    }
  }
}
