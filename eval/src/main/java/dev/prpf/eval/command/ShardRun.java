package dev.prpf.eval.command;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.run.RunDescription;
import dev.prpf.base.run.RunDirectory;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A finished shard of {@code eval run}.
 *
 * @param file its predictions
 * @param shard its part of the data
 */
record ShardRun(Path file, RunDescription description, Shard shard, JsonNode result) {
    private static final String SHARD = "shard";
    private static final String FILE = "predictions";

    /** @throws PrpfException 65 unless the file's folder holds a finished shard's run */
    static ShardRun read(Path file) {
        Path directory = file.toAbsolutePath().resolveSibling(".").normalize();
        RunDescription description = RunDirectory.description(directory);
        if (!description.command().equals("eval run") || !description.facts().containsKey(SHARD)) {
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

    /** Returns the facts that all shards of a run have in common. */
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
                throw new InvalidDataException(
                        "shard " + run.shard + " is a duplicate: " + other + " and " + run.file + "; give each once");
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
