package dev.cove.edge;

import dev.cove.control.build.Builds;
import dev.cove.control.build.ImageExport;
import dev.cove.control.checkpoint.Checkpoints;
import dev.cove.control.event.Events;
import dev.cove.control.key.ApiKeys;
import dev.cove.control.layer.Layers;
import dev.cove.control.move.Moves;
import dev.cove.control.port.Ports;
import dev.cove.control.sandbox.AutomaticCheckpoints;
import dev.cove.control.sandbox.Branches;
import dev.cove.control.sandbox.Inspection;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.control.template.Catalogue;
import dev.cove.control.volume.Volumes;
import dev.cove.control.webhook.Webhooks;
import dev.cove.node.Node;

/** What the routes are a way to. */
public record EdgeServices(
    SandboxLifecycle lifecycle,
    Branches branches,
    Checkpoints checkpoints,
    Inspection inspection,
    AutomaticCheckpoints automatic,
    Catalogue templates,
    Builds builds,
    ImageExport images,
    Moves moves,
    Volumes volumes,
    Layers layers,
    Ports ports,
    ApiKeys keys,
    Events events,
    Webhooks webhooks,
    Node node) {}
