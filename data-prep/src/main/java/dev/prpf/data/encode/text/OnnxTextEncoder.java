package dev.prpf.data.encode.text;

import dev.prpf.base.error.Closing;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.encode.spec.EncoderSpec;
import dev.prpf.data.encode.spec.EncoderSpec.EncoderPrecision;
import dev.prpf.data.encode.spec.EncoderSpec.LongText;
import dev.prpf.data.encode.spec.EncoderSpec.Pooling;
import dev.prpf.data.encode.store.EmbeddingStore.Vectors;
import dev.prpf.data.encode.text.TextEncoder.TokenEncoder;
import dev.prpf.data.onnx.NetworkMeter;
import dev.prpf.data.onnx.OnnxModel;
import dev.prpf.data.onnx.Workers;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.LongBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A text encoder in ONNX Runtime, described by its {@link EncoderSpec}: tokenizes a text, runs a network with BERT's inputs, and
 * pools its vectors.
 *
 * <p>Batches run in parallel on one thread each; int8 kernels gain nothing from a second thread. A batch has windows of one
 * length, so nothing is padded. An int8 model gets single windows, because it quantises activations over the batch and other
 * texts would change a text's vector. A text's vector depends on the text only.
 */
public final class OnnxTextEncoder implements TokenEncoder {
    private static final Logger LOG = LoggerFactory.getLogger(OnnxTextEncoder.class);

    /** Maximum time that closing waits for running encodings. */
    public static final Duration LONGEST_END = Duration.ofSeconds(30);

    /** Tokens per batch: more gain nothing; up to here short texts run up to 2.5 times faster than one by one. */
    private static final int FP32_BATCH_TOKENS = 256;

    private static final String IDS = "input_ids";
    private static final String MASK = "attention_mask";
    private static final String TYPES = "token_type_ids";

    private final EncoderSpec spec;
    private final Running running;
    private final @Nullable OnnxTextEncoder owner;
    private final Workers workers;
    private final AtomicLong truncated = new AtomicLong();
    private final AtomicLong tokens = new AtomicLong();
    private final AtomicLong nanos = new AtomicLong();
    private final NetworkMeter meter;
    /** Read lock to use network and tokenizer, write lock to close them, so that no thread uses freed native memory. */
    private final ReentrantReadWriteLock use = new ReentrantReadWriteLock();

    private boolean closed;
    private @Nullable Loaded loaded;

    /**
     * The run settings of an encoder.
     *
     * @param precision the precision of the weights
     * @param longText the rule for texts that exceed the network's tokens
     * @param threads number of all threads
     * @param singleTexts whether all threads work on one batch, for texts that arrive one by one
     */
    public record Running(EncoderPrecision precision, LongText longText, int threads, boolean singleTexts) {}

    /** The network, the name of the used output, and the tokenizer. */
    private record Loaded(OnnxModel model, String output, TextTokenizer tokenizer) {}

    /** Creates an encoder; the first text loads weights and tokenizer. */
    public OnnxTextEncoder(EncoderSpec spec, Running running) {
        this(spec, running, null);
    }

    private OnnxTextEncoder(EncoderSpec spec, Running running, @Nullable OnnxTextEncoder owner) {
        this.spec = spec;
        this.running = running;
        this.owner = owner;
        meter = owner == null ? new NetworkMeter(this::probe, 8, 32, 96) : new NetworkMeter(owner.meter);
        workers = new Workers("texts", running.singleTexts() ? 1 : running.threads());
    }

    /**
     * Returns an encoder with shared weights and tokenizer, and its own threads and counts. It is usable until this is closed;
     * closing it does not close this.
     */
    public OnnxTextEncoder shared() {
        return new OnnxTextEncoder(spec, running, this);
    }

    public synchronized boolean isLoaded() {
        return owner == null ? loaded != null : owner.isLoaded();
    }

    /** @throws PrpfException 69 if a file is missing; 65 if it cannot be used */
    private synchronized Loaded loaded() {
        if (owner != null) {
            return owner.loaded();
        }
        if (loaded == null) {
            meter.loading();
            try (Workers aside = new Workers("tokenizer", 1)) {
                Supplier<TextTokenizer> tokenizer = aside.begin(() -> TextTokenizer.load(spec.text()));
                // the model takes as long as the tokenizer
                loaded = Closing.ifRefused(model(), model -> new Loaded(model, output(model), tokenizer.get()));
            }
        }
        return loaded;
    }

    private OnnxModel model() {
        EncoderSpec.Weights weights = spec.weights(running.precision());
        ByteBuffer content = weights.file().content();
        ByteBuffer network =
                weights.rewiring() == null ? content : weights.rewiring().of(content);
        return OnnxModel.load(weights.file().name(), network, running.singleTexts() ? running.threads() : 1);
    }

