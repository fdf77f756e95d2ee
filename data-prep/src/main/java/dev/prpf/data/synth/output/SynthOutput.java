package dev.prpf.data.synth.output;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.LockFile;
import dev.prpf.base.files.Resource;
import dev.prpf.base.run.Progress;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Language;
import dev.prpf.data.Sample;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.SampleWriter;
import dev.prpf.data.synth.SampleSynth;
import dev.prpf.data.synth.SynthSample;
import dev.prpf.data.synth.SynthSample.Screen;
import dev.prpf.data.synth.SynthSample.Temper;
import dev.prpf.data.synth.SynthSettings;
import dev.prpf.data.synth.screen.ScreenFont;
import dev.prpf.data.synth.screen.ScreenPainter;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Writes generated samples as a ProactiveMobile folder: {@code benchmark_zh.json} (or {@code benchmark_en.json}),
 * {@code function_pool.json}, {@code scenarios.json} and {@code images/}. Memory does not grow with the number of samples.
 *
 * <p>All files are first written to {@code .synth.partial}, which one process at a time locks. At the end the existing data set
 * is moved to {@code replaced/} and the new one into place, the samples last. Then the old one is deleted. A failed run restores
 * the old data set; after a kill the next run does.
 */
public final class SynthOutput {
    private static final String POOL = "function_pool.json";
    private static final String IMAGES = "images";
    private static final String SCENARIOS = "scenarios.json";
    private static final String IMAGE = ".png";
    /** The files of a data set, the samples first. */
    private static final List<String> ALL =
            List.of(fileName(Language.ZH), fileName(Language.EN), POOL, SCENARIOS, IMAGES);

    private final Path directory;
    private final Path staging;
    private final Path replaced;
    private final Path obsolete;
    private final FunctionPool pool;

    /** @param directory created if it is missing */
    public SynthOutput(Path directory, FunctionPool pool) {
        this.directory = directory;
        this.pool = pool;
        this.staging = directory.resolve(".synth.partial");
        this.replaced = staging.resolve("replaced");
        this.obsolete = staging.resolve("obsolete");
    }

    /** Returns the name of the file with the samples. */
    public static String fileName(Language language) {
        return language.of("benchmark_zh.json", "benchmark_en.json");
    }

    /** Returns the first existing file of a data set in the folder, or null if {@link #write} would replace nothing. */
    public @Nullable Path existing() {
        return ALL.stream()
                .map(directory::resolve)
                .filter(Files::exists)
                .findFirst()
                .orElse(null);
    }

    /**
     * Generates and writes all samples and replaces an existing data set.
     *
     * @param font for the images, or null for the one on the class path
     * @return numbers of records, records with images, images, and records of each temper, by name
     * @throws PrpfException 69 for an invalid or missing font, or if the folder cannot be written
     */
    @SuppressWarnings("try") // the lock is held, not used
    public Map<String, Long> write(SampleSynth synth, @Nullable Path font) {
        SynthSettings settings = synth.settings();
        @Nullable
        ScreenPainter painter = settings.draws() ? new ScreenPainter(ScreenFont.load(font), settings.language()) : null;
        try (LockFile lock = takeStaging()) {
            try {
                recover();
                Files.createDirectories(staging.resolve(IMAGES));
                Map<String, Long> counts = stage(synth, painter);
                publish(fileName(settings.language()));
                return counts;
            } finally {
                recover();
                AtomicFiles.deleteTree(staging);
            }
        } catch (IOException e) {
            throw IoFailure.writing(directory, e);
        }
    }

    private LockFile takeStaging() throws IOException {
        Files.createDirectories(staging);
        LockFile lock = LockFile.tryTake(staging.resolve("lock"));
        if (lock == null) {
            throw new UnavailableException(
                    directory + ": another process is writing a data set here; wait for it, or name another --out");
        }
        return lock;
    }

