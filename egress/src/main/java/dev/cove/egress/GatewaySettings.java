package dev.cove.egress;

import dev.cove.egress.name.Resolver;
import dev.cove.model.network.AddressRange;
import dev.cove.model.network.NetworkPolicy;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * What the operator says about the way out.
 *
 * @param folder for what must outlive the server; nobody else's
 * @param floor what it does not allow, no sandbox is allowed
 * @param opened ranges of addresses that are otherwise closed to everybody; policies decide on them
 * @param refused addresses that lead to this machine without its knowing, such as that of a router
 *     before it
 * @param ownPorts of Cove itself: never reached on any address of this machine
 * @param resolver looks names up; closed with the gateway
 */
public record GatewaySettings(
    Path folder,
    NetworkPolicy floor,
    List<AddressRange> opened,
    List<AddressRange> refused,
    Set<Integer> ownPorts,
    Resolver resolver,
    GatewayLimits limits) {
  public GatewaySettings {
    opened = List.copyOf(opened);
    refused = List.copyOf(refused);
    ownPorts = Set.copyOf(ownPorts);
  }
}
