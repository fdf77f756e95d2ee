package dev.prpf.par.engine;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/** Splits prompts into parts by the memory of their images' features, so that not all features are in memory at once. */
public final class ImageParts {
    private static final int HEAP_SHARE = 8;

    private ImageParts() {}

    /** Returns the bytes of features that fill a part: an eighth of the heap. */
    public static long mostBytes() {
        return Runtime.getRuntime().maxMemory() / HEAP_SHARE;
    }

    /**
     * Takes prompts one after the other and passes them on in parts, in order. The prompt that reaches the bound ends the part at its last whole
     * batch. The prompts after this batch begin the next part. Without a whole batch, all of them form a part. Prompts of text take no memory: if all
     * are text, they form one part.
     *
     * @param prompts, encoded when taken
     * @param bytes of a prompt's features
     * @param mostBytes bytes of features that end a part; memory may exceed it by one prompt
     * @param batch prompts that are decoded together, at least 1
     * @param use receives each part; not called without prompts
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
