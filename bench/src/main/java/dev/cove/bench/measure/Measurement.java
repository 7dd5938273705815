package dev.cove.bench.measure;

import dev.cove.bench.report.Section;
import java.io.IOException;
import java.util.List;

/** One thing that the bench can measure. */
public interface Measurement {

  /** All of them, in the order in which they run. */
  static List<Measurement> all() {
    return List.of(
        new FirstOutput(),
        new Tiers(),
        new ExecTrue(),
        new CreateBurst(),
        new CreateRate(),
        new Density(),
        new Storage(),
        new PackageInstall(),
        new ImagePull(),
        new Resting(),
        new ProjectWork(),
        new Network(),
        new CodeRuns(),
        new E2bClient(),
        new SoakLoad(),
        new Churn(),
        new PausedCrowd(),
        new Recovery(),
        new ServerStart(),
        new CliStart());
  }

  /** The name that {@code --only} takes. */
  String name();

  /** Another name that {@code --only} takes, for several of them. */
  default String group() {
    return name();
  }

  String title();

  Section measure(Workbench bench) throws IOException, InterruptedException;
}
