package dev.prpf.base.workflow;

import com.fasterxml.jackson.annotation.JsonValue;
import dev.prpf.base.config.EnumName;
import dev.prpf.base.error.ExitCode;

/** The states of a member, which is one run of a grid or one command of a job. */
public enum MemberState {
    /** The member has not started. */
    WAITING,
    /** A scheduler has accepted the member. */
    PENDING,
    RUNNING,
    REQUEUED,
    DONE,
    /** A signal stopped or killed the member. */
    STOPPED,
    FAILED,
    /** The member recorded no end, and its scheduler does not know it. */
    LOST,
    CANCELLED;

    /** Returns the state after an exit status. */
    public static MemberState left(int status) {
        return status == ExitCode.DONE.status() ? DONE : status == ExitCode.CHECKPOINTED.status() ? STOPPED : FAILED;
    }

    /** Returns whether this is the last state of a submitted member. */
    public boolean over() {
        return this != PENDING && this != RUNNING && this != REQUEUED;
    }

    @JsonValue
    public String label() {
        return EnumName.of(this);
    }
}
