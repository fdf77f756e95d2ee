package dev.prpf.base.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.command.RunOptions.TrackOption;
import dev.prpf.base.command.RunOptions.TrackOption.Tracker;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class TrackOptionTest {
    @Command(name = "prpf")
    static final class Root {
        @Command(name = "train")
        int train(@Mixin RunOptions options) {
            return 0;
        }

        @Command(name = "stats")
        int stats() {
            return 0;
        }
    }

    private static Set<Tracker> asked(String... line) {
        return TrackOption.of(new CommandLine(new Root())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .parseArgs(line));
    }

    @AfterEach
    void nobodyTracks() {
        TrackOption.handOn(Set.of());
    }

    @Test
    void everyCommandWithARunHasIt() {
        assertThat(asked("train")).isEmpty();
        assertThat(asked("stats")).isEmpty();
        assertThat(asked("train", "--track", "mlflow")).containsExactly(Tracker.MLFLOW);
        assertThat(asked("train", "--track", "TensorBoard,mlflow"))
                .containsExactlyInAnyOrder(Tracker.MLFLOW, Tracker.TENSORBOARD);
        assertThat(asked("train", "--track=mlflow", "--track=mlflow")).containsExactly(Tracker.MLFLOW);
    }

    @Test
    void anUnknownTrackerIsNamed() {
        assertThatThrownBy(() -> asked("train", "--track", "wandb"))
                .isInstanceOf(CommandLine.ParameterException.class)
                .hasMessageContaining("'wandb' is not one of mlflow, tensorboard");
    }

    @Test
    void processesOfOurOwnTrackAsWeDo() {
        assertThat(TrackOption.handedOn()).isEmpty();
        TrackOption.handOn(Set.of(Tracker.TENSORBOARD));
        assertThat(TrackOption.handedOn()).containsExactly("-Dprpf.track=TENSORBOARD");
        assertThat(asked("stats")).containsExactly(Tracker.TENSORBOARD);
        assertThat(asked("train", "--track", "mlflow")).hasSize(2);
    }
}
