package dev.prpf.par.serve.policy;

import dev.prpf.base.config.Rule;
import java.nio.file.Path;

/**
 * Settings of the policies' stored state: the {@code policy:} section of configs/serve.yaml. Without {@code --policy} only feedback is stored, in
 * a temporary folder.
 *
 * @param folder of the database and of its hash key; used by this server only
 * @param busyTimeoutMs that a request waits for the database before it fails
 * @param maxDatabaseMb maximum size of the database in 2^20 bytes; a full database means silence until rows are erased or expire
 * @param maxFeedbackMb maximum size of one user's records and images; feedback beyond it is counted but not kept
 */
public record PolicySettings(Path folder, int busyTimeoutMs, int maxDatabaseMb, int maxFeedbackMb) {
    /** The values of configs/serve.yaml. */
    public static final PolicySettings DEFAULT = new PolicySettings(Path.of("runs/serve"), 2000, 1024, 64);

    public PolicySettings {
        Rule.require(folder.toString().indexOf('?') < 0, "folder", folder, "a path without \"?\"");
        Rule.require(
                busyTimeoutMs >= 1 && busyTimeoutMs <= 60_000, "busy-timeout-ms", busyTimeoutMs, "from 1 to 60000");
        Rule.require(
                maxDatabaseMb >= 1 && maxDatabaseMb <= 1 << 20, "max-database-mb", maxDatabaseMb, "from 1 to 1048576");
        Rule.require(
                maxFeedbackMb >= 1 && maxFeedbackMb <= maxDatabaseMb,
                "max-feedback-mb",
                maxFeedbackMb,
                "from 1 to max-database-mb");
    }

    PolicySettings in(Path other) {
        return new PolicySettings(other, busyTimeoutMs, maxDatabaseMb, maxFeedbackMb);
    }

    /** Returns the maximum bytes of the database. */
    public long maxDatabaseBytes() {
        return (long) maxDatabaseMb << 20;
    }
}
