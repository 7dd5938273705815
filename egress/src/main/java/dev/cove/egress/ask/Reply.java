package dev.cove.egress.ask;

/** What a connection that had to ask is told. */
public enum Reply {
  YES("answered yes"),
  NO("answered no"),
  /** The policy has changed, so it is to be decided anew. */
  DECIDE_AGAIN("policy changed"),
  UNANSWERED("ask unanswered"),
  /** Nobody is there to be asked. */
  UNATTENDED("ask unattended"),
  /** Too many wait already. */
  CROWDED("ask limit");

  private final String rule;

  Reply(String rule) {
    this.rule = rule;
  }

  /** What decided, as logs and refusals name it. */
  public String rule() {
    return rule;
  }
}
