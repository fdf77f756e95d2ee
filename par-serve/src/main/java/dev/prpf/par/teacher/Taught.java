package dev.prpf.par.teacher;

import dev.prpf.par.response.ParResponse;

/** What came of a lesson. */
public sealed interface Taught {
    /**
     * A response to learn.
     *
     * @param repaired whether the teacher's text had to be mended
     */
    record Written(ParResponse.Parsed response, boolean repaired) implements Taught {}

    /** Nothing that could be learned. */
    record Dropped(Fault fault, String why) implements Taught {}

    /** Why a teacher's text is no use. */
    enum Fault {
        /** It has not the parts that were asked for. */
        UNREADABLE,
        /** It argues for other functions than the answer's. */
        OTHER_FUNCTIONS,
        /** It gives other arguments than the answer, and does not mention all of the answer's. */
        OTHER_ARGUMENTS,
        /** The prompt did not fit the teacher's context. */
        TOO_LONG
    }
}
