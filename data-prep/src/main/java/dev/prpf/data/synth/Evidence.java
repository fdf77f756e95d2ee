package dev.prpf.data.synth;

import dev.prpf.data.Recommendation;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The part of a sample that decides, or pretends to decide, its answer; all else is distraction.
 *
 * @param core trace sentences that stand among the last four, in order; the first is the first need where the trace shows one
 * @param earlier trace sentences that stand before the core
 * @param notification a need that shows in the phone's notifications instead, or null
 * @param wish what the profile asks the phone not to do, or null
 * @param now the time of the moment
 * @param relevantCharacters characters of the sentences that decide
 * @param decoyCharacters characters of the sentences here that do not
 * @param names entities in use, which distraction must not name
 * @param answers the valid answers
 */
record Evidence(
        List<String> core,
        List<String> earlier,
        @Nullable String notification,
        @Nullable String wish,
        DayTime now,
        int relevantCharacters,
        int decoyCharacters,
        Set<String> names,
        List<Recommendation> answers) {}
