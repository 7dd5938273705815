package dev.cove.control.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Dockerfiles as people write them, from the text to the steps with their variables filled in. */
class WholeDockerfilesTest {
  /**
   * @param expected a line per stage and step
   */
  record Case(String name, String dockerfile, Map<String, String> arguments, String expected) {
    @Override
    public String toString() {
      return name;
    }
  }

  static List<Case> cases() {
    return List.of(
        new Case(
            "a Python service",
            """
            # syntax=docker/dockerfile:1.7
            ARG PYTHON=3.12
            FROM python:${PYTHON}-slim

            ENV PYTHONUNBUFFERED=1 \\
                # no byte code in the image
                PYTHONDONTWRITEBYTECODE=1 \\
                PATH="/opt/venv/bin:$PATH"
            WORKDIR /app
            COPY requirements*.txt ./
            RUN apt-get update && \\
                apt-get install -y --no-install-recommends \\
                  git \\
                  # for psycopg
                  libpq-dev \\
                && rm -rf /var/lib/apt/lists/*
            COPY --chown=1000:1000 . .
            USER 1000
            EXPOSE 8000/tcp
            HEALTHCHECK --interval=30s CMD curl -f http://localhost:8000/ || exit 1
            CMD ["python", "-m", "app"]
            """,
            Map.of("PYTHON", "3.13"),
            """
            from python:3.13-slim
            env {PYTHONUNBUFFERED=1, PYTHONDONTWRITEBYTECODE=1, PATH=/opt/venv/bin:/bin}
            workdir /app
            copy [requirements*.txt] ./
            run [/bin/sh, -c, apt-get update &&     apt-get install -y --no-install-recommends       git       libpq-dev     && rm -rf /var/lib/apt/lists/*]
            copy [.] . for 1000:1000
            user 1000
            expose [8000/tcp]
            ignored
            cmd [python, -m, app]
            """),
        new Case(
            "a Go program in two stages",
            """
            FROM --platform=$BUILDPLATFORM golang:1.23 AS Build
            ARG TARGETOS
            ARG VERSION=dev
            WORKDIR /src
            COPY go.mod go.sum ./
            RUN go mod download
            COPY . .
            RUN CGO_ENABLED=0 GOOS=$TARGETOS go build -ldflags "-X main.version=${VERSION}" -o /out/server ./cmd/server

            FROM scratch
            COPY --from=build /out/server /server
            COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
            ENTRYPOINT ["/server"]
            """,
            Map.of(),
            """
            from golang:1.23 as build
            arg TARGETOS
            arg VERSION=dev
            workdir /src
            copy [go.mod, go.sum] ./
            run [/bin/sh, -c, go mod download]
            copy [.] .
            run [/bin/sh, -c, CGO_ENABLED=0 GOOS=$TARGETOS go build -ldflags "-X main.version=${VERSION}" -o /out/server ./cmd/server]
            from scratch
            copy [/out/server] /server from build
            copy [/etc/ssl/certs/ca-certificates.crt] /etc/ssl/certs/ from build
            entrypoint [/server]
            """),
        new Case(
            "a Node program whose stages start from each other",
            """
            FROM node:22-alpine AS base
            ENV PNPM_HOME=/pnpm
            ENV PATH=$PNPM_HOME:$PATH
            SHELL ["/bin/ash", "-eo", "pipefail", "-c"]

            FROM base AS deps
            COPY package.json pnpm-lock.yaml /app/
            RUN cd /app && pnpm install --frozen-lockfile | tee log

            FROM base
            LABEL org.opencontainers.image.title="app" \\
                  version=1
            COPY --link --from=deps --chmod=0555 /app/node_modules /app/node_modules
            VOLUME /data
            STOPSIGNAL SIGTERM
            CMD node /app/index.js
            """,
            Map.of(),
            """
            from node:22-alpine as base
            env {PNPM_HOME=/pnpm}
            env {PATH=/pnpm:/bin}
            shell [/bin/ash, -eo, pipefail, -c]
            from base as deps
            copy [package.json, pnpm-lock.yaml] /app/
            run [/bin/ash, -eo, pipefail, -c, cd /app && pnpm install --frozen-lockfile | tee log]
            from base
            ignored
            copy [/app/node_modules] /app/node_modules from deps mode 555
            ignored
            ignored
            cmd [/bin/ash, -eo, pipefail, -c, node /app/index.js]
            """),
        new Case(
            "a set of tools written with heredocs",
            """
            FROM debian:12
            ARG DEBIAN_FRONTEND=noninteractive
            RUN <<EOF
            set -eu
            apt-get update
            # the ones we need
            apt-get install -y jq
            EOF
            RUN cat > /etc/motd <<'MOTD' && chmod 644 /etc/motd
            Hello $USER
            FROM here
            MOTD
            WORKDIR work
            """,
            Map.of(),
            """
            from debian:12
            arg DEBIAN_FRONTEND=noninteractive
            run [/bin/sh, -c, set -eu
            apt-get update
            # the ones we need
            apt-get install -y jq
            ]
            run [/bin/sh, -c, cat > /etc/motd <<'MOTD' && chmod 644 /etc/motd
            Hello $USER
            FROM here
            MOTD
            ]
            workdir work
            """),
        new Case(
            "a Java program with arguments for everything",
            """
            ARG REGISTRY=docker.io
            ARG JDK=${REGISTRY}/eclipse-temurin:25
            from ${JDK}-jdk as build
            maintainer someone@example.org
            workdir /src
            copy . .
            run ./mvnw -q package
            from ${JDK}-jre
            arg JAR=target/app.jar
            arg USER_ID=${ID:-10001}
            env JAVA_OPTS -Xmx256m   -Xss1m
            add ["config/app settings.tar.gz", "/etc/app/"]
            copy --from=0 /src/$JAR /opt/app.jar
            user ${USER_ID}:${USER_ID}
            entrypoint exec java $JAVA_OPTS -jar /opt/app.jar
            """,
            Map.of("REGISTRY", "mirror:5000", "JAR", "out/x.jar"),
            """
            from mirror:5000/eclipse-temurin:25-jdk as build
            ignored
            workdir /src
            copy [.] .
            run [/bin/sh, -c, ./mvnw -q package]
            from mirror:5000/eclipse-temurin:25-jre
            arg JAR=target/app.jar
            arg USER_ID=10001
            env {JAVA_OPTS=-Xmx256m   -Xss1m}
            add [config/app settings.tar.gz] /etc/app/
            copy [/src/out/x.jar] /opt/app.jar from 0
            user 10001:10001
            entrypoint [/bin/sh, -c, exec java $JAVA_OPTS -jar /opt/app.jar]
            """));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void whole_files_become_the_steps_they_mean(Case given) {
    assertThat(String.join("\n", described(given)) + "\n").isEqualTo(given.expected());
  }

  @ParameterizedTest
  @MethodSource("cases")
  void ends_of_lines_may_be_those_of_windows(Case given) {
    var windows =
        new Case("", given.dockerfile().replace("\n", "\r\n"), given.arguments(), given.expected());
    assertThat(described(windows)).isEqualTo(described(given));
  }

  private static List<String> described(Case given) {
    Dockerfile file = Dockerfile.parse(given.dockerfile(), given.arguments());
    var lines = new ArrayList<String>();
    for (Stage stage : file.stages()) {
      lines.add("from " + stage.from() + stage.name().map(name -> " as " + name).orElse(""));
      Variables variables =
          Variables.atStart(given.arguments(), file.globals(), Map.of("PATH", "/bin"));
      for (Step raw : stage.steps()) {
        Step step = raw.expand(variables);
        variables = variables.after(step);
        lines.add(described(step));
      }
    }
    return lines;
  }

  private static String described(Step step) {
    return switch (step) {
      case Step.Run run -> "run " + run.argv();
      case Step.Copy copy -> described(copy);
      case Step.Env env -> "env " + env.values();
      case Step.Argument argument ->
          "arg " + argument.name() + argument.defaultValue().map(value -> "=" + value).orElse("");
      case Step.Workdir workdir -> "workdir " + workdir.path();
      case Step.User user -> "user " + user.user();
      case Step.Entrypoint entrypoint -> "entrypoint " + entrypoint.argv();
      case Step.Cmd cmd -> "cmd " + cmd.argv();
      case Step.Expose expose -> "expose " + expose.ports();
      case Step.Shell shell -> "shell " + shell.argv();
      case Step.Ignored _ -> "ignored";
    };
  }

  private static String described(Step.Copy copy) {
    return (copy.unpackArchives() ? "add " : "copy ")
        + copy.sources()
        + " "
        + copy.target()
        + copy.fromStage().map(stage -> " from " + stage).orElse("")
        + copy.owner().map(owner -> " for " + owner).orElse("")
        + (copy.mode().isPresent() ? " mode " + Integer.toOctalString(copy.mode().getAsInt()) : "");
  }
}
