package dev.prpf.spark;

import dev.prpf.base.run.Progress;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.Success$;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.StageInfo;
import org.jspecify.annotations.Nullable;

/** The tasks of each stage that are done, on the driver's standard error. */
final class TaskProgress extends SparkListener implements AutoCloseable {
    private final String job;
    private final Map<Integer, Progress> stages = new HashMap<>();

    TaskProgress(String job) {
        this.job = job;
    }

    @Override
    public synchronized void onStageSubmitted(SparkListenerStageSubmitted event) {
        StageInfo stage = event.stageInfo();
        String name = job + ", stage " + stage.stageId() + ", " + stage.name() + ", tasks";
        end(stages.put(stage.stageId(), Progress.start(name, stage.numTasks()))); // of one that is run again
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
