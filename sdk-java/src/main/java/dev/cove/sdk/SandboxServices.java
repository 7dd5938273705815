package dev.cove.sdk;

import dev.cove.sdk.json.JsonObject;
import dev.cove.sdk.json.JsonValue;
import dev.cove.sdk.transport.Request;
import java.util.List;

/** What a sandbox is to have running. */
public final class SandboxServices {
  private final Api api;
  private final String path;

  SandboxServices(Api api, String sandboxPath) {
    this.api = api;
    this.path = sandboxPath + "/services";
  }

  /** In the order in which they are started. */
  public List<ServiceStatus> list() {
    return api.fetch(path, SandboxServices::statuses);
  }

  /** Makes them those of the list, at once where the sandbox runs; what stays as it was goes on. */
  public List<ServiceStatus> replace(List<Service> services) {
    var items = services.stream().<JsonValue>map(Service::toBody).toList();
    return api.call(
        "PUT",
        path,
        JsonObject.builder().put("services", new JsonValue.Items(items)).build(),
        SandboxServices::statuses);
  }

  /** Starts one unless it runs. */
  public ServiceStatus start(String name) {
    return change(name, "start");
  }

  /** Ends one, which stays so until it is started, also over a stop and start of the sandbox. */
  public ServiceStatus stop(String name) {
    return change(name, "stop");
  }

  public ServiceStatus restart(String name) {
    return change(name, "restart");
  }

  private ServiceStatus change(String name, String verb) {
    return api.call(
        Request.of("POST", path + "/" + Api.encode(name) + "/" + verb), ServiceStatus::of);
  }

  private static List<ServiceStatus> statuses(JsonObject json) {
    return json.objects("items").stream().map(ServiceStatus::of).toList();
  }
}
