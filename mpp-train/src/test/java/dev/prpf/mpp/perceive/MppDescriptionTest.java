package dev.prpf.mpp.perceive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.ScenarioCatalog.Scenario;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.spec.EncoderSpec.EncoderPrecision;
import dev.prpf.data.encode.spec.EncoderSpec.LongText;
import dev.prpf.mpp.MadeShape;
import dev.prpf.mpp.network.definition.JointLoss;
import dev.prpf.mpp.network.definition.NetworkShape;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MppDescriptionTest {
    private static final ScenarioCatalog CATALOG =
            new ScenarioCatalog(List.of(new Scenario("Shopping", "购物")), Map.of("buy", "Shopping"));

    @TempDir
    Path store;

    private static MppDescription trainedOn(int width, String textEncoder, String frameEncoder) {
        NetworkShape shape = MadeShape.small()
                .inputs(width, 0, false)
                .transformer(8, 2, 1, 16)
                .scenarios(1)
                .shape();
        return new MppDescription(shape, new JointLoss(2, 0.5, 0.5), CATALOG.names(), textEncoder, frameEncoder);
    }

    @Test
    void anotherEncoderIsRefusedByBothItsNames() {
        EncoderSettings settings = new EncoderSettings(EncoderPrecision.INT8, LongText.MEAN_OF_WINDOWS, 1, store, null);
        try (SampleEncoder encoder = SampleEncoder.open(settings)) {
            String text = encoder.textEncoderId();
            String frames = encoder.imageEncoderId();
            assertThatCode(() -> trainedOn(512, text, frames).requireSame(encoder, CATALOG))
                    .doesNotThrowAnyException();
            assertThatThrownBy(() -> trainedOn(512, text, "clip-fp32-512-abc").requireSame(encoder, CATALOG))
                    .isInstanceOfSatisfying(
                            PrpfException.class, e -> assertThat(ExitCode.of(e)).isEqualTo(ExitCode.BAD_CONFIG))
                    .hasMessageContaining("trained with frame encoder clip-fp32-512-abc, now it is " + frames);
            assertThatThrownBy(() -> trainedOn(528, text, frames).requireSame(encoder, CATALOG))
                    .hasMessageContaining("encoder width 528, now it is 512");
            assertThatThrownBy(() -> trainedOn(512, "other", frames).requireSame(encoder, CATALOG))
                    .hasMessageContaining("text encoder other, now it is " + text);
        }
    }
}
