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
     * Takes prompts one after the other and hands them on in parts, in their order. A part ends with the prompt that reaches the bound; the next
     * prompt is taken after it. Prompts of text take nothing: where all are, they are one part.
     *
     * @param prompts seen as they are taken
     * @param bytes that a prompt's features take
     * @param mostBytes that are enough for a part
     * @param use gets each part; of no prompts there is none
     */
    public static <T> void forEach(Stream<T> prompts, ToLongFunction<T> bytes, long mostBytes, Consumer<List<T>> use) {
        List<T> part = new ArrayList<>();
        long sum = 0;
        for (Iterator<T> taken = prompts.iterator(); taken.hasNext(); ) {
            T prompt = taken.next();
            part.add(prompt);
            sum += bytes.applyAsLong(prompt);
            if (sum >= mostBytes) {
                use.accept(part);
                part = new ArrayList<>();
                sum = 0;
            }
        }
        if (!part.isEmpty()) {
            use.accept(part);
        }
    }
}
