package dev.prpf.par.reward;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Checks gold samples for the reward of responses. */
public final class RewardGold {
    private static final int NAMED = 20;

    private RewardGold() {}

    /**
     * Checks samples and returns them by id.
     *
     * @param samples with unique ids
     * @param source source of the samples, for the message
     * @param pool functions of the answers
     * @param poolSource source of the pool, for the message
     * @throws PrpfException 65, listing all, for unlabelled samples and answers with functions outside the pool; 65 for no samples
     */
    public static Map<String, Sample> of(List<Sample> samples, String source, FunctionPool pool, String poolSource) {
        if (samples.isEmpty()) {
            throw new InvalidDataException(source + ": holds no samples, so there is nothing to reward against");
        }
        Map<String, Sample> byId = new LinkedHashMap<>();
        Set<String> unlabelled = new LinkedHashSet<>();
        Set<String> unknown = new LinkedHashSet<>();
        for (Sample sample : samples) {
            byId.put(sample.id(), sample);
            if (!sample.labelled()) {
                unlabelled.add(sample.id());
                continue;
            }
            sample.validSequences().stream()
                    .flatMap(Collection::stream)
                    .filter(call -> !pool.contains(call.name()))
                    .forEach(call -> unknown.add("\"" + call.name() + "\" (sample " + sample.id() + ")"));
        }
        refuse(
                unlabelled,
                source + ": samples without answers cannot be rewarded against",
                "; label them or leave them out");
        refuse(
                unknown,
                source + ": answers call functions that are not in " + poolSource
                        + ", so their must-fill parameters are unknown",
                "; is this the pool of this gold set? See `prpf data validate`");
        return byId;
    }

    private static void refuse(Set<String> found, String what, String way) {
        if (!found.isEmpty()) {
            String more = found.size() > NAMED ? " and " + (found.size() - NAMED) + " more" : "";
            String named = String.join(", ", found.stream().limit(NAMED).toList());
            throw new InvalidDataException(what + ": " + named + more + way);
        }
    }
}
