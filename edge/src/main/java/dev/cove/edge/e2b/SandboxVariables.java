package dev.cove.edge.e2b;

import dev.cove.control.sandbox.Sandbox;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.edge.e2b.sandbox.TemplateNames;
import java.util.HashMap;
import java.util.Map;

/** The environment of every process that is started through this dialect. */
public final class SandboxVariables {
  private SandboxVariables() {}

  public static Map<String, String> of(SandboxLifecycle lifecycle, Sandbox sandbox) {
    var variables = new HashMap<>(lifecycle.environment(sandbox));
    variables.put("E2B_SANDBOX", "true");
    variables.put("E2B_SANDBOX_ID", sandbox.id().value());
    variables.put("E2B_TEMPLATE_ID", TemplateNames.shown(sandbox.spec().template().name()));
    return variables;
  }
}
