package dev.prpf.par.sets;

import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.par.vision.VisualPrompt.VisionImage;
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
 * Splits examples into training and held-out ones.
 *
 * @param train indices of the training examples, at least one
 * @param devPlaces indices of the held-out examples, in order
 * @param dev sorted by length, so that batches have little padding
 */
public record SftSplit(List<Integer> train, List<Integer> devPlaces, List<SftExample> dev) {
    /**
     * Holds out a share of the examples, with all other examples of their prompts: a sample may have several targets.
     *
     * @param maxPositions positions of the model; a longer example is rejected
     */
    public static SftSplit of(List<SftExample> examples, int maxPositions, double devShare, long seed) {
        int longest = examples.stream().mapToInt(SftExample::length).max().orElse(0);
        if (longest > maxPositions) {
            throw new InvalidDataException("the longest example has " + longest + " tokens, the model takes "
                    + maxPositions + "; set examples.max-length to that or use a model with more positions");
        }
        List<Integer> shuffled =
                new ArrayList<>(IntStream.range(0, examples.size()).boxed().toList());
        Collections.shuffle(shuffled, new Random(seed));
        int held = (int) Math.round(shuffled.size() * devShare);
        Set<PromptKey> prompts = shuffled.subList(0, held).stream()
                .map(index -> PromptKey.of(examples.get(index)))
                .collect(Collectors.toSet());
        Map<Boolean, List<Integer>> apart = shuffled.stream()
                .collect(Collectors.partitioningBy(index -> prompts.contains(PromptKey.of(examples.get(index)))));
        List<Integer> dev = new ArrayList<>(apart.getOrDefault(true, List.of()));
        dev.sort(Comparator.comparingInt(index -> examples.get(index).length()));
        List<Integer> train = List.copyOf(apart.getOrDefault(false, List.of()));
        if (train.isEmpty()) {
            throw new InvalidDataException("of " + examples.size() + " examples none is left for training: "
                    + dev.size() + " are held out; lower training.dev-share, or give more examples");
        }
        return new SftSplit(
                train, List.copyOf(dev), dev.stream().map(examples::get).toList());
    }

    /** Key that is equal for equal prompts: tokens and images. */
    private record PromptKey(LongBuffer ids, List<String> images) {
        static PromptKey of(SftExample example) {
            return new PromptKey(
                    LongBuffer.wrap(example.prompt()),
                    example.images().stream().map(VisionImage::key).toList());
        }
    }

    /** @param examples all examples, possibly rewritten */
    public List<SftExample> train(List<SftExample> examples) {
        return train.stream().map(examples::get).toList();
    }
}
