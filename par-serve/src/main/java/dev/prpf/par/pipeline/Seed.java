package dev.prpf.par.pipeline;

import dev.prpf.base.config.Rule;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.RecordLines;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Language;
import dev.prpf.data.ScenarioCatalog;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The idea that records are made from.
 *
 * @param scenario its scenario
 * @param text the help that is due, or a moment without need of help
 * @param images screenshots that are the trace of its records, relative to the image root; null or empty to generate a trace
 */
record Seed(String id, String scenario, String text, @Nullable List<String> images) {
    private static final RecordLines<Seed> LINES = new RecordLines<>(Seed.class, "seed", "images");

    Seed {
        Rule.require(id.matches("[A-Za-z0-9._-]{1,64}"), "id", id, "1 to 64 letters, digits, dots, dashes");
        Rule.require(!text.isBlank(), "text", "\"" + text + "\"", "not blank");
    }

    /**
     * Reads seeds, one JSON object a line.
     *
     * @throws dev.prpf.base.error.PrpfException 65 for a malformed seed, an unknown scenario, a duplicate id or no seed
     */
    static List<Seed> read(Path file, ScenarioCatalog catalog) {
        List<Seed> seeds = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        LINES.read(file, (place, seed) -> {
            if (!catalog.names().contains(seed.scenario)) {
                throw new InvalidDataException(
                        place + ": scenario \"" + seed.scenario + "\" is unknown, must be one of " + catalog.names());
            }
            if (!ids.add(seed.id)) {
                throw new InvalidDataException(place + ": the id " + seed.id + " is a duplicate");
            }
            seeds.add(seed);
        });
        return seeds;
    }

    /**
     * Makes seeds from the functions of a pool; scenarios take turns. A share of the seeds is without need of help.
     *
     * @throws dev.prpf.base.error.PrpfException 65 if no function has a scenario
     */
    static List<Seed> ofPool(
            FunctionPool pool, ScenarioCatalog catalog, Language language, DataGenerateCommand.Config config) {
        List<Map.Entry<String, List<FunctionSpec>>> blocks = catalog.blocks(pool).entrySet().stream()
                .filter(block -> !block.getValue().isEmpty())
                .toList();
        if (blocks.isEmpty()) {
            throw new InvalidDataException("the pool has no function with a scenario; give --scenarios FILE");
        }
        Random random = new Random(config.seed());
        List<Seed> seeds = new ArrayList<>();
        for (int i = 0; i < config.count(); i++) {
            Map.Entry<String, List<FunctionSpec>> block = blocks.get(i % blocks.size());
            FunctionSpec function =
                    block.getValue().get(i / blocks.size() % block.getValue().size());
            String text = random.nextDouble() < config.silentShare()
                    ? language.of(
                            "此刻用户不需要任何帮助，主动推荐只会打扰用户。", "At this moment no help is due; an offer would only disturb.")
                    : function.name() + ": " + function.description();
            seeds.add(new Seed("s%05d".formatted(i), block.getKey(), text, null));
        }
        return seeds;
    }
}
