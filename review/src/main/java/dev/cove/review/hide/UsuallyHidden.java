package dev.cove.review.hide;

import java.util.List;

/** Where secrets lie in most projects. */
final class UsuallyHidden {
  /** As in an ignore file. */
  static final List<String> PATTERNS =
      List.of(
          ".env",
          ".env.*",
          "!.env.example",
          "!.env.sample",
          "!.env.template",
          "!.env.dist",
          "*.env.local",
          ".envrc",
          "*.pem",
          "*.key",
          "*.p12",
          "*.pfx",
          "*.jks",
          "*.keystore",
          "*.kdbx",
          "*.ppk",
          "id_rsa",
          "id_dsa",
          "id_ecdsa",
          "id_ed25519",
          "*_rsa",
          "*_ed25519",
          ".ssh/",
          ".aws/",
          ".azure/",
          ".gnupg/",
          ".kube/",
          ".docker/",
          ".password-store/",
          ".config/gcloud/",
          ".netrc",
          "_netrc",
          ".pgpass",
          ".my.cnf",
          ".pypirc",
          ".git-credentials",
          ".htpasswd",
          ".vault-token",
          ".boto",
          ".s3cfg",
          "*.tfstate",
          "*.tfstate.*",
          "terraform.tfvars",
          "credentials",
          "credentials.json",
          "client_secret*.json",
          "service-account*.json");

  /** Hidden only where there is a token in them: others need them to find their packages. */
  static final List<String> WITH_TOKENS = List.of(".npmrc", ".yarnrc", ".yarnrc.yml");

  /** By which such a token is known. */
  static final List<String> TOKENS = List.of("_auth", "_password", "npmAuthToken", "npmAuthIdent");

  private UsuallyHidden() {}
}
