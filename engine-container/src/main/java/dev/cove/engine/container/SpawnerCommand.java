package dev.cove.engine.container;

import dev.cove.guest.AgentBinary;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How the spawner of one home is started. */
final class SpawnerCommand {
  private SpawnerCommand() {}

  static ProcessBuilder of(EngineHome home, EngineSettings settings, Cgroups cgroups) {
    byte[] agentBytes = AgentBinary.forThisMachine().bytes();
    Path agent = NativeBinary.layOut("cove-agent", agentBytes, home.binaries());
    byte[] commandBytes = AgentBinary.checkpointCommand().bytes();
    Path insideCommand = NativeBinary.layOut("cove-checkpoint", commandBytes, home.binaries());
    var command = new ArrayList<String>();
    command.add(
        NativeBinary.layOut("cove-spawner", NativeBinary.spawner(), home.binaries()).toString());
    command.addAll(List.of("--sandboxes", home.sandboxes().toString()));
    command.addAll(List.of("--base-images", home.baseImages().toString()));
    command.addAll(List.of("--spares", home.spareImages().toString()));
    command.addAll(List.of("--sealed", home.sealedImages().toString()));
    command.addAll(List.of("--volumes", home.volumes().toString()));
    command.addAll(List.of("--sockets", home.sockets().toString()));
    command.addAll(List.of("--agent", agent.toString()));
    command.addAll(List.of("--command", insideCommand.toString()));
    command.addAll(List.of("--net-pool", Integer.toString(settings.netNamespacePool())));
    if (settings.favorCgroupMoves()) {
      command.add("--favor-moves");
    }
    for (String device : settings.devices()) {
      command.addAll(List.of("--device", device));
    }
    for (Path group : cgroups.groups()) {
      command.addAll(List.of(cgroups.spawnerOption(), group.toString()));
    }
    var builder = new ProcessBuilder(command);
    builder.environment().clear();
    return builder;
  }
}
