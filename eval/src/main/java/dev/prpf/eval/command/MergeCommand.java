package dev.prpf.eval.command;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.command.JsonOption;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.base.run.RunDirectory.Resume;
import dev.prpf.eval.compare.RunFiles;
import dev.prpf.eval.efficiency.DecoderFacts;
import dev.prpf.eval.efficiency.RunResources;
import dev.prpf.par.cascade.Prediction;
import dev.prpf.par.openai.RemoteUsage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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
            "",
            "Example:",
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

    /** Returns the predictions ordered by id. */
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
}
