package dev.prpf.spark;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.apache.commons.lang3.exception.ExceptionUtils;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.sql.SparkSession;

/** A command that runs as a Spark application: opens a session and maps failed tasks to exit codes. */
abstract class SparkJob implements Callable<Integer> {
    abstract ExitCode run(SparkSession spark);

    @Override
    public final Integer call() {
        try {
            SparkConf conf = new SparkConf()
                    .set("spark.serializer", JavaSerializer.class.getName()) // Kryo cannot set a record's fields
                    .setIfMissing("spark.ui.showConsoleProgress", "true");
            return run(SparkSession.builder().config(conf).getOrCreate()).status();
        } catch (Exception e) { // Spark's are checked, and its Java interface does not declare them
            throw outcome(e);
        }
    }

    static JavaSparkContext context(SparkSession spark) {
        return JavaSparkContext.fromSparkContext(spark.sparkContext());
    }

    /** Cuts the elements of a partition into lists; memory holds one. */
    static <T> Stream<List<T>> batches(Iterator<T> partition, int size) {
        return Stream.iterate(batch(partition, size), batch -> !batch.isEmpty(), batch -> batch(partition, size));
    }

    private static <T> List<T> batch(Iterator<T> partition, int size) {
        List<T> batch = new ArrayList<>();
        while (batch.size() < size && partition.hasNext()) {
            batch.add(partition.next());
        }
        return batch;
    }

    /** Returns the exception that a task threw, unwrapped from Spark's own; 69 if Spark itself failed. */
    static RuntimeException outcome(Exception failure) {
        PrpfException known = ExceptionUtils.throwableOfType(failure, PrpfException.class);
        if (known != null) {
            return known;
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
}
