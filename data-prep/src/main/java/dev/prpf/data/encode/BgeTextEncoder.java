package dev.prpf.data.encode;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtException;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * BGE-small-zh-v1.5 (BAAI, MIT) by ONNX Runtime: the vector of {@code [CLS]}, L2-normalised, 512 floats.
 *
 * <p>Every window is run alone, {@code threads} of them at once on one thread each. That wastes no time on padding, uses every core
 * in int8 too (whose kernels gain nothing from a second thread), and makes a text's vector a function of the text alone: the int8
 * model quantises its activations over the whole batch, so in a batch a text's neighbours would change its vector.
 */
public final class BgeTextEncoder implements TextEncoder {
    static final int WIDTH = 512;

    private final OnnxModel model;
    private final BgeTokenizer tokenizer;
    private final LongText longText;
    private final String id;
    private final Workers workers;
    private final AtomicLong shortened = new AtomicLong();
    private final AtomicLong tokens = new AtomicLong();

    private BgeTextEncoder(OnnxModel model, BgeTokenizer tokenizer, LongText longText, String id, Workers workers) {
        this.model = model;
        this.tokenizer = tokenizer;
        this.longText = longText;
        this.id = id;
        this.workers = workers;
    }

    /**
     * Loads weights and tokenizer from the class path.
     *
     * @param threads how many windows are run at once
     */
    public static BgeTextEncoder load(Precision precision, LongText longText, int threads) {
        return new BgeTextEncoder(
                OnnxModel.load(weights(precision), 1),
                BgeTokenizer.load(),
                longText,
                idOf(precision, longText),
                new Workers("bge", threads));
    }

    /** The id an encoder of these settings has, without loading it. */
    public static String idOf(Precision precision, LongText longText) {
        return "bge-small-zh-v1.5-" + precision.label() + "-"
                + weights(precision).shortHash() + "-" + longText.label();
    }

    private static ModelResource weights(Precision precision) {
        return precision == Precision.FP32 ? ModelResource.BGE_FP32 : ModelResource.BGE_INT8;
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
        List<float[]> vectors = workers.map(windows, window -> classVector(window.ids()));
        float[][] sums = new float[distinct.size()][WIDTH];
        for (int w = 0; w < windows.size(); w++) {
            add(vectors.get(w), sums[windows.get(w).text()]);
        }
        Map<String, float[]> byText = new HashMap<>();
        for (int i = 0; i < sums.length; i++) {
            byText.put(distinct.get(i), normalised(sums[i]));
        }
        return texts.stream().map(byText::get).map(float[]::clone).toArray(float[][]::new); // (N, 512)
    }

    private List<Window> windows(List<String> texts) {
        List<long[]> ids = tokenizer.ids(texts);
        List<Window> windows = new ArrayList<>();
        for (int text = 0; text < ids.size(); text++) {
            int count = BgeTokenizer.windows(ids.get(text).length);
            if (count > 1) {
                shortened.incrementAndGet();
            }
            int kept = longText == LongText.TRUNCATE ? 1 : count;
            for (int n = 0; n < kept; n++) {
                windows.add(new Window(text, BgeTokenizer.window(ids.get(text), n)));
            }
        }
        return windows;
    }

    /** One window's normalised class vector, shape (512). */
    private float[] classVector(long[] ids) {
        long[] shape = {1, ids.length};
        long[] ones = new long[ids.length];
        Arrays.fill(ones, 1);
        try (OnnxTensor input = OnnxTensor.createTensor(OnnxModel.environment(), LongBuffer.wrap(ids), shape);
                OnnxTensor mask = OnnxTensor.createTensor(OnnxModel.environment(), LongBuffer.wrap(ones), shape);
                OnnxTensor types = OnnxTensor.createTensor(
                        OnnxModel.environment(), LongBuffer.wrap(new long[ids.length]), shape)) {
            OnnxModel.Output hidden =
                    model.run(Map.of("input_ids", input, "attention_mask", mask, "token_type_ids", types));
            float[] first = new float[WIDTH];
            hidden.values().get(first); // (1, T, 512) -> (512): position 0 is [CLS]
            tokens.addAndGet(ids.length);
            return normalised(first);
        } catch (OrtException e) {
            throw new IllegalStateException("a window of " + ids.length + " tokens cannot be given to BGE", e);
        }
    }

    private static void add(float[] vector, float[] sum) {
        for (int i = 0; i < sum.length; i++) {
            sum[i] += vector[i];
        }
    }

    private static float[] normalised(float[] vector) {
        double squares = 0;
        for (float v : vector) {
            squares += (double) v * v;
        }
        double norm = Math.max(Math.sqrt(squares), 1e-12);
        float[] unit = new float[vector.length];
        for (int i = 0; i < unit.length; i++) {
            unit[i] = (float) (vector[i] / norm);
        }
        return unit;
    }

    @Override
    public void close() {
        workers.close();
        tokenizer.close();
        model.close();
    }

    private record Window(int text, long[] ids) {}
}
