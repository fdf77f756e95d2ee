package dev.prpf.cli.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.prpf.cli.sweep.MemberQueue.JavaStarter;
import dev.prpf.cli.sweep.SweepPlan.SweepMember;
import dev.prpf.mpp.command.GateCommand;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class JavaStarterTest {
    private static final CommandLine COMMANDS = new CommandLine(new GateCommand());

    @TempDir
    Path directory;

    /** A main method that says what it was given and leaves with 65. */
    public static final class Says {
        private Says() {}

        public static void main(String[] arguments) {
            System.err.println(String.join(" ", arguments) + ", cores "
                    + Runtime.getRuntime().availableProcessors() + ", threads " + System.getenv("OMP_NUM_THREADS")
                    + ", GPUs "
                    + System.getenv("CUDA_VISIBLE_DEVICES"));
            System.exit(65);
        }
    }

    @Test
    void aMemberHasAProcessALogAndAShareOfTheCores() throws InterruptedException {
        SweepPlan plan = SweepPlan.of(List.of("seed=7"), List.of("gate", "train"), directory, COMMANDS);
        SweepMember member = plan.members().get(0);
        int cores = Runtime.getRuntime().availableProcessors();
        Process process =
                new JavaStarter(Says.class.getName(), cores, new MemberGpus(List.of("GPU-7"))).start(plan, member);
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).isEqualTo(65);
        assertThat(plan.log(member))
                .content()
                .contains("grid member " + directory + " 0, cores 1, threads " + (cores > 1 ? "1" : ""))
                .contains("GPUs GPU-7");
    }

    @Test
    void theProcessHasASessionOfItsOwnSoThatATerminalDoesNotSignalItToo() {
        SweepPlan plan = SweepPlan.of(List.of("seed=7"), List.of("gate", "train"), directory, COMMANDS);
        List<String> line = new JavaStarter("a.Main", 1, new MemberGpus(List.of()))
                .line(plan.members().get(0));
        assertThat(line).startsWith("setsid").endsWith("a.Main", "grid", "member", directory.toString(), "0");
        assertThat(line).noneMatch(word -> word.startsWith("-XX:ActiveProcessorCount"));
    }
}
