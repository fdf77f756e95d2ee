package dev.prpf.eval.calls;

import dev.prpf.eval.score.Labelled;

/** The first rule that a wrong response breaks. */
enum CallError implements Labelled {
    /** The response violates the grammar. */
    MALFORMED,
    /** Calls although no function fits. */
    UNWANTED_CALL,
    /** Another number of calls than wanted, including zero. */
    WRONG_COUNT,
    WRONG_FUNCTION,
    MISSING_REQUIRED,
    /** A parameter that the function lacks or the request does not accept. */
    UNEXPECTED_PARAMETER,
    WRONG_TYPE,
    WRONG_VALUE,
    /** A parameter that the request requires, but not the function. */
    MISSING_OPTIONAL,
    /** One of several wanted calls has no matching call. */
    NO_MATCH
}
