package dev.prpf.eval.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.par.plan.StageNeed;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class CommandNeedTest {
    private static final StageNeed NEED =
            new StageNeed(30_000_000_000L, "it needs 30.00 GB", null, "lower the batch", "trl.sh sft");

    @Test
    void whatFitsHasItsTime() {
        assertThat(new CommandNeed("./prpf reasoner sft", NEED, 40_000_000_000L, true, 720.0).lines())
                .containsExactly(
                        "./prpf reasoner sft",
                        "#   it needs 30.00 GB; 40.00 GB are free: fits",
                        "#   its matrix products take at most 12.0 minutes here, with every example of max-length");
    }

    @Test
    void theTimeOfTextsOfKnownLengthIsNoBound() {
        StageNeed known = new StageNeed(1L, "it needs 1 byte", new StageNeed.Work(1, 1, true), "", null);
        assertThat(new CommandNeed("./prpf reasoner sft", known, 2L, true, 720.0).lines())
                .contains("#   its matrix products take about 12.0 minutes here");
    }

    @Test
    void whatDoesNotFitNamesWhatWouldAndAnotherTrainer() {
        assertThat(new CommandNeed("./prpf reasoner sft", NEED, 20_000_000_000L, false, null).lines())
                .containsExactly(
                        "./prpf reasoner sft",
                        "#   it needs 30.00 GB; 20.00 GB are free: does NOT fit; to fit here, lower the batch",
                        "#   or with TRL, on 8 GPUs: trl.sh sft");
    }

    @Test
    void whatIsUnknownSaysWhy() {
        StageNeed unknown = StageNeed.unknown(Path.of("sft.yaml"));
        assertThat(new CommandNeed("./prpf reasoner sft", unknown, null, null, null).lines())
                .containsExactly("./prpf reasoner sft", "#   its memory is unknown: sft.yaml does not exist yet");
    }
}
