package dev.prpf.spark;

import dev.prpf.base.command.ResultStream;
import org.apache.spark.sql.SparkSession;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The class that {@code spark-submit} runs. */
@Command(
        name = "prpf-spark",
        description = "The commands for data on Apache Spark, for inputs too large for one machine.",
        footer = {
            "",
            "Example:",
            "  spark-submit --class dev.prpf.spark.Main spark/target/prpf-spark.jar stats --data records"
        },
        subcommands = {
            ValidateJob.class,
            StatsJob.class,
            EncodeJob.class,
            SftJob.class,
            CallsJob.class,
            ExportJob.class,
            ScoreJob.class
        })
public final class Main implements Runnable {
    @Spec
    private CommandSpec spec;

    private Main() {}

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
        return dev.prpf.cli.Main.execute(dev.prpf.cli.Main.commandLine(new Main()), arguments);
    }

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "a command is needed");
    }
}
