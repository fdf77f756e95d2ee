package dev.prpf.data.synth.output;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.run.Progress;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.io.FunctionPoolWriter;
import dev.prpf.data.io.SampleWriter;
import dev.prpf.data.synth.Language;
import dev.prpf.data.synth.SampleSynth;
import dev.prpf.data.synth.SynthCounts;
import dev.prpf.data.synth.SynthSample;
import dev.prpf.data.synth.SynthSample.Screen;
import dev.prpf.data.synth.SynthSettings;
import dev.prpf.data.synth.screen.ScreenFont;
import dev.prpf.data.synth.screen.ScreenPainter;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Writes made samples as a ProactiveMobile folder: {@code benchmark_zh.json} (or {@code benchmark_en.json}), {@code
 * function_pool.json}, {@code scenarios.json} and {@code images/}. All is written into a folder beside its place and moved there at
 * the end, the samples last, so a run that fails leaves what was there before. Memory does not grow with the number of samples.
 */
public final class SynthOutput {
    private static final String POOL = "function_pool.json";
    private static final String IMAGES = "images";
    private static final String SCENARIOS = "scenarios.json";
    private static final Pattern STAGING = Pattern.compile("\\.synth-(\\d{1,18})\\.partial");

    private final Path directory;
    private final Path staging;
    private final FunctionPool pool;

    /**
     * @param directory made where it is missing
     */
    public SynthOutput(Path directory, FunctionPool pool) {
        this.directory = directory;
        this.pool = pool;
        this.staging = directory.resolve(".synth-" + ProcessHandle.current().pid() + ".partial");
    }

    /** The file that holds the samples. */
    public static String fileName(Language language) {
        return language == Language.ZH ? "benchmark_zh.json" : "benchmark_en.json";
    }

    /** The first file of a data set that stands in this folder, or null where {@link #write} would replace nothing. */
    public @Nullable Path existing() {
        return Stream.of(fileName(Language.ZH), fileName(Language.EN), POOL, SCENARIOS, IMAGES)
                .map(directory::resolve)
                .filter(Files::exists)
                .findFirst()
                .orElse(null);
    }

    /**
     * Makes and writes all samples, in place of a data set that stands there.
     *
     * @param font for the pictures, or null for the one on the class path
     * @throws PrpfException 69 for a broken or missing font, or where nothing can be written
     */
    public SynthCounts write(SampleSynth synth, @Nullable Path font) {
        SynthSettings settings = synth.settings();
        @Nullable
        ScreenPainter painter =
                settings.multimodalShare() > 0 ? new ScreenPainter(ScreenFont.load(font), settings.language()) : null;
        try {
            removeAbandoned();
            Files.createDirectories(staging.resolve(IMAGES));
            SynthCounts counts = stage(synth, painter);
            publish(fileName(settings.language()));
            return counts;
        } catch (IOException e) {
            throw IoFailure.writing(directory, e);
        } finally {
            removeStaging();
        }
    }

    private SynthCounts stage(SampleSynth synth, @Nullable ScreenPainter painter) throws IOException {
        SynthSettings settings = synth.settings();
        SynthCounts counts = new SynthCounts();
        SampleWriter writer = SampleWriter.create(staging.resolve(fileName(settings.language())));
        try (Progress progress = Progress.start("synth " + settings.split(), settings.count())) {
            for (Iterator<SynthSample> made = synth.samples().iterator(); made.hasNext(); ) {
                SynthSample sample = made.next();
                writer.write(sample.sample());
                draw(sample.screens(), painter);
                counts.add(sample);
                progress.step();
            }
            writer.close();
        } catch (IOException | RuntimeException | Error e) {
            writer.discard();
            throw e;
        }
        FunctionPoolWriter.write(pool, staging.resolve(POOL));
        copyScenarios();
        return counts;
    }

    private void draw(List<Screen> screens, @Nullable ScreenPainter painter) throws IOException {
        for (Screen screen : screens) {
            if (painter == null) {
                throw new IllegalStateException("a sample has screens though the multimodal share is 0");
            }
            try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(staging.resolve(screen.path())))) {
                painter.write(screen, out);
            }
        }
    }

    private void copyScenarios() throws IOException {
        try (InputStream in = FunctionPool.class.getResourceAsStream(SCENARIOS)) {
            if (in == null) {
                throw new IllegalStateException("the resource " + SCENARIOS + " is missing");
            }
            Files.copy(in, staging.resolve(SCENARIOS));
        }
    }

    private void publish(String samples) throws IOException {
        Path images = directory.resolve(IMAGES);
        removeOld(images);
        try (Stream<Path> pictures = Files.list(staging.resolve(IMAGES))) {
            for (Iterator<Path> each = pictures.iterator(); each.hasNext(); ) {
                Path picture = each.next();
                Files.createDirectories(images);
                Files.move(picture, images.resolve(picture.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
        }
        for (String name : List.of(POOL, SCENARIOS, samples)) {
            AtomicFiles.move(staging.resolve(name), directory.resolve(name));
        }
    }

    /** The old samples go first: a kill in between leaves a folder without samples, not one with another set's pictures. */
    private void removeOld(Path images) throws IOException {
        boolean replaces = false;
        for (Language language : Language.values()) {
            replaces |= Files.deleteIfExists(directory.resolve(fileName(language)));
        }
        if (replaces && Files.isDirectory(images)) {
            try (DirectoryStream<Path> pictures = Files.newDirectoryStream(images, "*.png")) {
                for (Path picture : pictures) {
                    Files.delete(picture);
                }
            }
        }
    }

    /** What runs that were killed left beside the data set: they cannot go on with it. */
    private void removeAbandoned() throws IOException {
        if (!Files.isDirectory(directory)) {
            return;
        }
        try (Stream<Path> children = Files.list(directory)) {
            for (Path child : children.toList()) {
                Matcher name = STAGING.matcher(String.valueOf(child.getFileName()));
                if (name.matches()
                        && ProcessHandle.of(Long.parseLong(name.group(1))).isEmpty()) {
                    remove(child);
                }
            }
        }
    }

    private void removeStaging() {
        try {
            remove(staging);
        } catch (IOException e) {
            throw IoFailure.writing(staging, e);
        }
    }

    private static void remove(Path tree) throws IOException {
        if (!Files.exists(tree)) {
            return;
        }
        try (Stream<Path> files = Files.walk(tree)) {
            for (Path path : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
