package dev.prpf.cli.launch;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.prpf.base.error.ExitCode;
import org.jspecify.annotations.Nullable;

/**
 * How far a member is.
 *
 * @param member its number, from 0
 * @param exitCode it left with last; null before it left
 * @param starts times that it was started
 * @param detail what else is known; null where there is nothing
 * @param command its command line
 */
record MemberStatus(
        int member, State state, @Nullable Integer exitCode, int starts, @Nullable String detail, String command) {
    enum State {
        @JsonProperty("pending")
        PENDING,
        @JsonProperty("running")
        RUNNING,
        @JsonProperty("requeued")
        REQUEUED,
        @JsonProperty("done")
        DONE,
        @JsonProperty("stopped")
        STOPPED,
        @JsonProperty("failed")
        FAILED,
        @JsonProperty("lost")
        LOST,
        @JsonProperty("cancelled")
        CANCELLED;

        /** Whether nothing more happens to it by itself. */
        boolean over() {
            return this != PENDING && this != RUNNING && this != REQUEUED;
        }
    }

    /** What a member is that left for good. */
    static State left(int exitCode) {
        if (exitCode == ExitCode.DONE.status()) {
            return State.DONE;
        }
        return exitCode == ExitCode.CHECKPOINTED.status() ? State.STOPPED : State.FAILED;
    }
}
