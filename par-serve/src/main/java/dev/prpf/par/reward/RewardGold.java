package dev.prpf.par.reward;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Samples that responses can be rewarded against, by id. */
public final class RewardGold {
    private static final int NAMED = 20;

    private RewardGold() {}

    /**
     * The samples by id.
     *
     * @param samples with ids that differ
     * @param source where they came from, for the message
     * @param pool of their answers
     * @param poolSource where it came from, for the message
     * @throws PrpfException 65 on no samples, unlabelled samples and answers that call what is not in the pool, all named at once
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
                        + ", so what they must fill is not known",
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
