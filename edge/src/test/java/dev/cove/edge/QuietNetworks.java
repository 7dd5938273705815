package dev.cove.edge;

import dev.cove.model.ProjectName;
import dev.cove.model.SandboxId;
import dev.cove.model.network.Answer;
import dev.cove.model.network.Destination;
import dev.cove.model.network.Explanation;
import dev.cove.model.network.LoggedDecision;
import dev.cove.model.network.NetworkLimits;
import dev.cove.model.network.NetworkSettings;
import dev.cove.model.network.Question;
import dev.cove.model.network.Verdict;
import dev.cove.node.NodeNetworks;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;

/** Networks in which nothing goes on, with the settings that they were given. */
final class QuietNetworks implements NodeNetworks {
  final Map<SandboxId, NetworkSettings> settings = new ConcurrentHashMap<>();

  @Override
  public void change(SandboxId id, NetworkSettings changed) {
    settings.put(id, changed);
  }

  @Override
  public void limit(ProjectName project, OptionalLong bytesPerDay) {}

  @Override
  public void passedBefore(ProjectName project, LocalDate day, long bytes) {}

  @Override
  public long bytesToday(ProjectName project) {
    return 0;
  }

  @Override
  public void prepare(SandboxId id, NetworkSettings coming) {}

  @Override
  public NetworkLimits most() {
    return new NetworkLimits(4_096, 500, 300, 0);
  }

  @Override
  public List<LoggedDecision> log(SandboxId id) {
    return List.of();
  }

  @Override
  public Explanation explain(SandboxId id, Destination destination) {
    Verdict verdict =
        settings.getOrDefault(id, NetworkSettings.NOTHING).policy().decide(destination);
    return new Explanation(verdict, false, Optional.empty());
  }

  @Override
  public List<Question> questions(SandboxId id) {
    return List.of();
  }

  @Override
  public boolean answer(SandboxId id, String question, Answer answer) {
    return false;
  }
}
