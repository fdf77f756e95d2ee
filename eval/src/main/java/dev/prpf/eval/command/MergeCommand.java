package dev.prpf.eval.command;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.command.JsonOption;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunDirectory.Resume;
import dev.prpf.eval.efficiency.DecoderFacts;
import dev.prpf.eval.efficiency.RunResources;
import dev.prpf.eval.score.RunFiles;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.openai.RemoteUsage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Implements the command {@code prpf eval merge}. */
@Command(
        name = "merge",
        description = {
            "Join the predictions of all shards of an eval run into one file, ordered by id.",
            "Rejects shards of different configurations or data, and unfinished, duplicate or missing shards.",
            "Started again after a kill, it writes the same file."
        },
        footer = {
            "  ./prpf eval run --shard 1/2 … --out runs/shard-1/predictions.jsonl",
            "  ./prpf eval run --shard 2/2 … --out runs/shard-2/predictions.jsonl",
            "  ./prpf eval merge --out runs/all/predictions.jsonl runs/shard-1/predictions.jsonl \\",
            "      runs/shard-2/predictions.jsonl"
        })
final class MergeCommand implements Runnable {
    @Option(names = "--out", required = true, paramLabel = "FILE", description = "Predictions of all shards.")
    private Path out;

    @Parameters(arity = "1..*", paramLabel = "FILE", description = "Predictions of each shard.")
    private List<Path> files;

    @Mixin
    private JsonOption output;

    @Override
    public void run() {
        List<ShardRun> shards = files.stream().map(ShardRun::read).toList();
        ShardRun.requireWhole(shards);
        Map<String, Prediction> predictions = predictions(shards);
        Path directory = out.toAbsolutePath().resolveSibling(".").normalize();
        if (Files.exists(out) && !Files.exists(directory.resolve("run.json"))) {
            throw new UsageException("--out " + out
                    + ": exists, and no run.json next to it says what made it; name another file, or remove it");
        }
        try (RunDirectory run = RunDirectory.open(directory, Resume.AUTO, description(shards))) {
            Prediction.write(out, List.copyOf(predictions.values()));
            RunSummary summary = RunSummary.of(out, took(shards));
            run.finish(summary);
            output.printLines(summary, summary::lines);
        }
    }

    private static Map<String, Prediction> predictions(List<ShardRun> shards) {
        Map<String, Prediction> all = new TreeMap<>();
        Map<String, Path> fileOf = new HashMap<>();
        for (ShardRun shard : shards) {
            int before = all.size();
            RunSummary.read(shard.file(), prediction -> {
                String id = prediction.id();
                Path other = fileOf.putIfAbsent(id, shard.file());
                if (other != null) {
                    throw new InvalidDataException("id " + id + " is in " + other + " and in " + shard.file()
                            + "; a sample has one prediction");
                }
                if (!shard.shard().has(id)) {
                    throw new InvalidDataException(shard.file() + ": id " + id + " does not belong to shard "
                            + shard.shard() + "; restore the file");
                }
                all.put(id, prediction);
            });
            int samples = shard.result().path("samples").asInt();
            if (all.size() - before != samples) {
                throw new InvalidDataException(shard.file() + ": holds " + (all.size() - before)
                        + " predictions, its run ended with " + samples + "; restore the file, or run the shard again");
            }
        }
        return all;
    }

    private RunDescription description(List<ShardRun> shards) {
        ShardRun first = shards.get(0);
        Map<String, Object> facts = shards.get(0).facts();
        facts.put(RunFiles.RUN_ARGUMENTS, first.description().arguments());
        facts.put("predictions", String.valueOf(out.getFileName()));
        facts.put(
                "shards",
                shards.stream()
                        .map(shard ->
                                Map.of("file", shard.file().toString(), "sha256", AtomicFiles.sha256(shard.file())))
                        .toList());
        return new RunDescription(
                "eval merge", output.arguments(), first.description().resolvedConfig(), facts);
    }

