package dev.prpf.par.teacher;

import dev.prpf.par.response.ParResponse;

/** The outcome of a {@link RationaleRequest}. */
public sealed interface RationaleResult {
    /** A response to learn, and whether the teacher's text had to be repaired for it. */
    record Written(ParResponse.Parsed response, boolean repaired) implements RationaleResult {}

    /** The teacher's text cannot be used. */
    record Dropped(Fault fault, String why) implements RationaleResult {}

    /** Why a teacher's text cannot be used. */
    enum Fault {
        /** It lacks the parts that the prompt asks for. */
        UNREADABLE,
        /** It argues for other functions than the answer's. */
        OTHER_FUNCTIONS,
        /** It gives other arguments than the answer, and does not mention all of the answer's. */
        OTHER_ARGUMENTS,
        /** The prompt did not fit the teacher's context. */
        TOO_LONG,
        /** The server refused the request for another reason. */
        REFUSED
    }
}