    private String output(OnnxModel model) {
        if (!model.inputs().contains(IDS) || !List.of(IDS, MASK, TYPES).containsAll(model.inputs())) {
            throw new InvalidDataException("text encoder " + spec.id() + ": the model takes " + model.inputs()
                    + ", must take " + IDS + " and may take " + MASK + " and " + TYPES);
        }
        return spec.text().pooling() == Pooling.NONE
                ? model.outputOfRank(2, "sentence_embedding")
                : model.outputOfRank(3, "last_hidden_state");
    }

    @Override
    public String id() {
        return spec.idOf(running.precision(), running.longText());
    }

    @Override
    public int width() {
        return spec.width();
    }

    /** Returns the number of texts so far with more tokens than the network takes, which were truncated or averaged. */
    public long truncated() {
        return truncated.get();
    }

    /** Returns the number of tokens encoded so far, special ones included. */
    public long tokens() {
        return tokens.get();
    }

    @Override
    public int vocabularySize() {
        return using(() -> loaded().tokenizer().vocabularySize());
    }

    @Override
    public int tokensOf(String text) {
        return tokensOf(using(() -> loaded().tokenizer().windows(text)));
    }

    @Override
    public int tokensOf(long[] ids) {
        return tokensOf(using(() -> loaded().tokenizer().windows(ids)));
    }

    private int tokensOf(List<long[]> windows) {
        return windows.stream().limit(kept(windows)).mapToInt(ids -> ids.length).sum();
    }

    /** Returns the number of a text's windows that the network reads. */
    private int kept(List<long[]> windows) {
        return running.longText() == LongText.TRUNCATE ? 1 : windows.size();
    }

    /** Counts operations early, see {@link NetworkMeter#countEarly}. */
    public void countEarly() {
        meter.countEarly();
    }

    /** Returns the floating-point operations of the network so far, {@link NetworkMeter#flops}. */
    public double flops() {
        return meter.flops();
    }

    /** Returns the seconds spent on encoding so far, without the loading of the network. */
    public double seconds() {
        return nanos.get() / 1e9;
    }

    private void probe(int length) {
        try (OnnxModel network = model()) {
            run(network, output(network), new long[] {1, length}, new long[length]);
        }
    }

    private <T> T using(Supplier<T> work) {
        if (owner != null) {
            return owner.using(work);
        }
        use.readLock().lock();
        try {
            if (closed) {
                throw new IllegalStateException("text encoder " + spec.id() + " was closed");
            }
            return work.get();
        } finally {
            use.readLock().unlock();
        }
    }

    /** @throws IllegalStateException if this is closed */
    @Override
    public float[][] encode(List<String> texts) {
        return timed(() -> vectors(texts));
    }

    @Override
    public float[] encodeLong(String text, Consumer<Runnable> turn) {
        return encodeLong(() -> loaded().tokenizer().windows(text), turn);
    }

    @Override
    public float[] encodeIds(long[] ids, Consumer<Runnable> turn) {
        return encodeLong(() -> loaded().tokenizer().windows(ids), turn);
    }

    private float[] encodeLong(Supplier<List<long[]>> tokenized, Consumer<Runnable> turn) {
        Deque<Window> windows = new ArrayDeque<>();
        List<float[]> vectors = new ArrayList<>();
        turn.accept(() -> windows.addAll(timed(() -> windows(List.of(tokenized.get())))));
        while (!windows.isEmpty()) {
            List<Window> next = List.of(windows.remove());
            turn.accept(() -> vectors.addAll(timed(() -> pooledVectors(next)).values()));
        }
        return mean(vectors);
    }

    private <T> T timed(Supplier<T> work) {
        return using(() -> {
            loaded();
            long start = System.nanoTime();
            try {
                return work.get();
            } finally {
                nanos.addAndGet(System.nanoTime() - start);
            }
        });
    }

    private float[][] vectors(List<String> texts) {
        List<String> distinct = List.copyOf(new LinkedHashSet<>(texts));
        List<Window> windows = windows(workers.map(distinct, loaded().tokenizer()::windows));
        Map<Window, float[]> vectors = new HashMap<>();
        workers.map(batches(windows), this::pooledVectors).forEach(vectors::putAll);
        Map<String, List<float[]>> byText = new HashMap<>();
        for (Window window : windows) { // in the text's order
            byText.computeIfAbsent(distinct.get(window.text()), text -> new ArrayList<>())
                    .add(Objects.requireNonNull(vectors.get(window)));
        }
        return texts.stream()
                .map(text -> mean(Objects.requireNonNull(byText.get(text))))
                .toArray(float[][]::new); // (N, W)
    }

