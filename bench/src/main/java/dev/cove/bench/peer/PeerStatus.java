package dev.cove.bench.peer;

import dev.cove.bench.report.PeerLine;

/** What became of looking for one peer. */
public sealed interface PeerStatus {

  String name();

  /** It is here and ran the command once. */
  record Ready(Peer peer, String version) implements PeerStatus {
    @Override
    public String name() {
      return peer.name();
    }
  }

  /** It is not installed. */
  record Missing(String name) implements PeerStatus {}

  /** It is installed, and did not run the command. */
  record Unusable(String name, String reason) implements PeerStatus {}

  default PeerLine line() {
    return switch (this) {
      case Ready ready -> new PeerLine(name(), "measured", ready.version());
      case Missing _ -> new PeerLine(name(), "missing", "");
      case Unusable unusable -> new PeerLine(name(), "unusable", unusable.reason());
    };
  }
}
