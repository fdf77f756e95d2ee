package dev.prpf.par.sets;

/** What happens to a training record whose target calls functions that are not in the pool of the perceived scenarios. */
public enum OutOfPool {
    /** Their scenarios take the places of the least probable ones: what is learned can always be chosen. */
    ADD,
    /** The record is left out and counted: pools are those of inference. */
    DROP
}
