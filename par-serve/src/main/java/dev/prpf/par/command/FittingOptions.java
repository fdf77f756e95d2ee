package dev.prpf.par.command;

import dev.prpf.base.command.ConfigOptions;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.workflow.Stage;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds options with which a training would fit into the free memory.
 *
 * @param dropped the number of examples that a configuration drops for their length
 */
record FittingOptions<C extends Record>(
        ConfigOptions command, Class<C> type, Predicate<C> fits, ToIntFunction<C> dropped) {
    private static final List<Integer> RANKS = List.of(64, 16, 8);
    private static final int MOST = 3;
    /** The largest divisor of a length. */
    private static final int SHORTEST = 8;

    /**
     * Returns the smallest change of each kind that fits: a smaller batch, shorter sequences, adapters, or the smallest batch with adapters.
     *
     * @param batch keys of the configuration that are halved together
     * @param length keys of the lengths that are halved together
     * @param dropping the setting that a shorter length needs; null for none
     */
    String inWords(Map<String, Integer> batch, Map<String, Integer> length, @Nullable String dropping) {
        List<List<String>> smaller = halves(batch, Collections.max(batch.values()));
        List<List<String>> shorter = halves(length, SHORTEST).stream()
                .map(keys -> Stream.concat(keys.stream(), Stream.ofNullable(dropping))
                        .toList())
                .toList();
        List<List<String>> adapters = RANKS.stream()
                .map(rank -> List.of("training.lora={rank: " + rank + ", alpha: " + 2 * rank + ", targets: null}"))
                .toList();
        List<String> least = Stream.of(smaller, adapters)
                .flatMap(kind -> kind.get(kind.size() - 1).stream())
                .toList();
        String fitting = Stream.of(smaller, shorter, adapters, List.of(least))
                .flatMap(kind -> kind.stream().filter(this::fits).limit(1))
                .limit(MOST)
                .map(this::words)
                .collect(Collectors.joining(", or "));
        return fitting.isEmpty()
                ? "; no smaller batch, shorter length or LoRA rank of at least 8 fits"
                : "; it fits with " + fitting;
    }

    private String words(List<String> settings) {
        int fewer = dropped.applyAsInt(changed(settings));
        return settings.stream().map(one -> "--set " + Stage.quoted(one)).collect(Collectors.joining(" "))
                + (fewer == 0 ? "" : " (drops " + fewer + (fewer == 1 ? " example)" : " examples)"));
    }

    private boolean fits(List<String> settings) {
        return fits.test(changed(settings));
    }

    private C changed(List<String> settings) {
        List<String> all =
                Stream.concat(command.overrides.stream(), settings.stream()).toList();
        return StrictYaml.read(Objects.requireNonNull(command.config), type, all);
    }

    private static List<List<String>> halves(Map<String, Integer> keys, int most) {
        return IntStream.iterate(2, by -> by == 2 || by <= most, by -> 2 * by)
                .mapToObj(by -> keys.entrySet().stream()
                        .map(key -> key.getKey() + "=" + Math.max(1, key.getValue() / by))
                        .sorted()
                        .toList())
                .toList();
    }
}
