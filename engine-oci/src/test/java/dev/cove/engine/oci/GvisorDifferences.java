package dev.cove.engine.oci;

import java.util.Map;
import java.util.TreeMap;

/** What the contract of engines asks for and gVisor does not give, and why. */
final class GvisorDifferences {
  private static final String OWN_KERNEL =
      "The call is served by gVisor's own kernel, which answers differently; the host's never sees"
          + " it";
  private static final String COPIES =
      "The root that gVisor serves cannot be changed from outside: every layer is a copy, and a"
          + " restore builds the cage anew";
  private static final String ONE_LIMIT =
      "Inside and gVisor itself share one limit of the host's: beyond it the whole sandbox ends"
          + " and is stopped with its files";

  static final Map<String, String> ALL =
      new TreeMap<>(
          Map.ofEntries(
              Map.entry("ordinary_calls_get_through", OWN_KERNEL + " (personality)"),
              Map.entry(
                  "calls_that_a_c_library_can_do_without_answer_as_if_unknown",
                  OWN_KERNEL + " (clone3 is there)"),
              Map.entry(
                  "calls_that_lead_out_of_a_sandbox_are_refused",
                  OWN_KERNEL + " (namespaces of gVisor's own can be made)"),
              Map.entry("other_abis_are_refused", OWN_KERNEL + " (ENOSYS instead of a signal)"),
              Map.entry("socket_families_that_reach_the_host_are_refused", OWN_KERNEL),
              Map.entry("root_inside_cannot_change_the_network", OWN_KERNEL),
              Map.entry("sys_is_empty_and_fixed", "/sys is gVisor's own and tells of no host"),
              Map.entry(
                  "each_sandbox_has_namespaces_of_its_own",
                  "Every gVisor numbers its namespaces alike; those of the host differ"),
              Map.entry(
                  "proc_hides_the_host_and_sets_nothing",
                  "/proc is gVisor's own: settings are refused in other words"),
              Map.entry("dev_holds_what_programs_need", "/dev has a /dev/fuse of gVisor's own"),
              Map.entry(
                  "no_mount_honours_set_id_or_device_files",
                  "gVisor's list of mounts shows no nosuid and nodev. Nodes lead to its own"
                      + " devices, and no_new_privs is on"),
              Map.entry(
                  "ipc_objects_do_not_cross", "/proc/sysvipc is missing; queues do not cross"),
              Map.entry(
                  "every_process_of_a_sandbox_has_ids_that_are_its_own_and_a_filter",
                  "Inside, all ids seem to be there; on the host, gVisor has the sandbox's own"),
              Map.entry("new_cages_never_share_ids_with_adopted_ones", "The same"),
              Map.entry("many_start_at_once_with_ids_of_their_own", "The same"),
              Map.entry(
                  "the_agent_cannot_be_read_or_killed_from_inside",
                  "gVisor shows /proc/1 to everybody inside; the agent holds no secret"),
              Map.entry(
                  "processes_are_asked_to_end_and_the_agent_is_not",
                  "The host cannot see whether they have ended; the agent is asked instead"),
              Map.entry(
                  "a_sandbox_in_which_nothing_runs_changes_to_another_root_as_if_built_there",
                  COPIES),
              Map.entry("a_sandbox_on_a_layer_sees_what_the_other_had_written", COPIES),
              Map.entry("layers_stack_and_deletions_hide_what_lies_deeper", COPIES),
              Map.entry("it_stands_on_the_layers_that_were_made_of_it", COPIES),
              Map.entry("a_sealed_sandbox_is_adopted_by_the_next_engine_and_sealed_again", COPIES),
              Map.entry(
                  "a_destroyed_cage_leaves_nothing",
                  "Its network cannot be told from inside by its number; GvisorTest looks at what is"
                      + " left"),
              Map.entry("a_command_at_the_memory_limit_dies_and_nobody_else", ONE_LIMIT),
              Map.entry("a_fork_bomb_stops_at_the_process_limit", ONE_LIMIT),
              Map.entry(
                  "limits_change_while_a_sandbox_runs",
                  "Each process inside is several of the host's: more may run than were asked for"),
              Map.entry(
                  "usage_is_measured_from_outside",
                  "The number of processes is that of the host, gVisor's own included")));

  private GvisorDifferences() {}

  /** As it stands in docs/tiers.md. */
  static String table() {
    var text = new StringBuilder("| Test of the contract | Why gVisor differs |\n|---|---|\n");
    ALL.forEach((name, why) -> text.append("| %s | %s |\n".formatted(name.replace('_', ' '), why)));
    return text.toString();
  }
}
