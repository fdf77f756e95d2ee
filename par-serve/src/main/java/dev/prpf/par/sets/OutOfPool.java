package dev.prpf.par.sets;

/** Treatment of training records with a target outside of the perceived scenarios. */
public enum OutOfPool {
    /** The target's scenarios replace the least probable ones, so that every target can be chosen. */
    ADD,
    /** The record is omitted and counted, so that pools are those of inference. */
    DROP
}
