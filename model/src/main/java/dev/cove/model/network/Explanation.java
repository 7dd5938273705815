package dev.cove.model.network;

import java.util.Optional;

/**
 * What would become of a connection, and what would have to change for it to be allowed.
 *
 * @param absolute whether it is forbidden under any policy
 * @param remedy the smallest rule that would allow it; none when it is allowed already, or no rule
 *     could
 */
public record Explanation(Verdict verdict, boolean absolute, Optional<NetworkRule> remedy) {}
