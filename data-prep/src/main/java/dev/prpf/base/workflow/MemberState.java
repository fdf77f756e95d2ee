package dev.prpf.base.workflow;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.prpf.base.config.EnumName;
import dev.prpf.base.error.ExitCode;

/** The state of a plan's member. */
public enum MemberState {
    /** Nothing has begun it. */
    WAITING,
    /** A scheduler has accepted it. */
    PENDING,
    RUNNING,
    REQUEUED,
    DONE,
    /** A signal stopped it, or it was killed. */
    STOPPED,
    FAILED,
    /** It ended without a note and its scheduler does not know it. */
    LOST,
    CANCELLED;

    /** Returns the state of a member that exited. */
    public static MemberState left(int status) {
        return status == ExitCode.DONE.status() ? DONE : status == ExitCode.CHECKPOINTED.status() ? STOPPED : FAILED;
    }

    /** Returns whether a submitted member does not change by itself any more. */
    public boolean over() {
        return this != PENDING && this != RUNNING && this != REQUEUED;
    }

    @JsonValue
    public String label() {
        return EnumName.of(this);
    }
}
