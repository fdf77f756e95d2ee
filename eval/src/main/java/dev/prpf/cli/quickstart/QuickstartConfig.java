package dev.prpf.cli.quickstart;

/**
 * Settings in configs/quickstart.yaml: the amount of data, and the cascade. The models' own settings are in configs/quickstart/.
 *
 * @param seed of the data; the test split uses seed + 1
 * @param train samples of the training split
 * @param test samples of the test split
 * @param trainMultimodalShare share of training samples with screenshots
 * @param testMultimodalShare share of test samples with screenshots
 * @param maxFalseTriggers percent of silent dev samples that a gate may let through. The paper's rule, recall of at least 90, needs a large
 *     reasoner that declines by itself
 * @param topK number of scenarios that select the reasoner's functions (PRPF: 5)
 * @param maxNewTokens maximum tokens of a response
 */
public record QuickstartConfig(
        long seed,
        int train,
        int test,
        double trainMultimodalShare,
        double testMultimodalShare,
        double maxFalseTriggers,
        int topK,
        int maxNewTokens) {}
