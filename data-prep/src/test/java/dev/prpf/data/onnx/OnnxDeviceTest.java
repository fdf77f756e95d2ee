package dev.prpf.data.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.onnxruntime.OrtException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.data.onnx.OnnxModel.OnnxDevice;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OnnxDeviceTest {
    @AfterEach
    void forget() {
        System.clearProperty(OnnxDevice.PROPERTY);
    }

    private static void load() {
        OnnxGraph graph = new OnnxGraph("test");
        graph.named("y", "Relu", List.of(graph.input("x", 1)));
        graph.output("y", 1);
        OnnxModel.load("small", graph.toModel(), 1).close();
    }

    @Test
    void aGpuThatIsAskedForAndNotToBeHadIsUnavailable() {
        load();
        System.setProperty(OnnxDevice.PROPERTY, "cuda");
        assertThatThrownBy(OnnxDeviceTest::load)
                .isInstanceOf(UnavailableException.class)
                .hasMessageStartingWith("-Dprpf.encoders.device=cuda, and ONNX Runtime cannot use a GPU: ")
                .hasMessageContaining("CUDA")
                .hasMessageEndingWith("; remove the property, or see docs/GPU.md for the required build and libraries");
    }

    @Test
    void anotherNameIsRefused() {
        System.setProperty(OnnxDevice.PROPERTY, "gpu");
        assertThatThrownBy(OnnxDevice::chosen)
                .isInstanceOf(UsageException.class)
                .hasMessage("-Dprpf.encoders.device=gpu: must be cpu or cuda");
    }

    @Test
    void aDamagedModelIsNotTakenForAMissingGpu() {
        assertThat(OnnxDevice.CUDA.refusal("m.onnx", new OrtException("Protobuf parsing failed.")))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining("model file m.onnx cannot be loaded by ONNX Runtime: Protobuf parsing failed.");
        assertThat(OnnxDevice.CUDA.refusal("m.onnx", new OrtException("CUDA failure 100: no CUDA-capable device")))
                .isInstanceOf(UnavailableException.class);
        assertThat(OnnxDevice.CPU.refusal("CUDA.onnx", new OrtException("CUDA.onnx: Protobuf parsing failed.")))
                .isInstanceOf(InvalidDataException.class);
    }
}
