package dev.cove.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The verbs, in the order of the help text.
 *
 * <p>A call that names a verb gets just that one described; all are for help, completion and
 * mistakes.
 */
final class Verbs {
  private static final String HELP = "help";
  private static final List<String> NEED_ALL = List.of(HELP, "completion");
  private static final Map<String, Function<Session, CommandSpec>> ALL = new LinkedHashMap<>();

  static {
    ALL.put("run", Run::describe);
    ALL.put("create", Create::describe);
    ALL.put("ls", Ls::describe);
    ALL.put("exec", Exec::describe);
    ALL.put("code", Code::describe);
    ALL.put("shell", Shell::describe);
    ALL.put("cp", Cp::describe);
    ALL.put("ps", Ps::describe);
    ALL.put("top", Top::describe);
    ALL.put("service", ServiceVerbs::describe);
    ALL.put("logs", Logs::describe);
    ALL.put("url", Url::describe);
    ALL.put("forward", Forward::describe);
    ALL.put("pause", Rest::describePause);
    ALL.put("resume", Rest::describeResume);
    ALL.put("stop", Rest::describeStop);
    ALL.put("start", Rest::describeStart);
    ALL.put("life", LifeVerb::describe);
    ALL.put("rm", Rm::describe);
    ALL.put("undelete", Undelete::describe);
    ALL.put("claude", AgentVerb::describeClaude);
    ALL.put("codex", AgentVerb::describeCodex);
    ALL.put("opencode", AgentVerb::describeOpencode);
    ALL.put("diff", DiffVerb::describe);
    ALL.put("review", ReviewVerb::describe);
    ALL.put("apply", ApplyVerb::describe);
    ALL.put("discard", DiscardVerb::describe);
    ALL.put("undo", UndoVerb::describe);
    ALL.put("log", LogVerb::describe);
    ALL.put("rewind", RewindVerb::describe);
    ALL.put("checkpoint", Checkpoint::describe);
    ALL.put("restore", Restore::describe);
    ALL.put("fork", Fork::describe);
    ALL.put("tree", Tree::describe);
    ALL.put("template", Template::describe);
    ALL.put("export", Export::describe);
    ALL.put("import", Import::describe);
    ALL.put("volume", Volume::describe);
    ALL.put("network", NetworkVerbs::describe);
    ALL.put("secret", SecretVerbs::describe);
    ALL.put("events", EventsVerb::describe);
    ALL.put("webhook", Webhook::describe);
    ALL.put("usage", UsageVerb::describe);
    ALL.put("budget", BudgetVerbs::describe);
    ALL.put("up", Up::describe);
    ALL.put("down", Down::describe);
    ALL.put("env", Env::describe);
    ALL.put("e2b", E2b::describe);
    ALL.put("key", Key::describe);
    ALL.put("project", ProjectVerbs::describe);
    ALL.put("tiers", Tiers::describe);
    ALL.put("system", ServerDisk::describe);
    ALL.put("backup", Backup::describe);
    ALL.put("restore-backup", LauncherVerbs::describeRestoreBackup);
    ALL.put("server", LauncherVerbs::describeServer);
    ALL.put("doctor", LauncherVerbs::describeDoctor);
    ALL.put("bench", LauncherVerbs::describeBench);
    ALL.put("verify", LauncherVerbs::describeVerify);
    ALL.put("completion", Completion::describe);
    ALL.put("version", Version::describe);
  }

  private Verbs() {}

  static void addTo(CommandLine commandLine, Session session, String... args) {
    if (args.length > 0 && ALL.containsKey(args[0]) && !NEED_ALL.contains(args[0])) {
      commandLine.addSubcommand(args[0], ALL.get(args[0]).apply(session));
      return;
    }
    ALL.forEach((name, describe) -> commandLine.addSubcommand(name, describe.apply(session)));
    commandLine.addSubcommand(HELP, new HelpCommand());
  }
}
