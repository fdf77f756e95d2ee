package dev.prpf.par.cascade;

/** The method by which a {@link ReasonerPerceiver} reads p_trigger and p_scenario from a language model. */
public enum PerceiverReading {
    /** From the log-odds of yes and no as next tokens, one question each. */
    LOG_ODDS,
    /** From the generated response: 1 for an action and for the scenarios of its functions, else 0. */
    WORDS
}
