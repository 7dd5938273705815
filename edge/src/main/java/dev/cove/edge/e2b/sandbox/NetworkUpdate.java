package dev.cove.edge.e2b.sandbox;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.cove.edge.e2b.secret.HeaderRules;
import dev.cove.edge.e2b.secret.RuleValues;
import dev.cove.model.network.NetworkSettings;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a sandbox may reach from now on. */
record NetworkUpdate(
    @Nullable List<@Nullable String> allowOut,
    @Nullable List<@Nullable String> denyOut,
    @Nullable Object egressProxy,
    @Nullable Map<String, @Nullable List<HeaderRules.@Nullable Rule>> rules,
    @JsonProperty("allow_internet_access") @Nullable Boolean allowInternetAccess) {
  NetworkSettings settings(RuleValues values) {
    return OutRules.settings(
        allowInternetAccess,
        new OutRules.Wanted(allowOut, denyOut, null, null, null, egressProxy, rules),
        values);
  }
}