    private Map<String, Long> stage(SampleSynth synth, @Nullable ScreenPainter painter) throws IOException {
        SynthSettings settings = synth.settings();
        Map<String, Long> counts = new LinkedHashMap<>();
        Stream.of("records", "multimodal", "images").forEach(name -> counts.put(name, 0L));
        Stream.of(Temper.values()).forEach(temper -> counts.put(temper.label(), 0L));
        try (Progress progress = Progress.start("synth " + settings.split(), settings.count())) {
            Stream<Sample> samples = synth.samples().map(made -> {
                made.screens().forEach(screen -> draw(screen, Objects.requireNonNull(painter)));
                count(made, counts);
                progress.step();
                return made.sample();
            });
            SampleWriter.write(staging.resolve(fileName(settings.language())), samples.iterator());
        }
        FunctionPoolFile.write(pool, staging.resolve(POOL));
        copyScenarios();
        return counts;
    }

    private static void count(SynthSample made, Map<String, Long> counts) {
        long images = made.screens().size();
        counts.merge("records", 1L, Long::sum);
        counts.merge("multimodal", images > 0 ? 1L : 0L, Long::sum);
        counts.merge("images", images, Long::sum);
        counts.merge(made.temper().label(), 1L, Long::sum);
    }

    private void draw(Screen screen, ScreenPainter painter) {
        Path file = staging.resolve(screen.path());
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
            painter.write(screen, out);
        } catch (IOException e) {
            throw IoFailure.writing(file, e);
        }
    }

    private void copyScenarios() throws IOException {
        Files.write(staging.resolve(SCENARIOS), Resource.bytes(FunctionPool.class, SCENARIOS));
    }

    private void publish(String samples) throws IOException {
        Files.createDirectory(replaced);
        for (String name : ALL) {
            moveIfThere(name, directory, replaced);
        }
        for (String name : List.of(IMAGES, POOL, SCENARIOS, samples)) {
            moveIfThere(name, staging, directory);
        }
        AtomicFiles.move(replaced, obsolete); // from here on the new data set is valid
    }

    private static void moveIfThere(String name, Path from, Path to) throws IOException {
        Path source = from.resolve(name);
        boolean none = name.equals(IMAGES) && Files.isDirectory(source) && isEmpty(source);
        if (Files.exists(source) && !none) {
            AtomicFiles.move(source, to.resolve(name));
        }
    }

    private static boolean isEmpty(Path folder) throws IOException {
        try (Stream<Path> children = Files.list(folder)) {
            return children.findAny().isEmpty();
        }
    }

    /** Completes an interrupted {@link #publish}: restores the old data set if the new one is incomplete, else deletes the old one. */
    void recover() throws IOException {
        if (Files.isDirectory(replaced)) {
            for (String name : ALL) {
                if (Files.exists(replaced.resolve(name))) {
                    AtomicFiles.deleteTree(directory.resolve(name));
                    AtomicFiles.move(replaced.resolve(name), directory.resolve(name));
                }
            }
            AtomicFiles.deleteTree(replaced);
        }
        if (Files.isDirectory(obsolete)) {
            keepOthers(obsolete.resolve(IMAGES));
            AtomicFiles.deleteTree(obsolete);
        }
    }

    /** Keeps files in the old images folder that do not belong to the old data set. */
    private void keepOthers(Path old) throws IOException {
        boolean withSamples =
                Stream.of(Language.values()).anyMatch(language -> Files.exists(obsolete.resolve(fileName(language))));
        Path images = directory.resolve(IMAGES);
        try (Stream<Path> files = Files.isDirectory(old) ? Files.list(old) : Stream.empty()) {
            for (Path file : files.toList()) {
                Path place = images.resolve(file.getFileName());
                boolean ours = withSamples && file.toString().endsWith(IMAGE);
                if (!ours && !Files.exists(place)) {
                    Files.createDirectories(images);
                    AtomicFiles.move(file, place);
                }
            }
        }
    }
}
