package dev.cove.engine;

import dev.cove.model.Resources;
import dev.cove.model.SandboxId;

/** All an engine needs to build a cage. */
public record CagePlan(SandboxId id, RootFs root, Resources resources) {}
