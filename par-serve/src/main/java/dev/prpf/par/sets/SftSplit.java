package dev.prpf.par.sets;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.par.vision.Picture;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Examples to train on and held out.
 *
 * @param train places of at least one
 * @param devPlaces places of the held-out ones, in their order
 * @param dev sorted by length, so that batches of it carry little padding
 */
public record SftSplit(List<Integer> train, List<Integer> devPlaces, List<SftExample> dev) {
    /**
     * Holds out a share, and with it all that have the same prompt: where each valid answer is a target, a sample has several.
     *
     * @param maxPositions what the model takes; a longer example is refused
     */
    public static SftSplit of(List<SftExample> examples, int maxPositions, double devShare, long seed) {
        int longest = examples.stream().mapToInt(SftExample::length).max().orElse(0);
        if (longest > maxPositions) {
            throw new InvalidDataException("the longest example has " + longest + " tokens, the model takes "
                    + maxPositions + "; set examples.max-length to that or use a model of more positions");
        }
        List<Integer> shuffled =
                new ArrayList<>(IntStream.range(0, examples.size()).boxed().toList());
        Collections.shuffle(shuffled, new Random(seed));
        int held = (int) Math.round(shuffled.size() * devShare);
        Set<PromptKey> prompts = shuffled.subList(0, held).stream()
                .map(place -> PromptKey.of(examples.get(place)))
                .collect(Collectors.toSet());
        Map<Boolean, List<Integer>> apart = shuffled.stream()
                .collect(Collectors.partitioningBy(place -> prompts.contains(PromptKey.of(examples.get(place)))));
        List<Integer> dev = new ArrayList<>(apart.getOrDefault(true, List.of()));
        dev.sort(Comparator.comparingInt(place -> examples.get(place).length()));
        List<Integer> train = List.copyOf(apart.getOrDefault(false, List.of()));
        if (train.isEmpty()) {
            throw new InvalidDataException("of " + examples.size() + " examples none is left to train on: " + dev.size()
                    + " are held out; lower training.dev-share, or give more examples");
        }
        return new SftSplit(
                train, List.copyOf(dev), dev.stream().map(examples::get).toList());
    }

    /** What two examples of one prompt have in common: tokens, and what stands in the place of pictures. */
    private record PromptKey(LongBuffer ids, List<String> pictures) {
        static PromptKey of(SftExample example) {
            return new PromptKey(
                    LongBuffer.wrap(example.prompt()),
                    example.pictures().stream().map(Picture::key).toList());
        }
    }

    /** @param examples all of them, in some form */
    public List<SftExample> train(List<SftExample> examples) {
        return train.stream().map(examples::get).toList();
    }
}
