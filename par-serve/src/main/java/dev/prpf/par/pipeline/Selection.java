package dev.prpf.par.pipeline;

import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.mpp.ensemble.SampleTexts;
import dev.prpf.mpp.ensemble.TextAnalyzer;
import dev.prpf.mpp.split.NearDuplicates;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

/** Chooses drafts for the data set: without near-duplicates, balanced by scenario, split by seed. */
record Selection(Pipeline pipeline, DataGenerateCommand.Config config, ScenarioCatalog scenarios) {
    /** Drops near-duplicates of earlier drafts, by the texts without noise. */
    List<Draft> distinct(List<Draft> drafts) {
        List<List<Set<String>>> fields = drafts.stream().map(Selection::fields).toList();
        List<Integer> groups = NearDuplicates.groups(fields);
        List<Draft> distinct = new ArrayList<>();
        for (int i = 0; i < drafts.size(); i++) {
            if (groups.get(i) == i) {
                distinct.add(drafts.get(i));
            } else {
                String first = drafts.get(groups.get(i)).id;
                pipeline.drop(drafts.get(i), "duplicates", "nearly the same texts as " + first);
            }
        }
        return distinct;
    }

    private static List<Set<String>> fields(Draft draft) {
        List<String> steps = draft.trace.stream()
                .map(step -> step.text(TraceStep.Screenshot::path))
                .toList();
        return new SampleTexts(draft.context.texts(), steps)
                .fields(TextAnalyzer.CHARACTERS::terms, new Trajectory(draft.trace).screenshots());
    }

    /** Drops the last drafts of a scenario that has more than a multiple of the rarest scenario's. */
    List<Draft> balanced(List<Draft> drafts) {
        Map<String, Integer> counts = new HashMap<>();
        drafts.forEach(draft -> counts.merge(draft.scenario(scenarios), 1, Integer::sum));
        int rarest = counts.values().stream().min(Integer::compare).orElse(0);
        int most = (int) Math.ceil(config.balance() * rarest);
        Map<String, Integer> seen = new HashMap<>();
        return pipeline.keep("balance", drafts, draft -> {
            String scenario = draft.scenario(scenarios);
            return seen.merge(scenario, 1, Integer::sum) <= most
                    ? null
                    : "scenario " + scenario + " has more than " + config.balance() + " times the " + rarest
                            + " of the rarest";
        });
    }

    /** Returns the seeds of the test records. */
    Set<String> testSeeds(List<Draft> drafts) {
        List<String> seeds = new ArrayList<>(drafts.stream()
                .map(draft -> draft.seed.id())
                .distinct()
                .sorted()
                .toList());
        Collections.shuffle(seeds, new Random(config.seed()));
        int test = (int) Math.round(config.testShare() * seeds.size());
        Set<String> chosen = new HashSet<>();
        IntStream.range(0, test).forEach(i -> chosen.add(seeds.get(i)));
        return chosen;
    }
}
