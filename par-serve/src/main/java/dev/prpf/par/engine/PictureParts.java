package dev.prpf.par.engine;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/** Cuts prompts into parts by what the features of their pictures take, so that those of all are never in memory at once. */
public final class PictureParts {
    private static final int HEAP_SHARE = 8;

    private PictureParts() {}

    /** How many bytes of features are enough for a part: an eighth of the heap. */
    public static long mostBytes() {
        return Runtime.getRuntime().maxMemory() / HEAP_SHARE;
    }

    /**
     * Takes prompts one after the other and hands them on in parts, in their order. The prompt that reaches the bound ends the part at its last
     * whole batch, and those behind that begin the next part; where there is no whole batch, they are all a part. Then the next prompt is taken.
     * Prompts of text take nothing: where all are, they are one part.
     *
     * @param prompts seen as they are taken
     * @param bytes that a prompt's features take
     * @param mostBytes that are enough; what is in memory at once is larger by one prompt at most
     * @param batch prompts that are decoded together, at least 1
     * @param use gets each part; of no prompts there is none
     */
    public static <T> void forEach(
            Stream<T> prompts, ToLongFunction<T> bytes, long mostBytes, int batch, Consumer<List<T>> use) {
        List<T> part = new ArrayList<>();
        long sum = 0;
        for (Iterator<T> taken = prompts.iterator(); taken.hasNext(); ) {
            T prompt = taken.next();
            part.add(prompt);
            sum += bytes.applyAsLong(prompt);
            while (!part.isEmpty() && sum >= mostBytes) {
                int whole = part.size() - part.size() % batch;
                List<T> ended = part.subList(0, whole == 0 ? part.size() : whole);
                use.accept(List.copyOf(ended));
                ended.clear();
                sum = part.stream().mapToLong(bytes).sum();
            }
        }
        if (!part.isEmpty()) {
            use.accept(part);
        }
    }
}
