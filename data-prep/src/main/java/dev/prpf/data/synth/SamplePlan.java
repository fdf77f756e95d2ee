package dev.prpf.data.synth;

/**
 * What one sample is to be, before a word of it is written.
 *
 * @param difficulty 1 to 3
 * @param calls how many needs stand in it; 0 when uneventful
 * @param factor distractor characters for each relevant character
 * @param mostFactor the factor not to go beyond
 * @param decoy where a completion of something else stands
 * @param otherWish whether the profile states a wish on another topic
 * @param mild whether silence is one of the valid answers
 * @param screenshots number of screenshots, 0 for a text sample
 */
record SamplePlan(
        int difficulty,
        Temper temper,
        String scenario,
        int calls,
        double factor,
        double mostFactor,
        Decoy decoy,
        boolean otherWish,
        boolean mild,
        int screenshots) {

    /** A completion of something else: it says the same words as a completion of the need. */
    enum Decoy {
        NONE,
        BEFORE,
        AFTER
    }
}
