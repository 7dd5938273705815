package dev.cove.control.sandbox;

import dev.cove.control.service.Service;
import dev.cove.control.service.ServiceStatus;
import dev.cove.control.service.Services;
import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.SandboxId;
import dev.cove.model.SandboxState;
import java.util.List;
import java.util.function.BiConsumer;

/** What owners do with the services of their sandboxes. */
public final class ServiceControl {
  private final SandboxLifecycle lifecycle;
  private final Services services;

  public ServiceControl(SandboxLifecycle lifecycle, Services services) {
    this.lifecycle = lifecycle;
    this.services = services;
  }

  /** In the order in which they are started. Does not wake. */
  public List<ServiceStatus> list(String idOrName) {
    return services.list(lifecycle.require(idOrName).id());
  }

  /** Whether a process is a service, whose output already has its reader. */
  public boolean owns(SandboxId id, long process) {
    return services.owns(id, process);
  }

  /**
   * Makes the services of a sandbox those of the list, at once where it runs; what stays as it was
   * goes on undisturbed. A sandbox that is paused goes on.
   */
  public List<ServiceStatus> replace(String idOrName, List<Service> wanted) {
    List<Service> valid = Service.requireTogether(wanted);
    return lifecycle.tending(
        idOrName,
        sandbox -> {
          boolean runs = sandbox.state() instanceof SandboxState.Running;
          services.replace(sandbox.id(), valid, runs);
          return services.list(sandbox.id());
        });
  }

  public ServiceStatus start(String idOrName, String name) {
    return change(idOrName, name, services::startOne);
  }

  public ServiceStatus stop(String idOrName, String name) {
    return change(idOrName, name, services::stopOne);
  }

  public ServiceStatus restart(String idOrName, String name) {
    return change(idOrName, name, services::restartOne);
  }

  private ServiceStatus change(String idOrName, String name, BiConsumer<SandboxId, String> work) {
    return lifecycle.tending(
        idOrName,
        sandbox -> {
          services.require(sandbox.id(), name);
          if (!(sandbox.state() instanceof SandboxState.Running)) {
            throw new CoveException(
                ErrorCode.CONFLICT,
                "Sandbox %s is %s, so nothing of it can be started or stopped; start it first."
                    .formatted(sandbox.id(), sandbox.state().publicName()));
          }
          work.accept(sandbox.id(), name);
          return services.require(sandbox.id(), name);
        });
  }
}
