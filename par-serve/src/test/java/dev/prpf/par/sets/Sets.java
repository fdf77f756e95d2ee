package dev.prpf.par.sets;

import dev.prpf.data.Sample;
import dev.prpf.mpp.Perception;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.prompt.Prompts;
import dev.prpf.par.sets.SamplePrompts.CandidateSettings;
import dev.prpf.par.sets.SamplePrompts.PerceivedSample;
import dev.prpf.par.sets.SftSet.DataSftConfig.SftSetSettings;
import dev.prpf.par.teacher.OfflineTeacher;
import java.util.List;
import java.util.stream.IntStream;

/** Sets of the small world of {@link Prompts}. */
public final class Sets {
    private Sets() {}

    /** Returns a writer of this world's prompts, with fake screen texts. */
    public static SamplePrompts prompts(PromptSettings prompt, CandidateSettings candidates) {
        PromptRenderer renderer = new PromptRenderer(prompt, Prompts.CATALOG, Prompts.FAKE_SCREENS);
        return new SamplePrompts(Prompts.POOL, Prompts.CATALOG, renderer, candidates);
    }

    public static SftSet set(PromptSettings prompt, SftSetSettings settings, List<PerceivedSample> samples) {
        return SftSet.build(samples, prompts(prompt, settings), settings, new OfflineTeacher(Prompts.FAKE_SCREENS));
    }

    static List<PerceivedSample> perceived(List<Sample> samples, List<Perception> perceptions) {
        return IntStream.range(0, samples.size())
                .mapToObj(i -> new PerceivedSample(samples.get(i), perceptions.get(i)))
                .toList();
    }
}
