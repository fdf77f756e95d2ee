package dev.prpf.spark;

import dev.prpf.base.command.ResultStream;
import org.apache.spark.sql.SparkSession;
import picocli.CommandLine.Command;

/** The class that {@code spark-submit} runs. */
@Command(
        name = "prpf-spark",
        description = {
            "The commands for data on Apache Spark, for inputs too large for one machine.",
            "A PATH is a file, a folder or a pattern of JSON Lines or Parquet; other files are the driver's."
        },
        footer = {"", "prpf-spark is spark-submit --class dev.prpf.spark.SparkMain spark/target/prpf-spark.jar."},
        subcommands = {
            ValidateJob.class,
            StatsJob.class,
            EncodeJob.class,
            SftJob.class,
            CallsJob.class,
            ExportJob.class,
            ScoreJob.class
        })
public final class SparkMain {
    private SparkMain() {}

    /** Runs one command and ends the process with its exit code. */
    public static void main(String[] arguments) {
        ResultStream.claim();
        int status = execute(arguments);
        if (status != 0) { // Spark counts a main that returns as success
            System.exit(status);
        }
        SparkSession.getDefaultSession().foreach(session -> {
            session.stop();
            return null;
        });
    }

    /** Runs one command line and returns its exit code. */
    static int execute(String... arguments) {
        return dev.prpf.cli.Main.execute(dev.prpf.cli.Main.commandLine(new SparkMain()), arguments);
    }
}
