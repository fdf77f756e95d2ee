package dev.prpf.eval.calls;

import dev.prpf.eval.score.Labelled;

/** Why a response is wrong; the first rule that it breaks. */
public enum CallError implements Labelled {
    /** Not of the response grammar. */
    MALFORMED,
    /** Calls where no function serves. */
    UNWANTED_CALL,
    /** Another number of calls than are wanted, none among them. */
    WRONG_COUNT,
    WRONG_FUNCTION,
    MISSING_REQUIRED,
    /** A parameter that the function does not have or that may not be given here. */
    UNEXPECTED_PARAMETER,
    WRONG_TYPE,
    WRONG_VALUE,
    /** A parameter that the function does not require, and this request does. */
    MISSING_OPTIONAL,
    /** Of several wanted calls one that no call is right for. */
    NO_MATCH
}
