package dev.prpf.mpp;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.files.AtomicFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * One run of a training over seeds and ablations. The list of all is kept in the directory above them as {@code seeds.json}.
 *
 * @param variant which network
 * @param seed of everything random
 * @param path of its run directory, relative to the directory above
 */
public record SeedRun(
        @JsonProperty("variant") Variant variant, @JsonProperty("seed") long seed, @JsonProperty("path") String path) {
    private static final String FILE = "seeds.json";
    private static final ObjectMapper JSON = new ObjectMapper()
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES);

    /** The network of a run (the MPP rows of PRPF Table 2). */
    public enum Variant {
        /** As configured. */
        FULL("full"),
        /** Without the slow channel. */
        WITHOUT_SLOW("w/o slow"),
        /** Without the fast channel. */
        WITHOUT_FAST("w/o fast");

        private final String label;

        Variant(String label) {
            this.label = label;
        }

        /** As in tables. */
        public String label() {
            return label;
        }

        /** Which network a run's own configuration is of. */
        public static Variant of(MppConfig config) {
            if (!config.network().slowChannel()) {
                return WITHOUT_SLOW;
            }
            return config.network().fastChannel() ? FULL : WITHOUT_FAST;
        }
    }

    /**
     * Every run of a training.
     *
     * @param seeds at least one
     * @param ablations whether each channel is also taken away; where the configuration has one channel only, there is none to take
     */
    public static List<SeedRun> plan(MppConfig config, List<Long> seeds, boolean ablations) {
        List<Variant> variants = new ArrayList<>(List.of(Variant.FULL));
        if (ablations && config.network().slowChannel() && config.network().fastChannel()) {
            variants.add(Variant.WITHOUT_SLOW);
            variants.add(Variant.WITHOUT_FAST);
        }
        List<SeedRun> runs = new ArrayList<>();
        for (Variant variant : variants) {
            String directory = variant.name().toLowerCase(Locale.ROOT).replace('_', '-');
            seeds.forEach(seed -> runs.add(new SeedRun(variant, seed, directory + "/seed_" + seed)));
        }
        return runs;
    }

    /** The configuration of this run. */
    public MppConfig config(MppConfig whole) {
        MppConfig seeded = whole.withSeed(seed);
        return switch (variant) {
            case FULL -> seeded;
            case WITHOUT_SLOW -> seeded.withChannels(false, true);
            case WITHOUT_FAST -> seeded.withChannels(true, false);
        };
    }

    /** Keeps a plan in the directory above its runs. */
    public static void save(Path directory, List<SeedRun> runs) {
        try {
            AtomicFiles.writeText(
                    directory.resolve(FILE),
                    JSON.writerWithDefaultPrettyPrinter().writeValueAsString(runs) + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether a directory holds a training over seeds. */
    public static boolean isPlanned(Path directory) {
        return Files.isRegularFile(directory.resolve(FILE));
    }

    /** @throws PrpfException 65 if the file is damaged */
    public static List<SeedRun> load(Path directory) {
        Path file = directory.resolve(FILE);
        try {
            List<SeedRun> read = JSON.readValue(Files.readAllBytes(file), new TypeReference<List<SeedRun>>() {});
            if (read == null || read.isEmpty() || read.stream().anyMatch(Objects::isNull)) {
                throw new InvalidDataException(
                        file + ": lists no run, or one that is null; give the training's command again,"
                                + " which writes it");
            }
            return read;
        } catch (IOException e) {
            throw new InvalidDataException(file + ": cannot be read: " + e.getMessage());
        }
    }
}
