package dev.cove.control.layer;

import dev.cove.model.LayerId;
import java.util.Map;
import java.util.Set;

/** Something of which each piece needs layers for as long as it is there. */
public interface LayerHolder {
  /** What the pieces are called, in one word such as {@code checkpoint}. */
  String kind();

  /** The layers that each piece needs, by the piece's id. */
  Map<String, Set<LayerId>> holds();
}
