package dev.prpf.spark;

import dev.prpf.data.FunctionPool;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.spec.LongText;
import dev.prpf.data.encode.spec.Precision;
import dev.prpf.data.encode.store.StorePlace;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.prompt.ScreenTexts;
import dev.prpf.par.sets.PerceivedSample;
import dev.prpf.par.sets.SamplePrompts;
import dev.prpf.par.sets.SftRecords;
import dev.prpf.par.sets.SftSet;
import dev.prpf.par.sets.SftSetSettings;
import dev.prpf.par.teacher.OfflineTeacher;
import dev.prpf.par.teacher.Teacher;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.jspecify.annotations.Nullable;

/**
 * Makes the SFT records of a partition's samples in batches, with the offline teacher and without a perceiver.
 *
 * @param images root of the screenshots' paths, visible to every executor; null without screenshots
 */
record SftWriting(
        FunctionPool pool,
        ScenarioCatalog catalog,
        PromptSettings prompt,
        SftSetSettings settings,
        @Nullable String images)
        implements FlatMapFunction<Iterator<Sample>, SftWriting.Part> {
    private static final int SAMPLES = 256;

    /** The records and counts of some samples. */
    record Part(List<String> lines, SftSet.Counts counts) implements Serializable {}

    @Override
    public Iterator<Part> call(Iterator<Sample> samples) {
        ScreenTexts screens = ExecutorScreens.of(images);
        SamplePrompts prompts =
                new SamplePrompts(pool, catalog, new PromptRenderer(prompt, catalog, screens), settings);
        Teacher teacher = new OfflineTeacher(screens);
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return samples.hasNext();
            }

            @Override
            public Part next() {
                List<Sample> some = new ArrayList<>(List.of(samples.next()));
                while (some.size() < SAMPLES && samples.hasNext()) {
                    some.add(samples.next());
                }
                SftSet set = SftSet.part(PerceivedSample.without(some), prompts, settings, teacher);
                return new Part(set.records().stream().map(SftRecords::line).toList(), set.counts());
            }
        };
    }

    /** Screenshot readers of this process, shared by all tasks of the executor; loaded once, with the first screenshot. */
    static final class ExecutorScreens {
        /** Size of the cache of recent texts, in bytes. */
        private static final long CACHE_BYTES = 64L << 20;

        private static final Map<String, SampleEncoder> LOADED = new HashMap<>();

        private ExecutorScreens() {}

        /** @param images root of the screenshots' paths; null if samples must not have screenshots */
        static synchronized ScreenTexts of(@Nullable String images) {
            if (images == null) {
                return ScreenTexts.none();
            }
            SampleEncoder encoder = LOADED.computeIfAbsent(images, ExecutorScreens::open);
            return encoder::screenText;
        }

        private static SampleEncoder open(String images) {
            int threads = ExecutorEncoder.cores();
            EncoderSettings settings = new EncoderSettings(
                    Precision.INT8, LongText.MEAN_OF_WINDOWS, threads, Path.of(""), Path.of(images));
            return SampleEncoder.openInMemory(settings, new StorePlace.Memory(CACHE_BYTES));
        }
    }
}
