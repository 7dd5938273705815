package dev.cove.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cove.sdk.Cove;
import dev.cove.sdk.CoveException;
import dev.cove.sdk.SandboxInfo;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The server is killed while many sandboxes come and go; what it had promised still holds. */
class CrashBurstTest {
  private static final int WORKERS = 6;

  @RegisterExtension static final RunningServer server = RunningServer.withDefaults();

  /** What the server has acknowledged, as its clients know it. */
  private static final class Promises {
    final Set<String> created = ConcurrentHashMap.newKeySet();
    final Set<String> deleteSent = ConcurrentHashMap.newKeySet();
    final Set<String> deleted = ConcurrentHashMap.newKeySet();
    final AtomicInteger count = new AtomicInteger();
  }

  @ParameterizedTest(name = "after {0} promises")
  @ValueSource(ints = {1, 4, 11, 23, 47})
  void what_was_promised_before_a_crash_holds_after_it(int killAfter) throws Exception {
    var promises = new Promises();
    var enough = new CountDownLatch(killAfter);
    Cove cove = server.cove();
    var workers = new ArrayList<Thread>();
    for (int i = 0; i < WORKERS; i++) {
      boolean keeps = i % 2 == 0;
      workers.add(Thread.ofVirtual().start(() -> createAndDelete(cove, promises, enough, keeps)));
    }
    assertThat(enough.await(60, TimeUnit.SECONDS)).isTrue();
    server.kill();
    for (Thread worker : workers) {
      worker.join();
    }
    server.start();

    Set<String> listed =
        server.cove().sandboxes().list().stream().map(SandboxInfo::id).collect(Collectors.toSet());
    Set<String> mustExist = new HashSet<>(promises.created);
    mustExist.removeAll(promises.deleteSent);
    assertThat(promises.count.get()).isGreaterThanOrEqualTo(killAfter);
    assertThat(listed).containsAll(mustExist);
    assertThat(promises.deleted).as("deleted and yet there").noneMatch(listed::contains);
    for (SandboxInfo info : server.cove().sandboxes().list()) {
      assertThat(info.state()).as("state of %s", info.id()).isEqualTo("running");
      var box = server.cove().sandboxes().require(info.id());
      assertThat(box.exec("echo", "alive").stdout()).isEqualTo("alive\n");
    }
    deleteAll(List.copyOf(listed));
  }

  private static void createAndDelete(
      Cove cove, Promises promises, CountDownLatch enough, boolean keeps) {
    try {
      for (int i = 0; i < 500; i++) {
        String id = cove.sandboxes().create().detach().id();
        promises.created.add(id);
        promises.count.incrementAndGet();
        enough.countDown();
        if (!keeps || i % 3 == 0) {
          promises.deleteSent.add(id);
          cove.sandboxes().delete(id);
          promises.deleted.add(id);
          promises.count.incrementAndGet();
          enough.countDown();
        }
      }
    } catch (CoveException e) {
      // The server has been killed under us, which is what this is about.
      assertThat(e).isNotNull();
    }
  }

  private static void deleteAll(List<String> ids) throws Exception {
    List<String> gone =
        AtOnce.times(
            ids.size(),
            i -> {
              server.cove().sandboxes().delete(ids.get(i));
              return ids.get(i);
            });
    assertThat(gone).hasSameSizeAs(ids);
    assertThat(server.cove().sandboxes().list()).isEmpty();
  }
}
