package dev.cove.cli;

import dev.cove.sdk.Cove;
import dev.cove.sdk.Sandbox;
import dev.cove.sdk.SandboxGroup;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** Says which sandboxes reach each other by name. */
final class NetworkGroups implements Callable<Integer> {
  private final Session session;

  private String box = "";

  private boolean json;

  private NetworkGroups(Session session) {
    this.session = session;
  }

  static CommandSpec describe(Session session) {
    var show = new NetworkGroups(session);
    return Description.of(show, "Show who is in a sandbox's group, and by which names.")
        .flag("--json", "Print it as JSON.", () -> show.json = true)
        .parameter("BOX", "The sandbox's id or name.", box -> show.box = box)
        .build();
  }

  @Override
  public Integer call() {
    try (Cove cove = session.connect()) {
      SandboxGroup group =
          cove.sandboxes()
              .require(box)
              .group()
              .orElseThrow(() -> new UserError("Sandbox " + box + " is in no group"));
      print(session, group, json);
    }
    return ExitCode.OK;
  }

  private static void print(Session session, SandboxGroup group, boolean json) {
    if (json) {
      session.println(group.toJson());
      return;
    }
    session.println("group " + Table.printable(group.name()));
    for (SandboxGroup.Member member : group.members()) {
      String ports = member.ports().isEmpty() ? "all ports" : String.join(",", member.ports());
      session.println(
          "%-16s%-24s%s"
              .formatted(
                  member.id(), Table.printable(String.join(" ", firstHosts(member))), ports));
    }
  }

  /** Each of the others is the same with a dot in it. */
  private static List<String> firstHosts(SandboxGroup.Member member) {
    return member.hosts().stream().filter(host -> host.indexOf('.') < 0).toList();
  }

  static final class Join implements Callable<Integer> {
    private final Session session;

    private String box = "";

    private String group = "";

    private List<String> ports = List.of();

    private boolean json;

    private Join(Session session) {
      this.session = session;
    }

    static CommandSpec describe(Session session) {
      var join = new Join(session);
      return Description.of(
              join, "Put a sandbox into a group, whose sandboxes reach each other by name.")
          .texts(
              "--port",
              "PORT|LOW-HIGH",
              "A port that it offers to the others; may be given often. Without it, all.",
              v -> join.ports = v)
          .flag("--json", "Print the group as JSON.", () -> join.json = true)
          .parameter("BOX", "The sandbox's id or name.", box -> join.box = box)
          .parameter("GROUP", "Lower-case letters, digits and hyphens.", v -> join.group = v)
          .examples("cove network join db shop --port 5432", "cove network join web shop")
          .note("A sandbox is in one group at most; connections to those of another are cut.")
          .build();
    }

    @Override
    public Integer call() {
      try (Cove cove = session.connect()) {
        Sandbox sandbox = cove.sandboxes().require(box);
        print(session, sandbox.joinGroup(group, ports.toArray(String[]::new)), json);
      }
      return ExitCode.OK;
    }
  }

  static final class Leave implements Callable<Integer> {
    private final Session session;

    private String box = "";

    private Leave(Session session) {
      this.session = session;
    }

    static CommandSpec describe(Session session) {
      var leave = new Leave(session);
      return Description.of(
              leave, "Take a sandbox out of its group, and cut its connections there.")
          .parameter("BOX", "The sandbox's id or name.", box -> leave.box = box)
          .build();
    }

    @Override
    public Integer call() {
      try (Cove cove = session.connect()) {
        cove.sandboxes().require(box).leaveGroup();
      }
      return ExitCode.OK;
    }
  }
}
