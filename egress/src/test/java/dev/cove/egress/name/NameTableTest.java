package dev.cove.egress.name;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.model.SandboxId;
import dev.cove.model.network.DomainName;
import dev.cove.model.network.InsideAddresses;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NameTableTest {
  private final SandboxId id = SandboxId.random();
  @TempDir Path folder;
  private NameTables tables;

  @BeforeEach
  void open() throws Exception {
    tables = new NameTables(folder);
  }

  @Test
  void an_address_means_the_same_name_after_a_restart() throws Exception {
    Map<DomainName, InetAddress> before = new HashMap<>();
    try (NameTable table = tables.open(id)) {
      for (int i = 0; i < 100; i++) {
        before.put(name(i), table.lasting(name(i)));
      }
    }
    try (NameTable table = tables.open(id)) {
      for (DomainName name : before.keySet()) {
        assertThat(table.nameOf(before.get(name))).contains(name);
        assertThat(table.lasting(name)).isEqualTo(before.get(name));
      }
      assertThat(before).doesNotContainValue(table.lasting(name(100)));
    }
  }

  @Test
  void a_name_that_cannot_be_written_down_has_no_address_until_it_can() throws Exception {
    Path file = folder.resolve(id + ".names");
    try (NameTable table = tables.open(id)) {
      Files.createDirectory(file);
      assertThatThrownBy(() -> table.lasting(name(1))).isInstanceOf(IOException.class);
      Files.delete(file);
      assertThat(table.nameOf(table.lasting(name(2))))
          .as("nothing was given out")
          .contains(name(2));
      assertThat(table.nameOf(table.lasting(name(1)))).contains(name(1));
    }
  }

  @Test
  void a_line_that_was_half_written_stands_for_nothing_and_spoils_no_other() throws Exception {
    try (NameTable table = tables.open(id)) {
      table.lasting(name(1));
    }
    Path file = folder.resolve(id + ".names");
    Files.writeString(
        file, "junk\n999999 evil.test\n1 evil.test\n300 ev", StandardOpenOption.APPEND);
    InetAddress second;
    try (NameTable table = tables.open(id)) {
      second = table.lasting(name(2));
    }
    try (NameTable table = tables.open(id)) {
      assertThat(table.nameOf(second)).contains(name(2));
      assertThat(table.nameOf(InsideAddresses.GATEWAY)).isEmpty();
      assertThat(table.nameOf(InetAddress.ofLiteral("198.18.1.44"))).isEmpty();
    }
  }

  @Test
  void names_that_pass_push_out_each_other_and_nothing_else() throws Exception {
    try (NameTable table = tables.open(id)) {
      InetAddress lasting = table.lasting(name(1));
      InetAddress first = table.passing(name(2));
      for (int i = 0; i < 200_000; i++) {
        table.passing(DomainName.of("r" + i + ".evil.test"));
      }
      assertThat(table.nameOf(lasting)).contains(name(1));
      assertThat(table.passing(name(1))).isEqualTo(lasting);
      assertThat(table.nameOf(first).filter(name(2)::equals)).isEmpty();
      assertThat(table.nameOf(InsideAddresses.OWN)).isEmpty();
    }
  }

  @Test
  void an_address_is_not_given_to_another_name_while_it_is_held() throws Exception {
    try (NameTable table = tables.open(id)) {
      Set<InetAddress> addresses = new HashSet<>();
      for (int i = 0; i < NameTable.CAPACITY; i++) {
        addresses.add(table.lasting(name(i)));
      }
      assertThat(addresses).hasSize(NameTable.CAPACITY);
      InetAddress oldest = table.lasting(name(0));
      InetAddress fresh = table.lasting(name(NameTable.CAPACITY));
      assertThat(addresses).doesNotContain(fresh);
      assertThat(table.nameOf(oldest)).isEmpty();
      assertThat(table.nameOf(table.lasting(name(1)))).contains(name(1));
    }
  }

  @Test
  void the_file_stays_small_however_many_names_come_and_go() throws Exception {
    try (NameTable table = tables.open(id)) {
      for (int i = 0; i < 150_000; i++) {
        table.lasting(name(i));
      }
    }
    assertThat(Files.size(folder.resolve(id + ".names"))).isLessThan(2_000_000);
    try (NameTable table = tables.open(id)) {
      assertThat(table.nameOf(table.lasting(name(149_999)))).contains(name(149_999));
      assertThat(tables.remembered()).containsExactly(id);
    }
  }

  private static DomainName name(int number) {
    return DomainName.of("n" + number + ".test");
  }
}
