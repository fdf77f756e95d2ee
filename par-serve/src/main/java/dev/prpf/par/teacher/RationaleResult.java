package dev.prpf.par.teacher;

import dev.prpf.par.response.ParResponse;

/** The outcome of a {@link RationaleRequest}. */
public sealed interface RationaleResult {
    /** A response to learn, and whether the teacher's text was repaired. */
    record Written(ParResponse.Parsed response, boolean repaired) implements RationaleResult {}

    /** The teacher's text cannot be used. */
    record Dropped(Fault fault, String why) implements RationaleResult {}

    /** The reason why a teacher's text cannot be used. */
    enum Fault {
        /** The text lacks parts that the prompt requires. */
        UNREADABLE,
        /** The text argues for other functions than the answer's. */
        OTHER_FUNCTIONS,
        /** The text gives other arguments, and does not mention all of the answer's. */
        OTHER_ARGUMENTS,
        /** The prompt exceeded the teacher's context. */
        TOO_LONG,
        /** The server rejected the request for another reason. */
        REFUSED
    }
}
