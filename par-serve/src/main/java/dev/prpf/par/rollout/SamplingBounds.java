package dev.prpf.par.rollout;

import static dev.prpf.base.config.Rule.require;

/** Which sampling settings make sense, for every record that holds them. */
public final class SamplingBounds {
    private SamplingBounds() {}

    /**
     * Checks how tokens are drawn.
     *
     * @param joint what joins the words of a key: {@code -} in configurations, {@code _} in records
     * @throws IllegalArgumentException naming the first key that is out of bounds, its value and the rule
     */
    public static void requireDraws(double temperature, int topK, double topP, int maxNewTokens, char joint) {
        require(temperature > 0 && Double.isFinite(temperature), "temperature", temperature, "> 0");
        require(topK >= 0, "top" + joint + "k", topK, "at least 0");
        require(topP > 0 && topP <= 1, "top" + joint + "p", topP, "in (0, 1]");
        require(maxNewTokens > 0, joint == '-' ? "max-new-tokens" : "max_new", maxNewTokens, "at least 1");
    }

    /**
     * Checks how many responses are written, of a prompt and together.
     *
     * @throws IllegalArgumentException as {@link #requireDraws}
     */
    public static void requireGroups(int groupSize, int batchSize) {
        require(
                groupSize >= 2,
                "group-size",
                groupSize,
                "at least 2: a response alone has nothing to be compared with");
        require(batchSize > 0, "batch-size", batchSize, "at least 1");
    }
}