    /** Returns the mean of a text's window vectors, scaled again if they are. */
    private float[] mean(List<float[]> windows) {
        float[] sum = new float[width()];
        for (float[] vector : windows) {
            add(vector, 0, sum);
        }
        return scaled(sum, windows.size());
    }

    private float[] scaled(float[] sum, int count) {
        if (spec.normalise()) {
            return Vectors.unit(sum);
        }
        for (int i = 0; i < sum.length; i++) {
            sum[i] /= count;
        }
        return sum;
    }

    private List<Window> windows(List<List<long[]>> ids) {
        List<Window> windows = new ArrayList<>();
        for (int text = 0; text < ids.size(); text++) {
            int count = ids.get(text).size();
            if (count > 1) {
                truncated.incrementAndGet();
            }
            for (int n = 0; n < kept(ids.get(text)); n++) {
                windows.add(new Window(text, n, ids.get(text).get(n)));
            }
        }
        return windows;
    }

    /** Groups windows of one length into batches of at most {@link #FP32_BATCH_TOKENS} tokens, the longest first. */
    private List<List<Window>> batches(List<Window> windows) {
        Map<Integer, List<Window>> byLength = new TreeMap<>(Comparator.reverseOrder());
        windows.forEach(window -> byLength.computeIfAbsent(window.ids().length, length -> new ArrayList<>())
                .add(window));
        int batchTokens = running.precision() == EncoderPrecision.FP32 ? FP32_BATCH_TOKENS : 1;
        List<List<Window>> batches = new ArrayList<>();
        byLength.forEach((length, same) -> {
            int size = Math.max(1, batchTokens / length);
            for (int from = 0; from < same.size(); from += size) {
                batches.add(same.subList(from, Math.min(same.size(), from + size)));
            }
        });
        return batches;
    }

    /** Returns the pooled vectors of a batch, shape (W) each. */
    private Map<Window, float[]> pooledVectors(List<Window> batch) {
        int length = batch.get(0).ids().length;
        long[] shape = {batch.size(), length};
        LongBuffer ids = LongBuffer.allocate(batch.size() * length);
        batch.forEach(window -> ids.put(window.ids()));
        OnnxModel.Output result = run(loaded().model(), loaded().output(), shape, ids.array());
        tokens.addAndGet(ids.capacity());
        meter.ran(length, batch.size());
        return pooled(batch, result);
    }

    private static OnnxModel.Output run(OnnxModel network, String output, long[] shape, long[] ids) {
        long[] ones = new long[ids.length];
        Arrays.fill(ones, 1);
        return network.run(shape, Map.of(IDS, ids, MASK, ones, TYPES, new long[ids.length]), output);
    }

    /** @param result shape (B, W), or (B, T, W) with T = 1 if the model was rewired to return its first position only */
    private Map<Window, float[]> pooled(List<Window> batch, OnnxModel.Output result) {
        long[] shape = result.shape();
        int width = (int) shape[shape.length - 1];
        if (width != width()) {
            throw new InvalidDataException("text encoder " + spec.id() + ": width = " + width()
                    + ", but the model gives vectors of " + width + " floats");
        }
        int rows = shape.length == 2 ? 1 : (int) shape[1];
        int counted = spec.text().pooling() == Pooling.MEAN ? rows : 1;
        float[] values = new float[rows * width];
        FloatBuffer all = result.values();
        Map<Window, float[]> vectors = new HashMap<>();
        for (Window window : batch) {
            all.get(values);
            float[] sum = new float[width];
            for (int t = 0; t < counted; t++) {
                add(values, t * width, sum);
            }
            vectors.put(window, scaled(sum, counted));
        }
        return vectors;
    }

    private static void add(float[] values, int from, float[] sum) {
        for (int i = 0; i < sum.length; i++) {
            sum[i] += values[from + i];
        }
    }

    /** Waits for running encodings; if they do not end in time, the network stays open until the process exits. */
    @Override
    public void close() {
        if (owner != null) {
            workers.close();
            return;
        }
        if (!ends()) {
            LOG.warn("text encoder {} is still encoding and stays open", spec.id());
            return;
        }
        try {
            boolean ended = closed || workers.end(LONGEST_END);
            if (!closed && ended) {
                free();
            }
            closed = true;
        } finally {
            use.writeLock().unlock();
        }
    }

    private boolean ends() {
        try {
            return use.writeLock().tryLock() || use.writeLock().tryLock(LONGEST_END.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private synchronized void free() {
        if (loaded != null) {
            loaded.tokenizer().close();
            loaded.model().close();
        }
    }

    /** A window of a text, by its index. */
    private record Window(int text, int n, long[] ids) {}
}
