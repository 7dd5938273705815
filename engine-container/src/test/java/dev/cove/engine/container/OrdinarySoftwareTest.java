package dev.cove.engine.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.cove.engine.CagePlan;
import dev.cove.model.Resources;
import dev.cove.model.SandboxId;
import dev.cove.testing.Box;
import dev.cove.testing.HostRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The filter and the small /dev and /proc must not be in the way of what people run. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OrdinarySoftwareTest {
  private ContainerEngine engine;
  private Box box;

  @BeforeAll
  void open(@TempDir Path folder) throws Exception {
    var root = HostRoot.in(folder.resolve("root"));
    engine = ContainerEngine.open(new EngineHome(folder.resolve("data"), folder.resolve("run")));
    var resources = new Resources(2_000, 2_048, 512, 512);
    box = Box.of(engine.start(new CagePlan(SandboxId.random(), root, resources)));
  }

  @AfterAll
  void close() {
    engine.present().forEach(engine::remove);
    engine.close();
  }

  private static void assumeInstalled(String program) {
    assumeTrue(Files.exists(Path.of("/usr/bin", program)), program + " is not installed here");
  }

  @Test
  void python_forks_threads_and_serves_on_a_socket() {
    assumeInstalled("python3");
    assertThat(
            box.user(
                """
                cat > /tmp/t.py <<'END'
                import socket, subprocess, threading, multiprocessing, tempfile, os
                s = socket.create_server(('127.0.0.1', 0))
                t = threading.Thread(target=lambda: s.accept()[0].sendall(b'served'))
                t.start()
                print(socket.create_connection(s.getsockname()).recv(10).decode())
                t.join()
                print(subprocess.check_output(['echo', 'child']).decode().strip())
                with multiprocessing.Pool(2) as p: print(sum(p.map(abs, range(-3, 4))))
                m, w = os.openpty(); os.write(w, b'pty'); print(os.read(m, 3).decode())
                END
                python3 /tmp/t.py
                """))
        .isEqualTo("served\nchild\n12\npty");
  }

  @Test
  void git_commits() {
    assumeInstalled("git");
    assertThat(
            box.user(
                """
                export HOME=/tmp/g && mkdir -p /tmp/g/r && cd /tmp/g/r && git init -q
                git config user.email a@b && git config user.name n
                echo x > f && git add f && git commit -q -m one && git log --format=%s
                """))
        .isEqualTo("one");
  }

  @Test
  void a_compiler_compiles() {
    assumeInstalled("gcc");
    assertThat(
            box.user(
                """
                cd /tmp && printf '#include <stdio.h>\\nint main(){puts("compiled");}' > c.c
                gcc -O2 -o c c.c && ./c
                """))
        .isEqualTo("compiled");
  }

  @Test
  void node_runs_workers_and_children() {
    assumeInstalled("node");
    assertThat(
            box.user(
                """
                cat > /tmp/t.js <<'END'
                const { Worker } = require('worker_threads');
                console.log(require('child_process').execSync('echo child').toString().trim());
                new Worker("require('worker_threads').parentPort.postMessage('worker')",
                    { eval: true }).on('message', console.log);
                END
                node /tmp/t.js
                """))
        .isEqualTo("child\nworker");
  }

  @Test
  void java_starts_threads_and_reads_its_limits() {
    Path java = Path.of("/usr/lib/jvm/temurin-25-jdk-amd64/bin/java");
    assumeTrue(Files.exists(java), "No JDK below /usr/lib/jvm");
    assertThat(
            box.user(
                """
                cat > /tmp/T.java <<'END'
                void main() throws Exception {
                  Thread.startVirtualThread(() -> IO.println("virtual")).join();
                }
                END
                %s -Xmx256m /tmp/T.java
                """
                    .formatted(java)))
        .isEqualTo("virtual");
  }

  @Test
  void a_package_is_unpacked_and_configured_by_dpkg() {
    assumeInstalled("dpkg-deb");
    assertThat(
            box.root(
                """
                mkdir -p /var/lib/dpkg/info /var/lib/dpkg/updates /tmp/p/DEBIAN /tmp/p/opt/p
                : > /var/lib/dpkg/status
                printf 'Package: p\\nVersion: 1\\nArchitecture: all\\nMaintainer: m <m@m>\\nDescription: d\\n' \
                  > /tmp/p/DEBIAN/control
                printf '#!/bin/sh\\nchown 1000:1000 /opt/p/f && echo configured\\n' > /tmp/p/DEBIAN/postinst
                chmod 755 /tmp/p/DEBIAN/postinst
                echo x > /tmp/p/opt/p/f
                dpkg-deb --root-owner-group -b /tmp/p /tmp/p.deb >/dev/null
                dpkg -i /tmp/p.deb | tail -1
                stat -c %u /opt/p/f
                """))
        .isEqualTo("configured\n1000");
  }
}
