package dev.prpf.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class VisibleGpusTest {
    private static List<String> driver(String script) {
        return List.of("sh", "-c", script);
    }

    @Test
    void theVariableNamesThem() {
        List<String> two = driver("echo 0; echo 1");
        assertThat(VisibleGpus.visible(Map.of("CUDA_VISIBLE_DEVICES", "3, GPU-8a"), two))
                .containsExactly("3", "GPU-8a");
        assertThat(VisibleGpus.visible(Map.of("CUDA_VISIBLE_DEVICES", ""), two)).isEmpty();
        assertThat(VisibleGpus.visible(Map.of("CUDA_VISIBLE_DEVICES", "-1"), two))
                .isEmpty();
    }

    @Test
    void behindADeviceThatIsNoneCudaSeesNoOther() {
        assertThat(VisibleGpus.visible(Map.of("CUDA_VISIBLE_DEVICES", "0, -1, 1"), driver("echo 0; echo 1")))
                .containsExactly("0");
    }

    @Test
    void withoutItTheDriverCountsThem() {
        assertThat(VisibleGpus.visible(Map.of(), driver("echo 0; echo 1"))).containsExactly("0", "1");
        assertThat(VisibleGpus.visible(Map.of(), driver("echo No devices were found; exit 6")))
                .isEmpty();
        assertThat(VisibleGpus.visible(Map.of(), List.of("/no/such/nvidia-smi")))
                .isEmpty();
    }
}
