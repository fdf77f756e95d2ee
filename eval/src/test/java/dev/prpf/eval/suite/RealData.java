package dev.prpf.eval.suite;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.prpf.base.error.PrpfException.UnavailableException;

/** Locates the released files. Without them, tests that need them are skipped with the download command as the reason. */
final class RealData {
    private RealData() {}

    static DataFolder proactiveBench() {
        return of(ProactiveBench.SUITE, "reward_data");
    }

    static DataFolder contextAgent() {
        return of(ContextAgent.SUITE, "cab_train.json");
    }

    static DataFolder knowU() {
        return of(KnowU.SUITE, "user_logs");
    }

    private static DataFolder of(Suite suite, String name) {
        try {
            DataFolder folder = DataFolder.of(suite, null, System.getenv());
            folder.find(name);
            return folder;
        } catch (UnavailableException e) {
            assumeTrue(false, "skipped: " + e.getMessage());
            throw e;
        }
    }

    static ProactiveBench bench() {
        return ProactiveBench.read(proactiveBench());
    }
}
