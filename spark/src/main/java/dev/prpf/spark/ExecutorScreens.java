package dev.prpf.spark;

import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.spec.LongText;
import dev.prpf.data.encode.spec.Precision;
import dev.prpf.data.encode.store.StorePlace;
import dev.prpf.par.prompt.ScreenTexts;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The readers of screenshots of this process: loaded once, with the first screenshot, for all tasks of the executor. */
final class ExecutorScreens {
    /** What was read last is remembered, in bytes. */
    private static final long REMEMBERED = 64L << 20;

    private static final Map<String, SampleEncoder> LOADED = new HashMap<>();

    private ExecutorScreens() {}

    /** @param images the root of the screenshots' paths, or null where samples must not have any */
    static synchronized ScreenTexts of(@Nullable String images) {
        if (images == null) {
            return ScreenTexts.none();
        }
        SampleEncoder encoder = LOADED.computeIfAbsent(images, ExecutorScreens::open);
        return encoder::screenText;
    }

    private static SampleEncoder open(String images) {
        int threads = ExecutorEncoder.cores();
        EncoderSettings settings =
                new EncoderSettings(Precision.INT8, LongText.MEAN_OF_WINDOWS, threads, Path.of(""), Path.of(images));
        return SampleEncoder.openInMemory(settings, new StorePlace.Memory(REMEMBERED));
    }
}
