package dev.prpf.par.sets;

/**
 * Which scenarios' functions a training prompt shows.
 *
 * @param topK how many scenarios, at least 1 (PRPF §3.3: 5)
 * @param outOfPool what happens where the target's scenarios are not among the perceived ones
 * @param seed of the scenarios that stand beside the target's where no perceiver ran, and of the ranks that added ones take
 */
public record CandidateSettings(int topK, OutOfPool outOfPool, long seed) {}
