package dev.prpf.par.cascade;

/** How a {@link ReasonerPerceiver} reads p_trigger and p_scenario off a language model. */
public enum PerceiverReading {
    /** From the log-odds of yes and no as its next words, a question each. */
    LOG_ODDS,
    /** From the response that it writes: 1 where it acts, and for the scenarios of the functions it calls; else 0. */
    WORDS
}
