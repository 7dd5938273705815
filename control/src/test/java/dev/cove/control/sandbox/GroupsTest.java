package dev.cove.control.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.model.CoveException;
import dev.cove.model.ErrorCode;
import dev.cove.model.ProjectName;
import dev.cove.model.network.GroupMembership;
import dev.cove.model.network.NetworkLimits;
import dev.cove.model.network.NetworkSettings;
import dev.cove.model.network.PortRange;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may be in a group, and what the ledger remembers of it. */
class GroupsTest {
  private static final GroupMembership SHOP =
      new GroupMembership("shop", List.of(PortRange.of("5432"), PortRange.of("80-90")));

  @TempDir Path folder;
  private ControlPlane control;

  @BeforeEach
  void open() {
    control = new ControlPlane(folder);
  }

  @AfterEach
  void close() {
    control.close();
  }

  private Sandbox join(Sandbox sandbox, GroupMembership group) {
    return control.lifecycle.changeNetwork(sandbox.id().value(), now -> now.in(Optional.of(group)));
  }

  @Test
  void a_group_has_as_many_members_as_there_may_be_and_a_deleted_one_makes_room() {
    Sandbox first = join(control.create(), SHOP);
    for (int i = 1; i < GroupMembership.MAX_MEMBERS; i++) {
      join(control.create(), SHOP);
    }
    Sandbox late = control.create();
    assertThatThrownBy(() -> join(late, SHOP))
        .isInstanceOfSatisfying(
            CoveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT))
        .hasMessageContaining("100 members");
    assertThat(control.lifecycle.require(late.id().value()).spec().network())
        .isEqualTo(NetworkSettings.NOTHING);
    join(first, new GroupMembership("shop", List.of()));
    control.lifecycle.delete(first.id().value());
    join(late, SHOP);
    assertThat(control.lifecycle.inGroup("shop")).hasSize(GroupMembership.MAX_MEMBERS);
  }

  @Test
  void a_group_and_limits_are_remembered() {
    Sandbox made = join(control.create("DB"), SHOP);
    var limits = new NetworkLimits(1, 2, 3, 4);
    control.lifecycle.changeNetwork("DB", now -> now.with(limits));
    control.restart();
    NetworkSettings settings = control.lifecycle.require("DB").spec().network();
    assertThat(settings.limits()).isEqualTo(limits);
    assertThat(settings.membership()).contains(SHOP.of(ProjectName.DEFAULT, "DB"));
    assertThat(settings.membership().orElseThrow().allHosts(made.id()))
        .extracting(Object::toString)
        .containsExactly("db", "db.internal", made.id().value(), made.id() + ".internal");
  }

  @Test
  void a_limit_over_the_servers_changes_nothing() {
    control.create("box");
    assertThatThrownBy(() ->
            control.lifecycle.changeNetwork(
                "box", now -> now.with(new NetworkLimits(0, 501, 0, 0))))
        .hasMessageContaining("newConnectionsPerSecond is 501, and this server allows at most 500");
    assertThat(control.lifecycle.require("box").spec().network().limits())
        .isEqualTo(NetworkLimits.NONE);
  }
}
