package dev.cove.control.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cove.control.checkpoint.Checkpoints;
import dev.cove.control.layer.Layers;
import dev.cove.model.CoveException;
import dev.cove.model.ResourceWish;
import dev.cove.model.boundary.TierWish;
import dev.cove.model.life.LifeRules;
import dev.cove.model.network.NetworkPolicy;
import dev.cove.model.network.NetworkRule;
import dev.cove.model.network.NetworkSettings;
import dev.cove.model.secret.SecretBinding;
import dev.cove.model.secret.SecretName;
import dev.cove.model.secret.SecretPlace;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which secrets a sandbox uses, from its beginning to its forks. */
class BoundSecretsTest {
  private static final SecretName KEY = new SecretName("KEY");
  private static final SecretBinding BOUND =
      new SecretBinding(
          KEY,
          List.of(NetworkRule.of("api.example.com"), NetworkRule.of("*.example.com:8443")),
          new SecretPlace.Header("X-Key"),
          Set.of("GET", "POST"),
          List.of("/v1/*", "/v2/x"),
          true,
          true,
          "API_KEY");
  private static final NetworkSettings WANTED =
      new NetworkSettings(NetworkPolicy.NOTHING, true).with(List.of(BOUND, bearer("OTHER")));

  @TempDir Path folder;
  private ControlPlane control;

  @BeforeEach
  void start() {
    control = new ControlPlane(folder);
    control.node.secrets.set(KEY, new byte[] {'x'});
    control.node.secrets.set(new SecretName("OTHER"), new byte[] {'x'});
  }

  @AfterEach
  void stop() {
    control.close();
  }

  private static SecretBinding bearer(String secret) {
    return new SecretBinding(
        new SecretName(secret),
        List.of(NetworkRule.of("a.example.com")),
        new SecretPlace.Bearer(),
        Set.of(),
        List.of(),
        false,
        false,
        secret);
  }

  private static CreateSandbox request(
      NetworkSettings network, Map<String, String> env, Optional<String> key) {
    return new CreateSandbox(
        Optional.empty(),
        "host",
        TierWish.ANY,
        ResourceWish.NOTHING,
        env,
        Map.of(),
        List.of(),
        Optional.empty(),
        Optional.of(network),
        Optional.empty(),
        LifeRules.SILENT,
        List.of(),
        Optional.empty(),
        key);
  }

  private Sandbox create(NetworkSettings network) {
    return control.lifecycle.create(request(network, Map.of(), Optional.empty())).sandbox();
  }

  private NetworkSettings networkOf(Sandbox sandbox) {
    return control.lifecycle.require(sandbox.id().value()).spec().network();
  }

  @Test
  void bindings_are_the_same_after_a_restart() {
    Sandbox bound = create(WANTED);
    Sandbox free = create(NetworkSettings.NOTHING);
    control.restart();
    assertThat(networkOf(bound)).isEqualTo(WANTED);
    assertThat(networkOf(free)).isEqualTo(NetworkSettings.NOTHING);
    String id = bound.id().value();
    control.lifecycle.changeNetwork(id, now -> now.with(List.of(bearer("OTHER"))));
    control.restart();
    assertThat(networkOf(bound).secrets()).containsExactly(bearer("OTHER"));
    control.lifecycle.changeNetwork(id, _ -> NetworkSettings.NOTHING);
    control.restart();
    assertThat(networkOf(bound)).isEqualTo(NetworkSettings.NOTHING);
  }

  @Test
  void a_secret_that_nobody_has_set_is_not_bound() {
    NetworkSettings unknown = NetworkSettings.NOTHING.with(List.of(bearer("UNKNOWN")));
    assertThatThrownBy(() -> create(unknown))
        .isInstanceOf(CoveException.class)
        .hasMessageContaining("cove secret set UNKNOWN");
    assertThat(control.lifecycle.list(Map.of(), 10, Optional.empty()).items()).isEmpty();
    Sandbox box = create(WANTED);
    String id = box.id().value();
    assertThatThrownBy(() -> control.lifecycle.changeNetwork(id, _ -> unknown))
        .isInstanceOf(CoveException.class)
        .hasMessageContaining("There is no secret UNKNOWN");
    assertThat(networkOf(box)).isEqualTo(WANTED);
  }

  @Test
  void a_secret_that_was_deleted_hinders_neither_changes_nor_forks() {
    Sandbox box = create(WANTED);
    control.node.secrets.remove(KEY);
    String id = box.id().value();
    control.lifecycle.changeNetwork(id, now -> now.with(List.of(BOUND)));
    assertThat(networkOf(box).secrets()).containsExactly(BOUND);
    var layers = new Layers(control.node);
    var checkpoints = new Checkpoints(control.ledger, control.node, layers, control.clock());
    var branches = new Branches(control.lifecycle, checkpoints, layers, control.node);
    layers.begin();
    assertThat(branches.fork(id, 1))
        .singleElement()
        .satisfies(child -> {
          Sandbox made = ((Branches.Child.Made) child).sandbox();
          assertThat(made.spec().network().secrets()).containsExactly(BOUND);
        });
  }

  @Test
  void a_variable_is_either_given_or_a_placeholder() {
    assertThatThrownBy(() ->
            control.lifecycle.create(
                request(WANTED, Map.of("API_KEY", "hunter2"), Optional.empty())))
        .isInstanceOf(CoveException.class)
        .hasMessageContaining("env.API_KEY is given")
        .hasMessageNotContaining("hunter2");
  }

  @Test
  void the_same_request_with_other_bindings_is_another_one() {
    Optional<String> key = Optional.of("key");
    Created made = control.lifecycle.create(request(WANTED, Map.of(), key));
    control.node.secrets.remove(KEY);
    assertThat(control.lifecycle.create(request(WANTED, Map.of(), key)).sandbox())
        .as("what was made is found, whatever became of its secrets")
        .isEqualTo(made.sandbox());
    NetworkSettings fewer = WANTED.with(List.of(BOUND));
    assertThatThrownBy(() -> control.lifecycle.create(request(fewer, Map.of(), key)))
        .isInstanceOf(CoveException.class)
        .hasMessageContaining("another request");
  }
}
