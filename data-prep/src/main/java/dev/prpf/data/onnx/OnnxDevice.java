package dev.prpf.data.onnx;

import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.providers.OrtCUDAProviderOptions;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.error.UsageException;

/** Where frozen networks run: the processor, or the first GPU where the property {@link #PROPERTY} is {@code cuda}. No fallback. */
public enum OnnxDevice {
    CPU,
    CUDA;

    public static final String PROPERTY = "prpf.encoders.device";

    /** @throws PrpfException 2 if the property is neither {@code cpu} nor {@code cuda} */
    public static OnnxDevice chosen() {
        String name = System.getProperty(PROPERTY, "cpu");
        return switch (name) {
            case "cpu" -> CPU;
            case "cuda" -> CUDA;
            default -> throw new UsageException("-D" + PROPERTY + "=" + name + ": must be cpu or cuda");
        };
    }

    /**
     * Sets the device of a session; operators without a CUDA kernel stay on the processor. The arena grows only by the requested bytes, since
     * libtorch needs the rest of the card. Convolution algorithms are chosen by heuristic; a search would run for every new image size.
     */
    void addTo(OrtSession.SessionOptions options) throws OrtException {
        if (this == CUDA) {
            try (OrtCUDAProviderOptions cuda = new OrtCUDAProviderOptions(0)) {
                cuda.add("arena_extend_strategy", "kSameAsRequested");
                cuda.add("cudnn_conv_algo_search", "HEURISTIC");
                options.addCUDA(cuda);
            }
        }
    }

    /** Why no session was made: 69 if CUDA cannot be used, else 65 for the model. */
    PrpfException refusal(String model, OrtException cause) {
        if (this == CUDA && String.valueOf(cause.getMessage()).contains("CUDA")) {
            return new UnavailableException("-D" + PROPERTY + "=cuda, and ONNX Runtime cannot use a GPU: "
                    + cause.getMessage() + "; leave the property out, or see docs/GPU.md: it names the"
                    + " build and the libraries that are needed");
        }
        return new InvalidDataException(
                "model file " + model + " cannot be loaded by ONNX Runtime: " + cause.getMessage(), cause);
    }
}
