package dev.prpf.data.synth;

/**
 * The plan of one sample, made before its texts.
 *
 * @param difficulty 1 to 3
 * @param calls number of needs; 0 if uneventful
 * @param factor distractor characters per relevant character
 * @param mostFactor maximum factor
 * @param decoy position of a completion of something else
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

    /** The position of a completion of something else, worded like a completion of the need. */
    enum Decoy {
        NONE,
        BEFORE,
        AFTER
    }
}
