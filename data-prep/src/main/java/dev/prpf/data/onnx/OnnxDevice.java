package dev.prpf.data.onnx;

import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.providers.OrtCUDAProviderOptions;
import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.error.UsageException;

/** The device of frozen networks: the CPU, or the first GPU if the property {@link #PROPERTY} is {@code cuda}. No fallback. */
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
     * Sets the device of a session; operators without a CUDA kernel run on the CPU. The arena grows only by the requested bytes,
     * since libtorch needs the rest of the card. Convolution algorithms are chosen by heuristic; a search would run for every new
     * image size.
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

    /** Returns the error for a failed session: 69 if CUDA cannot be used, else 65 for the model. */
    PrpfException refusal(String model, OrtException cause) {
        if (this == CUDA && String.valueOf(cause.getMessage()).contains("CUDA")) {
            return new UnavailableException(
                    "-D" + PROPERTY + "=cuda, and ONNX Runtime cannot use a GPU: " + cause.getMessage()
                            + "; remove the property, or see docs/GPU.md for the" + " required build and libraries");
        }
        return new InvalidDataException(
                "model file " + model + " cannot be loaded by ONNX Runtime: " + cause.getMessage(), cause);
    }
}
