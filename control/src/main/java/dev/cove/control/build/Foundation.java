package dev.cove.control.build;

import dev.cove.control.Fingerprint;
import dev.cove.model.Base;
import dev.cove.model.LayerId;
import java.util.List;

/**
 * What a template is so far, or what a build begins with.
 *
 * @param layers the uppermost first
 * @param key tells what the layers were made of: whatever has the same key has the same files
 */
record Foundation(Base base, List<LayerId> layers, Settings settings, String key) {
  static final Foundation SCRATCH =
      new Foundation(Base.EMPTY, List.of(), Settings.NONE, new Fingerprint().add("scratch").hex());

  Foundation {
    layers = List.copyOf(layers);
  }

  Foundation with(Settings newSettings) {
    return new Foundation(base, layers, newSettings, key);
  }

  Foundation on(List<LayerId> newLayers, String newKey) {
    return new Foundation(base, newLayers, settings, newKey);
  }
}