    /** Combines the shards: the sum of seconds, the largest shard's memory. */
    private static RunSummary.Took took(List<ShardRun> shards) {
        List<JsonNode> results = shards.stream().map(ShardRun::result).toList();
        RunResources resources = results.stream().map(RunResources::of).reduce(RunResources.NONE, RunResources::and);
        double seconds = results.stream()
                .mapToDouble(result -> result.path("seconds").asDouble())
                .sum();
        return new RunSummary.Took(
                seconds, resources, DecoderFacts.of(results.get(0).path("decoder")), RemoteUsage.sum(usages(results)));
    }

    private static List<RemoteUsage> usages(List<JsonNode> results) {
        return results.stream()
                .map(result -> result.path("remote"))
                .filter(JsonNode::isObject)
                .map(usage -> JsonRecords.read("run.json", "usage", usage.toString(), RemoteUsage.class))
                .toList();
    }

    /** A finished shard of {@code eval run}. */
    record ShardRun(Path file, RunDescription description, Shard shard, JsonNode result) {
        private static final String SHARD = "shard";
        private static final String FILE = "predictions";

        /** @throws PrpfException 65 unless the file's folder holds a finished shard's run */
        static ShardRun read(Path file) {
            Path directory = file.toAbsolutePath().resolveSibling(".").normalize();
            RunDescription description = RunDirectory.description(directory);
            if (!description.command().equals("eval run")
                    || !description.facts().containsKey(SHARD)) {
                throw new InvalidDataException(file + ": was made by `prpf " + description.command()
                        + "` without --shard; only shards of `prpf eval run` can be merged");
            }
            Shard shard = Shard.parse(
                    ((JsonNode) Objects.requireNonNull(description.facts().get(SHARD))).asText());
            JsonNode result = RunDirectory.result(directory);
            if (result.isMissingNode()) {
                throw new InvalidDataException(
                        file + ": shard " + shard + " is not finished; run its command again to resume");
            }
            return new ShardRun(file, description, shard, result);
        }

        Map<String, Object> facts() {
            Map<String, Object> facts = new TreeMap<>(description.facts());
            facts.keySet().removeAll(List.of(SHARD, FILE));
            return facts;
        }

        /**
         * Checks that these are all shards of one run.
         *
         * @throws PrpfException 65, naming different settings, a duplicate shard, or missing shards
         */
        static void requireWhole(List<ShardRun> shards) {
            ShardRun first = shards.get(0);
            shards.forEach(first::requireSame);
            Map<Integer, Path> files = new TreeMap<>();
            for (ShardRun run : shards) {
                Path other = files.putIfAbsent(run.shard.index(), run.file);
                if (other != null) {
                    throw new InvalidDataException("shard " + run.shard + " is a duplicate: " + other + " and "
                            + run.file + "; give each once");
                }
            }
            List<String> missing = IntStream.rangeClosed(1, first.shard.count())
                    .filter(index -> !files.containsKey(index))
                    .mapToObj(index -> new Shard(index, first.shard.count()).toString())
                    .toList();
            if (!missing.isEmpty()) {
                throw new InvalidDataException("shards " + String.join(", ", missing) + " are missing: of "
                        + first.shard.count() + " only " + shards.size() + " are given; run and give them too");
            }
        }

        private void requireSame(ShardRun other) {
            TreeSet<String> differences = new TreeSet<>();
            if (shard.count() != other.shard.count()) {
                differences.add("number of shards");
            }
            if (!description.resolvedConfig().equals(other.description.resolvedConfig())) {
                differences.add("config.resolved.yaml");
            }
            Map<String, Object> own = facts();
            Map<String, Object> others = other.facts();
            own.forEach((key, value) -> {
                if (!value.equals(others.get(key))) {
                    differences.add(key);
                }
            });
            others.keySet().stream().filter(key -> !own.containsKey(key)).forEach(differences::add);
            if (!differences.isEmpty()) {
                throw new InvalidDataException(file + " and " + other.file + " are of different configurations: "
                        + differences.stream().map(this::described).collect(Collectors.joining("; "))
                        + "; only shards of one run can be merged");
            }
        }

        private String described(String key) {
            Object value = description.facts().get(key);
            return value == null ? key : key + " = " + value + " in the first";
        }
    }
}
