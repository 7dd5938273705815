package dev.cove.edge;

import dev.cove.control.backup.Backups;
import dev.cove.control.build.Builds;
import dev.cove.control.build.ImageExport;
import dev.cove.control.checkpoint.Checkpoints;
import dev.cove.control.event.Events;
import dev.cove.control.health.Readiness;
import dev.cove.control.key.ApiKeys;
import dev.cove.control.key.DerivedSecrets;
import dev.cove.control.layer.Layers;
import dev.cove.control.move.Moves;
import dev.cove.control.port.Ports;
import dev.cove.control.project.Projects;
import dev.cove.control.sandbox.AutomaticCheckpoints;
import dev.cove.control.sandbox.Branches;
import dev.cove.control.sandbox.Inspection;
import dev.cove.control.sandbox.Reviews;
import dev.cove.control.sandbox.SandboxLifecycle;
import dev.cove.control.service.Services;
import dev.cove.control.template.Catalogue;
import dev.cove.control.usage.Budgets;
import dev.cove.control.usage.Usage;
import dev.cove.control.volume.Volumes;
import dev.cove.control.webhook.Webhooks;
import dev.cove.node.Node;

/** What the routes are a way to. */
public record EdgeServices(
    SandboxLifecycle lifecycle,
    Services services,
    Branches branches,
    Checkpoints checkpoints,
    Inspection inspection,
    Reviews reviews,
    AutomaticCheckpoints automatic,
    Catalogue templates,
    Builds builds,
    ImageExport images,
    Moves moves,
    Volumes volumes,
    Layers layers,
    Ports ports,
    ApiKeys keys,
    Projects projects,
    Events events,
    Usage usage,
    Budgets budgets,
    Webhooks webhooks,
    Readiness readiness,
    DerivedSecrets e2bTokens,
    Backups backups,
    Node node) {}
