package dev.prpf.spark;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UnavailableException;
import dev.prpf.base.run.Progress;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.apache.commons.lang3.exception.ExceptionUtils;
import org.apache.spark.Success$;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.StageInfo;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command that runs as a Spark application: opens a session, shows the progress of stages and maps failed tasks to exit codes. */
abstract class SparkJob implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    /** Runs the job and returns its exit code. */
    abstract ExitCode run(SparkSession spark);

    @Override
    public final Integer call() {
        try {
            SparkSession spark = SparkSession.builder()
                    .config("spark.serializer", JavaSerializer.class.getName()) // Kryo cannot set a record's fields
                    .getOrCreate();
            TaskProgress progress = new TaskProgress(spec.name());
            spark.sparkContext().addSparkListener(progress);
            try {
                return run(spark).status();
            } finally {
                spark.sparkContext().removeSparkListener(progress);
                progress.close();
            }
        } catch (Exception e) { // Spark's are checked, and its Java interface does not declare them
            throw outcome(e);
        }
    }

    static JavaSparkContext context(SparkSession spark) {
        return JavaSparkContext.fromSparkContext(spark.sparkContext());
    }

    /** Returns the exception that a task threw, unwrapped from Spark's own; 69 if Spark itself failed. */
    static RuntimeException outcome(Exception failure) {
        for (Throwable cause : ExceptionUtils.getThrowableList(failure)) {
            if (cause instanceof PrpfException known) {
                return known;
            }
        }
        if (failure instanceof RuntimeException ours && !isSparks(ours)) {
            return ours;
        }
        Throwable root = Objects.requireNonNullElse(ExceptionUtils.getRootCause(failure), failure);
        if ((root instanceof RuntimeException || root instanceof Error) && !isSparks(root)) {
            return new IllegalStateException("a task failed", failure);
        }
        String why = Objects.requireNonNullElse(root.getMessage(), root.toString());
        return new UnavailableException(
                "Spark failed: " + why.lines().findFirst().orElse("") + "; its log has the details", failure);
    }

    private static boolean isSparks(Throwable failure) {
        return failure.getClass().getName().startsWith("org.apache.");
    }

    /** Shows the finished tasks of each stage on the driver's standard error. */
    static final class TaskProgress extends SparkListener implements AutoCloseable {
        private final String job;
        private final Map<Integer, Progress> stages = new HashMap<>();

        TaskProgress(String job) {
            this.job = job;
        }

        @Override
        public synchronized void onStageSubmitted(SparkListenerStageSubmitted event) {
            StageInfo stage = event.stageInfo();
            String name = job + ", stage " + stage.stageId() + ", " + stage.name() + ", tasks";
            end(stages.put(stage.stageId(), Progress.start(name, stage.numTasks()))); // a stage may run again
        }

        @Override
        public synchronized void onTaskEnd(SparkListenerTaskEnd event) {
            Progress stage = stages.get(event.stageId());
            if (stage != null && event.reason().equals(Success$.MODULE$)) {
                stage.step();
            }
        }

        @Override
        public synchronized void onStageCompleted(SparkListenerStageCompleted event) {
            end(stages.remove(event.stageInfo().stageId()));
        }

        private static void end(@Nullable Progress stage) {
            if (stage != null) {
                stage.close();
            }
        }

        @Override
        public synchronized void close() {
            stages.values().forEach(Progress::close);
            stages.clear();
        }
    }
}
