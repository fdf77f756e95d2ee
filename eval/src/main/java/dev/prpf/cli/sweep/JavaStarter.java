package dev.prpf.cli.sweep;

import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.workflow.InOwnProcess;
import dev.prpf.cli.sweep.MemberQueue.MemberStarter;
import dev.prpf.cli.sweep.SweepPlan.SweepMember;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs each member in a Java process with this one's options and a share of the cores. The process has its own session, so that only this
 * process passes on Ctrl-C: a second signal would end a command before it has saved.
 *
 * @param mainClass with the main method of {@code prpf}
 * @param workers number of processes that share the cores
 */
record JavaStarter(String mainClass, int workers, MemberGpus gpus) implements MemberStarter {
    private static final String TERMINAL = "-Dprpf.terminal=";
    private static final String TORCH_THREADS = "-Dai.djl.pytorch.num_threads=";

    @Override
    public Process start(SweepPlan plan, SweepMember member) {
        Path log = plan.log(member);
        AtomicFiles.requireWritable(log);
        ProcessBuilder builder = new ProcessBuilder(line(member))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
        if (workers > 1) {
            builder.environment().put("OMP_NUM_THREADS", Integer.toString(cores()));
        }
        try {
            return gpus.start(builder);
        } catch (IOException e) {
            throw new UnavailableException(
                    "cannot start a process for member " + member.name() + ": " + IoFailure.reason(e)
                            + "; setsid (util-linux) and the JDK must be installed",
                    e);
        }
    }

    List<String> line(SweepMember member) {
        List<String> java = new InOwnProcess(mainClass).line(member.command());
        java.removeIf(word -> word.startsWith(TERMINAL)); // a log is no terminal
        if (workers > 1) {
            java.replaceAll(word -> word.startsWith(TORCH_THREADS) ? TORCH_THREADS + cores() : word);
            java.add(1, "-XX:ActiveProcessorCount=" + cores());
        }
        List<String> line = new ArrayList<>(List.of("setsid"));
        line.addAll(java);
        return line;
    }

    private int cores() {
        return Math.max(1, Runtime.getRuntime().availableProcessors() / workers);
    }
}
